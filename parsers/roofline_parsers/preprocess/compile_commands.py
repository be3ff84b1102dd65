"""``compile_commands.json``, the compilation database of CMake, Bear and others.

Format: https://clang.llvm.org/docs/JSONCompilationDatabase.html
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from roofline_core.program.errors import RooflineError
from roofline_parsers.preprocess.compile_flags import CompileFlags, parse_flags
from roofline_parsers.preprocess.result import Reader

_REMEDY = "write it anew (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON) or remove it"
_RESPONSE_OPTIONS = ("--options-file", "-optf")
_MAX_RESPONSE_DEPTH = 8


class CompileCommandsError(RooflineError):
    """A compilation database that cannot be read."""


def load_compile_commands(
    source: Path | bytes, reader: Reader | None = None
) -> Mapping[Path, CompileFlags]:
    """Reads the flags of every file in a compilation database, the first command of each.

    ``source`` is the database's path or its bytes; ``reader`` gives the response files that
    commands name (``@file``, ``--options-file file``), which are passed over without it. Raises
    CompileCommandsError if the file is missing or malformed; the message says where.
    """
    shown = str(source) if isinstance(source, Path) else "compile_commands.json"
    base = source.parent if isinstance(source, Path) else Path()
    try:
        data = source.read_bytes() if isinstance(source, Path) else source
        entries = json.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise CompileCommandsError(f"{shown}: {error.strerror or error}; {_REMEDY}") from None
    except (ValueError, RecursionError) as error:
        raise CompileCommandsError(f"{shown}: no valid JSON ({error}); {_REMEDY}") from None
    if not isinstance(entries, list):
        raise CompileCommandsError(f"{shown}: expected a list at $; {_REMEDY}")
    flags: dict[Path, CompileFlags] = {}
    for index, entry in enumerate(entries):
        try:
            path, found = _read_entry(entry, base, reader)
        except ValueError as error:
            raise CompileCommandsError(f"{shown}: $[{index}] {error}; {_REMEDY}") from None
        flags.setdefault(path, found)
    return flags


def _read_entry(entry: object, base: Path, reader: Reader | None) -> tuple[Path, CompileFlags]:
    """Raises ValueError, with a message that continues the entry's name."""
    if not isinstance(entry, dict):
        raise ValueError("is no object")
    file, directory = entry.get("file"), entry.get("directory", ".")
    if not isinstance(file, str) or not isinstance(directory, str):
        raise ValueError('needs text as "file" and "directory"')
    arguments, command = entry.get("arguments"), entry.get("command")
    if isinstance(arguments, list) and all(isinstance(item, str) for item in arguments):
        words = list(arguments)
    elif isinstance(command, str):
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ValueError(f'has a malformed "command" ({error})') from None
    else:
        raise ValueError('has neither "command" nor "arguments"')
    folder = base / directory
    words = _with_responses(words[1:], folder, reader, 0)
    return Path(os.path.normpath(folder / file)), parse_flags(words, folder)


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
