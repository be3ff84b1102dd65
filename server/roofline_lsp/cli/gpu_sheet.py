"""One GPU in full with the source of each figure, and two GPUs side by side."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_core.program.precision import Precision
from roofline_core.text.table import aligned
from roofline_core.text.units import UNKNOWN, significant
from roofline_hardware_db import ClockKind, Gpu

FIGURES = (
    ("SMs", "sm_count", ""),
    ("base clock", "base_clock_mhz", "MHz"),
    ("boost clock", "boost_clock_mhz", "MHz"),
    ("tensor clock", "tensor_clock_mhz", "MHz"),
    ("memory", "memory_gb", "GB"),
    ("bandwidth", "memory_bandwidth_gbs", "GB/s"),
    ("L2", "l2_mb", "MiB"),
    ("L3", "l3_mb", "MiB"),
    ("PCIe", "pcie_generation", ""),
    ("PCIe lanes", "pcie_lanes", ""),
    ("C2C", "c2c_bandwidth_gbs", "GB/s"),
)
"""Label, field and unit of what a sheet shows."""

_PRECISIONS = (
    ("DP", Precision.DP),
    ("SP", Precision.SP),
    ("HP", Precision.HP),
    ("INT", Precision.INT),
)


def sheet(gpu: Gpu, clock: ClockKind, *, measured: bool = False) -> list[str]:
    """Names, figures with their sources, tensor peaks, slices and what is disputed."""
    rows = [("", "", "source")]
    for label, field, unit in FIGURES:
        value = getattr(gpu, field)
        if value is not None:
            shown = f"{significant(value, 6)} {unit}".rstrip()
            rows.append((label, shown, gpu.source_of(field) or UNKNOWN))
    for kind, peak in gpu.tensor_peaks_tflops(clock).items():
        source = gpu.source_of(f"tensor_flops_per_clock_sm.{kind}") or UNKNOWN
        rows.append((f"tensor {kind}", f"{significant(peak, 4)} T/s", source))
    if measured:
        rows += [
            (f"measured {precision.title}", f"{peak:.0f} G/s", "settings")
            for precision, peak in gpu.ceilings.gops().items()
        ]
    lines = [*_about(gpu), *aligned(rows)]
    lines += [f"disputed {field}: {remark}" for field, remark in gpu.disputed.items()]
    lines += [f"exception {field}: {reason}" for field, reason in gpu.exceptions.items()]
    return lines


def _about(gpu: Gpu) -> Iterator[str]:
    architecture = gpu.architecture
    yield f"{gpu.vendor} {gpu.name}, {architecture.title}"
    names = (*gpu.aliases, *gpu.default_for)
    if names:
        yield f"also: {', '.join(names)}"
    if gpu.pci_ids:
        yield f"PCI: {', '.join(gpu.pci_ids)}"
    if gpu.devices_per_board:
        yield f"one of {gpu.devices_per_board} devices of its board"
    if gpu.mig:
        yield f"slices: {', '.join(gpu.mig)}"


def compared(first: Gpu, second: Gpu, clock: ClockKind, *, measured: bool = False) -> list[str]:
    """A line for each figure: of the first, of the second, and how many times as much that is."""
    figures: list[tuple[str, float | None, float | None]] = [
        (f"{label} {unit}".rstrip(), getattr(first, field), getattr(second, field))
        for label, field, unit in FIGURES
    ]
    one, two = (gpu.roofline(clock, measured=measured) for gpu in (first, second))
    figures += [
        (f"{label} G/s", one.peaks_gops.get(precision), two.peaks_gops.get(precision))
        for label, precision in _PRECISIONS
    ]
    tensor, other = first.tensor_peaks_tflops(clock), second.tensor_peaks_tflops(clock)
    figures += [
        (f"tensor {kind} T/s", tensor.get(kind), other.get(kind))
        for kind in dict.fromkeys((*tensor, *other))
    ]
    figures += [
        (f"ridge {label}", one.ridge(precision), two.ridge(precision))
        for label, precision in _PRECISIONS
    ]
    rows = [
        (label, _shown(left), _shown(right), significant(right / left if left and right else None))
        for label, left, right in figures
        if left is not None or right is not None
    ]
    return aligned([("", first.name, second.name, "ratio"), *rows], right=(1, 2, 3))


def _shown(value: float | None) -> str:
    """Whole numbers in full, others in four digits."""
    if value is not None and value >= 1000:
        return f"{value:.0f}"
    return significant(value, 4)
