"""Members of the object whose method has a loop, which the loop changes without naming the object.

Such a member has in each trip the value that the trip before left it, as a variable has. Objects in
registers alone have it here: what lies in memory is loaded anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from roofline_analysis.device.assigned import Assignment, BodyFacts
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import FieldPlace, MemoryPlace, StructValue, Value
from roofline_core.program import expressions as ex


@dataclass(slots=True)
class CarriedMember:
    """A member that a loop changes."""

    place: FieldPlace
    start: Value
    """Its value at the start of a trip."""


def changed_members(
    interpreter: DeviceInterpreter, facts: Iterable[BodyFacts]
) -> dict[str, FieldPlace]:
    """The numbers among the object's members that a loop assigns to, by name."""
    this = interpreter.frames[-1].this if interpreter.frames else None
    if this is None or isinstance(this, MemoryPlace):
        return {}
    owner = interpreter.read(this)
    if not isinstance(owner, StructValue):
        return {}
    found: dict[str, FieldPlace] = {}
    for change in (change for fact in facts for change in fact.changes):
        name = _member_of(interpreter, change)
        held = owner.fields.get(name) if name is not None else None
        if name is not None and isinstance(held, Value):
            found[name] = FieldPlace(this, name, interpreter.type_of(held))
    return found


def _member_of(interpreter: DeviceInterpreter, change: Assignment) -> str | None:
    """The member that an assignment is to: ``size``, ``this->size``."""
    if change.op in ("?", "&") or interpreter.scope.find(change.name) is not None:
        return None
    if change.whole and change.name != "this":
        return change.name
    target = change.target
    if isinstance(target, ex.Member) and isinstance(target.base, ex.Name):
        return target.name if target.base.name == "this" else None
    return None
