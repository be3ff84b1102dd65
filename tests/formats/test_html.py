"""The page: what it loads, what it says, and that nobody else writes in it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from roofline_analysis.report.report import FileReport, Report
from roofline_lsp.formats.html import render
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.result import CheckResult, Culprit

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
