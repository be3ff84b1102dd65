"""The worker's analyser: ``roofline_lsp.api`` with one cache for the life of the process."""

from __future__ import annotations

from pathlib import Path

from roofline_lsp.api import AnalysisCache, analyze, gpu_used, read_file
from roofline_lsp.api.files import has_main
from roofline_lsp.api.report import FileReport, GpuUsed
from roofline_lsp.server.worker import Reader
from roofline_lsp.settings import Settings


class ApiAnalyser:
    """Analyses as every other front end does."""

    def __init__(self) -> None:
        self._cache = AnalysisCache(keep_trees=True)

    def analyse(self, text: bytes, path: Path, settings: Settings, reader: Reader) -> FileReport:
        """The kernels of a file; never raises on bad code."""
        return analyze(text, path, settings, reader=reader, cache=self._cache)

    def gpu(self, settings: Settings) -> GpuUsed:
        """The GPU that settings name. Raises RooflineError."""
        return gpu_used(settings)

    def read(self, path: Path) -> bytes | None:
        """What is on disk."""
        return read_file(path)

    def changed(self, path: Path) -> None:
        """A file that was read or looked for is not what it was."""
        self._cache.invalidate(path)

    def is_program(self, text: bytes) -> bool:
        """Whether a file makes a program of its own."""
        return has_main(text)
