"""How far files are from one another: of like names the nearest is meant."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_HEADERS: Final = frozenset((".h", ".hpp", ".cuh", ".hh", ".inl", ".hxx"))


def distance(path: Path, near: Path | None) -> int:
    """How far a file is from another: the same, one of its kind beside it, beside it, elsewhere."""
    if path == near or near is None:
        return 0
    if path.parent != near.parent:
        return 4 - (path.suffix == near.suffix)
    # A program may be kept in two languages side by side.
    return 1 if path.suffix == near.suffix or path.suffix in _HEADERS else 2
