"""Integer instructions against arithmetic on Python's own integers."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.profiling.emulate.instruction_warp import EVERY, LANES, InstructionWarp

EDGES = (0, 1, 2, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0x0000FFFF, 0x00FF00FF)
A, B, C, D = 2, 4, 6, 8
"""Input registers: R2, R4, R6 and R8, and the next of each for 64-bit values."""


def signed(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def bit(predicate: int, lane: int) -> int:
    return predicate >> lane & 1


Check = Callable[[dict[int, int], dict[int, int]], dict[str, int]]
"""From a lane's input registers and predicates to what it must find: by ``R20`` or ``P1``."""


def add64(r: dict[int, int], p: dict[int, int]) -> dict[str, int]:
    total = (r[2] | r[3] << 32) + (r[4] | r[5] << 32)
    return {"R20": total & EVERY, "R21": total >> 32 & EVERY}


def subtract64(r: dict[int, int], p: dict[int, int]) -> dict[str, int]:
    total = (r[2] | r[3] << 32) - (r[4] | r[5] << 32)
    return {"R22": total & EVERY, "R23": total >> 32 & EVERY}


def multiply_add_carry(r: dict[int, int], p: dict[int, int]) -> dict[str, int]:
    total = r[2] * r[4] + (r[6] | r[7] << 32)
    return {"R24": total & EVERY, "R25": total >> 32 & EVERY, "P1": total >> 64}


def multiply_high_carry(r: dict[int, int], p: dict[int, int]) -> dict[str, int]:
    total = r[2] * r[4] + (r[6] | r[7] << 32)
    return {"R26": total >> 32 & EVERY, "P2": total >> 64}


def multiply_signed(r: dict[int, int], p: dict[int, int]) -> dict[str, int]:
    total = signed(r[2]) * signed(r[4]) + (r[6] | r[7] << 32)
    return {"R28": total & EVERY, "R29": total >> 32 & EVERY}


def scaled(r: dict[int, int], p: dict[int, int]) -> dict[str, int]:
    total = ((r[2] | r[3] << 32) << 3) + (r[4] | r[5] << 32)
    return {"R30": total & EVERY, "R31": total >> 32 & EVERY}


def scaled_index(r: dict[int, int], p: dict[int, int]) -> dict[str, int]:
    total = (signed(r[2]) << 2) + (r[4] | r[5] << 32)
    return {"R32": total & EVERY, "R33": total >> 32 & EVERY}


def shifts(r: dict[int, int], p: dict[int, int]) -> dict[str, int]:
    whole, by = r[2] | r[3] << 32, r[8]
    clamped = min(by, 32)
    return {
        "R34": r[2] << clamped & EVERY,
        "R35": r[3] >> clamped,
        "R36": signed(r[3]) >> min(by, 31) & EVERY if by < 32 else signed(r[3]) >> 31 & EVERY,
        "R37": whole << min(by, 64) >> 32 & EVERY,
        "R38": whole >> min(by, 64) & EVERY,
        "R39": whole >> (by & 31) & EVERY,
        "R40": signed(whole, 64) >> min(by, 63) & EVERY,
    }


def bits(r: dict[int, int], p: dict[int, int]) -> dict[str, int]:
    value = r[2]
    flipped = ~value & EVERY if value >> 31 else value
    return {
        "R41": value.bit_count(),
        "R42": value.bit_length() - 1 & EVERY,
        "R43": 32 - value.bit_length() if value else EVERY,
        "R44": flipped.bit_length() - 1 & EVERY,
        "R45": int(f"{value:032b}"[::-1], 2),
        "R46": abs(signed(value)) & EVERY,
        "R47": ((1 << min(r[9] & 63, 32)) - 1) << (r[8] & 31) & EVERY,
        "R48": signed(value & 0xFFF, 12) & EVERY,
        "R49": value & 0x7F,
    }


def logic(r: dict[int, int], p: dict[int, int]) -> dict[str, int]:
    a, b, c = r[2], r[4], r[6]
    return {
        "R50": a & b,
        "R51": a | b | c,
        "R52": a ^ b ^ c,
        "R53": (a & b) | (~a & c & EVERY),
        "R54": ~(a | b) & EVERY,
        "P3": int(a & 0xFF != 0),
    }


def choices(r: dict[int, int], p: dict[int, int]) -> dict[str, int]:
    a, b = r[2], r[4]
    return {
        "R55": min(signed(a), signed(b)) & EVERY,
        "R56": max(a, b),
        "R57": a if p[0] else b,
        "R58": (min if p[0] else max)(signed(a), signed(b)) & EVERY,
    }


def permuted(r: dict[int, int], p: dict[int, int]) -> dict[str, int]:
    whole = r[2] | r[4] << 32

    def byte(which: int) -> int:
        value = whole >> (8 * (which & 7)) & 0xFF
        return (0xFF if value & 0x80 else 0) if which & 8 else value

    def word(selector: int) -> int:
        return sum(byte(selector >> (4 * n) & 15) << (8 * n) for n in range(4))

    return {"R59": word(0x5410), "R60": word(0x9876), "R61": word(r[8] & 0xFFFF), "R62": word(0x3B)}


def sums_of_products(r: dict[int, int], p: dict[int, int]) -> dict[str, int]:
    def pieces(value: int, *, is_signed: bool) -> list[int]:
        found = [value >> (8 * n) & 0xFF for n in range(4)]
        return [signed(x, 8) for x in found] if is_signed else found

    def dot(*, left: bool, right: bool) -> int:
        pairs = zip(pieces(r[2], is_signed=left), pieces(r[4], is_signed=right), strict=True)
        return sum(x * y for x, y in pairs) + r[6] & EVERY

    return {
        "R63": dot(left=True, right=True),
        "R64": dot(left=False, right=False),
        "R65": (abs(signed(r[2]) - signed(r[4])) + r[6]) & EVERY,
        "R66": sum(abs(x - y) for x, y in zip(pieces(r[2], is_signed=False),
                   pieces(r[4], is_signed=False), strict=True)) + r[6] & EVERY,
    }  # fmt: skip


CASES: tuple[tuple[tuple[str, ...], Check], ...] = (
    (("IADD3 R20, P1, R2, R4, RZ", "IADD3.X R21, R3, R5, RZ, P1, !PT"), add64),
    (("IADD3 R22, P1, R2, -R4, RZ", "IADD3.X R23, R3, ~R5, RZ, P1, !PT"), subtract64),
    (("IMAD.WIDE.U32 R24, P1, R2, R4, R6",), multiply_add_carry),
    (("IMAD.HI.U32 R26, P2, R2, R4, R6",), multiply_high_carry),
    (("IMAD.WIDE R28, R2, R4, R6",), multiply_signed),
    (("LEA R30, P4, R2, R4, 0x3", "LEA.HI.X R31, R2, R5, R3, 0x3, P4"), scaled),
    (("LEA R32, P4, R2, R4, 0x2", "LEA.HI.X.SX32 R33, R2, R5, 0x2, P4"), scaled_index),
    (("SHF.L.U32 R34, R2, R8, RZ", "SHF.R.U32.HI R35, RZ, R8, R3",
      "SHF.R.S32.HI R36, RZ, R8, R3", "SHF.L.U64.HI R37, R2, R8, R3",
      "SHF.R.U64 R38, R2, R8, R3", "SHF.R.W.U32 R39, R2, R8, R3",
      "SHF.R.S64 R40, R2, R8, R3"), shifts),
    (("POPC R41, R2", "FLO.U32 R42, R2", "FLO.U32.SH R43, R2", "FLO R44, R2", "BREV R45, R2",
      "IABS R46, R2", "LOP3.LUT R10, R9, 0x3f, RZ, 0xc0, !PT",
      "LOP3.LUT R11, R8, 0x1f, RZ, 0xc0, !PT", "BMSK R47, R11, R10", "SGXT R48, R2, 0xc",
      "SGXT.U32 R49, R2, 0x7"), bits),
    (("LOP3.LUT R50, R2, R4, RZ, 0xc0, !PT", "LOP3.LUT R51, R2, R4, R6, 0xfe, !PT",
      "LOP3.LUT R52, R2, R4, R6, 0x96, !PT", "LOP3.LUT R53, R2, R4, R6, 0xca, !PT",
      "LOP3.LUT R54, R2, R4, RZ, 0x3, !PT", "LOP3.LUT P3, RZ, R2, 0xff, RZ, 0xc0, !PT"), logic),
    (("IMNMX R55, R2, R4, PT", "IMNMX.U32 R56, R2, R4, !PT", "SEL R57, R2, R4, P0",
      "IMNMX R58, R2, R4, P0"), choices),
    (("PRMT R59, R2, 0x5410, R4", "PRMT R60, R2, 0x9876, R4",
      "PRMT R61, R2, R8, R4", "PRMT R62, R2, 0x3b, R4"), permuted),
    (("IDP.4A.S8.S8 R63, R2, R4, R6", "IDP.4A.U8.U8 R64, R2, R4, R6",
      "VABSDIFF R65, R2, R4, R6", "VABSDIFF4.U8.ACC R66, R2, R4, R6"), sums_of_products),
)  # fmt: skip

COMPARISONS = ("LT", "LE", "GT", "GE", "EQ", "NE")


@pytest.fixture(scope="module")
def warp(tmp_path_factory: pytest.TempPathFactory) -> InstructionWarp:
    lines = [line for instructions, _ in CASES for line in instructions]
    return InstructionWarp([*lines, "EXIT"], tmp_path_factory.mktemp("integers"))


def fill(warp: InstructionWarp, chance: random.Random) -> None:
    for register in range(2, 10):
        warp.registers[register] = [
            chance.choice(EDGES) if chance.random() < 0.4 else chance.getrandbits(32)
            for _ in range(LANES)
        ]
    warp.registers[8] = [chance.choice((*range(70), 0xFFFFFFFF)) for _ in range(LANES)]
    warp.predicates = [chance.getrandbits(32) for _ in range(7)] + [EVERY]


def test_all_are_translated(warp: InstructionWarp) -> None:
    assert warp.translation.unsupported == ()


@pytest.mark.parametrize("seed", range(40))
def test_results_are_those_of_integers(warp: InstructionWarp, seed: int) -> None:
    chance = random.Random(seed)
    fill(warp, chance)
    lanes = EVERY if seed % 2 else chance.getrandbits(32) | 1
    before = [list(row) for row in warp.registers]
    given = list(warp.predicates)
    assert warp.run(lanes) == 0
    for lane in range(LANES):
        r = {n: before[n][lane] for n in range(2, 10)}
        p = {n: bit(given[n], lane) for n in range(7)}
        for instructions, check in CASES:
            wanted = check(r, p)
            if not lanes >> lane & 1:
                # Lanes that do not take part keep what they had.
                wanted = {
                    name: before[int(name[1:])][lane] if name[0] == "R" else p[int(name[1:])]
                    for name in wanted
                }
            for name, value in wanted.items():
                number = int(name[1:])
                is_register = name[0] == "R"
                if not is_register and number in (1, 4):
                    continue  # written more than once
                found = (warp.registers[number][lane] if is_register
                         else bit(warp.predicates[number], lane))  # fmt: skip
                assert found == value, (instructions, name, {k: hex(v) for k, v in r.items()})


@pytest.mark.parametrize("kind", ["", ".U32"])
def test_comparisons_of_words_and_pairs(tmp_path: Path, kind: str) -> None:
    lines = []
    for number, name in enumerate(COMPARISONS):
        lines += [f"ISETP.{name}{kind}.AND P0, P1, R2, R4, PT",
                  f"SEL R{20 + number}, 0x1, RZ, P0", f"SEL R{30 + number}, 0x1, RZ, P1",
                  f"ISETP.{name}.U32.AND P2, PT, R2, R4, PT",
                  f"ISETP.{name}{kind}.AND.EX P3, PT, R3, R5, PT, P2",
                  f"SEL R{40 + number}, 0x1, RZ, P3"]  # fmt: skip
    warp = InstructionWarp([*lines, "EXIT"], tmp_path)
    assert warp.translation.unsupported == ()
    operators = {"LT": int.__lt__, "LE": int.__le__, "GT": int.__gt__, "GE": int.__ge__,
                 "EQ": int.__eq__, "NE": int.__ne__}  # fmt: skip
    for seed in range(20):
        fill(warp, random.Random(seed))
        for lane in range(0, LANES, 3):
            warp.registers[3][lane] = warp.registers[5][lane]
        assert warp.run() == 0
        for lane in range(LANES):
            low = [warp.registers[n][lane] for n in (2, 4)]
            whole = [warp.registers[n][lane] | warp.registers[n + 1][lane] << 32 for n in (2, 4)]
            if not kind:
                low, whole = [signed(x) for x in low], [signed(x, 64) for x in whole]
            for number, name in enumerate(COMPARISONS):
                expected = operators[name](*low)
                assert warp.registers[20 + number][lane] == expected, (name, low)
                assert warp.registers[30 + number][lane] == (not expected), (name, low)
                assert warp.registers[40 + number][lane] == operators[name](*whole), (name, whole)


def test_guarded_instructions_count_the_threads_that_run(tmp_path: Path) -> None:
    warp = InstructionWarp(
        ["@P0 IADD3 R20, R2, 0x1, RZ", "@!P0 IADD3 R20, R2, -0x1, RZ", "EXIT"], tmp_path
    )
    warp.registers[2] = list(range(10, 42))
    warp.predicates[0] = 0x0000FFF0
    assert warp.run(0x00FFFFFF) == 0
    assert warp.predicated[:2] == [12, 12]
    assert warp.blocks[0] == (1, 24)
    assert warp.registers[20][:24] == [9 + n for n in range(4)] + [11 + n for n in range(4, 16)] + [
        9 + n for n in range(16, 24)
    ]
    assert warp.registers[20][24:] == [0] * 8
