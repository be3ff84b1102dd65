"""Conversions and half precision against exact arithmetic on fractions."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from tests.profiling.emulate import number_formats as exact
from tests.profiling.emulate.instruction_bench import Bench, Case, Lane, fill, number
from tests.profiling.emulate.instruction_warp import EVERY, LANES, InstructionWarp
from tests.profiling.emulate.number_formats import BRAIN, DOUBLE, HALF, SINGLE, Format

MODES = {"": "RN", ".TRUNC": "RZ", ".FLOOR": "RM", ".CEIL": "RP"}
DIRECTIONS = {"": "RN", ".RZ": "RZ", ".RM": "RM", ".RP": "RP"}


def signed(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def to_integer(value: float, mode: str, kind: str, *, nan_is_zero: bool, result: int) -> int:
    bits = int(kind[1:])
    if math.isnan(value):
        return 0 if nan_is_zero else 1 << bits - 1
    return exact.to_integer(value, mode, bits, signed=kind[0] == "S") & (1 << result) - 1


def to_integers(
    text: str, kind: str, value: Callable[[Lane], float], mode: str, *, nan_is_zero: bool = False
) -> Case:
    """A conversion to an integer type; shorter ones fill a register."""
    result = max(32, int(kind[1:]))

    def check(lane: Lane) -> int:
        return to_integer(value(lane), mode, kind, nan_is_zero=nan_is_zero, result=result)

    return Case(text, check, None, wide=result == 64)


def integers(suffix: str, mode: str) -> list[Case]:
    out = []
    for kind, name in (("S32", ""), ("U32", ".U32")):
        out += [
            to_integers(f"F2I{name}{suffix}.NTZ {{d}}, R2", kind, lambda x: x.single(2), mode,
                        nan_is_zero=True),
            to_integers(f"F2I{name}.F64{suffix} {{d}}, -R10", kind, lambda x: -x.double(10), mode),
        ]  # fmt: skip
    for kind in ("S64", "U64"):
        out += [
            to_integers(f"F2I.{kind}{suffix} {{d}}, |R2|", kind, lambda x: abs(x.single(2)), mode),
            to_integers(f"F2I.{kind}.F64{suffix} {{d}}, R10", kind, lambda x: x.double(10), mode),
        ]
    return out


def short_integers() -> list[Case]:
    def single(lane: Lane) -> float:
        return lane.single(2)

    return [
        *(to_integers(f"F2I.{kind}.TRUNC.NTZ {{d}}, R2", kind, single, "RZ", nan_is_zero=True)
          for kind in ("S8", "U8", "S16", "U16")),
        to_integers("F2I.U16.F16.TRUNC.NTZ {d}, R16", "U16", lambda x: half(x, 16), "RZ",
                    nan_is_zero=True),
        to_integers("F2I.FTZ.CEIL.NTZ {d}, R2", "S32",
                    lambda x: SINGLE.value(SINGLE.flushed(x.r[2])), "RP", nan_is_zero=True),
    ]  # fmt: skip


def half(lane: Lane, register: int, *, high: bool = False, of: Format = HALF) -> float:
    return of.value(lane.r[register] >> (16 if high else 0) & 0xFFFF)


def directed(suffix: str, mode: str) -> list[Case]:
    return [
        Case(f"I2FP.F32.S32{suffix} {{d}}, R8",
             lambda x: exact.converted_integer(signed(x.r[8]), SINGLE, mode)),
        Case(f"I2FP.F32.U32{suffix} {{d}}, R8",
             lambda x: exact.converted_integer(x.r[8], SINGLE, mode)),
        Case(f"I2F.S64{suffix} {{d}}, R8",
             lambda x: exact.converted_integer(signed(x.bits64(8), 64), SINGLE, mode)),
        Case(f"I2F.F64.U64{suffix} {{d}}, R8",
             lambda x: exact.converted_integer(x.bits64(8), DOUBLE, mode), DOUBLE,
             wide=True),
        Case(f"F2F.F32.F64{suffix} {{d}}, R10",
             lambda x: exact.converted(x.double(10), SINGLE, mode)),
    ]  # fmt: skip


def whole_numbers(suffix: str, mode: str) -> list[Case]:
    return [
        Case(f"FRND{suffix} {{d}}, R2", lambda x: whole(x.single(2), mode, SINGLE)),
        Case(f"FRND.F64{suffix} {{d}}, R10",
             lambda x: whole(x.double(10), mode, DOUBLE), DOUBLE, wide=True),
        Case(f"FRND.F16{suffix} {{d}}, R16",
             lambda x: whole(half(x, 16), mode, HALF), HALF),
    ]  # fmt: skip


def saturating(to: str, of: str) -> Case:
    def check(lane: Lane) -> int:
        return bounded(lane.r[8] if of == "U32" else signed(lane.r[8]), to) & EVERY

    return Case(f"I2I.{to}.{of}.SAT {{d}}, R8", check, None)


def numbers() -> list[Case]:
    return [
        Case("I2F.F64 {d}, R8", lambda x: exact.converted_integer(signed(x.r[8]), DOUBLE), DOUBLE,
             wide=True),
        Case("I2F.F64.U32 {d}, R8", lambda x: exact.converted_integer(x.r[8], DOUBLE), DOUBLE,
             wide=True),
        Case("I2F.F64.S64 {d}, R8",
             lambda x: exact.converted_integer(signed(x.bits64(8), 64), DOUBLE), DOUBLE,
             wide=True),
        Case("I2F.F64 {d}, RZ", lambda x: 0, DOUBLE, wide=True),
        Case("I2F.S64 {d}, RZ", lambda x: 0),
        Case("I2F {d}, RZ", lambda x: 0),
        Case("I2F.S16 {d}, R8", lambda x: exact.converted_integer(signed(x.r[8], 16), SINGLE)),
        Case("I2F.U8 {d}, R8.B2",
             lambda x: exact.converted_integer(x.r[8] >> 16 & 0xFF, SINGLE)),
        Case("I2F.S8 {d}, R8.B3",
             lambda x: exact.converted_integer(signed(x.r[8] >> 24, 8), SINGLE)),
        Case("I2F.U16 {d}, R8.H1", lambda x: exact.converted_integer(x.r[8] >> 16, SINGLE)),
        Case("I2F.F16 {d}, R8", lambda x: exact.converted_integer(signed(x.r[8]), HALF), HALF),
        Case("I2F.F16.RZ {d}, R8",
             lambda x: exact.converted_integer(signed(x.r[8]), HALF, "RZ"), HALF),
        Case("I2F.BF16 {d}, R8", lambda x: exact.converted_integer(signed(x.r[8]), BRAIN), BRAIN),
        to_integers("F2I.BF16.TRUNC.NTZ {d}, R16", "S32", lambda x: half(x, 16, of=BRAIN), "RZ",
                    nan_is_zero=True),
        Case("F2F.F64.F32 {d}, -|R2|", lambda x: exact.converted(-abs(x.single(2)), DOUBLE),
             DOUBLE, wide=True),
        Case("F2F.F16.F64 {d}, R10", lambda x: exact.converted(x.double(10), HALF), HALF),
        Case("F2F.BF16.F64 {d}, R10", lambda x: exact.converted(x.double(10), BRAIN), BRAIN),
        Case("F2F.F16.F32 {d}, R2", lambda x: exact.converted(x.single(2), HALF), HALF),
        *(saturating(to, of) for to in ("S8", "U8", "S16", "U16") for of in ("S32", "U32")),
        Case("I2IP.S8.S32.SAT {d}, R8, R9, R2",
             lambda x: bounded(signed(x.r[9]), "S8") & 0xFF
             | (bounded(signed(x.r[8]), "S8") & 0xFF) << 8 | x.r[2] << 16 & EVERY, None),
    ]  # fmt: skip


def bounded(value: int, kind: str) -> int:
    return exact.bounded(value, int(kind[1:]), signed=kind[0] == "S")


def whole(value: float, mode: str, of: Format) -> int:
    """The nearest whole number, with the sign of what it is rounded from."""
    if not math.isfinite(value):
        return exact.special(value, of)
    return exact.converted(math.copysign(float(exact.whole_number(value, mode)), value), of)


Pair = tuple[float, float]
"""The low and the high number of a register."""


def pair(lane: Lane, register: int, of: Format) -> Pair:
    return half(lane, register, of=of), half(lane, register, high=True, of=of)


Make = Callable[[Pair, Pair, Pair], tuple[int, ...]]


def packed(case: str, of: Format, make: Make) -> list[Case]:
    """An instruction on R16, R17 and R18, checked in its low and in its high number."""

    def both(lane: Lane) -> tuple[int, ...]:
        return make(*(pair(lane, register, of) for register in (16, 17, 18)))

    return [
        Case(case, lambda x: both(x)[0], of),
        Case(f"{case}|high", lambda x: both(x)[1], of),
    ]


def least(a: float, b: float, of: Format, *, largest: bool = False) -> int:
    """By IEEE 754's minimumNumber."""
    if math.isnan(a) or math.isnan(b):
        return exact.converted(b if math.isnan(a) else a, of)
    pairs = sorted((v, math.copysign(1, v)) for v in (a, b))
    return exact.converted(pairs[-1 if largest else 0][0], of)


def clamped(bits: int, of: Format, *, most: bool) -> int:
    """Not less than 0, and if asked not more than 1: NaN then is 0."""
    value = of.value(bits)
    if math.isnan(value):
        return 0 if most else bits
    if value <= 0:
        return 0
    return exact.converted(1.0, of) if most and value > 1 else bits


def halves() -> list[Case]:
    h, b, fma, add = HALF, BRAIN, exact.multiply_add, exact.add
    out: list[Case] = []
    out += packed(
        "HADD2 {d}, R16, -R17", h, lambda p, q, r: (add(p[0], -q[0], h), add(p[1], -q[1], h))
    )
    out += packed(
        "HADD2 {d}, |R16|.H1_H1, R17.H0_H0", h, lambda p, q, r: (add(abs(p[1]), q[0], h),) * 2
    )
    out += packed(
        "HADD2 {d}, R16, 1.5, -0.25", h, lambda p, q, r: (add(p[0], -0.25, h), add(p[1], 1.5, h))
    )
    out += packed(
        "HADD2.SAT {d}, R16, R17",
        h,
        lambda p, q, r: tuple(clamped(add(p[n], q[n], h), h, most=True) for n in range(2)),
    )
    out += packed(
        "HMUL2 {d}, R16.H0_H0, R17",
        h,
        lambda p, q, r: tuple(exact.multiply(p[0], q[n], h) for n in range(2)),
    )
    out += packed(
        "HFMA2 {d}, R16, R17, -R18",
        h,
        lambda p, q, r: tuple(fma(p[n], q[n], -r[n], h) for n in range(2)),
    )
    out += packed(
        "HFMA2.MMA {d}, R16, 2.5, 1.5, R18",
        h,
        lambda p, q, r: (fma(p[0], 1.5, r[0], h), fma(p[1], 2.5, r[1], h)),
    )
    out += packed(
        "HFMA2 {d}, R16.H0_H0, R17.H1_H1, R18.H0_H0",
        h,
        lambda p, q, r: (fma(p[0], q[1], r[0], h),) * 2,
    )
    out += packed(
        "HFMA2.RELU {d}, R16, R17, R18",
        h,
        lambda p, q, r: tuple(clamped(fma(p[n], q[n], r[n], h), h, most=False) for n in range(2)),
    )
    out += packed(
        "HFMA2.BF16_V2 {d}, R16, R17, R18",
        b,
        lambda p, q, r: tuple(fma(p[n], q[n], r[n], b) for n in range(2)),
    )
    out += packed(
        "HFMA2.BF16_V2 {d}, R16, 1, 1, R18",
        b,
        lambda p, q, r: tuple(add(p[n], r[n], b) for n in range(2)),
    )
    out += packed(
        "HMNMX2 {d}, R16, R17, PT", h, lambda p, q, r: tuple(least(p[n], q[n], h) for n in range(2))
    )
    out += packed(
        "HMNMX2.BF16_V2.NAN {d}, R16, R17, !PT",
        b,
        lambda p, q, r: tuple(
            b.quiet if math.isnan(p[n]) or math.isnan(q[n]) else least(p[n], q[n], b, largest=True)
            for n in range(2)
        ),
    )
    out += packed(
        "HSET2.BF.GT.AND {d}, R16, R17, PT",
        h,
        lambda p, q, r: tuple(0x3C00 * (p[n] > q[n]) for n in range(2)),
    )
    out += packed(
        "HSET2.BF.GEU.AND {d}, R16, 0.5, 2, PT",
        h,
        lambda p, q, r: tuple(0x3C00 * (not v < w) for v, w in zip(p, (2, 0.5), strict=True)),
    )
    out.append(
        Case(
            "HSET2.LE.AND {d}, R16, R17, P0",
            lambda x: sum(
                0xFFFF << 16 * n
                for n in range(2)
                if x.p0 and pair(x, 16, h)[n] <= pair(x, 17, h)[n]
            ),
            None,
        )
    )
    out.append(
        Case(
            "HADD2.F32 {d}, -RZ, R16.H1_H1",
            lambda x: exact.converted(half(x, 16, high=True), SINGLE),
        )
    )
    for suffix, mode in (("", "RN"), (".RZ", "RZ")):
        out += packing(f"F2FP.PACK_AB{suffix}", h, mode)
        out += packing(f"F2FP.BF16.PACK_AB{suffix}", b, mode)
    return out


def packing(opcode: str, of: Format, mode: str) -> list[Case]:
    """The second operand goes into the low half."""
    text = f"{opcode} {{d}}, R2, R4"
    return [
        Case(text, lambda x: exact.converted(x.single(4), of, mode), of),
        Case(f"{text}|high", lambda x: exact.converted(x.single(2), of, mode), of),
    ]


CASES = (
    *(case for mode in MODES.items() for case in (*integers(*mode), *whole_numbers(*mode))),
    *(case for mode in DIRECTIONS.items() for case in directed(*mode)),
    *short_integers(),
    *numbers(),
)
HALVES = tuple(halves())


class PackedBench(Bench):
    """A result's half at a time; ``|high`` marks the second half."""

    @classmethod
    def lines(cls, cases: tuple[Case, ...]) -> list[str]:
        return [line.split("|high")[0] for line in super().lines(cases)]

    def result(self, case: Case, at: int, lane: int) -> int:
        word = super().result(case, at, lane)
        if case.of is None or case.of.bits != 16:
            return word
        return word >> (16 if case.text.endswith("|high") else 0) & 0xFFFF


def given(warp: InstructionWarp, chance: random.Random) -> None:
    fill(warp, chance)
    for register in (16, 17, 18):
        of = chance.choice((HALF, BRAIN))
        warp.registers[register] = [number(chance, of) | number(chance, of) << 16
                                    for _ in range(LANES)]  # fmt: skip
    for lane in range(0, LANES, 4):
        warp.registers[17][lane] = warp.registers[16][lane] ^ 0x80000000


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> list[Bench]:
    found: list[Bench] = []
    for cases in (CASES, HALVES):
        folder = tmp_path_factory.mktemp("conversions")
        warp = InstructionWarp([*PackedBench.lines(cases), "EXIT"], folder)
        found.append(PackedBench(cases, warp))
    return found


def test_all_are_translated(benches: list[Bench]) -> None:
    assert [bench.warp.translation.unsupported for bench in benches] == [(), ()]


@pytest.mark.parametrize("seed", range(16))
def test_results_are_those_of_exact_arithmetic(benches: list[Bench], seed: int) -> None:
    for bench in benches:
        bench.run(random.Random(seed), given)


def test_comparisons_of_pairs(tmp_path_factory: pytest.TempPathFactory) -> None:
    lines = ["HSETP2.GT.AND P1, P2, R16, R17, P0", "SEL R20, 0x1, RZ, P1", "SEL R21, 0x1, RZ, P2",
             "HSETP2.NEU.OR P1, PT, R16.H1_H1, R17.H0_H0, !P0", "SEL R22, 0x1, RZ, P1",
             "HSETP2.BF16_V2.LTU.AND P1, P2, |R16|, 3, 0.5, PT", "SEL R23, 0x1, RZ, P1",
             "SEL R24, 0x1, RZ, P2"]  # fmt: skip
    warp = InstructionWarp([*lines, "EXIT"], tmp_path_factory.mktemp("pairs"))
    assert warp.translation.unsupported == ()
    for seed in range(10):
        given(warp, random.Random(seed))
        rows = [list(row) for row in warp.registers[:20]]
        mask = warp.predicates[0]
        assert warp.run() == 0
        for n in range(LANES):
            lane = Lane(tuple(row[n] for row in rows), bool(mask >> n & 1))
            p, q = pair(lane, 16, HALF), pair(lane, 17, HALF)
            brain = pair(lane, 16, BRAIN)
            assert [warp.registers[at][n] for at in range(20, 25)] == [
                p[0] > q[0] and lane.p0, p[1] > q[1] and lane.p0,
                p[1] != q[0] or math.isnan(p[1]) or not lane.p0,
                not abs(brain[0]) >= 0.5, not abs(brain[1]) >= 3,
            ], (p, q, brain)  # fmt: skip
