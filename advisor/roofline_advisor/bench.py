"""A kernel's program, read again and again with one file's text changed: the static model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from roofline_advisor.advice import KernelName
from roofline_advisor.errors import AdvisorError, Fault
from roofline_analysis.api import (
    AnalysisCache,
    ProgramAnalysis,
    ProjectIndex,
    gpu_used,
    project_root,
)
from roofline_analysis.api.entry import file_report
from roofline_analysis.project.files import read_file
from roofline_analysis.project.programs import files_of_program
from roofline_analysis.project.readable import Readable
from roofline_analysis.report.report import FileReport, GpuUsed, KernelReport
from roofline_core.program.units import Function, Problem
from roofline_core.settings import Settings, args_of


@dataclass(frozen=True, slots=True)
class Reading:
    """One text of the file, read and judged with the rest of its program."""

    report: FileReport
    functions: tuple[Function, ...]
    """The functions with a body that the file defines, methods too."""
    problems: tuple[Problem, ...]
    """The parts of the file that could not be read."""
    files: tuple[tuple[Path, bytes], ...]
    """Every file of the program that was read, this one first."""

    def kernel(self, name: KernelName) -> KernelReport:
        """The kernel of a name, the one nearest to its line. Raises AdvisorError."""
        named = [
            kernel
            for kernel in self.report.kernels
            if name.qualified_name in {kernel.qualified_name, kernel.base_name, kernel.name}
        ]
        if not named:
            known = ", ".join(kernel.qualified_name for kernel in self.report.kernels)
            raise AdvisorError(
                Fault.MATERIAL,
                f"{self.report.path}: there is no kernel '{name.qualified_name}'"
                + (f"; there are {known}" if known else ""),
            )
        line = name.line
        if line is None:
            return named[0]
        return min(named, key=lambda kernel: abs(kernel.name_span.line - line))


class Bench:
    """Reads one file's program. Blocks while it analyses; not thread-safe."""

    def __init__(
        self, path: Path, settings: Settings, overlays: Mapping[Path, bytes] | None = None
    ) -> None:
        """``overlays`` are texts that go before what is on disk, by path without links.

        Raises AdvisorError for a file that leads out of its project.
        """
        self.path = path
        self.settings = settings
        self.gpu: GpuUsed = gpu_used(settings)
        self._overlays = dict(overlays or {})
        self._cache = AnalysisCache()
        self._root = project_root(path.parent) if path.parent.is_dir() else path.parent
        self._readable = Readable((), self._root)
        self._readable.add_project(path)
        if why := self._readable(path):
            raise AdvisorError(Fault.MATERIAL, f"{path}: {why}; nothing was sent")
        self._units: tuple[Path, ...] | None = None
        self._read: dict[Path, bytes] = {}
        """What the program rests on: headers are read once, for all texts of the file."""

    def read(self, text: bytes) -> Reading:
        """Read and judge the file with this text. Raises UnknownGpuError."""

        def reader(wanted: Path) -> bytes | None:
            """The text given for the file, or another file's; notes what was read."""
            found = text if wanted == self.path else self._content(wanted)
            if found is not None:
                self._read[wanted] = found
            return found

        if self._units is None:
            self._units = self._program(text)
        argv = args_of(self.settings, self._units)
        analysis = ProgramAnalysis.load(
            self._units,
            self.settings,
            argv=argv,
            reader=reader,
            cache=self._cache,
        )
        report = file_report(analysis, self.path)
        functions = tuple(_functions(analysis, self.path))
        problems = (*report.problems, *(p for f in functions for p in f.body_problems))
        return Reading(report, functions, tuple(dict.fromkeys(problems)), self._files(text))

    def _program(self, text: bytes) -> tuple[Path, ...]:
        """The files of the program. Later texts differ in device code alone, so it stays."""
        project = ProjectIndex(
            self._root if self.path.parent.is_dir() else None,
            files=(self.path,),
            exclude=self.settings.exclude,
            reader=self._content,
        )
        project.put(self.path, text)
        return files_of_program(self.path, project)

    def _content(self, path: Path) -> bytes | None:
        real = Path(os.path.realpath(path))
        return self._overlays[real] if real in self._overlays else read_file(path)

    def _files(self, text: bytes) -> tuple[tuple[Path, bytes], ...]:
        """The sources that were read, without build files and what lies outside the project.

        Where a file lies is told by its real path, links followed.
        """
        inside = Path(os.path.realpath(self._root))
        others = (
            (path, content)
            for path, content in self._read.items()
            if path != self.path
            and path.suffix
            and path.suffix not in {".json", ".mk"}
            and inside in Path(os.path.realpath(path)).parents
            and self._readable(path) is None
        )
        return ((self.path, text), *others)


def _functions(analysis: ProgramAnalysis, path: Path) -> list[Function]:
    found: dict[tuple[int, int, str], Function] = {}
    for unit in analysis.program.all_units():
        methods = (method for struct in unit.structs for method in struct.methods)
        for function in (*unit.functions, *methods):
            if function.path == path and function.has_body:
                key = (function.span.line, function.span.column, function.name)
                found.setdefault(key, function)
    return list(found.values())
