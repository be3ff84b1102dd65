"""The verdict of a launch, from what one thread of its kernel does.

The one way to it: for the editor and the batch, for data sets of measured kernels, for rules and
what they rewrite, and for explanations.
"""

from __future__ import annotations

from collections.abc import Mapping

from roofline_analysis.counting.execution import Execution
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.launch.binding import Binding, bind
from roofline_analysis.regions.kernel_summary import KernelSummary
from roofline_analysis.verdict.analyse import LaunchAnalysis, Target, judge
from roofline_analysis.verdict.prediction import Prediction
from roofline_core.program.dims import Dim3
from roofline_core.program.records import record
from roofline_core.program.types import Type


@record(frozen=True, slots=True)
class BoundLaunch:
    """One launch of a kernel and its judgement."""

    context: LaunchContext | None
    """None for the dimensions assumed where no launch was found."""
    bindings: Mapping[str, Type | int]
    """The kernel's template parameters."""
    bound: Binding
    judged: LaunchAnalysis

    @property
    def prediction(self) -> Prediction:
        """What it is expected to do."""
        return self.judged.prediction


def analyse_launch(
    summary: KernelSummary,
    context: LaunchContext | None,
    target: Target,
    bindings: Mapping[str, Type | int],
    grid: Dim3 | None = None,
    block: Dim3 | None = None,
) -> BoundLaunch:
    """Judge one launch of a kernel, and keep what the prediction was computed from.

    ``bindings`` are the template parameters that ``summary`` was walked with. ``grid`` and
    ``block``, in blocks and threads, go before what the host code says of them.
    """
    bound = bind(summary, context, grid, block)
    return BoundLaunch(context, bindings, bound, judge(summary, bound, target))


def analyse_again(
    launch: BoundLaunch,
    target: Target,
    *,
    bound: Binding | None = None,
    execution: Execution | None = None,
) -> BoundLaunch:
    """Judge a launch anew: with other numbers, with other counts, or on another GPU.

    Without ``bound`` the numbers stay, which do not depend on the GPU. ``execution`` has the
    counts, for a GPU of the same warp size; None: they are made anew.
    """
    bound = launch.bound if bound is None else bound
    judged = judge(launch.judged.summary, bound, target, execution)
    return BoundLaunch(launch.context, launch.bindings, bound, judged)
