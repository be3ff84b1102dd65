"""A kernel judged for each value of a number, for each GPU, or both."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from roofline_analysis.api.reloading import Reloadable
from roofline_analysis.api.sweep.records import Sweep, SweepClassChange, SweepPoint
from roofline_analysis.api.sweep.spec import GPU, MOST_POINTS, SweepError, Swept
from roofline_analysis.api.sweep.variations import (
    ImpossibleValueError,
    KernelMeant,
    Variation,
    kernel_meant,
    variation,
)
from roofline_analysis.api.targets import gpu_used
from roofline_analysis.names.signature import signature, title_of
from roofline_analysis.report.report import GpuUsed
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.program.precision import Precision
from roofline_core.program.stages import Stage, stage

Progress = Callable[[int, int, str], None]
"""Called with: points done, points in all, the last one."""


@stage(Stage.REPORT)
def sweep(
    program: Reloadable,
    wanted: Sequence[Swept],
    *,
    kernel: str | None = None,
    line: int | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Judge the launch that stands for a kernel in reports for each value.

    ``wanted`` has one number, GPUs, or both. Raises SweepError, NoSuchKernelError and
    UnknownGpuError.
    """
    numbers = [each for each in wanted if each.name != GPU]
    gpus = [each for each in wanted if each.name == GPU]
    if len(numbers) > 1 or len(gpus) > 1 or not wanted:
        raise SweepError("one number is varied at a time, and a list of GPUs besides")
    judged_for = _gpus(program, gpus[0].gpus if gpus else (None,))
    names, used = tuple(judged_for), tuple(judged_for.values())
    count = len(names) * (numbers[0].count if numbers else 1)
    if count > MOST_POINTS:
        raise SweepError(
            f"{count} launches are more than the limit of {MOST_POINTS}; take larger steps"
        )
    meant = kernel_meant(program.load(), program.path, kernel, line)
    varied = variation(numbers[0].name, meant, program) if numbers else _as_it_is(meant)
    values: Sequence[int | None] = numbers[0].values if numbers else (None,)
    at: dict[tuple[int, int], SweepPoint] = {}
    # Value by value, as the program is analysed once for each; told GPU by GPU.
    for row, value in enumerate(values):
        for column, (name, gpu) in enumerate(zip(names, used, strict=True)):
            at[column, row] = _point(varied, value, name, gpu)
            if progress is not None:
                progress(len(at), count, gpu.name if value is None else f"{varied.name}={value}")
    points = _grown([at[key] for key in sorted(at)])
    function = meant.kernel
    return Sweep(
        path=program.path,
        line=function.name_span.line,
        kernel=signature(function),
        title=title_of(function.dialect, function.qualified_name, function.name),
        name=varied.name,
        how=varied.how,
        args=program.settings.args,
        gpus=used,
        points=points,
        changes=tuple(_changes(points)),
        notes=(*varied.notes, *_notes(points)),
    )


def _gpus(program: Reloadable, names: Sequence[str | None]) -> dict[str | None, GpuUsed]:
    """The GPUs of these names (None: that of the settings), each once however it is called."""
    found: dict[str | None, GpuUsed] = {}
    settings = program.settings
    for name in names:
        gpu = gpu_used(settings if name is None else replace(settings, gpu=name))
        if all(gpu.name != each.name for each in found.values()):
            found[name] = gpu
    return found


def _as_it_is(meant: KernelMeant) -> Variation:
    return Variation(
        GPU, "the launch as the program makes it", lambda _, gpu: meant.judged(gpu=gpu)
    )


def _point(varied: Variation, value: int | None, name: str | None, gpu: GpuUsed) -> SweepPoint:
    try:
        launch = varied.at(value or 0, name)
    except ImpossibleValueError as error:
        return _none(value, gpu, str(error))
    return _judged(value, gpu, launch)


def _judged(value: int | None, gpu: GpuUsed, launch: BoundLaunch) -> SweepPoint:
    made = launch.prediction
    limit = made.time_limit
    return SweepPoint(
        value=value,
        gpu=gpu.name,
        verdict=made.verdict,
        confidence=made.confidence,
        operations={each: made.operations(each) for each in Precision},
        intensities={each: made.intensity(each) for each in Precision},
        dram_read_bytes=made.dram_read_bytes,
        dram_write_bytes=made.dram_write_bytes,
        time_ns=made.time_ns,
        resource=limit.resource if limit is not None else None,
        growth=None,
        grid=made.grid,
        block=made.block,
        occupancy=made.occupancy,
        depends_on=tuple(dict.fromkeys(made.time_depends_on)),
        problem=None,
    )


def _none(value: int | None, gpu: GpuUsed, problem: str) -> SweepPoint:
    nothing = dict.fromkeys(Precision)
    return SweepPoint(
        value=value,
        gpu=gpu.name,
        verdict=None,
        confidence=None,
        operations=nothing,
        intensities=nothing,
        dram_read_bytes=None,
        dram_write_bytes=None,
        time_ns=None,
        resource=None,
        growth=None,
        grid=None,
        block=None,
        occupancy=None,
        depends_on=(),
        problem=problem,
    )


def _grown(points: Sequence[SweepPoint]) -> tuple[SweepPoint, ...]:
    """The points with the growth of their times."""
    found: list[SweepPoint] = []
    before: SweepPoint | None = None
    for point in points:
        found.append(replace(point, growth=_growth(before, point)))
        if point.time_ns is not None:
            before = point
    return tuple(found)


def _growth(before: SweepPoint | None, point: SweepPoint) -> float | None:
    if before is None or before.gpu != point.gpu:
        return None
    if not before.value or not point.value or not before.time_ns or not point.time_ns:
        return None
    if point.value == before.value:
        return None
    return math.log(point.time_ns / before.time_ns) / math.log(point.value / before.value)


def _changes(points: Sequence[SweepPoint]) -> Iterator[SweepClassChange]:
    known = [point for point in points if point.problem is None]
    for before, after in itertools.pairwise(known):
        same_gpu = before.gpu == after.gpu or after.value is None
        if same_gpu and before.verdict is not after.verdict:
            yield SweepClassChange(
                after.gpu, before.value, after.value, before.verdict, after.verdict
            )


def _notes(points: Sequence[SweepPoint]) -> Iterator[str]:
    names = dict.fromkeys(name for point in points for name in point.depends_on)
    if names:
        yield f"other sizes are assumed: {', '.join(names)}"
