"""Values and places of all expressions but calls and launches."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.effects.traversal import walk
from roofline_analysis.host.interpreter.assignments import (
    assigned_value,
    locate_assign,
    locate_update,
    update,
)
from roofline_analysis.host.interpreter.operator_calls import call_operator, call_operator_place
from roofline_analysis.host.libraries.streams import read_from_stream, stream_of
from roofline_analysis.host.objects.containers import subscript
from roofline_analysis.host.objects.maps import compare_iterators
from roofline_analysis.host.state.access import address_of, deref, field_place, load, pointed_object
from roofline_analysis.host.state.access import rvalue as rvalue_of
from roofline_analysis.host.state.constants import BUILTIN_CONSTANTS
from roofline_analysis.host.state.havoc import forget_value
from roofline_analysis.host.state.interpreter_state import (
    SCALARS,
    Evaluators,
    HostInterpreter,
    Locators,
)
from roofline_analysis.host.state.memory import (
    AUTO,
    Cell,
    Closure,
    HostPlace,
)
from roofline_analysis.host.state.names import (
    find_variable,
    function_value,
    named_by_variable,
    variable_type,
)
from roofline_analysis.host.state.operators import (
    FALSE,
    TRUE,
    binary,
    boolean,
    integer,
    truth,
)
from roofline_analysis.host.state.packs import expansion, pack_size
from roofline_analysis.host.state.signals import ProgramExit
from roofline_analysis.host.state.types import names_in_force
from roofline_analysis.host.values import (
    Aggregate,
    FunctionValue,
    OpaqueValue,
    Pointer,
    Scalar,
    Text,
    Value,
)
from roofline_analysis.language.constant_expressions import evaluate
from roofline_analysis.language.scope import without_variables
from roofline_analysis.language.types import wrapped
from roofline_core.algebra.symbolic import Expr, apply, constant
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type


def _literal(interpreter: HostInterpreter, node: ex.Literal) -> Value:
    found = interpreter.literals.get(node)
    if found is not None:
        return found
    value: Value
    if node.value is None:
        value = Pointer(None, constant(0), origin=interpreter.origin("literal", node.line))
    elif isinstance(node.value, str):
        value = Text(node.value, interpreter.origin("literal", node.line))
    else:
        name = node.type_name if node.type_name in SCALARS else "int"
        number = node.value
        if name in ("float", "double", "long double"):
            number = wrapped(float(number), name)
        value = Scalar(constant(number), name, interpreter.origin("literal", node.line))
    interpreter.literals[node] = value
    return value


def _locate_name(interpreter: HostInterpreter, node: ex.Name) -> HostPlace:
    known = _constant_member(interpreter, node) if node.scope_args else None
    if known is not None:
        return Cell("", Type(known.type_name), known)
    place = find_variable(interpreter, node.name)
    if place is not None:
        return place
    enumeration = interpreter.symbols.enumeration_of(node.name)
    if enumeration is not None:
        return Cell("", enumeration, _name(interpreter, node))
    return Cell(node.name, AUTO, _name(interpreter, node))


def _constant_member(interpreter: HostInterpreter, node: ex.Name) -> Scalar | None:
    """The constant of a class or namespace that a qualified name means; None if it is none."""
    known = evaluate(interpreter.types, node, without_variables(names_in_force(interpreter)))
    if known is None:
        return None
    return Scalar(constant(known[0]), known[1], interpreter.origin(node.name, node.line))


def _name(interpreter: HostInterpreter, node: ex.Name) -> Value:
    name = node.name
    if "::" in name:
        member = _constant_member(interpreter, named_by_variable(interpreter, node))
        if member is not None:
            return member
        structs = interpreter.symbols.find_structs(name.rpartition("::")[0])
        if any(struct.constrained for struct in structs):
            return OpaqueValue(name, "whether its class is constrained away is not told")
    place = find_variable(interpreter, name)
    if type(place) is Cell and type(place.value) is Scalar and node.template_args is None:
        return place.value  # As most are: what ``rvalue_of`` would come to.
    if place is not None and interpreter.symbols.is_specialised(node):
        return OpaqueValue(name, "which specialisation is meant is not told", place.type)
    if place is not None:
        return rvalue_of(interpreter, place)
    return _named_otherwise(interpreter, node)


def _named_otherwise(interpreter: HostInterpreter, node: ex.Name) -> Value:
    """The value of a name that no variable has."""
    name = node.name
    bound = interpreter.frame.bindings.get(name) if interpreter.frames else None
    if isinstance(bound, Expr):
        return Scalar(bound, "int", interpreter.origin(name, node.line))
    if name == "this":
        this = interpreter.frame.this
        return this if this is not None else OpaqueValue("this", "outside a method")
    enumerator = interpreter.symbols.find_enumerator(name)
    if enumerator is not None and not node.scope_args:
        if isinstance(enumerator, int):
            return integer(enumerator, "int", interpreter.origin(name, node.line))
        return _enumerated(interpreter, name, enumerator)
    functions = function_value(interpreter, node)
    if functions is not None:
        return functions
    known = BUILTIN_CONSTANTS.get(name.removeprefix("std::").removeprefix("string::"))
    if known is not None:
        return Scalar(constant(known[0]), known[1], interpreter.origin(name, node.line))
    return OpaqueValue(name, "its declaration was not found")


def _enumerated(interpreter: HostInterpreter, name: str, enumerator: ex.Expression) -> Value:
    """The value of an enumerator that is computed."""
    before = interpreter.pending_enumerators
    if id(enumerator) in before:
        return OpaqueValue(name, "it is computed from itself")
    interpreter.pending_enumerators = before | {id(enumerator)}
    try:
        return interpreter.eval(enumerator)
    finally:
        interpreter.pending_enumerators = before


def _unary(interpreter: HostInterpreter, node: ex.Unary) -> Value:
    op = node.op
    if op == "&":
        if isinstance(node.operand, ex.Name):
            functions = function_value(interpreter, node.operand)
            if functions is not None and find_variable(interpreter, node.operand.name) is None:
                return functions
        return address_of(interpreter, interpreter.place(node.operand))
    if op == "*":
        value = interpreter.eval(node.operand)
        if isinstance(value, FunctionValue):
            return value
        return rvalue_of(interpreter, _pointed_place(interpreter, value))
    value = interpreter.eval(node.operand)
    if op == "!":
        known = truth(interpreter, value)
        if known is not None:
            return boolean(not known)
        number = interpreter.number(value)
        return Scalar(apply("eq", number.value), "bool") if number is not None else value
    number = interpreter.number(value)
    if number is None:
        found = call_operator(interpreter, op, [Cell("", AUTO, value)])
        return found if found is not None else value
    if op == "-":
        return binary(interpreter, "-", integer(0, number.type_name, number.origin), number)
    if op == "~":
        return binary(interpreter, "^", number, integer(-1, number.type_name))
    return number


def _pointed_place(interpreter: HostInterpreter, value: Value) -> HostPlace:
    if isinstance(value, Aggregate):
        found = call_operator(interpreter, "*", [Cell("", value.type, value)])
        return Cell("", AUTO, found if found is not None else value)
    return deref(interpreter, value)


def _locate_unary(interpreter: HostInterpreter, node: ex.Unary) -> HostPlace:
    if node.op == "*":
        return _pointed_place(interpreter, interpreter.eval(node.operand))
    return Cell("", AUTO, _unary(interpreter, node))


def _binary(interpreter: HostInterpreter, node: ex.Binary) -> Value:
    op = node.op
    if op in ("&&", "||"):
        return _logical(interpreter, node)
    if op == ",":
        interpreter.eval(node.left)
        return interpreter.eval(node.right)
    if op in ("<<", ">>"):
        stream = stream_of(interpreter, node)
        if stream is not None:
            return read_from_stream(interpreter, node, stream)
    left = interpreter.eval(node.left)
    right = interpreter.eval(node.right)
    if isinstance(left, Aggregate) or isinstance(right, Aggregate):
        same = compare_iterators(op, left, right)
        if same is not None:
            return same
        places = [Cell("", AUTO, left), Cell("", AUTO, right)]
        found = call_operator(interpreter, op, places)
        if found is not None:
            return found
    return binary(interpreter, op, left, right)


def _logical(interpreter: HostInterpreter, node: ex.Binary) -> Value:
    stop = node.op == "||"
    left = interpreter.eval(node.left)
    known = truth(interpreter, left)
    if known is stop:
        return TRUE if stop else FALSE
    right = interpreter.eval(node.right)
    known_right = truth(interpreter, right)
    if known is not None:
        if known_right is not None:
            return boolean(known_right)
        number = interpreter.number(right, "bool")
        return number if number is not None else right
    if known_right is stop:
        return TRUE if stop else FALSE
    a, b = interpreter.number(left, "bool"), interpreter.number(right, "bool")
    if a is None or b is None:
        if known_right is not None and a is not None:
            return a
        return OpaqueValue("a condition", "it depends on values that are not known")
    return Scalar(interpreter.bounded(apply("lor" if stop else "land", a.value, b.value)), "bool")


def _locate_index(interpreter: HostInterpreter, node: ex.Index) -> HostPlace:
    base = interpreter.eval(node.base)
    index = interpreter.eval(node.index)
    if isinstance(base, Aggregate):
        found = subscript(interpreter, base, index)
        if found is not None:
            return found
        args = [Cell("", base.type, base), Cell("", AUTO, index)]
        result = call_operator_place(interpreter, "[]", args)
        return result or Cell("", AUTO, OpaqueValue("an element", "of an object"))
    if isinstance(index, Pointer) and isinstance(base, Scalar):
        base, index = index, base
    return deref(interpreter, base, index)


def _index(interpreter: HostInterpreter, node: ex.Index) -> Value:
    return rvalue_of(interpreter, _locate_index(interpreter, node))


def _locate_member(interpreter: HostInterpreter, node: ex.Member) -> HostPlace:
    if node.arrow:
        base = pointed_object(interpreter, interpreter.eval(node.base))
    else:
        base = load(interpreter, interpreter.place(node.base))
        if isinstance(base, Pointer):
            base = pointed_object(interpreter, base)
    return field_place(interpreter, base, node.name)


def _member(interpreter: HostInterpreter, node: ex.Member) -> Value:
    found = rvalue_of(interpreter, _locate_member(interpreter, node))
    if isinstance(found, OpaqueValue) and isinstance(node.base, ex.Name):
        return _constant_of_class(interpreter, node.base, node) or found
    return found


def _constant_of_class(
    interpreter: HostInterpreter, variable: ex.Name, node: ex.Member
) -> Scalar | None:
    """The static constant ``x.value`` of a variable's class; None if it has none."""
    type_ = variable_type(interpreter, variable)
    if type_ is None or type_.pointers:
        return None
    asked = ex.Name(node.line, f"{type_.name}::{node.name}", scope_args=type_.args)
    return _constant_member(interpreter, asked)


def _lambda(interpreter: HostInterpreter, node: ex.Lambda) -> Value:
    frame = interpreter.frame
    scopes = list(frame.scopes)
    if node.copies:
        scopes.append(_copies(interpreter, node))
    captured = type(frame)(frame.function, frame.bindings, scopes, frame.this, frame.owner)
    return Closure("a lambda", "a function object", Type("lambda"), None, node, captured)


def _copies(interpreter: HostInterpreter, node: ex.Lambda) -> dict[str, HostPlace]:
    """The numbers that a lambda has copies of; objects stay shared, as their memory has a name."""
    scopes = interpreter.frame.scopes
    names = node.copies
    if "=" in names:
        names = frozenset(name for scope in scopes for name in scope)
    found: dict[str, HostPlace] = {}
    for scope in scopes:
        for name in names.intersection(scope):
            place = scope[name]
            if isinstance(place.get(), Scalar):
                found[name] = Cell(name, place.type, place.get())
            else:
                found.pop(name, None)
    return found


def _assembly(interpreter: HostInterpreter, node: ex.Assembly) -> Value:
    for output in node.outputs:
        forget_value(interpreter, interpreter.place(output), "inline assembly changes it")
    return OpaqueValue("asm", "inline assembly is not understood")


def _expansion(interpreter: HostInterpreter, node: ex.Expansion) -> Value:
    return interpreter.eval(node.pattern)


def _locate_expansion(interpreter: HostInterpreter, node: ex.Expansion) -> HostPlace:
    return interpreter.place(node.pattern)


def _fold(interpreter: HostInterpreter, node: ex.Fold) -> Value:
    sides = [side for side in (node.left, node.right) if side is not None]
    results = [expansion(interpreter, side) for side in sides]
    if node.op == "," and any(each is not None for each in results):
        return integer(0)  # Each element's turn has come, in order.
    for side in sides:
        _forget_assigned(interpreter, side)
    return OpaqueValue("fold", "folds over packs are not followed")


def _forget_assigned(interpreter: HostInterpreter, root: ex.Expression) -> None:
    for part in walk(root):
        if isinstance(part, (ex.Assign, ex.Update)):
            place = interpreter.place(part.target)
            forget_value(interpreter, place, "it is changed in a way that is not understood")


def _unknown(interpreter: HostInterpreter, node: ex.Unknown) -> Value:
    if node.text.lstrip().startswith("throw"):
        raise ProgramExit
    counted = pack_size(interpreter, node.text)
    if counted is not None:
        return counted
    for part in node.parts:
        if interpreter.reach.can_launch(part):
            interpreter.eval(part)
        elif isinstance(part, (ex.Assign, ex.Update)):
            forget_value(
                interpreter,
                interpreter.place(part.target),
                "it is changed in a way that is not understood",
            )
    return OpaqueValue(node.text[:40], "this expression was not understood")


EVALUATORS: Final[Evaluators] = {
    ex.Literal: _literal,
    ex.Name: _name,
    ex.Unary: _unary,
    ex.Update: update,
    ex.Binary: _binary,
    ex.Assign: assigned_value,
    ex.Index: _index,
    ex.Member: _member,
    ex.Lambda: _lambda,
    ex.Assembly: _assembly,
    ex.Expansion: _expansion,
    ex.Fold: _fold,
    ex.Unknown: _unknown,
}


LOCATORS: Final[Locators] = {
    ex.Name: _locate_name,
    ex.Unary: _locate_unary,
    ex.Update: locate_update,
    ex.Assign: locate_assign,
    ex.Index: _locate_index,
    ex.Member: _locate_member,
    ex.Expansion: _locate_expansion,
}
