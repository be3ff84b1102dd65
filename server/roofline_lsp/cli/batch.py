"""Many files analysed, with the files around them as their programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from roofline_lsp.api import AnalysisCache, analyze, analyze_paths
from roofline_lsp.api.files import has_main, siblings
from roofline_lsp.api.report import FileReport
from roofline_lsp.cli.files import Collected, read_regular
from roofline_lsp.kernel.errors import RooflineError
from roofline_lsp.kernel.program import Problem, Severity
from roofline_lsp.reports.crash import crash_reason
from roofline_lsp.settings import Settings

Show = Callable[[int, int, str], None]
"""Told how many files are done, of how many, and the last one's name."""


def analyse(found: Collected, settings: Settings, show: Show) -> list[FileReport]:
    """The report of each file, in order. A crash in one costs that one alone.

    The host code that launches a kernel may stand in another file, so the files beside those asked
    for are read too; they get no report. Raises RooflineError for settings that cannot be used.
    """
    if len(found.files) == 1:
        return [_alone(found.files[0], settings, AnalysisCache())]
    wanted = set(found.files)
    around = [path for path in _around(found) if path not in wanted]
    total = len(wanted) + len(around)
    try:
        reports = analyze_paths(
            [*found.files, *around],
            settings,
            reader=read_regular,
            progress=lambda done, _total, path: show(done, total, path.name),
        )
        return [report for report in reports if report.path in wanted]
    except RooflineError:
        raise
    except Exception:  # one of them is at fault: each by itself tells which
        return _one_by_one(found.files, settings, show)


def _one_by_one(files: Sequence[Path], settings: Settings, show: Show) -> list[FileReport]:
    cache = AnalysisCache()
    reports = []
    for path in files:
        reports.append(_alone(path, settings, cache))
        show(len(reports), len(files), path.name)
    return reports


def _alone(path: Path, settings: Settings, cache: AnalysisCache) -> FileReport:
    try:
        text = read_regular(path) or b""
        return analyze(text, path, settings, reader=read_regular, cache=cache)
    except RooflineError:
        raise
    except Exception as error:  # whatever it is, the other files are checked
        message = f"internal error, please report it: {crash_reason(error)}"
        return FileReport(path, (), (Problem(Severity.ERROR, message, path),))


def _around(found: Collected) -> list[Path]:
    """The other files of the programs: of folders all, beside a named file its folder's.

    A file with a ``main`` of its own is another program than a named file with one.
    """
    around = dict.fromkeys(found.context)
    named: dict[Path, list[Path]] = {}
    for path in found.named:
        named.setdefault(path.parent, []).append(path)
    for files in named.values():
        own_main = any(has_main(read_regular(path) or b"") for path in files)
        for path in siblings(files[0]):
            if path not in around and not (own_main and has_main(read_regular(path) or b"")):
                around[path] = None
    return list(around)
