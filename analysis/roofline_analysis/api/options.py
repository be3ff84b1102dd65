"""Macros and include folders of a program, from settings and build files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from roofline_analysis.api.build_files import BuildFiles, BuildFlags
from roofline_analysis.api.targets import gpu_of
from roofline_analysis.project.files import Reader
from roofline_core.program.float_math import EXACT_MATH, FAST_MATH, FloatMathOfFiles
from roofline_core.program.records import record
from roofline_core.program.units import Problem
from roofline_core.settings import Settings
from roofline_parsers.preprocess import PreprocessOptions
from roofline_parsers.preprocess.compile_flags import FAST_MACROS, CompileFlags
from roofline_parsers.preprocess.predefined import DEFAULT_CUDA_ARCH


@record(frozen=True, slots=True)
class ProgramOptions:
    """What a program is compiled with."""

    preprocess: PreprocessOptions
    float_math: FloatMathOfFiles = FloatMathOfFiles()
    """How exactly the files were told to compute."""
    problems: tuple[Problem, ...] = ()
    """Build files that were not read in full."""


def program_options(
    paths: Sequence[Path], settings: Settings, reader: Reader, build: BuildFiles
) -> ProgramOptions:
    """Macros and include folders for a program, those of the settings added last.

    ``BuildFiles`` says which build file counts. Raises ``RooflineError`` if the settings name a
    ``compile_commands.json`` that is not valid.
    """
    found = build.flags(paths, settings.compile_commands, reader)
    architecture = gpu_of(settings).architecture.name
    common = _with_settings(found.common, settings)
    files = ((path, _with_settings(flags, settings).of_file()) for path, flags in found.own)
    options = replace(
        common.to_options(_cuda_arch(architecture)),
        files=tuple(files),
        hip_arch=architecture if architecture.startswith("gfx") else None,
    )
    return ProgramOptions(options, _float_math(found, settings), found.problems)


def preprocess_options(
    paths: Sequence[Path], settings: Settings, reader: Reader
) -> PreprocessOptions:
    """The same without what is kept between programs."""
    return program_options(paths, settings, reader, BuildFiles()).preprocess


def _float_math(found: BuildFlags, settings: Settings) -> FloatMathOfFiles:
    if settings.fast_math is not None:
        return FloatMathOfFiles(FAST_MATH if settings.fast_math else EXACT_MATH)
    own = tuple((path, flags.float_math) for path, flags in found.own)
    return FloatMathOfFiles(found.common.float_math, own)


def _with_settings(flags: CompileFlags, settings: Settings) -> CompileFlags:
    own = tuple(_definition(define) for define in settings.defines)
    names = {name for name, _ in own}
    defines = flags.defines
    if settings.fast_math is False:
        defines = tuple(pair for pair in defines if pair[0] not in FAST_MACROS)
    return replace(
        flags,
        defines=(*defines, *own),
        undefines=tuple(name for name in flags.undefines if name not in names),
        include_dirs=(*flags.include_dirs, *settings.include_dirs),
    )


def _cuda_arch(architecture: str) -> int:
    """``__CUDA_ARCH__`` of a GPU; that of a usual one where the GPU is no NVIDIA GPU."""
    number = architecture.removeprefix("sm_")
    return int(number) * 10 if number.isdecimal() else DEFAULT_CUDA_ARCH


def _definition(define: str) -> tuple[str, str]:
    name, given, value = define.partition("=")
    return name, value if given else "1"
