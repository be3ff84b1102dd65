"""Exact arithmetic on the bits of floating-point numbers, rounded as IEEE 754 says."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

NEAREST, ZERO, DOWN, UP = "RN", "RZ", "RM", "RP"
"""Roundings, by the names that machine instructions have for them."""


@dataclass(frozen=True, slots=True)
class Format:
    """A binary floating-point format."""

    bits: int
    fraction_bits: int

    @property
    def bias(self) -> int:
        """What is added to exponents."""
        return (1 << self.bits - self.fraction_bits - 2) - 1

    @property
    def infinity(self) -> int:
        """The bits of positive infinity."""
        return (1 << self.bits - 1) - (1 << self.fraction_bits)

    @property
    def sign_bit(self) -> int:
        """The bit of the sign."""
        return 1 << self.bits - 1

    @property
    def quiet(self) -> int:
        """The bits of a NaN."""
        return self.infinity | 1 << self.fraction_bits - 1

    def value(self, bits: int) -> float:
        """The number; a double holds those of all formats here exactly."""
        size = bits & (self.sign_bit - 1)
        exponent, fraction = size >> self.fraction_bits, size & (1 << self.fraction_bits) - 1
        if size > self.infinity:
            return math.nan
        if size == self.infinity:
            found = math.inf
        elif exponent == 0:
            found = math.ldexp(fraction, 1 - self.bias - self.fraction_bits)
        else:
            whole = fraction | 1 << self.fraction_bits
            found = math.ldexp(whole, exponent - self.bias - self.fraction_bits)
        return -found if bits & self.sign_bit else found

    def is_nan(self, bits: int) -> bool:
        """Whether the bits are those of a NaN."""
        return bits & (self.sign_bit - 1) > self.infinity

    def flushed(self, bits: int) -> int:
        """A subnormal number's zero; other bits as they are."""
        return bits if bits & self.infinity else bits & self.sign_bit

    def rounded(self, exact: Fraction, rounding: str = NEAREST, *, minus_zero: bool = False) -> int:
        """The bits of a number; ``minus_zero`` tells the sign of an exact zero."""
        if not exact:
            return self.sign_bit if minus_zero else 0
        minus = exact < 0
        size = abs(exact)
        exponent = max(_exponent(size), 1 - self.bias)
        scaled = size / Fraction(2) ** (exponent - self.fraction_bits)
        whole = _to_integer(scaled, rounding, minus=minus)
        bits = whole + (exponent + self.bias - 1 << self.fraction_bits)
        if bits >= self.infinity:
            stays = rounding in _inwards(minus=minus)
            bits = self.infinity - 1 if stays else self.infinity
        return bits | (self.sign_bit if minus else 0)


def _exponent(size: Fraction) -> int:
    """The largest power of 2 that is not larger."""
    guess = size.numerator.bit_length() - size.denominator.bit_length()
    return guess if Fraction(2) ** guess <= size else guess - 1


def _inwards(*, minus: bool) -> tuple[str, str]:
    """The roundings that make a number smaller, its sign aside."""
    return ZERO, UP if minus else DOWN


def _to_integer(size: Fraction, rounding: str, *, minus: bool) -> int:
    if rounding == NEAREST:
        return round(size)  # to even
    if rounding in _inwards(minus=minus):
        return math.floor(size)
    return math.ceil(size)


HALF = Format(16, 10)
BRAIN = Format(16, 7)
SINGLE = Format(32, 23)
DOUBLE = Format(64, 52)


def multiply_add(a: float, b: float, c: float, to: Format, rounding: str = NEAREST) -> int:
    """The bits of a x b + c rounded once."""
    if not all(map(math.isfinite, (a, b, c))):
        return special(_sum(_product(a, b), c), to)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    product_minus = math.copysign(1, a) * math.copysign(1, b) < 0
    both_minus = product_minus and math.copysign(1, c) < 0
    if (a == 0 or b == 0) and c == 0 and product_minus == (math.copysign(1, c) < 0):
        minus = both_minus
    else:
        minus = rounding == DOWN  # the zero of numbers that cancel
    return to.rounded(exact, rounding, minus_zero=minus)


def add(a: float, b: float, to: Format, rounding: str = NEAREST) -> int:
    """The bits of a + b rounded once."""
    return multiply_add(a, 1.0, b, to, rounding)


def multiply(a: float, b: float, to: Format, rounding: str = NEAREST) -> int:
    """The bits of a x b rounded once."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return special(_product(a, b), to)
    minus = math.copysign(1, a) * math.copysign(1, b) < 0
    return to.rounded(Fraction(a) * Fraction(b), rounding, minus_zero=minus)


def converted(value: float, to: Format, rounding: str = NEAREST) -> int:
    """The bits of the nearest number of another format."""
    if not math.isfinite(value):
        return special(value, to)
    return to.rounded(Fraction(value), rounding, minus_zero=math.copysign(1, value) < 0)


def converted_integer(value: int, to: Format, rounding: str = NEAREST) -> int:
    """The bits of the nearest number to an integer."""
    return to.rounded(Fraction(value), rounding)


def special(value: float, to: Format) -> int:
    """The bits of an infinity or a NaN."""
    if math.isnan(value):
        return to.quiet
    return to.infinity | (to.sign_bit if value < 0 else 0)


def _product(a: float, b: float) -> float:
    if math.isfinite(a) and math.isfinite(b):
        return 1.0 if a and b else 0.0  # only whether it is infinite or NaN is asked
    return a * b


def _sum(a: float, b: float) -> float:
    return a + b


def to_integer(value: float, rounding: str, bits: int, *, signed: bool) -> int:
    """The nearest integer as CUDA converts: beyond the range to its end; NaN is not asked."""
    if math.isinf(value):
        return bounded((1 << 64) * (1 if value > 0 else -1), bits, signed=signed)
    return bounded(whole_number(value, rounding), bits, signed=signed)


def whole_number(value: float, rounding: str) -> int:
    """The nearest integer to a finite number."""
    size = _to_integer(abs(Fraction(value)), rounding, minus=value < 0)
    return -size if value < 0 else size


def bounded(value: int, bits: int, *, signed: bool) -> int:
    """The nearest integer that so many bits hold."""
    least = -(1 << bits - 1) if signed else 0
    most = (1 << bits - 1) - 1 if signed else (1 << bits) - 1
    return min(max(value, least), most)
