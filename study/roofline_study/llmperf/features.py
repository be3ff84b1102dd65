"""What the regression is told of a launch, in four groups.

- ``source``: of the kernel's text alone, as the device walk sees it, whatever the launch;
- ``arguments``: how many bytes the arrays have, and the numbers;
- ``sizes``: work-items and groups;
- ``model``: what the static model counts of the launch, which takes all three to know.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from roofline_analysis.counting.execution import Execution
from roofline_analysis.device.values import THREAD
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    KernelSummary,
    MemorySpace,
    Region,
    RegionForm,
    Work,
)
from roofline_analysis.verdict.analyse import LaunchAnalysis
from roofline_study.llmperf.arguments import (
    Argument,
    BufferArgument,
    LocalArgument,
    NumberArgument,
    total_bytes,
)
from roofline_study.llmperf.sampling import Configuration

Features = Mapping[str, float]
"""Amounts by name, none below 0; the part of a name before the dot is its group."""
GROUPS: Final = ("source", "arguments", "sizes", "model")
_ARITHMETIC: Final = (
    Work.SP,
    Work.DP,
    Work.INT,
    Work.SPECIAL,
    Work.CONVERSION,
    Work.FUSED,
)
_FIRST: Final = THREAD["threadIdx.x"]


def launch_features(
    analysis: LaunchAnalysis, arguments: Sequence[Argument], configuration: Configuration
) -> dict[str, float]:
    """All features of a launch."""
    return {
        **_source(analysis.summary),
        **_arguments(arguments),
        **_sizes(configuration),
        **_model(analysis),
    }


def _source(summary: KernelSummary) -> dict[str, float]:
    counts: defaultdict[str, float] = defaultdict(float)
    for region in summary.root.walk():
        counts["loops"] += region.form is RegionForm.LOOP
        counts["guards"] += region.form is RegionForm.GUARD
        counts["unknown trips"] += region.form is RegionForm.LOOP and region.trips is None
        counts["barriers"] += region.barriers
        counts["deepest"] = max(counts["deepest"], sum(1 for _ in region.loops()))
        for row in region.work.values():
            for kind in _ARITHMETIC:
                counts[kind.name.lower()] += row[kind]
        for access in region.accesses:
            counts[f"{access.array.space.value} {access.mode.value}"] += 1
            counts[_pattern(access)] += 1
    counts["arrays"] = len(summary.arrays)
    counts["statements"] = summary.statements
    return {f"source.{name}": float(counts[name]) for name in _SOURCE_NAMES}


_SOURCE_NAMES: Final = (
    "loops",
    "guards",
    "unknown trips",
    "barriers",
    "deepest",
    "arrays",
    "statements",
    *(kind.name.lower() for kind in _ARITHMETIC),
    *(
        f"{space.value} {mode.value}"
        for space in (MemorySpace.GLOBAL, MemorySpace.SHARED, MemorySpace.LOCAL)
        for mode in AccessMode
    ),
    "adjacent",
    "same for neighbours",
    "strided",
)


def _pattern(access: Access) -> str:
    """How the addresses of neighbouring work-items lie to one another."""
    step = access.offset.coefficient(_FIRST)
    if step is None:
        return "strided"
    if not step.terms:
        return "same for neighbours"
    return "adjacent" if step.constant == access.size_bytes else "strided"


def _arguments(arguments: Sequence[Argument]) -> dict[str, float]:
    buffers = [each.size_bytes for each in arguments if isinstance(each, BufferArgument)]
    numbers = [
        abs(float(each.value))
        for each in arguments
        if isinstance(each, NumberArgument) and isinstance(each.value, int)
    ]
    local = sum(each.size_bytes for each in arguments if isinstance(each, LocalArgument))
    return {
        "arguments.bytes": float(total_bytes(arguments)),
        "arguments.largest bytes": float(max(buffers, default=0)),
        "arguments.buffers": float(len(buffers)),
        "arguments.local bytes": float(local),
        "arguments.numbers": float(len(numbers)),
        "arguments.largest number": max(numbers, default=0.0),
        "arguments.product of numbers": math.prod(max(1.0, each) for each in numbers),
    }


def _sizes(configuration: Configuration) -> dict[str, float]:
    gx, gy, gz = configuration.global_size
    return {
        "sizes.items": float(configuration.items),
        "sizes.groups": float(configuration.group_count),
        "sizes.group items": float(configuration.group_items),
        "sizes.group width": float(configuration.local_size[0]),
        "sizes.x": float(gx),
        "sizes.y": float(gy),
        "sizes.z": float(gz),
    }


def _model(analysis: LaunchAnalysis) -> dict[str, float]:
    prediction, execution = analysis.prediction, analysis.execution
    found = {f"model.{name} time": term for name, term in analysis.timing.terms_ns.items()}
    found.pop("model.launch time", None)
    found.pop("model.bus time", None)
    found["model.time"] = prediction.time_ns or 0.0
    found["model.dram bytes"] = (prediction.dram_read_bytes or 0.0) + (
        prediction.dram_write_bytes or 0.0
    )
    for kind in _ARITHMETIC:
        found[f"model.{kind.name.lower()}"] = _work(analysis.summary.root, execution, kind)
    counts = _counts(analysis.summary, execution)
    found.update({f"model.{name}": counts.get(name, 0.0) for name in _COUNTED})
    grounds = prediction.grounds
    found["model.assumed share"] = grounds.assumed_share if grounds is not None else 0.0
    found["model.unseen share"] = grounds.unseen_share if grounds is not None else 0.0
    return found


_COUNTED: Final = (
    "adjacent accesses",
    "same accesses",
    "strided accesses",
    "stores",
    "atomics",
    "shared accesses",
    "private accesses",
    "barriers",
    "trips",
    "region runs",
)
"""Over all work-items."""


def _counts(summary: KernelSummary, execution: Execution) -> Mapping[str, float]:
    counts: defaultdict[str, float] = defaultdict(float)
    for region in summary.root.walk():
        runs = execution.regions.get(region)
        if runs is None or not runs.runs:
            continue
        amount = runs.runs
        counts["barriers"] += region.barriers * amount
        counts["region runs"] += amount
        if region.form is RegionForm.LOOP:
            counts["trips"] += amount
        for access in region.accesses:
            counts[_kind(access)] += amount
            if access.mode is AccessMode.WRITE:
                counts["stores"] += amount
    return counts


def _kind(access: Access) -> str:
    if access.mode is AccessMode.ATOMIC:
        return "atomics"
    if access.array.space is MemorySpace.SHARED:
        return "shared accesses"
    if access.array.space is MemorySpace.LOCAL:
        return "private accesses"
    pattern = _pattern(access)
    return "same accesses" if pattern.startswith("same") else f"{pattern} accesses"


def _work(root: Region, execution: Execution, kind: Work) -> float:
    """Work of one kind over the whole launch."""
    total = 0.0
    for region in root.walk():
        runs = execution.regions.get(region)
        if runs is not None and runs.runs:
            total += runs.runs * sum(row[kind] for row in region.work.values())
    return total
