"""Which files are GPU sources, by name."""

from __future__ import annotations

KERNEL_SUFFIXES = frozenset({".cu", ".cuh"})
"""Suffixes of CUDA sources; a file of them that holds no kernel is still part of its program."""

HOST_SUFFIXES = frozenset(
    {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hip", ".hpp", ".hxx", ".inc", ".inl"}
)
"""Suffixes of files that may hold kernels or host code, to be told by what is in them."""

SOURCE_SUFFIXES = KERNEL_SUFFIXES | HOST_SUFFIXES
"""Suffixes of everything that can be part of a GPU program."""

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
