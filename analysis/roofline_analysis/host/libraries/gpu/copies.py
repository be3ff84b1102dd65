"""Copies within device memory and fills of it by the runtime."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.library_call import LibraryWork
from roofline_analysis.host.state.arguments import Arguments
from roofline_analysis.host.values import Buffer, Pointer, Value
from roofline_core.algebra.symbolic import Expr

_DEVICE_TO_DEVICE: Final = 3
"""``cudaMemcpyDeviceToDevice``."""
_DEFAULT: Final = 4
"""``cudaMemcpyDefault``: the addresses tell where the data is."""
_ON_DEVICE: Final = (BufferSpace.DEVICE, BufferSpace.MANAGED, BufferSpace.CONSTANT)


def copy_work(args: Arguments, name: str) -> LibraryWork | None:
    """What a copy or fill moves in device memory; None where the host's memory is involved."""
    wide = "2D" in name
    if "Memset" in name:
        size = args.expr(3) * args.expr(4) if wide else args.expr(2)
        return LibraryWork("fill", "byte", size, Expr({}), size)
    kind = args.constant(6 if wide else 3)
    inside = _on_device(args.value(0)) and _on_device(args.value(2 if wide else 1))
    if kind != _DEVICE_TO_DEVICE and not (kind == _DEFAULT and inside):
        return None
    size = args.expr(4) * args.expr(5) if wide else args.expr(2)
    return LibraryWork("copy", "byte", size, size, size)


def _on_device(value: Value) -> bool:
    buffer = value.buffer if isinstance(value, Pointer) else value
    return isinstance(buffer, Buffer) and buffer.space in _ON_DEVICE
