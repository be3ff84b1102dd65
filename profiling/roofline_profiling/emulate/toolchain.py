"""The programs that an emulation needs: CUDA's compiler and disassembler, and a C++ compiler.

They are looked for on ``PATH``, in CUDA's folder (``CUDA_HOME``, ``CUDA_PATH``,
``/usr/local/cuda``) and in NVIDIA's packages for Python, which the extra ``emulate`` installs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from roofline_profiling.errors import ProfilerError

INSTALL: Final = "pip install 'roofline-lsp[emulate]'"
_HOMES: Final = ("CUDA_HOME", "CUDA_PATH")
_USUAL: Final = "/usr/local/cuda"
_PACKAGES: Final = "nvidia/cu*"
"""Where NVIDIA's packages put a toolkit, below a folder of packages."""
_CODE: Final = re.compile(r"\bsm_(\d+)\b")
_TOP: Final = re.compile(r"^#\$ TOP=(.+)$", re.MULTILINE)
_RELEASE: Final = re.compile(r"release (\d+)\.(\d+)")
_HEADER: Final = "cuda_runtime_api.h"
_OPENCL_HEADER: Final = "CL/cl.h"
_SYSTEM_HEADERS: Final = ("/usr/include", "/usr/local/include")
_PTX_TARGET: Final = "nvptx64"
_ASK_LIMIT_S: Final = 60.0
_TARGET: Final = "x86_64-unknown-linux-gnu"
_CLANGS: Final = re.compile(r"clang-(\d+)")
_OPENMP_LIBRARY: Final = "libomptarget-nvptx-sm_{}.bc"


@dataclass(frozen=True, slots=True)
class CudaCompiler:
    """NVIDIA's compiler."""

    nvcc: Path
    release: tuple[int, int]
    """``(13, 0)``."""
    architectures: tuple[int, ...]
    """The compute capabilities that it makes machine code for: 86 for 8.6."""
    headers: Path
    """The folder of ``cuda_runtime_api.h``."""
    libraries: Path | None
    """Where CUDA's libraries are if its own settings miss that: the packages have no ``lib64``."""

    def nearest(self, wanted: int) -> int:
        """The architecture to compile for: the wanted one, or the nearest that it knows."""
        return min(self.architectures, key=lambda each: (abs(each - wanted), each < wanted))


def find_cuda_compiler(given: str | None = None) -> CudaCompiler:
    """The compiler: as given, or where it is found. Raises ProfilerError."""
    nvcc = _program("nvcc", given)
    if nvcc is None:
        what = f"'{given}' is no program" if given else "there is no CUDA compiler (nvcc)"
        raise ProfilerError(f"{what}: {INSTALL}, or name the folder of CUDA in CUDA_HOME")
    return _asked(nvcc)


@cache
def _asked(nvcc: Path) -> CudaCompiler:
    release = _RELEASE.search(_said([str(nvcc), "--version"]))
    codes = tuple(sorted({int(n) for n in _CODE.findall(_said([str(nvcc), "--list-gpu-code"]))}))
    if release is None or not codes:
        raise ProfilerError(f"{nvcc}: does not work as NVIDIA's compiler: {INSTALL}")
    root = _root(nvcc)
    headers, libraries = root / "include", root / "lib"
    if not (headers / _HEADER).is_file():
        raise ProfilerError(f"{headers}: CUDA's headers ({_HEADER}) are not there: {INSTALL}")
    missed = not (root / "lib64").is_dir() and any(libraries.glob("libcudart.so.*"))
    numbers = (int(release[1]), int(release[2]))
    return CudaCompiler(nvcc, numbers, codes, headers, libraries if missed else None)


def _root(nvcc: Path) -> Path:
    """CUDA's folder, as the compiler itself has it: what is on ``PATH`` may be a script."""
    said = _TOP.search(_said([str(nvcc), "--dryrun", "-E", "program.cu"]))
    return Path(said[1]).resolve() if said is not None else nvcc.resolve().parent.parent


@dataclass(frozen=True, slots=True)
class OpenMpCompiler:
    """A Clang that compiles target regions of OpenMP for NVIDIA's GPUs."""

    clang: Path
    libraries: Path
    """The folder of OpenMP's libraries, for the host and for GPUs."""


def find_openmp_compiler(architecture: int) -> OpenMpCompiler | None:
    """The newest Clang with OpenMP's library for an architecture; None where there is none."""
    return next((each for clang in _clangs() if (each := _openmp(clang, architecture))), None)


def _clangs() -> Iterator[Path]:
    """``clang`` and ``clang-NN`` of ``PATH``, the one without a number first, then the newest."""
    if (found := shutil.which("clang")) is not None:
        yield Path(found)
    numbered: dict[int, Path] = {}
    for place in os.environ.get("PATH", "").split(os.pathsep):
        for path in Path(place or ".").glob("clang-[0-9]*"):
            if (number := _CLANGS.fullmatch(path.name)) and os.access(path, os.X_OK):
                numbered.setdefault(int(number[1]), path)
    yield from (path for _, path in sorted(numbered.items(), reverse=True))


@cache
def _openmp(clang: Path, architecture: int) -> OpenMpCompiler | None:
    resources = _said([str(clang), "-print-resource-dir"]).strip()
    # Two folders above the compiler's own resources, or there in a folder of the target.
    for folder in (Path(resources).parent.parent, Path(resources).parent.parent / _TARGET):
        if (folder / _OPENMP_LIBRARY.format(architecture)).is_file():
            return OpenMpCompiler(clang, folder)
    return None


def find_opencl_compiler() -> Path | None:
    """A Clang that compiles OpenCL C for NVIDIA's GPUs; None where there is none."""
    return next((clang for clang in _clangs() if _compiles_opencl(clang)), None)


@cache
def _compiles_opencl(clang: Path) -> bool:
    return _PTX_TARGET in _said([str(clang), "--print-targets"])


def find_opencl_headers(cuda: Path) -> Path | None:
    """The folder of ``CL/cl.h``: that of CUDA's headers, or the machine's; None: there is none."""
    packages = [bin_folder.parent / "include" for bin_folder in _folders()]
    places = (cuda, *map(Path, _SYSTEM_HEADERS), *packages)
    return next((place for place in places if (place / _OPENCL_HEADER).is_file()), None)


def find_disassembler() -> Path:
    """``nvdisasm``. Raises ProfilerError."""
    found = _program("nvdisasm")
    if found is None:
        raise ProfilerError(f"there is no disassembler of CUDA (nvdisasm): {INSTALL}")
    return found


def find_host_compiler() -> Path:
    """The C++ compiler that machine code is translated for. Raises ProfilerError."""
    found = shutil.which("g++")
    if found is None:
        raise ProfilerError(
            "there is no C++ compiler (g++), by which kernels are translated: install it with the"
            " system's packages, as by `apt install g++`"
        )
    return Path(found)


def find_demangler() -> Path | None:
    """``c++filt``, or ``cu++filt``; None where there is neither."""
    found = shutil.which("c++filt")
    return Path(found) if found is not None else _program("cu++filt")


def _program(name: str, given: str | None = None) -> Path | None:
    if given is not None:
        found = shutil.which(given)
        return Path(found).absolute() if found is not None else None
    places = (os.environ.get("PATH", ""), *map(str, _folders()))
    found = next((path for place in places if (path := shutil.which(name, path=place))), None)
    return Path(found).absolute() if found is not None else None


def _folders() -> Iterator[Path]:
    """Folders of programs that are not on ``PATH``."""
    for variable in _HOMES:
        if home := os.environ.get(variable):
            yield Path(home) / "bin"
    yield Path(_USUAL) / "bin"
    for packages in dict.fromkeys(sys.path):
        if packages and Path(packages).is_dir():
            for toolkit in sorted(Path(packages).glob(_PACKAGES), reverse=True):
                yield toolkit / "bin"


def _said(command: Sequence[str]) -> str:
    """What a program says; empty where it cannot be run."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_ASK_LIMIT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr
