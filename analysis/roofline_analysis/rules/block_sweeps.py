"""Launches of one line that try several blocks.

Benchmarks launch a kernel in a loop over block sizes. That some of those are slow is what the loop
is there to find out: what can be mended is what the fastest has, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.regions.kernel_summary import Site
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.program.dims import Dim3


def fastest_of_sweeps(launches: Sequence[BoundLaunch]) -> list[BoundLaunch]:
    """The launches without those that a faster block on the same line makes superfluous."""
    best: dict[Site, BoundLaunch] = {}
    for launch in launches:
        site = _site(launch)
        if site is not None and (site not in best or _time_ns(launch) < _time_ns(best[site])):
            best[site] = launch
    return [
        launch
        for launch in launches
        if (site := _site(launch)) is None or _block(launch) == _block(best[site])
    ]


def standing_launch(launches: Sequence[BoundLaunch]) -> BoundLaunch:
    """The launch that stands for a kernel: the first, or the fastest that its line tries."""
    left = fastest_of_sweeps(launches)
    return next(each for each in left if _site(each) == _site(launches[0]))


def _site(launch: BoundLaunch) -> Site | None:
    return (launch.context.path, launch.context.line) if launch.context is not None else None


def _block(launch: BoundLaunch) -> Dim3:
    return launch.judged.execution.block


def _time_ns(launch: BoundLaunch) -> float:
    time = launch.prediction.time_ns
    return time if time is not None else float("inf")
