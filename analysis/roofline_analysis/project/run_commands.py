"""Command lines of a program that its project tells: Makefile, CMake's tests, README.

They are offered to a person and never taken by themselves, for a verdict rests on what sources and
settings say. Nothing is run.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from roofline_analysis.project.files import Reader
from roofline_analysis.project.paths import absolute, marked_root
from roofline_analysis.project.readable import levels
from roofline_core.program.records import record
from roofline_parsers.preprocess.makefiles import Makefile

_MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile")
_READMES: Final = ("README.md", "README", "README.txt", "README.rst", "readme.md")
_LISTS: Final = "CMakeLists.txt"
_USUAL: Final = frozenset({"main", "a.out"})
_MOST_BYTES: Final = 1 << 20
_MOST_ARGUMENTS: Final = 32
_PLAIN: Final = re.compile(r"[\w./=+,:@%-]+", re.ASCII)
"""An argument that means the same to every shell, and is no placeholder such as ``<n>``."""
_SHOWN: Final = re.compile(
    r"[ \t>$`]*((?:\./|\.\./|build/|bin/)[\w./-]+(?:[ \t]+[^\n`]*)?)`?[ \t]*"
)
"""A line, or a span of code, that runs a program by its path."""
_SPANS: Final = re.compile(r"`([^`\n]+)`")
_TEST: Final = re.compile(r"\badd_test\s*\(([^()]*)\)", re.IGNORECASE)
_EXECUTABLE: Final = re.compile(r"\badd_executable\s*\(\s*([\w.-]+)([^()]*)\)", re.IGNORECASE)
_CMAKE_COMMENT: Final = re.compile(r"#[^\n]*")
_TARGET_FILE: Final = re.compile(r"\$<TARGET_FILE:([\w.-]+)>")
_OUTPUT: Final = re.compile(r"\s\d>|[|;&<>]")


@record(frozen=True, slots=True)
class RunCommand:
    """A command that runs a program with arguments."""

    program: str
    """The last part of its path."""
    args: tuple[str, ...]
    where: str
    """``Makefile's run``, ``README.md``, ``CMakeLists.txt's test saxpy_small``."""
    path: Path


def offered_command(main: Path, reader: Reader) -> RunCommand | None:
    """A command with arguments for the program whose ``main`` stands in a file; None: none found.

    The program must be called as the file or its folder, in the file's own folder also ``main`` or
    ``a.out``. The only one that a Makefile there runs may have any name.
    """
    file = absolute(main)
    names = {file.stem, file.parent.name}
    for folder in levels(file.parent, marked_root(file.parent)):
        own = folder == file.parent
        found = list(_commands(folder, file, reader))
        usual = {*names, *_USUAL} if own else names
        named = [each for each in found if each.program in usual]
        if named:
            return named[0]
        made = [each for each in found if each.path.name in _MAKEFILES]
        if own and len({each.program for each in made}) == 1:
            return made[0]
    return None


def _commands(folder: Path, main: Path, reader: Reader) -> Iterator[RunCommand]:
    for name in _MAKEFILES:
        text = _text(folder / name, reader)
        if text is not None:
            makefile = Makefile(text.encode(), folder, reader)
            for target, line in makefile.runs():
                yield from _read((line,), f"{name}'s {target}", folder / name)
            break
    lists = _text(folder / _LISTS, reader)
    if lists is not None:
        yield from _tests(lists, main, folder / _LISTS)
    for name in _READMES:
        shown = _text(folder / name, reader)
        if shown is not None:
            lines = (*shown.split("\n"), *_SPANS.findall(shown))
            matches = (_SHOWN.fullmatch(line) for line in lines)
            yield from _read((each[1] for each in matches if each), name, folder / name)
            break


def _text(path: Path, reader: Reader) -> str | None:
    data = reader(path)
    return None if data is None or len(data) > _MOST_BYTES else data.decode("utf-8", "replace")


def _read(lines: Iterable[str], where: str, path: Path) -> Iterator[RunCommand]:
    """The lines that run a program by its path with arguments of plain words."""
    for line in lines:
        words = _words(_OUTPUT.split(line.lstrip("@- "), maxsplit=1)[0])
        while words and "=" in words[0] and not words[0].startswith("."):
            del words[0]  # variables of the environment
        if len(words) < 2 or "/" not in words[0] or _OUTPUT.match(words[-1]):
            continue
        if len(words) <= _MOST_ARGUMENTS and all(_is_given(word) for word in words[1:]):
            yield RunCommand(PurePosixPath(words[0]).name, tuple(words[1:]), where, path)


def _is_given(word: str) -> bool:
    return _PLAIN.fullmatch(word) is not None and "..." not in word


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return []


def _tests(text: str, main: Path, path: Path) -> Iterator[RunCommand]:
    """CMake's tests of the executable that is made of a file."""
    text = _CMAKE_COMMENT.sub("", text)
    made = {
        name
        for name, sources in _EXECUTABLE.findall(text)
        if any(PurePosixPath(word).name == main.name for word in sources.split())
    }
    for inner in _TEST.findall(text):
        name, words = "", _words(_TARGET_FILE.sub(r"\1", inner))
        if words[:1] == ["NAME"] and "COMMAND" in words:
            name, words = words[1], words[words.index("COMMAND") + 1 :]
        elif words:
            name, words = words[0], words[1:]
        known = words and PurePosixPath(words[0]).name in made
        if known and len(words) > 1 and all(_is_given(word) for word in words[1:]):
            program = main.stem  # whatever its target is called, it is this file's
            yield RunCommand(program, tuple(words[1:]), f"{_LISTS}'s test {name}", path)
