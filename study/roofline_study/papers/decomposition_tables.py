"""Counts by question decomposition as tables: the paper's five programs, shares, each kernel."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from roofline_study.bootstrap import Floats, Interval, intervals
from roofline_study.dataset import MeasuredKernel
from roofline_study.metrics import within_2x, within_10_percent
from roofline_study.papers.decomposition import (
    QUANTITIES,
    CountAnswers,
    KernelCounts,
    measured_counts,
)
from roofline_study.papers.plot import ShareDot, shares_svg
from roofline_study.papers.published import PublishedCount, published
from roofline_study.papers.scores import ClassAnswers, Subject, family, scores
from roofline_study.papers.table import Form, ResultColumn, ResultTable, TableValue, WithInterval

_ALIKE = 0.01
"""How far two measurements of the same kernel may be apart."""
_SHARES = {"within_10_percent": within_10_percent, "within_2x": within_2x}


def paper_table(rows: Sequence[MeasuredKernel], answers: Sequence[CountAnswers]) -> ResultTable:
    """The published table of differences, with ours for those kernels that are among ``rows``."""
    columns = [
        ResultColumn("program", "program", Form.WORDS),
        ResultColumn("published_measured", "measured (paper)", Form.AMOUNT),
        ResultColumn("published_estimated", "decomposed (paper)", Form.AMOUNT),
        ResultColumn("published_off_percent", "off by %", Form.RATIO),
        ResultColumn("measured", "measured (data set)", Form.AMOUNT),
    ]
    for number, each in enumerate(answers, 1):
        columns += [
            ResultColumn(f"estimated_{number}", each.name, Form.AMOUNT),
            ResultColumn(f"off_percent_{number}", "off by %", Form.RATIO),
        ]
    made = []
    for count in published().decomposed:
        row = _measured_alike(rows, count)
        made.append((*_paper_cells(count), *_our_cells(row, answers)))
    return ResultTable(
        "Question decomposition: floating-point operations of one launch",
        tuple(columns),
        tuple(made),
        (f"Published columns: {published().source}.",),
    )


def shares_table(answers: Sequence[CountAnswers], notes: Sequence[str] = ()) -> ResultTable:
    """How near counts come, over kernels with any of the quantity, and the class they make."""
    columns = (
        ResultColumn("answered_by", "answered by", Form.WORDS),
        ResultColumn("kind", "kind", Form.WORDS),
        ResultColumn("quantity", "quantity", Form.WORDS),
        ResultColumn("kernels", "n", Form.COUNT),
        ResultColumn("within_10_percent", "within 10%, %", Form.SHARE, ranged=True),
        ResultColumn("within_2x", "within 2x, %", Form.SHARE, ranged=True),
        ResultColumn("median_off_percent", "median off by %", Form.RATIO),
        ResultColumn("accuracy", "class right, %", Form.SHARE, ranged=True),
        ResultColumn("cost_dollars", "cost $", Form.DOLLARS),
    )
    rows = tuple(row for each in answers for row in _share_rows(each))
    note = (
        "Within 10% is |estimated - measured| <= 10% of measured; kernels without any of a quantity"
        " are left out of its line. In brackets are 95% intervals over programs."
    )
    return ResultTable(
        "Question decomposition: how near counts come", columns, rows, (note, *notes)
    )


def kernels_table(answers: Sequence[CountAnswers]) -> ResultTable:
    """Every kernel, quantity and answer."""
    columns = (
        ResultColumn("program", "program", Form.WORDS),
        ResultColumn("kernel", "kernel", Form.WORDS),
        ResultColumn("quantity", "quantity", Form.WORDS),
        ResultColumn("measured", "measured", Form.AMOUNT),
        ResultColumn("answered_by", "answered by", Form.WORDS),
        ResultColumn("estimated", "estimated", Form.AMOUNT),
        ResultColumn("off_percent", "off by %", Form.RATIO),
    )
    rows = tuple(
        (
            row.program,
            row.kernel,
            QUANTITIES[name],
            measured,
            each.name,
            found,
            _off(measured, found),
        )
        for each in answers
        for row, given in each.given.items()
        for counts in given
        for name in QUANTITIES
        for measured, found in [(_amount(measured_counts(row), name), _amount(counts, name))]
    )
    return ResultTable("Question decomposition: every kernel", columns, rows)


def decomposition_svg(answers: Sequence[CountAnswers]) -> str:
    """The shares of counts within 10% as a drawing."""
    table = shares_table(answers)
    dots = [
        ShareDot(f"{row[0]}: {row[2]}", held.number, held.interval, published=False)
        for row in table.rows
        if isinstance(held := row[4], WithInterval) and held.number is not None
    ]
    return shares_svg("Question decomposition: counts within 10%", dots)


def published_kernels(rows: Sequence[MeasuredKernel]) -> tuple[MeasuredKernel, ...]:
    """The kernels of the published table that are among rows, by what was measured of them."""
    found = (_measured_alike(rows, count) for count in published().decomposed)
    return tuple(row for row in found if row is not None)


def _measured_alike(rows: Sequence[MeasuredKernel], count: PublishedCount) -> MeasuredKernel | None:
    """The program's kernel with the published number of operations; None if none has."""

    def away(row: MeasuredKernel) -> float:
        """How far the measured operations are from the published ones, as a share of these."""
        flops = measured_counts(row).flops
        return math.inf if flops is None else abs(flops / count.measured_flops - 1)

    alike = (row for row in rows if row.program == count.program and away(row) <= _ALIKE)
    return min(alike, key=away, default=None)


def _paper_cells(count: PublishedCount) -> tuple[TableValue, ...]:
    return count.program, count.measured_flops, count.estimated_flops, count.off_percent


def _our_cells(row: MeasuredKernel | None, answers: Sequence[CountAnswers]) -> Iterator[TableValue]:
    measured = measured_counts(row).flops if row is not None else None
    yield measured
    for each in answers:
        given = each.given.get(row, ()) if row is not None else ()
        found = _median([counts.flops for counts in given])
        yield found
        yield _off(measured, found)


def _share_rows(answers: CountAnswers) -> Iterator[tuple[TableValue, ...]]:
    classes = {
        Subject.of(row): [counts.verdict for counts in given]
        for row, given in answers.given.items()
        if row.label is not None
    }
    scored = scores(ClassAnswers(answers.name, answers.kind, classes))
    for at, (name, words) in enumerate(QUANTITIES.items()):
        ratios = _ratios(answers, name)
        found = _shares(ratios)
        offs = [100 * abs(r - 1) for _, given in ratios for r in given if r is not None]
        first = at == 0
        accuracy = WithInterval(scored.confusion.accuracy, scored.intervals["accuracy"])
        yield (
            answers.name,
            answers.kind.value,
            words,
            float(len(ratios)),
            found["within_10_percent"],
            found["within_2x"],
            statistics.median(offs) if offs else None,
            accuracy if first else None,
            answers.cost_dollars if first else None,
        )


def _ratios(
    answers: CountAnswers, quantity: str
) -> list[tuple[MeasuredKernel, list[float | None]]]:
    """Estimated over measured for each answer, of the kernels that have any of the quantity."""
    found = []
    for row, given in answers.given.items():
        measured = _amount(measured_counts(row), quantity)
        if measured:
            amounts = [_amount(counts, quantity) for counts in given]
            found.append((row, [a / measured if a is not None else None for a in amounts]))
    return found


def _shares(ratios: Sequence[tuple[MeasuredKernel, list[float | None]]]) -> dict[str, WithInterval]:
    """The shares of kernels, whose answers share their weight; an unknown count is in none."""
    sums: dict[str, list[float]] = {}
    for row, given in ratios:
        group = sums.setdefault(family(row), [0.0] * (len(_SHARES) + 1))
        group[-1] += 1
        for column, fulfils in enumerate(_SHARES.values()):
            group[column] += sum(r is not None and fulfils(r) for r in given) / len(given)
    figures = {name: partial(_share_of, column) for column, name in enumerate(_SHARES)}
    ranges: Mapping[str, Interval | None] = intervals(list(sums.values()), figures)
    totals = [sum(column) for column in zip(*sums.values(), strict=True)]
    return {
        name: WithInterval(totals[at] / totals[-1] if totals else None, ranges[name])
        for at, name in enumerate(_SHARES)
    }


def _share_of(column: int, sums: Floats) -> Floats:
    return sums[:, column] / sums[:, -1]


def _amount(counts: KernelCounts, quantity: str) -> float | None:
    amount: float | None = getattr(counts, quantity)
    return amount


def _median(amounts: Sequence[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return statistics.median(known) if known else None


def _off(measured: float | None, found: float | None) -> float | None:
    return 100 * abs(found / measured - 1) if measured and found is not None else None
