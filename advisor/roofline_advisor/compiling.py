"""A suggested edit compiled, on a copy, by a compiler that is found.

Compilers run their steps by way of a shell, and whoever wrote the sources chose the names of files
and folders, and perhaps settings. So a compiler is given words of our own alone: the copy and the
links to include folders have fixed names in a private folder, and macros stand in a header there.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from roofline_advisor.confinement import (
    compiler_environment,
    confined,
    of_compilers,
    program_path,
)
from roofline_advisor.edits import RejectedError
from roofline_advisor.running import Ran, run
from roofline_analysis.project.readable import Readable
from roofline_core.program.errors import RooflineError
from roofline_core.program.units import OPENCL_SUFFIXES, Dialect
from roofline_core.settings import (
    PLAIN,
    SOURCE_SUFFIXES,
    Settings,
    definition,
    refused_character,
)
from roofline_hardware_db import find_gpu

_MACROS: Final = "macros.h"
_STEM: Final = "kernel"
_SHARED: Final = ("defines", "include_dirs")
"""Settings that reach compilers, which a project's file may set."""
_MOST_SAID: Final = 5
_QUOTED: Final = re.compile(r"\"([^\"]*)\"|'([^']*)'|\u2018([^\u2019]*)\u2019")
_WORD: Final = re.compile(r"\w+")
_TYPES: Final = frozenset(
    "auto bool char const double float half int long restrict short signed size_t struct unsigned"
    " void volatile".split()
)


class RefusedError(RooflineError):
    """A setting or a name that is not handed to a compiler."""


class Compiler:
    """Compiles texts of one file with the compiler found for its dialect."""

    def __init__(self, path: Path, dialect: Dialect, settings: Settings) -> None:
        """Looks for a compiler on the path; ``name`` is None where there is none."""
        self._path = path
        self._settings = settings
        suffix = path.suffix.lower()
        self._copy = f"{_STEM}{suffix if suffix in SOURCE_SUFFIXES else '.cu'}"
        self._command = _command(path, dialect, settings) if settings.advisor.compile else None
        self.name = None if self._command is None else Path(self._command[0]).name
        self._usable: bool | None = None

    async def check(self, original: bytes, edited: bytes) -> str:
        """What is known of an edited text, in words; raises RejectedError if it does not compile.

        A file that does not even compile as it is says nothing about an edit.
        """
        if self._command is None:
            return "not compiled: there is no compiler for it here"
        try:
            if self._usable is None:
                self._usable = (await self._compile(original)).code == 0
            if not self._usable:
                return f"not compiled: {self.name} does not compile the file as it is"
            ran = await self._compile(edited)
        except (RefusedError, OSError) as error:
            return f"not compiled: {error}"
        if ran.code is None:
            return f"not compiled: {self.name} took too long"
        if ran.code != 0:
            raise RejectedError(f"{self.name} does not compile it: {self._said(ran, edited)}")
        return f"compiled with {self.name}"

    async def _compile(self, text: bytes) -> Ran:
        """Compile a text in a folder of its own. Raises RefusedError and OSError."""
        _check_consent(self._settings)
        with tempfile.TemporaryDirectory(prefix="roofline-lsp-") as made:
            folder = _real(Path(made))
            return await run(
                self._prepared(folder, text),
                cwd=folder,
                limit_s=self._settings.advisor.test_timeout_s,
                environment=compiler_environment(folder),
            )

    def _prepared(self, folder: Path, text: bytes) -> list[str]:
        """Put the text and what it needs into a folder, and return the command line for there."""
        assert self._command is not None
        if os.name == "posix" and not PLAIN.issuperset(str(folder)):
            raise RefusedError(f"'{folder}' is no folder to compile in; set TMPDIR to another")
        macros = "".join(f"#define {line}\n" for line in _definitions(self._settings))
        (folder / _MACROS).write_text(macros, encoding="ascii")
        (folder / self._copy).write_bytes(text)
        included = (self._path.parent.absolute(), *self._settings.include_dirs)
        command = [*self._command, "-include", _MACROS, *_linked(included, folder), self._copy]
        project = Readable.of([self._path], None, self._settings).folders()
        readable = map(_real, (folder, *project, *included))
        limits = of_compilers(self._settings.advisor.test_timeout_s)
        return confined(command, limits, folder, readable)

    def _said(self, ran: Ran, edited: bytes) -> str:
        """What a compiler says of the file itself, in words of the file's.

        The rest may quote other files, which nobody agreed to have sent to the model.
        """
        known = _TYPES | set(_WORD.findall(edited.decode("utf-8", "replace")))

        def shown(quoted: re.Match[str]) -> str:
            """The quotation; dots if a word of it is neither in the file nor the name of a type."""
            return quoted[0] if known.issuperset(_WORD.findall(quoted[0])) else '"..."'

        own = (
            _QUOTED.sub(shown, line.replace(self._copy, self._path.name, 1))
            for line in ran.output.splitlines()
            if line.startswith((f"{self._copy}(", f"{self._copy}:"))
        )
        said = [line for line, _ in zip(own, range(_MOST_SAID), strict=False)]
        return "; ".join(said) or "the error is in another file"


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _check_consent(settings: Settings) -> None:
    """Raises RefusedError for settings of a project's file that nobody agreed to."""
    if settings.advisor.project_flags:
        return
    for field in _SHARED:
        if field in settings.from_project:
            raise RefusedError(
                f"'{field.replace('_', '-')}' is set by the project's settings file; set"
                " 'advisor.project-flags' to true in your own to compile with it"
            )


def _definitions(settings: Settings) -> Iterator[str]:
    """Macros as they stand behind ``#define``. Raises RefusedError."""
    for define in settings.defines:
        found = definition(define)
        if found is None:
            what = refused_character(define) or "more than a macro"
            raise RefusedError(
                f"{_shown(define)} in 'defines' holds {what}, which is not handed to compilers;"
                " write it without, or as a #define in the source"
            )
        yield " ".join(found)


def _shown(define: str) -> str:
    return f"'{define}'" if define.isprintable() else repr(define)


def _linked(folders: tuple[Path, ...], place: Path) -> Iterator[str]:
    """Options for include folders, each by a link with a name of our own. Raises RefusedError."""
    for number, folder in enumerate(folders):
        link = f"i{number}"
        try:
            (place / link).symlink_to(folder.absolute(), target_is_directory=True)
        except OSError:  # Windows may not allow links
            link = str(folder.absolute())
            if not PLAIN.issuperset(link.replace("\\", "/")):
                raise RefusedError(
                    f"{_shown(str(folder))} in 'include-dirs' has characters that are not handed to"
                    " compilers; rename the folder"
                ) from None
        yield f"-I{link}"


def _command(path: Path, dialect: Dialect, settings: Settings) -> list[str] | None:
    """How to compile a file without making a program of it."""
    if dialect is Dialect.CUDA and (nvcc := _found("nvcc")):
        name = find_gpu(settings.gpu).architecture.name
        architecture = [f"-arch={name}"] if re.fullmatch(r"sm_\w+", name) else []
        return [nvcc, "--ptx", *architecture, "-x", "cu", "-o", os.devnull]
    if dialect is Dialect.HIP and (hipcc := _found("hipcc")):
        return [hipcc, "-fsyntax-only"]
    clang = _found("clang++") or _found("clang")
    if clang is None:
        return None
    if dialect is Dialect.CUDA:
        return [clang, "-x", "cuda", "-fsyntax-only", "--cuda-device-only"]
    if dialect is Dialect.OPENCL and path.suffix.lower() in OPENCL_SUFFIXES:
        return [clang, "-x", "cl", "-cl-std=CL2.0", "-fsyntax-only"]
    if dialect is Dialect.OPENMP:
        return [clang, "-fopenmp", "-fsyntax-only"]
    return None


def _found(name: str) -> str | None:
    """A program by its full path, never one of the current folder."""
    for folder in program_path().split(os.pathsep):
        found = shutil.which(os.path.join(folder, name))  # noqa: PTH118
        if found is not None and os.path.isabs(found):  # noqa: PTH117
            return found
    return None
