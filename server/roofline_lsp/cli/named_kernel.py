"""Commands about one kernel that is named as ``FILE[:KERNEL[:LINE]]``: `explain` and `sweep`."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_analysis.project.project import ProjectIndex
from roofline_core.program.crash import crash_reason
from roofline_core.program.errors import RooflineError
from roofline_core.settings import Settings
from roofline_lsp.cli.batch import prepared, projects_around
from roofline_lsp.cli.options import add_exclude_option, add_judging_options, analysis_layer


class NamedKernelError(RooflineError):
    """The file does not exist or cannot be read, or what was asked of it failed."""


@dataclass(frozen=True, slots=True)
class NamedKernel:
    """What was named, with all that reading it takes."""

    path: Path
    kernel: str | None
    """A name or a part of one."""
    line: int | None
    """1-based."""
    settings: Settings
    project: ProjectIndex


def add_named_kernel_options(made: argparse.ArgumentParser) -> None:
    """Add what to judge the kernel for, and how its program is found."""
    add_judging_options(made)
    add_exclude_option(made)


@contextlib.contextmanager
def named_kernel(what: str, options: argparse.Namespace) -> Iterator[NamedKernel]:
    """The kernel that a command line names; what crashes in the context is told with its file.

    Raises SettingsError and NamedKernelError.
    """
    file, kernel, line = taken_apart(what)
    work = prepared([str(file)], (analysis_layer(options),), options.config)
    if not work.found.files:
        reasons = "; ".join(f"{each.path}: {each.message}" for each in work.found.problems)
        raise NamedKernelError(reasons)
    (path,) = work.found.files
    project = projects_around(work.found, work.settings, work.root).of(path)
    try:
        yield NamedKernel(path, kernel, line, work.settings, project)
    except RooflineError:
        raise
    except Exception as error:
        message = f"{path}: internal error, please report it: {crash_reason(error)}"
        raise NamedKernelError(message) from error


def taken_apart(what: str) -> tuple[Path, str | None, int | None]:
    """The file, the kernel and the line of ``FILE[:KERNEL[:LINE]]``.

    The file is the longest beginning that exists, for names may have colons, too. Raises
    NamedKernelError where there is no such file.
    """
    parts = what.split(":")
    for count in range(len(parts), 0, -1):
        file = Path(":".join(parts[:count]))
        if file.is_file():
            return (file, *_kernel_and_line(parts[count:]))
    if Path(what).is_dir():
        raise NamedKernelError(f"{what}: is a folder; name the file that defines the kernel")
    raise NamedKernelError(f"{parts[0]}: there is no such file; FILE[:KERNEL[:LINE]] is expected")


def _kernel_and_line(parts: Sequence[str]) -> tuple[str | None, int | None]:
    line = None
    if parts and parts[-1].isdecimal():
        line, parts = int(parts[-1]), parts[:-1]
    return ":".join(parts) or None, line
