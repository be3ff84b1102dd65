"""The GPUs that the page can judge its kernels for, with their peaks."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.report.report import GpuUsed
from roofline_core.program.precision import Precision
from roofline_hardware_db import ClockKind, find_gpu, gpu_names
from roofline_lsp.formats.rounding import rounded


def other_gpus(used: GpuUsed) -> list[dict[str, object]]:
    """Every GPU of the database but the report's own, at the report's clock."""
    return [each for each in _all(used) if each["name"] != used.name]


def _all(used: GpuUsed) -> Iterator[dict[str, object]]:
    clock = ClockKind(used.clock)
    for name in gpu_names():
        roofline = find_gpu(name).roofline(clock)
        yield {
            "name": name,
            "bandwidth_gbs": rounded(roofline.bandwidth_gbs),
            "peaks": {
                each.value: rounded(peak)
                for each in Precision
                if (peak := roofline.peaks_gops.get(each)) is not None
            },
        }
