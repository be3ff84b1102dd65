"""A folder of programs: which files each is made of, and how it is run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from roofline_analysis.project.files import UNIT_SUFFIXES, read_file
from roofline_analysis.project.programs import programs
from roofline_analysis.project.project import ProjectIndex

_MAKEFILES = ("Makefile", "GNUmakefile", "makefile", "Makefile.nvc", "Makefile.aomp")
_ELSEWHERE = re.compile(r"(?:\.\./)+[\w./-]+\.(?:cu|cpp|cc|cxx|c|hip)\b")
_RUN = re.compile(r"^run\s*:[^\n]*\n((?:\t[^\n]*\n?)+)", re.MULTILINE)
_VARIABLE = re.compile(r"\$[({](\w+)[)}]")
_ASSIGNED = re.compile(r"^[ \t]*(\w+)[ \t]*[:?]?=[ \t]*(.*)$", re.MULTILINE)


def program_folders(directory: Path, suffix: str = "") -> list[Path]:
    """The folders below ``directory`` that hold a program, by name; ``suffix`` ends the name."""
    return sorted(
        folder
        for folder in directory.iterdir()
        if folder.is_dir() and folder.name.endswith(suffix)
        if any(path.suffix in UNIT_SUFFIXES for path in folder.rglob("*"))
    )


def executables(folder: Path) -> Iterator[list[Path]]:
    """The files compiled into each program of a folder, those in the folder itself first.

    What the Makefile takes from folders beside it is added; headers are left to be included.
    """
    units = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in UNIT_SUFFIXES and path.is_file()
    )
    makefile = _makefile(folder)
    named = _ELSEWHERE.findall(_expanded(makefile, dict(_ASSIGNED.findall(makefile))))
    elsewhere = dict.fromkeys((folder / name).resolve() for name in named)
    extra = [path for path in elsewhere if path.is_file()]
    for files, _ in programs(units, ProjectIndex(None, files=[*units, *extra])):
        # The Makefile beside the first file counts, so the program's own come first.
        yield sorted(files, key=lambda path: folder not in path.parents)


def takes_files_from_beside(folder: Path) -> bool:
    """Whether the Makefile names files or folders beside the program's own."""
    return re.search(r"\.\./[\w-]", _makefile(folder)) is not None


def run_arguments(folder: Path) -> tuple[str, ...] | None:
    """The arguments of the Makefile's ``make run``, None where there is no such target.

    The first command of the recipe counts, up to a redirection, pipe or next command.
    """
    makefile = _makefile(folder)
    target = _RUN.search(makefile)
    if target is None:
        return None
    values = {"LAUNCHER": "", **dict(_ASSIGNED.findall(makefile))}
    recipe = re.sub(r"\\\n\s*", " ", target[1])
    for line in recipe.splitlines():
        command = line.strip().lstrip("@-")
        command = _expanded(command, values)
        try:
            words = shlex.split(command)
        except ValueError:
            words = command.split()
        start = next((i for i, word in enumerate(words) if word.startswith("./")), None)
        if start is None:
            continue
        given: list[str] = []
        for word in words[start + 1 :]:
            if re.match(r"[<>|;&]|\d>", word):
                break
            given.append(word)
        return tuple(given)
    return None


def _expanded(text: str, values: Mapping[str, str]) -> str:
    """A Makefile's text with its variables' values; unknown ones become empty."""
    for _ in range(3):
        text = _VARIABLE.sub(lambda found: values.get(found[1], "").strip(), text)
    return text


def _makefile(folder: Path) -> str:
    for name in _MAKEFILES:
        text = read_file(folder / name)
        if text is not None:
            return text.decode("utf-8", "replace")
    return ""
