"""Cache of one run or one editor session: files, headers and analyses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from roofline_analysis.api.build_files import BuildFiles
from roofline_analysis.api.options import ProgramOptions, program_options
from roofline_analysis.project.files import Reader
from roofline_core.settings import Settings
from roofline_parsers.reading.dialects import has_offload
from roofline_parsers.reading.load import LoadCache

_Analysis = TypeVar("_Analysis")

_MAX_PROGRAMS: Final = 8
"""The most analyses kept for reuse after an edit."""


class AnalysisCache:
    """Headers and files already read; one instance for each run or server. Not thread-safe."""

    def __init__(self, *, keep_trees: bool = False) -> None:
        self.load = LoadCache(keep_trees=keep_trees)
        self._keep = keep_trees
        self._programs: dict[tuple[Path, ...], Any] = {}
        self._build = BuildFiles()
        self._options: dict[object, ProgramOptions] = {}

    def options(self, paths: Sequence[Path], settings: Settings, reader: Reader) -> ProgramOptions:
        """The macros and include folders of a program; see ``program_options``."""
        if not self._keep:
            return program_options(paths, settings, reader, self._build)
        # The choice of Makefile depends on the files' texts, which change.
        offloads = tuple(has_offload(reader(path) or b"") for path in paths)
        key = (tuple(paths), settings, offloads)
        found = self._options.get(key)
        if found is None:
            found = self._options[key] = program_options(paths, settings, reader, self._build)
        return found

    def replace_program(self, paths: tuple[Path, ...], analysis: _Analysis) -> _Analysis | None:
        """Store a program's newest analysis; returns the earlier analysis that it replaces.

        Returns None if there is none. A run that analyses each program once stores nothing.
        """
        if not self._keep:
            return None
        before: _Analysis | None = self._programs.pop(paths, None)
        self._programs[paths] = analysis
        while len(self._programs) > _MAX_PROGRAMS:
            del self._programs[next(iter(self._programs))]
        return before

    def keep_newest(self) -> None:
        """Forget the files and headers that the newest program did not use."""
        self.load.keep_newest()
        self._build.forget_oldest()

    def invalidate(self, path: Path) -> None:
        """Drop the cached contents of a file that has changed."""
        self.load.invalidate(path)
        self._build.invalidate(path)
        self._programs.clear()
        self._options.clear()
