"""How many operations a function object does, read off its source."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.effects.traversal import walk
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import Closure
from roofline_analysis.host.state.names import find_method
from roofline_analysis.host.values import Aggregate, FunctionValue, OpaqueValue, Value
from roofline_analysis.language.symbols import last_component
from roofline_core.algebra.symbolic import ONE, ZERO, Expr, constant
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

_ONE: Final = frozenset(
    (
        "plus minus multiplies divides modulus negate square maximum minimum bit_and bit_or bit_xor"
        " logical_and logical_or logical_not less less_equal greater greater_equal equal_to"
        " not_equal_to Sum Difference Max Min Equality Inequality"
    ).split()
)
_NONE: Final = frozenset("identity project1st project2nd".split())
_ARITHMETIC: Final = frozenset("+ - * / % << >> & | ^".split())
_MATH: Final = {
    "sqrt": 8, "sqrtf": 8, "exp": 12, "expf": 8, "log": 14, "logf": 12, "sin": 20, "sinf": 16,
    "cos": 20, "cosf": 16, "pow": 40, "powf": 30, "tanh": 25, "tanhf": 20, "fabs": 1, "fabsf": 1,
    "abs": 1, "min": 1, "max": 1, "fminf": 1, "fmaxf": 1, "fmin": 1, "fmax": 1, "fma": 2, "fmaf": 2,
}  # fmt: skip
"""Rounded from the measured table of ``device.costs.expansions``."""


def functor_operations(interpreter: HostInterpreter, value: Value | None) -> Expr:
    """Operations of one call of a function object; a named unknown where they are not known.

    Arithmetic in the body counts once, whatever its conditions; loops and calls of functions that
    are not plain mathematics make the number unknown, with what was counted assumed.
    """
    name = _type_name(value)
    if name in _ONE:
        return ONE
    if name in _NONE:
        return ZERO
    body = _body(interpreter, value)
    if body is None:
        return _unknown(interpreter, 1.0, "its body was not found")
    counted, whole = _count(body)
    if whole:
        return constant(counted)
    return _unknown(
        interpreter, max(1.0, float(counted)), "it has loops or calls that were not followed"
    )


def _unknown(interpreter: HostInterpreter, assumed: int | float, why: str) -> Expr:
    name = "operations of the function object per element"
    return interpreter.unknown(name, why, "double", assumed=assumed).value


def _type_name(value: Value | None) -> str:
    if isinstance(value, Aggregate):
        return last_component(value.type.name)
    if isinstance(value, OpaqueValue) and not isinstance(value, Closure):
        type_name = value.type.name if value.type is not None else value.name
        return last_component(type_name.removeprefix("result of ").removesuffix("()"))
    return ""


def _body(interpreter: HostInterpreter, value: Value | None) -> st.Statement | None:
    if isinstance(value, Closure):
        return value.function.body if value.function is not None else None
    if isinstance(value, FunctionValue):
        return value.functions[0].body
    if isinstance(value, Aggregate):
        methods = find_method(interpreter, value.type, "operator()")
        return methods[0].body if methods else None
    return None


def _count(body: st.Statement) -> tuple[int, bool]:
    """Operations of a body, and whether nothing in it was left out."""
    found, whole = 0, True
    for node in walk(body):
        if isinstance(node, ex.Binary):
            found += node.op in _ARITHMETIC
        elif isinstance(node, ex.Assign):
            found += node.op != "="
        elif isinstance(node, ex.Update):
            found += 1
        elif isinstance(node, (st.For, st.While, st.ForRange)):
            whole = False
        elif isinstance(node, ex.Call):
            name = node.callee.name if isinstance(node.callee, ex.Name) else ""
            short = last_component(name)
            found += _MATH.get(short, 0)
            whole = whole and (short in _MATH or short in ("get", "make_tuple", "tie"))
    return found, whole


def names_order(value: Value | None) -> bool:
    """Whether a comparator is one of the orders of numbers, which a radix sort can produce."""
    return _type_name(value) in ("less", "greater")
