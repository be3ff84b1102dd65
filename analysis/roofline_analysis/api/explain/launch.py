"""One judged launch taken apart: the steps put together."""

from __future__ import annotations

from dataclasses import replace

from roofline_analysis.api.explain.accesses import array_facts
from roofline_analysis.api.explain.alternatives import assumptions
from roofline_analysis.api.explain.judgement import time_facts, verdict_facts
from roofline_analysis.api.explain.launches import launch_facts
from roofline_analysis.api.explain.records import LaunchExplanation
from roofline_analysis.api.explain.regions import SourceLines, line_work, region_facts
from roofline_analysis.api.explain.values import host_values
from roofline_analysis.verdict.analyse import Target
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_analysis.verdict.prediction import Crossover


def explained(
    launch: BoundLaunch,
    target: Target,
    launches: int,
    lines: SourceLines = lambda _: (),
    *,
    crossover: Crossover | None = None,
    tried: int = 0,
) -> LaunchExplanation:
    """Take a judged launch apart; ``launches`` of the kernel were found.

    ``lines`` gives the text of source files. For ``tried`` assumed numbers and as many estimates,
    the launch is judged with others in their place.
    """
    judged = launch.judged
    kernel = judged.summary.kernel
    return LaunchExplanation(
        path=kernel.path,
        line=kernel.name_span.line,
        values=host_values(launch),
        launch=launch_facts(launch, launches),
        regions=region_facts(judged),
        arrays=array_facts(judged, target),
        lines=line_work(judged, lines),
        time=time_facts(judged),
        verdict_facts=verdict_facts(judged, target, crossover),
        assumptions=assumptions(launch, target, tried),
    )


def on_line(explanation: LaunchExplanation, line: int) -> LaunchExplanation:
    """The explanation with the accesses and operations of one source line of the kernel's file."""
    arrays = (
        replace(
            array,
            accesses=tuple(
                a for a in array.accesses if a.line == line and a.path == explanation.path
            ),
        )
        for array in explanation.arrays
    )
    return replace(
        explanation,
        arrays=tuple(array for array in arrays if array.accesses),
        lines=tuple(
            each
            for each in explanation.lines
            if each.line == line and each.path == explanation.path
        ),
    )


def lines_with_work(explanation: LaunchExplanation) -> list[int]:
    """The lines of the kernel's file that have accesses or operations, in order."""
    accesses = (access for array in explanation.arrays for access in array.accesses)
    places = {(each.path, each.line) for each in accesses}
    places |= {(each.path, each.line) for each in explanation.lines}
    return sorted(line for path, line in places if path == explanation.path)
