"""The worker's analyser: ``roofline_analysis.api`` with one cache for the life of the process."""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from roofline_analysis.api import (
    AnalysisCache,
    ProgramAnalysis,
    ProjectIndex,
    gpu_used,
    read_file,
)
from roofline_analysis.api.compare.comparing import compare
from roofline_analysis.api.compare.matching import Side
from roofline_analysis.api.compare.records import VariantComparison
from roofline_analysis.api.entry import file_report, program_of, suggestions_for, what_if_of
from roofline_analysis.api.explain.records import Explanation
from roofline_analysis.api.explain_file import Question, explain_kernel
from roofline_analysis.api.reloading import Reloadable
from roofline_analysis.api.wishes import Wishes
from roofline_analysis.project.files import has_main, siblings
from roofline_analysis.project.programs import beside, files_of_program
from roofline_analysis.report.report import FileReport, Finding, GpuUsed, KernelReport, WhatIf
from roofline_core.settings import Settings, args_of
from roofline_lsp.server.worker.analyser import Reader
from roofline_lsp.server.worker.jobs import VariantWanted
from roofline_lsp.server.worker.rule_pages import write_pages
from roofline_profiling.errors import StoreError
from roofline_profiling.overlay import MeasurementIndex

logger = logging.getLogger(__name__)

_MOST_ANALYSES = 8
"""The most files whose analyses are kept for questions about other GPUs."""


_LOOKED_AT_ONCE = 100
"""Files and folders of which it is looked at once, in idle time, whether they have changed."""

_MOST_TRIED = 4
"""Assumed numbers, and as many estimates, that an explanation tries others for: somebody waits."""


class ApiAnalyser:
    """The analyser on top of ``roofline_analysis.api``, as of every other front end."""

    def __init__(self) -> None:
        self._cache = AnalysisCache(keep_trees=True)
        self._projects: dict[Path, ProjectIndex] = {}
        self._real_roots: dict[Path, Path] = {}
        self._overlays: dict[Path, bytes] = {}
        self._folders: dict[Path, tuple[tuple[Path, ...], ProjectIndex]] = {}
        self._programs: dict[Path, tuple[Path, ...]] = {}
        """What each file was last analysed with."""
        self._include_dirs: dict[Path, tuple[Path, ...]] = {}
        """Where the headers of each were looked for."""
        self._again: Iterator[None] = iter(())
        """The looks at files that may have changed since they were scanned, and nobody said so."""
        self._analyses: dict[Path, ProgramAnalysis] = {}
        self._measurements = MeasurementIndex()
        self._store_error = ""

    def analyse(
        self,
        text: bytes,
        path: Path,
        settings: Settings,
        reader: Reader,
        *,
        findings: bool,
        aside: bool = False,
        wishes: Wishes | None = None,
    ) -> FileReport:
        """The kernels of a file, with ``findings`` or without; never raises on bad code.

        No question is asked about one that is made ``aside``. Kernels that ``wishes`` tells of are
        known before the others. A file's program is looked for in its
        folder until its project was looked through.
        """
        project = self._project(path) or self._folder(path, reader)
        # Other GPUs are asked about when somebody looks.
        settings = replace(settings, what_if=None)
        analysis = program_of(
            text, path, settings, reader=reader, cache=self._cache, project=project
        )
        if analysis is None:
            report = FileReport(path, ())
        else:
            report = file_report(analysis, path, findings=findings, wishes=wishes)
        self._programs[path] = project.program(path)
        self._include_dirs[path] = project.include_dirs(files_of_program(path, project))
        self._again = itertools.chain.from_iterable(
            each.look_again() for each in tuple(self._projects.values())
        )
        if not aside:
            self._remember(path, analysis)
        if findings:
            write_pages(sorted({finding.code for finding in report.all_findings()}))
        return self._beside(report, settings)

    def _beside(self, report: FileReport, settings: Settings) -> FileReport:
        """A report with what was measured; without it where the measurements cannot be read."""
        args = args_of(settings, self._programs.get(report.path, (report.path,)))
        try:
            return self._measurements.beside(report, gpu_used(settings), args)
        except StoreError as error:
            if str(error) != self._store_error:
                self._store_error = str(error)
                logger.warning("%s", error)
            return report

    def what_if(
        self, path: Path, kernel: KernelReport, launch: int | None, gpus: tuple[str, ...]
    ) -> WhatIf | None:
        """What a launch of the last analysis of a file would be on other GPUs."""
        analysis = self._analyses.get(path)
        return None if analysis is None else what_if_of(analysis, kernel, launch, gpus)

    def suggestions(self, path: Path, kernel: KernelReport) -> tuple[Finding, ...] | None:
        """What rules find in a kernel of the last analysis of a file, for somebody who asks."""
        analysis = self._analyses.get(path)
        return None if analysis is None else suggestions_for(analysis, kernel)

    def explain(self, path: Path, kernel: KernelReport, launch: int | None) -> Explanation | None:
        """How the class of a kernel of the last analysis of a file comes about."""
        analysis = self._analyses.get(path)
        if analysis is None:
            return None
        return explain_kernel(analysis, kernel, Question(launch=launch, tried=_MOST_TRIED))

    def compare(
        self, variants: Sequence[VariantWanted], settings: Settings, reader: Reader
    ) -> VariantComparison:
        """Variants of a kernel held against the first, all with the same settings.

        A variant with a text of its own is analysed with the other files as they are. What is kept
        of analyses stays as it is.
        """
        sides = []
        for each in variants:
            project = self._project(each.path) or self._folder(each.path, reader)
            program = Reloadable(each.path, settings, project, reader)
            texts = {} if each.text is None else {each.path: each.text.decode()}
            side = Side(each.label, program.load(texts), each.path, line=each.line)
            sides.append(side)
        return compare(sides)

    def gpu(self, settings: Settings) -> GpuUsed:
        """The GPU that settings name. Raises RooflineError."""
        return gpu_used(settings)

    def read(self, path: Path) -> bytes | None:
        """A file's bytes on disk; None if it cannot be read."""
        return read_file(path)

    def changed(self, path: Path, text: bytes | None) -> None:
        """A file that was read or looked for is not what it was."""
        self._cache.invalidate(path)
        self._folders.clear()
        self.overlaid(path, text)

    def overlaid(self, path: Path, text: bytes | None) -> None:
        """A document has this text, or is closed: only what files belong together may change."""
        if text is None:
            self._overlays.pop(path, None)
        else:
            self._overlays[path] = text
        for root, project in self._projects.items():
            self._tell(project, self._spelled(path, root), text)

    def forget(self) -> None:
        """Let go of trees, walked kernels and analyses; the next analysis begins anew."""
        self._cache = AnalysisCache(keep_trees=True)
        self._analyses.clear()

    def is_program(self, text: bytes) -> bool:
        """Whether a file makes a program of its own."""
        return has_main(text)

    def index(self, folder: Path, exclude: tuple[str, ...]) -> None:
        """Begin to look through a project, anew if it was begun before."""
        project = self._projects[folder] = ProjectIndex(folder, exclude=exclude)
        self._real_roots[folder] = Path(os.path.realpath(folder))
        for path, text in self._overlays.items():
            self._tell(project, self._spelled(path, folder), text)

    def step(self) -> bool:
        """Look at one more file of the projects, or at some again; whether all is done."""
        project = next((each for each in self._projects.values() if not each.complete), None)
        if project is None:
            return sum(1 for _ in itertools.islice(self._again, _LOOKED_AT_ONCE)) == 0
        if project.step():
            for problem in project.problems:
                logger.warning("%s: %s", problem.path, problem.message)
        return False

    def regrouped(self) -> frozenset[Path]:
        """The files whose programs have changed since they were analysed, each told once."""
        found = set()
        for path, program in self._programs.items():
            project = self._project(path)
            if project is None:
                continue
            now = project.program(path)
            folders = project.include_dirs(files_of_program(path, project))
            if (now, folders) != (program, self._include_dirs[path]):
                self._programs[path], self._include_dirs[path] = now, folders
                found.add(path)
        return frozenset(found)

    def _remember(self, path: Path, analysis: ProgramAnalysis | None) -> None:
        """Keep the last analyses, for questions about them."""
        self._analyses.pop(path, None)
        if analysis is not None:
            self._analyses[path] = analysis
        while len(self._analyses) > _MOST_ANALYSES:
            del self._analyses[next(iter(self._analyses))]

    def _folder(self, path: Path, reader: Reader) -> ProjectIndex:
        """The index of a file's own folder, kept while the folder has the same files."""
        files = siblings(path)
        found = self._folders.get(path)
        if found is None or found[0] != files:
            found = self._folders[path] = (files, beside(path, reader))
        return found[1]

    def _project(self, path: Path) -> ProjectIndex | None:
        """The innermost project that a file is in, if it was looked through."""
        roots = [root for root in self._projects if root in path.parents]
        if not roots:
            return None
        project = self._projects[max(roots, key=lambda root: len(root.parts))]
        return project if project.complete else None

    def _spelled(self, path: Path, root: Path) -> Path:
        """A path without symbolic links as it is below a folder that may be reached by some."""
        real = self._real_roots[root]
        return root / path.relative_to(real) if real in path.parents else path

    @staticmethod
    def _tell(project: ProjectIndex, path: Path, text: bytes | None) -> None:
        if text is None:
            project.update(path)
        elif project.root in path.parents:
            project.put(path, text)
