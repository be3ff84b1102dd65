"""Macros and include folders of a program, from settings and build files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from roofline_analysis.api.targets import gpu_of
from roofline_analysis.project.files import Reader
from roofline_analysis.project.paths import include_root
from roofline_core.settings import Settings
from roofline_parsers.preprocess import PreprocessOptions
from roofline_parsers.preprocess.compile_commands import load_compile_commands
from roofline_parsers.preprocess.compile_flags import CompileFlags
from roofline_parsers.preprocess.makefiles import makefile_defines, makefile_hints
from roofline_parsers.preprocess.predefined import DEFAULT_CUDA_ARCH
from roofline_parsers.reading.dialects import has_offload

FileDefines = tuple[tuple[Path, tuple[tuple[str, str], ...]], ...]

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_OFFLOADING = ("Makefile.aomp", "Makefile.clang", "Makefile.nvc")
"""Makefiles for compilers that offload OpenMP to GPUs, beside one for another compiler."""


def preprocess_options(
    paths: Sequence[Path], settings: Settings, reader: Reader
) -> PreprocessOptions:
    """Macros and include folders for a program.

    What is found in none of the folders is looked for in the project's usual ones.

    The source is ``compile_commands.json`` if the settings name one that lists a file of the
    program, else the Makefile beside the first file; those of the settings are added. Raises
    ``RooflineError`` if ``compile_commands.json`` is not valid.
    """
    listed = _listed(paths, settings, reader)
    flags, own_defines = (listed, ()) if listed is not None else _made(paths, reader)
    architecture = gpu_of(settings).architecture.name
    options = flags.to_options(_cuda_arch(architecture))
    own = tuple(_definition(define) for define in settings.defines)
    return replace(
        options,
        file_defines=own_defines,
        hip_arch=architecture if architecture.startswith("gfx") else None,
        defines=(*options.defines, *own),
        include_dirs=(*options.include_dirs, *settings.include_dirs),
        include_root=include_root(paths[0].parent) if paths else None,
    )


def _cuda_arch(architecture: str) -> int:
    """``__CUDA_ARCH__`` of a GPU; that of a usual one where the GPU is no NVIDIA GPU."""
    number = architecture.removeprefix("sm_")
    return int(number) * 10 if number.isdecimal() else DEFAULT_CUDA_ARCH


def _listed(paths: Sequence[Path], settings: Settings, reader: Reader) -> CompileFlags | None:
    if settings.compile_commands is None:
        return None
    entries = load_compile_commands(settings.compile_commands, reader)
    for path in paths:
        found = entries.get(path) or entries.get(path.absolute())
        if found is not None:
            return found
    return None


def _made(paths: Sequence[Path], reader: Reader) -> tuple[CompileFlags, FileDefines]:
    """A Makefile's flags for all files, and its additional macros for single files."""
    folder = paths[0].parent if paths else Path()
    text = _makefile(folder, paths, reader)
    if text is None:
        return CompileFlags(), ()
    flags = makefile_hints(text, folder, reader=reader)
    names = {path.name: path for path in paths}
    own = makefile_defines(text, names, folder, reader)
    extra = (
        (names[name], tuple(pair for pair in defines if pair not in flags.defines))
        for name, defines in own.items()
    )
    return flags, tuple((path, defines) for path, defines in extra if defines)


def _makefile(folder: Path, paths: Sequence[Path], reader: Reader) -> bytes | None:
    """The Makefile of a program; of one that offloads, that of a compiler which can."""
    for name in _OFFLOADING:
        text = reader(folder / name)
        if text is not None and any(has_offload(reader(path) or b"") for path in paths):
            return text
    for name in _MAKEFILES:
        text = reader(folder / name)
        if text is not None:
            return text
    return None


def _definition(define: str) -> tuple[str, str]:
    name, given, value = define.partition("=")
    return name, value if given else "1"
