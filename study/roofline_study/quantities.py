"""The quantities that are measured and predicted, by the names they have in files."""

from __future__ import annotations

import math

from roofline_analysis.report.report import Prediction
from roofline_core.program.precision import Precision
from roofline_study.judge import Judgement
from roofline_study.metrics import QuantityError, quantity_error

COUNTS = ("sp_flops", "dp_flops", "int_ops", "dram_bytes", "time_ns")
INTENSITIES = ("sp_ai", "dp_ai", "int_ai")
"""Operations per DRAM byte."""
FLOATING = "fp_flops"
"""Single and double precision together: a constant without its ``f`` moves work between them."""
QUANTITIES = ("sp_flops", "dp_flops", FLOATING, "int_ops", "dram_bytes", "time_ns", *INTENSITIES)

OPERATIONS = {
    Precision.SP: "sp_flops",
    Precision.DP: "dp_flops",
    Precision.INT: "int_ops",
}
"""The measured precisions."""

_PARTS = {
    FLOATING: ("sp_flops", "dp_flops"),
    "sp_ai": ("sp_flops",),
    "dp_ai": ("dp_flops",),
    "int_ai": ("int_ops",),
}


def measured(judgement: Judgement, quantity: str) -> float | None:
    """A measured quantity by name; None for what was not, and intensities where no byte moved."""
    row = judgement.row
    parts = [getattr(row, part) for part in _PARTS.get(quantity, (quantity,))]
    if None in parts:
        return None
    amount = float(sum(parts))
    if quantity not in INTENSITIES:
        return amount
    return amount / row.dram_bytes if row.dram_bytes else None


def predicted(judgement: Judgement, quantity: str) -> float | None:
    """A predicted quantity by name, None if unknown."""
    prediction = judgement.prediction
    if prediction is None:
        return None
    amount = _amount(prediction, quantity)
    if quantity not in INTENSITIES or amount is None:
        return amount
    moved = prediction.dram_bytes
    return amount / moved if moved else None


def ratio(judgement: Judgement, quantity: str) -> float | None:
    """Predicted over measured; None if either is unknown or nothing was measured."""
    here, there = predicted(judgement, quantity), measured(judgement, quantity)
    return here / there if here is not None and there else None


def errors_of(judgements: list[Judgement], quantity: str) -> QuantityError:
    """The errors of the predictions of one quantity."""
    return quantity_error(
        [
            (value, predicted(item, quantity))
            for item in judgements
            if (value := measured(item, quantity)) is not None
        ]
    )


def intensity_of(operations: float, moved_bytes: float) -> float:
    """Operations per byte; infinite where nothing is moved for them, 0 for none."""
    if not operations:
        return 0.0
    return operations / moved_bytes if moved_bytes else math.inf


def _amount(prediction: Prediction, quantity: str) -> float | None:
    amounts: list[float | None] = [
        getattr(prediction, part) for part in _PARTS.get(quantity, (quantity,))
    ]
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None
