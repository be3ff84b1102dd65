"""Which stores of a loop may change what another pointer of it reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from roofline_analysis.language.types import is_float, is_integer
from roofline_analysis.regions.kernel_summary import Array, MemorySpace, Region

_BYTES: Final = frozenset(("char", "unsigned char", "signed char"))
_ANY: Final = "any"
"""What bytes are: a store through a pointer to them may change any number."""
_KINDS: Final = "kinds stored"
"""Under this name a loop holds the types of numbers that it writes through pointers."""


def mark_stored(loop: Region, array: Array) -> None:
    """Note that a loop writes an array."""
    loop.available["stored", array] = True
    kind = _kind(array)
    if kind is not None and _is_shared(array):
        kinds = loop.available.setdefault(_KINDS, set())
        assert isinstance(kinds, set)
        kinds.add(kind)


def is_stored_in(loops: Iterable[Region], array: Array) -> bool:
    """Whether a store in one of the loops may change an array.

    A store through another pointer may, unless one of them is ``restrict``, or they point to
    numbers of different types.
    """
    if array.read_only:
        return False
    return any(("stored", array) in loop.available or _by_another(loop, array) for loop in loops)


def _by_another(loop: Region, array: Array) -> bool:
    kinds = loop.available.get(_KINDS)
    if not isinstance(kinds, set) or not _is_shared(array):
        return False
    own = _kind(array)
    return own is not None and (own == _ANY or own in kinds or _ANY in kinds)


def _is_shared(array: Array) -> bool:
    """Whether another pointer may name the array's memory."""
    return not array.restrict and array.space is MemorySpace.GLOBAL


def _kind(array: Array) -> str | None:
    """The type of an array's numbers, that of the elements of a vector; None of objects.

    Compilers tell members of objects apart, and from other numbers.
    """
    element = array.element
    if element.pointers:
        return "*"
    name = element.name.rstrip("1234") if element.name[-1:].isdigit() else element.name
    name = {"uint": "unsigned int", "uchar": "unsigned char"}.get(name, name)
    if name in _BYTES:
        return _ANY
    return name.removeprefix("unsigned ") if is_float(name) or is_integer(name) else None
