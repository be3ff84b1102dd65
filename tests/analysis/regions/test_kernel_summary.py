"""The ways outward from a region."""

from pathlib import Path

from roofline_analysis.regions.kernel_summary import (
    KernelSummary,
    Region,
    RegionForm,
    once_a_summary,
)
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Span

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


def test_what_a_function_says_of_a_summary_is_worked_out_once_for_each() -> None:
    asked: list[KernelSummary] = []

    @once_a_summary
    def regions(summary: KernelSummary) -> int:
        asked.append(summary)
        return sum(1 for _ in summary.root.walk())

    kernel = Function(
        "k",
        "k",
        Path("k.cu"),
        Span(1, 0, 1, 0),
        Span(1, 0, 1, 0),
        Type("void"),
        (),
        (),
        frozenset(),
    )
    one = KernelSummary(kernel, Region(RegionForm.KERNEL, None, SITE), (), (), 0, (), ())
    other_root = Region(RegionForm.KERNEL, None, SITE)
    other_root.children.append(Region(RegionForm.LOOP, other_root, SITE))
    other = KernelSummary(kernel, other_root, (), (), 0, (), ())
    assert [regions(each) for each in (one, other, one, other)] == [1, 2, 1, 2]
    assert asked == [one, other]
