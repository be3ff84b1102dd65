"""What one run, or one editor session, need not compute twice."""

from __future__ import annotations

from pathlib import Path

from roofline_lsp.parsers.load import LoadCache


class AnalysisCache:
    """Headers and files read before. Make one a run, or one a server; not thread-safe."""

    def __init__(self, *, keep_trees: bool = False) -> None:
        self.load = LoadCache(keep_trees=keep_trees)

    def invalidate(self, path: Path) -> None:
        """Forget what was read of a file that has changed."""
        self.load.invalidate(path)
