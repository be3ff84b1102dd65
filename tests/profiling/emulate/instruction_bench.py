"""Instructions beside each other in one warp, each with what its result must be."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.profiling.emulate import number_formats as exact
from tests.profiling.emulate.instruction_warp import EVERY, LANES, InstructionWarp
from tests.profiling.emulate.number_formats import DOUBLE, SINGLE, Format


@dataclass(frozen=True)
class Lane:
    """A lane's inputs: R2, R4 and R6 single, R10, R12 and R14 double, R8 an integer, R16 two."""

    r: tuple[int, ...]
    p0: bool

    def single(self, number: int) -> float:
        return SINGLE.value(self.r[number])

    def bits64(self, number: int) -> int:
        return self.r[number] | self.r[number + 1] << 32

    def double(self, number: int) -> float:
        return DOUBLE.value(self.bits64(number))


Fill = Callable[[InstructionWarp, random.Random], None]
Check = Callable[[Lane], int]


@dataclass(frozen=True)
class Case:
    """An instruction, whose ``{d}`` is where its result goes, and what that must be."""

    text: str
    check: Check
    of: Format | None = SINGLE
    """None: bits, compared as they are. Of numbers, any NaN does for a NaN."""
    wide: bool = False


class Bench:
    """Cases in one warp, each with registers of its own for its result."""

    def __init__(self, cases: tuple[Case, ...], warp: InstructionWarp) -> None:
        self.cases, self.warp = cases, warp

    @staticmethod
    def places(cases: tuple[Case, ...]) -> list[int]:
        return [20 + 2 * n for n in range(len(cases))]

    @classmethod
    def lines(cls, cases: tuple[Case, ...]) -> list[str]:
        pairs = zip(cases, cls.places(cases), strict=True)
        return [case.text.format(d=f"R{at}") for case, at in pairs]

    def result(self, case: Case, at: int, lane: int) -> int:
        """What an instruction has put into its registers."""
        upper = self.warp.registers[at + 1][lane] << 32 if case.wide else 0
        return self.warp.registers[at][lane] | upper

    def run(self, chance: random.Random, given: Fill | None = None) -> None:
        """Run with inputs of chance, and hold every lane to what it must find."""
        (given or fill)(self.warp, chance)
        lanes = [self.lane(n) for n in range(LANES)]
        assert self.warp.run() == 0
        for case, at in zip(self.cases, self.places(self.cases), strict=True):
            for n, lane in enumerate(lanes):
                found = self.result(case, at, n)
                wanted = case.check(lane)
                if case.of is not None and case.of.is_nan(wanted):
                    assert case.of.is_nan(found), (case.text, lane, hex(found))
                else:
                    assert found == wanted, (case.text, list(map(hex, lane.r)), lane.p0,
                                             hex(found), hex(wanted))  # fmt: skip

    def lane(self, n: int) -> Lane:
        rows = self.warp.registers[:20]
        return Lane(tuple(row[n] for row in rows), bool(self.warp.predicates[0] >> n & 1))


SPECIAL = (0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, 1.5, 2.5, -3.5, 2.0**31,
           -(2.0**31), 2.0**32, 2.0**63, -(2.0**63), 2.0**64, 65504.0, 65520.0, 2.0**-14, 2.0**-24,
           2.0**-25, 2.0**-126, 2.0**-149, 3.4e38, 254.5, -128.5, 127.5)  # fmt: skip


def number(chance: random.Random, of: Format) -> int:
    """Bits: of any kind, of numbers of like size, and of special ones."""
    kind = chance.random()
    if kind < 0.2:
        return exact.converted(chance.choice(SPECIAL), of)
    if kind < 0.4:
        return chance.getrandbits(of.bits)
    if kind < 0.5:  # subnormal
        return chance.getrandbits(of.fraction_bits) | chance.choice((0, of.sign_bit))
    spread = chance.choice((2, 8, 40))
    exponent = of.bias + chance.randint(-spread, spread)
    most = (1 << of.bits - 1 - of.fraction_bits) - 2
    bits = min(max(exponent, 0), most) << of.fraction_bits
    fraction = chance.getrandbits(of.fraction_bits)
    if chance.random() < 0.3:  # few bits: halves between numbers
        fraction &= -1 << of.fraction_bits - chance.randint(1, 4)
    return bits | fraction | chance.choice((0, of.sign_bit))


def fill(warp: InstructionWarp, chance: random.Random) -> None:
    for register in (2, 4, 6):
        warp.registers[register] = [number(chance, SINGLE) for _ in range(LANES)]
    for register in (10, 12, 14):
        held = [number(chance, DOUBLE) for _ in range(LANES)]
        warp.registers[register] = [x & EVERY for x in held]
        warp.registers[register + 1] = [x >> 32 for x in held]
    for register in (8, 9, 16, 17, 18):
        warp.registers[register] = [chance.getrandbits(32) >> chance.choice((0, 0, 8, 16, 25))
                                    for _ in range(LANES)]  # fmt: skip
    for lane in range(0, LANES, 5):  # equal and opposite numbers
        warp.registers[4][lane] = warp.registers[2][lane] ^ chance.choice((0, 1 << 31))
        for n in range(2):
            warp.registers[12 + n][lane] = warp.registers[10 + n][lane]
        warp.registers[13][lane] ^= chance.choice((0, 1 << 31))
    warp.predicates = [chance.getrandbits(32) for _ in range(7)] + [EVERY]
