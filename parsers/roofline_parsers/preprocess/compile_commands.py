"""``compile_commands.json``, the compilation database of CMake, Bear and others.

Format: https://clang.llvm.org/docs/JSONCompilationDatabase.html
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from roofline_core.program.errors import RooflineError
from roofline_core.program.regular_files import read_regular_file
from roofline_parsers.preprocess.compile_flags import CompileFlags, parse_flags
from roofline_parsers.preprocess.result import Reader

_REMEDY = "write it anew (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON) or remove it"
_RESPONSE_OPTIONS = ("--options-file", "-optf")
_MAX_RESPONSE_DEPTH = 8
_MOST_BYTES = 256 * 2**20


class CompileCommandsError(RooflineError):
    """A compilation database that cannot be read."""


class CompileDatabase:
    """A compilation database, whose commands are read when a file is asked for."""

    def __init__(self, source: Path, data: bytes, reader: Reader | None = None) -> None:
        """``reader`` gives the response files that commands name; they are passed over without it.

        Raises CompileCommandsError if the database is malformed; the message says where.
        """
        self._shown = source
        self._reader = reader
        self._flags: dict[Path, CompileFlags] = {}
        self._entries: dict[Path, tuple[int, Path, Mapping[str, object]]] = {}
        try:
            entries = json.loads(data.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise CompileCommandsError(f"{source}: no valid JSON ({error}); {_REMEDY}") from None
        if not isinstance(entries, list):
            raise CompileCommandsError(f"{source}: expected a list at $; {_REMEDY}")
        for index, entry in enumerate(entries):
            try:
                file, folder = _place(entry, source.parent)
            except ValueError as error:
                raise self._wrong(index, error) from None
            self._entries.setdefault(file, (index, folder, entry))

    @property
    def files(self) -> Iterable[Path]:
        """The files that are compiled."""
        return self._entries.keys()

    def flags(self, path: Path) -> CompileFlags | None:
        """The flags of a file's first command, None for a file that is not listed.

        Raises CompileCommandsError if the command is malformed.
        """
        if path in self._entries and path not in self._flags:
            index, folder, entry = self._entries[path]
            try:
                words = _with_responses(_words(entry)[1:], folder, self._reader, 0)
            except ValueError as error:
                raise self._wrong(index, error) from None
            self._flags[path] = parse_flags(words, folder)
        return self._flags.get(path)

    def _wrong(self, index: int, error: ValueError) -> CompileCommandsError:
        return CompileCommandsError(f"{self._shown}: $[{index}] {error}; {_REMEDY}")


def load_compile_commands(
    source: Path | bytes, reader: Reader | None = None
) -> Mapping[Path, CompileFlags]:
    """Reads the flags of every file in a compilation database, the first command of each.

    ``source`` is the database's path or its bytes; ``reader`` gives the response files that
    commands name (``@file``, ``--options-file file``), which are passed over without it. Raises
    CompileCommandsError if the file is missing or malformed; the message says where.
    """
    path = source if isinstance(source, Path) else Path("compile_commands.json")
    database = CompileDatabase(path, database_bytes(source), reader)
    found = {file: database.flags(file) for file in database.files}
    return {file: flags for file, flags in found.items() if flags is not None}


def database_bytes(source: Path | bytes) -> bytes:
    """What a database holds. Raises CompileCommandsError if it cannot be read."""
    try:
        return read_regular_file(source, _MOST_BYTES) if isinstance(source, Path) else source
    except OSError as error:
        raise CompileCommandsError(f"{source!s}: {error.strerror or error}; {_REMEDY}") from None


def _place(entry: object, base: Path) -> tuple[Path, Path]:
    """An entry's file and folder. Raises ValueError, whose message continues the entry's name."""
    if not isinstance(entry, dict):
        raise ValueError("is no object")
    file, directory = entry.get("file"), entry.get("directory", ".")
    if not isinstance(file, str) or not isinstance(directory, str):
        raise ValueError('needs text as "file" and "directory"')
    folder = base / directory
    return Path(os.path.normpath(folder / file)), folder


def _words(entry: Mapping[str, object]) -> list[str]:
    """An entry's command line. Raises ValueError as ``_place`` does."""
    arguments, command = entry.get("arguments"), entry.get("command")
    if isinstance(arguments, list) and all(isinstance(item, str) for item in arguments):
        return list(arguments)
    if not isinstance(command, str):
        raise ValueError('has neither "command" nor "arguments"')
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ValueError(f'has a malformed "command" ({error})') from None


def _with_responses(words: list[str], folder: Path, reader: Reader | None, depth: int) -> list[str]:
    """Puts the contents of response files in their place."""
    result: list[str] = []
    remaining = iter(words)
    for word in remaining:
        if word in _RESPONSE_OPTIONS:
            names = next(remaining, "").split(",")
        elif word.startswith("@") and len(word) > 1:
            names = [word[1:]]
        else:
            result.append(word)
            continue
        for name in names:
            data = reader(folder / name) if reader and depth < _MAX_RESPONSE_DEPTH else None
            try:
                inner = shlex.split(data.decode("utf-8", "replace")) if data else []
            except ValueError:
                inner = []
            result += _with_responses(inner, folder, reader, depth + 1)
    return result
