"""One entry for every front end: ``analyze(text, path, settings)`` gives a report."""

from roofline_lsp.api.analyze import analyze, analyze_paths
from roofline_lsp.api.cache import AnalysisCache
from roofline_lsp.api.files import read_file
from roofline_lsp.api.program import KernelCandidate, ProgramAnalysis
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
    "Report",
    "analyze",
    "analyze_paths",
    "gpu_used",
    "read_file",
]
