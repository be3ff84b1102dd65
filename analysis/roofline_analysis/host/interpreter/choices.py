"""``a ? b : c``: the side that is taken, or what stands for both."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from roofline_analysis.host.interpreter.operator_calls import call_operator
from roofline_analysis.host.state.interpreter_state import Evaluators, HostInterpreter, Locators
from roofline_analysis.host.state.memory import AUTO, Cell, HostPlace
from roofline_analysis.host.state.operators import convert, truth
from roofline_analysis.host.state.types import resolve
from roofline_analysis.host.values import (
    Aggregate,
    FunctionValue,
    OpaqueValue,
    Scalar,
    Value,
    is_null,
)
from roofline_analysis.language.types import common_type
from roofline_core.algebra.symbolic import apply
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type


def _locate_conditional(interpreter: HostInterpreter, node: ex.Conditional) -> HostPlace:
    condition = _condition(interpreter, node)
    known = truth(interpreter, condition)
    if known is not None and _is_place(node.then, node.otherwise):
        sides = interpreter.place(node.then), interpreter.place(node.otherwise)
        if resolve(interpreter, sides[0].type).name == resolve(interpreter, sides[1].type).name:
            return sides[0] if known else sides[1]
    return Cell("", AUTO, _chosen(interpreter, node, condition))


def _is_place(*nodes: ex.Expression) -> bool:
    return all(isinstance(node, ex.Name) for node in nodes)


def _condition(interpreter: HostInterpreter, node: ex.Conditional) -> Value:
    """The condition, by the conversion operator of an object."""
    value = interpreter.eval(node.condition)
    if isinstance(value, Aggregate):
        found = call_operator(interpreter, " bool", [Cell("", value.type, value)])
        return found if found is not None else value
    return value


_DEEPEST: Final = 4


def _is_plain(node: ex.Expression, depth: int = 0) -> bool:
    """Whether an expression may be computed though it is not taken: nothing happens, none fails."""
    match node:
        case ex.Literal() | ex.Name():
            return True
        case ex.Cast() | ex.Unary(op="+" | "-" | "~" | "!"):
            return depth < _DEEPEST and _is_plain(node.operand, depth + 1)
        case ex.Binary(op=op) if op not in ("/", "%", "<<", ">>", ","):
            sides = (node.left, node.right)
            return depth < _DEEPEST and all(_is_plain(side, depth + 1) for side in sides)
    return False


def _as_common(interpreter: HostInterpreter, value: Value, other: ex.Expression) -> Value:
    """A side of a choice, converted to the type that both sides have in common."""
    if not isinstance(value, Scalar) or not _is_plain(other):
        return value
    beside = interpreter.eval(other)
    if not isinstance(beside, Scalar) or beside.type_name == value.type_name:
        return value
    return convert(interpreter, value, Type(common_type(value.type_name, beside.type_name)))


def _conditional(interpreter: HostInterpreter, node: ex.Conditional) -> Value:
    return _chosen(interpreter, node, _condition(interpreter, node))


def _chosen(interpreter: HostInterpreter, node: ex.Conditional, condition: Value) -> Value:
    known = truth(interpreter, condition)
    if known is not None:
        taken, other = (node.then, node.otherwise) if known else (node.otherwise, node.then)
        return _as_common(interpreter, interpreter.eval(taken), other)
    then, otherwise = interpreter.eval(node.then), interpreter.eval(node.otherwise)
    return choose(interpreter, condition, then, otherwise)


def either(one: FunctionValue, other: FunctionValue) -> FunctionValue:
    """A function that is one of two."""
    known = {(f.functions, f.template_args): f for f in (one, *one.alternatives)}
    for function in (other, *other.alternatives):
        known.setdefault((function.functions, function.template_args), function)
    rest = tuple(replace(function, alternatives=()) for function in known.values())
    return replace(rest[0], alternatives=rest[1:])


def choose(interpreter: HostInterpreter, condition: Value, then: Value, otherwise: Value) -> Value:
    """The value of an undecided choice between two; an unknown pointer is not taken for null."""
    if isinstance(condition, OpaqueValue) and condition.type is not None:
        if condition.type.pointers and not is_null(then):
            return then
    then, otherwise = _like(interpreter, then, otherwise), _like(interpreter, otherwise, then)
    if isinstance(then, Scalar) and isinstance(otherwise, Scalar):
        if then.value == otherwise.value:
            return then
        number = interpreter.number(condition, "bool")
        if number is not None:
            kind = then.type_name if then.type_name == otherwise.type_name else "double"
            if kind == "double" and "double" not in (then.type_name, otherwise.type_name):
                kind = then.type_name
            chosen = apply("select", number.value, then.value, otherwise.value)
            return Scalar(interpreter.bounded(chosen), kind)
    if isinstance(then, FunctionValue) and isinstance(otherwise, FunctionValue):
        return either(then, otherwise)
    if is_null(then) or (isinstance(then, OpaqueValue) and not is_null(otherwise)):
        return otherwise
    return then


def _like(interpreter: HostInterpreter, value: Value, other: Value) -> Value:
    """An unknown value beside a number as an unknown number."""
    if isinstance(value, OpaqueValue) and isinstance(other, Scalar):
        return interpreter.number(value, other.type_name) or value
    return value


EVALUATORS: Final[Evaluators] = {ex.Conditional: _conditional}
LOCATORS: Final[Locators] = {ex.Conditional: _locate_conditional}
