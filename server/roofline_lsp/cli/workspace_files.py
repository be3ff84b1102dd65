"""The files of a workspace's folder that hold kernels, for the language server."""

from __future__ import annotations

from pathlib import Path

from roofline_core.program.units import Severity
from roofline_core.settings import Settings
from roofline_lsp.cli.files import collect
from roofline_lsp.server.features.kernel_files import FilesOfFolder, Stopped
from roofline_parsers.reading.gate import has_kernels


class StoppedError(Exception):
    """Nobody waits for the files any more."""


def files_below(folder: Path, settings: Settings, stopped: Stopped) -> FilesOfFolder:
    """What ``--check`` takes of a folder, in its order. Raises StoppedError when told to stop."""

    def gate(text: bytes) -> bool:
        """Whether a text has kernels. Raises StoppedError when told to stop."""
        if stopped():
            raise StoppedError
        return has_kernels(text)

    found = collect([str(folder)], exclude=settings.exclude, gate=gate)
    errors = [each for each in found.problems if each.severity is Severity.ERROR]
    told = tuple(f"{each.path}: {each.message}" for each in errors if each.path != folder)
    return FilesOfFolder(tuple(found.files), told)
