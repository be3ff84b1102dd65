"""One entry for every front end: ``analyze(text, path, settings)`` gives a report.

The names are imported when they are first asked for: a server that only shows reports, which its
worker makes, does not load the analyser.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofline_analysis.api.cache import AnalysisCache
    from roofline_analysis.api.entry import analyze
    from roofline_analysis.api.program import KernelCandidate, ProgramAnalysis, ProgramPlace
    from roofline_analysis.api.targets import gpu_used
    from roofline_analysis.api.tasks import analyze_paths
    from roofline_analysis.project.files import read_file
    from roofline_analysis.project.paths import project_root
    from roofline_analysis.project.project import ProjectIndex
    from roofline_analysis.report.report import (
        FileReport,
        GpuUsed,
        KernelReport,
        Prediction,
        Report,
    )

__all__ = [
    "AnalysisCache",
    "FileReport",
    "GpuUsed",
    "KernelCandidate",
    "KernelReport",
    "Prediction",
    "ProgramAnalysis",
    "ProgramPlace",
    "ProjectIndex",
    "Report",
    "analyze",
    "analyze_paths",
    "gpu_used",
    "project_root",
    "read_file",
]

_HOMES = {
    "analyze": "roofline_analysis.api.entry",
    "analyze_paths": "roofline_analysis.api.tasks",
    "AnalysisCache": "roofline_analysis.api.cache",
    "read_file": "roofline_analysis.project.files",
    "KernelCandidate": "roofline_analysis.api.program",
    "ProgramAnalysis": "roofline_analysis.api.program",
    "ProgramPlace": "roofline_analysis.api.program",
    "ProjectIndex": "roofline_analysis.project.project",
    "project_root": "roofline_analysis.project.paths",
    "FileReport": "roofline_analysis.report.report",
    "GpuUsed": "roofline_analysis.report.report",
    "KernelReport": "roofline_analysis.report.report",
    "Prediction": "roofline_analysis.report.report",
    "Report": "roofline_analysis.report.report",
    "gpu_used": "roofline_analysis.api.targets",
}


def __getattr__(name: str) -> Any:
    """Import a public name from the module that defines it."""
    home = _HOMES.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = globals()[name] = getattr(importlib.import_module(home), name)
    return value
