"""The ways outward from a region."""

from pathlib import Path

from roofline_analysis.regions.kernel_summary import Region, RegionForm

SITE = (Path("k.cu"), 1)
ROOT = Region(RegionForm.KERNEL, None, SITE)
OUTER = Region(RegionForm.LOOP, ROOT, SITE)
GUARD = Region(RegionForm.GUARD, OUTER, SITE)
INNER_GUARD = Region(RegionForm.GUARD, GUARD, SITE)
LOOP = Region(RegionForm.LOOP, INNER_GUARD, SITE)


def test_ancestors_start_with_the_region_itself_and_end_with_the_kernel() -> None:
    assert list(LOOP.ancestors()) == [LOOP, INNER_GUARD, GUARD, OUTER, ROOT]
    assert list(LOOP.around()) == [INNER_GUARD, GUARD, OUTER, ROOT]
    assert list(ROOT.ancestors()) == [ROOT]
    assert not list(ROOT.around())


def test_loops_and_guards_count_the_region_itself() -> None:
    assert list(LOOP.loops()) == [LOOP, OUTER]
    assert list(INNER_GUARD.guards()) == [INNER_GUARD, GUARD]
    assert list(LOOP.guards()) == [INNER_GUARD, GUARD]


def test_the_innermost_loop_is_the_region_itself_if_it_is_one() -> None:
    assert LOOP.innermost_loop is LOOP
    assert INNER_GUARD.innermost_loop is OUTER
    assert ROOT.innermost_loop is None


def test_what_lies_within_a_loop_leaves_the_loop_out() -> None:
    assert list(INNER_GUARD.within(OUTER)) == [INNER_GUARD, GUARD]
    assert not list(OUTER.within(OUTER))
    assert list(GUARD.within(LOOP)) == [GUARD, OUTER, ROOT]


def test_guards_in_a_run_end_at_the_loop_around() -> None:
    assert list(LOOP.guards_in_run()) == [INNER_GUARD, GUARD]
    assert list(INNER_GUARD.guards_in_run()) == [GUARD]
    assert not list(GUARD.guards_in_run())
