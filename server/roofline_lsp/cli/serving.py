"""``roofline-lsp --stdio``: the language server, which needs none of the command's options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roofline_core.settings import Layer, Settings
from roofline_lsp.server.session import main as session

if TYPE_CHECKING:
    from roofline_lsp.server.features.kernel_files import FilesOfFolder, Stopped


def serve(overrides: Layer | None = None) -> int:
    """Serve one session and return the exit code. ``overrides`` go before all other settings."""
    return session.run_stdio(overrides=overrides, find_files=_files_below)


def _files_below(folder: Path, settings: Settings, stopped: Stopped) -> FilesOfFolder:
    """``files_below``, imported when a client asks: no session needs it to begin."""
    from roofline_lsp.cli.workspace_files import files_below  # noqa: PLC0415

    return files_below(folder, settings, stopped)
