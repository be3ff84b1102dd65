"""Calls in device code: functions of the program, methods and CUDA's built-in functions."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.device.functions.builtins import PASSING_ON, builtins_of
from roofline_analysis.device.functions.cub import primitive_value
from roofline_analysis.device.functions.matrix_fragments import fragment_value
from roofline_analysis.device.interpreter.inlining import callee_of, inline, unknown_call
from roofline_analysis.device.interpreter.objects import call_object, construct, method_call
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.walker import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, Value, number
from roofline_analysis.language.constants import numeric_limit
from roofline_analysis.language.scope import Scope
from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.types import is_arithmetic, is_float, is_integer
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type
from roofline_core.program.units import Function


def call(walker: DeviceInterpreter, node: ex.Call) -> DeviceValue:
    """A call expression."""
    walker.at(node)
    callee = node.callee
    if isinstance(callee, ex.Member):
        return method_call(walker, node, callee)
    if isinstance(callee, ex.Name):
        local = walker.scope.find(callee.name)
        if local is not None:
            return call_object(walker, walker.read(local), local, node)
        return _named_call(walker, node, callee)
    value = walker.evaluate(callee)
    return call_object(walker, value, None, node)


def _named_call(walker: DeviceInterpreter, node: ex.Call, callee: ex.Name) -> DeviceValue:
    limit = _numeric_limit(walker, callee)
    if limit is not None:
        return limit
    bare = last_component(callee.name)
    candidates, scope = candidates_of(walker, callee)
    builtin = builtins_of(walker.kernel.dialect).get(bare)
    found = None
    if builtin is None or _better_than_builtin(candidates):
        found = callee_of(walker, candidates, node.args, callee.template_args, scope)
    if found is None and builtin is not None:
        args = [walker.evaluate(arg) for arg in node.args]
        walker.at(node)
        if builtin not in PASSING_ON:
            keep(walker, *args)
        result = builtin(walker, bare, args, node)
        if result is not None:
            return result
        found = callee_of(walker, candidates, node.args, callee.template_args, scope)
    if found is not None:
        this = walker.frames[-1].this if found.function.owner is not None else None
        return inline(
            walker, found, node.args, this=this, template_args=callee.template_args, scope=scope
        )
    type_ = walker.types.resolve(Type(callee.name, callee.template_args or ()))
    if walker.types.system.is_class(type_) or is_integer(type_.name) or is_float(type_.name):
        args = [walker.evaluate(arg) for arg in node.args]
        return construct(walker, type_, tuple(args), node.args)
    made = primitive_value(walker, type_) or fragment_value(walker, type_)
    return made or unknown_call(walker, node, bare)


def candidates_of(walker: DeviceInterpreter, callee: ex.Name) -> tuple[Sequence[Function], Scope]:
    """The functions that a name may mean, and the names in force where they are declared.

    Methods are found by a plain name from within their class, and by a qualified one.
    """
    return walker.types.system.find_callees(callee, walker.path, walker.types.scope)


def _better_than_builtin(candidates: Sequence[Function]) -> bool:
    """The program's own device function of a built-in's name wins, but not a host one."""
    return any(f.has_body and "__device__" in f.qualifiers for f in candidates)


def _numeric_limit(walker: DeviceInterpreter, callee: ex.Name) -> Value | None:
    """``std::numeric_limits<T>::max()`` and its kin; None for any other name."""
    owner, _, member = callee.name.rpartition("::")
    if last_component(owner) != "numeric_limits" or not callee.scope_args:
        return None
    argument = callee.scope_args[0]
    type_ = walker.types.resolve(argument).name if isinstance(argument, Type) else ""
    if not is_arithmetic(type_):
        return None
    known = numeric_limit(type_, member)
    return number(known, type_) if known is not None else Value(type_, None)
