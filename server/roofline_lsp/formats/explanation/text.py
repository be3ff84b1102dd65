"""An explanation as text for people: the kernel, then the steps that lead to its class."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from roofline_analysis.api.explain.records import (
    Explanation,
    KernelExplanation,
    LaunchExplanation,
    TimeFacts,
)
from roofline_analysis.report.verdict_words import INVENTED, RESOURCE_NAMES
from roofline_core.program.units import Dialect
from roofline_core.text.units import counted, duration, percent, time_text
from roofline_lsp.formats.explanation.host_steps import launch_lines, outline_lines, value_lines
from roofline_lsp.formats.explanation.kernel_steps import (
    access_lines,
    operation_lines,
    region_lines,
)
from roofline_lsp.formats.explanation.verdict_steps import (
    assumption_lines,
    time_lines,
    verdict_lines,
)
from roofline_lsp.formats.full import gpu_line, problem_line
from roofline_lsp.formats.style import ColourStyle

_Step = Callable[[LaunchExplanation], Iterator[str]]


def render(explanation: Explanation, style: ColourStyle) -> str:
    """The roofline, then each kernel with its eight steps."""
    lines = [style.dim(gpu_line(explanation.gpu)), style.dim(_command_line(explanation))]
    for kernel in explanation.kernels:
        lines += ["", *_kernel(kernel, explanation.only_line, style)]
    if explanation.problems:
        lines += ["", style.bold("Not read or not followed in the file and the host program")]
        lines += [problem_line(explanation.path, each, style) for each in explanation.problems]
    return "\n".join(lines) + "\n"


def _command_line(explanation: Explanation) -> str:
    if explanation.args is None:
        return "command line of the program not known; --args gives it"
    return f"command line of the program: {' '.join(explanation.args) or 'no arguments'}"


def _kernel(kernel: KernelExplanation, line: int | None, style: ColourStyle) -> Iterator[str]:
    explained = kernel.explained
    title = f"{kernel.title}  " if kernel.dialect is Dialect.OPENMP else ""
    yield style.bold(f"{explained.path}:{explained.line}  {title}{kernel.name}")
    yield _summary(explained)
    if len(kernel.launches) > 1:
        yield f"   {len(kernel.launches)} launches; the marked one is explained:"
        yield from outline_lines(kernel.launches, kernel.launch_number)
    only = f", line {line} alone" if line is not None else ""
    for number, (title, step) in enumerate(_steps(kernel, only), 1):
        yield ""
        yield style.bold(f"  {number}  {title}")
        yield from step(explained)
    if kernel.problems:
        yield ""
        yield style.bold("  Not followed in the kernel")
        for problem in kernel.problems:
            yield f"     {problem_line(explained.path, problem, style)}"


def _summary(explained: LaunchExplanation) -> str:
    """``   BB, 98% sure; 301 µs, most of it DRAM``."""
    facts, time = explained.verdict_facts, explained.time
    if facts.verdict is None:
        return "   undecided"
    limit = f"{_time(time)}, most of it {RESOURCE_NAMES[time.resource]}"
    rests = f", for {INVENTED}" if explained.launch.path is None else ""
    return f"   {facts.verdict.value}, {percent(facts.confidence)} sure{rests}; {limit}"


def _time(time: TimeFacts) -> str:
    return time_text(time.time_ns, time.depends_on) if time.depends_on else duration(time.time_ns)


def _steps(kernel: KernelExplanation, only: str) -> list[tuple[str, _Step]]:
    return [
        ("Values from the host", value_lines),
        (_launch_title(kernel.explained), launch_lines),
        ("Regions: how often each part runs, over all threads, and its operations", region_lines),
        (f"Accesses, by array{only}", access_lines),
        (f"Operations, by line{only}", operation_lines),
        ("Time that each resource alone would take", time_lines),
        ("Verdict: operations per byte of DRAM against the ridge", verdict_lines),
        ("What assumptions are worth: half and double in their place", assumption_lines),
    ]


def _launch_title(explained: LaunchExplanation) -> str:
    launch = explained.launch
    if launch.path is None:
        return "Launch: none was found, so grid and block are assumed"
    which = (
        "" if launch.launches == 1 else f", one of {counted(launch.launches, 'launch', 'launches')}"
    )
    doubt = "" if launch.certain else ", perhaps not reached"
    return f"Launch at {launch.path}:{launch.line}{which}{doubt}"
