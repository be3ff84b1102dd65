"""Floating-point and conversion instructions of the machine model."""

import math
from fractions import Fraction

from .formats import (
    f16_bits,
    f32_bits,
    f64_bits,
    fraction_to_float,
    multiply_add,
    signed,
    to_f16,
    to_f32,
    to_f64,
)
from .integer_unit import compare, set_predicates
from .machine import Machine, Operation
from .toolchain import Instruction

_SMALLEST_NORMAL = 2.0**-126
_Exact = float | Fraction


def _mode(this: Instruction) -> str:
    return next((k for k in this.opcode.split(".") if k in ("RZ", "RM", "RP")), "RN")


def _single(m: Machine, this: Instruction) -> None:
    values = [m.f32(o) for o in this.operands[1:] if o.lstrip("!")[:1] != "P"]
    if ".FTZ" in this.opcode:
        values = [0.0 * v if abs(v) < _SMALLEST_NORMAL else v for v in values]
    bits = f32_bits(_arithmetic(this.opcode[1:4], values), _mode(this))
    if ".SAT" in this.opcode:
        bits = f32_bits(min(max(to_f32(bits), 0.0), 1.0))
    m.write(this.operands[0], bits)


def _double(m: Machine, this: Instruction) -> None:
    values = [m.f64(o) for o in this.operands[1:]]
    exact = _arithmetic(this.opcode[1:4], values)
    result = exact if isinstance(exact, float) else fraction_to_float(exact)
    mode = _mode(this)
    if isinstance(exact, Fraction) and math.isfinite(result) and mode != "RN":
        if mode == "RZ":
            mode = "RM" if exact > 0 else "RP"
        if mode == "RP" and Fraction(result) < exact:
            result = math.nextafter(result, math.inf)
        elif mode == "RM" and Fraction(result) > exact:
            result = math.nextafter(result, -math.inf)
    m.write64(this.operands[0], f64_bits(result))


def _arithmetic(kind: str, values: list[float]) -> _Exact:
    if kind == "ADD":
        return multiply_add(values[0], 1.0, values[1])
    if kind == "MUL":
        exact = multiply_add(values[0], values[1], 0.0)
        return exact or values[0] * values[1]
    return multiply_add(*values)


def _fmnmx(m: Machine, this: Instruction) -> None:
    x, y = m.f32(this.operands[1]), m.f32(this.operands[2])
    least = m.predicate(this.operands[3])
    m.write(this.operands[0], f32_bits(min(x, y) if least else max(x, y)))


def _fsel(m: Machine, this: Instruction) -> None:
    chosen = this.operands[1 if m.predicate(this.operands[3]) else 2]
    m.write(this.operands[0], f32_bits(m.f32(chosen)))


def _setp(m: Machine, this: Instruction) -> None:
    kinds = this.opcode.split(".")
    read = m.f64 if kinds[0] == "DSETP" else m.f32
    x, y = read(this.operands[2]), read(this.operands[3])
    if kinds[1] in ("MIN", "MAX"):
        # The second destination reports an operand that is not a number.
        m.set_predicate(this.operands[0], x < y if kinds[1] == "MIN" else x > y)
        m.set_predicate(this.operands[1], math.isnan(x) or math.isnan(y))
        return
    result = compare(kinds[1], x, y)
    set_predicates(m, this, result, kinds[-1])


def _fchk(m: Machine, this: Instruction) -> None:
    """Set the predicate where the reciprocal sequence of a division would leave its range."""
    x, y = m.u32(this.operands[1]) >> 23 & 0xFF, m.u32(this.operands[2]) >> 23 & 0xFF
    special = not (1 <= y < 253 and 24 < x < 255 and -125 < x - y < 126)
    m.set_predicate(this.operands[0], special)


def _mufu(m: Machine, this: Instruction) -> None:
    kind = this.opcode.split(".")[1]
    if kind.endswith("64H"):
        value = _high_word(m, this.operands[1])
        result = _root_or_inverse(kind, value)
        m.write(this.operands[0], f64_bits(result) >> 32)
        return
    x = m.f32(this.operands[1])
    if kind in ("RCP", "RSQ"):
        result = _root_or_inverse(kind, x)
    elif kind == "SQRT":
        result = math.sqrt(x) if x >= 0 else math.nan
    elif kind == "LG2":
        result = math.log2(x) if x > 0 else (-math.inf if x == 0 else math.nan)
    elif kind == "EX2":
        result = 2.0**x if x < 128 else math.inf
    elif kind == "TANH":
        result = math.tanh(x)
    else:
        turns = 2 * math.pi * x
        result = math.sin(turns) if kind == "SIN" else math.cos(turns)
    m.write(this.operands[0], f32_bits(result))


def _high_word(m: Machine, operand: str) -> float:
    """Return the double whose high word the operand is and whose low word is zero."""
    if operand[-1].isdigit() and not operand.lstrip("-|").startswith(("R", "U", "c")):
        return float(operand)
    return to_f64(m.u32(operand) << 32)


def _root_or_inverse(kind: str, x: float) -> float:
    if x == 0:
        return math.copysign(math.inf, x)
    if kind.startswith("RCP"):
        return 1.0 / x
    return x**-0.5 if x > 0 else math.nan


def _rounded(value: float, this: Instruction) -> float:
    kinds = this.opcode.split(".")
    if not math.isfinite(value):
        return value
    for kind, rounding in (("TRUNC", math.trunc), ("FLOOR", math.floor), ("CEIL", math.ceil)):
        if kind in kinds:
            return math.copysign(float(rounding(value)), value)
    return math.copysign(float(round(value)), value)


def _frnd(m: Machine, this: Instruction) -> None:
    if "F64" in this.opcode:
        m.write64(this.operands[0], f64_bits(_rounded(m.f64(this.operands[1]), this)))
    else:
        m.write(this.operands[0], f32_bits(_rounded(m.f32(this.operands[1]), this)))


def _source(m: Machine, operand: str, kinds: list[str]) -> float:
    if "F64" in kinds:
        return m.f64(operand)
    if "F16" in kinds or "BF16" in kinds:
        return to_f16(m.u32(operand.replace(".H0_H0", "")), "BF16" in kinds)
    return m.f32(operand)


def _f2i(m: Machine, this: Instruction) -> None:
    kinds = this.opcode.split(".")
    value = _rounded(_source(m, this.operands[1], kinds), this)
    bits = 64 if "S64" in kinds or "U64" in kinds else 32
    unsigned = "U64" in kinds or "U32" in kinds
    low, high = (0, 1 << bits) if unsigned else (-1 << bits - 1, 1 << bits - 1)
    number = 0 if math.isnan(value) else int(min(max(value, float(low)), float(high)))
    number = min(max(number, low), high - 1)
    (m.write64 if bits == 64 else m.write)(this.operands[0], number)


def _i2f(m: Machine, this: Instruction) -> None:
    kinds = this.opcode.split(".")
    wide, unsigned = "S64" in kinds or "U64" in kinds, "U64" in kinds or "U32" in kinds
    operand = this.operands[1]
    bits = m.u64(operand) if wide else m.u32(operand)
    number = bits if unsigned else signed(bits, 64 if wide else 32)
    if "F64" in kinds:
        m.write64(this.operands[0], f64_bits(float(number)))
    elif "F16" in kinds:
        m.write(this.operands[0], f16_bits(float(number)))
    else:
        m.write(this.operands[0], f32_bits(Fraction(number), _mode(this)))


def _f2f(m: Machine, this: Instruction) -> None:
    _, target, source = this.opcode.split(".")[:3]
    value = _source(m, this.operands[1], [source])
    if target == "F64":
        m.write64(this.operands[0], f64_bits(value))
    elif target == "F32":
        m.write(this.operands[0], f32_bits(value))
    else:
        m.write(this.operands[0], f16_bits(value, target == "BF16"))


def _pack(m: Machine, this: Instruction) -> None:
    brain = "BF16" in this.opcode
    high, low = (f16_bits(m.f32(o), brain) for o in this.operands[1:3])
    m.write(this.operands[0], high << 16 | low)


def _lanes(m: Machine, operands: list[str], brain: bool) -> list[tuple[float, float]]:
    """Return (low, high) of each packed operand; two literals in a row make one operand."""
    pairs: list[tuple[float, float]] = []
    rest = list(operands)
    while rest:
        operand = rest.pop(0).replace(".reuse", "")
        if operand.lstrip("!")[:1] == "P":
            continue
        if operand.lstrip("+-")[:1].isdigit() or "INF" in operand or "NAN" in operand:
            high, low = (float(o.replace("QNAN", "nan")) for o in (rest.pop(0), operand))
            pairs.append((high, low))
            continue
        negative, magnitude = operand.startswith("-"), "|" in operand
        half = next((h for h in ("H0_H0", "H1_H1") if h in operand), "")
        name = operand.lstrip("-").replace("|", "").removesuffix(f".{half}")
        word = m.u32(name)
        pair = [to_f16(word, brain), to_f16(word >> 16, brain)]
        if half:
            pair = [pair[half == "H1_H1"]] * 2
        pair = [abs(v) if magnitude else v for v in pair]
        pairs.append((-pair[0], -pair[1]) if negative else (pair[0], pair[1]))
    return pairs


def _half(m: Machine, this: Instruction) -> None:
    brain = "BF16" in this.opcode
    pairs = _lanes(m, list(this.operands[1:]), brain)
    results = [_arithmetic(this.opcode[1:4], [p[i] for p in pairs]) for i in (0, 1)]
    numbers = [r if isinstance(r, float) else fraction_to_float(r) for r in results]
    if ".F32" in this.opcode:
        m.write(this.operands[0], f32_bits(numbers[0]))
    else:
        m.write(this.operands[0], f16_bits(numbers[1], brain) << 16 | f16_bits(numbers[0], brain))


def _hset(m: Machine, this: Instruction) -> None:
    kinds = this.opcode.split(".")
    brain = "BF16_V2" in kinds
    first = 1 if kinds[0] == "HSET2" else 2
    pairs = _lanes(m, list(this.operands[first:]), brain)
    kind = next(k for k in kinds[1:] if k.removesuffix("U") in ("LT", "LE", "GT", "GE", "EQ", "NE"))
    low, high = (compare(kind, pairs[0][i], pairs[1][i]) for i in (0, 1))
    if kinds[0] == "HSET2":
        one = f16_bits(1.0, brain) if "BF" in kinds else 0xFFFF
        m.write(this.operands[0], (one << 16 if high else 0) | (one if low else 0))
    else:
        m.set_predicate(this.operands[0], low)
        m.set_predicate(this.operands[1], high)


FLOAT_UNIT: dict[str, Operation] = {
    "FADD": _single, "FMUL": _single, "FFMA": _single, "DADD": _double, "DMUL": _double,
    "DFMA": _double, "FMNMX": _fmnmx, "FSEL": _fsel, "FSETP": _setp, "DSETP": _setp,
    "FCHK": _fchk, "MUFU": _mufu, "FRND": _frnd, "F2I": _f2i, "I2F": _i2f, "I2FP": _i2f,
    "F2F": _f2f, "F2FP": _pack, "HADD2": _half, "HMUL2": _half, "HFMA2": _half, "HSET2": _hset,
    "HSETP2": _hset,
}  # fmt: skip
"""Instructions of this unit by their base opcode."""
