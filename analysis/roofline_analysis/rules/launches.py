"""The launches of a kernel, as rules about grids and blocks look at them."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.rules.block_sweeps import fastest_of_sweeps
from roofline_analysis.rules.model import Effect, Match, Related
from roofline_analysis.rules.subject import KernelSubject
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.program.units import Dialect, Span


def known_launches(kernel: KernelSubject) -> Iterator[BoundLaunch]:
    """The launches whose grid and block the host code fixes, one of each shape.

    There are none of target regions, and of lines that try several blocks only the fastest. What
    is launched in several streams is left out: other launches fill the GPU beside it.
    """
    if kernel.kernel.dialect is Dialect.OPENMP:
        return
    seen: set[object] = set()
    for launch in fastest_of_sweeps(kernel.launches):
        context = launch.context
        if context is None or context.grid is None or context.block is None:
            continue
        if context.is_one_of_several:
            continue
        if not all(dim.constant is not None for dim in (*context.grid, *context.block)):
            continue
        shape = (launch.judged.execution.grid, launch.judged.execution.block)
        if shape not in seen:
            seen.add(shape)
            yield launch


def block_threads(launch: BoundLaunch) -> int:
    """Threads of a block."""
    x, y, z = launch.judged.execution.block
    return x * y * z


def found_at_launch(
    kernel: KernelSubject, launch: BoundLaunch, message: str, effect: Effect | None
) -> Match:
    """A finding at a launch; at the kernel where that stands in another file."""
    context = launch.context
    assert context is not None
    function = kernel.kernel
    if context.path != function.path:
        span, path = function.name_span, function.path
        related = Related(context.path, context.line, f"'{function.name}' is launched here")
    else:
        span, path = _launch_span(kernel, context.line), context.path
        line = function.name_span.line
        related = Related(function.path, line, f"'{function.name}' is defined here")
    return Match(message, path, span, effect, None, (related,))


def _launch_span(kernel: KernelSubject, line: int) -> Span:
    return kernel.line_span(kernel.kernel.path, line)
