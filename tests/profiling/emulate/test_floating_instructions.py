"""Floating-point instructions against exact arithmetic on fractions."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from tests.profiling.emulate import number_formats as exact
from tests.profiling.emulate.instruction_bench import Bench, Case, Lane, fill
from tests.profiling.emulate.instruction_warp import EVERY, LANES, InstructionWarp
from tests.profiling.emulate.number_formats import DOUBLE, SINGLE

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "LT": lambda a, b: a < b, "LE": lambda a, b: a <= b, "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b, "EQ": lambda a, b: a == b, "NE": lambda a, b: a < b or a > b,
}  # fmt: skip
COMPARISONS = (*OPERATORS, *(f"{name}U" for name in OPERATORS), "NUM", "NAN")


def compared(name: str, a: float, b: float) -> bool:
    unordered = math.isnan(a) or math.isnan(b)
    if name in ("NUM", "NAN"):
        return unordered == (name == "NAN")
    return OPERATORS[name.removesuffix("U")](a, b) or (name.endswith("U") and unordered)


def abc(lane: Lane) -> tuple[float, float, float]:
    return lane.single(2), lane.single(4), lane.single(6)


def doubles(lane: Lane) -> tuple[float, float, float]:
    return lane.double(10), lane.double(12), lane.double(14)


def flushed(value: float) -> float:
    return math.copysign(0.0, value) if abs(value) < 2.0**-126 else value


def saturated(bits: int) -> int:
    value = SINGLE.value(bits)
    return bits if 0 < value <= 1 else 0x3F800000 if value > 1 else 0


def sums(mode: str) -> list[Case]:
    suffix = "" if mode == "RN" else f".{mode}"
    return [
        Case(f"FADD{suffix} {{d}}, R2, -R4",
             lambda x: exact.add(abc(x)[0], -abc(x)[1], SINGLE, mode)),
        Case(f"FMUL{suffix} {{d}}, R2, |R4|",
             lambda x: exact.multiply(abc(x)[0], abs(abc(x)[1]), SINGLE, mode)),
        Case(f"FFMA{suffix} {{d}}, -R2, R4, R6",
             lambda x: exact.multiply_add(-abc(x)[0], *abc(x)[1:], SINGLE, mode)),
        Case(f"DADD{suffix} {{d}}, R10, -|R12|",
             lambda x: exact.add(doubles(x)[0], -abs(doubles(x)[1]), DOUBLE, mode),
             DOUBLE, wide=True),
        Case(f"DMUL{suffix} {{d}}, R10, -R12",
             lambda x: exact.multiply(doubles(x)[0], -doubles(x)[1], DOUBLE, mode),
             DOUBLE, wide=True),
        Case(f"DFMA{suffix} {{d}}, R10, R12, -R14",
             lambda x: exact.multiply_add(*doubles(x)[:2], -doubles(x)[2], DOUBLE, mode),
             DOUBLE, wide=True),
    ]  # fmt: skip


def finished() -> list[Case]:
    def ftz(x: Lane) -> tuple[float, float, float]:
        a, b, c = map(flushed, abc(x))
        return a, b, c

    return [
        Case("FADD.FTZ {d}, R2, R4", lambda x: SINGLE.flushed(exact.add(*ftz(x)[:2], SINGLE))),
        Case("FMUL.FTZ {d}, R2, R4",
             lambda x: SINGLE.flushed(exact.multiply(*ftz(x)[:2], SINGLE))),
        Case("FFMA.FTZ {d}, R2, R4, R6",
             lambda x: SINGLE.flushed(exact.multiply_add(*ftz(x), SINGLE))),
        Case("FADD.SAT {d}, R2, R4", lambda x: saturated(exact.add(*abc(x)[:2], SINGLE))),
        Case("FFMA.SAT {d}, R2, R4, R6", lambda x: saturated(exact.multiply_add(*abc(x), SINGLE))),
        Case("FADD {d}, R2, 1.5", lambda x: exact.add(abc(x)[0], 1.5, SINGLE)),
        Case("FADD {d}, R2, -RZ", lambda x: exact.add(abc(x)[0], -0.0, SINGLE)),
        Case("FMUL {d}, R2, -2.5", lambda x: exact.multiply(abc(x)[0], -2.5, SINGLE)),
        Case("FFMA {d}, R2, 1.84467440737095516160e+19, RZ",
             lambda x: exact.multiply_add(abc(x)[0], 2.0**64, 0.0, SINGLE)),
        Case("DADD {d}, R10, 0.125", lambda x: exact.add(doubles(x)[0], 0.125, DOUBLE), DOUBLE,
             wide=True),
        Case("DMUL {d}, R10, +INF ", lambda x: exact.multiply(doubles(x)[0], math.inf, DOUBLE),
             DOUBLE, wide=True),
    ]  # fmt: skip


def smaller(a: int, b: int, *, largest: bool = False) -> int:
    """By IEEE 754's minimumNumber; of two NaN a NaN."""
    if SINGLE.is_nan(a) or SINGLE.is_nan(b):
        return b if SINGLE.is_nan(a) else a

    def key(bits: int) -> tuple[float, bool]:
        return SINGLE.value(bits), not bits >> 31

    return (max if largest else min)(a, b, key=key)


def with_nan(x: Lane) -> int:
    a, b = x.r[2], x.r[4]
    return SINGLE.quiet if SINGLE.is_nan(a) or SINGLE.is_nan(b) else smaller(a, b, largest=True)


def chosen() -> list[Case]:
    def magnitude(x: Lane, at: int) -> int:
        return x.r[at] & 0x7FFFFFFF

    def product_sign(x: Lane) -> int:
        size = smaller(magnitude(x, 2), magnitude(x, 4))
        return size & 0x7FFFFFFF | (x.r[2] ^ x.r[4]) & 0x80000000

    return [
        Case("FMNMX {d}, R2, R4, PT", lambda x: smaller(x.r[2], x.r[4])),
        Case("FMNMX {d}, R2, R4, !PT", lambda x: smaller(x.r[2], x.r[4], largest=True)),
        Case("FMNMX {d}, |R2|, -R4, P0",
             lambda x: smaller(magnitude(x, 2), x.r[4] ^ 0x80000000, largest=not x.p0)),
        Case("FMNMX.NAN {d}, R2, R4, !PT", with_nan),
        Case("FMNMX.XORSIGN {d}, |R2|, |R4|, PT", product_sign),
        Case("FSEL {d}, R2, -R4, P0", lambda x: x.r[2] if x.p0 else x.r[4] ^ 0x80000000, None),
        Case("FSEL {d}, |R2|, +QNAN , !P0",
             lambda x: SINGLE.quiet if x.p0 else magnitude(x, 2), None),
        Case("FSET.BF.GT.AND {d}, R2, R4, PT",
             lambda x: 0x3F800000 if compared("GT", *abc(x)[:2]) else 0, None),
        Case("FSET.BF.GTU.OR {d}, R2, R4, P0",
             lambda x: 0x3F800000 if compared("GTU", *abc(x)[:2]) or x.p0 else 0, None),
        Case("FSET.NEU.AND {d}, R2, R4, !P0",
             lambda x: EVERY if compared("NEU", *abc(x)[:2]) and not x.p0 else 0, None),
    ]  # fmt: skip


ARITHMETIC = (*sums("RN"), *sums("RZ"), *sums("RM"), *sums("RP"), *finished(), *chosen())


@pytest.fixture(scope="module")
def arithmetic(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    lines = [*Bench.lines(ARITHMETIC), "EXIT"]
    return Bench(ARITHMETIC, InstructionWarp(lines, tmp_path_factory.mktemp("floating")))


def test_all_arithmetic_is_translated(arithmetic: Bench) -> None:
    assert arithmetic.warp.translation.unsupported == ()


@pytest.mark.parametrize("seed", range(12))
def test_arithmetic_is_rounded_as_exact_arithmetic(arithmetic: Bench, seed: int) -> None:
    arithmetic.run(random.Random(seed))


def comparison_lines() -> list[str]:
    lines = []
    for n, name in enumerate(COMPARISONS):
        lines += [f"FSETP.{name}.AND P1, P2, R2, |R4|, P0", f"SEL R{20 + n}, 0x1, RZ, P1",
                  f"SEL R{40 + n}, 0x1, RZ, P2", f"DSETP.{name}.OR P3, PT, R10, R12, !P0",
                  f"SEL R{60 + n}, 0x1, RZ, P3", f"FSETP.{name}.FTZ.AND P4, PT, R2, R4, PT",
                  f"SEL R{80 + n}, 0x1, RZ, P4"]  # fmt: skip
    return [*lines,
            "DSETP.MAX.AND P1, P2, R10, R12, PT", "SEL R100, R10, R12, P1",
            "FSEL R101, R11, R13, P1", "@P2 LOP3.LUT R101, R13, 0x80000, RZ, 0xfc, !PT",
            "DSETP.MIN.AND P1, P2, R10, R12, PT", "SEL R102, R10, R12, P1",
            "FSEL R103, R11, R13, P1", "@P2 LOP3.LUT R103, R13, 0x80000, RZ, 0xfc, !PT",
            # A division as the compiler writes it: P5 tells that it is not to be trusted.
            "MUFU.RCP R110, R4", "FCHK P5, R2, R4", "FFMA R111, -R4, R110, 1",
            "FFMA R111, R110, R111, R110", "FFMA R110, R2, R111, RZ",
            "FFMA R112, -R4, R110, R2", "FFMA R113, R111, R112, R110", "SEL R114, 0x1, RZ, P5",
            *(f"MUFU.{name} R{120 + n}, {argument}"
              for n, (name, argument) in enumerate(FUNCTIONS.items())), "EXIT"]  # fmt: skip


FUNCTIONS = {"RCP": "R4", "RSQ": "|R4|", "SQRT": "|R4|", "SIN": "R6", "COS": "R6", "EX2": "R6",
             "LG2": "|R4|", "TANH": "R6", "RCP64H": "R13", "RSQ64H": "|R13|"}  # fmt: skip


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> InstructionWarp:
    return InstructionWarp(comparison_lines(), tmp_path_factory.mktemp("comparisons"))


@pytest.mark.parametrize("seed", range(8))
def test_comparisons_know_nan(others: InstructionWarp, seed: int) -> None:
    assert others.translation.unsupported == ()
    fill(others, random.Random(seed))
    given = list(others.registers)
    p0 = others.predicates[0]
    assert others.run() == 0
    for n in range(LANES):
        lane = Lane(tuple(row[n] for row in given[:20]), bool(p0 >> n & 1))
        (a, b, _), (x, y, _) = abc(lane), doubles(lane)
        for at, name in enumerate(COMPARISONS):
            holds = compared(name, a, abs(b))
            found = [others.registers[base + at][n] for base in (20, 40, 60, 80)]
            assert found == [
                holds and lane.p0,
                (not holds) and lane.p0,
                compared(name, x, y) or not lane.p0,
                compared(name, flushed(a), flushed(b)),
            ], (name, a, b, x, y)


def test_double_extremes_take_the_number_of_a_number_and_nan(others: InstructionWarp) -> None:
    for seed in range(10):
        fill(others, random.Random(seed))
        given = list(others.registers)
        assert others.run() == 0
        for n in range(LANES):
            x, y, _ = doubles(Lane(tuple(row[n] for row in given[:20]), p0=False))
            for at, choose in ((100, max), (102, min)):
                found = DOUBLE.value(others.registers[at][n] | others.registers[at + 1][n] << 32)
                numbers = [each for each in (x, y) if not math.isnan(each)]
                if numbers:
                    assert found == choose(numbers), (x, y)
                else:
                    assert math.isnan(found)


def test_divisions_that_pass_the_check_are_exact(others: InstructionWarp) -> None:
    passed = 0
    for seed in range(60):
        fill(others, random.Random(seed))
        given = list(others.registers)
        assert others.run() == 0
        for n in range(LANES):
            top, bottom = SINGLE.value(given[2][n]), SINGLE.value(given[4][n])
            usual = all(2.0**-50 < abs(x) < 2.0**50 for x in (top, bottom))
            if others.registers[114][n]:
                assert not usual, (top, bottom)
                continue
            passed += 1
            quotient = Fraction(top) / Fraction(bottom)
            minus = math.copysign(1, top) * math.copysign(1, bottom) < 0
            wanted = SINGLE.rounded(quotient, minus_zero=minus)
            assert others.registers[113][n] == wanted, (top.hex(), bottom.hex())
    assert passed > 500


def close(found: float, wanted: float, ulps: float, absolute: float = 0.0) -> bool:
    if math.isnan(wanted):
        return math.isnan(found)
    if math.isinf(wanted):
        return found == wanted
    return abs(found - wanted) <= max(absolute, ulps * max(abs(wanted), 2.0**-126) * 2.0**-23)


def function_of(name: str, a: float) -> float:
    """By the host's mathematics; NaN and infinite where the function is."""
    if math.isnan(a):
        return math.nan
    if name == "RCP":
        return math.copysign(math.inf, a) if a == 0 else 1 / a
    if name in ("RSQ", "LG2") and a == 0:
        return math.inf if name == "RSQ" else -math.inf
    if name in ("SIN", "COS") and math.isinf(a):
        return math.nan
    turns = {"SIN": math.sin, "COS": math.cos}
    if name in turns:
        return turns[name](2 * math.pi * math.fmod(a, 1.0))
    plain: dict[str, Callable[[], float]] = {
        "RSQ": lambda: 1 / math.sqrt(a),
        "SQRT": lambda: math.sqrt(a),
        "EX2": lambda: 2.0**a if a < 1000 else math.inf,
        "TANH": lambda: math.tanh(a),
        "LG2": lambda: math.log2(a),
    }
    value = plain[name]()
    return math.inf if abs(value) >= 2.0**128 else value


def test_special_functions_are_within_the_documented_error(others: InstructionWarp) -> None:
    checked = 0
    for seed in range(20):
        fill(others, random.Random(seed))
        chance = random.Random(seed)
        others.registers[6] = [
            exact.converted(chance.uniform(-30, 30), SINGLE) for _ in range(LANES)
        ]
        given = list(others.registers)
        assert others.run() == 0
        for at, (name, argument) in enumerate(FUNCTIONS.items()):
            for n in range(LANES):
                if name.endswith("64H"):
                    continue
                word = given[int(argument.strip("|R"))][n]
                word = word & 0x7FFFFFFF if argument.startswith("|") else word
                a = SINGLE.value(word)
                wanted = function_of(name, a)
                if math.isfinite(wanted) and abs(wanted) > 3.4e38:
                    continue
                found = SINGLE.value(others.registers[120 + at][n])
                absolute = 2.0**-20.9 if name in ("SIN", "COS", "LG2") else 2.0**-149
                assert close(found, wanted, 2.0, absolute), (name, a, found, wanted)
                checked += 1
    assert checked > 4000


def test_upper_words_of_reciprocals(others: InstructionWarp) -> None:
    fill(others, random.Random(1))
    others.registers[13] = [0x40000000 + 0x1000 * n + (n % 2 << 31) for n in range(LANES)]
    others.registers[12] = [0] * LANES
    held = list(others.registers[13])
    assert others.run() == 0
    for n in range(LANES):
        a = DOUBLE.value(held[n] << 32)
        reciprocal = DOUBLE.value(others.registers[128][n] << 32)
        assert abs(reciprocal * a - 1) < 2.0**-19
        root = DOUBLE.value(others.registers[129][n] << 32)
        assert abs(root * root * abs(a) - 1) < 2.0**-18
