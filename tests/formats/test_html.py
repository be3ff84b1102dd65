"""The page: what it loads, what it says, and that nobody else writes in it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from roofline_analysis.report.report import (
    FileReport,
    LedgerLine,
    Measured,
    Report,
    Verdict,
)
from roofline_core.program.precision import Precision
from roofline_hardware_db import ClockKind, find_gpu, gpu_names
from roofline_lsp.formats.html import render
from roofline_lsp.formats.line_shares import shares
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.result import CheckResult, Culprit
from roofline_lsp.ratchet.source_lines import SourceLines

VOID = {"meta", "input", "br"}
OPTIONAL_END = {"tr", "td", "th", "option", "thead", "tbody"}


class Page(HTMLParser):
    """The elements of a page, and the text in some of them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts.append((self._open[-1], data))


def page(result: CheckResult) -> str:
    return render(result, ColourStyle())


def test_it_loads_nothing(result: CheckResult) -> None:
    elements = Page(page(result)).elements
    assert not [tag for tag, _ in elements if tag in ("link", "img", "iframe", "object", "base")]
    assert not [tag for tag, attributes in elements if "src" in attributes or "style" in attributes]
    assert all(
        (attributes.get("href") or "#").startswith("#")
        and not any(name.startswith("on") for name in attributes)
        for _, attributes in elements
    )


def test_its_policy_lets_its_own_parts_run_alone(result: CheckResult) -> None:
    text = page(result)
    policy = re.search(r'Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; ")
    for pattern, part in (
        (r"<style>(.*?)</style>", "style-src"),
        (r'<script type="module">(.*?)</script>', "script-src"),
    ):
        content = re.findall(pattern, text, re.DOTALL)[0]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{part} 'sha256-{digest}'" in policy[1]
    assert "unsafe" not in policy[1]


def test_each_kernel_has_a_row_and_its_details(result: CheckResult) -> None:
    elements = Page(page(result)).elements
    rows = [each for tag, each in elements if tag == "tr" and "data-id" in each]
    details = [each["id"] for tag, each in elements if tag == "details"]
    assert [row["data-details"] for row in rows] == details == ["kernel-0", "kernel-1", "kernel-2"]
    # The slowest first, what is not known last.
    assert [row["data-class"] for row in rows] == ["CB", "BB", "undecided"]


def test_details_begin_with_name_class_and_time(result: CheckResult) -> None:
    headings = re.findall(r"<summary>(.*?)</summary>", page(result))
    first = "stencil CB by intensity measured · its time goes to L1/shared memory: 19.4 GB at"
    assert [re.sub(r"<[^>]*>", "", each) for each in headings] == [
        f"{first} 4.97 TB/s, 3.9 ms src/main.cu:2",
        "saxpy BB 97% · time: DRAM, 10.5 MB at 760.3 GB/s src/saxpy.cu:3",
        "app::loop undecided  src/saxpy.cu:12",
    ]


def test_the_chart_is_given_what_it_reads(result: CheckResult) -> None:
    text = page(result)
    (data,) = re.findall(r'id="report">(.*?)</script>', text, re.DOTALL)
    content = json.loads(data)
    kernels = [kernel for file in content["files"] for kernel in file["kernels"]]
    assert [kernel["prediction"]["sp_flops"] for kernel in kernels] == [2000000, None, 0]
    assert content["gpu"]["ridge"]["sp"] == 32.9706
    rows = [each for tag, each in Page(text).elements if tag == "tr" and "data-id" in each]
    ids = {f"{k['path']}:{k['name_range']['line']}:{k['name']}" for k in kernels}
    assert {row["data-id"] for row in rows} == ids


def test_nobody_else_writes_in_it(report: Report) -> None:
    name = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\u2028"
    (kernel, *_) = report.files[0].kernels
    path = Path("a</script><b>.cu")
    named = replace(kernel, name=name, base_name=name, qualified_name=name, path=path)
    hostile = CheckResult(
        Report(report.gpu, (FileReport(path, (named,)),)), (), (Culprit(name, name),)
    )
    text = page(hostile)
    plain = page(CheckResult(replace(hostile.report, files=(FileReport(path, (kernel,)),))))
    found, usual = Page(text), Page(plain)
    assert "img" not in [tag for tag, _ in found.elements]
    assert "b" not in [tag for tag, _ in found.elements]
    scripts = [tag for tag, _ in found.elements if tag == "script"]
    assert scripts == [tag for tag, _ in usual.elements if tag == "script"]
    (data,) = re.findall(r'id="report">(.*?)</script>', text, re.DOTALL)
    shown = name.replace("\u2028", "\\u2028")
    assert json.loads(data)["files"][0]["kernels"][0]["name"] in (name, shown)


def test_without_kernels_it_is_a_page(empty: Report) -> None:
    text = page(CheckResult(empty))
    assert "0 files, 0 kernels" in text
    assert text.endswith("</body></html>\n")


# ---- Sources, other GPUs, measurements


def sources() -> SourceLines:
    text = b"".join(b"line %d <b>\n" % number for number in range(1, 400))
    return SourceLines(lambda _: text)


def test_without_sources_none_is_shown(result: CheckResult) -> None:
    assert 'class="source"' not in page(result)


def test_a_kernels_lines_stand_with_their_shares(report: Report) -> None:
    (kernel, *_) = report.files[0].kernels
    span = kernel.span
    ledger = (
        LedgerLine(kernel.path, span.line, dram_read_bytes=3e6),
        LedgerLine(kernel.path, span.line + 1, dram_read_bytes=2.9e6, dram_write_bytes=1e5),
        LedgerLine(Path("called.cuh"), 7, dram_write_bytes=6e6),
    )
    made = replace(kernel.prediction, ledger=ledger, dram_read_bytes=6e6, dram_write_bytes=6e6)
    kernel = replace(kernel, prediction=made, findings=())
    only = replace(report, files=(FileReport(kernel.path, (kernel,)),))
    text = page(CheckResult(only, sources=sources()))
    (table,) = re.findall(r'<table class="source">.*?</table>', text, re.DOTALL)
    assert "<caption>share of the DRAM bytes</caption>" in table
    rows = re.findall(
        r'<td class="number">(\d+)<td class="number">([\d%]*)<td class="code([^"]*)">'
        r"<code>([^\n]*)</code>",
        table,
    )
    own = [(int(number), share, bar) for number, share, bar, _ in rows]
    assert own[:2] == [(span.line, "25%", " w5"), (span.line + 1, "25%", " w5")]
    assert own[-1] == (7, "50%", " w10")
    assert rows[0][3] == f"line {span.line} &lt;b&gt;"
    assert "called, called.cuh" in table
    assert [number for number, _, _ in own[:-1]] == list(range(span.line, span.end_line + 1))


def test_what_is_compute_bound_has_shares_of_its_operations(report: Report) -> None:
    kernel = next(
        each
        for file in report.files
        for each in file.kernels
        if each.prediction.verdict is Verdict.COMPUTE_BOUND
    )
    ledger = (LedgerLine(kernel.path, 9, dp_flops=1.5e9), LedgerLine(kernel.path, 8, int_ops=1e3))
    made = replace(kernel.prediction, ledger=ledger)
    assert shares(made, report.gpu) == {(kernel.path, 9): 1.0}


def test_every_gpu_of_the_database_can_be_chosen(result: CheckResult) -> None:
    (data,) = re.findall(r'id="report">(.*?)</script>', page(result), re.DOTALL)
    gpus = {each["name"]: each for each in json.loads(data)["gpus"]}
    assert set(gpus) == set(gpu_names()) - {"GeForce RTX 3080 10GB"}
    a100 = find_gpu("A100 80GB").roofline(ClockKind.BASE)
    found = gpus[find_gpu("A100 80GB").name]
    assert found["bandwidth_gbs"] == a100.bandwidth_gbs
    assert found["peaks"]["sp"] == pytest.approx(a100.peaks_gops[Precision.SP], rel=1e-5)


@pytest.mark.parametrize("wrong", [False, True])
def test_a_measured_class_stands_in_the_table_and_a_wrong_one_is_marked(
    report: Report, measure: Callable[..., Measured], *, wrong: bool
) -> None:
    (kernel, *_) = report.files[0].kernels
    told = kernel.prediction.verdict
    assert told is Verdict.BANDWIDTH_BOUND
    other = Verdict.COMPUTE_BOUND
    found = measure(kernel, other if wrong else told)
    only = replace(report, files=(FileReport(kernel.path, (replace(kernel, measured=found),)),))
    text = page(CheckResult(only))
    assert '<td class="CB">CB ✗' in text if wrong else '<td class="BB">BB<td' in text
    assert '<td class="number" data-value="20000.0">20 µs' in text
    assert 'id="wrong"' in text
    (data,) = re.findall(r'id="report">(.*?)</script>', text, re.DOTALL)
    (measured,) = [each["measured"] for each in json.loads(data)["files"][0]["kernels"]]
    assert (measured["class"], measured["predicted_class"]) == ("CB" if wrong else "BB", "BB")


def test_without_measurements_nothing_speaks_of_them(result: CheckResult) -> None:
    heads = re.findall(r"<button>([^<]*)</button>", page(result))
    assert "measured" not in heads
    assert heads[-2:] == ["class there", "time there"]
