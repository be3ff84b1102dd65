"""Which documents are GPU sources, and the file that stands for a document's URI."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from roofline_core.settings import KERNEL_SUFFIXES, PYTHON_SUFFIXES, SOURCE_SUFFIXES
from roofline_parsers.reading.gate import has_kernels

WATCHED_SUFFIXES = SOURCE_SUFFIXES | PYTHON_SUFFIXES
"""Files that can be part of a GPU program."""

DATA_SUFFIXES = frozenset(
    (".txt", ".dat", ".data", ".in", ".inp", ".csv", ".bin", ".raw", ".mtx", ".graph", ".cfg")
)
"""Files that programs often read their sizes from."""

BUILD_FILE_GLOBS = (
    "**/{CMakeLists.txt,*.cmake,compile_commands.json}",
    "**/{GNUmakefile,makefile,Makefile,Makefile.*,*.mk}",
)
"""Files that say which macros and folders sources are compiled with."""

_LANGUAGES = {
    "cuda": ".cu",
    "cuda-cpp": ".cu",
    "hip": ".hip",
    "opencl": ".cl",
    "cpp": ".cpp",
    "c++": ".cpp",
    "c": ".c",
    "python": ".py",
}
"""The languages that clients send, and the suffix of a file of each."""

_DEVICE_LANGUAGES = frozenset({"cuda", "cuda-cpp", "hip", "opencl"})


def watched(paths: Iterable[Path], rests_on: Collection[str]) -> list[Path]:
    """Of files that changed on disk, those that may change a report: other data files do not.

    ``rests_on`` has the real paths of the files that reports rest on.
    """
    return [
        path
        for path in paths
        if path.suffix.lower() not in DATA_SUFFIXES or os.path.realpath(path) in rests_on
    ]


def is_source(path: Path, language: str) -> bool:
    """Whether a document may hold kernels; by its name too, as some clients send ``cpp``."""
    return path.suffix.lower() in WATCHED_SUFFIXES or language in _LANGUAGES


def may_hold_kernels(path: Path, language: str, text: str) -> bool:
    """Whether to analyse a source: plain C, C++ and Python only if it shows a kernel or launch."""
    suffix = path.suffix.lower()
    if suffix in KERNEL_SUFFIXES or language in _DEVICE_LANGUAGES:
        return True
    if suffix in PYTHON_SUFFIXES or language == "python":
        return "pyopencl" in text
    return has_kernels(text.encode())


def path_of(uri: str, language: str = "") -> Path:
    """The path of a document: that of its file, or a made-up one with a telling suffix.

    A made-up path exists nowhere, so such a document is a program by itself.
    """
    parts = urlsplit(uri)
    if parts.scheme == "file":
        # A stray '?' belongs to the name: file URIs have no query. '#' is always quoted by clients.
        raw = parts.path + (f"?{parts.query}" if parts.query else "")
        host = f"//{parts.netloc}" if parts.netloc not in {"", "localhost"} else ""
        return Path(url2pathname(host + raw))
    name = PurePosixPath(unquote(parts.path)).name or "document"
    path = Path("untitled", parts.scheme or "unknown", name)
    wanted = _LANGUAGES.get(language)
    return path.with_name(name + wanted) if wanted and path.suffix != wanted else path


def is_file(uri: str) -> bool:
    """Whether a document is a file, saved or not, and not only in the client's memory."""
    return urlsplit(uri).scheme == "file"


def uri_of(path: Path) -> str | None:
    """The URI of a file, None for a made-up path."""
    return path.as_uri() if path.is_absolute() else None
