"""What a build compiles, and how: compilers that write down their command lines."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

_SOURCES: Final = (".cu", ".cpp", ".cc", ".cxx", ".c", ".C")
_OTHER_COMPILERS: Final = ("g++", "gcc", "c++", "cc", "clang++", "clang")
_QUIET: Final = "ROOFLINE_RECORDED"
"""Set while a recorded compiler runs: what it starts itself is not recorded."""
_LOG: Final = "commands"
_SCRIPT: Final = """\
#!/bin/sh
if [ -z "${quiet}" ]; then
    printf '%s\\0' "$PWD" "$@" '' >> {log}
    {quiet}=1; export {quiet}
fi
{change}exec {real} "$@"
"""
_NEWER: Final = """\
for word in "$@"; do
    case $word in
        -std=c++1[14] | --std=c++1[14]) word=-std=c++17 ;;
        c++1[14]) word=c++17 ;;
    esac
    set -- "$@" "$word"
    shift
done
"""
_OLDER_CPP: Final = 'set -- -std=gnu++98 "$@"\n'
_OLDER_C: Final = 'set -- -fcommon "$@"\n'
_LIBRARIES: Final = """\
for word in "$@"; do
    case $word in
        -lOpenCL) set -- -Wl,--no-as-needed "$@"; break ;;
    esac
done
"""
"""Older Makefiles name libraries before what needs them, which today's linkers then leave out."""


@dataclass(frozen=True, slots=True)
class Compilation:
    """One run of a compiler."""

    directory: str
    arguments: tuple[str, ...]
    """Without the compiler's name."""

    @property
    def sources(self) -> tuple[Path, ...]:
        """The sources that it compiles."""
        given = zip(("", *self.arguments), self.arguments, strict=False)
        words = [word for before, word in given if before not in ("-o", "-include", "-MF", "-MT")]
        names = [word for word in words if word.endswith(_SOURCES) and not word.startswith("-")]
        paths = (Path(os.path.normpath(Path(self.directory) / name)) for name in names)
        return tuple(path for path in paths if path.is_file())


class Standard(Enum):
    """Another standard of C++ than the one that a build asks for."""

    NEWER = "C++17 for C++11 and C++14"
    """In device code."""
    OLDER = "C++98 where none is asked for, and C as before GCC 10"
    """In host code."""


def write_recorders(
    held: Path, environment: Mapping[str, str], standard: Standard | None
) -> dict[str, str]:
    """Write compilers that record into a folder, and return the environment that finds them.

    They call those of ``environment``.
    """
    newer = _NEWER if standard is Standard.NEWER else ""
    nvcc = _write(held, "nvcc", environment["CUDACXX"], newer)
    if (hipcc := shutil.which("hipcc", path=environment["PATH"])) is not None:
        _write(held, "hipcc", hipcc, newer)
    for name in _OTHER_COMPILERS:
        if (real := shutil.which(name, path=environment["PATH"])) is not None:
            older = _OLDER_CPP if name.endswith("++") else _OLDER_C
            change = older if standard is Standard.OLDER else ""
            _write(held, name, real, change + _LIBRARIES)
    path = os.pathsep.join((str(held), environment["PATH"]))
    return {**environment, "PATH": path, "CUDACXX": str(nvcc)}


def _write(held: Path, name: str, real: str, change: str) -> Path:
    path = held / name
    text = _SCRIPT.format(
        quiet=_QUIET, log=shlex.quote(str(held / _LOG)), change=change, real=shlex.quote(real)
    )
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def recorded(held: Path, copy: Path, original: Path) -> tuple[Compilation, ...]:
    """What was recorded in a folder; paths in the copy of a tree become those in the original."""
    try:
        text = (held / _LOG).read_bytes().decode("utf-8", "replace")
    except OSError:
        return ()
    found: dict[Compilation, None] = {}
    for record in text.split("\0\0"):
        words = [_moved(word, copy, original) for word in record.split("\0")]
        made = Compilation(words[0], tuple(words[1:]))
        if made.sources:
            found[made] = None
    return tuple(found)


def _moved(word: str, copy: Path, original: Path) -> str:
    """``os.getcwd`` and shells may see the copy through its real path."""
    for seen in (str(copy), os.path.realpath(copy)):
        word = word.replace(seen, str(original))
    return word


def write_database(compilations: Iterable[Compilation], path: Path) -> None:
    """Write a ``compile_commands.json``. Raises OSError."""
    entries = [
        {"directory": each.directory, "file": str(source), "arguments": ["nvcc", *each.arguments]}
        for each in compilations
        for source in each.sources
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")


def sources_of(compilations: Sequence[Compilation]) -> tuple[Path, ...]:
    """All sources that were compiled, each once."""
    return tuple(dict.fromkeys(path for each in compilations for path in each.sources))
