"""Programs of a tree, built for an emulation."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from roofline_analysis.project.project import ProjectIndex
from roofline_hardware_db.model import Gpu
from roofline_profiling.differential.discovery import TreeProgram
from roofline_profiling.differential.recording import (
    Compilation,
    Standard,
    recorded,
    write_recorders,
)
from roofline_profiling.differential.scratch import TreeCopy
from roofline_profiling.emulate.building import (
    OPENCL_LIBRARIES,
    compiler_of,
    is_executable,
    write_compilers,
)
from roofline_profiling.emulate.machine import machine_of
from roofline_profiling.emulate.native_build import build_executor
from roofline_profiling.emulate.toolchain import find_cuda_compiler, find_host_compiler
from roofline_profiling.measurement import name_of
from roofline_profiling.process import run

_TAIL_BYTES: Final = 64_000
_MOST_REASON: Final = 300
_MADE: Final = "roofline-program"
_COMPILED: Final = (".cpp", ".cc", ".cxx", ".c", ".o")
_DEFINES: Final = re.compile(r"-[DUI].")
_TOLD: Final = {
    Standard.OLDER: re.compile(
        r"ISO C\+\+17 does not allow|is ambiguous|no match for .operator==|multiple definition"
    ),
    Standard.NEWER: re.compile(r"C\+\+17"),
}
"""What a build says that is tried again by another standard: older code uses what C++17 took away,
names that it brought, and variables that several files of C define; today's CUB and Thrust ask for
it."""
_TELLING: Final = (
    "error", "Error", "multiple definition", "No such file", "No rule", "undefined reference",
    "cannot find",
)  # fmt: skip
_OPERATORS: Final = frozenset((";", "&&", "||", "|", ">", ">>", "2>", "2>&1", "<", "&"))


@dataclass(frozen=True, slots=True)
class Built:
    """A program that was built."""

    executable: str
    """As it is started in its folder."""
    args: tuple[str, ...]
    compilations: tuple[Compilation, ...] = ()


class BuildError(Exception):
    """Why a program could not be built, or how it is run is not known."""


def compilers(held: Path, gpu: Gpu) -> dict[str, str]:
    """The environment of builds, with our compilers in a folder. Raises ProfilerError."""
    machine, compiler = machine_of(gpu), find_cuda_compiler()
    architecture = compiler.nearest(machine.major * 10 + machine.minor)
    executor = build_executor(find_host_compiler(), compiler.headers, compiler.release)
    return {**os.environ, **write_compilers(held, compiler, architecture, executor)}


def built(
    program: TreeProgram, copy: TreeCopy, environment: Mapping[str, str], *, limit_s: float
) -> Built:
    """Build a program in a copy of its folder. Raises BuildError, and ProfilerError."""
    try:
        return _built(program, copy, environment, limit_s, None)
    except BuildError as error:
        other = next((which for which, told in _TOLD.items() if told.search(str(error))), None)
        if other is None:
            raise
        return _built(program, copy, environment, limit_s, other)


def _built(
    program: TreeProgram,
    copy: TreeCopy,
    environment: Mapping[str, str],
    limit_s: float,
    standard: Standard | None,
) -> Built:
    with tempfile.TemporaryDirectory(prefix="roofline-") as name:
        held = Path(name)
        recording = write_recorders(held, environment, standard)
        build = _made if program.by_make else _compiled
        made = build(program, copy.folder, recording, limit_s)
        return replace(made, compilations=recorded(held, copy.tree, program.tree))


def _compiled(
    program: TreeProgram, folder: Path, environment: Mapping[str, str], limit_s: float
) -> Built:
    compiler, made_for = compiler_of(program.sources), MadeFor()
    if program.is_openmp:
        dry = ["make", "--dry-run", "--no-print-directory", "run"]
        made_for = made_for_others(_said(dry, folder, environment, limit_s))
    words = [*compiler, "-O3", *made_for.flags, *program.flags, *_include_options(program)]
    words += [path.name for path in program.sources]
    libraries = OPENCL_LIBRARIES if compiler[0] in ("gcc", "g++") else ()
    _run([*words, "-o", _MADE, *libraries], folder, environment, limit_s)
    return Built(f"./{_MADE}", made_for.args if program.args is None else program.args)


@dataclass(frozen=True, slots=True)
class MadeFor:
    """What a Makefile for another compiler says of a program."""

    flags: tuple[str, ...] = ()
    """Macros and folders of headers."""
    args: tuple[str, ...] = ()
    """The program's command line."""


def made_for_others(said: str) -> MadeFor:
    """What a dry run that builds and runs a program by another compiler tells."""
    flags: dict[str, None] = {}
    args: tuple[str, ...] = ()
    for line in said.splitlines():
        try:
            words = _words(line)
        except ValueError:
            continue
        if any(word.endswith(_COMPILED) for word in words):
            flags |= dict.fromkeys(word for word in words if _DEFINES.match(word))
        starts = [at for at, word in enumerate(words) if word.startswith("./")]
        if starts:
            args = tuple(words[starts[0] + 1 :])
    return MadeFor(tuple(flags), args)


def _include_options(program: TreeProgram) -> list[str]:
    """The compiler's options for folders of the tree that have the headers which sources name.

    They are relative to the program's folder.
    """
    index = ProjectIndex(program.tree)
    return [
        f"-I{os.path.relpath(path, program.folder)}"
        for path in index.include_dirs(program.sources)
        if path.is_relative_to(program.tree)
    ]


def _made(
    program: TreeProgram, folder: Path, environment: Mapping[str, str], limit_s: float
) -> Built:
    # What was left of an earlier build may be for another compiler.
    _said(["make", "clean"], folder, environment, limit_s)
    before = set(_executables(folder))
    _run(["make"], folder, environment, limit_s)
    said = _said(["make", "--dry-run", "--no-print-directory", "run"], folder, environment, limit_s)
    if (found := started(said, folder)) is not None:
        return found if program.args is None else Built(found.executable, program.args)
    made = [name for name in _executables(folder) if name not in before] or sorted(before)
    if not made:
        raise BuildError("its Makefile made no program")
    return Built(f"./{made[0]}", program.args or ())


def started(said: str, folder: Path) -> Built | None:
    """What the first line of a dry run that starts a program of the folder would run.

    None if there is no such line. Raises BuildError for a program that reads its standard input.
    """
    for line in said.splitlines():
        try:
            words = _words(line)
        except ValueError:
            continue
        for at, word in enumerate(words):
            if not word.startswith("./") or not is_executable(folder / word):
                continue
            if "<" in words[at:]:
                raise BuildError(f"'make run' gives it a standard input: {line.strip()}")
            return Built(word, tuple(words[at + 1 :]))
    return None


def _words(line: str) -> list[str]:
    """The words of a line's first command, without redirections and what follows them."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>")
    lexer.whitespace_split = True
    words = list(lexer)
    ends = [at for at, word in enumerate(words) if word in _OPERATORS]
    for at in ends:
        if words[at] != "<" and any(word.startswith("./") for word in words[:at]):
            return words[:at]
    return words


def _executables(folder: Path) -> list[str]:
    paths = sorted(folder.iterdir())
    return [
        path.name
        for path in paths
        if path.is_file() and os.access(path, os.X_OK) and is_executable(path)
    ]


def _run(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], limit_s: float
) -> None:
    with tempfile.TemporaryFile() as out:
        ended = run(
            words, limit_s=limit_s, folder=folder, output=out.fileno(), environment=environment
        )
        if ended.interrupted:
            raise KeyboardInterrupt
        if ended.timed_out:
            raise BuildError(f"{words[0]} took longer than {limit_s:g} s")
        if ended.code:
            raise BuildError(f"{words[0]}: {_reason(out.fileno())}")


def _said(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], limit_s: float
) -> str:
    with tempfile.TemporaryFile() as out:
        ended = run(
            words, limit_s=limit_s, folder=folder, output=out.fileno(), environment=environment
        )
        if ended.interrupted:
            raise KeyboardInterrupt
        out.seek(0)
        return out.read(1024**2).decode("utf-8", "replace")


def last_lines(descriptor: int) -> list[str]:
    """The end of what a program printed to a file: its lines that are not blank."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    os.lseek(descriptor, max(0, size - _TAIL_BYTES), os.SEEK_SET)
    text = os.read(descriptor, _TAIL_BYTES).decode("utf-8", "replace")
    return [name_of(line) for line in text.splitlines() if line.strip()]


def _reason(descriptor: int) -> str:
    """The first line that tells of an error, else the last line."""
    lines = last_lines(descriptor)
    telling = [line for line in lines if any(word in line for word in _TELLING)]
    telling = [line for line in telling if not line.startswith("make")] or telling
    telling = [line for line in telling if "ld returned" not in line] or telling
    telling = [line for line in telling if " error: " in line] or telling
    return (telling or lines[-1:] or ["it said nothing"])[0][:_MOST_REASON]
