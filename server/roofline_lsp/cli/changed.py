"""``--changed-since``: the files whose kernels may be others than they were at a revision."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Final

from roofline_analysis.project.paths import absolute
from roofline_analysis.project.projects import Projects
from roofline_core.program.regular_files import read_regular_file
from roofline_core.settings import OWN_FILE, PYTHON_SUFFIXES, SHARED_FILE, SOURCE_SUFFIXES
from roofline_lsp.cli.git import MOST_FILE_BYTES, Revision

_SUFFIXES: Final = SOURCE_SUFFIXES | PYTHON_SUFFIXES
_BUILD_FILES: Final = frozenset(
    {"CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "compile_commands.json"}
    | {OWN_FILE, SHARED_FILE}
)
_BUILD_SUFFIXES: Final = frozenset({".cmake", ".mk"})
_INCLUDE: Final = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)


def changed_files(files: list[Path], projects: Projects, since: Revision) -> list[Path]:
    """Those that changed, or whose program or headers did, in their order.

    Headers are known by the names that ``#include`` lines give them, and a build or settings file
    stands for everything below its folder, so that rather too much is checked than too little.
    """
    changed = _with_includers(files, since)
    return [file for file in files if _concerns(file, projects, changed)]


class _Changed:
    """Files that are not what they were, and folders in which nothing may be."""

    def __init__(self) -> None:
        self.files: set[Path] = set()
        self.folders: set[Path] = set()

    def holds(self, file: Path) -> bool:
        """Whether the file, or a folder above it, is among them."""
        return file in self.files or not self.folders.isdisjoint(file.parents)


def _with_includers(files: list[Path], since: Revision) -> _Changed:
    changed, includes = _Changed(), dict[Path, frozenset[str]]()
    here = {absolute(file) for file in files}
    tracked = {since.folder / path: path for path in since.blobs if _is_read(path)}
    for file in sorted(here | set(tracked)):
        path = tracked.get(file)
        if _is_build_file(file):
            if path is None or since.differs(path):
                changed.folders.add(file.parent)
        elif path is None or since.differs(path):
            changed.files.add(file)
        includes[file] = _included(file)
    names = {file.name for file in changed.files}
    while more := {
        file for file in includes.keys() - changed.files if not includes[file].isdisjoint(names)
    }:
        changed.files |= more
        names = {file.name for file in more}
    return changed


def _concerns(file: Path, projects: Projects, changed: _Changed) -> bool:
    units = projects.of(file).program(file)
    return any(changed.holds(absolute(unit)) for unit in (file, *units))


def _is_read(path: str) -> bool:
    name = PurePosixPath(path)
    return name.suffix.lower() in _SUFFIXES or _is_build_file(name)


def _is_build_file(path: PurePosixPath | Path) -> bool:
    return path.name in _BUILD_FILES or path.suffix in _BUILD_SUFFIXES


def _included(file: Path) -> frozenset[str]:
    """The last parts of the names that a file includes."""
    try:
        text = read_regular_file(file, MOST_FILE_BYTES)
    except OSError:
        return frozenset()
    found = (name.decode("utf-8", "replace") for name in _INCLUDE.findall(text))
    return frozenset(name.replace("\\", "/").rpartition("/")[2] for name in found)
