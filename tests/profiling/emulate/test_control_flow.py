"""Control flow of diverged lanes, with exact counts, and instructions that lanes do together."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.profiling.emulate.instruction_warp import EVERY, LANES, InstructionWarp


def built(folder: Path, *lines: str) -> InstructionWarp:
    warp = InstructionWarp(lines, folder)
    assert warp.translation.unsupported == ()
    return warp


def executed(warp: InstructionWarp, text: str) -> tuple[int, int]:
    """Executions by warps and by threads of the block that an instruction is in."""
    placed = next(p for p in warp.translation.placed if text in p.instruction.text)
    return warp.blocks[placed.block]


def lanes_of(mask: int) -> list[int]:
    return [n for n in range(LANES) if mask >> n & 1]


def test_branches_within_branches_converge(tmp_path: Path) -> None:
    warp = built(
        tmp_path,
        "BSSY B0, `(.L_end)",
        "@P0 BRA `(.L_a)",
        "IADD3 R20, R20, 0x1, RZ",
        "BRA `(.L_end)",
        ".L_a:",
        "BSSY B1, `(.L_inner)",
        "@!P1 BRA `(.L_inner)",
        "IADD3 R20, R20, 0x10, RZ",
        ".L_inner:",
        "BSYNC B1",
        "IADD3 R20, R20, 0x100, RZ",
        ".L_end:",
        "BSYNC B0",
        "VOTE.ANY R21, PT, PT",
        "EXIT",
    )
    p0, p1 = 0x00FF00F0, 0x0F0F0F0F
    warp.predicates[:2] = [p0, p1]
    assert warp.run() == 0
    both = (p0 & p1).bit_count()
    assert executed(warp, "0x1, RZ") == (1, 32 - p0.bit_count())
    assert executed(warp, "0x10, RZ") == (1, both)
    assert executed(warp, "0x100, RZ") == (1, p0.bit_count())
    assert executed(warp, "BSYNC B1") == (2, p0.bit_count())
    assert executed(warp, "BSYNC B0") == (2, 32)
    assert executed(warp, "VOTE") == (1, 32)
    assert warp.registers[21] == [EVERY] * LANES
    assert warp.registers[20] == [
        (0x110 if p1 >> n & 1 else 0x100) if p0 >> n & 1 else 1 for n in range(LANES)
    ]
    assert warp.predicated[:2] == [p0.bit_count(), p0.bit_count() - both]


def test_a_loop_runs_as_often_as_its_longest_lane(tmp_path: Path) -> None:
    warp = built(
        tmp_path,
        "BSSY B0, `(.L_end)",
        ".L_loop:",
        "IADD3 R20, R20, 0x1, RZ",
        "ISETP.LT.AND P0, PT, R20, R2, PT",
        "@P0 BRA `(.L_loop)",
        "BSYNC B0",
        ".L_end:",
        "IADD3 R21, R21, 0x1, RZ",
        "EXIT",
    )
    trips = [1 + 7 * n % 19 for n in range(LANES)]
    warp.registers[2] = list(trips)
    lanes = 0x7FFFFFFE
    assert warp.run(lanes) == 0
    taken = [trips[n] for n in lanes_of(lanes)]
    assert executed(warp, "IADD3 R20") == (max(taken), sum(taken))
    assert executed(warp, "IADD3 R21") == (1, 30)
    assert warp.registers[20] == [trips[n] if lanes >> n & 1 else 0 for n in range(LANES)]


def test_lanes_that_break_out_are_not_waited_for(tmp_path: Path) -> None:
    # Lanes of P1 leave the loop by another way, which ends after the inner barrier.
    warp = built(
        tmp_path,
        "BSSY B0, `(.L_outer)",
        "BSSY B1, `(.L_inner)",
        "@P1 BREAK B1",
        "@P1 BRA `(.L_away)",
        "IADD3 R20, R20, 0x1, RZ",
        "@P2 BRA `(.L_inner)",
        "IADD3 R20, R20, 0x2, RZ",
        ".L_inner:",
        "BSYNC B1",
        "VOTE.ANY R21, PT, PT",
        "BRA `(.L_outer)",
        ".L_away:",
        "VOTE.ANY R21, PT, PT",
        ".L_outer:",
        "BSYNC B0",
        "VOTE.ANY R22, PT, PT",
        "EXIT",
    )
    p1, p2 = 0x0000FFFF, 0x00FF00FF
    warp.predicates[1:3] = [p1, p2]
    assert warp.run() == 0
    assert warp.registers[21] == [p1 if p1 >> n & 1 else EVERY ^ p1 for n in range(LANES)]
    assert warp.registers[22] == [EVERY] * LANES
    assert executed(warp, "0x1, RZ") == (1, 16)
    assert executed(warp, "0x2, RZ") == (1, (~p1 & ~p2 & EVERY).bit_count())


def test_lanes_that_have_ended_are_not_waited_for(tmp_path: Path) -> None:
    warp = built(
        tmp_path,
        "BSSY B0, `(.L_end)",
        "@!P0 BRA `(.L_end)",
        "@P1 EXIT",
        "IADD3 R20, R20, 0x1, RZ",
        ".L_end:",
        "BSYNC B0",
        "WARPSYNC 0xffffffff",
        "VOTE.ANY R21, PT, PT",
        "EXIT",
    )
    p0, p1 = 0xFFFF0000, 0x00FF00FF
    warp.predicates[:2] = [p0, p1]
    assert warp.run() == 0
    left = EVERY & ~(p0 & p1)
    assert executed(warp, "@P1 EXIT") == (1, 16)
    assert executed(warp, "IADD3") == (1, 8)
    assert executed(warp, "VOTE") == (1, 24)
    assert [warp.registers[21][n] for n in lanes_of(left)] == [left] * 24
    assert warp.predicated[:2] == [16, 8]


def test_warpsync_brings_diverged_lanes_together(tmp_path: Path) -> None:
    warp = built(
        tmp_path,
        "@P0 BRA `(.L_a)",
        "IADD3 R20, R20, 0x1, RZ",
        "BRA `(.L_sync)",
        ".L_a:",
        "IADD3 R20, R20, 0x2, RZ",
        ".L_sync:",
        "WARPSYNC 0xffffffff",
        "VOTE.ANY R21, PT, PT",
        "EXIT",
    )
    warp.predicates[0] = 0x12345678
    assert warp.run() == 0
    assert executed(warp, "VOTE") == (1, 32)
    assert warp.registers[21] == [EVERY] * LANES


def test_warpsync_waits_for_each_lane_s_own_mask(tmp_path: Path) -> None:
    # Lanes of P0 take a detour: the low half's mask has some of them, the high half's has none.
    low, high = 0x0000FFFF, 0xFFFF0000
    lines = ["@P0 BRA `(.L_a)", "BRA `(.L_sync)", ".L_a:", "IADD3 R20, R20, 0x2, RZ",
             ".L_sync:", "WARPSYNC{} R2", "{}", "EXIT"]  # fmt: skip
    for kind, ask in (("", "VOTE.ANY R21, PT, PT"), (".EXCLUSIVE", "REDUX.SUM UR4, R3")):
        folder = tmp_path / (kind.strip(".") or "plain")
        folder.mkdir()
        body = [line.format(kind if "WARPSYNC" in line else ask) for line in lines[:-1]]
        warp = built(folder, *body, "MOV R22, UR4", "EXIT")
        warp.registers[2] = [low] * 16 + [high] * 16
        warp.registers[3] = list(range(LANES))
        warp.predicates[0] = 0x00000F00
        assert warp.run() == 0
        if kind:
            # Each half by itself, also in the uniform register.
            assert warp.registers[22] == [120] * 16 + [376] * 16
        else:
            found = [warp.registers[21][n] & (low if n < 16 else high) for n in range(LANES)]
            assert found == [low] * 16 + [high] * 16


def test_lanes_that_never_come_are_a_deadlock(tmp_path: Path) -> None:
    warp = built(
        tmp_path,
        "BSSY B0, `(.L_end)",
        "@P0 BRA `(.L_end)",
        "WARPSYNC 0xffffffff",
        ".L_end:",
        "BSYNC B0",
        "EXIT",
    )
    warp.predicates[0] = 0xF0
    assert warp.run() == 3


CONVERGENCE = (
    (EVERY, EVERY, EVERY), (EVERY, 0, EVERY), (EVERY, 0xFF, EVERY), (0xFF, EVERY, 0xFF),
    (0xFFFF, EVERY, 0xFF), (0xFF, 0xFF, 0xF0),
)  # fmt: skip
"""Active lanes, lanes that the guard lets through, and the mask that is asked for."""


@pytest.mark.parametrize("kind", ["DIV", "CONV"])
def test_branches_on_convergence_are_taken_by_all_or_none(tmp_path: Path, kind: str) -> None:
    # Lanes that are not active wait at the barrier, so that they have not ended.
    warp = built(
        tmp_path,
        "BSSY B0, `(.L_end)",
        "@!P1 BRA `(.L_end)",
        f"@P0 BRA.{kind} UR6, `(.L_taken)",
        "MOV R20, 0x1",
        "BRA `(.L_end)",
        ".L_taken:",
        "MOV R20, 0x2",
        ".L_end:",
        "BSYNC B0",
        "EXIT",
    )
    for active, guard, mask in CONVERGENCE:
        warp.predicates[:2] = [guard, active]
        warp.uniform[6] = mask
        warp.registers[20] = [0] * LANES
        assert warp.run() == 0
        taken = (active & guard == mask) == (kind == "CONV")
        wanted = 2 if taken else 1
        assert warp.registers[20] == [wanted if active >> n & 1 else 0 for n in range(LANES)]


def test_subroutines_return_to_each_caller(tmp_path: Path) -> None:
    warp = built(
        tmp_path,
        "@P0 BRA `(.L_b)",
        "MOV R10, 0x30",
        "CALL.REL.NOINC `(twice)",
        "IADD3 R20, R20, 0x1, RZ",
        "EXIT",
        ".L_b:",
        "MOV R10, 0x70",
        "CALL.REL.NOINC `(twice)",
        "IADD3 R20, R20, 0x2, RZ",
        "EXIT",
        "twice:",
        "IMAD.SHL.U32 R20, R20, 0x2, RZ",
        "MOV R11, 0x0",
        "RET.REL.NODEC R10 `(k)",
    )
    warp.registers[20] = list(range(LANES))
    warp.predicates[0] = 0xAAAAAAAA
    assert warp.run() == 0
    assert warp.registers[20] == [2 * n + 1 + n % 2 for n in range(LANES)]
    assert executed(warp, "IMAD.SHL") == (2, 32)


def test_indirect_branches_go_where_each_lane_says(tmp_path: Path) -> None:
    ways = 4
    lines = ["BRX R2 -0x10"]  # the table's base is the code's start
    for n in range(ways):
        lines += [f".L_{n}:", f"MOV R20, {n + 1:#x}", "BRA `(.L_end)"]
    warp = built(tmp_path, *lines, ".L_end:", "EXIT")
    chosen = [n * n % ways for n in range(LANES)]
    warp.registers[2] = [0x10 + 0x20 * way for way in chosen]
    assert warp.run() == 0
    assert warp.registers[20] == [way + 1 for way in chosen]
    for n in range(ways):
        held = chosen.count(n)
        assert executed(warp, f"MOV R20, {n + 1:#x}") == ((1, held) if held else (0, 0))


def test_a_uniform_indirect_branch(tmp_path: Path) -> None:
    lines = ["BRXU UR4 -0x10", "MOV R20, 0x1", "EXIT", "BRA `(.L_a)", ".L_a:", "MOV R20, 0x2"]
    warp = built(tmp_path, *lines, "EXIT")
    warp.uniform[4] = 0x40
    assert warp.run(0xFF) == 0
    assert warp.registers[20] == [2] * 8 + [0] * 24


def test_a_recursion_keeps_the_barrier_of_each_level(tmp_path: Path) -> None:
    # Lane n descends n levels; each level counts when its lanes are together again.
    warp = built(
        tmp_path,
        "MOV R10, 0x20",
        "CALL.REL.NOINC `(descend)",
        "NOP",
        "VOTE.ANY R22, PT, PT",
        "EXIT",
        "descend:",
        "BMOV.32.CLEAR R16, B6",
        "BSSY B6, `(.L_end)",
        "ISETP.EQ.AND P0, PT, R2, RZ, PT",
        "@P0 BRA `(.L_up)",
        "IADD3 R2, R2, -0x1, RZ",
        # Registers that a level keeps: its return address and barrier, by shifting them up.
        "MOV R12, R11",
        "MOV R11, R10",
        "MOV R18, R17",
        "MOV R17, R16",
        "MOV R10, 0x100",
        "CALL.REL.NOINC `(descend)",
        "MOV R16, R17",
        "MOV R17, R18",
        "MOV R10, R11",
        "MOV R11, R12",
        ".L_up:",
        "BSYNC B6",
        ".L_end:",
        "VOTE.ANY R21, PT, PT",
        "IADD3 R20, R20, 0x1, RZ",
        "BMOV.32 B6, R16",
        "RET.REL.NODEC R10 `(k)",
    )
    levels = [n % 3 for n in range(LANES)]
    warp.registers[2] = list(levels)
    assert warp.run() == 0
    assert warp.registers[20] == [level + 1 for level in levels]
    assert warp.registers[21] == [EVERY] * LANES
    assert warp.registers[22] == [EVERY] * LANES


def shuffled(mode: str, lane: int, by: int, bounds: int) -> tuple[int, bool]:
    """As PTX defines shfl: the source lane, and whether it is in range."""
    segment, clamp = bounds >> 8 & 31, bounds & 31
    most, least = lane & segment | clamp & ~segment, lane & segment
    by &= 31
    source = {"UP": lane - by, "DOWN": lane + by, "BFLY": lane ^ by,
              "IDX": least | by & ~segment & 31}[mode]  # fmt: skip
    inside = source >= most if mode == "UP" else source <= most
    return (source if inside else lane), inside


@pytest.mark.parametrize("mode", ["IDX", "UP", "DOWN", "BFLY"])
def test_shuffles(tmp_path: Path, mode: str) -> None:
    given = [(width, (32 - width) << 8 | (0 if mode == "UP" else 31)) for width in (32, 16, 8, 2)]
    lines = []
    for n, (_, bounds) in enumerate(given):
        lines += [f"SHFL.{mode} P1, R{20 + n}, R2, R3, {bounds:#x}",
                  f"SEL R{30 + n}, 0x1, RZ, P1"]  # fmt: skip
    lines += [f"SHFL.{mode} PT, R2, R2, 0x3, R4"]
    warp = built(tmp_path, *lines, "EXIT")
    chance = random.Random(mode)
    for lanes in (EVERY, 0x00FFFF0F):
        values = [chance.getrandbits(32) for _ in range(LANES)]
        by = [chance.randrange(40) for _ in range(LANES)]
        own = [chance.choice(given)[1] for _ in range(LANES)]
        warp.registers[2:5] = [list(values), by, own]
        assert warp.run(lanes) == 0
        for lane in lanes_of(lanes):
            for n, (_, bounds) in enumerate(given):
                source, inside = shuffled(mode, lane, by[lane], bounds)
                if lanes >> source & 1:
                    assert warp.registers[20 + n][lane] == values[source], (lane, bounds)
                assert warp.registers[30 + n][lane] == inside
            source, _ = shuffled(mode, lane, 3, own[lane])
            if lanes >> source & 1:
                assert warp.registers[2][lane] == values[source]


def reduced(name: str, values: Sequence[int]) -> int:
    def signed(x: int) -> int:
        return x - (1 << 32) if x >> 31 else x

    total = values[0]
    step: dict[str, Callable[[int, int], int]] = {
        "SUM": lambda a, b: a + b, "AND": lambda a, b: a & b, "OR": lambda a, b: a | b,
        "XOR": lambda a, b: a ^ b, "MIN": min, "MAX": max,
        "MIN.S32": lambda a, b: min(a, b, key=signed),
        "MAX.S32": lambda a, b: max(a, b, key=signed),
    }  # fmt: skip
    for value in values[1:]:
        total = step[name](total, value)
    return total & EVERY


REDUCTIONS = ("SUM", "AND", "OR", "XOR", "MIN", "MAX", "MIN.S32", "MAX.S32")


def test_votes_matches_and_reductions(tmp_path: Path) -> None:
    lines = ["VOTE.ANY R20, P1, P0", "VOTE.ALL P2, P0", "VOTE.EQ P3, P0",
             "VOTEU.ANY UR8, UPT, P0", "MATCH.ANY R21, R2", "MATCH.ALL P4, R22, R3",
             "MATCH.ANY.U64 R23, R4", "R2UR UR9, R2", "R2UR P5, URZ, R3", "MOV R24, UR8",
             "MOV R25, UR9", "P2R R26, PR, RZ, 0x7f", "POPC R27, UR8",
             "FLO.U32 R28, UR8"]  # fmt: skip
    lines += [f"REDUX.{name} UR{10 + n}, R2" for n, name in enumerate(REDUCTIONS)]
    warp = built(tmp_path, *lines, "EXIT")
    chance = random.Random(7)
    for trial in range(60):
        lanes = EVERY if trial % 3 == 0 else chance.getrandbits(32) | 1 << trial % 32
        votes = chance.choice((0, EVERY, chance.getrandbits(32), lanes))
        few = [chance.choice((5, 0x80000001, 77, EVERY)) for _ in range(LANES)]
        same = [few[0]] * LANES if trial % 2 else few
        warp.registers[2:6] = [list(few), list(same), list(same), list(few)]
        warp.predicates = [votes, *[0] * 6, EVERY]
        assert warp.run(lanes) == 0
        active = lanes_of(lanes)
        first = active[0]
        ballot = votes & lanes
        p = [mask & lanes for mask in warp.predicates]

        def alike(values: Sequence[object], lane: int, among: Sequence[int] = active) -> int:
            return sum(1 << n for n in among if values[n] == values[lane])

        pairs = list(zip(same, few, strict=True))
        everyone = lanes if len({same[n] for n in active}) == 1 else 0
        assert p[1] == (lanes if ballot else 0)
        assert p[2] == (lanes if ballot == lanes else 0)
        assert p[3] == (lanes if ballot in (0, lanes) else 0)
        assert p[4] == (lanes if everyone else 0)
        assert p[5] == (0 if everyone else lanes)
        for lane in active:
            r = {n: warp.registers[n][lane] for n in range(20, 29)}
            assert (r[20], r[24], r[27]) == (ballot, ballot, ballot.bit_count())
            assert r[28] == ballot.bit_length() - 1 & EVERY
            assert (r[21], r[22], r[23]) == (alike(few, lane), everyone, alike(pairs, lane))
            assert r[25] == few[first]
            assert r[26] == sum((p[n] >> lane & 1) << n for n in range(7))
        values = [few[n] for n in active]
        assert warp.uniform[10:18] == [reduced(name, values) for name in REDUCTIONS]


def test_predicates_from_a_register(tmp_path: Path) -> None:
    warp = built(tmp_path, "R2P PR, R2, 0x5b", "R2P PR, R2.B1, 0x24",
                 "P2R R3, PR, R3, 0x7f", "EXIT")  # fmt: skip
    chance = random.Random(5)
    warp.registers[2] = [chance.getrandbits(32) for _ in range(LANES)]
    warp.registers[3] = [chance.getrandbits(32) for _ in range(LANES)]
    before = [list(warp.registers[n]) for n in (2, 3)]
    assert warp.run() == 0
    for lane in range(LANES):
        bits = before[0][lane] & 0x5B | before[0][lane] >> 8 & 0x24
        assert warp.registers[3][lane] == before[1][lane] & ~0x7F | bits
