"""The hover on a kernel's name: the verdict first, then its basis."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from roofline_analysis.report.report import (
    Evidence,
    GpuUsed,
    KernelReport,
    LaunchReport,
    Prediction,
    PredictionSource,
    UnknownKind,
    UnknownUsed,
    Verdict,
    WhatIf,
)
from roofline_analysis.report.verdict_words import other_rule
from roofline_core.program.units import Dialect
from roofline_core.text.units import duration, scaled, time_text
from roofline_lsp.formats.launch_values import not_told
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.formats.sight import doubt, half_seen
from roofline_lsp.formats.what_if import flip_text, sizes_text, strip
from roofline_lsp.server.documents.places import uri_of
from roofline_lsp.server.text.facts import class_fact, roofs, since_saved, time_fact
from roofline_lsp.server.text.figures import count, percent
from roofline_lsp.server.text.findings_text import findings_text
from roofline_lsp.server.text.launch_text import launch_items
from roofline_lsp.server.text.measured_text import measured_text
from roofline_lsp.server.text.opinion_text import opinion_text
from roofline_lsp.server.text.ridges import ridges


@dataclass(frozen=True, slots=True)
class _Words:
    """A dialect's words for the parts of a launch."""

    block: str
    thread: str
    shared: str


_WORDS = {
    Dialect.CUDA: _Words("block", "thread", "shared memory"),
    Dialect.HIP: _Words("block", "thread", "shared memory"),
    Dialect.OPENMP: _Words("team", "thread", "shared memory"),
    Dialect.OPENCL: _Words("work-group", "work-item", "local memory"),
}
_NAME = re.compile(r"[\w.:\[\]>-]+")
_Dims = tuple[int | None, int | None, int | None]

_MOST_UNKNOWNS = 4
_MOST_EVIDENCE = 4
_MOST_LAUNCHES = 3


def kernel_text(
    kernel: KernelReport,
    gpu: GpuUsed,
    style: MarkupStyle,
    launch: LaunchReport | None = None,
    what_if: WhatIf | None = None,
    saved: KernelReport | None = None,
) -> str:
    """All about a kernel as launched by ``launch``, or by the launch that stands for it.

    ``saved`` is its report when its file was last saved, where its text has changed since.
    """
    launch = launch or (kernel.launches[0] if kernel.launches else None)
    prediction = launch.prediction if launch else kernel.prediction
    found = ridges(prediction, gpu)
    facts = (
        class_fact(prediction, found, gpu, style, launch),
        time_fact(prediction, style),
        since_saved(saved, kernel),
    )
    return style.page(
        style.lines(facts),
        findings_text(kernel.findings, style),
        other_rule(prediction),
        _not_counted(prediction),
        _elsewhere(what_if, style),
        _at_other_sizes(kernel, launch, what_if),
        opinion_text(kernel.opinion, prediction.verdict, style),
        roofs(prediction, found, gpu, style),
        _amounts(prediction),
        measured_text(kernel.measured, style) if kernel.measured is not None else None,
        _launch(kernel, launch, style),
        _unknowns(not_told(prediction, launch), style),
        _evidence(prediction.evidence, kernel.path, style),
    )


def _not_counted(prediction: Prediction) -> str | None:
    """What a verdict leaves out, or why it is a guess."""
    if prediction.verdict is None:
        return None
    why = doubt(prediction.sight)
    if why is not None:
        return f"Doubtful: {why}."
    text = half_seen(prediction.sight)
    return f"Not counted: {text}." if text is not None else None


def _elsewhere(what_if: WhatIf | None, style: MarkupStyle) -> str | None:
    """``A100 BB | H100 BB | RTX 4090 CB; CB from n >= 512``."""
    if what_if is None:
        return None
    flip = what_if.flip
    classes = strip(what_if, style.prose)
    return classes if flip is None else f"{classes} · {style.prose(flip_text(flip))}"


def _at_other_sizes(
    kernel: KernelReport, launch: LaunchReport | None, what_if: WhatIf | None
) -> str | None:
    """``CB from n >= 512``, where sizes are assumed and nothing above says so."""
    first = kernel.launches[0] if kernel.launches else None
    if launch is not first or (what_if is not None and what_if.flip is not None):
        return None
    text = sizes_text(kernel.size_ranges, kernel.prediction.verdict)
    return f"{text}." if text is not None else None


_NOTICED: Final = 0.25
"""The least share of the traffic from which code and arguments are told: in small launches."""


def _amounts(prediction: Prediction) -> str:
    moved, read, written = (
        prediction.dram_bytes,
        prediction.dram_read_bytes,
        prediction.dram_write_bytes,
    )
    if moved is not None and read is not None and written is not None:
        # What no line reads is the kernel's code, its arguments and the like.
        lines = sum(line.dram_read_bytes for line in prediction.ledger)
        other = read - lines if prediction.ledger and read - lines > _NOTICED * moved else 0.0
        kept = prediction.kept_bytes if prediction.kept_bytes > 0.01 * moved else 0.0
        traffic = f"DRAM {scaled(moved, 'B')}{_split(read, written, kept, other)}"
    else:
        traffic = "DRAM traffic unknown"
    parts = [traffic]
    if prediction.time_depends_on:
        parts.append(time_text(None, prediction.time_depends_on))
    elif prediction.time_ns is not None:
        about = "" if prediction.source is PredictionSource.MEASURED else "about "
        parts.append(f"{about}{duration(prediction.time_ns)}")
    if prediction.occupancy is not None:
        parts.append(f"occupancy {percent(prediction.occupancy)}")
    return " · ".join(parts)


def _split(read: float, written: float, kept: float, other: float) -> str:
    """The reads and writes of the traffic, where both matter, and what they are besides data.

    ``kept`` is what the kernel leaves to L2, ``other`` what is read besides the lines' data.
    """
    code = f", {scaled(other, 'B')} of it code and arguments" if other else ""
    later = f", {scaled(kept, 'B')} of it after the kernel ends" if kept else ""
    if min(read, written) <= 0.01 * (read + written):
        return f" read{code}" if read > written else f" written{later}" if written > read else ""
    return f" ({scaled(read, 'B')} read{code}, {scaled(written, 'B')} written{later})"


def _launch(kernel: KernelReport, launch: LaunchReport | None, style: MarkupStyle) -> str:
    words = _WORDS[kernel.dialect]
    if launch is None:
        return f"No launch found; taken as {_shape(None, None, kernel.prediction, words)}"
    shape = _shape(launch.grid, launch.block, launch.prediction, words)
    text = f"Launched at {_where(launch, style)}: {shape}"
    if launch.shared_bytes:
        text += f", {launch.shared_bytes / 1024:.3g} KiB {words.shared} each"
    if launch.template_args:
        text += f", {style.code('<' + ', '.join(launch.template_args) + '>')}"
    if not launch.certain:
        text += " (if it is reached)"
    others = [other for other in kernel.launches if other is not launch]
    if others:
        text += _others(others, launch.prediction.verdict, style)
    return "\n".join((text, *launch_items(launch, words.block, words.thread, style)))


def _where(launch: LaunchReport, style: MarkupStyle) -> str:
    uri = uri_of(launch.path)
    return style.link(f"{launch.path.name}:{launch.line}", f"{uri}#L{launch.line}" if uri else None)


def _shape(grid: _Dims | None, block: _Dims | None, used: Prediction, words: _Words) -> str:
    """The launch's dimensions, with those that were assumed marked."""
    blocks = _counted(grid, used.grid, words.block)
    return f"{blocks} of {_counted(block, used.block, words.thread)}"


def _counted(dims: _Dims | None, used: tuple[int, int, int] | None, noun: str) -> str:
    """``3907 blocks``, ``64×64 blocks``; ``≈64`` is assumed, ``?`` is not even that."""
    known = dims or (None, None, None)
    axes = [_axis(*sizes) for sizes in zip(known, used or (None, None, None), strict=True)]
    while len(axes) > 1 and axes[-1] in {"1", "≈1"}:
        axes.pop()
    if set(axes) == {"?"}:
        axes = ["?"]
    return f"{'×'.join(axes)} {noun}{'' if axes in (['1'], ['≈1']) else 's'}"


def _axis(known: int | None, used: int | None) -> str:
    if known is not None:
        return str(known)
    return "?" if used is None else f"≈{used}"


def _others(others: Sequence[LaunchReport], verdict: Verdict | None, style: MarkupStyle) -> str:
    different = [
        f"{other.prediction.verdict.value} at {_where(other, style)}"
        for other in others
        if other.prediction.verdict is not None and other.prediction.verdict is not verdict
    ]
    same = len(others) - len(different)
    parts = different[:_MOST_LAUNCHES]
    if len(different) > _MOST_LAUNCHES:
        parts.append(f"{len(different) - _MOST_LAUNCHES} more that differ")
    if same:
        parts.append(f"{same} more of the same class")
    return f". Other launches: {', '.join(parts)}"


def _unknowns(unknowns: Sequence[UnknownUsed], style: MarkupStyle) -> str | None:
    if not unknowns:
        return None
    items = [_unknown(unknown, style) for unknown in unknowns[:_MOST_UNKNOWNS]]
    if len(unknowns) > _MOST_UNKNOWNS:
        items.append(f"and {len(unknowns) - _MOST_UNKNOWNS} more")
    return f"{style.bold('Not known from the source')}\n{style.bullets(items)}"


def _unknown(unknown: UnknownUsed, style: MarkupStyle) -> str:
    if unknown.assumed is None:
        taken = ""
    elif unknown.kind is UnknownKind.BRANCH:
        taken = f", taken {percent(unknown.assumed)} of the time"
    else:
        taken = f", taken as {count(unknown.assumed)}"
    name = unknown.name
    shown = style.code(name) if _NAME.fullmatch(name) else style.prose(name)
    return f"{shown}{taken}: {style.prose(unknown.why)}"


def _evidence(evidence: Sequence[Evidence], path: Path, style: MarkupStyle) -> str | None:
    if not evidence:
        return None
    items = []
    for entry in evidence[:_MOST_EVIDENCE]:
        where = f"line {entry.line}" if entry.path == path else f"{entry.path.name}:{entry.line}"
        unit = "B" if "bytes" in entry.what else ""
        amount = "" if entry.amount is None else f", {_amount(entry.amount, unit)}"
        items.append(f"{where}: {style.prose(entry.what)}{amount}")
    return f"{style.bold('What counts most')}\n{style.bullets(items)}"


def _amount(amount: float, unit: str) -> str:
    return scaled(amount, unit) if unit else count(amount)
