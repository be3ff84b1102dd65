"""Targets and folders of a CMake project, and the flags that a file of them is compiled with."""

from __future__ import annotations

import fnmatch
import os
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from roofline_parsers.preprocess.cmake.generator import evaluated
from roofline_parsers.preprocess.cmake.values import UNKNOWN, elements

_MOST_LINKED: Final = 200
"""The most libraries whose usage requirements one target takes."""
_LANGUAGES: Final = {".cu": "CUDA", ".cuh": "CUDA", ".hip": "HIP", ".c": "C"}
_DEFINITIONS: Final = "definitions"
_INCLUDES: Final = "includes"


@dataclass(frozen=True, slots=True)
class FlagEntry:
    """Definitions, options or include folders that one command adds."""

    kind: str
    """``definitions``, ``includes`` or ``options``."""
    text: str
    """A list, generator expressions unresolved."""
    folder: Path
    """What relative include folders are relative to."""
    when: frozenset[int] = frozenset()
    """The branches that it stands in of which nobody knows whether they are taken."""
    own: bool = True
    """Whether the target itself uses it: false for ``INTERFACE``."""
    passed_on: bool = False
    """Whether those that link the target use it: true for ``INTERFACE`` and ``PUBLIC``."""


@dataclass(slots=True)
class CMakeFolder:
    """A folder with a ``CMakeLists.txt``."""

    path: Path
    when: frozenset[int] = frozenset()
    entries: list[FlagEntry] = field(default_factory=list)
    flags: dict[str, str] = field(default_factory=dict)
    """``CMAKE_<LANGUAGE>_FLAGS`` at its end, the build type's included, by language."""
    nvcc_flags: str = ""
    """``CUDA_NVCC_FLAGS`` of the old ``FindCUDA``."""
    build: str = ""
    """``CMAKE_BUILD_TYPE``."""


@dataclass(slots=True)
class CMakeTarget:
    """A program or a library."""

    name: str
    folder: CMakeFolder
    when: frozenset[int] = frozenset()
    sources: list[str] = field(default_factory=list)
    """Absolute paths; those from ``file(GLOB ...)`` are patterns."""
    entries: list[FlagEntry] = field(default_factory=list)
    links: list[tuple[str, bool, bool]] = field(default_factory=list)
    """Libraries by name, whether the target itself uses them, and whether it passes them on."""

    def copied(self) -> CMakeTarget:
        """A copy that can be changed by itself."""
        sources, entries, links = [*self.sources], [*self.entries], [*self.links]
        return CMakeTarget(self.name, self.folder, self.when, sources, entries, links)

    def names(self, source: str) -> bool:
        """Whether a file, by its absolute path, is among the sources."""
        patterns = (name for name in self.sources if "*" in name or "?" in name)
        return source in self.sources or any(covers(name, source) for name in patterns)


class SourceIndex:
    """Which targets name a file, each in the order of the targets."""

    def __init__(self, targets: Iterable[CMakeTarget]) -> None:
        self._by_path: dict[str, list[CMakeTarget]] = {}
        self._with_patterns: list[CMakeTarget] = []
        for target in targets:
            if any("*" in name or "?" in name for name in target.sources):
                self._with_patterns.append(target)
            else:
                for name in dict.fromkeys(target.sources):
                    self._by_path.setdefault(name, []).append(target)

    def of(self, source: str) -> list[CMakeTarget]:
        """The targets of a file, by its absolute path; those with patterns come last."""
        by_pattern = (target for target in self._with_patterns if target.names(source))
        return [*self._by_path.get(source, ()), *by_pattern]


def covers(pattern: str, source: str) -> bool:
    """Whether a path, which may be a pattern of ``file(GLOB ...)``, is that of a file."""
    if pattern == source:
        return True
    if "*" not in pattern and "?" not in pattern:
        return False
    head, _, name = pattern.rpartition("/")
    folder, _, own = source.rpartition("/")
    if not fnmatch.fnmatchcase(own, name):
        return False
    if head.endswith("/**"):
        return f"{folder}/".startswith(head.removesuffix("**"))
    return fnmatch.fnmatchcase(folder, head) if head.count("/") == folder.count("/") else False


def language_of(source: Path) -> str:
    """CMake's name of a file's language."""
    return _LANGUAGES.get(source.suffix.lower(), "CXX")


def arguments_of(
    source: Path,
    folder: CMakeFolder,
    target: CMakeTarget | None,
    targets: dict[str, CMakeTarget],
    of_file: Iterable[FlagEntry],
) -> list[str]:
    """The compiler's arguments for a file, as far as they are known.

    Those of ``folder`` come first, then those of ``target`` and of what it links. ``of_file`` is
    what the project says of this file alone.
    """
    language = language_of(source)
    when = target.when if target is not None else folder.when
    found = [*shlex_split(folder.flags.get(language, ""))]
    if language == "CUDA":
        found += [word for each in elements(folder.nvcc_flags) for word in shlex_split(each)]
    entries = [*folder.entries]
    if target is not None:
        entries += [entry for entry in target.entries if entry.own]
        entries += _inherited(target, targets)
    entries += of_file
    for entry in entries:
        if entry.when <= when:
            found += _words(entry, language, folder.build)
    return [word for word in found if UNKNOWN not in word]


def shlex_split(text: str) -> list[str]:
    """A command line's words; by spaces where its quotes do not match."""
    try:
        return shlex.split(text) if '"' in text or "'" in text or "\\" in text else text.split()
    except ValueError:
        return text.split()


def _inherited(target: CMakeTarget, targets: dict[str, CMakeTarget]) -> Iterator[FlagEntry]:
    """What the libraries that a target links pass on, and those that they pass on."""
    waiting = [name for name, own, _ in target.links if own]
    seen = {target.name}
    while waiting and len(seen) < _MOST_LINKED:
        library = targets.get(waiting.pop(0))
        if library is None or library.name in seen:
            continue
        seen.add(library.name)
        yield from (entry for entry in library.entries if entry.passed_on)
        waiting += [name for name, _, passed_on in library.links if passed_on]


def _words(entry: FlagEntry, language: str, build: str) -> Iterator[str]:
    for item in elements(evaluated(entry.text, language, build)):
        if UNKNOWN in item:
            continue
        if entry.kind == _DEFINITIONS:
            definition = item.removeprefix("-D")
            if definition:
                yield f"-D{definition}"
        elif entry.kind == _INCLUDES:
            yield f"-I{os.path.normpath(entry.folder / item)}"
        else:
            yield from shlex_split(item.removeprefix("SHELL:")) if " " in item else [item]
