"""Compiles a program of OpenCL C: ``python -m ...opencl.compile SOURCE OPTIONS PROGRAM CACHE``.

The runtime library calls it when the host builds a program. It prints a line, ``built FOLDER``,
``failed`` or ``options``, and after that what compilers said. The folder has ``program.cubin``, and
in ``kernels`` the kernels and their arguments.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from roofline_profiling.emulate.opencl.build_options import BuildOptions, build_options
from roofline_profiling.emulate.opencl.clang import UNOPTIMISED, Clang, clang_of, run
from roofline_profiling.emulate.opencl.kernels import (
    KernelDescription,
    described_kernels,
    missing_functions,
    with_required_sizes,
)
from roofline_profiling.emulate.opencl.library import library
from roofline_profiling.emulate.opencl.nvvm import NvvmError, find_nvvm, older, ptx_of
from roofline_profiling.emulate.opencl.source_lines import with_lines
from roofline_profiling.emulate.opencl.tools import ARCHITECTURE, CLANG, CUDA
from roofline_profiling.errors import ProfilerError

WITHOUT_CLANG: Final = (
    "there is no Clang that compiles OpenCL C for NVIDIA's GPUs: install one, as by"
    " `apt install clang`"
)
_REFUSED: Final = (
    "roofline-lsp: {} refuses a program of OpenCL C ({}): its machine code is made by Clang's own"
    " code generator"
)
_DEFINES: Final = ("-D__NV_CL_C_VERSION=120", "-D__IMAGE_SUPPORT__=1", "-D__ENDIAN_LITTLE__=1")
LIBDEVICE: Final = "nvvm/libdevice/libdevice.10.bc"
"""CUDA's mathematics, in its folder."""
_VERSION: Final = "2"


@dataclass(frozen=True, slots=True)
class Tools:
    """What a program is compiled with."""

    clang: Clang
    cuda: Path
    architecture: int
    cache: Path


class BuildFailureError(Exception):
    """The program is wrong; the message is what the compiler said."""


def built(source: bytes, options: BuildOptions, tools: Tools, program: Path) -> tuple[Path, str]:
    """The folder of a program's machine code, and the compiler's warnings.

    ``program`` is the executable, beside which the sources may lie. Raises BuildFailureError, and
    ProfilerError where something is missing.
    """
    text = with_lines(source.decode("utf-8", "replace"), (Path.cwd(), program.parent), tools.cache)
    linked = library(tools.clang, tools.cache)
    machine = (str(tools.cuda), str(tools.architecture), str(linked))
    parts = (_VERSION, tools.clang.key, *machine, repr(options), text)
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
    folder = tools.cache / f"program-{digest}"
    # Headers may have changed since.
    if folder.exists() and "#include" not in text:
        return folder, (folder / "log").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="roofline-", dir=tools.cache) as name:
        held = Path(name)
        log = _compiled(text, options, tools, linked, held)
        (held / "log").write_text(log, encoding="utf-8")
        return _kept(held, folder), log


def _kept(held: Path, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for name in ("program.cubin", "kernels", "log"):
        (held / name).replace(folder / name)
    return folder


def _compiled(text: str, options: BuildOptions, tools: Tools, linked: Path, held: Path) -> str:
    """Compile into a folder, and return what the compilers said."""
    source, ptx = held / "program.cl", held / "program.ptx"
    source.write_text(text, encoding="utf-8")
    nvvm = find_nvvm(tools.cuda, tools.architecture, tools.clang.release)
    if nvvm is None:
        made = _by_llvm(source, options, tools, linked)
    else:
        try:
            made = _by_nvvm(source, options, tools, linked, nvvm)
        except NvvmError as error:
            reason = str(error).splitlines()[-1]
            print(_REFUSED.format(nvvm.name, reason), file=sys.stderr)
            made = _by_llvm(source, options, tools, linked)
    lines = "".join(f"{line}\n" for each in made.kernels for line in each.lines)
    (held / "kernels").write_text(lines, encoding="utf-8")
    ptx.write_text(with_required_sizes(made.ptx, made.kernels), encoding="utf-8")
    assembler = [str(tools.cuda / "bin" / "ptxas"), f"-arch=sm_{tools.architecture}", "-lineinfo"]
    said = _said([*assembler, *options.ptxas, str(ptx), "-o", str(held / "program.cubin")])
    return made.log + said


@dataclass(frozen=True, slots=True)
class _Made:
    """A program as PTX."""

    ptx: str
    kernels: tuple[KernelDescription, ...]
    log: str


def _by_nvvm(source: Path, options: BuildOptions, tools: Tools, linked: Path, nvvm: Path) -> _Made:
    """By NVIDIA's optimiser and code generator. Raises NvvmError where it refuses Clang's code."""
    module, log = _module(source, options, tools, (linked,), UNOPTIMISED)
    given = (f"-arch=compute_{tools.architecture}", "-generate-line-info", *options.nvvm)
    ptx = ptx_of(older(module), nvvm, tools.cuda / LIBDEVICE, given)
    return _Made(ptx, described_kernels(module), log)


def _by_llvm(source: Path, options: BuildOptions, tools: Tools, linked: Path) -> _Made:
    """By Clang alone."""
    libraries = (linked, tools.cuda / LIBDEVICE)
    module, log = _module(source, options, tools, libraries, ("-O3",))
    code, ptx = source.with_suffix(".ll"), source.with_suffix(".ptx")
    words = [
        *(each if each != "cl" else "ir" for each in tools.clang.command), "-O3", "-Xclang",
        "-disable-llvm-passes", "-fno-dwarf-directory-asm", *options.code, "-S", str(code),
        "-o", str(ptx),
    ]  # fmt: skip
    _said(words)
    return _Made(ptx.read_text(encoding="utf-8"), described_kernels(module), log)


def _module(
    source: Path,
    options: BuildOptions,
    tools: Tools,
    libraries: Sequence[Path],
    optimised: Sequence[str],
) -> tuple[str, str]:
    """LLVM's code in text form, beside the source too, and the compiler's warnings."""
    code = source.with_suffix(".ll")
    linked = [part for path in libraries for part in ("-mlink-builtin-bitcode", str(path))]
    words = [
        *tools.clang.command, *optimised, "-ffp-contract=fast", "-fgnu89-inline",
        "-cl-kernel-arg-info", "-gline-directives-only", "-Xclang", "-dwarf-version=2", *_DEFINES,
        *options.clang, f"-I{Path.cwd()}", *(each for part in linked for each in ("-Xclang", part)),
        "-emit-llvm", "-S", str(source), "-o", str(code),
    ]  # fmt: skip
    log = _said(words)
    module = code.read_text(encoding="utf-8")
    if missing := missing_functions(module):
        names = ", ".join(missing)
        raise BuildFailureError(f"error: not emulated, or not there: the functions {names}\n")
    return module, log


def _said(words: Sequence[str]) -> str:
    """Run a compiler and return its warnings. Raises BuildFailureError with its errors."""
    done = run(words)
    if done.returncode:
        raise BuildFailureError(done.stderr)
    return done.stderr


def main(arguments: Sequence[str]) -> int:
    """Compile, and print what came of it."""
    source, text, program, cache = arguments
    options = build_options(text)
    if options.unknown:
        print(f"options\nunknown options: {' '.join(options.unknown)}")
        return 0
    try:
        if not (path := os.environ.get(CLANG)):
            raise ProfilerError(WITHOUT_CLANG)
        architecture = int(os.environ[ARCHITECTURE])
        tools = Tools(
            clang_of(path, architecture), Path(os.environ[CUDA]), architecture, Path(cache)
        )
        folder, log = built(Path(source).read_bytes(), options, tools, Path(program))
    except BuildFailureError as failure:
        print(f"failed\n{failure}")
    except (ProfilerError, OSError) as problem:
        print(f"missing\n{problem}")
    else:
        print(f"built {folder}\n{log}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
