"""Matrix products of a warp (tensor cores)."""

from __future__ import annotations

from roofline_profiling.emulate.sass.instruction import Instruction
from roofline_profiling.emulate.translation.writer import (
    UnsupportedError,
    Writer,
    integer,
    operation,
)

_ELEMENTS = {"F16": "f16", "BF16": "bf16", "TF32": "tf32", "U8": "u8", "S8": "s8", "U4": "u4",
             "S4": "s4", "B1": "b1"}  # fmt: skip


@operation("HMMA", "IMMA", "DMMA", "BMMA")
def _mma(ins: Instruction, w: Writer) -> str:
    dest, a, b, c = ins.operands[:4]
    if ins.has("SP"):
        raise UnsupportedError(ins.opcode)
    rows, depth = _shape(ins)
    first, second = _element_types(ins)
    if ins.base == "HMMA" and rows == 8:
        raise UnsupportedError(ins.opcode)  # of compute capability 7.0: its fragments are others
    flag = str(ins.has("F32" if ins.base == "HMMA" else "SAT")).lower()
    return (
        f"matrix_product({w.target(dest)}, g, {w.source(a)}, {w.source(b)}, {w.source(c)}, "
        f"Element::{first}, Element::{second}, {depth}, {flag}, {rows});"
    )


def _shape(ins: Instruction) -> tuple[int, int]:
    """Rows and depth of a product, as in ``16816`` for 16x8x16."""
    name = next(each for each in ins.modifiers if each.isdigit())
    for rows in (16, 8):
        if name.startswith(f"{rows}8"):
            return rows, integer(name[len(f"{rows}8") :])
    raise UnsupportedError(ins.opcode)


def _element_types(ins: Instruction) -> tuple[str, str]:
    if ins.base == "DMMA":
        return "f64", "f64"
    if ins.base == "BMMA":
        return ("b1_xor", "b1_xor") if ins.has("XOR") else ("b1", "b1")
    named = [_ELEMENTS[each] for each in ins.modifiers if each in _ELEMENTS]
    if ins.base == "IMMA":
        return named[0], named[1] if len(named) > 1 else named[0]
    kind = next((each for each in named if each in ("bf16", "tf32")), "f16")
    return kind, kind


@operation("MOVM")
def _movm(ins: Instruction, w: Writer) -> str:
    dest, a = ins.operands
    return w.put(dest, f"transposed_matrix({w.word(a)})")
