"""Texture fetches and surface accesses."""

from __future__ import annotations

from roofline_profiling.emulate.sass.instruction import Instruction, MachineOperand, OperandKind
from roofline_profiling.emulate.translation.writer import (
    UnsupportedError,
    Writer,
    integer,
    operation,
    uniform_pair,
)

_DIMENSIONS = {"1D": (1, False), "2D": (2, False), "3D": (3, False), "ARRAY_1D": (1, True),
               "ARRAY_2D": (2, True)}  # fmt: skip
_WIDTHS = {"U8": "u8", "S8": "s8", "U16": "u16", "S16": "s16", "64": "w64", "128": "w128"}
_EVERY_CHANNEL = 0xF
_WORD = 4


def _handle(ins: Instruction, w: Writer) -> str:
    """The object's handle: in a constant bank, in a uniform register, or in a register."""
    others = [
        op for op in ins.operands if op.kind is OperandKind.OTHER and op.text.startswith("0x")
    ]
    uniform = next((op for op in ins.operands if op.kind is OperandKind.UNIFORM), None)
    if uniform is not None:
        return f"all64({uniform_pair(uniform.number)})"
    bank, word = (integer(op.text) for op in others[:2])
    return f"all64(bank<u32>(L, {bank}, {word * _WORD}))"


@operation("TEX", "TLD")
def _fetch(ins: Instruction, w: Writer) -> str:
    shape = next((op.text for op in ins.operands if op.text in _DIMENSIONS), None)
    if shape is None or ins.has("AOFFI", "DC", "TG4"):
        raise UnsupportedError(ins.text)
    dimensions, layered = _DIMENSIONS[shape]
    registers = [op for op in ins.operands if op.kind is OperandKind.REGISTER]
    upper, lower, *sources = registers
    words = _source_words(sources)
    if ins.base == "TLD" and ins.has("SCR") and not ins.has("B") and len(sources) == dimensions:
        words = [f"r[{op.number}]" for op in sources]  # each coordinate in an operand of its own
    if ins.has("B"):
        at = 2 if len(sources) > 1 else 1
        handle = f"wide({words.pop(at)})"
    else:
        handle = _handle(ins, w)
    last = ins.operands[-1]
    is_mask = last.kind is OperandKind.OTHER and last.text.startswith("0x") and last.text != "0x0"
    channels = integer(last.text) if is_mask else _EVERY_CHANNEL
    wanted = dimensions + layered
    targets = _targets(lower, upper, channels.bit_count())
    return (
        f"{{ const V32 at[4] = {{{', '.join(words[:wanted])}}}; "
        f"V32 *to[4] = {{{', '.join(targets)}}}; "
        f"texture_fetch(w, g, {w.site(ins)}, {dimensions}, {str(ins.base == 'TLD').lower()}, "
        f"{str(layered).lower()}, {channels:#x}, {handle}, at, to); }}"
    )


def _source_words(sources: list[MachineOperand]) -> list[str]:
    """Coordinates: the first operand holds two, the second what follows them."""
    words: list[str] = []
    for op in sources:
        pair = (f"r[{op.number}]", f"r[{op.number + 1}]")
        words += ["V32{}", "V32{}"] if op.number == 255 else pair
    return words


def _targets(lower: MachineOperand, upper: MachineOperand, count: int) -> list[str]:
    """Where results go: two in the one register pair, two in the other."""
    found = []
    for place in range(count):
        op = lower if place < 2 else upper
        found.append("dropped" if op.number == 255 else f"r + {op.number + place % 2}")
    return found


@operation("SULD", "SUST")
def _surface(ins: Instruction, w: Writer) -> str:
    dimensions = next((int(each[0]) for each in ins.modifiers if each in ("1D", "2D", "3D")), 0)
    address = next(op for op in ins.operands if op.kind is OperandKind.ADDRESS)
    values = next(op for op in ins.operands if op.kind is OperandKind.REGISTER)
    if not dimensions or not ins.has("BA"):
        raise UnsupportedError(ins.text)
    width = f"Width::{next((_WIDTHS[each] for each in ins.modifiers if each in _WIDTHS), 'w32')}"
    first = address.parts[0].number
    at = ", ".join(f"r[{first + n}]" for n in range(dimensions))
    register = w.target(values) if ins.base == "SULD" else w.source(values)
    call = "surface_load" if ins.base == "SULD" else "surface_store"
    return (
        f"{{ const V32 at[3] = {{{at}}}; {call}(w, g, {w.site(ins)}, {dimensions}, {width}, "
        f"{_handle(ins, w)}, at, {register}); }}"
    )
