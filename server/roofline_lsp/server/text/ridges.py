"""A kernel's place on the roofline, as text shared by hovers and code lenses."""

from __future__ import annotations

from dataclasses import dataclass

from roofline_analysis.report.report import GpuUsed, Prediction
from roofline_core.program.precision import Precision
from roofline_lsp.server.text.figures import factor

OPERATION_UNITS = {
    Precision.SP: "flop",
    Precision.DP: "flop",
    Precision.HP: "flop",
    Precision.INT: "op",
    Precision.TENSOR: "flop",
}
NAMES = {
    Precision.SP: "SP",
    Precision.DP: "DP",
    Precision.HP: "HP",
    Precision.INT: "INT",
    Precision.TENSOR: "Tensor",
}

_WORDS = ((0.95, "almost certainly"), (0.85, "very likely"), (0.7, "likely"), (0.6, "probably"))


@dataclass(frozen=True, slots=True)
class Ridge:
    """A precision's arithmetic intensity beside the ridge it is judged by."""

    precision: Precision
    operations: float
    intensity: float | None
    ridge: float | None

    @property
    def ratio(self) -> float | None:
        """Intensity over ridge: above 1 on the compute side."""
        return self.intensity / self.ridge if self.intensity is not None and self.ridge else None


def ridges(prediction: Prediction, gpu: GpuUsed) -> list[Ridge]:
    """The precisions that a kernel has operations of, the most compute-bound one first."""
    found = [
        Ridge(precision, operations, prediction.intensity(precision), gpu.ridges.get(precision))
        for precision in Precision
        if (operations := prediction.operations(precision))
    ]
    return sorted(found, key=lambda ridge: -(ridge.ratio or 0.0))


def gpu_name(gpu: GpuUsed) -> str:
    """The GPU's short name: ``RTX 3080``."""
    name = gpu.name
    for prefix in ("NVIDIA ", "GeForce ", "AMD ", "Radeon ", "Instinct "):
        name = name.removeprefix(prefix)
    return name


def sureness(confidence: float) -> str:
    """A probability in words and as a number that does not claim certainty."""
    word = next((word for least, word in _WORDS if confidence >= least), "a toss-up")
    return f"{word}, {min(round(confidence * 100), 99)}%"


def distance(ratio: float) -> str:
    """``57× below`` the ridge, ``1.4× above``, or ``at`` it."""
    if 1 / 1.02 < ratio < 1.02:
        return "at the ridge"
    return f"{factor(ratio)} above" if ratio > 1 else f"{factor(1 / ratio)} below"
