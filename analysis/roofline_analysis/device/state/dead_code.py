"""Values that count as used because the walk does not see all their uses.

A value that escapes into a library function, into an array indexed at run time, or past a jump may
be used there, so the operations behind it are charged.
"""

from __future__ import annotations

from roofline_analysis.device.state.variables import Variables
from roofline_analysis.device.values import (
    DeviceValue,
    FieldPlace,
    Place,
    PlacePointer,
    StructValue,
    SwizzlePlace,
    Value,
    VariablePlace,
)


def keep(interpreter: Variables, *values: DeviceValue | None) -> None:
    """Note that something may use the values, or anything that they hold or point to."""
    seen: set[int] = set()
    for value in values:
        _keep(interpreter, value, seen)


def keep_place(interpreter: Variables, place: Place) -> None:
    """Note that something may read any part of the variable that a place is in."""
    _keep_place(interpreter, place, set())


def keep_changed(
    interpreter: Variables, before: dict[int, DeviceValue], after: dict[int, DeviceValue]
) -> None:
    """Note that something may use what variables held before a change, and after it."""
    for slot, value in before.items():
        now = after.get(slot, value)
        if now is not value:
            keep(interpreter, value, now)


def keep_skipped(interpreter: Variables, before: dict[int, DeviceValue]) -> None:
    """Mark the variables' earlier values as used: not all threads run the expression."""
    if interpreter.slots != before:
        keep_changed(interpreter, before, interpreter.slots)


def _keep(interpreter: Variables, value: DeviceValue | None, seen: set[int]) -> None:
    if isinstance(value, Value):
        if value.made is not None:
            interpreter.costs.operations.keep(value.made, interpreter.costs.region)
    elif isinstance(value, StructValue):
        for inner in value.fields.values():
            _keep(interpreter, inner, seen)
    elif isinstance(value, PlacePointer):
        _keep_place(interpreter, value.place, seen)


def _keep_place(interpreter: Variables, place: Place, seen: set[int]) -> None:
    while isinstance(place, (FieldPlace, SwizzlePlace)):
        place = place.owner
    if isinstance(place, VariablePlace) and place.slot not in seen:
        seen.add(place.slot)
        _keep(interpreter, interpreter.slots.get(place.slot), seen)
