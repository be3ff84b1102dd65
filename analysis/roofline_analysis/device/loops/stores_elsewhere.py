"""What a loop does through an object without changing it: ``view.data[i] = x``, ``view.row(i)``."""

from __future__ import annotations

from typing import Final

from roofline_analysis.device.assigned import Assignment, body_facts
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, PointerValue, StructValue, Value
from roofline_analysis.language.scope import NO_NAMES
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Function


@record(frozen=True, slots=True)
class _Elsewhere:
    """Memory that an object points to, which is no part of it."""


_ELSEWHERE = _Elsewhere()
_MOST_CALLS: Final = 3
"""The longest chain of an object's own methods that is followed. A limit on the work."""


def leaves_object(interpreter: DeviceInterpreter, before: DeviceValue, change: Assignment) -> bool:
    """Whether a recorded change of an object in registers leaves all its fields as they are."""
    if (
        not isinstance(before, StructValue)
        or before.type.dims
        or (change.whole and change.op != "?")
    ):
        return False
    if change.op == "?":
        call = change.value
        if isinstance(call, ex.Call) and isinstance(call.callee, ex.Name):
            called = call.callee.name == change.name
            return called and not _assigns_number(interpreter, before, "operator()")
        return (
            isinstance(call, ex.Call)
            and isinstance(call.callee, ex.Member)
            and _only_reads_fields(interpreter, before.type, call.callee.name)
        )
    if change.whole or change.target is None:
        return False
    return _reached(interpreter, before, change.target) is _ELSEWHERE


def _reached(
    interpreter: DeviceInterpreter, root: DeviceValue, node: ex.Expression
) -> DeviceValue | _Elsewhere | None:
    """The part of an object that a target names, or that it lies in memory; None: not known."""
    if isinstance(node, ex.Name):
        return root
    if isinstance(node, ex.Cast):
        return _reached(interpreter, root, node.operand)
    if isinstance(node, ex.Binary) and node.op in ("+", "-"):
        return _reached(interpreter, root, node.left)
    if isinstance(node, ex.Unary) and node.op == "*":
        return _pointed_to(_reached(interpreter, root, node.operand))
    if isinstance(node, ex.Member):
        base = _reached(interpreter, root, node.base)
        if node.arrow or base is _ELSEWHERE:
            return _pointed_to(base)
        return base.fields.get(node.name) if isinstance(base, StructValue) else None
    if isinstance(node, ex.Index):
        base = _reached(interpreter, root, node.base)
        if isinstance(base, StructValue) and not base.type.dims:
            return _ELSEWHERE if _gives_elements(interpreter, base.type) else None
        return _pointed_to(base)
    return None


def _pointed_to(base: DeviceValue | _Elsewhere | None) -> _Elsewhere | None:
    return _ELSEWHERE if isinstance(base, (PointerValue, _Elsewhere)) else None


def _gives_elements(interpreter: DeviceInterpreter, type_: Type) -> bool:
    """Whether ``operator[]`` of a class gives what its pointers point to, or a new object."""
    methods = _methods(interpreter, type_, "operator[]")
    system = interpreter.types.system
    scope = system.classes.scope_of(type_) or NO_NAMES
    return bool(methods) and all(
        not system.resolve(method.return_type, scope).reference
        or _returns_pointed_to(interpreter, type_, method)
        for method in methods
    )


def _returns_pointed_to(interpreter: DeviceInterpreter, type_: Type, method: Function) -> bool:
    """Whether the reference that a method returns is to what a pointer of the object points to."""
    returned = method.body.body[-1] if method.body is not None and method.body.body else None
    node = returned.value if isinstance(returned, st.Return) else None
    if isinstance(node, ex.Index):
        node = node.base
    elif isinstance(node, ex.Unary) and node.op == "*":
        node = node.operand
        while isinstance(node, (ex.Binary, ex.Cast)):
            node = node.left if isinstance(node, ex.Binary) else node.operand
    else:
        return False
    if isinstance(node, ex.Member) and not _is_this(node.base):
        return False
    name = node.name if isinstance(node, (ex.Name, ex.Member)) else ""
    field = (interpreter.types.fields(type_) or {}).get(name)
    return field is not None and bool(field.type.pointers) and not field.type.dims


def _is_this(node: ex.Expression) -> bool:
    return isinstance(node, ex.Name) and node.name == "this"


def _assigns_number(
    interpreter: DeviceInterpreter, held: StructValue, name: str, depth: int = 0
) -> bool:
    """Whether a method of this name, or one that it calls, assigns to a number of the object."""
    for method in _methods(interpreter, held.type, name):
        if method.body is None or "const" in method.qualifiers or depth > _MOST_CALLS:
            continue
        own = {parameter.name for parameter in method.params}
        facts = body_facts(method.body)
        for change in facts.changes:
            if change.name in own | facts.declared:
                continue
            if change.name == "this" and isinstance(change.target, ex.Member):
                if isinstance(held.fields.get(change.target.name), Value):
                    return True
            elif change.op == "?":
                call = change.value
                calls = isinstance(call, ex.Call) and isinstance(call.callee, ex.Name)
                if calls and _assigns_number(interpreter, held, change.name, depth + 1):
                    return True
            elif change.whole and isinstance(held.fields.get(change.name), Value):
                return True
    return False


def _only_reads_fields(interpreter: DeviceInterpreter, type_: Type, name: str) -> bool:
    """Whether all methods of this name leave the object's fields as they are."""
    methods = _methods(interpreter, type_, name)
    return bool(methods) and all(
        "const" in method.qualifiers or _is_accessor(method) for method in methods
    )


def _is_accessor(method: Function) -> bool:
    """Whether a method does nothing but return what an expression gives."""
    statements = method.body.body if method.body is not None else ()
    if len(statements) != 1 or not isinstance(statements[0], st.Return):
        return False
    facts = body_facts(statements[0])
    return not facts.changes and not facts.has_call


def _methods(interpreter: DeviceInterpreter, type_: Type, name: str) -> list[Function]:
    return interpreter.types.system.classes.find_methods(type_, name)[0]
