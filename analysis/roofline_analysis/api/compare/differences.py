"""What is different between two variants: lines by what they cost, and findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

from roofline_analysis.api.compare.records import ComparedFinding, LineCost, LineDifference
from roofline_analysis.report.report import LedgerLine, Prediction
from roofline_core.program.precision import Precision, operations_of

_ALIKE: Final = 0.005
"""The greatest relative difference of two amounts that counts as none: numbers are estimates."""

TextOf = Callable[[Path, int], str]
"""The text of a source line, counted from 1; empty where it is not known."""


def line_differences(
    before: Prediction, after: Prediction, text_before: TextOf, text_after: TextOf
) -> tuple[LineDifference, ...]:
    """The lines that differ in what they cost, of all that cost anything on either side.

    Lines are paired by their texts, blanks aside, in the order in which they stand.
    """
    ours, theirs = list(map(_cost, before.ledger)), list(map(_cost, after.ledger))
    our_texts = [_plain(text_before(each.path, each.line)) for each in ours]
    their_texts = [_plain(text_after(each.path, each.line)) for each in theirs]
    found: list[LineDifference] = []
    pairs = SequenceMatcher(None, our_texts, their_texts, autojunk=False).get_opcodes()
    for kind, a, a_end, b, b_end in pairs:
        if kind == "equal":
            for at in range(a_end - a):
                one, other = ours[a + at], theirs[b + at]
                if not _alike(one, other):
                    found.append(LineDifference(our_texts[a + at], one, other))
            continue
        found += (LineDifference(our_texts[at], ours[at], None) for at in range(a, a_end))
        found += (LineDifference(their_texts[at], None, theirs[at]) for at in range(b, b_end))
    return tuple(each for each in found if _costs(each.before) or _costs(each.after))


def finding_changes(
    before: Sequence[ComparedFinding],
    after: Sequence[ComparedFinding],
    text_before: TextOf,
    text_after: TextOf,
) -> tuple[tuple[ComparedFinding, ...], tuple[ComparedFinding, ...]]:
    """The findings that are gone, and those that are new.

    One of a rule stays if the other side has one of that rule: on a line of the same text first,
    else on any.
    """
    left, new = list(before), list(after)
    for by_text in (True, False):
        for one in tuple(left):
            ours = _plain(text_before(one.path, one.line))
            for other in new:
                same_text = _plain(text_after(other.path, other.line)) == ours
                if other.code == one.code and (same_text or not by_text):
                    left.remove(one)
                    new.remove(other)
                    break
    return tuple(left), tuple(new)


def ratio(after: float | None, before: float | None) -> float | None:
    """One amount over another; None where either is not known, or the latter 0."""
    return after / before if after is not None and before else None


def _cost(line: LedgerLine) -> LineCost:
    return LineCost(
        path=line.path,
        line=line.line,
        operations={each: operations_of(line, each) for each in Precision},
        dram_read_bytes=line.dram_read_bytes,
        dram_write_bytes=line.dram_write_bytes,
        executions=line.executions,
    )


def _amounts(cost: LineCost) -> Iterator[float]:
    yield from _in_order(cost.operations)
    yield cost.dram_read_bytes
    yield cost.dram_write_bytes


def _in_order(operations: Mapping[Precision, float]) -> Iterable[float]:
    return (operations[precision] for precision in Precision)


def _costs(cost: LineCost | None) -> bool:
    return cost is not None and any(_amounts(cost))


def _alike(one: LineCost, other: LineCost) -> bool:
    return all(
        abs(a - b) <= _ALIKE * max(abs(a), abs(b))
        for a, b in zip(_amounts(one), _amounts(other), strict=True)
    )


def _plain(text: str) -> str:
    return " ".join(text.split())
