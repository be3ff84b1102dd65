"""The extents of textures: bytes of a row and rows of a slice, which their addresses rest on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from roofline_analysis.host.values import Aggregate, Pointer, Value
from roofline_analysis.launch.sizes_from_guards import KernelArguments
from roofline_analysis.regions.kernel_summary import (
    TEXTURE_HEIGHT,
    TEXTURE_PITCH,
    Array,
    KernelSummary,
)
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Symbol, make_symbol

ASSUMED_PITCH: Final = 1 << 18
"""Bytes of a row of a texture of unknown width, so many that no two rows overlap: as many as CUDA
lets a row of 65536 texels of 4 bytes have."""
ASSUMED_ROWS: Final = 1 << 14
"""Rows of a slice of a texture of unknown height: the most that CUDA allows."""


def _memory(name: str, value: Value) -> Iterator[tuple[str, Pointer]]:
    """The pointers in an argument, by their paths."""
    if isinstance(value, Pointer):
        yield name, value
    elif isinstance(value, Aggregate):
        for field_name, inner in value.fields.items():
            yield from _memory(f"{name}.{field_name}", inner)


def bind_textures(
    arguments: KernelArguments, summary: KernelSummary, passed: Iterable[tuple[str, Value]]
) -> None:
    """Bind the bytes of a row, and the rows of a slice, of the memory behind textures.

    ``passed`` has the values that the launch passes, by name.
    """
    textures = {array.name for array in summary.arrays if array.texels}
    if not textures:
        return
    for name, value in passed:
        for path, pointer in _memory(name, value):
            if path not in textures or pointer.buffer is None:
                continue
            buffer = pointer.buffer
            for what, extent in (
                (TEXTURE_PITCH, buffer.pitch_bytes),
                (TEXTURE_HEIGHT, buffer.rows),
            ):
                number = arguments.host.number(extent) if extent is not None else None
                if number is not None:
                    symbol = make_symbol(f"{path}.{what}", SymbolScope.PARAM, nonnegative=True)
                    arguments.values[symbol] = number


def assume_textures(arguments: KernelArguments, summary: KernelSummary) -> None:
    """Bind the extents of textures that no launch fixes so that their rows lie apart."""
    for array in summary.arrays:
        if array.texels:
            for what, number in ((TEXTURE_PITCH, ASSUMED_PITCH), (TEXTURE_HEIGHT, ASSUMED_ROWS)):
                symbol = make_symbol(f"{array.name}.{what}", SymbolScope.PARAM, nonnegative=True)
                if symbol not in arguments.values and symbol in _used(summary, array):
                    arguments.values[symbol] = arguments.assumed[symbol] = number


def _used(summary: KernelSummary, array: Array) -> set[Symbol]:
    """The symbols in the addresses of an array's accesses."""
    return {
        symbol
        for region in summary.root.walk()
        for access in region.accesses
        if access.array is array
        for symbol in access.offset.symbols()
    }
