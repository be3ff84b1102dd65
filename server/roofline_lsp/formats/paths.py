"""Paths as the services that read reports want them: from the current folder, with slashes."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from roofline_analysis.project.paths import absolute


def shown_path(path: Path) -> str:
    """A path relative to the current folder if it is below it, else as it is; with slashes."""
    if path.is_absolute() and path.is_relative_to(here := absolute(Path())):
        return path.relative_to(here).as_posix()
    return path.as_posix()


def uri(path: Path) -> tuple[str, bool]:
    """A path as a URI reference, and whether it is relative to the current folder."""
    shown = shown_path(path)
    if not Path(shown).is_absolute():
        return quote(shown), True
    return Path(shown).as_uri(), False
