"""One entry for every front end: ``analyze(text, path, settings)`` gives a report.

The names are imported when they are first asked for: a server that only shows reports, which its
worker makes, does not load the analyser.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofline_lsp.api.cache import AnalysisCache
    from roofline_lsp.api.entry import analyze, analyze_paths
    from roofline_lsp.api.files import read_file
    from roofline_lsp.api.paths import project_root
    from roofline_lsp.api.program import KernelCandidate, ProgramAnalysis
    from roofline_lsp.api.project import ProjectIndex
    from roofline_lsp.api.report import FileReport, GpuUsed, KernelReport, Prediction, Report
    from roofline_lsp.api.targets import gpu_used

__all__ = [
    "AnalysisCache",
    "FileReport",
    "GpuUsed",
    "KernelCandidate",
    "KernelReport",
    "Prediction",
    "ProgramAnalysis",
    "ProjectIndex",
    "Report",
    "analyze",
    "analyze_paths",
    "gpu_used",
    "project_root",
    "read_file",
]

_HOMES = {
    "analyze": "roofline_lsp.api.entry",
    "analyze_paths": "roofline_lsp.api.entry",
    "AnalysisCache": "roofline_lsp.api.cache",
    "read_file": "roofline_lsp.api.files",
    "KernelCandidate": "roofline_lsp.api.program",
    "ProgramAnalysis": "roofline_lsp.api.program",
    "ProjectIndex": "roofline_lsp.api.project",
    "project_root": "roofline_lsp.api.paths",
    "FileReport": "roofline_lsp.api.report",
    "GpuUsed": "roofline_lsp.api.report",
    "KernelReport": "roofline_lsp.api.report",
    "Prediction": "roofline_lsp.api.report",
    "Report": "roofline_lsp.api.report",
    "gpu_used": "roofline_lsp.api.targets",
}


def __getattr__(name: str) -> Any:
    """Import a public name from the module that defines it."""
    home = _HOMES.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = globals()[name] = getattr(importlib.import_module(home), name)
    return value
