"""GPUs as JSON: what ``roofline-lsp gpus --format json`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from roofline_core.program.precision import Precision
from roofline_hardware_db import ClockKind, Gpu

_PEAKS = (
    ("fp64_gflops", "fp64", Precision.DP),
    ("fp32_gflops", "fp32", Precision.SP),
    ("fp16_gflops", "fp16", Precision.HP),
    ("int32_gops", "int32", Precision.INT),
)
_INTEGER_KINDS = frozenset({"int8"})


def gpus_document(
    gpus: Sequence[Gpu], clock: ClockKind, *, measured: bool = False
) -> dict[str, Any]:
    """``gpus[]``, each as ``gpu_object`` gives it, and which clock the peaks are at."""
    return {
        "clock": clock.value,
        "ceilings": "measured" if measured else "spec",
        "gpus": [gpu_object(gpu, clock, measured=measured) for gpu in gpus],
    }


def gpu_object(gpu: Gpu, clock: ClockKind, *, measured: bool = False) -> dict[str, Any]:
    """One GPU. A figure that is unknown is null; a peak without a rate is left out.

    Peaks are in 10^9 operations per second, tensor peaks in 10^12, ridges in operations per DRAM
    byte. ``sources`` maps each figure to the document it is from.
    """
    roofline = gpu.roofline(clock, measured=measured)
    peaks = {
        key: roofline.peaks_gops[precision]
        for key, _, precision in _PEAKS
        if precision in roofline.peaks_gops
    }
    tensor = {
        f"tensor_{kind}_{'tops' if kind in _INTEGER_KINDS else 'tflops'}": peak
        for kind, peak in gpu.tensor_peaks_tflops(clock).items()
    }
    ridge = {
        name: roofline.ridge(precision)
        for _, name, precision in (*_PEAKS, ("", "tensor_fp16", Precision.TENSOR))
        if precision in roofline.peaks_gops
    }
    return {
        **_identity(gpu),
        "sm_count": gpu.sm_count,
        "base_clock_mhz": gpu.base_clock_mhz,
        "boost_clock_mhz": gpu.boost_clock_mhz,
        "tensor_clock_mhz": gpu.tensor_clock_mhz,
        "memory_gb": gpu.memory_gb,
        "memory_type": gpu.memory_type,
        "memory_bandwidth_gbs": roofline.bandwidth_gbs,
        "l2_mb": gpu.l2_mb,
        "l3_mb": gpu.l3_mb,
        "pcie_generation": gpu.pcie_generation,
        "pcie_lanes": gpu.pcie_lanes,
        "c2c_bandwidth_gbs": gpu.c2c_bandwidth_gbs,
        "host_memory": gpu.host_memory,
        "clock": roofline.clock.value,
        "clock_mhz": roofline.clock_mhz,
        "peaks": {**peaks, **tensor},
        "ridge": ridge,
        "sources": {field: source.document for source in gpu.sources for field in source.fields},
        "disputed": dict(gpu.disputed),
    }


def _identity(gpu: Gpu) -> dict[str, Any]:
    architecture = gpu.architecture
    return {
        "name": gpu.name,
        "aliases": [*gpu.aliases, *gpu.default_for],
        "vendor": gpu.vendor,
        "segment": gpu.segment,
        "architecture": architecture.generation,
        "target": architecture.name,
        "compute_capability": architecture.compute_capability,
        "pci_ids": list(gpu.pci_ids),
        "devices_per_board": gpu.devices_per_board,
        "mig_profiles": list(gpu.mig),
    }
