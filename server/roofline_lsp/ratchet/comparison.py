"""What changed since a baseline: kernels known again after they moved, and issues that are new."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Final, TypeVar

from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_lsp.ratchet.figures import KernelFigures, path_in
from roofline_lsp.ratchet.issues import Issue

NOTICED: Final = 0.005
"""The least relative difference that counts as a change. Assumed: figures are shown to 3 digits."""
KEPT_DIGITS: Final = 6
"""Significant digits that a baseline keeps: more would make files differ that say the same."""
SLOWER: Final = 0.05
"""The least relative growth of the predicted time that counts as slower. Assumed: less is within
what the model's terms leave open."""


class Fate(Enum):
    """What became of a kernel."""

    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"


@record(frozen=True, slots=True)
class FigureChange:
    """A figure that is not what it was; None where it is, or was, unknown."""

    name: str
    """``time_ns``, ``dram_bytes``, ``sp_ops``, ``intensity``."""
    before: float | None
    after: float | None

    @property
    def ratio(self) -> float | None:
        """After over before; None where one of them is unknown or there was nothing."""
        if self.before is None or self.after is None or self.before == 0:
            return None
        return self.after / self.before


@record(frozen=True, slots=True)
class KernelChange:
    """A kernel whose figures, or whose existence, changed."""

    fate: Fate
    before: KernelFigures | None
    after: KernelFigures | None
    quantities: tuple[FigureChange, ...] = ()

    @property
    def shown(self) -> KernelFigures:
        """The kernel as it is, or as it was where it is gone."""
        found = self.after if self.after is not None else self.before
        assert found is not None
        return found

    @property
    def crossed(self) -> bool:
        """Whether the class changed."""
        if self.before is None or self.after is None:
            return False
        return self.before.verdict is not self.after.verdict

    @property
    def slower(self) -> bool:
        """Whether the predicted time grew by more than ``SLOWER``."""
        if self.before is None or self.after is None:
            return False
        was, now = self.before.time_ns, self.after.time_ns
        return was is not None and now is not None and now > was * (1 + SLOWER)


@record(frozen=True, slots=True)
class BaselineIssue:
    """An issue that a baseline has."""

    path: str
    kernel: str
    code: str
    name: str
    fingerprint: str
    line_key: str


@record(frozen=True, slots=True)
class SinceBaseline:
    """What changed since a baseline."""

    since: str
    """The baseline: a file's name, or a revision."""
    changes: tuple[KernelChange, ...]
    unchanged: int
    """How many kernels are as they were."""
    fixed: tuple[BaselineIssue, ...]
    """Issues of the baseline that are gone."""


def compared_kernels(
    before: Sequence[KernelFigures], after: Sequence[KernelFigures]
) -> tuple[tuple[KernelChange, ...], int]:
    """The changes, in the order of ``after``, what is gone last; and how many are unchanged.

    A kernel is known again by file and signature, else by what it is and runs: its file may have
    another name, it may have moved to another file, or have another name itself and do the same.
    """
    keys: tuple[Callable[[KernelFigures], Hashable], ...] = (
        lambda each: (each.path, each.name),
        lambda each: (each.path, each.qualified_name),
        lambda each: (each.name, each.body),
        lambda each: (each.path, each.body),
        lambda each: each.body,
        lambda each: each.name,
        lambda each: (each.path, _work(each)),
    )
    pairs, gone = _matched(before, after, keys)
    changes = []
    for old, new in pairs:
        if old is None:
            changes.append(KernelChange(Fate.ADDED, None, new))
        elif quantities := _differences(old, new):
            changes.append(KernelChange(Fate.CHANGED, old, new, quantities))
        elif old.verdict is not new.verdict:
            changes.append(KernelChange(Fate.CHANGED, old, new))
    known = sum(old is not None for old, _ in pairs)
    told = sum(change.fate is Fate.CHANGED for change in changes)
    changes += [KernelChange(Fate.REMOVED, each, None) for each in gone]
    return tuple(changes), known - told


def compared_issues(
    before: Sequence[BaselineIssue], issues: Sequence[Issue], folder: Path
) -> tuple[tuple[Issue, ...], tuple[BaselineIssue, ...]]:
    """The issues with ``is_new`` set, and those of the baseline that are gone."""
    current = [baseline_issue(each, folder) for each in issues]
    keys: tuple[Callable[[BaselineIssue], Hashable], ...] = (
        lambda each: (each.path, each.fingerprint),
        lambda each: each.fingerprint,
        lambda each: (each.path, each.line_key),
    )
    pairs, gone = _matched(before, current, keys)
    marked = tuple(
        replace(issue, is_new=old is None) for issue, (old, _) in zip(issues, pairs, strict=True)
    )
    return marked, tuple(gone)


def baseline_issue(issue: Issue, folder: Path) -> BaselineIssue:
    """An issue as a baseline keeps it."""
    path = path_in(folder, issue.path)
    return BaselineIssue(
        path, issue.kernel, issue.code, issue.name, issue.fingerprint, issue.line_key
    )


Item = TypeVar("Item", KernelFigures, BaselineIssue)


def _matched(
    before: Sequence[Item], after: Sequence[Item], keys: Iterable[Callable[[Item], Hashable]]
) -> tuple[list[tuple[Item | None, Item]], list[Item]]:
    """Each of ``after`` with the one of ``before`` that it is, and what is left of ``before``.

    One key after the other is tried on what the ones before left over; equal ones go in order.
    """
    partner: dict[int, Item] = {}
    left = list(before)
    for key in keys:
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for at, item in enumerate(after):
            if at not in partner:
                waiting[key(item)].append(at)
        rest = []
        for item in left:
            found = waiting.get(key(item))
            if found:
                partner[found.pop(0)] = item
            else:
                rest.append(item)
        left = rest
    return [(partner.get(at), item) for at, item in enumerate(after)], left


def _work(kernel: KernelFigures) -> Hashable:
    """What a kernel does, as far as it is kept; of one that is not followed, nothing else's."""
    if kernel.dram_bytes is None:
        return id(kernel)
    counts = (kernel.operations.get(each) for each in Precision)
    numbers = (kernel.dram_bytes, *counts)
    return tuple("" if each is None else f"{each:.{KEPT_DIGITS - 1}g}" for each in numbers)


def _differences(old: KernelFigures, new: KernelFigures) -> tuple[FigureChange, ...]:
    pairs = [
        ("time_ns", old.time_ns, new.time_ns),
        ("dram_bytes", old.dram_bytes, new.dram_bytes),
        *(
            (f"{each.value}_ops", old.operations.get(each), new.operations.get(each))
            for each in Precision
        ),
        ("intensity", old.intensity, new.intensity),
    ]
    return tuple(FigureChange(*each) for each in pairs if _differ(each[1], each[2]))


def _differ(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is not after
    return abs(after - before) > NOTICED * max(abs(before), abs(after))
