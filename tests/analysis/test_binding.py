"""Open numbers of the host learnt from the dimensions of a launch."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_lsp.analysis.binding import Binding, bind
from roofline_lsp.analysis.device.summary import summarise
from roofline_lsp.analysis.host.values import HostUnknown, LaunchContext, Scalar
from roofline_lsp.analysis.symbols import build_symbol_table
from roofline_lsp.kernel.symbolic import ONE, Expr, apply, constant, from_atom, make_symbol
from roofline_lsp.parsers.load import load_program

SYMBOLS = [make_symbol(name, "host", nonnegative=True) for name in ("n", "m", "k", "l")]
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
    summary = summarise(kernel, build_symbol_table(program))
    return bind(summary, context, (measured, 1, 1), (256, 1, 1))


def argument(found: Binding) -> int | float:
    return found.values[make_symbol("p", "param")]


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
    summary = summarise(program.units[0].functions[0], build_symbol_table(program))
    assert argument(bind(summary, None, (40, 1, 1), (256, 1, 1))) == 40 * 256
