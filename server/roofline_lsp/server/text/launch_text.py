"""The values of a launch in a hover, each with its origin."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.report.report import ArgumentUsed, LaunchReport
from roofline_core.text.units import exact, scaled
from roofline_lsp.formats.launch_values import buffers, numbers, source_of
from roofline_lsp.formats.markdown import MarkupStyle

_MOST_NUMBERS = 8
_MOST_BUFFERS = 6


def launch_items(
    launch: LaunchReport, block: str, thread: str, style: MarkupStyle
) -> Iterator[str]:
    """A bullet for each dimension and number with its origin, and one for the buffers' sizes.

    ``block`` and ``thread`` are the dialect's words. What is assumed says so and why.
    """
    for noun, origin, assumed in (
        (f"{block}s", launch.grid_origin, launch.grid_assumed),
        (f"{thread}s", launch.block_origin, launch.block_assumed),
    ):
        if source := _source(source_of(origin, assumed, launch), style):
            yield f"- {noun}{source}"
    shown = numbers(launch)
    for each in shown[:_MOST_NUMBERS]:
        source = _source(source_of(each.origin, each.assumed, launch, each.name), style)
        yield f"- {style.code(each.name)} = {exact(each.used)}{source}"
    if len(shown) > _MOST_NUMBERS:
        yield f"- and {len(shown) - _MOST_NUMBERS} more"
    if held := buffers(launch):
        sizes = [_size(each, style) for each in held[:_MOST_BUFFERS]]
        if len(held) > _MOST_BUFFERS:
            sizes.append(f"{len(held) - _MOST_BUFFERS} more")
        yield f"- in memory: {', '.join(sizes)}"


def _size(argument: ArgumentUsed, style: MarkupStyle) -> str:
    """``x` 4 MB``; ``≈`` before a size that was assumed."""
    about = "≈" if argument.assumed else ""
    return f"{style.code(argument.name)} {about}{scaled(argument.buffer_bytes, 'B')}"


def _source(said: tuple[str | None, str | None], style: MarkupStyle) -> str:
    origin, assumed = said
    if assumed is not None:
        return f", {style.bold('assumed')}: {style.prose(assumed)}"
    return f" ← {style.prose(origin)}" if origin is not None else ""
