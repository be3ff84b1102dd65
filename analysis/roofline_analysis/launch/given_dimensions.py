"""Grids and blocks given by hand or measured, held against those that the host program launches."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.host.values import LaunchContext
from roofline_analysis.launch.host_numbers import Dims, HostNumbers, Known
from roofline_analysis.regions.unknowns import UnknownUsed
from roofline_core.algebra.evaluate import Environment


def another_launch(
    context: LaunchContext | None, host: HostNumbers, grid: Known, block: Known
) -> Iterator[UnknownUsed]:
    """What is assumed where the host launches the kernel, but never with the given dimensions.

    The host's unknowns have been solved from the given dimensions before. Where the host's
    dimensions are another number all the same, the given launch was not found: the arguments of
    the launch that was found are used in its place. Without arguments nothing is assumed. A launch
    of no threads is none: its numbers are open, and named as such.
    """
    if context is None or not context.args:
        return
    for name, dims, given in (("grid", context.grid, grid), ("block", context.block, block)):
        found = _numbers(dims, host)
        if found is not None and given is not None and found != given and min(found) > 0:
            why = (
                f"the launch that was found has {name} {found}, not {given}; its arguments are used"
            )
            yield UnknownUsed(f"arguments of {name} {given}", why, None)
            return


def _numbers(dims: Dims, host: HostNumbers) -> Known:
    """The host's dimensions with its unknowns as they are; None where one has no value."""
    if dims is None:
        return None
    values = Environment(host.numbers())
    numbers = [values.evaluate(dim) for dim in dims]
    if any(not isinstance(number, (int, float)) for number in numbers):
        return None
    x, y, z = (int(number) for number in numbers if isinstance(number, (int, float)))
    return x, y, z
