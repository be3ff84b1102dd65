"""What guards leave of the ranges of indices."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.counting.execution import execute
from roofline_analysis.counting.progressions import thread_extents
from roofline_analysis.device.values import LAUNCH, THREAD
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    Array,
    MemorySpace,
    Region,
    RegionForm,
)
from roofline_analysis.traffic.index_ranges import IndexRanges, cut_by_guards
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, apply, constant, from_atom, make_symbol
from roofline_core.program.types import Type

SITE = (Path("k.cu"), 1)
GRID, BLOCK = (8, 4, 1), (32, 4, 1)
THREAD_X, BLOCK_X = THREAD["threadIdx.x"], THREAD["blockIdx.x"]
X = from_atom(BLOCK_X) * from_atom(LAUNCH["blockDim.x"]) + from_atom(THREAD_X)
Y = from_atom(THREAD["blockIdx.y"]) * 4 + from_atom(THREAD["threadIdx.y"])
DATA = from_atom(make_symbol("loaded", SymbolScope.DATA))
ARRAY = Array("a", MemorySpace.GLOBAL, Type("float"))


def guarded(*conditions: Expr) -> tuple[IndexRanges, Region, Environment]:
    root = Region(RegionForm.KERNEL, None, SITE)
    guard = Region(RegionForm.GUARD, root, SITE, conditions=conditions)
    root.children.append(guard)
    execution = execute(root, GRID, BLOCK, {})
    cut = cut_by_guards(guard, execution, thread_extents(GRID, BLOCK))
    return cut, guard, execution.environment


def access(offset: Expr) -> Access:
    return Access(ARRAY, offset, 4, AccessMode.READ, SITE)


def test_bounds_of_a_picture_cut_both_axes() -> None:
    cut, _, _ = guarded(apply("lt", X - 250), apply("lt", Y - 10))
    assert cut.extents[THREAD_X] == 32
    assert cut.extents[BLOCK_X] == 250 / 32
    assert cut.extents[THREAD["blockIdx.y"]] == 2.5
    assert cut.conditions == ()


def test_a_bound_within_the_first_block_cuts_the_threads() -> None:
    cut, _, _ = guarded(apply("lt", X - 20))
    assert (cut.extents[BLOCK_X], cut.extents[THREAD_X]) == (1, 20)


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        (apply("lt", constant(2) - from_atom(THREAD_X)), 29),
        (apply("le", constant(2) - from_atom(THREAD_X)), 30),
        (apply("le", from_atom(THREAD_X) - 5), 6),
        (apply("eq", from_atom(THREAD_X) - 5), 1),
    ],
)
def test_lower_bounds_and_single_places(condition: Expr, left: int) -> None:
    assert guarded(condition)[0].extents[THREAD_X] == left


def test_the_negation_of_a_bound_is_counted() -> None:
    cut, _, environment = guarded(apply("eq", apply("lt", from_atom(THREAD_X) - 8)))
    offset = 4 * X
    left = cut.extents[THREAD_X] / 32
    assert left * cut.share_of(offset, access(offset), environment) == 24 / 32


def test_data_leaves_its_odds_of_an_index_it_is_compared_with() -> None:
    cut, guard, environment = guarded(apply("lt", X - DATA))
    offset = 4 * X
    assert cut.share_of(offset, access(offset), environment) == 0.5
    # Unless the other threads do the same in the other branch.
    other = Region(RegionForm.GUARD, guard.parent, SITE, conditions=(apply("le", DATA - X),))
    other.accesses.append(access(offset + 4))
    assert guard.parent is not None
    guard.parent.children.append(other)
    assert cut.share_of(offset, access(offset), environment) == 1.0


def test_data_alone_leaves_all() -> None:
    cut, _, environment = guarded(apply("ne", DATA))
    assert cut.share_of(4 * X, access(4 * X), environment) == 1.0
