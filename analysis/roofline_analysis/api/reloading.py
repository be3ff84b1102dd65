"""A program that can be analysed again: with another text, another command line, other macros."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from roofline_analysis.api.cache import AnalysisCache
from roofline_analysis.api.program import ProgramAnalysis, ProgramPlace
from roofline_analysis.project.files import Reader
from roofline_analysis.project.paths import absolute
from roofline_analysis.project.programs import files_of_program
from roofline_analysis.project.project import ProjectIndex
from roofline_core.settings import Settings, args_of


class Reloadable:
    """The program of one file, loaded as any front end loads it."""

    def __init__(
        self, path: Path, settings: Settings, project: ProjectIndex, reader: Reader
    ) -> None:
        self.path = path
        self.settings = settings
        self.reader = reader
        self._units: Sequence[Path] = files_of_program(path, project)
        folders = project.include_dirs(self._units)
        self._place = ProgramPlace(folders, project.root, frozenset((path,)))
        self._cache = AnalysisCache()

    def load(self, texts: Mapping[Path, str] | None = None, **settings: Any) -> ProgramAnalysis:
        """Analyse the program with ``texts`` in the place of files, and other ``settings``.

        What does not depend on other settings is read once.
        """
        given = {
            absolute(path): text.encode("utf-8", "surrogateescape")
            for path, text in (texts or {}).items()
        }

        def read(path: Path) -> bytes | None:
            """The text given for the path; other files by the program's reader."""
            return given[key] if (key := absolute(path)) in given else self.reader(path)

        settled = replace(self.settings, **settings)
        return ProgramAnalysis.load(
            self._units,
            settled,
            argv=args_of(settled, self._units),
            reader=read if given else self.reader,
            cache=AnalysisCache() if given else self._cache,
            place=self._place,
        )

    def text(self, path: Path) -> str | None:
        """The text of a file; ``surrogateescape`` keeps what is not UTF-8."""
        read = self.reader(path)
        return None if read is None else read.decode("utf-8", "surrogateescape")
