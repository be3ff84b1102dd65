"""The class of a launch on other GPUs and at other sizes."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.host.library_call import LibraryCall
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.launch.binding import bind
from roofline_analysis.report.report import ClassOn, WhatIf
from roofline_analysis.verdict.analyse import count_launch
from roofline_analysis.verdict.confidence import confidence
from roofline_analysis.verdict.crossover import flip_point
from roofline_analysis.verdict.features import grounds_of
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_analysis.verdict.library_calls import judge_call
from roofline_analysis.verdict.prediction import Crossover
from roofline_analysis.verdict.rule import precision_verdicts, verdict_of
from roofline_core.program.units import Function


def launch_what_if(
    analysis: ProgramAnalysis,
    kernel: Function,
    launch: BoundLaunch,
    names: Sequence[str] | None,
) -> WhatIf | None:
    """The classes of a launch on the GPUs of these names; None if there are none.

    For a GPU with the same warp size, only traffic and time are computed again. Raises
    ``UnknownGpuError``.
    """
    if not names:
        return None
    classes = tuple(_class_on(analysis, name, kernel, launch) for name in names)
    return WhatIf(classes, crossover(analysis, kernel, launch))


def call_what_if(analysis: ProgramAnalysis, call: LibraryCall) -> WhatIf | None:
    """The classes of a library call; its sizes are not varied."""
    names = analysis.settings.what_if
    if not names:
        return None
    classes = []
    for name in names:
        target = analysis.on(name).target
        prediction = judge_call(call, target)
        classes.append(ClassOn(name, target.gpu.name, prediction.verdict, prediction.confidence))
    return WhatIf(tuple(classes))


def _class_on(
    analysis: ProgramAnalysis, name: str, kernel: Function, launch: BoundLaunch
) -> ClassOn:
    other = analysis.on(name)
    context, bound = launch.context, launch.bound
    there = context if other.host is analysis.host else _same_launch(other, kernel, context)
    summary = other.launched(kernel, there)
    execution = None
    if there is context and summary is launch.judged.summary:
        if other.warp_size == analysis.warp_size:
            execution = launch.judged.execution
    else:
        bound = bind(summary, there)
    gpu, roofline = other.target.gpu, other.target.roofline
    counted = count_launch(summary, bound, gpu, execution)
    traffic, operations = counted.traffic, counted.operations
    moved = traffic.read_bytes + traffic.write_bytes
    unknowns = len(bound.unknowns) + len(counted.execution.assumed_trips)
    unknowns += len(counted.execution.assumed_conditions)
    grounds = grounds_of(summary, counted.execution, traffic, operations, roofline, unknowns)
    verdict = verdict_of(precision_verdicts(operations, moved, roofline))
    return ClassOn(name, gpu.name, verdict, confidence(grounds))


def _same_launch(
    other: ProgramAnalysis, kernel: Function, context: LaunchContext | None
) -> LaunchContext | None:
    """The launch that the host program makes in the same place, or else its first."""
    found = other.launches_of(kernel)
    if context is None:
        return found[0] if found else None
    place = (context.path, context.line)
    return next((each for each in found if (each.path, each.line) == place), context)


def crossover(analysis: ProgramAnalysis, kernel: Function, launch: BoundLaunch) -> Crossover | None:
    """The value of one free input at which a launch's class changes; None if there is none.

    The input is an unknown, or a number on the settings' command line.
    """
    arguments, context = analysis.settings.args, launch.context
    if arguments is not None and context is not None:
        place = (context.path, context.line)
        launches = analysis.launches_of(kernel, analysis.open_host)
        context = next((c for c in launches if (c.path, c.line) == place), None)
        if context is None:
            return None
    return flip_point(
        analysis.launched(kernel, context),
        context,
        launch.bound,
        analysis.target,
        launch.prediction.verdict,
        arguments,
    )
