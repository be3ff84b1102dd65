"""Memory, plans and handles that each run of a loop makes anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_core.settings import Settings

KERNEL = "__global__ void k(int n, float *x) { x[blockIdx.x * 256 + threadIdx.x] = n; }\n"


def lines(host: str) -> list[int]:
    """The lines of a program's host code, counted from 1, that allocate in a loop."""
    report = analyze(
        (KERNEL + host).encode(), Path("/src/one.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    return [each.span.line - 1 for each in report.all_findings() if each.code == "RL406"]


def in_loop(body: str, head: str = "for (int step = 0; step < steps; step++)") -> str:
    return f"void f(int n, int steps) {{ float *x;\n{head} {{\n{body}\n}} }}"


ALLOCATES = "cudaMalloc(&x, n * 4);"
RUNS = "k<<<n / 256, 256>>>(n, x);"


@pytest.mark.parametrize(
    "body",
    [
        f"{ALLOCATES} {RUNS} cudaFree(x);",
        f"check(cudaMalloc((void **)&x, n * 4)); {RUNS} check(cudaFree(x));",
        f"cudaMallocManaged(&x, n * sizeof(float)); {RUNS} cudaFree(x);",
        f"if (n > 4) {{ {RUNS} }} {ALLOCATES} {RUNS} cudaFree(x);",
        f"{ALLOCATES} {RUNS} if (n < 0) throw std::runtime_error(name()); cudaFree(x);",
        (
            "cufftHandle plan; cufftPlan1d(&plan, n, CUFFT_C2C, 1);"
            " cufftExecC2C(plan, x, x, 1); cufftDestroy(plan);"
        ),
    ],
)
def test_what_is_allocated_and_freed_in_a_loop(body: str) -> None:
    assert lines(in_loop(body)) == [3]


@pytest.mark.parametrize(
    "body",
    [
        f"{ALLOCATES} {RUNS}",  # kept
        f"{RUNS} cudaFree(x);",
        f"cudaMalloc(&x, step * 4); {RUNS} cudaFree(x);",  # of another size each time
        f"int m = n << step; cudaMalloc(&x, m * 4); {RUNS} cudaFree(x);",
        f"if (n > 4) {{ {ALLOCATES} }} {RUNS} cudaFree(x);",
        f"{ALLOCATES} cudaMemset(x, 0, n * 4); cudaFree(x);",  # nothing works with it
        f"cudaSetDevice(step); {ALLOCATES} {RUNS} cudaFree(x);",
        f"cudaMallocAsync(&x, n * 4, 0); {RUNS} cudaFreeAsync(x, 0);",
        f"{ALLOCATES} auto t = now(); {RUNS} report(now() - t); cudaFree(x);",  # a benchmark
    ],
)
def test_what_differs_or_is_kept_is_left_alone(body: str) -> None:
    assert lines(in_loop(body)) == []


def test_a_loop_of_few_runs_is_left_alone() -> None:
    body = f"{ALLOCATES} {RUNS} cudaFree(x);"
    assert lines(in_loop(body, "for (int step = 0; step < 3; step++)")) == []


def in_function(body: str, caller: str) -> str:
    return f"void g(int n) {{ float *x;\n{body}\n}}\nvoid f(int n, int steps) {{ {caller} }}"


EACH = "for (int step = 0; step < steps; step++) g(n);"


def test_a_function_that_a_loop_calls() -> None:
    assert lines(in_function(f"{ALLOCATES} {RUNS} cudaFree(x);", EACH)) == [2]


@pytest.mark.parametrize(
    ("body", "caller"),
    [
        (f"{ALLOCATES} {RUNS} cudaFree(x);", "g(n);"),
        (f"{ALLOCATES} {RUNS} cudaFree(x);", "for (int m = 64; m < n; m *= 2) g(m);"),
        (
            f"size_t bytes = n * 4; cudaMalloc(&x, bytes); {RUNS} cudaFree(x);",
            "for (int m = 64; m < n; m *= 2) g(m);",
        ),
        (
            f"{ALLOCATES} for (int r = 0; r < 100; r++) {{ {RUNS} }} cudaFree(x);",
            EACH,
        ),
        (f"{ALLOCATES} cudaEventRecord(a); {RUNS} cudaEventRecord(b); cudaFree(x);", EACH),
        (f"{ALLOCATES} {RUNS} keep(x);", EACH),
    ],
)
def test_functions_called_once_or_for_other_sizes(body: str, caller: str) -> None:
    assert lines(in_function(body, caller)) == []


def test_of_functions_of_one_name_it_is_not_known_which_is_called() -> None:
    host = in_function(f"{ALLOCATES} {RUNS} cudaFree(x);", EACH)
    assert lines(host + "\nvoid g(float n) { }") == []


DEEP = """
void inner(int n) {{ float *x; cudaMalloc(&x, n * 4); k<<<n / 256, 256>>>(n, x); cudaFree(x); }}
struct Layer {{ void forward(int n) {{ inner(n); }} }};
struct Other {{ void forward(int n) {{ (void)n; }} }};
void epoch(int n, Layer *layer) {{ {middle} }}
void train(int n, int epochs, Layer *layer) {{ {outer} }}
"""


@pytest.mark.parametrize(
    ("middle", "outer", "found"),
    [
        ("layer->forward(n);", "for (int e = 0; e < epochs; e++) epoch(n, layer);", True),
        ("layer->forward(n);", "epoch(n, layer);", False),
        (
            "if (n > 4) layer->forward(n);",
            "for (int e = 0; e < epochs; e++) epoch(n, layer);",
            False,
        ),
        (
            "layer->forward(n);",
            "auto t = now(); for (int e = 0; e < epochs; e++) epoch(n, layer); report(now() - t);",
            False,
        ),
    ],
)
def test_a_function_that_a_loop_calls_through_others(middle: str, outer: str, found: bool) -> None:
    assert lines(DEEP.format(middle=middle, outer=outer)) == ([2] if found else [])


@pytest.mark.parametrize(
    "head", ["for (;;)", "for (int i = 0; i < steps;)", "for (int i = 0;; i++)", "while (true)"]
)
def test_heads_of_loops_may_lack_parts(head: str) -> None:
    assert lines(in_loop(f"{ALLOCATES} {RUNS} cudaFree(x);", head)) == [3]


def test_a_loop_that_ends_in_its_first_run_is_none() -> None:
    assert lines(in_loop(f"{ALLOCATES} {RUNS} cudaFree(x); break;", "while (true)")) == []


@pytest.mark.parametrize(
    ("before", "call", "found"),
    [
        ("", "outer(sizes[i]);", False),
        ("", "int m = sizes[i]; outer(m);", False),
        ("", "outer(n);", True),
        ('fscanf(f, "%d", &n);', "outer(n);", False),
        ("n = counted();", "outer(n);", False),
        ("", "library.inner(n);", False),
        ("", "other::inner(n);", False),
        ("", "inner(n, 2);", False),
    ],
)
def test_sizes_that_may_differ_and_functions_that_may_be_others(
    before: str, call: str, found: bool
) -> None:
    work = f"float *x; {before} {ALLOCATES} {RUNS} cudaFree(x);"
    host = f"""void inner(int n) {{ {work} }}
    void outer(int n) {{ inner(n); }}
    void all(int *sizes, int n, int steps) {{ for (int i = 0; i < steps; i++) {{ {call} }} }}"""
    assert lines(host) == ([1] if found else [])
