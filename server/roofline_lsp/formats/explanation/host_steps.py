"""Steps 1 and 2 as text: the host's values and the launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline_analysis.api.explain.host_records import (
    BufferPassed,
    HostValue,
    LaunchOutline,
    TemplateArgument,
)
from roofline_analysis.api.explain.records import LaunchExplanation
from roofline_analysis.report.report import UnknownUsed
from roofline_core.text.table import aligned
from roofline_core.text.units import counted, dimensions, duration, exact, percent, scaled
from roofline_lsp.formats.explanation.layout import INDENT, how, reasons, wrapped


def value_lines(explained: LaunchExplanation) -> Iterator[str]:
    """Each number on a line, with its formula below where that says more, then the assumptions."""
    if not explained.values:
        yield f"{INDENT}the kernel takes no number"
        return
    longest = max(len(each.name) for each in explained.values)
    rows = [
        [f"{each.name.ljust(longest)} = {exact(each.number)}", how(each)]
        for each in explained.values
    ]
    for line, value in zip(aligned(rows, indent=INDENT), explained.values, strict=True):
        yield line
        if value.formula is not None:
            yield from wrapped(f"= {value.formula}", f"{INDENT}    ")
    yield from _assumed([each for value in explained.values for each in value.assumed])


def launch_lines(explained: LaunchExplanation) -> Iterator[str]:
    """Dimensions, template arguments, memory behind pointers, and how often."""
    launch = explained.launch
    rows = [
        ["grid", _shape(launch.grid), how(launch.grid[0])],
        ["block", _shape(launch.block), how(launch.block[0])],
    ]
    yield from aligned(rows, indent=INDENT)
    for value in (*launch.grid, *launch.block, launch.dynamic_shared_bytes, launch.repeat):
        if value.formula is not None:
            yield from wrapped(f"{value.name} = {value.formula}", f"{INDENT}    ")
    declared, dynamic = launch.static_shared_bytes, launch.dynamic_shared_bytes.number
    parts = [f"{scaled(declared, 'B')} declared"] if declared else []
    parts += [f"{scaled(dynamic, 'B')} dynamic"] if dynamic else []
    shared = f"shared memory of a block {' and '.join(parts)}" if parts else "no shared memory"
    yield from wrapped(f"{launch.threads} threads; {shared}; {_repeated(launch.repeat)}")
    if launch.template_arguments:
        yield f"{INDENT}template arguments: {_template(launch.template_arguments)}"
    yield from _buffers(launch.buffers)
    shown = {each for value in explained.values for each in value.assumed}
    values = (*launch.grid, *launch.block, launch.dynamic_shared_bytes, launch.repeat)
    left = [each for value in values for each in value.assumed if each not in shown]
    left += [each for buffer in launch.buffers for each in buffer.assumed if each not in shown]
    yield from _assumed(left)


def outline_lines(launches: Sequence[LaunchOutline], number: int | None) -> Iterator[str]:
    """A line for each launch; the explained one is marked."""
    rows = []
    for each in launches:
        mark = ">" if each.number == number else " "
        verdict = each.verdict.value if each.verdict is not None else "undecided"
        often = "?" if each.repeat is None else exact(each.repeat)
        rows.append(
            [
                f"{mark} {each.number}",
                f"{each.path.name}:{each.line}",
                f"grid {dimensions(each.grid)}, block {dimensions(each.block)}",
                f"<{_template(each.template_arguments)}>" if each.template_arguments else "",
                f"{verdict} {percent(each.confidence)}",
                f"{often} x {duration(each.time_ns)}",
                "" if each.certain else "perhaps not reached",
            ]
        )
    yield from aligned(rows, indent="   ")
    longest = max(launches, key=lambda each: each.total_ns or 0.0)
    if number is not None and longest.total_ns is not None and longest.number != number:
        yield (
            f"{INDENT}launch {longest.number} takes most time in all:"
            f" --launch {longest.number} explains it"
        )


def _shape(dims: Sequence[HostValue]) -> str:
    return f"({', '.join(exact(each.number) for each in dims)})"


def _repeated(repeat: HostValue) -> str:
    if repeat.number is None:
        return "how often it is launched is not known"
    guess = "about " if repeat.assumed else ""
    return f"launched {guess}{counted(int(repeat.number), 'time')}"


def _template(arguments: Sequence[TemplateArgument]) -> str:
    return ", ".join(f"{each.name} = {each.value}" for each in arguments)


def _buffers(buffers: Sequence[BufferPassed]) -> Iterator[str]:
    rows = []
    for each in buffers:
        known = f"{each.space} memory '{each.buffer}'" if each.buffer else "memory not known"
        size = scaled(each.size_bytes, "B") if each.size_bytes is not None else "size not known"
        where = ", ".join(dict.fromkeys(origin.text for origin in each.origins))
        rows.append([each.name, each.type, known, size, f"<- {where}" if where else ""])
    for line, each in zip(aligned(rows, indent=INDENT), buffers, strict=True):
        yield line
        if each.size_formula is not None:
            yield from wrapped(f"{each.size_formula} bytes", f"{INDENT}    ")


def _assumed(assumed: Sequence[UnknownUsed]) -> Iterator[str]:
    """What was assumed, each once."""
    for text in reasons(assumed):
        yield from wrapped(f"assumed  {text}", INDENT, " " * 9)
