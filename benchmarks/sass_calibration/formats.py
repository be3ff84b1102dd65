"""Bit patterns of the machine's number formats, and rounding to them."""

import math
import struct
from fractions import Fraction

MASK32 = 0xFFFFFFFF
MASK64 = 0xFFFFFFFFFFFFFFFF


def signed(value: int, bits: int = 32) -> int:
    """Return the two's complement reading of a bit pattern."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def to_f32(bits: int) -> float:
    """Return the value of single precision bits."""
    return float(struct.unpack("<f", struct.pack("<I", bits & MASK32))[0])


def to_f64(bits: int) -> float:
    """Return the value of double precision bits."""
    return float(struct.unpack("<d", struct.pack("<Q", bits & MASK64))[0])


def to_f16(bits: int, brain: bool = False) -> float:
    """Return the value of half (or bfloat16) bits."""
    if brain:
        return to_f32((bits & 0xFFFF) << 16)
    return float(struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))[0])


def f64_bits(value: float) -> int:
    """Return the double precision bits of a value."""
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def f32_bits(value: float | Fraction, mode: str = "RN") -> int:
    """Return the single precision bits of a value, rounded as ``mode`` (RN, RZ, RM, RP) says."""
    as_float = value if isinstance(value, float) else fraction_to_float(value)
    try:
        bits = int(struct.unpack("<I", struct.pack("<f", as_float))[0])
    except OverflowError:
        bits = 0x7F800000 | (0x80000000 if as_float < 0 else 0)
    if mode == "RN" or not math.isfinite(as_float):
        return bits
    exact, near = Fraction(value), to_f32(bits)
    if not math.isfinite(near):
        return bits
    if mode == "RZ":
        mode = "RM" if exact > 0 else "RP"
    if mode == "RP" and exact > Fraction(near):
        return _step(bits, up=True)
    if mode == "RM" and exact < Fraction(near):
        return _step(bits, up=False)
    return bits


def f16_bits(value: float, brain: bool = False) -> int:
    """Return the half (or bfloat16) bits of a value, rounded to nearest."""
    if brain:
        bits = f32_bits(value)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16) & 0xFFFF
    try:
        return int(struct.unpack("<H", struct.pack("<e", value))[0])
    except OverflowError:
        return 0x7C00 | (0x8000 if value < 0 else 0)


def fraction_to_float(value: Fraction) -> float:
    """Return the nearest double, infinite where the value is too large."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def multiply_add(a: float, b: float, c: float) -> float | Fraction:
    """Return a * b + c without rounding; the ordinary float result where one is not finite."""
    if math.isfinite(a) and math.isfinite(b) and math.isfinite(c):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        return exact or a * b + c
    return a * b + c


def _step(bits: int, *, up: bool) -> int:
    """Return the neighbouring single precision number."""
    negative = bits >> 31
    if bits & 0x7FFFFFFF == 0:
        return 0x00000001 if up else 0x80000001
    return bits + 1 if bool(negative) != up else bits - 1
