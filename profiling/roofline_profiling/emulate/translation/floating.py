"""Floating-point instructions of single, double and half precision, and conversions."""

from __future__ import annotations

from dataclasses import replace

from roofline_profiling.emulate.sass.instruction import Instruction, MachineOperand
from roofline_profiling.emulate.translation.integers import two_predicates
from roofline_profiling.emulate.translation.writer import (
    UnsupportedError,
    Writer,
    operation,
    rounding,
    split_predicates,
)

_ORDERED = {
    "LT": "less", "LE": "less_equal", "GT": "greater", "GE": "greater_equal", "EQ": "equal",
    "NE": "not_equal",
}  # fmt: skip
_OPPOSITE = {"LT": "GE", "LE": "GT", "GT": "LE", "GE": "LT", "EQ": "NE", "NE": "EQ"}
_FUNCTIONS = ("RCP", "RSQ", "SQRT", "SIN", "COS", "EX2", "LG2", "TANH", "RCP64H", "RSQ64H")


def holds(name: str, x: str, y: str) -> str:
    """The lanes in which a floating-point comparison holds; ``LTU`` and its like also for NaN."""
    if name in _ORDERED:
        return f"compare<Compare::{_ORDERED[name]}>({x}, {y})"
    if name in ("NUM", "NAN"):
        return f"{'~' if name == 'NUM' else ''}(is_nan({x}) | is_nan({y}))"
    if name.endswith("U") and name[:-1] in _ORDERED:
        return f"~compare<Compare::{_ORDERED[_OPPOSITE[name[:-1]]]}>({x}, {y})"
    return {"T": "EVERY", "F": "0u"}[name]


def comparison_name(ins: Instruction) -> str:
    """The comparison that an instruction makes."""
    for each in ins.modifiers:
        if each in _ORDERED or each in ("NUM", "NAN", "T", "F") or each[:-1] in _ORDERED:
            return each
    raise UnsupportedError(ins.opcode)


def _finished(ins: Instruction, value: str) -> str:
    if ins.has("FTZ"):
        value = f"flush({value})"
    return f"saturate({value})" if ins.has("SAT") else value


def _reals(ins: Instruction, w: Writer, *operands: MachineOperand) -> list[str]:
    """Single-precision operands, subnormal ones as zeros where the instruction takes them so."""
    values = [w.real(op) for op in operands]
    return [f"flush({value})" for value in values] if ins.has("FTZ") else values


def _rounded(ins: Instruction, plain: str, name: str, operands: list[str]) -> str:
    mode = rounding(ins)
    return plain if mode == "Round::nearest" else f"{name}_rounded({', '.join(operands)}, {mode})"


@operation("FADD", "FADD32I")
def _fadd(ins: Instruction, w: Writer) -> str:
    dest, a, b = ins.operands
    x, y = _reals(ins, w, a, b)
    return w.put(dest, _finished(ins, _rounded(ins, f"({x} + {y})", "add", [x, y])))


@operation("FMUL", "FMUL32I")
def _fmul(ins: Instruction, w: Writer) -> str:
    dest, a, b = ins.operands
    x, y = _reals(ins, w, a, b)
    value = _rounded(ins, f"({x} * {y})", "mul", [x, y])
    for name, factor in (("D2", ".5f"), ("D4", ".25f"), ("D8", ".125f"), ("M2", "2.f"),
                         ("M4", "4.f"), ("M8", "8.f")):  # fmt: skip
        if ins.has(name):
            value = f"({value} * {factor})"
    return w.put(dest, _finished(ins, value))


@operation("FFMA", "FFMA32I")
def _ffma(ins: Instruction, w: Writer) -> str:
    dest, a, b, c = ins.operands
    xyz = _reals(ins, w, a, b, c)
    return w.put(dest, _finished(ins, _rounded(ins, f"fma32({', '.join(xyz)})", "fma", xyz)))


@operation("FMNMX")
def _fmnmx(ins: Instruction, w: Writer) -> str:
    dest, a, b, least = ins.operands
    value = least_or_most(ins, w, least, *_reals(ins, w, a, b))
    if ins.has("XORSIGN"):  # the sign is the product's
        x, y = (w.word(replace(op, absolute=False)) for op in (a, b))
        value = f"f((u({value}) & 0x7fffffffu) | (({x} ^ {y}) & 0x80000000u))"
    return w.put(dest, value)


def least_or_most(ins: Instruction, w: Writer, least: MachineOperand, x: str, y: str) -> str:
    """The smaller number where a predicate is true, else the larger."""
    value = f"pick({w.mask(least)}, u(least({x}, {y})), u(most({x}, {y})))"
    if ins.has("NAN"):  # of a number and a NaN the NaN
        value = f"pick(is_nan({x}) | is_nan({y}), all(0x7fffffffu), {value})"
    return f"f({value})"


@operation("FSETP")
def _fsetp(ins: Instruction, w: Writer) -> str:
    outs, (a, b), (mixed,) = split_predicates(ins.operands)
    x, y = _reals(ins, w, a, b)
    return two_predicates(ins, w, outs, holds(comparison_name(ins), x, y), mixed)


@operation("FSET")
def _fset(ins: Instruction, w: Writer) -> str:
    dest, a, b, mixed = ins.operands
    found = holds(comparison_name(ins), *_reals(ins, w, a, b))
    sign = "|" if ins.has("OR") else "^" if ins.has("XOR") else "&"
    one = "0x3f800000u" if ins.has("BF") else "EVERY"
    return w.put(dest, f"pick(({found}) {sign} {w.mask(mixed)}, all({one}), V32{{}})")


@operation("FSEL")
def _fsel(ins: Instruction, w: Writer) -> str:
    dest, a, b, chosen = ins.operands
    return w.put(dest, f"pick({w.mask(chosen)}, u({w.real(a)}), u({w.real(b)}))")


@operation("FCHK")
def _fchk(ins: Instruction, w: Writer) -> str:
    out, a, b = ins.operands
    return w.set(out, f"needs_slow_division({w.real(a)}, {w.real(b)})")


@operation("MUFU")
def _mufu(ins: Instruction, w: Writer) -> str:
    dest, a = ins.operands
    name = next((each for each in ins.modifiers if each in _FUNCTIONS), None)
    if name is None or ins.has("F16"):
        raise UnsupportedError(ins.opcode)
    return w.put(dest, f"mufu(Function::{name.lower()}, u({w.real(a)}))")


# --- double precision ---------------------------------------------------------------------------


@operation("DADD")
def _dadd(ins: Instruction, w: Writer) -> str:
    dest, a, b = ins.operands[0], ins.operands[1], ins.operands[-1]
    x, y = w.double(a), w.double(b)
    return w.put64(dest, _rounded(ins, f"({x} + {y})", "add", [x, y]))


@operation("DMUL")
def _dmul(ins: Instruction, w: Writer) -> str:
    dest, a, b = ins.operands
    x, y = w.double(a), w.double(b)
    return w.put64(dest, _rounded(ins, f"({x} * {y})", "mul", [x, y]))


@operation("DFMA")
def _dfma(ins: Instruction, w: Writer) -> str:
    dest, a, b, c = ins.operands
    xyz = [w.double(a), w.double(b), w.double(c)]
    return w.put64(dest, _rounded(ins, f"fma64({', '.join(xyz)})", "fma", xyz))


@operation("DSETP")
def _dsetp(ins: Instruction, w: Writer) -> str:
    outs, (a, b), (mixed,) = split_predicates(ins.operands)
    x, y = w.double(a), w.double(b)
    if ins.has("MAX", "MIN"):
        # The first predicate chooses the first operand; the second tells that both are NaN.
        better = "greater" if ins.has("MAX") else "less"
        chosen = f"compare<Compare::{better}>({x}, {y}) | (is_nan({y}) & ~is_nan({x}))"
        text = f"const u32 first_ = {chosen}, none_ = is_nan({x}) & is_nan({y}); "
        return "{ " + text + w.set(outs[0], "first_") + w.set(outs[1], "none_") + " }"
    return two_predicates(ins, w, outs, holds(comparison_name(ins), x, y), mixed)
