"""Which files are GPU sources, by name."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence, Set
from pathlib import Path

from roofline_core.program.units import OPENCL_SUFFIXES

KERNEL_SUFFIXES = frozenset({".cu", ".cuh", ".hip"}) | OPENCL_SUFFIXES
"""Suffixes of CUDA, HIP and OpenCL; a file of them without a kernel is still of its program."""

HOST_SUFFIXES = frozenset(
    {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".tpp"}
)
"""Suffixes of files that may hold kernels or host code, to be told by what is in them."""

PYTHON_SUFFIXES = frozenset({".py"})
"""Suffixes of host code in Python, of which only that with PyOpenCL is of interest."""

SOURCE_SUFFIXES = KERNEL_SUFFIXES | HOST_SUFFIXES
"""Suffixes of everything in C and its relatives that can be part of a GPU program."""

SKIPPED_FOLDERS = frozenset(
    {
        ".cache",
        ".git",
        ".hg",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "CMakeFiles",
        "__pycache__",
        "build",
        "dist",
        "node_modules",
        "venv",
    }
)
"""Folders of version control, virtual environments, caches and builds, never walked into."""


def fits(path: Path, pattern: str) -> bool:
    """Whether a pattern matches a file's name or, if it has a slash, the end of its path."""
    if "/" not in pattern:
        return fnmatch.fnmatchcase(path.name, pattern)
    whole = path.as_posix()
    tail = pattern.removeprefix("./")
    return fnmatch.fnmatchcase(whole, tail) or fnmatch.fnmatchcase(whole, f"*/{tail}")


def is_excluded(path: Path, folder: Path, patterns: Sequence[str]) -> bool:
    """Whether settings leave out a path below a folder.

    A pattern with a slash is matched against the path below it, one without against the name.
    """
    below = path.relative_to(folder).as_posix()
    for pattern in (each.removesuffix("/") for each in patterns):
        subject = below if "/" in pattern else path.name
        if fnmatch.fnmatchcase(subject, pattern.removeprefix("./")):
            return True
    return False


def is_reported_with(path: Path, members: Set[Path]) -> bool:
    """Whether a file's kernels are reported with these files of a program.

    It is one of them, or no source by its suffix, so that only what includes it is analysed.
    """
    return path in members or path.suffix.lower() not in SOURCE_SUFFIXES | PYTHON_SUFFIXES
