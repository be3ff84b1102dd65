"""The compiler's built-ins for matrix instructions of AMD GPUs (MFMA, WMMA).

An instruction multiplies matrices that all lanes of a wavefront hold together; each lane is
charged its share of the multiply-adds. Source: AMD's instruction set manuals of CDNA 1 to 3 and
RDNA 3, by whose names ``mfma_f32_32x32x8f16`` multiplies 32x8 by 8x32 halves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from roofline_analysis.device.functions.mathematics import Handler, variation
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import need_value
from roofline_analysis.device.values import DeviceValue, Value
from roofline_analysis.regions.kernel_summary import Work
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program.expressions import Call

_WAVEFRONT: Final = 64
"""Lanes of CDNA, which has MFMA."""
_KINDS: Final = {"f64": Work.DP, "f32": Work.SP, "xf32": Work.SP}
"""What the operations count as; those of 16 bits and fewer are the matrix cores' own."""

_MFMA: Final = """
f32_32x32x1f32 f32_16x16x1f32 f32_4x4x1f32 f32_32x32x2f32 f32_16x16x4f32
f32_32x32x4f16 f32_16x16x4f16 f32_4x4x4f16 f32_32x32x8f16 f32_16x16x16f16
f32_32x32x2bf16 f32_16x16x2bf16 f32_4x4x2bf16 f32_32x32x4bf16 f32_16x16x8bf16
f32_32x32x4bf16_1k f32_16x16x4bf16_1k f32_4x4x4bf16_1k f32_32x32x8bf16_1k f32_16x16x16bf16_1k
i32_32x32x4i8 i32_16x16x4i8 i32_4x4x4i8 i32_32x32x8i8 i32_16x16x16i8
i32_32x32x16_i8 i32_16x16x32_i8 f64_16x16x4f64 f64_4x4x4f64 f32_16x16x8_xf32 f32_32x32x4_xf32
f32_16x16x32_fp8_fp8 f32_16x16x32_fp8_bf8 f32_16x16x32_bf8_fp8 f32_16x16x32_bf8_bf8
f32_32x32x16_fp8_fp8 f32_32x32x16_fp8_bf8 f32_32x32x16_bf8_fp8 f32_32x32x16_bf8_bf8
"""
_MFMA_NAME: Final = re.compile(r"\w\d\d_(\d+)x(\d+)x(\d+)_?(x?b?[fi]p?\d+)(_1k)?\w*")
_ELEMENTS: Final = {"f64": 1, "f32": 1, "xf32": 2, "bf16": 2, "f16": 4, "i8": 4}
"""Elements of the left matrix that a lane holds; eight of fp8, and of i8 in the larger forms."""
_WMMA: Final = """
f32_16x16x16_f16 f32_16x16x16_bf16 f16_16x16x16_f16 bf16_16x16x16_bf16 i32_16x16x16_iu8
i32_16x16x16_iu4
"""


def _multiply(kind: Work, flops: float) -> Handler:
    """A handler of an instruction with so many operations a lane; the result is the sum's type."""

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """Charge the operations; the result is unknown, None without a sum among the arguments."""
        for arg in args:
            need_value(interpreter, arg)
        interpreter.costs.charge(kind, flops, interpreter.costs.loop_bits() | variation(args))
        sums = [
            arg for arg in args[2:] if not (isinstance(arg, Value) and arg.constant is not None)
        ]
        if not sums:
            return None
        return interpreter.opaque(
            interpreter.type_of(sums[0]), interpreter.costs.loop_bits(), name, SymbolScope.DATA
        )

    return handler


def flops_of_mfma(name: str) -> tuple[str, float] | None:
    """The kind of the factors and the operations of one lane; None for another name.

    What a wavefront multiplies at once is several small matrices, or one large one: the left
    factor has 64 times the elements that a lane holds, and each meets every column of the right.
    """
    found = _MFMA_NAME.fullmatch(name)
    if found is None:
        return None
    rows, columns, inner = (int(found[part]) for part in (1, 2, 3))
    held = 4 if found[5] else _ELEMENTS.get(found[4], 8)
    return found[4], 2.0 * columns * max(held, rows * inner // _WAVEFRONT)


def _entries() -> Iterator[tuple[str, Handler]]:
    for name in _MFMA.split():
        flops = flops_of_mfma(name)
        assert flops is not None
        kind = _KINDS.get(flops[0], Work.TENSOR)
        yield f"__builtin_amdgcn_mfma_{name}", _multiply(kind, flops[1])
    for name in _WMMA.split():
        for lanes in (32, 64):
            handler = _multiply(Work.TENSOR, 2.0 * 16**3 / lanes)
            yield f"__builtin_amdgcn_wmma_{name}_w{lanes}", handler


MATRIX_FUNCTIONS: Final[Mapping[str, Handler]] = dict(_entries())
"""Matrix instructions by name."""
