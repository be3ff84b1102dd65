"""A source on standard input: what an editor or a hook has not saved."""

from __future__ import annotations

import sys
from pathlib import Path

from roofline_analysis.api import analyze
from roofline_analysis.report.report import FileReport
from roofline_core.program.crash import crash_reason
from roofline_core.program.errors import RooflineError
from roofline_core.program.units import Problem, Severity
from roofline_core.settings import Settings, SettingsError
from roofline_lsp.cli.batch import projects_around
from roofline_lsp.cli.files import MAX_FILE_BYTES, Collected, read_regular

DASH = "-"


def named_input(paths: list[str], name: Path | None) -> Path | None:
    """The name of the source on standard input; None where files are checked.

    Raises SettingsError for a source without a name, a name without a source, and further paths.
    """
    if DASH not in paths:
        if name is not None:
            raise SettingsError("--stdin-filename names what `--check -` reads; give the dash, too")
        return None
    if name is None:
        raise SettingsError("`--check -` needs the source's name: --stdin-filename src/kernel.cu")
    if len(paths) > 1:
        raise SettingsError("`--check -` checks standard input alone; leave the other paths out")
    return name


def read_input() -> bytes:
    """All of standard input. Raises SettingsError if it is longer than a source may be."""
    text = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    if len(text) > MAX_FILE_BYTES:
        raise SettingsError(f"standard input: more than {MAX_FILE_BYTES / 1e6:.0f} MB, not read")
    return text


def input_report(text: bytes, path: Path, settings: Settings, root: Path) -> FileReport:
    """The report of a text in the place of a file, with the files around it as its program."""
    project = projects_around(Collected([path]), settings, root).of(path)
    try:
        return analyze(text, path, settings, reader=read_regular, project=project)
    except RooflineError:
        raise
    except Exception as error:  # as for files: the person is told, not shown a traceback
        message = f"internal error, please report it: {crash_reason(error)}"
        return FileReport(path, (), (Problem(Severity.ERROR, message, path),))
