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
        self._cache = AnalysisCache()

    def analyse(self, text: bytes, path: Path, settings: Settings, reader: Reader) -> FileReport:
        """The kernels of a file; never raises on bad code."""
        return analyze(text, path, settings, reader=reader, cache=self._cache)

    def gpu(self, settings: Settings) -> GpuUsed:
        """The GPU that settings name. Raises RooflineError."""
        return gpu_used(settings)

    def read(self, path: Path) -> bytes | None:
        """What is on disk."""
        return read_file(path)

    def linked(self, text: bytes, other: bytes) -> bool:
        """Whether two files that stand side by side can be parts of one program."""
        return not (has_main(text) and has_main(other))
