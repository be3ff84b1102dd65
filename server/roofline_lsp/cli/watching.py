"""``--watch``: the check again whenever a file changes. The system tells; nothing is polled."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from roofline_core.program.errors import RooflineError
from roofline_core.settings import PYTHON_SUFFIXES, SKIPPED_FOLDERS, SOURCE_SUFFIXES
from roofline_core.text.units import counted
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.paths import common_folder

_SUFFIXES: Final = (
    SOURCE_SUFFIXES | PYTHON_SUFFIXES | {".toml", ".json", ".txt", ".cmake", ".mk", ""}
)
"""Sources, settings, and build files: ``Makefile`` has no suffix."""
_CLEAR: Final = "\x1b[H\x1b[2J"

Changes = Iterable[object]
"""One item for each time that something changed; ends when the person has enough."""


class WatchError(RooflineError):
    """What cannot be watched."""


def watch(paths: Sequence[str], check: Callable[[], int], changes: Changes | None = None) -> int:
    """Check, and check again after each change, until Ctrl-C. Raises WatchError.

    ``changes`` is for tests. What goes wrong in one check is told, and the next one follows.
    """
    folder = common_folder(paths)
    happened = changes if changes is not None else _changes(folder)
    _told(check)
    print(f"roofline-lsp: watching {folder}; end with Ctrl-C", file=sys.stderr)
    for number, _ in enumerate(happened, 2):
        if sys.stdout.isatty():
            escape = getattr(sys.stdout, "escape", "\x1b[")
            sys.stdout.write(_CLEAR.replace("\x1b[", escape))
        _told(check)
        print(f"roofline-lsp: {counted(number, 'check')}; waiting for changes", file=sys.stderr)
    return OK


def _told(check: Callable[[], int]) -> None:
    try:
        check()
    except RooflineError as error:
        print(f"roofline-lsp: {error}", file=sys.stderr)


def is_watched(path: str) -> bool:
    """Whether a change of a file may change a report."""
    file = Path(path)
    return file.suffix.lower() in _SUFFIXES and SKIPPED_FOLDERS.isdisjoint(file.parts)


def _changes(folder: Path) -> Changes:
    try:
        import watchfiles  # noqa: PLC0415 - an extra
    except ImportError:
        raise WatchError(
            "--watch needs the package watchfiles: pip install 'roofline-lsp[watch]'"
        ) from None
    return watchfiles.watch(
        folder, watch_filter=lambda _, path: is_watched(path), raise_interrupt=True
    )
