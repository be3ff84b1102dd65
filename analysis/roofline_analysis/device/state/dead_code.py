"""Values that count as used because the walk does not see all their uses.

A value that escapes into a library function, into an array indexed at run time, or past a jump may
be used there, so the operations behind it are charged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from roofline_analysis.device.state.variables import Variables


def keep(walker: Variables, *values: DeviceValue | None) -> None:
    """Note that something may use the values, or anything that they hold or point to."""
    seen: set[int] = set()
    for value in values:
        _keep(walker, value, seen)


def keep_place(walker: Variables, place: Place) -> None:
    """Note that something may read any part of the variable that a place is in."""
    _keep_place(walker, place, set())


def keep_changed(
    walker: Variables, before: dict[int, DeviceValue], after: dict[int, DeviceValue]
) -> None:
    """Note that something may use what variables held before a change, and after it."""
    for slot, value in before.items():
        now = after.get(slot, value)
        if now is not value:
            keep(walker, value, now)


def keep_skipped(walker: Variables, before: dict[int, DeviceValue]) -> None:
    """Mark the variables' earlier values as used: not all threads run the expression."""
    if walker.slots != before:
        keep_changed(walker, before, walker.slots)


def _keep(walker: Variables, value: DeviceValue | None, seen: set[int]) -> None:
    if isinstance(value, Value):
        if value.made is not None:
            walker.machine.operations.keep(value.made)
    elif isinstance(value, StructValue):
        for inner in value.fields.values():
            _keep(walker, inner, seen)
    elif isinstance(value, PlacePointer):
        _keep_place(walker, value.place, seen)


def _keep_place(walker: Variables, place: Place, seen: set[int]) -> None:
    while isinstance(place, (FieldPlace, SwizzlePlace)):
        place = place.owner
    if isinstance(place, VariablePlace) and place.slot not in seen:
        seen.add(place.slot)
        _keep(walker, walker.slots.get(place.slot), seen)
