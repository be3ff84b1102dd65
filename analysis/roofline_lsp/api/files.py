"""Which files make up a program, and reading them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

Reader = Callable[[Path], bytes | None]
"""Gives a file's bytes, or None where it cannot be read."""

UNIT_SUFFIXES: Final = frozenset((".cu", ".cpp", ".cc", ".cxx", ".c", ".hip"))
"""Files that are compiled by themselves; others are read where they are included."""
DEVICE_SUFFIXES: Final = frozenset((".cu", ".hip"))
"""Files that a device compiler takes as such; of two like programs theirs is the one meant."""
HEADER_SUFFIXES: Final = frozenset((".cuh", ".h", ".hpp", ".hxx", ".hh", ".inl", ".tpp"))
_MAIN: Final = re.compile(rb"\bmain\s*\(")
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


def programs(paths: Sequence[Path], reader: Reader) -> list[list[Path]]:
    """Group files into the programs they are linked into.

    The files of a folder are one program; a folder without a ``main`` belongs to the nearest
    folder above that has one. Where a folder has several, each makes a program with the files
    that have none.
    """
    folders: dict[Path, list[Path]] = {}
    for path in paths:
        folders.setdefault(path.parent, []).append(path)
    mains: dict[Path, list[Path]] = {}
    for folder, files in folders.items():
        units = [path for path in files if path.suffix.lower() in UNIT_SUFFIXES]
        mains[folder] = [path for path in units if has_main(reader(path) or b"")]
    for folder in sorted(folders, key=lambda f: -len(f.parts)):
        if mains[folder]:
            continue
        for above in folder.parents:
            if mains.get(above):
                folders[above].extend(folders.pop(folder))
                break
    result = []
    for folder, files in sorted(folders.items()):
        starts = mains[folder]
        if len(starts) <= 1:
            result.append(_units_first(files))
            continue
        starts = sorted(starts, key=lambda path: path.suffix.lower() not in DEVICE_SUFFIXES)
        rest = [path for path in files if path not in starts]
        result.extend(_units_first([start, *rest]) for start in starts)
    return result


def _units_first(files: Sequence[Path]) -> list[Path]:
    units = [path for path in files if path.suffix.lower() in UNIT_SUFFIXES]
    return units + [path for path in files if path not in units]
