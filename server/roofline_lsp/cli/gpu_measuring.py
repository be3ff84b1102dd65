"""``roofline-lsp gpus --measure``: what this machine's GPU reaches, beside its derived peaks."""

from __future__ import annotations

from roofline_core.program.precision import Precision
from roofline_core.text.table import aligned
from roofline_core.text.units import significant
from roofline_hardware_db import ClockKind, Gpu
from roofline_hardware_db.ceilings import FIGURES, save_ceilings
from roofline_hardware_db.ceilings.measure import measure

_PRECISIONS = {
    "fp64_tflops": Precision.DP,
    "fp32_tflops": Precision.SP,
    "fp16_tflops": Precision.HP,
    "int32_tops": Precision.INT,
    "tensor_fp16_tflops": Precision.TENSOR,
}


def measured_lines(gpu: Gpu) -> list[str]:
    """Measure the GPU, store the results and print them. Raises MeasurementError."""
    found = measure(gpu)
    path = save_ceilings(gpu, found)
    roofline = gpu.roofline(ClockKind.BOOST)
    rows = [("", "measured", "derived", "share")]
    for name in FIGURES:
        value = found.figures.get(name)
        if value is None:
            continue
        derived: float | None = roofline.bandwidth_gbs
        if name in _PRECISIONS:
            peak = roofline.peaks_gops.get(_PRECISIONS[name])
            derived = None if peak is None else peak / 1000
        share = None if derived is None else value / derived
        rows.append((name, significant(value, 4), significant(derived, 4), significant(share, 3)))
    return [
        f"{gpu.name} ({found.device}), {found.day}, {found.compiler}",
        *aligned(rows, right=(1, 2, 3)),
        f'kept in {path}; verdicts use it with the setting ceilings = "measured"',
    ]
