"""Sizes of types in device code, those that are not known included."""

from __future__ import annotations

from roofline_analysis.language.layouts import ASSUMED_BYTES
from roofline_analysis.language.types_in_force import TypesInForce
from roofline_core.program.types import Type

MAX_NESTED_FIELDS = 6
"""The deepest nesting of classes that is followed."""
MAX_LEAVES = 48
"""The most scalars of an object that are created at once."""


def assumed_bytes(types: TypesInForce, type_: Type, unknown: dict[str, int]) -> int:
    """Bytes of a value of a type; where the size is not known an assumed number.

    What is assumed is added to ``unknown``: the bytes by the name of the type, or of an array
    whose bound is not known.
    """
    size = types.size(type_)
    if size is not None:
        return size
    closed = types.resolve(type_)
    single = Type(closed.name, closed.args, scope_args=closed.scope_args)
    each = types.size(single)
    if each is None:
        layout = types.layout(single)
        for name in layout.assumed if layout is not None else (single.name,):
            unknown.setdefault(name, ASSUMED_BYTES)
        each = layout.extent.size_bytes if layout is not None else ASSUMED_BYTES
    count = types.system.elements(closed, types.scope)
    if count is None:
        unknown.setdefault(f"{closed.name}[]", each)
    return each * (count or 1)
