"""A baseline made of the sources of a revision, as ``--baseline-commit`` asks for it."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

from roofline_analysis.api import gpu_used
from roofline_analysis.project.paths import absolute
from roofline_analysis.report.report import FileReport, Report
from roofline_core.settings import Settings
from roofline_lsp.cli.batch import analyse, collected
from roofline_lsp.cli.contracts import with_gpus
from roofline_lsp.cli.files import read_regular
from roofline_lsp.cli.git import MOST_FILE_BYTES, Revision, write_files
from roofline_lsp.cli.judging import judged
from roofline_lsp.ratchet.baseline import Baseline, baseline_of


def baseline_of_revision(since: Revision, paths: list[str], settings: Settings) -> Baseline:
    """What the same check finds in the sources of a revision, which are written to a folder."""
    with tempfile.TemporaryDirectory(prefix="roofline-") as name:
        folder = Path(os.path.realpath(name))
        write_files(since, lambda blob: (blob.size_bytes or 0) <= MOST_FILE_BYTES, folder)
        (folder / ".git").mkdir()  # marks the root of the project, as in the working folder
        there = [str(_moved(Path(path), since.folder, folder)) for path in paths]
        moved = replace(
            settings,
            include_dirs=tuple(
                _moved(each, since.folder, folder) for each in settings.include_dirs
            ),
            compile_commands=None
            if settings.compile_commands is None
            else _moved(settings.compile_commands, since.folder, folder),
        )
        found = collected(there, moved)
        moved, gpus = with_gpus(moved, found.files, read_regular)
        files: list[FileReport] = []
        if found.files:
            files = analyse(found, moved, lambda *_: None, folder)
        report = Report(gpu_used(settings), tuple(files))
        return baseline_of(judged(report, moved, gpus), folder)


def _settings_there(settings: Settings, of: Path, into: Path) -> Settings:
    """The same settings with the folders that they name moved likewise."""
    commands = settings.compile_commands
    return replace(
        settings,
        include_dirs=tuple(_moved(each, of, into) for each in settings.include_dirs),
        compile_commands=None if commands is None else _moved(commands, of, into),
    )


def _moved(path: Path, of: Path, into: Path) -> Path:
    """A path below one folder as the same below another; others stay."""
    whole = Path(os.path.realpath(path.parent)) / path.name if path.name else path
    whole = absolute(whole)
    return into / whole.relative_to(of) if whole.is_relative_to(of) else path
