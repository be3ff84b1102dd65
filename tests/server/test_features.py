"""Lenses and diagnostics of a text that was edited since it was analysed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lsprotocol.types import DiagnosticSeverity, Position, Range

from roofline_analysis.report.report import (
    ArgumentUsed,
    FileReport,
    GpuUsed,
    KernelReport,
    UnknownKind,
    UnknownUsed,
)
from roofline_core.program.units import Dialect, Problem, Severity, Span
from roofline_lsp.server.documents.document_view import Analysis, Document, View
from roofline_lsp.server.documents.text_buffer import TextBuffer
from roofline_lsp.server.features.code_lens import DETAILS, SET_SIZES, code_lenses
from roofline_lsp.server.features.diagnostics import diagnostics

SOURCE = Path("/src/main.cu")
OLD = ("// 1", "// 2", "  __global__ void saxpy(", "{", "}", "bad")


def view_of(report: FileReport, gpu: GpuUsed, new: tuple[str, ...] = OLD) -> View:
    buffer = TextBuffer("\n".join(new), "utf-16")
    document = Document("file:///src/main.cu", SOURCE, "cuda", 2, buffer, str(SOURCE), True)
    analysis = Analysis(OLD, report, gpu, {}, frozenset(), 0.0)
    fresh = new == OLD
    return View(document, analysis, buffer.lines, fresh=fresh, complete=fresh)


def test_a_lens_follows_its_line(saxpy: KernelReport, gpu: GpuUsed) -> None:
    report = FileReport(SOURCE, (replace(saxpy, name_span=Span(3, 18, 3, 23)),))
    (lens,) = code_lenses(view_of(report, gpu, ("// 0", *OLD)), "utf-16", command=True)
    assert lens.range == Range(Position(3, 2), Position(3, 24))
    assert lens.command is not None
    assert lens.command.command == DETAILS
    assert lens.command.arguments == ["file:///src/main.cu", {"line": 3, "character": 18}]
    edited = (*OLD[:2], "  __global__ void changed(", *OLD[3:])
    (lens,) = code_lenses(view_of(report, gpu, edited), "utf-16", command=True)
    assert lens.range == Range(Position(2, 2), Position(2, 26))
    gone = ("int x;",)
    assert code_lenses(view_of(report, gpu, gone), "utf-16", command=True) == []


def test_a_lens_without_the_clients_command_is_only_read(saxpy: KernelReport, gpu: GpuUsed) -> None:
    (lens,) = code_lenses(view_of(FileReport(SOURCE, (saxpy,)), gpu), "utf-16", command=False)
    assert lens.command is not None
    assert lens.command.command == ""
    assert lens.command.arguments is None


def test_assumed_sizes_have_a_lens_where_the_client_can_set_them(
    saxpy: KernelReport, gpu: GpuUsed
) -> None:
    def commands(kernel: KernelReport, *, set_sizes: bool) -> list[str]:
        view = view_of(FileReport(SOURCE, (kernel,)), gpu)
        lenses = code_lenses(view, "utf-16", command=True, set_sizes=set_sizes)
        return [lens.command.command for lens in lenses if lens.command is not None]

    unknown = UnknownUsed("n", "read from a file", 4096.0, kind=UnknownKind.HOST)
    guess = ArgumentUsed("n", "4096", None, used=4096.0, assumed=(unknown,))
    guessed = replace(saxpy, launches=(replace(saxpy.launches[0], arguments=(guess,)),))
    assert commands(guessed, set_sizes=True) == [DETAILS, SET_SIZES]
    assert commands(guessed, set_sizes=False) == [DETAILS]
    assert commands(replace(guessed, dialect=Dialect.OPENCL), set_sizes=True) == [DETAILS]


def test_kernels_of_included_files_have_no_lens_here(saxpy: KernelReport, gpu: GpuUsed) -> None:
    there = replace(saxpy, path=Path("/src/k.cuh"))
    assert code_lenses(view_of(FileReport(SOURCE, (there,)), gpu), "utf-16", command=False) == []


def test_two_kernels_have_two_lenses(saxpy: KernelReport, gpu: GpuUsed) -> None:
    second = replace(saxpy, span=Span(5, 0, 6, 1), name_span=Span(5, 0, 5, 1))
    lenses = code_lenses(view_of(FileReport(SOURCE, (saxpy, second)), gpu), "utf-8", command=False)
    assert [lens.range.start.line for lens in lenses] == [2, 4]


def test_problems_become_diagnostics(gpu: GpuUsed) -> None:
    problems = (
        Problem(Severity.ERROR, "not read", SOURCE, 6),
        Problem(Severity.WARNING, "assumed", None),
        Problem(Severity.ERROR, "elsewhere", Path("/src/other.cu"), 1),
        Problem(Severity.ERROR, "behind the end", SOURCE, 99),
    )
    view = view_of(FileReport(SOURCE, (), problems), gpu)
    found = {item.message: item for item in diagnostics(view, "utf-16")}
    assert list(found) == ["not read", "assumed", "behind the end"]
    assert found["not read"].severity == DiagnosticSeverity.Warning
    assert found["not read"].range == Range(Position(5, 0), Position(5, 3))
    assert found["not read"].source == "roofline-lsp"
    assert found["assumed"].severity == DiagnosticSeverity.Information
    assert found["assumed"].range.start.line == 0


def test_diagnostics_follow_their_lines_and_go_with_them(gpu: GpuUsed) -> None:
    report = FileReport(SOURCE, (), (Problem(Severity.ERROR, "not read", SOURCE, 6),))
    (moved,) = diagnostics(view_of(report, gpu, ("// 0", *OLD)), "utf-16")
    assert moved.range.start.line == 6
    assert diagnostics(view_of(report, gpu, (*OLD[:5], "mended")), "utf-16") == []
