"""OpenCL C's built-in types: vectors with their layout, and atomic types.

A vector of OpenCL is not CUDA's of the same name: three elements take the room of four, it is
aligned to its whole size, and ``half2`` is two numbers. So it has a canonical name of its own,
``float x4``, which says that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roofline_core.program.types import Type

WIDTHS: Final[tuple[int, ...]] = (2, 3, 4, 8, 16)
ELEMENTS: Final[Mapping[str, str]] = {
    "char": "char",
    "uchar": "unsigned char",
    "short": "short",
    "ushort": "unsigned short",
    "int": "int",
    "uint": "unsigned int",
    "long": "long",
    "ulong": "unsigned long",
    "float": "float",
    "double": "double",
    "half": "half",
}
"""OpenCL's names of the types that vectors are made of, and their canonical names."""


def vector_name(element: str, width: int) -> str:
    """The canonical name of a vector of a canonical element type."""
    return f"{element} x{width}"


VECTORS: Final[Mapping[str, tuple[str, int]]] = {
    vector_name(element, width): (element, width)
    for element in ELEMENTS.values()
    for width in WIDTHS
}
"""Element type and number of elements by canonical name."""

CANONICAL: Final[Mapping[str, str]] = {
    **{
        f"{spelled}{width}": vector_name(element, width)
        for spelled, element in ELEMENTS.items()
        for width in WIDTHS
    },
    "atomic_int": "int",
    "atomic_uint": "unsigned int",
    "atomic_long": "long",
    "atomic_ulong": "unsigned long",
    "atomic_float": "float",
    "atomic_double": "double",
    "atomic_size_t": "unsigned long",
    "atomic_intptr_t": "long",
    "atomic_uintptr_t": "unsigned long",
    "atomic_ptrdiff_t": "long",
    "atomic_flag": "int",
    "cl_mem_fence_flags": "unsigned int",
}
"""What the names of OpenCL C 3.0, section 6.3, stand for where CUDA's stand for something else."""


def slots(width: int) -> int:
    """The elements that a vector takes the room of."""
    return 4 if width == 3 else width


def field_names(width: int) -> tuple[str, ...]:
    """The elements' names: ``x y z w`` of up to four, ``s0`` to ``sf`` of more."""
    return tuple("xyzw"[:width]) if width <= 4 else tuple(f"s{i:x}" for i in range(width))


def components(name: str, width: int) -> tuple[str, ...] | None:
    """The elements that ``.name`` picks out of a vector, in order; None if it is no such name.

    >>> components("s10", 4)
    ('y', 'x')
    >>> components("hi", 8)
    ('s4', 's5', 's6', 's7')
    """
    names = field_names(width)
    half = slots(width) // 2
    picked = {
        "lo": range(half),
        "hi": range(half, 2 * half),
        "even": range(0, 2 * half, 2),
        "odd": range(1, 2 * half, 2),
    }.get(name)
    if picked is None:
        indices = _indices(name)
        if indices is None or max(indices) >= width:
            return None
        return tuple(names[i] for i in indices)
    return tuple(names[min(i, width - 1)] for i in picked)


def _indices(name: str) -> tuple[int, ...] | None:
    for letters in ("xyzw", "rgba"):
        if name and set(name) <= set(letters):
            return tuple(letters.index(letter) for letter in name)
    digits = name[1:]
    if name[:1] in ("s", "S") and digits and set(digits) <= set("0123456789abcdefABCDEF"):
        return tuple(int(digit, 16) for digit in digits)
    return None


def vector_type(element: str, width: int) -> Type:
    """The type of some elements: a vector, or the element type for one."""
    return Type(element) if width == 1 else Type(vector_name(element, width))
