"""Nsight Compute's metrics: which are collected, and what a launch's values come to.

Names and meanings are those of NVIDIA's Nsight Compute documentation (Metrics Guide, and the
roofline sections that come with the tool).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from roofline_profiling.measurement import Dim3
from roofline_profiling.numbers import MOST_THREADS, unit_of

_THREADS: Final = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"

_SUMS: Final[Mapping[str, Mapping[str, float]]] = {
    "sp_flops": {_THREADS.format(op): weight for op, weight in
                 (("fadd", 1.0), ("fmul", 1.0), ("ffma", 2.0))},
    "dp_flops": {_THREADS.format(op): weight for op, weight in
                 (("dadd", 1.0), ("dmul", 1.0), ("dfma", 2.0))},
    "hp_flops": {_THREADS.format(op): weight for op, weight in
                 (("hadd", 1.0), ("hmul", 1.0), ("hfma", 2.0))},
    "int_ops": {_THREADS.format("integer"): 1.0},
}  # fmt: skip
"""Instructions executed by threads whose predicate holds; a fused multiply-add is two operations.

Each sum needs all of its metrics.
"""

_DIRECT: Final[Mapping[str, tuple[str, str, float]]] = {
    "dram__bytes_read.sum": ("dram_read_bytes", "byte", 1.0),
    "dram__bytes_write.sum": ("dram_write_bytes", "byte", 1.0),
    "dram__bytes.sum": ("dram_bytes", "byte", 1.0),
    "lts__t_bytes.sum": ("l2_bytes", "byte", 1.0),
    "l1tex__t_bytes.sum": ("l1_bytes", "byte", 1.0),
    "sm__sass_data_bytes_mem_shared.sum": ("shared_bytes", "byte", 1.0),
    "gpu__time_duration.sum": ("time_ns", "second", 1e9),
    "gpu__time_duration.avg": ("time_ns", "second", 1e9),
    "smsp__cycles_elapsed.avg.per_second": ("sm_clock_mhz", "hz", 1e-6),
    "launch__registers_per_thread": ("registers", "register/thread", 1.0),
    "sm__warps_active.avg.pct_of_peak_sustained_active": ("occupancy", "%", 1e-2),
    # What the details page calls them.
    "Duration": ("time_ns", "second", 1e9),
    "SM Frequency": ("sm_clock_mhz", "hz", 1e-6),
    "Registers Per Thread": ("registers", "register/thread", 1.0),
    "Achieved Occupancy": ("occupancy", "%", 1e-2),
}
"""Metric to field, the unit it is in without prefix, and the factor from there to the field's."""

_ASSUMED_UNITS: Final[Mapping[str, str]] = {"second": "nsecond"}
"""What a value is in whose unit is not told: ``--print-units base`` prints nanoseconds."""
_SAME_UNITS: Final[Mapping[str, str]] = {"cycle/second": "hz"}

_SHARED: Final = (
    ("launch__shared_mem_per_block_static", "Static Shared Memory Per Block"),
    ("launch__shared_mem_per_block_dynamic", "Dynamic Shared Memory Per Block"),
)
_RATES: Final = ("dram__bytes.sum.per_second", "Memory Throughput")
"""DRAM bytes per second, as metric and on the details page."""
_STALL: Final = re.compile(
    r"smsp__average_warps_issue_stalled_(?P<reason>\w+?)_per_issue_active\.ratio"
)
_TENSOR: Final = re.compile(
    r"sm__ops_path_tensor_(?P<kind>\w+?)(?P<sparse>_sparsity_(?:on|off))?\.sum"
)
DEVICE_NAME: Final = "device__attribute_display_name"

_STALL_REASONS: Final = (
    "barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle",
    "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "no_instruction",
    "not_selected", "selected", "short_scoreboard", "sleeping", "tex_throttle", "wait",
)  # fmt: skip
_TENSOR_KINDS: Final = (
    "src_bf16_dst_fp32", "src_fp16_dst_fp16", "src_fp16_dst_fp32", "src_tf32_dst_fp32",
    "src_fp64", "src_int8",
)  # fmt: skip

METRICS: Final[tuple[str, ...]] = (
    *(metric for sums in _SUMS.values() for metric in sums),
    *(f"sm__ops_path_tensor_{kind}.sum" for kind in _TENSOR_KINDS),
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__t_bytes.sum",
    "l1tex__t_bytes.sum",
    "sm__sass_data_bytes_mem_shared.sum",
    "gpu__time_duration.sum",
    "smsp__cycles_elapsed.avg.per_second",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "launch__grid_dim_x", "launch__grid_dim_y", "launch__grid_dim_z",
    "launch__block_dim_x", "launch__block_dim_y", "launch__block_dim_z",
    "launch__registers_per_thread",
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
    DEVICE_NAME,
    *(f"smsp__average_warps_issue_stalled_{each}_per_issue_active.ratio"
      for each in _STALL_REASONS),
)  # fmt: skip
"""What a profile collects. Nsight Compute reports one that the GPU lacks as ``n/a``."""


@dataclass(frozen=True, slots=True)
class MetricValue:
    """A metric of one launch."""

    number: float
    unit: str
    """As printed, ``""`` where none is told."""


Values = Mapping[str, MetricValue]


def counts_of(values: Values) -> dict[str, float]:
    """The numbers of a ``Measurement`` that a launch's metrics give; what they lack is absent."""
    counts: dict[str, float] = {}
    for name, weights in _SUMS.items():
        known = {metric: _plain(values[metric]) for metric in weights if metric in values}
        if len(known) == len(weights):
            counts[name] = sum(weight * known[metric] for metric, weight in weights.items())
    for metric, (name, unit, factor) in _DIRECT.items():
        if metric in values and name not in counts:
            number = _in_unit(values[metric], unit)
            if number is not None:
                counts[name] = number * factor
    tensor = _tensor(values)
    if tensor is not None:
        counts["tensor_flops"] = tensor
    shared = [_first(values, names) for names in _SHARED]
    found = [each for each in shared if each is not None]
    if found:
        counts["block_shared_bytes"] = sum(found)
    _add_traffic(values, counts)
    return {name: number for name, number in counts.items() if number >= 0}


def _add_traffic(values: Values, counts: dict[str, float]) -> None:
    """DRAM bytes from the details page, which has their rate alone."""
    if {"dram_bytes", "dram_read_bytes"} & counts.keys() or "time_ns" not in counts:
        return
    for name in _RATES:
        if name in values:
            rate = _in_unit(values[name], "byte/second")
            if rate is not None and unit_of(values[name].unit)[1] == "byte/second":
                counts["dram_bytes"] = rate * counts["time_ns"] * 1e-9
                return


def _in_unit(value: MetricValue, unit: str) -> float | None:
    """The number in a unit without prefix; None if it is of another kind."""
    factor, base = unit_of(value.unit or _ASSUMED_UNITS.get(unit, unit))
    base = _SAME_UNITS.get(base, base)
    if base not in (unit, f"{unit}/block"):
        return None
    return value.number * factor


def _plain(value: MetricValue) -> float:
    """A count, which is scaled where the profiler printed ``Minst``."""
    return value.number * unit_of(value.unit)[0]


def _first(values: Values, names: tuple[str, ...]) -> float | None:
    for name in names:
        if name in values:
            return _in_unit(values[name], "byte")
    return None


def _tensor(values: Values) -> float | None:
    """Operations of all kinds of matrix instructions; the parts of a total are not added to it."""
    totals: dict[str, float] = {}
    parts: dict[str, float] = {}
    for metric, value in values.items():
        found = _TENSOR.fullmatch(metric)
        if found is not None:
            kept = parts if found["sparse"] else totals
            kept[found["kind"]] = kept.get(found["kind"], 0.0) + _plain(value)
    kinds = {**parts, **totals}
    return sum(kinds.values()) if kinds else None


def stalls_of(values: Values) -> dict[str, float]:
    """By reason, the largest first; reasons that never occurred are left out."""
    found = {
        match["reason"]: value.number
        for metric, value in values.items()
        if (match := _STALL.fullmatch(metric)) is not None and value.number > 0
    }
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def dimensions_of(values: Values, what: str) -> Dim3 | None:
    """``grid`` or ``block`` by the launch metrics."""
    parts = [values.get(f"launch__{what}_dim_{axis}") for axis in "xyz"]
    if None in parts:
        return None
    x, y, z = (int(part.number) for part in parts if part is not None)
    return (x, y, z) if 1 <= min(x, y, z) <= max(x, y, z) <= MOST_THREADS else None


_SAMPLES: Final = re.compile(r"smsp__pcsamp_warps_issue_stalled_\w+(?<!_not_issued)")
SAMPLE_GROUP: Final = "group:smsp__pcsamp_warp_stall_reasons"
"""All samples, where reports do not have them by reason."""
EXECUTED: Final = "inst_executed"
"""Instructions of warps, by program counter."""


def is_relevant(metric: str) -> bool:
    """Whether a launch's value of a metric is of any use here."""
    return metric in _RELEVANT or bool(_STALL.fullmatch(metric) or _TENSOR.fullmatch(metric))


def is_sampled(metric: str) -> bool:
    """Whether a metric has program-counter samples of warps, by reason."""
    return _SAMPLES.fullmatch(metric) is not None


_RELEVANT: Final = (
    frozenset(METRICS) | _DIRECT.keys() | frozenset(name for names in _SHARED for name in names)
    | frozenset(_RATES)
)  # fmt: skip
