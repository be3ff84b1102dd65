"""Vectors of four bytes that a compiler loads at once, and takes apart by integer instructions.

LLVM joins the loads of all four bytes of an aligned vector into one. Clang 18 with ptxas of CUDA
12.2 then makes a float of each by SHF, SGXT and LOP3, the first byte without SHF: 11 instructions
a vector of ``unsigned char``. Those of ``char`` are converted as they are, and fewer than four
bytes are loaded one by one; read off machine code of 28 small kernels. NVIDIA's compiler takes
bytes apart by PRMT, which is no integer operation to Nsight Compute.
"""

from __future__ import annotations

from typing import Final

from roofline_analysis.device.costs.cost_model import CostModel
from roofline_analysis.device.values import DeviceValue, PointerValue, StructValue, Value
from roofline_analysis.language.types import vector_parts
from roofline_analysis.regions.kernel_summary import Array, Work
from roofline_core.algebra.symbolic import Expr, Symbol
from roofline_core.program.types import Type

_BYTES: Final = ("unsigned char", 4)


class ByteVectors:
    """The vectors of which bytes were loaded, and how many of these became floats."""

    def __init__(self) -> None:
        self._vector_of: dict[Symbol, tuple[Array, Expr]] = {}
        """By a loaded byte: the array and the offset of its vector."""
        self._floats: dict[tuple[Array, Expr], set[Symbol]] = {}

    def note_load(self, pointer: PointerValue, type_: Type, value: DeviceValue) -> None:
        """Note of which vector a loaded byte is, or all four bytes of a loaded vector."""
        offset = pointer.offset.expr
        if offset is None:
            return
        if isinstance(value, StructValue) and vector_parts(type_.name) == _BYTES:
            loaded, start = list(value.fields.values()), offset
        elif type_.name == _BYTES[0] and vector_parts(pointer.array.element.name) == _BYTES:
            loaded, start = [value], offset - offset.offset % _BYTES[1]
        else:
            return
        for each in loaded:
            symbol = _symbol_of(each)
            if symbol is not None:
                self._vector_of[symbol] = pointer.array, start

    def charge(self, costs: CostModel, value: Value) -> None:
        """Charge what takes a vector apart when the last of its bytes becomes a float."""
        symbol = _symbol_of(value)
        vector = None if symbol is None else self._vector_of.get(symbol)
        if symbol is None or vector is None:
            return
        floats = self._floats.setdefault(vector, set())
        if symbol not in floats:
            floats.add(symbol)
            if len(floats) == _BYTES[1]:
                home = costs.home(value.varies)
                home.charge(costs.site, Work.INT, costs.compiler.byte_vector_int_ops)


def _symbol_of(value: DeviceValue) -> Symbol | None:
    number = value.expr if isinstance(value, Value) else None
    atoms = () if number is None else tuple(number.atoms())
    return atoms[0] if len(atoms) == 1 and isinstance(atoms[0], Symbol) else None
