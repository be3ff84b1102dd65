"""Open numbers of the host learnt from the dimensions of a launch."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.api import analyze
from roofline_analysis.device.summary import summarise
from roofline_analysis.host.values import HostUnknown, LaunchContext, OpaqueValue, Scalar
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.launch.binding import Binding, bind
from roofline_analysis.launch.host_numbers import HostNumbers
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import ONE, Expr, apply, constant, from_atom, make_symbol
from roofline_core.settings import Settings
from roofline_parsers.reading.load import load_program

SYMBOLS = [make_symbol(name, SymbolScope.HOST, nonnegative=True) for name in ("n", "m", "k", "l")]
N, M, K, L = map(from_atom, SYMBOLS)
PATH = Path("/src/kernel.cu")
KERNEL = b"__global__ void f(float *a, int p) { a[p] = 0; }"


def bound(grid: Expr, argument: Expr, measured: int) -> Binding:
    """A kernel whose argument ``p`` is ``argument``, launched with ``grid`` blocks of 256."""
    program = load_program([PATH], {PATH: KERNEL}.get)
    (kernel,) = program.units[0].functions
    unknowns = {s: HostUnknown(s, s.name, "read from a file", 1024) for s in SYMBOLS}
    block = constant(256)
    context = LaunchContext(
        kernel, {}, (grid, ONE, ONE), (block, ONE, ONE), None,
        (Scalar(argument, "long"), Scalar(argument, "int")), PATH, 1, 0, unknowns=unknowns,
    )  # fmt: skip
    summary = summarise(kernel, TypeSystem(Symbols(program)))
    return bind(summary, context, (measured, 1, 1), (256, 1, 1))


def argument(found: Binding) -> int | float:
    return found.values[make_symbol("p", SymbolScope.PARAM)]


def blocks(of: Expr) -> Expr:
    return apply("div", of + 255, 256)


def at_most(limit: int, of: Expr) -> Expr:
    return apply("min", of, limit)


@pytest.mark.parametrize(
    ("grid", "measured", "expected"),
    [
        (blocks(N), 40, 40 * 256),
        (blocks(2 * N), 40, 20 * 256),
        (at_most(3200, blocks(N)), 40, 40 * 256),
        # As many as there can be: four times the least number that gives them.
        (at_most(3200, blocks(N)), 3200, 4 * (3199 * 256 + 1)),
        # Not what the program can launch: the assumed number stays.
        (at_most(3200, blocks(N)), 3201, 1024),
        (at_most(3200, N - N + 5), 5, 1024),
    ],
)
def test_one_number(grid: Expr, measured: int, expected: int) -> None:
    assert argument(bound(grid, N, measured)) == expected


def test_several_numbers_are_taken_to_be_equal() -> None:
    assert argument(bound(N * M, N, 64)) == 8
    assert argument(bound(blocks(N * M), M, 1024)) == 512
    assert argument(bound(N * M * K, K, 1000)) == 10
    assert argument(bound(N * M * K * L, L, 16)) == 1024  # too many to tell


def test_what_was_learnt_is_said() -> None:
    (used,) = (u for u in bound(blocks(N), N, 2).unknowns if u.name == "n")
    assert used.assumed == 512
    assert used.why == "read from a file; taken from the launch dimensions"


def test_learnt_numbers_hold_for_what_follows() -> None:
    assert argument(bound(blocks(N), 3 * N + 1, 2)) == 3 * 512 + 1


def test_a_loop_by_the_whole_grid_is_taken_to_be_covered_by_it() -> None:
    source = b"""__global__ void f(float *a, int p) {
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < p; i += gridDim.x * blockDim.x)
        a[i] = 0;
    }"""
    program = load_program([PATH], {PATH: source}.get)
    summary = summarise(program.units[0].functions[0], TypeSystem(Symbols(program)))
    assert argument(bind(summary, None, (40, 1, 1), (256, 1, 1))) == 40 * 256


def learnt(source: str, grid: int, args: dict[str, Expr], *, block: int = 256) -> dict[str, float]:
    """The numbers of parameters, ``args`` being what the host computes, by their names."""
    program = load_program([PATH], {PATH: source.encode()}.get)
    (kernel,) = program.units[0].functions
    unknowns = {s: HostUnknown(s, s.name, "read from a file", 1024) for s in SYMBOLS}
    dims = (constant(grid), ONE, ONE), (constant(block), ONE, ONE)
    values = tuple(Scalar(args[p.name], "int") if p.name in args else OPAQUE for p in kernel.params)
    context = LaunchContext(
        kernel, {}, *dims, None, values, PATH, 1, 0, unknowns=unknowns,
    )  # fmt: skip
    summary = summarise(kernel, TypeSystem(Symbols(program)))
    found = bind(summary, context, (grid, 1, 1), (block, 1, 1))
    return {s.name: v for s, v in found.values.items()}


OPAQUE = OpaqueValue("p", "not known")
GUARDED = """__global__ void f(float *a, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  %s
}"""


def test_a_guard_tells_the_numbers_that_its_bound_is_computed_from() -> None:
    found = learnt(GUARDED % "if (i < n) a[i] = m;", 40, {"n": 2 * N, "m": 3 * N})
    assert (found["n"], found["m"]) == (40 * 256, 3 * 40 * 128)


@pytest.mark.parametrize(
    ("guard", "bounds"),
    [
        ("if (i < min(n, 1 << 20)) a[i] = 0;", {"n": 10240}),
        ("if (i < (n + 1) / 2) a[i] = 0;", {"n": 2 * 10240 - 1}),
        ("if (i < max(n - 2, 5)) a[i] = 0;", {"n": 10242}),
        ("if (n + i <= m) a[i] = 0;", {"n": 2, "m": 2 + 10239}),
    ],
)
def test_assumed_numbers_let_the_threads_through(guard: str, bounds: dict[str, int]) -> None:
    found = learnt(GUARDED % guard, 40, {})
    assert {name: found[name] for name in bounds} == bounds


def test_numbers_that_are_known_stay() -> None:
    found = learnt(GUARDED % "if (i < min(n, m)) a[i] = 0;", 40, {"n": constant(100)})
    assert (found["n"], found["m"]) == (100, 40 * 256)  # of m the grid tells


@pytest.mark.parametrize(
    ("block", "measured", "expected"), [(M, (320, 32), 320 * 32), (at_most(256, N), (7, 256), 1792)]
)
def test_the_block_is_learnt_before_the_grid_that_is_computed_from_it(
    block: Expr, measured: tuple[int, int], expected: int
) -> None:
    grid = apply("div", N + block - 1, block)
    program = load_program([PATH], {PATH: KERNEL}.get)
    (kernel,) = program.units[0].functions
    unknowns = {s: HostUnknown(s, s.name, "read from a file", 1024) for s in SYMBOLS}
    context = LaunchContext(
        kernel, {}, (grid, ONE, ONE), (block, ONE, ONE), None,
        (Scalar(N, "long"), Scalar(N, "int")), PATH, 1, 0, unknowns=unknowns,
    )  # fmt: skip
    summary = summarise(kernel, TypeSystem(Symbols(program)))
    blocks, threads = measured
    assert argument(bind(summary, context, (blocks, 1, 1), (threads, 1, 1))) == expected


def test_a_number_that_another_lessens_is_learnt_by_itself() -> None:
    assert argument(bound(blocks(N - M), N, 40)) == 40 * 256 + 1024


@given(st.integers(1, 1 << 16), st.integers(1, 9), st.integers(0, 99))
def test_what_was_learnt_gives_the_launch(measured: int, scale: int, offset: int) -> None:
    grid = apply("div", scale * N + offset, 64) + 1
    found = argument(bound(grid, N, measured + 2))
    assert (scale * found + offset) // 64 + 1 == measured + 2


@pytest.mark.parametrize(
    ("grid", "measured", "is_another"),
    [
        (constant(40), 40, False),
        (constant(40), 41, True),
        (blocks(N), 41, False),
        # The most that the program can launch is 3200.
        (at_most(3200, blocks(N)), 3201, True),
    ],
)
def test_arguments_of_another_launch_are_an_assumption(
    grid: Expr, measured: int, is_another: bool
) -> None:
    found = [u for u in bound(grid, constant(7), measured).unknowns if "arguments" in u.name]
    assert len(found) == is_another
    for unknown in found:
        assert unknown.name == f"arguments of grid {(measured, 1, 1)}"
        assert unknown.assumed is None
        assert f"not {(measured, 1, 1)}; its arguments are used" in unknown.why


def test_a_number_asked_for_again_follows_what_was_learnt_in_between() -> None:
    host = HostNumbers({s: HostUnknown(s, s.name, "read from a file", 1024) for s in SYMBOLS})
    both = N + 2 * M
    assert (host.number(both), host.number(both)) == (3072, 3072)
    assert [unknown.assumed for unknown in host.used()] == [1024, 1024]
    host.learn(SYMBOLS[1], 10, "measured")
    assert host.number(both) == 1044
    assert [unknown.assumed for unknown in host.used()] == [1024, 10]
    host.suppose(SYMBOLS[0], 6, "chosen")
    assert host.number(both) == 26


@pytest.mark.parametrize(
    ("index", "grid", "block"),
    [
        ("int i = blockIdx.x * blockDim.x + threadIdx.x;", (4096, 1, 1), (256, 1, 1)),
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x + (blockIdx.y * 16 + threadIdx.y) * p;",
            (64, 64, 1),
            (16, 16, 1),
        ),
    ],
)
def test_dimensions_taken_whole_from_unseen_callers_are_those_of_the_indices(
    index: str, grid: tuple[int, int, int], block: tuple[int, int, int]
) -> None:
    text = f"__global__ void f(float *a, int p) {{ {index} a[i] = 0; }}\n"
    text += "void go(dim3 g, dim3 b, float *a, int p) { f<<<g, b>>>(a, p); }\n"
    found = analyze(text.encode(), PATH, Settings()).kernels[0].launches[0]
    assert (found.grid_assumed[0].assumed, found.block_assumed[0].assumed) == (grid[0], block[0])
    assert [each.assumed for each in found.grid_assumed] == list(grid)
    assert [each.assumed for each in found.block_assumed] == list(block)
    assert "usual one for the indices" in found.block_assumed[0].why


def test_dimensions_that_something_else_uses_are_not_taken_for_usual_ones() -> None:
    text = "__global__ void f(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 0; }\n"
    text += "void go(int n, float *a) { f<<<dim3(n, n, n), dim3(n, n, n)>>>(a); }\n"
    found = analyze(text.encode(), PATH, Settings()).kernels[0].launches[0]
    assert all("usual one" not in each.why for each in (*found.grid_assumed, *found.block_assumed))
