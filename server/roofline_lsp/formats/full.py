"""The whole report for people: a block for each kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from roofline_analysis.report.report import (
    Finding,
    GpuUsed,
    KernelReport,
    LaunchReport,
    LibraryCallReport,
    Prediction,
    Verdict,
    WhatIf,
)
from roofline_analysis.report.verdict_words import (
    agrees,
    class_words,
    for_words,
    other_rule,
    rule_words,
    sure_words,
    time_words,
)
from roofline_core.program.precision import Precision
from roofline_core.program.units import Problem, Severity
from roofline_core.text.units import (
    counted,
    dimensions,
    duration,
    exact,
    percent,
    ratio_text,
    scaled,
    significant,
    time_text,
)
from roofline_lsp.formats.bus import bus_text
from roofline_lsp.formats.changes import change_lines
from roofline_lsp.formats.issue_lines import issue_line
from roofline_lsp.formats.launch_values import not_told, numbers, source_of
from roofline_lsp.formats.sight import doubt, half_seen, undecided
from roofline_lsp.formats.snippets import snippet
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.formats.totals import totals
from roofline_lsp.formats.what_if import flip_text, sizes_text, strip
from roofline_lsp.ratchet.issues import CONTRACT
from roofline_lsp.ratchet.result import CheckResult
from roofline_lsp.ratchet.source_lines import SourceLines

MAX_EVIDENCE = 3
MAX_LAUNCHES = 3
MAX_UNKNOWNS = 5
MAX_ARGUMENTS = 8
"""How many of each a kernel's block shows; it says how many more there are."""

_LABEL_WIDTH = 11
_NOTICED = 0.005
"""The least share of the DRAM bytes that is told apart."""


def render(result: CheckResult, style: ColourStyle) -> str:
    """A block for each kernel, the problems of each file, and a closing line with the totals."""
    report = result.report
    lines = [style.dim(gpu_line(report.gpu)), ""]
    for file in report.files:
        for kernel in file.kernels:
            lines += [*kernel_lines(kernel, report.gpu, style, result.sources), ""]
        if file.library_calls:
            lines += [*(_library_line(call, style) for call in file.library_calls), ""]
        if file.findings:
            lines += [*_findings(file.findings, result.sources, style), ""]
        if file.problems:
            lines += [*(problem_line(file.path, each, style) for each in file.problems), ""]
        broken = [each for each in result.issues if (each.path, each.code) == (file.path, CONTRACT)]
        if broken:
            lines += [*(issue_line(each, style) for each in broken), ""]
    if changes := list(change_lines(result)):
        lines += [*changes, ""]
    lines.append(style.bold(totals(result)))
    return "\n".join(lines) + "\n"


def gpu_line(gpu: GpuUsed) -> str:
    """``RTX 3080 at 1440 MHz (base clock): 760.3 GB/s; ridges SP 32.97, DP 0.515, INT 16.48``."""
    ridges = ", ".join(
        f"{precision.title} {significant(ridge, 4)}" for precision, ridge in gpu.ridges.items()
    )
    clock = f"{significant(gpu.clock_mhz, 4)} MHz ({gpu.clock} clock)"
    line = f"{gpu.name} at {clock}: {significant(gpu.bandwidth_gbs, 4)} GB/s; ridges {ridges}"
    return "\n".join(filter(None, (line, rule_words(gpu), gpu.note)))


def problem_line(path: Path, problem: Problem, style: ColourStyle) -> str:
    """``main.cu:12: error: message``."""
    where = str(problem.path or path)
    if problem.line is not None:
        where += f":{problem.line}"
    paint = style.red if problem.severity is Severity.ERROR else style.yellow
    return f"{where}: {paint(problem.severity.value)}: {problem.message}"


def kernel_lines(
    kernel: KernelReport, gpu: GpuUsed, style: ColourStyle, sources: SourceLines | None = None
) -> Iterator[str]:
    """All that is told of a kernel, the first line by itself.

    With ``sources`` the places of findings are shown.
    """
    prediction = kernel.prediction
    where = style.bold(f"{kernel.path}:{kernel.name_span.line}")
    verdict = _painted(prediction, style)
    sure = f"{sure_words(prediction)} {for_words(kernel)}".strip()
    cells = (where, kernel.title, verdict, sure, time_words(prediction))
    yield "  ".join(cell for cell in cells if cell)
    for label, texts in (
        ("sight", _sight(prediction)),
        ("rule", filter(None, (other_rule(prediction),))),
        ("intensity", _intensities(prediction, gpu)),
        ("work", _work(prediction)),
        ("bus", _bus(prediction)),
        (_measured_label(kernel), _measured(kernel)),
        ("model", opinion_lines(kernel)),
        ("launch", _launches(kernel)),
        ("evidence", _evidence(prediction)),
        ("assumed", _unknowns(kernel)),
        ("sizes", _sizes(kernel)),
        ("what if", _what_if(kernel.what_if)),
        ("finding", _findings(kernel.findings, sources, style)),
    ):
        shown = label
        for text in texts:
            yield f"  {style.dim(shown.ljust(_LABEL_WIDTH))}{text}"
            shown = ""


def opinion_lines(kernel: KernelReport) -> Iterator[str]:
    """What a language model says, whether it agrees, and what both make together."""
    opinion = kernel.opinion
    if opinion is None:
        return
    said = "undecided" if opinion.verdict is None else opinion.verdict.value
    agrees = opinion.verdict is kernel.prediction.verdict
    text = f"{opinion.model} ({opinion.protocol}): {said}, {opinion.votes} of {opinion.of_votes}"
    text += f" votes, {'agrees' if agrees else 'disagrees'}"
    if opinion.joined is not None:
        text += f"; together {opinion.joined.value} {percent(opinion.joined_confidence)}"
    yield text
    if opinion.reason:
        yield f"its reason, unchecked: {opinion.reason}"


def _library_line(call: LibraryCallReport, style: ColourStyle) -> str:
    """``main.cu:12  thrust::sort  BB  97%  radix sort of ..., DRAM 37.7 MB, time 60 µs``."""
    prediction = call.prediction
    where = style.bold(f"{call.path}:{call.line}")
    sure = percent(prediction.confidence) if prediction.verdict is not None else ""
    parts = [call.what]
    limit = prediction.time_limit
    if limit is not None and prediction.verdict is not None:
        if not agrees(prediction.verdict, limit.resource):
            parts.append(time_words(prediction))
    if prediction.dram_bytes is not None:
        parts.append(f"DRAM {scaled(prediction.dram_bytes, 'B')}")
    if prediction.time_ns is not None:
        parts.append(time_text(prediction.time_ns, prediction.time_depends_on))
    unknowns = dict.fromkeys(f"{each.name}: {each.why}" for each in prediction.unknowns)
    if unknowns:
        parts.append(f"not known: {'; '.join(unknowns)}")
    if not call.certain:
        parts.append("perhaps not reached")
    if call.what_if is not None:
        parts.append(f"what if: {strip(call.what_if)}")
    verdict = _painted(prediction, style)
    return "  ".join(cell for cell in (where, call.name, verdict, sure, ", ".join(parts)) if cell)


def _painted(prediction: Prediction, style: ColourStyle) -> str:
    verdict = prediction.verdict
    if verdict is None:
        return style.red("undecided")
    paint = style.green if verdict is Verdict.COMPUTE_BOUND else style.yellow
    words = class_words(prediction)
    return paint(verdict.value) + words.removeprefix(verdict.value)


def _sight(prediction: Prediction) -> Iterator[str]:
    """Why there is no verdict, or what it leaves out."""
    if prediction.verdict is None:
        yield undecided(prediction.sight)
        return
    for text in (doubt(prediction.sight), half_seen(prediction.sight)):
        if text is not None:
            yield text


def _intensities(prediction: Prediction, gpu: GpuUsed) -> Iterator[str]:
    """Against the ridge, for the precisions that have operations."""
    parts = []
    for precision in Precision:
        if not prediction.operations(precision):
            continue
        intensity, ridge = prediction.intensity(precision), gpu.ridges.get(precision)
        text = f"{precision.title} {scaled(intensity)}"
        if ridge is not None and intensity is not None:
            above = "above" if intensity > ridge else "below"
            factor = intensity / ridge if intensity > ridge else ridge / intensity
            text += f" ({ratio_text(factor, 2)}x {above} ridge {significant(ridge)})"
        parts.append(text)
    if parts:
        yield ", ".join(parts) + " operations per byte"


def _bus(prediction: Prediction) -> Iterator[str]:
    if prediction.bus is not None:
        yield bus_text(prediction.bus)


def _work(prediction: Prediction) -> Iterator[str]:
    counts = [
        f"{precision.title} {scaled(operations)}"
        for precision in Precision
        if (operations := prediction.operations(precision)) or operations is None
    ]
    parts = [f"{', '.join(counts)} operations"] if counts else []
    moved = f"DRAM {scaled(prediction.dram_bytes, 'B')}"
    if prediction.dram_bytes is not None:
        read = scaled(prediction.dram_read_bytes, "B")
        written = scaled(prediction.dram_write_bytes, "B")
        if prediction.kept_bytes > _NOTICED * prediction.dram_bytes:
            written += f" written, {scaled(prediction.kept_bytes, 'B')} of it after the kernel ends"
        else:
            written += " written"
        moved += f" ({read} read, {written})"
    parts += [moved, time_text(prediction.time_ns, prediction.time_depends_on)]
    yield ", ".join(parts)
    state = [prediction.regime] if prediction.regime else []
    if prediction.occupancy is not None:
        state.append(f"occupancy {percent(prediction.occupancy)}")
    if (used := prediction.utilisation) is not None:
        state[-1] += f" (limited by {used.limiter.value})"
        held = f"{used.blocks_per_sm} on each of {used.sm_count} SMs"
        filled = f"{counted(used.blocks, 'block')}, {held}: {_waves(used.waves)}"
        if used.waves > 1.0 and used.tail_efficiency < 0.995:
            filled += f", {percent(used.tail_efficiency)} of their places filled"
        yield ", ".join(state)
        yield filled
    elif state:
        yield ", ".join(state)


def _waves(number: float) -> str:
    shown = scaled(number)
    return f"{shown} wave" if shown == "1" else f"{shown} waves"


def _measured_label(kernel: KernelReport) -> str:
    return kernel.measured.how if kernel.measured is not None else "measured"


def _measured(kernel: KernelReport) -> Iterator[str]:
    """``BB, DRAM 12 MB, time 17.3 µs; predicted BB, 18.8 µs (report.csv, ID 0)``."""
    held = kernel.measured
    if held is None:
        return
    verdict, predicted = held.verdict, held.predicted
    parts = [verdict.value] if verdict is not None else []
    if held.dram_bytes is not None:
        parts.append(f"DRAM {scaled(held.dram_bytes, 'B')}")
    if not held.emulated:
        parts.append(f"time {duration(held.time_ns)}")
    text = ", ".join(parts)
    if held.stale:
        text += "; before the code changed"
    elif not held.applies:
        text += f"; at grid {dimensions(held.grid)}, block {dimensions(held.block)}"
    else:
        shown = predicted.verdict.value if predicted.verdict is not None else "undecided"
        text += f"; predicted {shown}, {time_text(predicted.time_ns, predicted.time_depends_on)}"
    yield f"{text}  ({held.origin})"
    if held.disagreement is not None:
        yield held.disagreement


def _launches(kernel: KernelReport) -> Iterator[str]:
    if not kernel.launches:
        used = kernel.prediction
        if used.grid is None or used.block is None:
            yield "none found: dimensions assumed"
        else:
            size = f"grid {dimensions(used.grid)}, block {dimensions(used.block)}"
            yield f"none found: {size} assumed"
    for launch in kernel.launches[:MAX_LAUNCHES]:
        yield _launch(launch, several=len(kernel.launches) > 1)
    if len(kernel.launches) > MAX_LAUNCHES:
        yield f"and {len(kernel.launches) - MAX_LAUNCHES} more"
    if kernel.launches:
        yield from _values(kernel.launches[0])


def _launch(launch: LaunchReport, *, several: bool) -> str:
    used = launch.prediction
    grid, block = dimensions(launch.grid, used.grid), dimensions(launch.block, used.block)
    size = f"grid {grid}, block {block}"
    text = f"{launch.path}:{launch.line}  {size}"
    if launch.shared_bytes:
        text += f", shared {scaled(launch.shared_bytes, 'B')}"
    if launch.template_args:
        text += f"  <{', '.join(launch.template_args)}>"
    if several:
        verdict = launch.prediction.verdict
        text += f"  {verdict.value if verdict is not None else 'undecided'}"
    return text if launch.certain else f"{text}  (perhaps not reached)"


def _values(launch: LaunchReport) -> Iterator[str]:
    """What decides how much work there is, and where it came from."""
    for name, origin, assumed in (
        ("grid", launch.grid_origin, launch.grid_assumed),
        ("block", launch.block_origin, launch.block_assumed),
    ):
        if source := _source(*source_of(origin, assumed, launch)):
            yield f"{name}{source}"
    shown = numbers(launch)
    for each in shown[:MAX_ARGUMENTS]:
        source = _source(*source_of(each.origin, each.assumed, launch, each.name))
        yield f"{each.name} = {exact(each.used)}{source}"
    if len(shown) > MAX_ARGUMENTS:
        yield f"and {counted(len(shown) - MAX_ARGUMENTS, 'more number', 'more numbers')}"


def _source(origin: str | None, assumed: str | None) -> str:
    if assumed is not None:
        return f"  assumed: {assumed}"
    return f"  <- {origin}" if origin is not None else ""


def _evidence(prediction: Prediction) -> Iterator[str]:
    for item in prediction.evidence[:MAX_EVIDENCE]:
        unit = "B" if item.what.startswith("DRAM bytes") else ""
        amount = f": {scaled(item.amount, unit)}" if item.amount is not None else ""
        yield f"{item.path}:{item.line}  {item.what}{amount}"


def _unknowns(kernel: KernelReport) -> Iterator[str]:
    """What was assumed besides the values of the launch that is shown in full."""
    launch = kernel.launches[0] if kernel.launches else None
    texts = dict.fromkeys(  # one unknown may count in several places
        f"{unknown.name} = {exact(unknown.assumed)}: {unknown.why}"
        for unknown in not_told(kernel.prediction, launch)
    )
    yield from list(texts)[:MAX_UNKNOWNS]
    if len(texts) > MAX_UNKNOWNS:
        yield f"and {len(texts) - MAX_UNKNOWNS} more"


def _sizes(kernel: KernelReport) -> Iterator[str]:
    """The class for other sizes; not said twice where the line below has it."""
    text = sizes_text(kernel.size_ranges, kernel.prediction.verdict)
    if text is not None and (kernel.what_if is None or kernel.what_if.flip is None):
        yield text


def _what_if(what_if: WhatIf | None) -> Iterator[str]:
    if what_if is not None:
        yield strip(what_if)
        if what_if.flip is not None:
            yield flip_text(what_if.flip)


def _findings(
    findings: Iterable[Finding], sources: SourceLines | None, style: ColourStyle
) -> Iterator[str]:
    for finding in findings:
        yield _finding(finding)
        if sources is not None:
            yield from snippet(sources, finding.path, finding.span, style)


def _finding(finding: Finding) -> str:
    text = f"{finding.path}:{finding.span.line}  {finding.code} {finding.rule}: {finding.message}"
    return f"{text}; fix: {finding.fix.title}" if finding.fix is not None else text
