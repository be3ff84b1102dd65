"""The objects whose methods are called: the type that a call names, and the one they are of."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.device.interpreter.static_types import static_type
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import Place, StructValue, VariablePlace
from roofline_analysis.language.scope import Scope
from roofline_core.program import expressions as ex
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Function


@record(frozen=True, slots=True, eq=False)
class MethodsSeen:
    """What a call of a method may mean."""

    methods: Sequence[Function]
    scope: Scope
    """The names in force in them."""
    seen: Type
    """The type of the object as the call names it."""
    certain: bool = True
    """Whether it is known of which class the object is, where that decides."""


def methods_of(interpreter: DeviceInterpreter, callee: ex.Member, place: Place) -> MethodsSeen:
    """The methods of a name that a call of one may mean.

    Virtual ones are those of the object's own class, others those of the class that the call names.
    """
    held = interpreter.types.resolve(interpreter.place_type(place))
    seen = _named_type(interpreter, callee) or held
    classes = interpreter.types.system.classes
    if "::" not in callee.name and classes.is_virtual(seen, callee.name):
        own = object_type(interpreter, place)
        methods, scope = classes.find_methods(own or seen, callee.name)
        return MethodsSeen(methods, scope, seen, own is not None)
    methods, scope = classes.find_methods(seen, callee.name)
    if not methods and seen.name != held.name:
        methods, scope = classes.find_methods(held, callee.name)
    return MethodsSeen(methods, scope, seen)


def object_type(interpreter: DeviceInterpreter, place: Place) -> Type | None:
    """The class that the object at a place is of; None in memory, where any may lie."""
    held = interpreter.slots.get(place.slot) if isinstance(place, VariablePlace) else None
    return held.type if isinstance(held, StructValue) else None


def _named_type(interpreter: DeviceInterpreter, callee: ex.Member) -> Type | None:
    """The class of the expression before the dot or arrow; None where that is not known."""
    if isinstance(callee.base, ex.Name) and callee.base.name == "this":
        return _own_type(interpreter)
    found = static_type(interpreter, callee.base)
    if found is None or found.pointers + len(found.dims) != int(callee.arrow):
        return None
    found = interpreter.types.resolve(found.pointee()) if callee.arrow else found
    if not interpreter.types.system.is_class(found):
        return None
    # A reference that a call returns names the object itself.
    return Type(found.name, found.args, const=found.const, scope_args=found.scope_args)


def _own_type(interpreter: DeviceInterpreter) -> Type | None:
    """The class around, ``const`` in its ``const`` methods."""
    function, owner = interpreter.frames[-1].function, interpreter.types.scope.owner
    if owner is None:
        return None
    const = function is not None and "const" in function.qualifiers
    return Type(owner.name, owner.args, const=const, scope_args=owner.scope_args)
