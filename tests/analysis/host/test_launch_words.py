"""Who may launch, told from words: never less than what the bodies say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.host import HostResult
from roofline_analysis.host.effects.launch_words import first_word, may_launch, suspects
from roofline_analysis.host.effects.reach import Reach
from roofline_analysis.language.symbols import Symbols
from roofline_core.program.units import Function
from roofline_parsers.reading.load import load_program

KERNEL = "__global__ void k(float *p) { p[0] = 1; }\n"


def index_of(source: str) -> Symbols:
    files = {Path("/src/a.cu"): (KERNEL + source).encode()}
    return Symbols(load_program(list(files), files.get))


def names_of(functions: list[Function]) -> set[str]:
    return {function.name for function in functions}


def suspected(source: str) -> set[str]:
    functions = [f for f in index_of(source).all_functions if not f.is_kernel]
    return names_of(suspects(functions, lambda f: f.words))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("k<<<1, 1>>>(p);", True),
        ("k << <1, 1 >> > (p);", True),
        ("k <\n<< 1, 1>>>(p);", True),
        ("cudaLaunchKernel((void*)k, 1, 1, args, 0, 0);", True),
        ("cudaGraphAddKernelNode(&node, graph, 0, 0, &params);", True),
        ("thrust::sort(p, p + n);", True),
        ("cub::DeviceReduce::Sum(t, b, p, p, n);", True),
        ("cublasSgemm(h, a, b, m, n, k, &x, p, l, p, l, &y, p, l);", True),
        ("clEnqueueNDRangeKernel(q, kernel, 1, 0, g, l, 0, 0, 0);", True),
        ("cudaMalloc(&p, n); cublasCreate(&h);", False),
        ("std::sort(p, p + n); return launch_count;", False),
    ],
)
def test_signs_of_launches(body: str, expected: bool) -> None:
    (function,) = index_of(f"void f() {{ {body} }}").functions["f"]
    assert function.words is not None
    assert may_launch(function.words) is expected


def test_words_are_followed_through_calls_methods_and_operators() -> None:
    source = """
    void a(float *p) { k<<<1, 1>>>(p); }
    void b(float *p) { a(p); }
    struct Run { void operator()(float *p) { b(p); } };
    void c(float *p) { Run run; run(p); }
    void d(float *p) { p[0] = 2; }
    void e(float *p) { d(p); }
    """
    assert suspected(source) == {"a", "b", "operator()", "c"}


@pytest.mark.sources
def test_only_suspects_are_read() -> None:
    index = index_of("void a(float *p) { k<<<1, 1>>>(p); } void b(float *p) { p[0] = 2; }")
    assert Reach(index).launching == {"a"}
    ((a,), (b,)) = index.functions["a"], index.functions["b"]
    assert "body" in vars(a)
    assert "body" not in vars(b)
    reach = Reach(index)
    assert not reach.function_can_launch(b)
    assert not reach.sites(b)
    assert "body" not in vars(b)
    assert len(reach.sites(a)) == 1


@pytest.mark.parametrize(
    ("name", "word"), [("f", "f"), ("operator()", "operator"), ("~Run", "Run"), ("+", "+")]
)
def test_first_word(name: str, word: str) -> None:
    assert first_word(name) == word


@given(
    calls=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=16),
    launching=st.sets(st.integers(0, 7), max_size=2),
)
def test_what_the_bodies_say_is_found_through_the_words(
    calls: list[tuple[int, int]], launching: set[int]
) -> None:
    bodies = dict.fromkeys(range(8), "")
    for caller, callee in calls:
        bodies[caller] += f"f{callee}(p);"
    for number in launching:
        bodies[number] += "k<<<1, 1>>>(p);"
    source = "".join(f"void f{n}(float *p) {{ {body} }}\n" for n, body in bodies.items())
    expected = set(launching)
    for _ in bodies:
        expected |= {caller for caller, callee in calls if callee in expected}
    assert Reach(index_of(source)).launching == {f"f{number}" for number in expected}


def test_chevrons_apart_launch_as_others(run: Callable[..., HostResult]) -> None:
    source = f"""{KERNEL}
    __global__ void parent(float *p) {{ k << <4, 32 >> > (p); }}
    void f(float *p) {{ k << <8, 64 >> > (p); parent<< <2, 1>> >(p); }}
    """
    found = {
        (each.kernel.name, *(extent.constant for extent in each.grid or ()))
        for each in run(source).launches
    }
    assert found == {("k", 4, 1, 1), ("k", 8, 1, 1), ("parent", 2, 1, 1)}
