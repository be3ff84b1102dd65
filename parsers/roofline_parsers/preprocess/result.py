"""What the preprocessor is asked and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path

from roofline_core.program.records import record
from roofline_core.program.units import Dialect, Problem
from roofline_parsers.preprocess.macros import MacroTable

Reader = Callable[[Path], bytes | None]
"""Gives a file's bytes, or None if there is no such file. It must not raise."""


Refusal = Callable[[Path], str | None]
"""Why a file is not to be read, to follow its name in a sentence; None where it is.

Empty where it is not, and there is nothing to say. Equal ones give equal answers.
"""


@record(frozen=True, slots=True)
class FileOptions:
    """What one file of a program is compiled with, in place of the program's options."""

    defines: tuple[tuple[str, str], ...] = ()
    include_dirs: tuple[Path, ...] = ()
    undefines: tuple[str, ...] = ()
    forced_includes: tuple[Path, ...] = ()


@record(frozen=True, slots=True)
class PreprocessOptions:
    """The part of a compiler's command line that preprocessing sees."""

    defines: tuple[tuple[str, str], ...] = ()
    """``-D``: name and value; the name may carry parameters, ``("SQUARE(x)", "((x) * (x))")``."""
    include_dirs: tuple[Path, ...] = ()
    """``-I`` and ``-isystem``, searched in order after the including file's own folder."""
    cuda_arch: int | None = 860
    """``__CUDA_ARCH__``; None leaves it undefined, as in a host pass."""
    undefines: tuple[str, ...] = ()
    """``-U``."""
    forced_includes: tuple[Path, ...] = ()
    """``-include``: read before the file itself."""
    base: MacroTable | None = None
    """The macros to start from; None: those of a compilation of ``dialect`` for ``cuda_arch``."""
    dialect: Dialect = Dialect.CUDA
    """The language the file is compiled as."""
    files: tuple[tuple[Path, FileOptions], ...] = ()
    """Files that are compiled with other options than these, and with which."""
    found_dirs: tuple[Path, ...] = ()
    """Folders that no command line names, searched last for the headers of any file."""
    hip_arch: str | None = None
    """LLVM's name of the AMD GPU that HIP compiles for (``gfx90a``); None: none in particular."""

    kernel_defines: tuple[tuple[str, str], ...] = ()
    """Macros of the OpenCL kernels in a host file's strings, which other files of the program build
    kernels with."""
    refusal: Refusal | None = None
    """Says which headers are left alone, wherever they are; None: none are."""

    def for_file(self, path: Path, dialect: Dialect) -> PreprocessOptions:
        """The options that one file of a program is compiled with."""
        own = dict(self.files).get(path)
        if own is None:
            include_dirs = (*self.include_dirs, *self.found_dirs)
            return replace(
                self, include_dirs=include_dirs, found_dirs=(), files=(), dialect=dialect
            )
        return replace(
            self,
            defines=own.defines,
            include_dirs=(*own.include_dirs, *self.found_dirs),
            found_dirs=(),
            undefines=own.undefines,
            forced_includes=own.forced_includes,
            files=(),
            dialect=dialect,
        )


@record(frozen=True, slots=True, eq=False)
class PreprocessedFile:
    """One file, preprocessed in one macro context.

    ``text`` has as many lines as ``source``, and each comes from the same line of ``source``.
    """

    path: Path
    source: bytes
    text: bytes
    changed_lines: frozenset[int] = frozenset()
    """1-based lines whose columns in ``text`` are not those of ``source``."""
    includes: tuple[PreprocessedFile, ...] = ()
    """Headers included at brace depth 0, in order; each is a unit of its own."""
    include_lines: tuple[int, ...] = ()
    """The 1-based line of the ``#include`` of each of ``includes``; 0 for a forced one."""
    unresolved_includes: tuple[str, ...] = ()
    """Headers that were not found, as written: ``<vector>``, ``"config.h"``."""
    macros: MacroTable = field(default_factory=MacroTable)
    """The macros in force at the end of the file."""
    pragmas: Mapping[int, tuple[bytes, ...]] = field(default_factory=dict)
    """Every active pragma by 1-based line: its text after ``#pragma``, macros expanded."""
    problems: tuple[Problem, ...] = ()
    dialect: Dialect = Dialect.CUDA
    """The language it was read as."""
