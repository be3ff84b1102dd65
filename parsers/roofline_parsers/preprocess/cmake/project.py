"""A CMake project executed abstractly: folders, targets, and the flags of each file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from roofline_parsers.preprocess.cmake.interpreter import Interpreter
from roofline_parsers.preprocess.cmake.state import GuardedArgument
from roofline_parsers.preprocess.cmake.syntax import CMakeArgument, CommandBlock, Node
from roofline_parsers.preprocess.cmake.targets import (
    CMakeFolder,
    CMakeTarget,
    SourceIndex,
    arguments_of,
    covers,
)
from roofline_parsers.preprocess.result import Reader

LISTS: Final = "CMakeLists.txt"
_PROJECT: Final = re.compile(rb"^[ \t]*project[ \t]*\(", re.IGNORECASE | re.MULTILINE)
_MOST_RUNS: Final = 3
"""How often options may be switched on that a file's target needs."""


@dataclass(frozen=True, slots=True)
class FileInProject:
    """What a project says of one file."""

    arguments: tuple[str, ...]
    """The compiler's arguments that matter to its text, as far as they are known."""
    named: bool
    """Whether a target has the file; otherwise the arguments are those of its folder."""


class CMakeProject:
    """The project of a top-level ``CMakeLists.txt``. Never raises on what build files say.

    What it says of a file does not depend on the files that it was asked about before.
    """

    def __init__(self, top: Path, reader: Reader) -> None:
        """``top`` is the folder; ``reader`` gives all files and decides which may be read."""
        self._top = top
        self._probed: set[Path] = set()
        self._runs: dict[frozenset[str], Interpreter] = {}
        """By the options that are switched on."""
        self._run = self._executed(reader)
        self._index = SourceIndex(self._run.targets.values())
        self._resumed: tuple[Path, Interpreter] | None = None
        """The last folder that was entered besides, and the run that did."""
        self._more_limits: dict[str, None] = {}
        """Those of all such runs."""

    @property
    def limits(self) -> tuple[str, ...]:
        """What was not read because there was too much of it, in words; usually nothing."""
        found = dict.fromkeys(limit for run in self._runs.values() for limit in run.limits)
        return tuple(found | self._more_limits)

    @property
    def probed(self) -> Set[Path]:
        """Every file that was read or looked for in vain."""
        return self._probed

    def rests_on(self, path: Path) -> bool:
        """Whether a file was read, or looked for in vain."""
        return path in self._probed

    def file(self, source: Path, reader: Reader) -> FileInProject | None:
        """The arguments of a file, by its absolute path; None if no folder of the project has it.

        A target that stands behind options which are off by default (``if(USE_CUDA)``) is taken
        with these options on, and a folder that is not entered as if it were: whoever asks about
        the file builds it. A file that no target names is compiled as the first target of its
        folder.
        """
        run, given = self._run, frozenset[str]()
        target = self._target_of(source, run)
        inside = source.parent in run.folders
        for _ in range(_MOST_RUNS):
            wanted = _needed_options(source, run, by_name=inside) - given
            if target is not None or not wanted:
                break
            given |= wanted
            run = self._executed(reader, given)
            target = self._target_of(source, run)
        if target is None:
            entered = self._entered(source, reader)
            if entered is None:
                return None
            run, target = entered, self._target_of(source, entered)
        if target is not None:
            return FileInProject(_arguments(source, run, target, target.folder), named=True)
        folder = next((run.folders[up] for up in source.parents if up in run.folders), None)
        if folder is None:
            return None
        there = (each for each in run.targets.values() if each.folder is folder and each.sources)
        first = next(there, None)
        said = folder.entries or run.configured or any(folder.flags.values())
        if first is None and not said:
            return None
        return FileInProject(_arguments(source, run, first, folder), named=False)

    def _target_of(self, source: Path, run: Interpreter) -> CMakeTarget | None:
        """The first target that has a file, a certain one before one that may not be there."""
        name = str(source)
        found = self._index.of(name)
        if run is not self._run:
            found = [each for each in found if run.shares(each)]
            own = (each for each in run.targets.values() if not run.shares(each))
            found += [each for each in own if each.names(name)]
        return min(found, key=lambda each: len(each.when), default=None)

    def _executed(self, reader: Reader, given: frozenset[str] = frozenset()) -> Interpreter:
        """A run with options switched on."""
        found = self._runs.get(given)
        if found is None:
            options = dict.fromkeys(sorted(given), "ON")
            found = self._runs[given] = Interpreter(self._top, self._watching(reader), options)
            found.folder(self._top)
        return found

    def _entering(self, folder: Path, reader: Reader) -> Interpreter:
        """The run without options, which enters a folder in the end."""
        if self._resumed is None or self._resumed[0] != folder:
            run = self._run.copied(self._watching(reader))
            outer = next((each for each in folder.parents if each in run.folders), None)
            if outer is not None:
                run.resume(outer, folder)
            self._more_limits |= run.limits
            self._resumed = folder, run
        return self._resumed[1]

    def _watching(self, reader: Reader) -> Reader:
        """A reader that notes which files the project asks for."""
        return partial(_watched, self._probed, reader)

    def _entered(self, source: Path, reader: Reader) -> Interpreter | None:
        """A run that enters the nearest folder above a file; None if that is another project."""
        for above in source.parents:
            if above in self._run.folders:
                return self._run
            if above == self._top:
                break
            self._probed.add(above / LISTS)
            text = reader(above / LISTS)
            if text is not None:
                # One with ``project()`` that is not entered is built by itself.
                return None if _PROJECT.search(text) else self._entering(above, reader)
        return None


def _watched(probed: set[Path], reader: Reader, path: Path) -> bytes | None:
    """The bytes of a file, and a note that they were asked for."""
    probed.add(path)
    return reader(path)


def _arguments(
    source: Path, run: Interpreter, target: CMakeTarget | None, folder: CMakeFolder
) -> tuple[str, ...]:
    own = [entry for name, entry in run.of_files if covers(name, str(source))]
    return tuple(arguments_of(source, folder, target, run.targets, [*run.configured, *own]))


def _needed_options(source: Path, run: Interpreter, *, by_name: bool) -> frozenset[str]:
    """The options that are off and guard commands which lead to a file's folder.

    ``by_name``: also those that guard commands which name the file.
    """
    wanted: set[str] = set()
    name = str(source)
    for options, enters, text, path in _guarded(run):
        leads = enters and name.startswith(f"{path}/")
        if leads or (by_name and _names(text, path, name)):
            wanted |= options
    return frozenset(wanted)


def _guarded(run: Interpreter) -> list[GuardedArgument]:
    """What options that are off guard: the arguments of commands that matter."""
    if run.guarded is None:
        run.guarded = []
        for options, folder, body in run.switched_off:
            for command, text in _texts(body):
                path = os.path.normpath(folder / text)
                enters = command == "add_subdirectory" and path.startswith(f"{folder}/")
                run.guarded.append((options, enters, text, path))
    return run.guarded


def _names(text: str, path: str, source: str) -> bool:
    if path == source or source.endswith(f"/{text.rpartition('/')[2]}"):
        return True
    return "*" in text and covers(path, source)


def _texts(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """The arguments of commands that make targets, gather files or enter folders."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, CommandBlock):
            waiting += [each for _, body in node.clauses for each in body]
        elif "add_" in node.name or node.name in {"file", "set", "list", "target_sources"}:
            yield from ((node.name, _plain(each)) for each in node.arguments)


def _plain(argument: CMakeArgument) -> str:
    for name in ("CMAKE_CURRENT_SOURCE_DIR", "CMAKE_CURRENT_LIST_DIR"):
        argument = CMakeArgument(argument.text.removeprefix(f"${{{name}}}/"))
    return argument.text
