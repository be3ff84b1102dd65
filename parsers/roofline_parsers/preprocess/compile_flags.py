"""The compiler options that preprocessing sees, read from a command line."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from roofline_core.program.float_math import EXACT_MATH, FloatMath, float_math_of
from roofline_core.program.records import record
from roofline_parsers.preprocess.result import FileOptions, PreprocessOptions

_ARCHITECTURE = re.compile(r"(?:sm|compute)_(\d{2,3})[af]?\b")
_FOLDER_OPTIONS = ("--include-path", "--system-include", "-isystem", "-iquote", "-idirafter", "-I")
_DEFINE_OPTIONS = ("--define-macro", "-D")
_UNDEFINE_OPTIONS = ("--undefine-macro", "-U")
_FILE_OPTIONS = ("--pre-include", "-include")
_ARCHITECTURE_OPTIONS = (
    "--gpu-architecture", "--gpu-code", "--generate-code", "-gencode", "--cuda-gpu-arch",
    "--offload-arch", "-arch", "-code",
)  # fmt: skip
_PASSED_ON = ("--compiler-options", "-Xcompiler")
_OPENMP = ("-fopenmp", "-qopenmp", "-mp", "-fiopenmp", "--openmp")
_OPENMP_VERSION = "201811"
_FAST_MACROS = {
    "-use_fast_math": "__USE_FAST_MATH__",
    "--use_fast_math": "__USE_FAST_MATH__",
    "-ffast-math": "__FAST_MATH__",
}
"""What options for fast arithmetic define."""
FAST_MACROS = frozenset(_FAST_MACROS.values())
"""Macros that say that arithmetic is fast."""


@record(frozen=True, slots=True)
class CompileFlags:
    """What a command line says about macros and headers."""

    defines: tuple[tuple[str, str], ...] = ()
    """``-D`` in order; a name without a value is 1. ``-fopenmp`` and its kin define _OPENMP."""
    include_dirs: tuple[Path, ...] = ()
    undefines: tuple[str, ...] = ()
    forced_includes: tuple[Path, ...] = ()
    cuda_arch: int | None = None
    """``__CUDA_ARCH__`` of the highest architecture named (sm_86: 860); None: none is named."""
    float_math: FloatMath = EXACT_MATH
    """What it says of arithmetic; ``-use_fast_math`` defines a macro besides."""

    def of_file(self) -> FileOptions:
        """What one file is compiled with."""
        return FileOptions(self.defines, self.include_dirs, self.undefines, self.forced_includes)

    def to_options(self, default_cuda_arch: int | None = 860) -> PreprocessOptions:
        """Options for ``preprocess``; the default stands in where no architecture is named."""
        return PreprocessOptions(
            defines=self.defines,
            include_dirs=self.include_dirs,
            cuda_arch=default_cuda_arch if self.cuda_arch is None else self.cuda_arch,
            undefines=self.undefines,
            forced_includes=self.forced_includes,
        )


def parse_flags(arguments: Sequence[str], directory: Path = Path()) -> CompileFlags:
    """Reads the options of nvcc, GCC or Clang; relative folders are relative to ``directory``.

    Unknown options are passed over.
    """
    defines: list[tuple[str, str]] = []
    folders: list[Path] = []
    undefines: list[str] = []
    forced: list[Path] = []
    architectures: list[int] = []
    words: list[str] = []
    waiting = list(reversed(arguments))
    while waiting:
        argument = waiting.pop()
        if (value := _value(argument, _PASSED_ON, waiting)) is not None:
            waiting += reversed(value.split(","))
        elif (value := _value(argument, _ARCHITECTURE_OPTIONS, waiting)) is not None:
            architectures += [int(number) * 10 for number in _ARCHITECTURE.findall(value)]
        elif (value := _value(argument, _FILE_OPTIONS, waiting)) is not None:
            forced.append(_under(directory, value))
        elif (value := _value(argument, _FOLDER_OPTIONS, waiting)) is not None:
            folders += [_under(directory, value)] if value else []
        elif (value := _value(argument, _DEFINE_OPTIONS, waiting)) is not None:
            name, equals, text = value.partition("=")
            if name:
                defines.append((name, text if equals else "1"))
        elif (value := _value(argument, _UNDEFINE_OPTIONS, waiting)) is not None:
            undefines.append(value)
            defines = [pair for pair in defines if pair[0] != value]
        elif argument.startswith(_OPENMP):
            defines.append(("_OPENMP", _OPENMP_VERSION))
        else:
            words.append(argument)
    float_math = float_math_of(words)
    if float_math.fast_functions:
        defines += [(name, "1") for word, name in _FAST_MACROS.items() if word in words]
    return CompileFlags(
        tuple(dict(defines).items()),
        tuple(dict.fromkeys(folders)),
        tuple(name for name in undefines if name not in dict(defines)),
        tuple(forced),
        max(architectures, default=None),
        float_math,
    )


def _value(argument: str, options: tuple[str, ...], waiting: list[str]) -> str | None:
    """The value of an option, joined to it or the next argument; None if it is another option."""
    for option in options:
        if argument == option:
            return waiting.pop() if waiting else ""
        if argument.startswith(option + "="):
            return argument[len(option) + 1 :]
        if len(option) == 2 and argument.startswith(option):
            return argument[2:]
        if option == "-isystem" and argument.startswith(option):
            return argument[len(option) :]
    return None


def _under(directory: Path, name: str) -> Path:
    return Path(os.path.normpath(directory / name))


def common_flags(flags: Sequence[CompileFlags]) -> CompileFlags:
    """What several command lines have in common; folders and architectures of any of them."""
    if not flags:
        return CompileFlags()
    first = flags[0]
    return replace(
        first,
        defines=tuple(pair for pair in first.defines if all(pair in f.defines for f in flags)),
        undefines=tuple(
            name for name in first.undefines if all(name in f.undefines for f in flags)
        ),
        include_dirs=tuple(dict.fromkeys(path for f in flags for path in f.include_dirs)),
        cuda_arch=max((f.cuda_arch for f in flags if f.cuda_arch is not None), default=None),
        float_math=first.float_math if len({f.float_math for f in flags}) == 1 else EXACT_MATH,
    )
