"""The executor: C++ of this package, compiled on the machine that runs it, once."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from roofline_profiling.emulate.toolchain import find_opencl_headers
from roofline_profiling.errors import ProfilerError

SOURCES: Final = Path(__file__).with_name("native")
RELEASES: Final = (12, 13)
"""The releases of CUDA whose runtime library the executor takes the place of."""
OLDEST: Final = (12, 2)
"""The oldest release whose headers the executor has been compiled with; 12.0 lacks functions."""
OPENCL: Final = "libOpenCL.so.1"
OPENCL_LINK: Final = "libOpenCL.so"
"""OpenCL's library, which stands on the other; it is made where OpenCL's headers are."""
DRIVERS: Final = ("libcuda.so", "libcuda.so.1")
"""Names of the driver's library, which is the same one: links to it."""
_FLAGS: Final = (
    "-std=c++17",
    "-O2",
    "-march=native",
    "-fPIC",
    "-ffp-contract=off",
    "-frounding-math",
    "-pthread",
    "-Wno-psabi",
)
_COMPILE_LIMIT_S: Final = 900.0
_MOST_SAID: Final = 2000

Tell = Callable[[str], None]


def cache_folder() -> Path:
    """Where executors are kept; the folder need not exist."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "roofline-lsp" / "emulate"


@dataclass(frozen=True, slots=True)
class Executor:
    """The compiled executor."""

    folder: Path
    """A folder with the runtime library, for ``LD_LIBRARY_PATH``. It is named by the processor and
    the compiler, among others, so what it holds was compiled for them."""

    @property
    def kernels(self) -> Path:
        """Where kernels compiled for this executor are kept; the folder need not exist."""
        return self.folder / "kernels"


def build_executor(
    compiler: Path,
    headers: Path,
    release: tuple[int, int],
    tell: Tell = lambda _: None,
    *,
    cache: Path | None = None,
) -> Executor:
    """The executor for programs of a release of CUDA, compiled unless it is in the cache.

    ``release`` is its major and minor number, ``headers`` the folder of its headers; ``tell`` is
    told when the executor is compiled, which takes a while. Raises ProfilerError.
    """
    sources = sorted(SOURCES.glob("*.cpp"))
    if not sources:
        raise ProfilerError(f"{SOURCES}: the sources of the executor are not there; install again")
    major, minor = release
    if major not in RELEASES or release < OLDEST:
        known = f"{OLDEST[0]}.{OLDEST[1]} to {RELEASES[-1]}; --nvcc names another compiler"
        raise ProfilerError(f"CUDA {major}.{minor} is not known to the executor, only {known}")
    name = f"libcudart.so.{major}"
    opencl = find_opencl_headers(headers)
    folder = (cache or cache_folder()) / f"executor-{_key(compiler, headers, opencl)}"
    if (folder / name).is_file():
        return Executor(folder)
    tell("compiling the executor, once for this machine")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="building-") as made:
            _compile(compiler, headers, sources, Path(made) / name)
            folder.mkdir(exist_ok=True)
            if opencl is not None:
                _compile_opencl(compiler, opencl, Path(made) / name)
                (Path(made) / OPENCL).replace(folder / OPENCL)
                (folder / OPENCL_LINK).unlink(missing_ok=True)
                (folder / OPENCL_LINK).symlink_to(OPENCL)
            for link in DRIVERS:
                (folder / link).unlink(missing_ok=True)
                (folder / link).symlink_to(name)
            (Path(made) / name).replace(folder / name)
    except OSError as error:
        raise ProfilerError(f"{folder}: cannot be written: {error.strerror}") from None
    return Executor(folder)


def _key(compiler: Path, headers: Path, opencl: Path | None) -> str:
    """A hash of all that the library depends on: sources, compiler, options and processor."""
    digest = hashlib.sha256(repr((_FLAGS, str(headers), str(opencl))).encode())
    digest.update(_said([str(compiler), "--version"]).encode())
    digest.update(_said([str(compiler), "-march=native", "-Q", "--help=target"]).encode())
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file():
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def _compile(compiler: Path, headers: Path, sources: Sequence[Path], library: Path) -> None:
    objects = _objects(compiler, headers, sources, library.parent)
    _run([
        str(compiler), "-shared", "-pthread", f"-Wl,-soname,{library.name}",
        f"-Wl,--version-script,{SOURCES / library.name}.map", "-Wl,-Bsymbolic",
        *map(str, objects), "-ldl", "-o", str(library),
    ])  # fmt: skip


def _compile_opencl(compiler: Path, headers: Path, runtime: Path) -> None:
    """OpenCL's library, beside the runtime library that it stands on.

    Its symbols have no version: programs that were linked with any other library for OpenCL find
    them.
    """
    sources = sorted((SOURCES / "opencl").glob("*.cpp"))
    objects = _objects(compiler, headers, sources, runtime.parent, "-fvisibility=hidden")
    _run([
        str(compiler), "-shared", "-pthread", f"-Wl,-soname,{OPENCL}", "-Wl,-rpath,$ORIGIN",
        "-Wl,-Bsymbolic", *map(str, objects), str(runtime), "-o", str(runtime.with_name(OPENCL)),
    ])  # fmt: skip


def _objects(
    compiler: Path, headers: Path, sources: Sequence[Path], folder: Path, *flags: str
) -> list[Path]:
    objects = [folder / f"{source.stem}.o" for source in sources]
    options = [*_FLAGS, *flags, f"-I{SOURCES}", f"-I{headers}"]
    commands = [
        [str(compiler), *options, "-c", str(source), "-o", str(made)]
        for source, made in zip(sources, objects, strict=True)
    ]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(_run, commands))
    return objects


def _run(command: Sequence[str]) -> None:
    """Raises ProfilerError with what the compiler said."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_COMPILE_LIMIT_S
        )
    except subprocess.TimeoutExpired:
        raise ProfilerError(f"{command[0]}: took too long to compile the executor") from None
    if done.returncode:
        said = done.stderr.strip()[:_MOST_SAID]
        raise ProfilerError(f"{command[0]} cannot compile the executor:\n{said}")


def _said(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_COMPILE_LIMIT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
