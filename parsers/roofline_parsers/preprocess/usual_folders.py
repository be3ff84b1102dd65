"""Where projects keep their headers: for an ``#include`` that no option leads to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

_NAMES: Final = ("", "include", "inc", "src", "csrc", "lib", "common", "Common", "common/inc")
"""Folders of headers, below the project's folder or that of one of its parts; the usual ones."""
_MAX_LEVELS: Final = 12


def usual_folders(folder: str, root: str) -> Iterator[str]:
    """The folders of headers of a file's folder and of those above it, up to the project's."""
    for _ in range(_MAX_LEVELS):
        if folder != root and not folder.startswith(root.rstrip("/") + "/"):
            return
        for name in _NAMES:
            yield f"{folder.rstrip('/')}/{name}"
        if folder == root:
            return
        folder = os.path.dirname(folder)  # noqa: PTH120 - paths are text here, for speed
