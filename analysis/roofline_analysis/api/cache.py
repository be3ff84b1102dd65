"""What one run, or one editor session, need not compute twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from roofline_analysis.api.options import preprocess_options
from roofline_analysis.project.files import Reader
from roofline_core.settings import Settings
from roofline_parsers.preprocess import PreprocessOptions
from roofline_parsers.reading.dialects import has_offload
from roofline_parsers.reading.load import LoadCache

_Analysis = TypeVar("_Analysis")

_MAX_PROGRAMS: Final = 8
"""Analyses kept to start from when their files are edited."""


class AnalysisCache:
    """Headers and files read before. Make one a run, or one a server; not thread-safe."""

    def __init__(self, *, keep_trees: bool = False) -> None:
        self.load = LoadCache(keep_trees=keep_trees)
        self.newest: Any = None
        """The last ``ProgramAnalysis``, where analyses are kept; else None."""
        self._keep = keep_trees
        self._programs: dict[tuple[Path, ...], Any] = {}
        self._options: dict[object, PreprocessOptions] = {}

    def options(
        self, paths: Sequence[Path], settings: Settings, reader: Reader
    ) -> PreprocessOptions:
        """How the files of a program are compiled; see ``preprocess_options``."""
        if not self._keep:
            return preprocess_options(paths, settings, reader)
        # Which Makefile is meant depends on the files' texts, which are edited.
        offloads = tuple(has_offload(reader(path) or b"") for path in paths)
        key = (tuple(paths), settings, offloads)
        found = self._options.get(key)
        if found is None:
            found = self._options[key] = preprocess_options(paths, settings, reader)
        return found

    def replace_program(self, paths: tuple[Path, ...], analysis: _Analysis) -> _Analysis | None:
        """Put the newest analysis of a program in place of the last one, which is given.

        None, and nothing is kept, in a run that analyses each program once.
        """
        if not self._keep:
            return None
        self.newest = analysis
        before: _Analysis | None = self._programs.pop(paths, None)
        self._programs[paths] = analysis
        while len(self._programs) > _MAX_PROGRAMS:
            del self._programs[next(iter(self._programs))]
        return before

    def invalidate(self, path: Path) -> None:
        """Forget what was read of a file that has changed."""
        self.load.invalidate(path)
        self._programs.clear()
        self._options.clear()
