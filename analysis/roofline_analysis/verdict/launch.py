"""The verdict of a launch, from what one thread of its kernel does.

The one way to it: for the editor and the batch, for data sets of measured kernels, for rules and
what they rewrite, and for explanations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from roofline_analysis.counting.execution import Execution
from roofline_analysis.device.values import WARP_SIZE
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.launch.binding import Binding, bind
from roofline_analysis.regions.kernel_summary import KernelSummary, accesses_in
from roofline_analysis.regions.unknowns import UnknownUsed
from roofline_analysis.verdict.analyse import LaunchAnalysis, Target, judge
from roofline_analysis.verdict.confidence import LEAST, confidence
from roofline_analysis.verdict.crossover import is_for_other_sizes
from roofline_analysis.verdict.prediction import Prediction, Verdict
from roofline_core.program.dims import Dim3
from roofline_core.program.records import record
from roofline_core.program.types import Type

_SMALLER: Final = (256, 64, 16)
"""What is assumed for open sizes in turn, where the usual number makes a launch implausible. Larger
numbers, as fill the GPU with blocks, shrink by as much."""
_MOST_TRIED_ACCESSES: Final = 1_000
"""Accesses to memory of a kernel for which all of these are tried; of longer ones only the last is.
A limit on the work."""
_LONGEST_NS: Final = 1e9
"""The longest launch with assumed sizes. Assumed: kernels take far less than a second."""
_LEAST_MEMORY_GB: Final = 4.0
"""Taken for the memory of a GPU that has no entry for it."""


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


@np.errstate(all="ignore")  # What overflows is infinite, or no number: no warning mends it.
def analyse_launch(
    summary: KernelSummary,
    context: LaunchContext | None,
    target: Target,
    bindings: Mapping[str, Type | int],
    grid: Dim3 | None = None,
    block: Dim3 | None = None,
    taken: Sequence[UnknownUsed] = (),
) -> BoundLaunch:
    """Judge one launch of a kernel, and keep what the prediction was computed from.

    ``bindings`` are the template parameters that ``summary`` was walked with; ``taken``, those of
    them that are assumed. ``grid`` and ``block``, in blocks and threads, go before what the host
    code says of them.
    """
    bound = bind(summary, context, grid, block, taken=taken)
    assumes = any((each.assumed or 0) > _SMALLER[-1] for each in bound.unknowns)
    sizes = _SMALLER if accesses_in(summary) <= _MOST_TRIED_ACCESSES else _SMALLER[-1:]
    for size in sizes if assumes else ():
        if _fits(bound, target):  # Else it need not be judged.
            judged = judge(summary, bound, target)
            if _is_plausible(judged.prediction, target):
                return BoundLaunch(context, bindings, bound, judged)
        bound = bind(summary, context, grid, block, size=size, taken=taken)
    return BoundLaunch(context, bindings, bound, judge(summary, bound, target))


def _fits(bound: Binding, target: Target) -> bool:
    """Whether a GPU runs its grid, and no allocation of a launch is larger than the memory."""
    return not bound.grid_too_large and max(bound.sizes.values(), default=0.0) <= _memory_bytes(
        target
    )


def _is_plausible(prediction: Prediction, target: Target) -> bool:
    """Whether a program would launch such a kernel: it ends soon, and its data fit the GPU."""
    sight = prediction.sight
    ends = sight is None or sight.too_long_ns is None
    ends_soon = ends and (prediction.time_ns or 0.0) <= _LONGEST_NS
    return ends_soon and (prediction.dram_bytes or 0.0) <= _memory_bytes(target)


def _memory_bytes(target: Target) -> float:
    return (target.gpu.memory_gb or _LEAST_MEMORY_GB) * 2**30


@np.errstate(all="ignore")
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


def _is_small_step(launch: BoundLaunch) -> bool:
    """Whether less than a warp does anything in a launch that is perhaps not reached.

    It may be a helper's, of one element, that was followed where the one that matters was not.
    """
    context, judged = launch.context, launch.judged
    if context is None or context.certain:
        return False
    if launch.prediction.verdict is not Verdict.COMPUTE_BOUND:
        return False
    runs = judged.execution.regions
    busy = (runs[each].runs for each in judged.demanding if each.accesses)
    return max(busy, default=0.0) < WARP_SIZE


@np.errstate(all="ignore")
def with_other_sizes(launch: BoundLaunch, target: Target) -> BoundLaunch:
    """A judged launch with its confidence after a look at other sizes.

    Only a compute-bound class at guessed sizes depends on them much. Of such verdicts far more are
    right where the class is the same at far smaller and larger sizes.
    """
    made = launch.prediction
    grounds = made.grounds
    if grounds is not None and _is_small_step(launch):
        grounds = replace(grounds, is_small_step=True)
        made = replace(made, grounds=grounds, confidence=confidence(grounds))
        return replace(launch, judged=replace(launch.judged, prediction=made))
    if grounds is None or not grounds.guessed_sizes or made.confidence <= LEAST:
        return launch
    if made.verdict is not Verdict.COMPUTE_BOUND or made.bus is not None:
        return launch
    judged = launch.judged
    same = is_for_other_sizes(
        judged.summary, launch.context, launch.bound, target, made.verdict, judged.counted
    )
    grounds = replace(grounds, for_other_sizes=same)
    made = replace(made, grounds=grounds, confidence=confidence(grounds))
    return replace(launch, judged=replace(judged, prediction=made))
