"""Which files make up a program, and reading them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

Reader = Callable[[Path], bytes | None]
"""Gives a file's bytes, or None where it cannot be read."""

UNIT_SUFFIXES: Final = frozenset((".cu", ".cpp", ".cc", ".cxx", ".c", ".hip", ".cl", ".py"))
"""Files that are compiled by themselves; others are read where they are included."""
DEVICE_SUFFIXES: Final = frozenset((".cu", ".hip"))
"""Files that a device compiler takes as such; of two like programs theirs is the one meant."""
HEADER_SUFFIXES: Final = frozenset(
    (".cuh", ".h", ".hpp", ".hxx", ".hh", ".inl", ".inc", ".tpp", ".ipp", ".clh")
)
_MAIN: Final = re.compile(rb"main(?<!\wmain)\s*\(")
_MAX_SIBLINGS: Final = 128
_MAX_BYTES: Final = 16 * 2**20


def read_file(path: Path) -> bytes | None:
    """The bytes of a regular file of at most 16 MiB, or None."""
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return None
        return path.read_bytes()
    except OSError:
        return None


def has_main(source: bytes) -> bool:
    """Whether a file seems to define ``main``."""
    return _MAIN.search(source) is not None


def siblings(path: Path) -> tuple[Path, ...]:
    """The source files beside a file, itself left out, by name; empty if it is not on disk."""
    try:
        found = sorted(
            entry
            for entry in path.parent.iterdir()
            if entry.suffix.lower() in UNIT_SUFFIXES and entry.name != path.name
        )
    except OSError:
        return ()
    return tuple(found[:_MAX_SIBLINGS])
