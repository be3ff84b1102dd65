"""Integer instructions of small kernels as SASS for compute capability 8.6 has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.device.costs.fusion import rotation, taken_in
from roofline_analysis.device.costs.integer_costs import is_nonnegative, is_uniform
from roofline_analysis.device.values import Value, number
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import symbol

Count = Callable[..., Any]
PARAMS = "int *a, const unsigned *u, int n, int m, long w"


def integers(count: Count, statements: str, **values: float) -> float:
    source = f"__global__ void k({PARAMS}) {{ int t = threadIdx.x; {statements} }}"
    return float(count(source, 1, 64, **values).integers)


@pytest.mark.parametrize(
    ("statements", "instructions"),
    [
        ("a[t] = n;", 1),  # IMAD.WIDE
        ("a[t] = n + m;", 1),  # UIADD3 is not counted
        ("a[t] = t + n + m;", 2),  # IADD3
        ("a[t] = t * n + m;", 2),  # IMAD
        ("a[t] = (t ^ n) & m;", 2),  # LOP3
        ("a[t] = ((t ^ n) & m) | 5;", 3),
        ("if ((t & 3) == 0) a[t] = n;", 1 + 1 / 4),  # LOP3 sets the predicate
        ("unsigned x = u[t]; if ((x >> 3) & 1) a[t] = n;", 2 + 1 / 2),  # the mask is shifted
        ("unsigned x = u[t]; a[t] = (x >> 3) & 1;", 4),  # SHF, LOP3
        ("if (t % 8 == 0) a[t] = n;", 1 + 1 / 8),
        ("if (t % 8 == 1) a[t] = n;", 5 + 1 / 8),  # an int may be negative: nvcc's remainder
        ("if (t < 5) a[t] = n;", 1 + 5 / 64),
        ("a[t] = t / 8;", 4),  # SHF of the sign, LEA.HI, SHF
        ("a[t] = t % 8;", 5),
        ("a[t] = threadIdx.x / 8;", 2),  # SHF
        ("a[t] = threadIdx.x % 8;", 2),
        ("unsigned x = u[t]; a[t] = (x << 7) | (x >> 25);", 3),  # SHF rotates
        ("unsigned x = u[t]; a[t] = (x << 7) | (x >> 24);", 5),  # two SHF, LOP3
        ("a[t] = t < n ? n : m;", 2),  # SEL is not counted
        ("int s = 0; s += u[t] < 3; s += u[t + 64] < 5; s += u[t + 128] < 7; a[t] = s;", 2 + 3 + 2),
        ("a[t + 3] = n; a[t + 4] = m;", 1),
        ("a[t + 2097152] = n; a[t + 4] = m;", 3),  # the offset has 24 bits
        ("unsigned j = t; unsigned long i = j; a[i] = n;", 1),  # IMAD.WIDE.U32
    ],
)
def test_one_statement(count: Count, statements: str, instructions: float) -> None:
    assert integers(count, statements) == instructions


def test_what_data_changes_is_computed_in_every_run_of_an_unrolled_loop(count: Count) -> None:
    """A search for a median, in a loop too long to be walked run by run, but unrolled whole."""
    higher = "".join(f"s += m < x[{each}];" for each in range(40))
    body = f"int s = 0; {higher} if (s > 20) low = m; else high = m; m = .5f * (low + high);"
    start = "float x[40], low = 0.f, high = 1.f, m = .5f;"
    load = "for (int j = 0; j < 40; j++) x[j] = u[j];"
    found = integers(count, f"{start} {load} for (int k = 0; k < 8; k++) {{ {body} }} a[t] = m;")
    assert found == 8 * (39 + 1) + 1 + 1  # and the move of the pointer ``u``


def test_an_index_that_moves_with_a_loop_is_not_computed_in_it(count: Count) -> None:
    """``a[t * n + j]``: the address alone moves, by a constant that 16 copies share."""
    short, long_ = (
        integers(count, "for (int j = 0; j < w; j++) a[t * n + j] = j;", w=w) for w in (8, 16)
    )
    assert (long_ - short) / 8 == (2 + 2) / 16


@pytest.mark.parametrize(
    ("loop", "counter", "address"),
    [
        ("int j = t; j < w; j += n", 2 / 4, 1),  # nvcc divides to know the number of runs
        ("long j = t; j < w; j += (unsigned)n", 6 / 4, 2),
        ("long j = t; j < w; j += blockDim.x", 4, 2),  # not by a size of the launch
        ("long j = t; j < w; j += (int)blockDim.x", 6 / 4, 2),
        ("int j = t; j < w; j += (unsigned)n", 2, 1),  # may wrap around
        ("unsigned j = t; j < w; j += n", 2, 1),
    ],
)
def test_a_loop_whose_step_may_wrap_around_is_not_copied(
    loop: str, counter: float, address: float, count: Count
) -> None:
    few, many = (integers(count, f"for ({loop}) a[j] = m;", n=64, w=w) for w in (64, 640))
    assert (many - few) / 9 == counter + address


@pytest.mark.parametrize("step", [1, 3, 4, 10])
def test_a_loop_of_any_constant_step_is_copied(step: int, count: Count) -> None:
    loop = f"for (int j = t; j < w; j += {step}) a[j] = m;"
    few, many = (integers(count, loop, w=w) for w in (step * 640, step * 6400))
    assert (many - few) / 5760 == pytest.approx((2 + 2) / 16)


def test_a_double_that_does_not_fit_in_an_instruction_takes_a_move(count: Count) -> None:
    def of(statement: str) -> float:
        return float(count(f"__global__ void k(double *d) {{ {statement} }}").integers)

    assert of("d[0] = d[1] * 0.5;") == 0
    assert of("d[0] = d[1] * 0.1;") == 1
    assert of("d[0] = d[1] * 0.1 + 0.1;") == 1
    assert of("for (int i = 0; i < 4; i++) d[i] *= 0.1;") == 1


def test_the_lower_half_of_wide_arithmetic_is_narrow(count: Count) -> None:
    assert integers(count, "a[t] = (int)(w * t + 3);") == integers(count, "a[t] = n * t + 3;")


@given(st.integers(0, 40), st.integers(0, 40))
def test_only_shifts_by_32_together_rotate(left: int, right: int) -> None:
    x = Value("unsigned int", symbol("x", SymbolScope.DATA))
    up = Value("unsigned int", symbol("up", SymbolScope.DATA), 0, ("<<", (x, number(left, "int"))))
    down = Value(
        "unsigned int", symbol("down", SymbolScope.DATA), 0, (">>", (x, number(right, "int")))
    )
    found = rotation("|", "unsigned int", (up, down))
    assert (found is x) == (left + right == 32)
    assert rotation("&", "unsigned int", (up, down)) is None
    signed = Value("int", down.expr, 0, down.node)
    assert rotation("|", "int", (up, signed)) is None


def test_what_is_there_already_is_not_taken_in() -> None:
    x, y = (Value("int", symbol(name, SymbolScope.DATA)) for name in "xy")
    product = Value("int", symbol("p", SymbolScope.DATA), 0, ("*", (x, y)))
    assert taken_in("+", "int", (product, x), lambda _one: False) is None
    assert taken_in("+", "int", (x, product), lambda _one: True) == (x, y, x)
    assert taken_in("*", "int", (x, product), lambda _one: True) is None


def test_what_the_compiler_knows_of_signs() -> None:
    thread = Value("int", symbol("threadIdx.x", SymbolScope.THREAD, nonnegative=True) * 4 + 1)
    block = Value("int", symbol("blockIdx.x", SymbolScope.THREAD, nonnegative=True))
    assert is_nonnegative(thread)
    assert is_nonnegative(Value("unsigned int", symbol("x", SymbolScope.DATA)))
    assert not is_nonnegative(block)
    assert not is_nonnegative(Value("int", symbol("n", SymbolScope.PARAM)))
    assert not is_nonnegative(Value("int", symbol("threadIdx.x", SymbolScope.THREAD) - 1))
    assert is_uniform(symbol("n", SymbolScope.PARAM) * symbol("blockDim.x", SymbolScope.LAUNCH))
    assert not is_uniform(
        symbol("n", SymbolScope.PARAM) + symbol("threadIdx.x", SymbolScope.THREAD)
    )


@pytest.mark.parametrize(
    ("uses", "runs"),
    [
        ("if (t < 8) a[t] = V;", 8 / 64),  # sunk into the one branch that needs it
        ("if (t < 8) a[t] = V; if (t > 60) a[t + 64] = V;", 1),
        ("if (t < 8) a[t] = V; else a[t + 64] = V;", 1),
        ("if (t < 8) a[t] = V; a[t + 64] = V;", 1),
        ("if (t < 8) { if (n > m) a[t] = V; if (n > 2 * m) a[t + 64] = V; }", 8 / 64),
        ("if (t < 8) for (int i = 0; i < n; i++) a[t + i] = V; if (t > 60) a[t] = V;", 1),
    ],
)
def test_a_value_of_several_branches_is_computed_before_them(
    count: Count, uses: str, runs: float
) -> None:
    """Once, where it stands in the source: one LOP3 of each thread that comes by there."""

    def spent(value: str) -> float:
        return integers(count, f"int v = {value}; {uses.replace('V', 'v')}", n=9, m=4)

    assert spent("(t ^ n) & m") - spent("n") == pytest.approx(runs)


def test_values_that_are_written_twice_are_computed_in_their_branches(count: Count) -> None:
    twice = "if (t < 8) a[t] = V; if (t > 60) a[t + 64] = V;"
    spent = [integers(count, twice.replace("V", v), n=9, m=4) for v in ("((t ^ n) & m)", "n")]
    assert spent[0] - spent[1] == pytest.approx(8 / 64 + 3 / 64)


def test_divisions_before_an_unrolled_loop_are_done_once(count: Count) -> None:
    """Each copy of the body has a condition of its own, and the quotient stands before all."""
    body = "int q = V; for (int i = 0; i < 4; i++) { int c = i * 64 + t; if (c < n) a[q + c] = c; }"
    spent = [integers(count, body.replace("V", v), n=200, m=7) for v in ("t / m", "t")]
    alone = [integers(count, f"a[t] = {v};", n=200, m=7) for v in ("t / m", "t")]
    assert spent[0] - spent[1] == pytest.approx(alone[0] - alone[1])
