"""Inlay hints, line heat and code actions of a text that may have been edited since."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from lsprotocol.types import MarkupContent, MarkupKind, Position, Range

from roofline_analysis.report.report import FileReport, GpuUsed, KernelReport, LedgerLine, Verdict
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.documents.document_view import Analysis, Document, View
from roofline_lsp.server.documents.text_buffer import TextBuffer
from roofline_lsp.server.features.code_lens import DETAILS, lens_title
from roofline_lsp.server.features.inlay_hints import inlay_hints
from roofline_lsp.server.features.kernel_actions import COMPARE, PANEL, kernel_actions
from roofline_lsp.server.features.line_heat import line_heat
from roofline_lsp.server.text.line_shares import line_shares

SOURCE = Path("/src/main.cu")
TEXT = ("// 1", "// 2", "__global__ void saxpy(", "  int i", "  y = x; // µ", "  z", "}")
ALL = Range(Position(0, 0), Position(99, 0))
MARKDOWN = MarkupStyle(markdown=True)


def view_of(kernels: list[KernelReport], gpu: GpuUsed, new: tuple[str, ...] = TEXT) -> View:
    buffer = TextBuffer("\n".join(new), "utf-16")
    document = Document("file:///src/main.cu", SOURCE, "cuda", 2, buffer, str(SOURCE), True)
    analysis = Analysis(TEXT, FileReport(SOURCE, tuple(kernels)), gpu, {}, frozenset(), 0.0)
    fresh = new == TEXT
    return View(document, analysis, buffer.lines, fresh=fresh, complete=fresh)


def with_ledger(kernel: KernelReport, *ledger: LedgerLine, verdict: Verdict) -> KernelReport:
    prediction = replace(kernel.prediction, ledger=ledger, verdict=verdict)
    return replace(kernel, prediction=prediction)


@pytest.fixture
def compute(saxpy: KernelReport) -> KernelReport:
    """Integer intensity, 0.667 op/B, is the one nearest to its ridge."""
    return with_ledger(
        saxpy,
        LedgerLine(SOURCE, 4, int_ops=6.001e6, dram_read_bytes=1e6),
        LedgerLine(SOURCE, 5, int_ops=1e6, dram_read_bytes=11e6),
        LedgerLine(SOURCE, 5, int_ops=1e6, dram_read_bytes=0.0),
        LedgerLine(SOURCE, 6, sp_flops=2e6),
        verdict=Verdict.COMPUTE_BOUND,
    )


def test_shares_are_of_what_the_class_rests_on(
    saxpy: KernelReport, compute: KernelReport, gpu: GpuUsed
) -> None:
    shares = line_shares(view_of([compute], gpu))
    assert [(s.line, s.resource, round(s.share, 2)) for s in shares] == [
        (4, "INT", 0.75),
        (5, "INT", 0.25),
    ]
    (moved,) = line_shares(view_of([saxpy], gpu))
    assert (moved.line, moved.resource, moved.share) == (5, "DRAM", 1.0)


def test_a_line_of_two_kernels_has_the_larger_share(
    saxpy: KernelReport, compute: KernelReport, gpu: GpuUsed
) -> None:
    shares = line_shares(view_of([compute, saxpy], gpu))
    assert [(s.line, s.resource) for s in shares] == [(4, "INT"), (5, "DRAM")]


def test_lines_of_other_files_and_edited_lines_have_no_share(
    compute: KernelReport, gpu: GpuUsed
) -> None:
    new = (*TEXT[:3], "  int j", *TEXT[4:])
    assert [s.line for s in line_shares(view_of([compute], gpu, new))] == [5]
    moved = ("// 0", *TEXT)
    assert [s.line for s in line_shares(view_of([compute], gpu, moved))] == [5, 6]
    header = LedgerLine(Path("/src/k.cuh"), 4, int_ops=8e6)
    elsewhere = with_ledger(compute, header, verdict=Verdict.COMPUTE_BOUND)
    assert line_shares(view_of([elsewhere], gpu)) == []


def test_nothing_known_gives_no_share(saxpy: KernelReport, gpu: GpuUsed) -> None:
    prediction = replace(saxpy.prediction, dram_read_bytes=None, dram_write_bytes=None)
    assert line_shares(view_of([replace(saxpy, prediction=prediction)], gpu)) == []


def test_hints_stand_behind_their_lines(compute: KernelReport, gpu: GpuUsed) -> None:
    first, second = inlay_hints(view_of([compute], gpu), ALL, MARKDOWN, "utf-16")
    assert (first.position, first.label) == (Position(3, 7), "75% INT")
    assert (second.position, second.label) == (Position(4, 13), "25% INT")
    assert isinstance(first.tooltip, MarkupContent)
    assert first.tooltip.kind is MarkupKind.Markdown
    assert first.tooltip.value.startswith("**75% of the INT operations** of `saxpy`")


def test_hints_of_a_range_and_of_what_matters(compute: KernelReport, gpu: GpuUsed) -> None:
    row = Range(Position(4, 0), Position(4, 5))
    (hint,) = inlay_hints(view_of([compute], gpu), row, MarkupStyle(markdown=False), "utf-16")
    assert hint.label == "25% INT"
    assert isinstance(hint.tooltip, MarkupContent)
    assert hint.tooltip.kind is MarkupKind.PlainText
    little = LedgerLine(SOURCE, 4, int_ops=0.049 * 8.001e6)
    enough = LedgerLine(SOURCE, 5, int_ops=0.051 * 8.001e6)
    kernel = with_ledger(compute, little, enough, verdict=Verdict.COMPUTE_BOUND)
    hints = inlay_hints(view_of([kernel], gpu), ALL, MARKDOWN, "utf-16")
    assert [each.label for each in hints] == ["5% INT"]


def test_heat_counts_lines_from_0(compute: KernelReport, gpu: GpuUsed) -> None:
    assert line_heat(view_of([compute], gpu)) == [
        {"line": 3, "share": 0.75, "resource": "INT", "kernel": "saxpy"},
        {"line": 4, "share": 0.25, "resource": "INT", "kernel": "saxpy"},
    ]


def test_actions_are_the_commands_that_the_client_has(saxpy: KernelReport, gpu: GpuUsed) -> None:
    view = view_of([saxpy], gpu)
    at = Range(Position(2, 0), Position(2, 0))
    actions = kernel_actions(view, at, {DETAILS, COMPARE, PANEL, "other"}, "utf-16")
    assert [action.title for action in actions] == [
        f"Roofline: {lens_title(saxpy, gpu)}",
        "Roofline: show saxpy in the roofline",
        "Roofline: compare GPUs for saxpy",
    ]
    commands = [action.command for action in actions if action.command]
    assert [each.command for each in commands] == [DETAILS, PANEL, COMPARE]
    assert commands[0].arguments == ["file:///src/main.cu", {"line": 2, "character": 16}]
    assert kernel_actions(view, at, set(), "utf-16") == []


def test_actions_are_of_the_line_with_the_name(saxpy: KernelReport, gpu: GpuUsed) -> None:
    for row in (1, 3):
        at = Range(Position(row, 0), Position(row, 0))
        assert kernel_actions(view_of([saxpy], gpu), at, {DETAILS}, "utf-16") == []
    there = replace(saxpy, path=Path("/src/k.cuh"))
    at = Range(Position(2, 0), Position(2, 0))
    assert kernel_actions(view_of([there], gpu), at, {DETAILS}, "utf-16") == []
