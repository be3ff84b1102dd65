"""A sweep as comma-separated values: a row for each value and GPU, empty where not known."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from roofline_analysis.api.sweep.records import Sweep, SweepPoint
from roofline_core.program.precision import Precision
from roofline_lsp.formats.rounding import rounded


def render(made: Sweep) -> str:
    """A line of column names, then the points."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        (
            *("gpu", "name", "value", "class", "confidence", "time_ns", "growth", "time_goes_to"),
            *(f"{each.value}_operations" for each in Precision),
            *(f"{each.value}_per_byte" for each in Precision),
            *("dram_read_bytes", "dram_write_bytes", "occupancy", "grid", "block", "problem"),
        )
    )
    for point in made.points:
        writer.writerow(list(_row(made, point)))
    return out.getvalue()


def _row(made: Sweep, point: SweepPoint) -> Iterator[object]:
    yield from (point.gpu, made.name, point.value)
    yield None if point.verdict is None else point.verdict.value
    yield from map(rounded, (point.confidence, point.time_ns, point.growth))
    yield None if point.resource is None else point.resource.value
    yield from (rounded(point.operations.get(each)) for each in Precision)
    yield from (rounded(point.intensities.get(each)) for each in Precision)
    yield from map(rounded, (point.dram_read_bytes, point.dram_write_bytes, point.occupancy))
    for dims in (point.grid, point.block):
        yield None if dims is None else " ".join(map(str, dims))
    yield point.problem
