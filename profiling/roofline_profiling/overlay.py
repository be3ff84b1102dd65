"""Measurements attached to a report's predictions, which they replace where they apply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from roofline_analysis.names.profiled_names import LAMBDA, ProfiledName, parse_profiled_name
from roofline_analysis.names.signature import type_text
from roofline_analysis.project.paths import project_root
from roofline_analysis.report.report import (
    FileReport,
    GpuUsed,
    KernelReport,
    LaunchReport,
    Measured,
    Prediction,
)
from roofline_core.program.types import Type
from roofline_core.text.units import dimensions
from roofline_profiling.error_terms import gap_of, strongly_off
from roofline_profiling.measurement import LineHeat, Measurement
from roofline_profiling.pc_samples import shares
from roofline_profiling.records import Record
from roofline_profiling.store import Stamp, Stored, load, stamp_of
from roofline_profiling.store_path import store_path
from roofline_profiling.substitution import (
    as_counters_see,
    measured_class,
    measured_prediction,
)


class MeasurementIndex:
    """The stores of projects; a store is read again when its file has changed."""

    def __init__(self) -> None:
        self._stores: dict[Path, tuple[Stamp, Mapping[str, list[Record]]]] = {}

    def beside(self, report: FileReport, gpu: GpuUsed, args: tuple[str, ...] | None) -> FileReport:
        """A report with what was measured of its kernels on its GPU.

        ``args`` are the program's arguments that its predictions are for. Raises StoreError for a
        store that cannot be read.
        """
        root = project_root(report.path.absolute().parent)
        records = self._records(root)
        if not records or not report.kernels:
            return report
        kernels = tuple(
            _with_measurements(kernel, records.get(kernel.base_name, ()), root, gpu, args)
            for kernel in report.kernels
        )
        return replace(report, kernels=kernels)

    def _records(self, root: Path) -> Mapping[str, list[Record]]:
        path = store_path(root)
        stamp = stamp_of(path)
        known = self._stores.get(root)
        if known is None or known[0] != stamp:
            self._stores.pop(root, None)
            known = (stamp, _by_kernel(load(path)) if stamp is not None else {})
            self._stores[root] = known
        return known[1]


def _by_kernel(stored: Stored) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in stored.records:
        name = parse_profiled_name(record.measurement.kernel).base_name
        found.setdefault(name, []).append(record)
    return found


def _with_measurements(
    kernel: KernelReport,
    records: Sequence[Record],
    root: Path,
    gpu: GpuUsed,
    args: tuple[str, ...] | None,
) -> KernelReport:
    """The latest measurement of each launch goes before its prediction, if it is of this code."""
    fitting = [
        record for record in records if record.gpu == gpu.name and _is_of(record, kernel, root)
    ]
    if not fitting:
        return kernel
    launches = []
    for launch in kernel.launches:
        holding = _latest(r for r in fitting if _applies(r, kernel, launch, args))
        if holding is not None:
            prediction = measured_prediction(launch.prediction, holding.measurement, gpu)
            launches.append(replace(launch, prediction=prediction))
        else:
            launches.append(launch)
    first = kernel.launches[0] if kernel.launches else None
    best = max(reversed(fitting), key=lambda record: _nearness(record, kernel, first, args))
    lines = best.measurement.lines or next(
        (
            held.measurement.lines
            for held in reversed(fitting)
            if held.measurement.lines and held.body == best.body
        ),
        (),
    )
    measured = _measured(best, lines, kernel, first, gpu, args)
    changed = replace(kernel, launches=tuple(launches), measured=measured)
    if measured.applies:
        return replace(changed, prediction=launches[0].prediction)
    return changed


def _latest(records: Iterable[Record]) -> Record | None:
    """The last one; what was measured on a GPU goes before what was emulated."""
    return max(enumerate(records), key=_standing, default=(0, None))[1]


def _standing(numbered: tuple[int, Record]) -> tuple[bool, int]:
    number, record = numbered
    return not record.measurement.emulated, number


def _is_of(record: Record, kernel: KernelReport, root: Path) -> bool:
    if record.source is not None:
        path = kernel.path.absolute()
        shown = path.relative_to(root) if path.is_relative_to(root) else path
        if shown.as_posix() != record.source:
            return False
    wanted = parse_profiled_name(record.measurement.kernel)
    own = parse_profiled_name(kernel.name)
    scoped = "::" in wanted.qualified_name and "::" in kernel.qualified_name
    if scoped and wanted.qualified_name != kernel.qualified_name:
        return False
    if wanted.params is None or own.params is None:
        return True
    return len(wanted.params) == len(own.params)


def _applies(
    record: Record, kernel: KernelReport, launch: LaunchReport, args: tuple[str, ...] | None
) -> bool:
    """Whether a measurement is of exactly this code, launch and command line."""
    return (
        record.measurement.counted
        and record.body == kernel.body_hash
        and _same_args(record.measurement.args, args)
        and _same_launch(record.measurement, launch)
    )


def _same_args(measured: tuple[str, ...] | None, args: tuple[str, ...] | None) -> bool:
    return measured is None or measured == (args or ())


def _same_launch(measurement: Measurement, launch: LaunchReport) -> bool:
    used = launch.prediction
    if measurement.grid is not None and measurement.grid != used.grid:
        return False
    if measurement.block is not None and measurement.block != used.block:
        return False
    return _same_templates(parse_profiled_name(measurement.kernel), launch.template_args)


def _same_templates(name: ProfiledName, own: Sequence[str]) -> bool:
    """Whether template arguments agree where both are known; one lambda is like another."""
    shown = [
        type_text(each) if isinstance(each, Type) else str(each) for each in name.template_args
    ]
    return all(
        one.replace(" ", "") == other.replace(" ", "")
        or "unknown" in (one, other)
        or (one == LAMBDA.name and LAMBDA.name in other)
        for one, other in zip(shown, own, strict=False)
    )


def _nearness(
    record: Record, kernel: KernelReport, launch: LaunchReport | None, args: tuple[str, ...] | None
) -> tuple[bool, ...]:
    """A sort key: measured counts matter most, then the code, the launch and the arguments.

    Between equals, what was measured on a GPU goes before what was emulated.
    """
    return (
        record.measurement.counted,
        record.body == kernel.body_hash,
        launch is not None and _same_launch(record.measurement, launch),
        _same_args(record.measurement.args, args),
        not record.measurement.emulated,
    )


def _measured(
    record: Record,
    lines: tuple[LineHeat, ...],
    kernel: KernelReport,
    launch: LaunchReport | None,
    gpu: GpuUsed,
    args: tuple[str, ...] | None,
) -> Measured:
    found = record.measurement
    stale = record.body is not None and record.body != kernel.body_hash
    predicted = launch.prediction if launch is not None else kernel.prediction
    same_launch = launch is not None and _same_launch(found, launch)
    disagreement = None
    if not stale and same_launch and _same_args(found.args, args):
        disagreement = _disagreement(found, predicted, gpu)
    return Measured(
        verdict=measured_class(found, predicted, gpu),
        gpu=record.gpu,
        sp_flops=found.sp_flops,
        dp_flops=found.dp_flops,
        hp_flops=found.hp_flops,
        int_ops=found.int_ops,
        tensor_flops=found.tensor_flops,
        dram_bytes=found.moved_bytes,
        time_ns=found.time_ns,
        grid=found.grid,
        block=found.block,
        args=found.args,
        occupancy=found.occupancy,
        stalls=dict(found.stalls),
        heat={} if stale else shares(lines),
        origin=", ".join(part for part in (found.origin, record.taken[:10]) if part),
        stale=stale,
        applies=launch is not None and _applies(record, kernel, launch, args),
        predicted=predicted,
        disagreement=disagreement,
        emulated=found.emulated,
    )


def _disagreement(found: Measurement, predicted: Prediction, gpu: GpuUsed) -> str | None:
    predicted = as_counters_see(predicted)
    gap = gap_of(found, predicted, gpu.ridges)
    measured = found.verdict(gpu.ridges)
    wrong = measured is not None and predicted.dram_verdict not in (None, measured)
    if not wrong and not strongly_off(gap):
        return None
    if wrong and measured is not None and predicted.dram_verdict is not None:
        start = f"{found.how} {measured.value} where {predicted.dram_verdict.value} is predicted"
    else:
        start = f"{found.how} far from what is predicted at grid {dimensions(found.grid)}"
    return f"{start}: {gap.text}" if gap.text else start
