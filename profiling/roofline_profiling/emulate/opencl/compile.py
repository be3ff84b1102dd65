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
from roofline_profiling.emulate.opencl.clang import Clang, clang_of, run
from roofline_profiling.emulate.opencl.kernels import (
    described_kernels,
    missing_functions,
    with_required_sizes,
)
from roofline_profiling.emulate.opencl.library import library
from roofline_profiling.emulate.opencl.source_lines import with_lines
from roofline_profiling.emulate.opencl.tools import ARCHITECTURE, CLANG, CUDA
from roofline_profiling.errors import ProfilerError

WITHOUT_CLANG: Final = (
    "there is no Clang that compiles OpenCL C for NVIDIA's GPUs: install one, as by"
    " `apt install clang`"
)
_DEFINES: Final = ("-D__NV_CL_C_VERSION=120", "-D__IMAGE_SUPPORT__=1", "-D__ENDIAN_LITTLE__=1")
_VERSION: Final = "1"


@dataclass(frozen=True, slots=True)
class Tools:
    """What a program is compiled with."""

    clang: Clang
    cuda: Path
    architecture: int
    cache: Path


class BuildFailure(Exception):
    """The program is wrong; the message is what the compiler said."""


def built(source: bytes, options: BuildOptions, tools: Tools, program: Path) -> tuple[Path, str]:
    """The folder of a program's machine code, and the compiler's warnings.

    ``program`` is the executable, beside which the sources may lie. Raises BuildFailure, and
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
        os.replace(held / name, folder / name)
    return folder


def _compiled(
    text: str, options: BuildOptions, tools: Tools, linked: Path, held: Path
) -> str:
    """Compile into a folder, and return what the compilers said."""
    source, code, ptx = held / "program.cl", held / "program.ll", held / "program.ptx"
    source.write_text(text, encoding="utf-8")
    device = tools.cuda / "nvvm" / "libdevice" / "libdevice.10.bc"
    libraries = [part for path in (linked, device) for part in ("-mlink-builtin-bitcode", str(path))]
    words = [
        *tools.clang.command, "-O3", "-ffp-contract=fast", "-fgnu89-inline", "-cl-kernel-arg-info",
        "-gline-directives-only", "-Xclang", "-dwarf-version=2", *_DEFINES, *options.clang, f"-I{Path.cwd()}",
        *(each for part in libraries for each in ("-Xclang", part)),
        "-emit-llvm", "-S", str(source), "-o", str(code),
    ]  # fmt: skip
    log = _said(words)
    module = code.read_text(encoding="utf-8")
    if missing := missing_functions(module):
        names = ", ".join(missing)
        raise BuildFailure(f"error: not emulated, or not there: the functions {names}\n")
    kernels = described_kernels(module)
    words = [
        *(each if each != "cl" else "ir" for each in tools.clang.command), "-O3", "-Xclang",
        "-disable-llvm-passes", "-fno-dwarf-directory-asm", *options.code, "-S", str(code),
        "-o", str(ptx),
    ]  # fmt: skip
    _said(words)
    lines = "".join(f"{line}\n" for each in kernels for line in each.lines)
    (held / "kernels").write_text(lines, encoding="utf-8")
    ptx.write_text(with_required_sizes(ptx.read_text(encoding="utf-8"), kernels), encoding="utf-8")
    assembler = [str(tools.cuda / "bin" / "ptxas"), f"-arch=sm_{tools.architecture}", "-lineinfo"]
    log += _said([*assembler, *options.ptxas, str(ptx), "-o", str(held / "program.cubin")])
    return log


def _said(words: Sequence[str]) -> str:
    """Run a compiler and return its warnings. Raises BuildFailure with its errors."""
    done = run(words)
    if done.returncode:
        raise BuildFailure(done.stderr)
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
    except BuildFailure as failure:
        print(f"failed\n{failure}")
    except (ProfilerError, OSError) as problem:
        print(f"missing\n{problem}")
    else:
        print(f"built {folder}\n{log}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
