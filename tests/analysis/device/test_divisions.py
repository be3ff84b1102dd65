"""Integer instructions of divisions whose operands are not constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.costs.expansions import operator_cost
from roofline_analysis.device.costs.integer_costs import integer_cost

Count = Callable[..., Any]


def cost(key: str) -> float:
    found = operator_cost(key)
    assert found is not None
    return found.int_ops


def integers(count: Count, type_: str, body: str) -> float:
    source = f"__global__ void k({type_} *a, {type_} *b) {{ {body} }}"
    return float(count(source, 1, 32).integers)


@pytest.mark.parametrize("operation", ["/", "%"])
def test_wide_operands_are_divided_as_narrow_ones(operation: str) -> None:
    """After a test whether they fit in 32 bits, and moves to and from that path."""
    assert integer_cost(operation, "long", ()) == 8 + cost(f"unsigned {operation} var")
    assert integer_cost(operation, "unsigned long", ()) == 8 + cost(f"unsigned {operation} var")
    assert integer_cost(operation, "int", ()) == cost(f"int {operation} var")


@pytest.mark.parametrize(("type_", "multiply"), [("int", 1), ("unsigned int", 1), ("long", 4)])
def test_a_remainder_after_the_quotient_is_a_multiply_subtract(
    count: Count, type_: str, multiply: int
) -> None:
    load = f"{type_} x = b[0], y = b[1];"
    both = integers(count, type_, f"{load} a[0] = x / y; a[1] = x % y;")
    alone = integers(count, type_, f"{load} a[0] = x / y; a[1] = x;")
    assert both - alone == multiply


@pytest.mark.parametrize(
    "quotient", ["x / y", "(x - r) / y", "(x - x % y) / y"], ids=["plain", "named", "spelled"]
)
def test_a_quotient_after_the_remainder_is_there_already(count: Count, quotient: str) -> None:
    """But for its last steps: nvcc 13 adds 3 to 4 instructions, for unsigned numbers too."""
    load = "int x = b[0], y = b[1], r = x % y;"
    both = integers(count, "int", f"{load} a[0] = r; a[1] = {quotient};")
    alone = integers(count, "int", f"{load} a[0] = r; a[1] = x;")
    assert both - alone == 3


def test_a_remainder_of_other_numbers_is_a_division(count: Count) -> None:
    load = "int x = b[0], y = b[1], z = b[2];"
    other = integers(count, "int", f"{load} a[0] = x / y; a[1] = x % z;")
    alone = integers(count, "int", f"{load} a[0] = x / y; a[1] = z;")
    assert other - alone == cost("int % var")
