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
from roofline_profiling.emulate.toolchain import CudaCompiler, find_openmp_compiler
from roofline_profiling.errors import ProfilerError
from roofline_profiling.process import run
from roofline_profiling.profile import Show

_DEVICE: Final = frozenset((".cu", ".hip"))
_OTHERS: Final = frozenset((*_DEVICE, ".cpp", ".cc", ".cxx", ".c"))
_HIP: Final = ".hip"
_HIP_HEADER: Final = b"hip/hip_runtime"
_TARGET_REGION: Final = re.compile(rb"#\s*pragma\s+omp\s+target\b")
_ELF: Final = b"\x7fELF"
_DEVICE_CODE: Final = b".nv_fatbin"
_RUNTIME: Final = b"libcudart.so."
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
    compiled = any(path.suffix.lower() in _DEVICE or has_target_regions(path) for path in paths)
    return tuple(found) if compiled else ()


def write_compilers(held: Path, compiler: CudaCompiler, architecture: int) -> dict[str, str]:
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
    }


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
    compiler = _compiler_of([around.folder / each for each in sources])
    offload = ("-fopenmp", "--offload-arch=native") if compiler == "clang++" else ()
    words = [compiler, "-O3", *offload, *flags, *sources, "-o", str(made)]
    around.show(words)
    program = shutil.which(compiler, path=around.environment["PATH"])
    if program is None:
        raise ProfilerError(WITHOUT_OPENMP)
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


def _compiler_of(sources: Sequence[Path]) -> str:
    if any(map(_is_hip, sources)):
        return "hipcc"
    return "nvcc" if any(path.suffix.lower() in _DEVICE for path in sources) else "clang++"


def _is_hip(path: Path) -> bool:
    """Whether a source is HIP's, by its name or by the header that it includes."""
    return path.suffix.lower() == _HIP or _HIP_HEADER in path.read_bytes()


def has_target_regions(path: Path) -> bool:
    """Whether a source of C or C++ has target regions of OpenMP."""
    try:
        return _TARGET_REGION.search(path.read_bytes()) is not None
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
