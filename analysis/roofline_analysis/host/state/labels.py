"""What values that are not known are called: by the same name they are taken to be the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from roofline_analysis.host.values import OpaqueValue, Scalar, Text, Value

_LONGEST: Final = 80
"""Characters of a name that is part of another one."""


def told_by_texts(values: Iterable[Value | None]) -> str:
    """Texts among arguments, as they stand in a name: ``'rows', 'columns'``.

    What a function gives for another text is another value: an option, an entry of a map. A value
    that was itself told by a text counts, too.
    """
    return ", ".join(found for value in values if (found := _told(value)) is not None)


def told_by_numbers(values: Iterable[Value | None]) -> str:
    """Numbers that are all a method's arguments: ``0`` of ``x.size(0)``; empty for others."""
    known = [each.value.constant if isinstance(each, Scalar) else None for each in values]
    return "" if None in known else ", ".join(map(str, known))


def _told(value: Value | None) -> str | None:
    if isinstance(value, Text) and len(value.value) <= _LONGEST:
        return f"'{value.value}'"
    if isinstance(value, OpaqueValue) and "'" in value.name and len(value.name) <= _LONGEST:
        return value.name
    return None
