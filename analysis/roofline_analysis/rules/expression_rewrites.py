"""Expressions with cheaper equivalents, and the effect of writing those instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from roofline_analysis.regions.kernel_summary import Site
from roofline_analysis.rules.effects import (
    LEAST_AT_GUESSED_SIZES,
    LEAST_GAIN,
    are_branches_guessed,
    are_trips_guessed,
    matters,
)
from roofline_analysis.rules.model import Edit, Fix, Match
from roofline_analysis.rules.node_index import Located
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex
from roofline_core.program.records import record


@record(frozen=True, slots=True, eq=False)
class Swap:
    """One expression and its cheaper equivalent."""

    located: Located
    build: Callable[[Any], ex.Expression]
    """Builds the new expression from the old one, in which inner swaps are already made."""
    edit: Edit | None
    """The edit of the source text; None where the text does not show the expression."""

    @property
    def site(self) -> Site:
        """The 1-based line of the expression."""
        return self.located.function.path, self.located.node.line


def swap_findings(
    kernel: KernelSubject,
    swaps: Sequence[Swap],
    message: Callable[[Sequence[Swap]], str],
    title: str | None,
    *,
    exact: bool,
    least: float = LEAST_GAIN,
    lazy: bool = False,
) -> Iterator[Match]:
    """One finding for all swaps of a kernel, if making them matters by the model.

    ``title`` is that of the fix; None offers none. ``least`` is the share of the time to save.
    ``lazy``: the expressions are of whole numbers, whose work stands where they are first needed.
    """
    if lazy:
        if not swaps or not kernel.integers_matter(least):
            return
        swaps = sorted(swaps, key=lambda swap: -kernel.runs_at(swap.site))
    else:
        swaps = [swap for swap in swaps if swap.site in kernel.by_site]
        if not swaps or not kernel.could_matter((swap.site for swap in swaps), least):
            return
    builds = {id(swap.located.node): swap.build for swap in swaps}

    def rewrite(before: Any, node: Any) -> Any:
        """What the expression is swapped for; other nodes as they are."""
        build = builds.get(id(before))
        return node if build is None else build(node)

    functions = [swap.located.function for swap in swaps]
    if lazy:
        effect = kernel.effect_of_fewer_integers(rewrite, functions)
        if are_trips_guessed(effect):
            least = max(least, LEAST_AT_GUESSED_SIZES)  # What is beside them may be much more.
    else:
        effect = kernel.effect_of_rewriting(rewrite, functions)
    if are_branches_guessed(effect) and all(swap.located.branches for swap in swaps):
        least = max(least, LEAST_AT_GUESSED_SIZES)  # Perhaps few come there.
    if not matters(effect, least):
        return
    edits = outermost_edits([swap.edit for swap in swaps])
    fix = Fix(title, edits, exact) if title is not None and edits else None
    yield kernel.found(message(swaps), [swap.site for swap in swaps], effect, fix)


def outermost_edits(edits: Sequence[Edit | None]) -> tuple[Edit, ...]:
    """The edits if all are known; of those within one another the outer; () if one is not."""
    if any(edit is None for edit in edits):
        return ()
    known = dict.fromkeys(edit for edit in edits if edit is not None)
    inner: set[Edit] = set()
    last: Edit | None = None
    for edit in sorted(known, key=_by_extent):
        if last is not None and edit.path == last.path and _end(edit) <= _end(last):
            inner.add(edit)
            if edit.span == last.span:
                inner.add(last)
        else:
            last = edit
    return tuple(edit for edit in known if edit not in inner)


def _by_extent(edit: Edit) -> tuple[str, int, int, int, int]:
    """Sorts edits by file and place, so that an outer edit comes before those within it."""
    span = edit.span
    return str(edit.path), span.line, span.column, -span.end_line, -span.end_column


def _end(edit: Edit) -> tuple[int, int]:
    return edit.span.end_line, edit.span.end_column
