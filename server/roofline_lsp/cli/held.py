"""What a check is held to: a baseline in a file, or the sources of a revision."""

from __future__ import annotations

import argparse
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Final

from roofline_analysis.api import gpu_used
from roofline_analysis.project.paths import absolute, marked_root
from roofline_analysis.report.report import FileReport, Report
from roofline_core.settings import Settings, SettingsError
from roofline_lsp.cli.batch import Prepared, analyse, collected
from roofline_lsp.cli.contracts import ContractGpus, checked_contracts, with_gpus
from roofline_lsp.cli.files import read_regular
from roofline_lsp.cli.git import MOST_FILE_BYTES, Revision, revision, write_files
from roofline_lsp.cli.output import write
from roofline_lsp.ratchet.baseline import (
    Baseline,
    baseline_of,
    baseline_text,
    held_to,
    read_baseline,
)
from roofline_lsp.ratchet.contracts.checking import contract_issues
from roofline_lsp.ratchet.figures import path_in
from roofline_lsp.ratchet.issues import issues_of
from roofline_lsp.ratchet.result import CheckResult
from roofline_lsp.ratchet.source_lines import Reader, SourceLines

_ABBREVIATED: Final = 12
"""The digits of a commit that are shown."""


def judged(
    report: Report, settings: Settings, gpus: ContractGpus, reader: Reader = read_regular
) -> CheckResult:
    """A report with its issues and what came of contracts. ``gpus``: those that contracts name."""
    contracts = checked_contracts(report, settings, gpus, reader)
    issues = (*issues_of(report.files, SourceLines(reader)), *contract_issues(contracts))
    return CheckResult(report, issues, contracts=contracts)


def has_baseline(options: argparse.Namespace) -> bool:
    """Whether the run is held to one. Raises SettingsError for two of them."""
    if options.baseline is not None and options.baseline_commit is not None:
        raise SettingsError("--baseline and --baseline-commit exclude each other; give one")
    return options.baseline is not None or options.baseline_commit is not None


def compared(result: CheckResult, options: argparse.Namespace, work: Prepared) -> CheckResult:
    """The result held to what the options name, if anything; then written as a baseline.

    Raises BaselineError, GitError and OutputError.
    """
    folder = marked_root(work.root) or absolute(Path())
    fresh = result
    if options.baseline is not None:
        known = _looked_at(read_baseline(options.baseline), result.report, options, folder)
        result = held_to(result, known, str(options.baseline), folder)
    elif options.baseline_commit is not None:
        since = revision(folder, options.baseline_commit)
        known = _baseline_of_revision(since, options.check, work.settings)
        told = f"{since.name} ({since.commit[:_ABBREVIATED]})"
        folder = absolute(since.folder)
        known = _looked_at(known, result.report, options, folder)
        result = held_to(result, known, told, folder)
    if options.write_baseline is not None:
        write(baseline_text(baseline_of(fresh, folder)), options.write_baseline, data=True)
    return result


def _looked_at(
    known: Baseline, report: Report, options: argparse.Namespace, folder: Path
) -> Baseline:
    """A baseline without what stands in files that this run does not check: it is not gone."""
    checked = {path_in(folder, file.path) for file in report.files}
    asked = [absolute(Path(path)) for path in options.check]

    def is_looked_at(path: str) -> bool:
        file = folder / path
        if path in checked or not file.exists():
            return True
        is_asked = any(each in (file, *file.parents) for each in asked)
        return is_asked and options.changed_since is None

    return replace(
        known,
        kernels=tuple(each for each in known.kernels if is_looked_at(each.path)),
        issues=tuple(each for each in known.issues if is_looked_at(each.path)),
    )


def _baseline_of_revision(since: Revision, paths: list[str], settings: Settings) -> Baseline:
    """What the same check finds in the sources of a revision, which are written to a folder."""
    with tempfile.TemporaryDirectory(prefix="roofline-") as name:
        folder = Path(os.path.realpath(name))
        write_files(since, lambda blob: blob.size_bytes <= MOST_FILE_BYTES, folder)
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
