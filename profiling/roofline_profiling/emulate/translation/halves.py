"""Half precision: two numbers in a register, IEEE's or Brain's."""

from __future__ import annotations

import struct

from roofline_profiling.emulate.sass.instruction import Instruction, MachineOperand, OperandKind
from roofline_profiling.emulate.translation.floating import comparison_name, holds, least_or_most
from roofline_profiling.emulate.translation.writer import (
    UnsupportedError,
    Writer,
    number,
    operation,
    split_predicates,
)


def _half_bits(value: float, *, brain: bool) -> int:
    if brain:
        return int(struct.unpack("<I", struct.pack("<f", value))[0]) >> 16
    return int(struct.unpack("<H", struct.pack("<e", value))[0])


def half_operand(op: MachineOperand, w: Writer, *, brain: bool) -> tuple[str, str]:
    """The low and the high number of a register, as its suffix chooses them."""
    plain = MachineOperand(op.kind, op.text, op.number, parts=op.parts)
    flag = str(brain).lower()
    if "F32" in op.suffixes:
        halves = (f"f({w.word(plain)})", f"f({w.word(plain)})")
    else:
        low, high = (f"half_to_float({w.word(plain)}, {h}, {flag})" for h in ("false", "true"))
        halves = (low, high)
        if "H0_H0" in op.suffixes:
            halves = (low, low)
        elif "H1_H1" in op.suffixes:
            halves = (high, high)
        elif "H1_H0" in op.suffixes:
            halves = (low, high)
    if op.absolute:
        halves = (f"absolute({halves[0]})", f"absolute({halves[1]})")
    if op.negative:
        halves = (f"negative({halves[0]})", f"negative({halves[1]})")
    return halves


def half_sources(
    ops: tuple[MachineOperand, ...], w: Writer, *, brain: bool
) -> list[tuple[str, str]]:
    """The operands' low and high numbers. An immediate operand is two numbers, high first."""
    found, at = [], 0
    while at < len(ops):
        op = ops[at]
        if op.kind is OperandKind.OTHER:
            high, low = (_half_bits(number(each), brain=brain) for each in ops[at : at + 2])
            flag = str(brain).lower()
            found.append((f"half_to_float(all({low:#x}u), false, {flag})",
                          f"half_to_float(all({high:#x}u), false, {flag})"))  # fmt: skip
            at += 2
        elif op.is_predicate:
            at += 1
        else:
            found.append(half_operand(op, w, brain=brain))
            at += 1
    return found


def without_negative(value: str) -> str:
    """Zero in place of negative numbers; NaN stays."""
    return f"f(pick(compare<Compare::less_equal>({value}, F32{{}}), V32{{}}, u({value})))"


def _half_result(ins: Instruction, w: Writer, dest: MachineOperand, low: str, high: str) -> str:
    if ins.has("SAT"):
        low, high = f"saturate({low})", f"saturate({high})"
    if ins.has("RELU"):
        low, high = without_negative(low), without_negative(high)
    if ins.has("F32"):
        return w.put(dest, low)
    brain = str(ins.has("BF16", "BF16_V2")).lower()
    return w.put(dest, f"pack(float_to_half({low}, {brain}), float_to_half({high}, {brain}))")


@operation("HADD2", "HADD2_32I")
def _hadd2(ins: Instruction, w: Writer) -> str:
    a, b = half_sources(ins.operands[1:], w, brain=ins.has("BF16", "BF16_V2"))[:2]
    return _half_result(ins, w, ins.operands[0], f"({a[0]} + {b[0]})", f"({a[1]} + {b[1]})")


@operation("HMUL2", "HMUL2_32I")
def _hmul2(ins: Instruction, w: Writer) -> str:
    a, b = half_sources(ins.operands[1:], w, brain=ins.has("BF16", "BF16_V2"))[:2]
    return _half_result(ins, w, ins.operands[0], f"({a[0]} * {b[0]})", f"({a[1]} * {b[1]})")


@operation("HFMA2", "HFMA2_32I")
def _hfma2(ins: Instruction, w: Writer) -> str:
    a, b, c = half_sources(ins.operands[1:], w, brain=ins.has("BF16", "BF16_V2"))[:3]
    exact = "fma32" if ins.has("F32") else "fma_to_odd"
    values = (f"{exact}({a[n]}, {b[n]}, {c[n]})" for n in range(2))
    return _half_result(ins, w, ins.operands[0], *values)


@operation("HMNMX2")
def _hmnmx2(ins: Instruction, w: Writer) -> str:
    dest, *rest = ins.operands
    least = rest[-1]
    if ins.has("XORSIGN"):
        raise UnsupportedError(ins.opcode)
    a, b = half_sources(tuple(rest[:-1]), w, brain=ins.has("BF16", "BF16_V2"))[:2]
    chosen = [least_or_most(ins, w, least, a[n], b[n]) for n in range(2)]
    return _half_result(ins, w, dest, *chosen)


@operation("HSETP2")
def _hsetp2(ins: Instruction, w: Writer) -> str:
    outs, sources, (mixed,) = split_predicates(ins.operands)
    a, b = half_sources(sources, w, brain=ins.has("BF16", "BF16_V2"))[:2]
    low, high = (holds(comparison_name(ins), a[n], b[n]) for n in range(2))
    sign = "|" if ins.has("OR") else "^" if ins.has("XOR") else "&"
    text = f"const u32 low_ = {low}, high_ = {high}, with_ = {w.mask(mixed)}; "
    if ins.has("H0_H0"):
        text += w.set(outs[0], f"low_ {sign} with_") + w.set(outs[1], f"~low_ {sign} with_")
    else:
        text += w.set(outs[0], f"low_ {sign} with_") + w.set(outs[1], f"high_ {sign} with_")
    return "{ " + text + " (void)high_; }"


@operation("HSET2")
def _hset2(ins: Instruction, w: Writer) -> str:
    dest, *rest = ins.operands
    mixed = rest[-1]
    brain = ins.has("BF16", "BF16_V2")
    a, b = half_sources(tuple(rest[:-1]), w, brain=brain)[:2]
    low, high = (f"({holds(comparison_name(ins), a[n], b[n])}) & {w.mask(mixed)}" for n in range(2))
    one = _half_bits(1.0, brain=brain) if ins.has("BF") else 0xFFFF
    halves = (f"pick({lanes}, all({one:#x}u), V32{{}})" for lanes in (low, high))
    return w.put(dest, f"pack({', '.join(halves)})")
