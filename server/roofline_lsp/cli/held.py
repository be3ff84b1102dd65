"""What a check is held to: a baseline in a file, or the sources of a revision."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Final

from roofline_analysis.project.paths import absolute, marked_root
from roofline_analysis.report.report import Report
from roofline_core.settings import SettingsError
from roofline_lsp.cli.batch import Prepared
from roofline_lsp.cli.output import write
from roofline_lsp.ratchet.baseline import (
    Baseline,
    baseline_of,
    baseline_text,
    held_to,
    read_baseline,
)
from roofline_lsp.ratchet.figures import path_in
from roofline_lsp.ratchet.result import CheckResult

_ABBREVIATED: Final = 12
"""The digits of a commit that are shown."""


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
        from roofline_lsp.cli.git import revision  # noqa: PLC0415 - starts a program
        from roofline_lsp.cli.revision_baseline import baseline_of_revision  # noqa: PLC0415

        since = revision(folder, options.baseline_commit)
        known = baseline_of_revision(since, options.check, work.settings)
        told = f"{since.name} ({since.commit[:_ABBREVIATED]})"
        top = absolute(since.folder)
        known = _looked_at(known, result.report, options, top)
        result = held_to(result, known, told, top)
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
        """Whether the run says all about a file of the baseline.

        True for one that is checked or gone, and for one below a checked path if all files are.
        """
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
