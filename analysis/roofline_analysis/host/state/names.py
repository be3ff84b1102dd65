"""Looking up names as the function being executed sees them."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.effects.reach import runs_on_host
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import Cell, HostFieldPlace, HostFrame, HostPlace
from roofline_analysis.host.state.templates import template_argument, type_of
from roofline_analysis.host.state.types import (
    HostBindings,
    as_host_bindings,
    class_frame,
    class_scope,
    field_type,
    names_in_force,
    resolve,
    with_variables,
)
from roofline_analysis.host.values import Aggregate, FunctionValue, OpaqueValue, Scalar
from roofline_analysis.language.constant_expressions import Typed, evaluate
from roofline_analysis.language.scope import NO_NAMES, Scope, without_variables
from roofline_analysis.language.symbols import defines, last_component
from roofline_core.algebra.symbolic import Expr, constant
from roofline_core.program.expressions import Expression, Name
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Struct

_ELSEWHERE: Final = "the file that defines it is not read"


def find_variable(interpreter: HostInterpreter, name: str) -> HostPlace | None:
    """The place of a variable: local, member, static member or global."""
    if interpreter.frames:
        frame = interpreter.frames[-1]
        for scope in reversed(frame.scopes):
            found = scope.get(name)
            if found is not None:
                return found
        if frame.owner is not None or frame.this is not None:
            member = _member(interpreter, frame, name)
            if member is not None:
                return member
        if name in frame.bindings:
            return None
    entry = interpreter.symbols.globals.get(last_component(name))
    if entry is not None:
        found_global = interpreter.symbols.find_global(name, interpreter.path)
        if found_global is not None:
            return global_place(interpreter, found_global.variable)
    if "::" in name:
        prefix, _, member_name = name.rpartition("::")
        struct = interpreter.symbols.find_struct(prefix)
        if struct is not None:
            return static_field(interpreter, struct, member_name)
    return interpreter.builtins.get(name)


def variable_type(interpreter: HostInterpreter, node: Expression) -> Type | None:
    """The type of the variable that an expression names; None for any other expression."""
    place = find_variable(interpreter, node.name) if isinstance(node, Name) else None
    return None if place is None else type_of(interpreter, place.get(), place.type)


def named_by_variable(interpreter: HostInterpreter, node: Name) -> Name:
    """``decltype(x)::value`` with the class of ``x``; any other name as it is."""
    if not node.name.startswith("decltype::"):
        return node
    told = with_variables(interpreter, Type(node.name, scope_args=node.scope_args))
    return Name(node.line, told.name, node.template_args, told.scope_args)


def _member(interpreter: HostInterpreter, frame: HostFrame, name: str) -> HostPlace | None:
    this = frame.this
    if this is not None:
        if name in this.fields:
            return HostFieldPlace(
                this, name, field_type(interpreter, this.type, name) or Type("auto")
            )
    if frame.owner is not None:
        found = static_field(interpreter, frame.owner, name)
        if found is not None:
            return found
    if this is not None:
        type = field_type(interpreter, this.type, name)
        if type is not None:
            return HostFieldPlace(this, name, type)
    return None


def static_field(interpreter: HostInterpreter, struct: Struct, name: str) -> HostPlace | None:
    """The place of a static member of a class or its bases."""
    field = interpreter.symbols.find_static_field(struct, name)
    if field is None:
        return None
    known = _static_constant(interpreter, struct, name)
    if known is not None:
        return Cell(name, Type(known[1]), Scalar(constant(known[0]), known[1]))
    if field.init is None:
        outside = interpreter.symbols.find_global(f"{struct.name}::{name}", None)
        if outside is not None:
            return global_place(interpreter, outside.variable)
    return global_place(interpreter, field)


def _static_constant(interpreter: HostInterpreter, struct: Struct, name: str) -> Typed | None:
    """The number of a constant member, which may be another in each instance of a template."""
    around = names_in_force(interpreter)
    if around.struct is not struct:
        around = interpreter.types.classes.scope_of(Type(struct.qualified_name)) or NO_NAMES
    return evaluate(interpreter.types, Name(0, name), without_variables(around))


def global_place(interpreter: HostInterpreter, variable: Variable) -> HostPlace:
    """The place of a global or static variable, initialised when first looked at."""
    place = interpreter.globals.get(id(variable))
    if place is None:
        place = interpreter.globals[id(variable)] = Cell(variable.name, variable.type)
        journals, interpreter.journals = interpreter.journals, []
        interpreter.frames.append(HostFrame(None, {}, [{}]))
        try:
            here = defines(variable)
            place.type, value = interpreter.declared_value(variable, zeroed=here)
            if value is None and not here:
                value = OpaqueValue(variable.name, _ELSEWHERE, place.type)
            place.put(value)
        finally:
            interpreter.frames.pop()
            interpreter.journals = journals
    return place


def template_arguments(
    interpreter: HostInterpreter, args: tuple[Type | Expression, ...] | None
) -> tuple[Type | Expr, ...] | None:
    """Template arguments as types and numbers in force here."""
    if args is None:
        return None
    return tuple(template_argument(interpreter, argument) for argument in args)


def function_value(interpreter: HostInterpreter, node: Name) -> FunctionValue | None:
    """The functions a name may mean, with its template arguments; None if there are none."""
    frame = interpreter.frames[-1] if interpreter.frames else None
    owner = None
    if frame is not None:
        if frame.owner is not None:
            owner = frame.owner.qualified_name
        elif frame.function is not None:
            owner = frame.function.owner
        bound = frame.bindings.get(node.name)
        if isinstance(bound, Type) and not bound.pointers:
            given = bound.args or node.template_args
            node = Name(node.line, bound.name, given or None)
    found = _functions_named(interpreter, node, owner)
    if not found and frame is not None and frame.owner is not None:
        found = _inherited(interpreter, frame.owner, node.name)
    if not found and "::" in node.name:
        found = _of_class(interpreter, node)
    if not found:
        return None
    usable = [f for f in found if runs_on_host(f) or f.is_kernel] or found
    return FunctionValue(tuple(usable), template_arguments(interpreter, node.template_args))


def _functions_named(interpreter: HostInterpreter, node: Name, owner: str | None) -> list[Function]:
    """The functions that a name may mean in the function being executed; nobody changes it."""
    caller = interpreter.frames[-1].function if interpreter.frames else None
    near = interpreter.path
    key = (node.name, node.absolute, owner, caller, near, interpreter.symbols.classes_added)
    found = interpreter.lookups.functions.get(key)
    if found is None:
        found = interpreter.lookups.functions[key] = interpreter.symbols.find_functions(
            node.name, near, owner, caller, absolute=node.absolute
        )
    return found


def _inherited(interpreter: HostInterpreter, struct: Struct, name: str) -> list[Function]:
    for _, parent in interpreter.symbols.bases_of(struct):
        found = interpreter.symbols.find_methods(parent, name)
        if found:
            return found
    return []


def _of_class(interpreter: HostInterpreter, node: Name) -> list[Function]:
    """Methods of the class that a name is qualified by: an alias or a template parameter."""
    prefix, _, simple = node.name.rpartition("::")
    return interpreter.types.classes.find_methods(
        resolve(interpreter, Type(prefix, node.scope_args)), simple
    )[0]


def find_method(interpreter: HostInterpreter, type: Type, name: str) -> list[Function]:
    """Methods of a class or its bases by name."""
    return interpreter.types.classes.find_methods(type, name)[0]


def method_scope(interpreter: HostInterpreter, function: Function, this: Aggregate | None) -> Scope:
    """What names mean in a method's class, as the object's template arguments bind them."""
    if function.owner is None:
        return NO_NAMES
    if this is not None:
        found = class_scope(interpreter, resolve(interpreter, this.type), function.owner)
        if found is not None and (this.type.args or not _is_template(found)):
            return found
    around = names_in_force(interpreter)
    if around.struct is not None and last_component(around.struct.name) == last_component(
        function.owner
    ):
        return around
    found = interpreter.types.classes.scope_of(Type(function.owner))
    return found if found is not None else NO_NAMES


def _is_template(scope: Scope) -> bool:
    return scope.struct is not None and bool(scope.struct.template_params)


def method_bindings(
    interpreter: HostInterpreter, this: Aggregate, function: Function
) -> HostBindings:
    """The class template arguments that a method of an object sees."""
    return as_host_bindings(method_scope(interpreter, function, this).bindings)


def owner_frame(interpreter: HostInterpreter, this: Aggregate) -> HostFrame:
    """A frame within a class for evaluating its member initialisers."""
    return class_frame(interpreter, this.type, this)


def constant_of(interpreter: HostInterpreter, node: Expression) -> int | float | None:
    """The number an expression surely has."""
    value = interpreter.eval(node)
    return value.value.constant if isinstance(value, Scalar) else None
