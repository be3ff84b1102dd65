"""Attempts of floating-point atomics on shared memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.counting.execution import execute
from roofline_analysis.device.summary import summarise
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.regions.kernel_summary import RegionForm, Work
from roofline_analysis.verdict.ledger import work_totals
from roofline_parsers.reading.load import load_program

Count = Callable[..., Any]


def kernel(type_: str, index: str, space: str = "__shared__") -> str:
    return f"""
__global__ void k({type_} *out, const int *bins) {{
  {space} {type_} s[256];
  int t = threadIdx.x;
  atomicAdd(&s[{index}], ({type_})1);
}}"""


@pytest.mark.parametrize(
    ("index", "block", "attempts"),
    [
        ("0", 64, 65 / 2),
        ("blockIdx.x", 32, 33 / 2),
        ("0", 256, 257 / 2),
        ("t", 256, 1),
        ("t % 32", 256, 1 + 7 / 4),
        ("t & 63", 256, 1 + 3 / 4),
        ("t % 32", 32, 1),
        ("bins[t]", 256, 1),
    ],
)
def test_threads_that_meet_add_again(count: Count, index: str, block: int, attempts: float) -> None:
    found = count(kernel("double", index), 10, block)
    assert found.work(Work.DP) == pytest.approx(10 * block * attempts)
    assert found.accesses["s", "atomic", 8] == 10 * block


@pytest.mark.parametrize(
    ("condition", "block", "lanes", "attempts"),
    [
        ("t == 0", 256, 1, 1),
        ("t == 5", 256, 1, 1),
        ("!t", 1024, 1, 1),
        ("t % 32 == 0", 256, 8, 1 + 7 / 4),
        ("(t & 31) == 0", 1024, 32, 1 + 31 / 4),
        ("t % 128 == 3", 1024, 8, 1 + 7 / 4),
        # Two lanes of a warp meet as all lanes do.
        ("t % 16 == 0", 256, 16, 257 / 2),
    ],
)
def test_lanes_of_different_warps_seldom_meet(
    count: Count, condition: str, block: int, lanes: int, attempts: float
) -> None:
    source = kernel("double", "0").replace("  atomicAdd", f"  if ({condition}) atomicAdd")
    assert count(source, 10, block).work(Work.DP) == pytest.approx(10 * lanes * attempts)


@pytest.mark.parametrize(
    ("grid", "block", "meeting"),
    [(64, 128, 128), (65, 128, 0.62 * 128), (6048, 256, 0.62 * 256), (6048, 32, 32), (6048, 8, 8)],
)
def test_warps_of_other_blocks_come_between(
    count: Count, grid: int, block: int, meeting: float
) -> None:
    found = count(kernel("double", "0"), grid, block)
    assert found.work(Work.DP) == pytest.approx(grid * block * (meeting + 1) / 2)


@pytest.mark.parametrize(("warp", "meeting"), [(32, 0.62 * 64), (64, 64)])
def test_a_warp_meets_as_a_whole(warp: int, meeting: float) -> None:
    path = Path("/src/kernel.cu")
    source = kernel("double", "0").encode()
    program = load_program([path], lambda wanted: source if wanted == path else None)
    (function,) = program.units[0].functions
    found = summarise(function, TypeSystem(Symbols(program)), warp_size=warp)
    execution = execute(found.root, (6048, 1, 1), (64, 1, 1), {})
    expected = 6048 * 64 * (meeting + 1) / 2
    assert work_totals(found, execution)[Work.DP] == pytest.approx(expected)


def test_floats_are_compared_by_one_word_and_doubles_by_two(count: Count) -> None:
    single, double = (count(kernel(type_, "t"), 1, 32).integers for type_ in ("float", "double"))
    assert double - single == 1


def test_integers_take_one_instruction(count: Count) -> None:
    found = count(kernel("int", "0"), 1, 256)
    assert not [region for region in found.summary.root.walk() if region.form is RegionForm.LOOP]


def test_memory_of_all_blocks_adds_by_itself(count: Count) -> None:
    source = "__global__ void k(double *out) { atomicAdd(out, 1.0); }"
    assert count(source, 4, 256).flops == {}
