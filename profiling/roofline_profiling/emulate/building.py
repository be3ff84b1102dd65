"""A person's program for an emulation, and how it is built.

Either it is compiled from sources that are named, or by a command of the person's that finds our
compilers before the real ones.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from roofline_core.settings import special_character
from roofline_profiling.emulate.compiler_wrapper import (
    WITHOUT_OPENMP,
    OffloadTools,
    appended_flags,
    write_wrapper,
)
from roofline_profiling.emulate.native_build import Executor
from roofline_profiling.emulate.toolchain import (
    CudaCompiler,
    find_opencl_headers,
    find_openmp_compiler,
)
from roofline_profiling.errors import ProfilerError
from roofline_profiling.process import run
from roofline_profiling.profile import Show

_DEVICE: Final = frozenset((".cu", ".hip"))
_OTHERS: Final = frozenset((*_DEVICE, ".cpp", ".cc", ".cxx", ".c"))
_HIP: Final = ".hip"
_HIP_HEADER: Final = b"hip/hip_runtime"
_TARGET_REGION: Final = re.compile(rb"#\s*pragma\s+omp\s+target\b")
_OPENCL: Final = re.compile(
    rb"#\s*include\s*[<\"](?:CL|OpenCL)/(?:cl|opencl)\w*\.h(?:pp)?[>\"]"
    rb"|\bcl(?:EnqueueNDRangeKernel|CreateKernel|BuildProgram)\s*\("
)
_SYSTEM_HEADERS: Final = "/usr/include"
_ELF: Final = b"\x7fELF"
_DEVICE_CODE: Final = b".nv_fatbin"
_RUNTIME: Final = b"libcudart.so."
OPENCL_LIBRARIES: Final = ("-lOpenCL", "-lm")
"""What programs that use OpenCL are linked with."""
_MOST_LOOKED_AT: Final = 1000


Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Around:
    """Where programs run, and who is told of it."""

    folder: Path
    show: Show = lambda _: None
    """Told each command before it runs."""
    tell: Tell = lambda _: None
    """Told what else is done that takes a while."""
    output: int | None = None
    """Where programs print: a file descriptor, or None for standard error."""
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """What is run."""

    command: tuple[str, ...]
    args: tuple[str, ...] | None
    """The program's own arguments; None where the command is not the program itself."""
    source: str | None = None
    """The source that it was compiled from, if it was."""

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.source or self.command[0]


def sources_of(command: Sequence[str], folder: Path) -> tuple[str, ...]:
    """The sources that a command begins with; none where it is to be run as it is."""
    found = []
    for word in command:
        if Path(word).suffix.lower() not in _OTHERS or not (folder / word).is_file():
            break
        if os.access(folder / word, os.X_OK) and Path(word).suffix.lower() not in _DEVICE:
            break
        found.append(word)
    paths = [folder / each for each in found]
    return tuple(found) if any(map(_has_kernels, paths)) else ()


def _has_kernels(path: Path) -> bool:
    """Whether a source has kernels, or a host's part of OpenCL."""
    return path.suffix.lower() in _DEVICE or has_target_regions(path) or uses_opencl(path)


def write_compilers(
    held: Path, compiler: CudaCompiler, architecture: int, executor: Executor
) -> dict[str, str]:
    """Write the folder of compilers that a build finds first, and return its environment."""
    folder, libraries = held / "bin", held / "lib"
    folder.mkdir()
    libraries.mkdir()
    links = [libraries]
    if compiler.libraries is not None:
        links.append(compiler.libraries)
        runtime = next(iter(sorted(compiler.libraries.glob("libcudart.so.*"))))
        (libraries / "libcudart.so").symlink_to(runtime)
    nvcc = write_wrapper(folder, "nvcc", compiler.nvcc, architecture, links)
    write_wrapper(folder, "hipcc", compiler.nvcc, architecture, links)
    offload = _offload_tools(held, compiler, architecture)
    for name in ("clang++", "clang"):
        real = shutil.which(name) or (offload.clang if offload is not None else None)
        if real is not None:
            write_wrapper(folder, name, Path(real), architecture, offload=offload)
    return {
        "OMP_TARGET_OFFLOAD": "MANDATORY",
        "PATH": os.pathsep.join((str(folder), os.environ.get("PATH", os.defpath))),
        "CUDACXX": str(nvcc),
        "NVCC_APPEND_FLAGS": appended_flags(architecture),
        **_opencl_places(held, compiler, executor),
    }


def _opencl_places(held: Path, compiler: CudaCompiler, executor: Executor) -> dict[str, str]:
    """Where compilers look for OpenCL's headers and library, after what a build names itself."""
    places = {"LIBRARY_PATH": str(executor.folder)}
    headers = find_opencl_headers(compiler.headers)
    if headers is not None and str(headers) != _SYSTEM_HEADERS:
        (held / "include").mkdir()
        (held / "include" / "CL").symlink_to(headers / "CL")
        places |= dict.fromkeys(("C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"), str(held / "include"))
    return {name: _joined(path, os.environ.get(name)) for name, path in places.items()}


def _joined(first: str, others: str | None) -> str:
    return os.pathsep.join((first, *((others,) if others else ())))


def _offload_tools(held: Path, compiler: CudaCompiler, architecture: int) -> OffloadTools | None:
    """What compiles target regions of OpenMP, with CUDA's folder as Clang expects it."""
    openmp = find_openmp_compiler(architecture)
    if openmp is None:
        return None
    root, cuda = compiler.headers.parent, held / "cuda"
    (cuda / "bin").mkdir(parents=True)
    for name in ("include", "nvvm", "lib", "lib64"):
        if (root / name).exists():
            (cuda / name).symlink_to(root / name)
    for path in (root / "bin").glob("*"):
        if path.name == "nvlink":
            write_wrapper(cuda / "bin", path.name, path, architecture)
        else:
            (cuda / "bin" / path.name).symlink_to(path)
    return OffloadTools(str(openmp.clang), str(openmp.libraries), str(cuda))


def check_words(words: Sequence[str]) -> None:
    """Refuse what a shell would obey: nvcc runs its steps by way of one, the names in quotes.

    Raises ProfilerError.
    """
    for word in words:
        found = special_character(word)
        if found is not None:
            raise ProfilerError(
                f"{word!r} is not handed to a compiler, whose shell could read {found} as a"
                " command: rename the file or folder, or write the macro as a #define"
            )


def built(
    sources: Sequence[str],
    flags: Sequence[str],
    made: Path,
    around: Around,
    *,
    limit_s: float,
) -> None:
    """Compile sources to the executable ``made``. Raises ProfilerError."""
    check_words((*sources, str(around.folder)))
    compiler, *options = compiler_of([around.folder / each for each in sources])
    libraries = OPENCL_LIBRARIES if compiler in ("gcc", "g++") else ()
    words = [compiler, "-O3", *options, *flags, *sources, "-o", str(made), *libraries]
    around.show(words)
    program = shutil.which(compiler, path=around.environment["PATH"])
    if program is None:
        raise ProfilerError(WITHOUT_OPENMP if compiler == "clang++" else f"there is no {compiler}")
    ended = run(
        [program, *words[1:]],
        limit_s=limit_s,
        folder=around.folder,
        environment=around.environment,
        output=around.output,
    )
    if ended.interrupted:
        raise KeyboardInterrupt
    if ended.timed_out or ended.code:
        why = "took too long" if ended.timed_out else "failed"
        raise ProfilerError(
            f"{' '.join(sources)}: compiling {why}; give what it needs by --build-flags, or emulate"
            " the command that builds and runs it: -- make run"
        )


def compiler_of(sources: Sequence[Path]) -> list[str]:
    """The compiler of a program's sources, and what it is given besides."""
    if any(map(_is_hip, sources)):
        return ["hipcc"]
    if any(path.suffix.lower() in _DEVICE for path in sources):
        return ["nvcc"]
    if any(map(has_target_regions, sources)):
        return ["clang++", "-fopenmp", "--offload-arch=native"]
    return ["gcc" if all(path.suffix == ".c" for path in sources) else "g++"]


def _is_hip(path: Path) -> bool:
    """Whether a source is HIP's, by its name or by the header that it includes."""
    return path.suffix.lower() == _HIP or _HIP_HEADER in path.read_bytes()


def has_target_regions(path: Path) -> bool:
    """Whether a source of C or C++ has target regions of OpenMP."""
    try:
        return _TARGET_REGION.search(path.read_bytes()) is not None
    except OSError:
        return False


def uses_opencl(path: Path) -> bool:
    """Whether a source of C or C++ uses OpenCL: includes its header, or calls it."""
    try:
        return _OPENCL.search(path.read_bytes()) is not None
    except OSError:
        return False


def without_shared_runtime(command: Sequence[str], folder: Path) -> list[Path]:
    """Executables with device code that have the runtime library in them, and so escape emulation.

    The command itself is looked at, and the files of the folder where it runs.
    """
    places = [folder / command[0]]
    with contextlib.suppress(OSError):
        places += _executables(folder)
    return [path for path in dict.fromkeys(map(Path.resolve, places)) if _escapes(path)]


def is_executable(path: Path) -> bool:
    """Whether a file is a program of the machine, not a script."""
    try:
        with path.open("rb") as file:
            return file.read(len(_ELF)) == _ELF
    except OSError:
        return False


def _executables(folder: Path) -> Iterator[Path]:
    for number, path in enumerate(sorted(folder.iterdir())):
        if number == _MOST_LOOKED_AT:
            return
        if path.is_file() and os.access(path, os.X_OK):
            yield path


def _escapes(path: Path) -> bool:
    if not is_executable(path):
        return False
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(_DEVICE_CODE) >= 0 and data.find(_RUNTIME) < 0
    except (OSError, ValueError):
        return False
