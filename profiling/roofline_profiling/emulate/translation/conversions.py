"""Conversions between numbers of different types."""

from __future__ import annotations

from roofline_profiling.emulate.sass.instruction import Instruction, MachineOperand
from roofline_profiling.emulate.translation.halves import half_operand, without_negative
from roofline_profiling.emulate.translation.writer import (
    UnsupportedError,
    Writer,
    operation,
    rounding,
)

_INTEGERS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "U32": 32, "S32": 32, "U64": 64, "S64": 64}


def _integer_type(ins: Instruction) -> tuple[int, bool]:
    name = next((each for each in ins.modifiers if each in _INTEGERS), "S32")
    return _INTEGERS[name], name.startswith("S")


def _selected(op: MachineOperand, word: str, width: int, *, signed: bool) -> str:
    """The byte or half of a register that a conversion takes, extended to a word."""
    if width >= 32:
        return word
    at = next((int(each[1]) * (8 if each[0] == "B" else 16) for each in op.suffixes
               if each[0] in "BH" and each[1:2].isdigit()), 0)  # fmt: skip
    if signed:
        return f"(V32)(i({word} << {32 - width - at}) >> {32 - width})"
    return f"(({word} >> {at}) & {(1 << width) - 1:#x}u)"


@operation("I2F", "I2FP")
def _i2f(ins: Instruction, w: Writer) -> str:
    dest, a = ins.operands
    width, signed = _integer_type(ins)
    sign, mode = str(signed).lower(), rounding(ins)
    word = _selected(a, w.word(a), width, signed=signed)
    given = f"{w.words(a)}, {sign}, {mode}" if width == 64 else f"{word}, {sign}"
    if ins.has("F64"):
        return w.put64(dest, f"to_double({given})")
    single = f"to_float({given})" if width == 64 else f"to_float({given}, {mode})"
    if ins.has("F16"):
        return w.put(dest, f"float_to_half({single}, false, {mode})")
    if ins.has("BF16"):
        if width == 64 or mode != "Round::nearest":
            raise UnsupportedError(ins.opcode)
        return w.put(dest, f"float_to_half(narrow_to_odd(to_double({word}, {sign})), true)")
    return w.put(dest, single)


@operation("F2I")
def _f2i(ins: Instruction, w: Writer) -> str:
    dest, a = ins.operands
    width, signed = _integer_type(ins)
    mode = rounding(ins)
    value = w.double(a) if ins.has("F64") else w.real(a)
    if ins.has("F16"):
        value = half_operand(a, w, brain=False)[0]
    if ins.has("FTZ") and not ins.has("F64"):
        value = f"flush({value})"
    if ins.has("BF16"):
        value = half_operand(a, w, brain=True)[0]
    # NaN gives the highest bit alone, or zero (NTZ).
    other = 0 if ins.has("NTZ") else 1 << width - 1
    if width == 64:
        whole = f"to_integer64(x, {mode}, {str(signed).lower()})"
        result = w.put64(dest, f"pick64(is_nan(x), all64({other:#x}ull), {whole})")
    else:
        whole = f"to_integer(x, {mode}, {width}, {str(signed).lower()})"
        result = w.put(dest, f"pick(is_nan(x), all({other:#x}u), {whole})")
    return f"{{ const auto x = {value}; {result} }}"


@operation("F2F")
def _f2f(ins: Instruction, w: Writer) -> str:
    dest, a = ins.operands
    types = [each for each in ins.modifiers if each in ("F16", "F32", "F64", "BF16")]
    if len(types) != 2:
        raise UnsupportedError(ins.opcode)
    to, of = types
    if of == "F64" and to in ("F16", "BF16"):
        single = f"narrow_to_odd({w.double(a)})"
    elif of == "F64":
        single = f"narrow({w.double(a)}, {rounding(ins)})"
    elif of == "F32":
        single = w.real(a)
    else:
        single = half_operand(a, w, brain=of == "BF16")[0]
    if ins.has("FTZ"):
        single = f"flush({single})"
    if to == "F64":
        return w.put64(dest, f"widen({single})")
    if to == "F32":
        return w.put(dest, f"saturate({single})" if ins.has("SAT") else single)
    return w.put(dest, f"float_to_half({single}, {str(to == 'BF16').lower()}, {rounding(ins)})")


@operation("F2FP")
def _f2fp(ins: Instruction, w: Writer) -> str:
    dest, a, b = ins.operands[:3]
    others = [x for x in ins.modifiers if x not in ("PACK_AB", "BF16", "F16", "F32", "RZ", "RELU")]
    if not ins.has("PACK_AB") or others:
        raise UnsupportedError(ins.opcode)
    brain = str(ins.has("BF16")).lower()
    values = [w.real(op) for op in (a, b)]
    if ins.has("RELU"):
        values = [without_negative(value) for value in values]
    upper, lower = (f"float_to_half({value}, {brain}, {rounding(ins)})" for value in values)
    return w.put(dest, f"pack({lower}, {upper})")


@operation("FRND")
def _frnd(ins: Instruction, w: Writer) -> str:
    dest, a = ins.operands
    if ins.has("F64"):
        return w.put64(dest, f"integral({w.double(a)}, {rounding(ins)})")
    if ins.has("F16", "BF16"):
        brain = ins.has("BF16")
        whole = f"integral({half_operand(a, w, brain=brain)[0]}, {rounding(ins)})"
        return w.put(dest, f"float_to_half({whole}, {str(brain).lower()})")
    value = f"flush({w.real(a)})" if ins.has("FTZ") else w.real(a)
    return w.put(dest, f"integral({value}, {rounding(ins)})")


@operation("I2I")
def _i2i(ins: Instruction, w: Writer) -> str:
    dest, a = ins.operands
    types = [each for each in ins.modifiers if each in _INTEGERS]
    width, signed = _INTEGERS[types[0]], types[0].startswith("S")
    least = -(1 << width - 1) if signed else 0
    most = (1 << width - 1) - 1 if signed else (1 << width) - 1
    if not ins.has("SAT"):
        return w.put(dest, _selected(a, w.word(a), width, signed=signed))
    if types[1:] and types[1].startswith("U"):
        return w.put(dest, f"least_unsigned({w.word(a)}, all({most:#x}u))")
    return w.put(dest, _bounded(w.word(a), least, most))


def _bounded(word: str, least: int, most: int) -> str:
    low, high = f"all({least & 0xFFFFFFFF:#x}u)", f"all({most:#x}u)"
    return f"least_signed(most_signed({word}, {low}), {high})"


@operation("I2IP")
def _i2ip(ins: Instruction, w: Writer) -> str:
    dest, a, b, *rest = ins.operands
    width, signed = _integer_type(ins)
    if width not in (8, 16) or not ins.has("S32") or not ins.has("SAT"):
        raise UnsupportedError(ins.opcode)
    least = -(1 << width - 1) if signed else 0
    most = (1 << width - 1) - 1 if signed else (1 << width) - 1
    mask = (1 << width) - 1
    upper, lower = (f"({_bounded(w.word(op), least, most)} & {mask:#x}u)" for op in (a, b))
    above = f" | ({w.word(rest[0])} << 16)" if rest and width == 8 else ""
    return w.put(dest, f"({upper} << {width}) | {lower}{above}")
