"""Reading source files, and the kinds of files in a program."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from roofline_core.program.regular_files import read_regular_file

Reader = Callable[[Path], bytes | None]
"""Gives a file's bytes, or None where it cannot be read."""

UNIT_SUFFIXES: Final = frozenset(
    (".cu", ".cpp", ".cc", ".cxx", ".c", ".hip", ".cl", ".ocl", ".opencl", ".py")
)
"""Files that are compiled by themselves; others are read where they are included."""
DEVICE_SUFFIXES: Final = frozenset((".cu", ".hip"))
"""Files of device compilers; preferred if two programs of a folder are otherwise equal."""
HEADER_SUFFIXES: Final = frozenset(
    (".cuh", ".h", ".hpp", ".hxx", ".hh", ".inl", ".inc", ".tpp", ".ipp", ".clh")
)
_MAIN: Final = re.compile(rb"main(?<!\wmain)\s*\(")
_CONDITION: Final = re.compile(
    rb"^[ \t]*#[ \t]*(if|else|elif|endif)(?:(?:def[ \t]+|[ \t]+defined[ \t]*\(?[ \t]*)(\w+))?",
    re.MULTILINE,
)
"""A conditional directive, and the name that it asks to be defined."""
_MAX_SIBLINGS: Final = 128
"""The most files of one folder that are taken."""
_MAX_BYTES: Final = 16 * 2**20
"""The largest file that is read."""


def read_file(path: Path) -> bytes | None:
    """The bytes of a regular file of at most 16 MiB, or None."""
    try:
        return read_regular_file(path, _MAX_BYTES)
    except (OSError, ValueError):  # ValueError: a null character in the name
        return None


def has_main(source: bytes) -> bool:
    """Whether a file seems to define ``main``.

    A ``main`` inside ``#ifdef NAME``, where the file does not define ``NAME`` (``UNIT_TEST``),
    does not count: it belongs to a test with a build of its own.
    """
    return any(not _awaits_a_name(source, each.start()) for each in _MAIN.finditer(source))


def _awaits_a_name(source: bytes, end: int) -> bool:
    """Whether a place is compiled only with a name that is neither the file's nor a compiler's."""
    awaited: list[bytes | None] = []
    for directive in _CONDITION.finditer(source, 0, end):
        kind, name = directive[1], directive[2]
        if kind == b"if":
            awaited.append(name)
        elif awaited:
            awaited.pop()
            if kind != b"endif":
                awaited.append(None)
    return any(
        name
        and not name.startswith(b"_")
        and not re.search(rb"#[ \t]*define[ \t]+%b\b" % name, source)
        for name in awaited
    )


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
