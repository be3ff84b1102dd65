"""Class metrics of several answerers as one table, published ones first."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_study.metrics import Confusion
from roofline_study.papers.plot import ShareDot, shares_svg
from roofline_study.papers.published import PublishedModel, PublishedTuning, published
from roofline_study.papers.scores import ClassScores, RowKind
from roofline_study.papers.table import Form, ResultColumn, ResultTable, TableValue, WithInterval
from roofline_study.papers.wilson import wilson
from roofline_study.summary import Intervals

_CELLS = (
    ("cb_as_cb", "CB: CB"),
    ("cb_as_bb", "CB: BB"),
    ("cb_undecided", "CB: ?"),
    ("bb_as_cb", "BB: CB"),
    ("bb_as_bb", "BB: BB"),
    ("bb_undecided", "BB: ?"),
)
_METRICS = (
    ("accuracy", "accuracy %", Form.SHARE),
    ("precision", "precision %", Form.SHARE),
    ("recall", "recall %", Form.SHARE),
    ("f1", "F1 %", Form.SHARE),
    ("mcc", "MCC", Form.RATIO),
)
COLUMNS = (
    ResultColumn("answered_by", "answered by", Form.WORDS),
    ResultColumn("kind", "kind", Form.WORDS),
    ResultColumn("asked_about", "n", Form.COUNT),
    ResultColumn("answers", "answers", Form.COUNT),
    *(
        ResultColumn(key, title, form, ranged=True, interval_shown=key == "accuracy")
        for key, title, form in _METRICS
    ),
    *(ResultColumn(f"share_{key}", f"{title} %", Form.SHARE) for key, title in _CELLS),
    ResultColumn("cost_dollars", "cost $", Form.DOLLARS),
    ResultColumn("input_dollars", "in $/M", Form.DOLLARS),
    ResultColumn("output_dollars", "out $/M", Form.DOLLARS),
)
NOTE = (
    "Compute-bound is the positive class. 'CB: BB' is the share of all that is CB and was called"
    " BB, 'CB: ?' that of answers without a class, which count as wrong. In brackets are 95%"
    " intervals."
)


def class_row(scores: ClassScores) -> tuple[TableValue, ...]:
    """A row of our own."""
    price = scores.price
    return (
        scores.name,
        scores.kind.value,
        float(scores.subjects),
        float(scores.answers),
        *_metrics(scores.confusion, scores.intervals),
        *_shares(scores.confusion),
        scores.cost_dollars,
        price.input if price is not None else None,
        price.output if price is not None else None,
    )


def published_accuracy_row(
    model: PublishedModel, accuracy_percent: float, *, count: int | None, form: str = ""
) -> tuple[TableValue, ...]:
    """A row of which the accuracy alone was published, of so many kernels (None: not known)."""
    share = accuracy_percent / 100
    interval = wilson(share, count) if count is not None else None
    return (
        f"{model.name}{form}",
        RowKind.PUBLISHED.value,
        float(count) if count is not None else None,
        None,
        WithInterval(share, interval),
        *[None] * (len(_METRICS) - 1 + len(_CELLS)),
        None,
        model.price.input,
        model.price.output,
    )


def published_tuning_row(tuning: PublishedTuning) -> tuple[TableValue, ...]:
    """A row of which the confusion was published; its answers are taken to be independent."""
    accuracy = tuning.confusion.accuracy or 0.0
    return (
        tuning.name,
        RowKind.PUBLISHED.value,
        None,
        float(tuning.answers),
        *_metrics(tuning.confusion, {"accuracy": wilson(accuracy, tuning.answers)}),
        *_shares(tuning.confusion),
        *[None] * 3,
    )


def class_table(
    title: str,
    published_rows: Sequence[tuple[TableValue, ...]],
    rows: Sequence[ClassScores],
    notes: Sequence[str] = (),
) -> ResultTable:
    """The table of a study."""
    source = f"Published rows: {published().source}."
    own = tuple(class_row(row) for row in rows)
    return ResultTable(title, COLUMNS, (*published_rows, *own), (NOTE, source, *notes))


def accuracy_svg(table: ResultTable) -> str:
    """The accuracies of such a table as a drawing."""
    at = next(index for index, column in enumerate(table.columns) if column.key == "accuracy")
    dots = [
        ShareDot(str(row[0]), held.number, held.interval, row[1] == RowKind.PUBLISHED.value)
        for row in table.rows
        if isinstance(held := row[at], WithInterval) and held.number is not None
    ]
    return shares_svg(f"{table.title}: accuracy", dots, chance=0.5)


def _metrics(confusion: Confusion, intervals: Intervals) -> tuple[WithInterval, ...]:
    return tuple(
        WithInterval(getattr(confusion, key), intervals.get(key)) for key, _, _ in _METRICS
    )


def _shares(confusion: Confusion) -> tuple[float | None, ...]:
    total = confusion.total
    return tuple(cell / total if total else None for cell in confusion.cells)
