"""A folder of programs: which files each is made of, and how it is run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from roofline_lsp.api.files import UNIT_SUFFIXES, programs, read_file

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
    """The files compiled into each program of a folder, those with a ``main`` first.

    What the Makefile takes from folders beside it is added; headers are left to be included.
    """
    units = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in UNIT_SUFFIXES and path.is_file()
    )
    makefile = _makefile(folder)
    elsewhere = dict.fromkeys((folder / name).resolve() for name in _ELSEWHERE.findall(makefile))
    extra = [path for path in elsewhere if path.is_file()]
    for files in programs(units, read_file):
        names = {path.name for path in files}
        yield files + [path for path in extra if path.name not in names]


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
        for _ in range(4):
            command = _VARIABLE.sub(lambda found: values.get(found[1], "").strip(), command)
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


def _makefile(folder: Path) -> str:
    for name in _MAKEFILES:
        text = read_file(folder / name)
        if text is not None:
            return text.decode("utf-8", "replace")
    return ""
