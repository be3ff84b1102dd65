"""Types in force at a point of the execution: resolved names, sizes, fields."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import HostFrame
from roofline_analysis.host.values import Aggregate, Scalar
from roofline_analysis.language.composition import composed
from roofline_analysis.language.kept_answers import is_plain
from roofline_analysis.language.layouts import ASSUMED_BYTES
from roofline_analysis.language.scope import NO_NAMES, Binding, Number, Scope
from roofline_analysis.language.templates import TemplateArgument, written
from roofline_core.algebra.symbolic import Expr, constant
from roofline_core.program.expressions import Expression, Name, SizeOf
from roofline_core.program.types import Type
from roofline_core.program.units import Struct

_MOST_RESOLVED: Final = 4096
"""Types that are kept by their identity. A limit on memory."""

HostBindings = dict[str, Type | Expr]
"""Template parameters as the execution keeps them: numbers may be symbolic."""


def known_bindings(bindings: Mapping[str, Type | Expr]) -> dict[str, Binding]:
    """The template parameters that stand for types and known numbers."""
    found: dict[str, Binding] = {}
    for name, bound in bindings.items():
        if isinstance(bound, Type):
            found[name] = bound
        elif bound.constant is not None:
            found[name] = bound.constant
    return found


def as_host_bindings(bindings: Mapping[str, Binding]) -> HostBindings:
    """Template parameters of the language's making, for a frame."""
    return {
        name: bound if isinstance(bound, Type) else constant(bound)
        for name, bound in bindings.items()
    }


def names_in_force(interpreter: HostInterpreter) -> Scope:
    """The template parameters and the class around that types are resolved with."""
    if not interpreter.frames:
        return NO_NAMES
    frame = interpreter.frames[-1]
    if frame.names is None:
        bindings = known_bindings(frame.bindings)
        if frame.function is not None:
            bindings = {**interpreter.types.names_near(frame.function), **bindings}
        owner = frame.owner
        type_ = owner_type(owner, bindings) if owner is not None else None

        def number_of(node: Expression) -> Number | None:
            """The value of a constant expression as the interpreter knows it; None if unknown."""
            interpreter.lookups.numbers_asked += 1
            return _number_of(interpreter, node)

        frame.names = Scope(bindings, type_, owner, number_of)
    return frame.names


def owner_type(owner: Struct, bindings: Mapping[str, Binding]) -> Type:
    """A class with the arguments that its parameters are bound to."""
    if owner.template_args is not None and not owner.template_params:
        return Type(owner.qualified_name, owner.template_args)
    args = []
    for parameter in owner.template_params:
        if parameter.name not in bindings:
            break
        args.append(written(bindings[parameter.name]))
    return Type(owner.qualified_name, tuple(args))


def _number_of(interpreter: HostInterpreter, node: Expression) -> Number | None:
    """The number of a variable, or of the size of one."""
    if isinstance(node, (Name, SizeOf)):
        value = interpreter.eval(node)
        return value.value.constant if isinstance(value, Scalar) else None
    return None


def resolve(interpreter: HostInterpreter, type: Type) -> Type:
    """The type with template parameters, aliases and system names replaced."""
    if type.name in SCALARS and not type.dims:
        return type
    frame = interpreter.frames[-1] if interpreter.frames else None
    # Bounds and arguments may name variables; the rest means the same in all plain functions.
    rests = type.dims or type.args or type.scope_args
    if frame is None or not (frame.bindings or frame.owner is not None or rests):
        cache = interpreter.lookups.resolved
    else:
        cache = frame.resolved
    known = cache.get(id(type))
    if known is not None and known[0] is type:
        return known[1]
    found = _resolved(interpreter, type, frame)
    if len(cache) >= _MOST_RESOLVED:
        cache.clear()
    cache[id(type)] = type, found
    return found


def _resolved(interpreter: HostInterpreter, type: Type, frame: HostFrame | None) -> Type:
    """The same, shared by frames with like names in force where no variable decides it."""
    told = with_variables(interpreter, type)
    if told is not type:
        return interpreter.types.resolve(told, names_in_force(interpreter))
    if frame is None or type.align is not None or interpreter.types.resolving:
        return interpreter.types.resolve(type, names_in_force(interpreter))
    alike = frame.alike
    if alike is None:
        alike = frame.alike = _resolved_alike(interpreter, frame)
    found = alike.get(type)
    if found is None:
        asked = interpreter.lookups.numbers_asked
        found = interpreter.types.resolve(type, names_in_force(interpreter))
        if interpreter.lookups.numbers_asked == asked:
            alike[type] = found
    return found


def with_variables(interpreter: HostInterpreter, type: Type) -> Type:
    """The type with the types of variables in the place of ``decltype(variable)``.

    It is the same object where it has none of a variable that is known.
    """
    if not type.args and not type.scope_args:
        return type
    args = tuple(_with_variables(interpreter, each) for each in type.args)
    scope_args = tuple(_with_variables(interpreter, each) for each in type.scope_args)
    asked, _, member = type.name.partition("::")
    if asked != "decltype":
        alike = all(map(operator.is_, (*args, *scope_args), (*type.args, *type.scope_args)))
        return type if alike else replace(type, args=args, scope_args=scope_args)
    named = type.scope_args if member else type.args
    if len(named) != 1 or isinstance(named[0], Type):
        return type
    held = interpreter.parts.variable_type(interpreter, named[0])
    if held is None:
        return type
    if not member:
        return composed(type, held, (), type.dims)
    return replace(type, name=f"{held.name}::{member}", args=args, scope_args=held.args)


def _with_variables(interpreter: HostInterpreter, argument: TemplateArgument) -> TemplateArgument:
    return with_variables(interpreter, argument) if isinstance(argument, Type) else argument


def _resolved_alike(interpreter: HostInterpreter, frame: HostFrame) -> dict[Type, Type]:
    """What types were resolved to in frames with these names in force."""
    if not is_plain(
        bound if isinstance(bound, Type) else bound.constant for bound in frame.bindings.values()
    ):
        return {}
    key = (frame.owner, interpreter.symbols.classes_added, *frame.bindings.items())
    return interpreter.lookups.alike.setdefault(key, {})


def sizeof(interpreter: HostInterpreter, type: Type) -> Expr | None:
    """The size of a type in bytes, None where it is not known."""
    type = resolve(interpreter, type)
    if not type.dims:
        return _size_of(interpreter, type)
    total = _size_of(
        interpreter, Type(type.name, type.args, type.pointers, scope_args=type.scope_args)
    )
    if total is None:
        return None
    for dim in type.dims:
        count = interpreter.number(interpreter.eval(dim)) if dim is not None else None
        if count is None:
            return None
        total = total * count.value
    return total


def _size_of(interpreter: HostInterpreter, type: Type) -> Expr | None:
    """The size of a resolved type without bounds; what is known of one stays so."""
    if type.align is not None:
        extent = interpreter.types.extent(type)
        return constant(extent.size_bytes) if extent is not None else None
    known = interpreter.lookups.sizes.get(type)
    if known is None:
        extent = interpreter.types.extent(type)
        if extent is None:
            return None
        known = interpreter.lookups.sizes[type] = constant(extent.size_bytes)
    return known


def assumed_size(interpreter: HostInterpreter, type: Type) -> int:
    """The bytes that stand for a type of which the size is not known."""
    layout = interpreter.types.layout(resolve(interpreter, type))
    return layout.extent.size_bytes if layout is not None else ASSUMED_BYTES


def class_scope(interpreter: HostInterpreter, type: Type, owner: str | None = None) -> Scope | None:
    """What names mean in a class, or in the base of it that is called ``owner``."""
    found = interpreter.types.classes.scope_of(type)
    if found is None or owner is None:
        return found
    return interpreter.types.classes.scope_in(type, owner) or found


def class_bindings(
    interpreter: HostInterpreter, type: Type, owner: str | None = None
) -> HostBindings:
    """The template parameters of a class by name, as the type's arguments give them."""
    scope = class_scope(interpreter, type, owner)
    return as_host_bindings(scope.bindings) if scope is not None else {}


def class_of(interpreter: HostInterpreter, type: Type) -> Struct | None:
    """The class, or the specialisation of it, that a resolved type names."""
    scope = interpreter.types.classes.scope_of(type)
    return scope.struct if scope is not None else None


def class_frame(
    interpreter: HostInterpreter, type: Type, this: Aggregate | None = None
) -> HostFrame:
    """A frame as methods of the class see it: its template arguments and members in force."""
    return HostFrame(
        None, class_bindings(interpreter, type), [{}], this, class_of(interpreter, type)
    )


def field_type(interpreter: HostInterpreter, type: Type, name: str) -> Type | None:
    """The declared type of a member, None where the class or member is not known."""
    if type.pointers or type.dims:
        type = Type(type.name, type.args)
    layout = interpreter.types.layout(type)
    if layout is not None and name in layout.fields:
        return layout.fields[name].type
    return None
