"""One self-contained page for a project: the roofline with every kernel, a table, each in detail.

It loads nothing: styles and script stand in it, and its policy lets only these two run, by their
hashes. All text of strangers is escaped, and the script's data cannot end their element.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from importlib import resources

from roofline_analysis.report.report import KernelReport
from roofline_analysis.report.verdict_words import (
    class_words,
    for_words,
    is_invented,
    sure_words,
    time_in_short,
    time_words,
)
from roofline_core.text.units import duration, percent, scaled, time_text
from roofline_lsp.formats.changes import change_words, summary
from roofline_lsp.formats.full import gpu_line, kernel_lines
from roofline_lsp.formats.html_gpus import other_gpus
from roofline_lsp.formats.html_source import source_block, source_styles
from roofline_lsp.formats.json import to_json
from roofline_lsp.formats.paths import shown_path
from roofline_lsp.formats.strangers import json_visible
from roofline_lsp.formats.strangers import xml_text as escaped
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.formats.tool import tool_version
from roofline_lsp.formats.totals import totals
from roofline_lsp.ratchet.figures import kernel_figures
from roofline_lsp.ratchet.issues import Issue
from roofline_lsp.ratchet.result import CheckResult

_EXPORT = re.compile(r"^export (?=const|function)", re.MULTILINE)
_HEADS = (
    ("kernel", False),
    ("place", False),
    ("class", False),
    ("confidence", True),
    ("time goes to", False),
    ("time", True),
    ("DRAM", True),
    ("intensity", True),
    ("findings", True),
)
"""The columns, and whether they are numbers."""
_SORTED = " aria-sort=descending"
_APPROXIMATE = (
    "Reckoned in this page: the class from the operations and DRAM bytes of the GPU of the report"
    " against the other's peaks and bandwidth, the time by the ratio of the two rooflines. Caches,"
    " occupancy and latency stay those of the report's GPU; <code>--what-if</code> counts anew."
)
_THERE = ("class there", "time there")
"""Columns that the page fills when another GPU is chosen."""


def render(result: CheckResult, _style: ColourStyle) -> str:
    """A page that needs no network; without scripts the tables are there, unsorted."""
    css, script = _part("page/page.css") + source_styles(), _script()
    policy = (
        f"default-src 'none'; style-src 'sha256-{_hash(css)}'; script-src 'sha256-{_hash(script)}';"
        " base-uri 'none'; form-action 'none'"
    )
    kernels = kernels_of(result)
    kernels.sort(key=lambda each: -(each.prediction.time_ns or -1.0))
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta name="generator" content="roofline-lsp {escaped(tool_version())}">',
        "<title>Roofline report</title>",
        f"<style>{css}</style></head><body>",
        "<header><h1>Roofline report</h1>",
        '<button id="theme" class="scripted" hidden>Dark or light</button></header><main>',
        f'<p class="gpu">{escaped(gpu_line(result.report.gpu))}</p>',
        f"<p>{escaped(totals(result))}</p>",
        *_failures(result),
        *_changes(result),
        *_kernels(kernels, result),
        *_issues(result),
        "<h2>Each kernel</h2>",
        *(line for at, kernel in enumerate(kernels) for line in _details(at, kernel, result)),
        "</main>",
        f'<script type="application/json" id="report">{_data(result)}</script>',
        f'<script type="module">{script}</script>',
        "</body></html>",
    ]
    return "\n".join(lines) + "\n"


def kernels_of(result: CheckResult) -> list[KernelReport]:
    """All kernels of a report, file by file."""
    return [kernel for file in result.report.files for kernel in file.kernels]


def _part(name: str) -> str:
    return resources.files("roofline_lsp.formats").joinpath(name).read_text(encoding="utf-8")


def _script() -> str:
    """The chart and the page in one module; neither holds the end of a script element."""
    return _EXPORT.sub("", _part("chart/roofline.js")) + _part("page/page.js")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _data(result: CheckResult) -> str:
    """What the chart reads of the JSON report, in which no markup forms."""
    report = to_json(result.report)
    files = [
        {"kernels": [_chart_kernel(each) for each in file["kernels"]]}
        for file in report["files"]  # type: ignore[attr-defined]
    ]
    data = {
        "gpu": report["gpu"],
        "rule": report["rule"],
        "gpus": other_gpus(result.report.gpu) if kernels_of(result) else [],
        "files": files,
    }
    text = json_visible(json.dumps(data, allow_nan=False))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _chart_kernel(kernel: dict[str, object]) -> dict[str, object]:
    names = ("name", "base_name", "path", "name_range")
    numbers = ("class", "confidence", "time_ns", "dram_bytes", "predicted_class")
    measured = kernel["measured"]

    def counts(values: object) -> dict[str, object]:
        """What the chart shows: class, confidence, time, bytes, operations, intensities."""
        assert isinstance(values, dict)
        kept = (key for key in values if key in numbers or key.endswith(("_flops", "_ops", "_ai")))
        return {key: values[key] for key in kept}

    return {
        **{name: kernel[name] for name in names},
        "prediction": counts(kernel["prediction"]),
        "measured": None if measured is None else counts(measured),
    }


def _failures(result: CheckResult) -> Iterator[str]:
    if result.culprits:
        yield '<div class="fails"><strong>The check fails</strong><ul>'
        for culprit in result.culprits:
            yield f"<li>{escaped(f'{culprit.where}: {culprit.message}')}</li>"
        yield "</ul></div>"


def _changes(result: CheckResult) -> Iterator[str]:
    if result.comparison is None:
        return
    new = sum(issue.is_new for issue in result.issues)
    yield f"<h2>Changes</h2><p>{escaped(summary(result.comparison, new))}</p>"
    if result.comparison.changes:
        yield '<div class="scroll"><table><thead><tr><th>kernel<th>file<th>change</thead><tbody>'
        for change in result.comparison.changes:
            cells = (change.shown.qualified_name, change.shown.path, change_words(change))
            yield "<tr>" + "".join(f'<td class="words">{escaped(each)}' for each in cells)
        yield "</tbody></table></div>"


def _kernels(kernels: list[KernelReport], result: CheckResult) -> Iterator[str]:
    yield "<h2>Roofline</h2>"
    yield '<noscript><p class="note">The chart needs scripts; the tables do not.</p></noscript>'
    yield '<div class="tools scripted" hidden>'
    yield '<label>Filter <input id="filter" type="search"></label>'
    yield '<label>Class <select id="class"><option value="">all<option>CB<option>BB'
    yield "<option>undecided</select></label>"
    if any(each.measured is not None for each in kernels):
        yield '<label><input id="wrong" type="checkbox"> measured otherwise</label>'
    yield '<label>On <select id="gpu"></select></label><span id="count" role="status"></span></div>'
    yield f'<p id="approximate" class="note" hidden>{_APPROXIMATE}</p>'
    yield '<div id="chart"></div><h2>Kernels</h2>'
    labels = list(
        dict.fromkeys(each.label for k in kernels if k.what_if for each in k.what_if.classes)
    )
    heads = [*_HEADS, *((label, False) for label in labels)]
    if any(each.measured is not None for each in kernels):
        heads += [("measured", False), ("time measured", True)]
    told = "".join(
        f"<th{' class=number' if number else ''}{_SORTED if head == 'time' else ''}>"
        f"<button>{escaped(head)}</button>"
        for head, number in heads
    )
    told += "".join(
        f'<th class="there{" number" if at else ""}" hidden><button>{head}</button>'
        for at, head in enumerate(_THERE)
    )
    yield f'<div class="scroll"><table id="kernels"><thead><tr>{told}</thead><tbody>'
    for at, kernel in enumerate(kernels):
        yield _row(at, kernel, labels, result, measured=("measured", False) in heads)
    yield "</tbody></table></div>"


def _row(
    at: int, kernel: KernelReport, labels: list[str], result: CheckResult, *, measured: bool
) -> str:
    prediction = kernel.prediction
    verdict = prediction.verdict.value if prediction.verdict is not None else "undecided"
    place = f"{shown_path(kernel.path)}:{kernel.name_span.line}"
    sure = f"{sure_words(prediction)}{', launch invented' if is_invented(kernel) else ''}"
    figures = kernel_figures(kernel, "", result.report.gpu)
    precision = f"{figures.precision.title} " if figures.precision is not None else ""
    time = time_text(prediction.time_ns, prediction.time_depends_on).removeprefix("time ")
    # As chart/roofline.js names its points.
    identity = f"{kernel.path}:{kernel.name_span.line}:{kernel.name}"
    words = f"{kernel.title} {place} {class_words(prediction)}".lower()
    cells = [
        f'<td class="words"><a href="#kernel-{at}">{escaped(kernel.title)}</a>',
        f'<td class="words">{_breaking(place)}',
        f'<td class="{verdict}">{escaped(class_words(prediction))}',
        _number(prediction.confidence, sure or percent(None)),
        f'<td class="words">{escaped(time_in_short(prediction) or "")}',
        _number(prediction.time_ns, time),
        _number(prediction.dram_bytes, scaled(prediction.dram_bytes, "B")),
        _number(figures.intensity, f"{precision}{scaled(figures.intensity)}"),
        _number(float(len(kernel.findings)), str(len(kernel.findings))),
    ]
    classes = {
        each.label: each.verdict for each in (kernel.what_if.classes if kernel.what_if else ())
    }
    for label in labels:
        there = classes.get(label)
        shown = there.value if there is not None else "undecided"
        cells.append(f'<td class="{shown}">{shown}')
    cells += _measured(kernel) if measured else ()
    cells.append('<td class="there" hidden><td class="there number" hidden>')
    attributes = (
        f'data-id="{escaped(identity)}" data-class="{verdict}" data-details="kernel-{at}"'
        f' data-words="{escaped(words)}"'
    )
    return f"<tr {attributes}>{''.join(cells)}"


def _measured(kernel: KernelReport) -> Iterator[str]:
    """The class and the time that were measured; the class is marked where another was told."""
    found = kernel.measured
    if found is None:
        yield "<td><td class=number data-value=NaN>"
        return
    told = found.verdict.value if found.verdict is not None else "undecided"
    wrong = found.verdict is not None and found.verdict is not found.predicted.verdict
    yield f'<td class="{told}">{told}{" ✗" if wrong else ""}'
    yield _number(found.time_ns, duration(found.time_ns))


def _number(value: float | None, shown: str) -> str:
    """A cell that is sorted by its value, unknown ones last."""
    return f'<td class="number" data-value="{"NaN" if value is None else value}">{escaped(shown)}'


def _issues(result: CheckResult) -> Iterator[str]:
    if not result.issues:
        return
    yield "<h2>Findings and problems</h2>"
    yield '<div class="scroll"><table><thead><tr><th>place<th>what<th>message</thead><tbody>'
    compared = result.comparison is not None
    for issue in result.issues:
        cells = "".join(
            f'<td class="words">{each}' for each in (_breaking(_place(issue)), escaped(issue.label))
        )
        new = "<strong>new</strong> " if compared and issue.is_new else ""
        yield f'<tr>{cells}<td class="words">{new}{escaped(issue.message)}'
    yield "</tbody></table></div>"


def _breaking(place: str) -> str:
    """A place whose line breaks, if it must, between folders."""
    return escaped(place).replace("/", "/<wbr>")


def _place(issue: Issue) -> str:
    line = f":{issue.place.line}" if issue.place.line is not None else ""
    return f"{shown_path(issue.path)}{line}"


def _details(at: int, kernel: KernelReport, result: CheckResult) -> Iterator[str]:
    _, *lines = kernel_lines(kernel, result.report.gpu, ColourStyle())
    yield f'<details id="kernel-{at}"><summary>{_heading(kernel)}</summary>'
    yield f"<pre>{''.join(f'<span>{escaped(line)}</span>' for line in lines)}</pre>"
    yield from source_block(kernel, result.report.gpu, result.sources)
    yield "</details>"


def _heading(kernel: KernelReport) -> str:
    """What a kernel's details begin with, in the words of the report in full, its name first."""
    prediction = kernel.prediction
    verdict = prediction.verdict.value if prediction.verdict is not None else "undecided"
    sure = f"{sure_words(prediction)} {for_words(kernel)}".strip()
    place = f"{shown_path(kernel.path)}:{kernel.name_span.line}"
    parts = (
        f"<strong>{escaped(kernel.title)}</strong>",
        f'<span class="{verdict}">{escaped(class_words(prediction))}</span>',
        " · ".join(escaped(each) for each in (sure, time_words(prediction)) if each),
        f'<span class="place">{escaped(place)}</span>',
    )
    return " ".join(parts)
