"""The class of a launch on other GPUs and at other sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.host.library_call import LibraryCall
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.report.report import ClassOn, WhatIf
from roofline_analysis.verdict.crossover import size_ranges
from roofline_analysis.verdict.launch import BoundLaunch, analyse_again, with_other_sizes
from roofline_analysis.verdict.library_calls import judge_call
from roofline_analysis.verdict.prediction import Crossover, SizeRange
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
    context = launch.context
    there = context if other.host is analysis.host else _same_launch(other, kernel, context)
    if there is context and other.launched(kernel, there) is launch.judged.summary:
        same_warps = other.warp_size == analysis.warp_size
        execution = launch.judged.execution if same_warps else None
        judged = analyse_again(launch, other.target, execution=execution)
        judged = with_other_sizes(judged, other.target)
    else:
        judged = other.judge_launch(kernel, there)
    made = judged.prediction
    return ClassOn(name, other.target.gpu.name, made.verdict, made.confidence)


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
    ranges = class_by_size(analysis, kernel, launch)
    return next((each.crossover for each in ranges if each.crossover is not None), None)


def class_by_size(
    analysis: ProgramAnalysis, kernel: Function, launch: BoundLaunch
) -> Iterator[SizeRange]:
    """The class of a launch over the values of each of its first free inputs."""
    arguments, context = analysis.settings.args, launch.context
    if arguments is not None and context is not None:
        place = (context.path, context.line)
        launches = analysis.launches_of(kernel, analysis.open_host)
        context = next((c for c in launches if (c.path, c.line) == place), None)
        if context is None:
            return
    judged, summary = launch.judged, analysis.launched(kernel, context)
    yield from size_ranges(
        summary,
        context,
        launch.bound,
        analysis.target,
        launch.prediction.verdict,
        arguments,
        judged.counted if summary is judged.summary else None,
    )
