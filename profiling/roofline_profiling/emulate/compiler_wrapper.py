"""Compilers that build programs for an emulation: ``nvcc``, ``clang++``, ``hipcc``, found first.

They call the real ones with other options: machine code for one architecture, not compressed, with
line numbers, and the shared runtime library, which another takes the place of at run time. Their
folder is put first on ``PATH`` while a person's command runs. Target regions of OpenMP are
compiled by the Clang that has OpenMP's library for NVIDIA's GPUs.

A wrapper runs this file by itself, so it imports nothing of the project.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

_ARCHITECTURES = frozenset(
    ("-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code")
)
_RUNTIMES = frozenset(("-cudart", "--cudart"))
_COMPRESSIONS = frozenset(("-compress-mode", "--compress-mode"))
_FATBINARY = frozenset(("-Xfatbin", "--fatbin-options"))
_QUESTIONS = frozenset(("--version", "-V", "--help", "-h", "--list-gpu-code", "--list-gpu-arch"))
_LINES = frozenset(("-lineinfo", "--generate-line-info", "-G", "--device-debug"))
_CLANG_ARCHITECTURES = ("--cuda-gpu-arch=", "--offload-arch=", "--no-cuda-gpu-arch=")
_CUDA_SUFFIX = ".cu"
_HIP_HEADERS = Path(__file__).parent / "hip"
_REMOVED_NAMES = Path(__file__).parent / "removed_names.h"
_REMOVED = re.compile(
    r'identifier "(?:cudaThread[A-Z]\w*|__shfl(?:_up|_down|_xor)?)" is undefined'
    r'|class "cudaDeviceProp" has no member'
    r"|Instruction 'vote' without '\.sync' is not supported"
)
"""What nvcc says of names that CUDA 13 has no more."""
_UNITS = (".cpp", ".cc", ".cxx", ".c", ".hip", _CUDA_SUFFIX)
_HIP_TO_NVCC = {
    "-fgpu-rdc": ("-rdc=true",),
    "-ffast-math": ("-use_fast_math",),
    "-pthread": ("-Xcompiler", "-pthread"),
    "-fopenmp": ("-Xcompiler", "-fopenmp"),
    "-fPIC": ("-Xcompiler", "-fPIC"),
    "--hip-link": (),
}
"""What nvcc is given for an option of hipcc."""
_HIP_DROPPED = frozenset(("-x", "-mllvm", "-Xclang", "--offload-arch"))
"""Options of hipcc with a value that nvcc does not need."""
_TO_LINKER = "-Wl,"
_OFFLOADS = ("-fopenmp-targets=", "--offload-arch=")
_OPENMP = frozenset(("-fopenmp", "-fopenmp=libomp", "-fiopenmp"))
_OFFLOAD_FLAGS = ("-march=", "-mcpu=")
WITHOUT_OPENMP = (
    "there is no Clang that compiles target regions of OpenMP for this GPU: install one with"
    " OpenMP's library for NVIDIA's GPUs, as by `apt install clang-19 clang-tools-19"
    " libomp-19-dev`"
)
_FLAGS_OFFSET = 48
"""Of the flags in the header of an ELF file."""


@dataclass(frozen=True, slots=True)
class OffloadTools:
    """What target regions of OpenMP are compiled with."""

    clang: str
    libraries: str
    """The folder of OpenMP's libraries, for the host and for GPUs."""
    cuda: str
    """A toolkit's folder as Clang expects one."""


def nvcc_arguments(
    given: Sequence[str], architecture: int, link_folders: Iterable[str] = ()
) -> list[str]:
    """The command line of the real ``nvcc``, without its name."""
    if _QUESTIONS & set(given):
        return list(given)
    dropped = _ARCHITECTURES | _RUNTIMES | _COMPRESSIONS
    kept = list(_without_compression(list(_without(given, dropped))))
    made = [f"-gencode=arch=compute_{architecture},code=sm_{architecture}", "-cudart=shared"]
    # fatbinary's own option: nvcc's --no-compress is not known to older releases.
    made += ["-Xfatbin", "-compress=false", "-Xlinker", "-z,lazy"]
    if not _LINES & set(kept):
        made.append("-lineinfo")
    return [*kept, *made, *(f"-L{folder}" for folder in link_folders)]


def appended_flags(architecture: int) -> str:
    """What ``NVCC_APPEND_FLAGS`` is set to, for builds that name another nvcc by its path.

    Such a build makes code for its own architectures, too, and must not ask for the static runtime
    by linking it itself.
    """
    code = f"-gencode=arch=compute_{architecture},code=sm_{architecture}"
    return f"{code} -cudart=shared -lineinfo -Xfatbin -compress=false"


def clang_arguments(given: Sequence[str], architecture: int) -> list[str]:
    """The command line of the real ``clang++``, without its name: as given where it is not CUDA."""
    words = [
        "-lcudart" if each in ("-lcudart_static", "-l:libcudart_static.a") else each
        for each in given
    ]
    if not _compiles_cuda(words):
        return words
    kept = [each for each in words if not each.startswith(_CLANG_ARCHITECTURES)]
    if not any(each.startswith("-g") and each != "-g0" for each in kept):
        kept.append("-gline-tables-only")
    return [*kept, f"--cuda-gpu-arch=sm_{architecture}"]


def hipcc_arguments(
    given: Sequence[str], architecture: int, link_folders: Iterable[str] = ()
) -> list[str]:
    """The command line of ``nvcc`` for one of ``hipcc``, without its name.

    HIP's names are CUDA's by headers of ours. Options of Clang that change no result are dropped.
    """
    if _QUESTIONS & set(given):
        return list(given)
    words: list[str] = []
    for word in _without(given, _HIP_DROPPED):
        if word in _HIP_TO_NVCC:
            words += _HIP_TO_NVCC[word]
        elif word.startswith(_TO_LINKER):
            words += ["-Xlinker", word.removeprefix(_TO_LINKER)]
        elif not word.startswith(("-f", "-m", "-W", "-g", "--amdgpu", "--rocm")):
            words.append(word)
    units = [each for each in words if each.endswith(_UNITS) and not each.startswith("-")]
    if any(not each.endswith(_CUDA_SUFFIX) for each in units):
        words = ["-x", "cu", *words]
    return nvcc_arguments([*words, f"-I{_HIP_HEADERS}"], architecture, link_folders)


def offload_arguments(given: Sequence[str], architecture: int, tools: OffloadTools) -> list[str]:
    """The command line of the Clang that compiles target regions, without its name."""
    words: list[str] = []
    for word in _without(given, frozenset(("-Xopenmp-target", "-fopenmp-targets"))):
        if word.startswith("-Xopenmp-target="):
            continue
        if word in _OPENMP or word.startswith((*_OFFLOADS, *_OFFLOAD_FLAGS)):
            continue
        words.append(word)
    if not any(each.startswith("-g") and each != "-g0" for each in words):
        words.append("-gline-tables-only")
    return [
        *words,
        "-fopenmp",
        f"--offload-arch=sm_{architecture}",
        f"--cuda-path={tools.cuda}",
        f"--libomptarget-nvptx-bc-path={tools.libraries}",
        f"-L{tools.libraries}",
        f"-Wl,-rpath,{tools.libraries}",
    ]


def offloads(words: Sequence[str]) -> bool:
    """Whether a command line of Clang is for target regions of OpenMP."""
    return any(each.startswith(_OFFLOADS) for each in words) and not _OPENMP.isdisjoint(words)


def _compiles_cuda(words: Sequence[str]) -> bool:
    if any(each.startswith(_CLANG_ARCHITECTURES) for each in words):
        return True
    languages = {other for one, other in pairwise(words) if one == "-x"}
    languages |= {each[2:] for each in words if each.startswith("-x") and each != "-x"}
    if languages:
        return "cuda" in languages
    return any(each.endswith(_CUDA_SUFFIX) and not each.startswith("-") for each in words)


def _without(given: Sequence[str], names: frozenset[str]) -> Iterator[str]:
    """The words without options of these names, whose values follow them or a ``=``."""
    words = iter(given)
    for word in words:
        name, equals, _ = word.partition("=")
        if name not in names:
            yield word
        elif not equals:
            next(words, None)


def _without_compression(given: Sequence[str]) -> Iterator[str]:
    """The words without options for ``fatbinary`` that compress."""
    words = iter(given)
    for word in words:
        name, equals, value = word.partition("=")
        if name not in _FATBINARY:
            yield word
            continue
        value = value if equals else next(words, "")
        kept = [each for each in value.split(",") if "compress" not in each]
        if kept:
            yield from (name, ",".join(kept))


def write_wrapper(
    folder: Path,
    name: str,
    real: Path,
    architecture: int,
    link_folders: Iterable[Path] = (),
    offload: OffloadTools | None = None,
) -> Path:
    """Write a compiler's wrapper into a folder, and return its path."""
    command = [sys.executable, "-I", __file__, name, str(real), str(architecture)]
    command.append(os.pathsep.join(map(str, link_folders)))
    command.append(json.dumps(None if offload is None else asdict(offload)))
    path = folder / name
    path.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return path


def main(argv: Sequence[str]) -> None:
    """Do as the real compiler: name, path, architecture, folders, tools, and what it was given."""
    name, real, architecture, folders, offload, *given = argv
    if name == "nvlink":
        sys.exit(_link(real, int(architecture), given))
    tools = json.loads(offload)
    if name in ("nvcc", "hipcc"):
        arguments = nvcc_arguments if name == "nvcc" else hipcc_arguments
        words = arguments(given, int(architecture), filter(None, folders.split(os.pathsep)))
        os.environ.pop("NVCC_APPEND_FLAGS", None)
        sys.exit(_compile(real, words))
    elif offloads(given):
        if tools is None:
            sys.exit(f"roofline-lsp: {WITHOUT_OPENMP}")
        known = OffloadTools(**tools)
        words, real = offload_arguments(given, int(architecture), known), known.clang
        if name == "clang++":
            words.insert(0, "--driver-mode=g++")
    else:
        words = clang_arguments(given, int(architecture))
    os.execv(real, [real, *words])


def _compile(real: str, words: Sequence[str]) -> int:
    """Run ``nvcc``; once more where a source uses names that CUDA has no more, with these.

    A source that has them is compiled as it is: none of ours can be in its way.
    """
    done = subprocess.run([real, *words], check=False, stderr=subprocess.PIPE)
    said = done.stderr.decode(errors="replace")
    if done.returncode != 0 and _REMOVED.search(said):
        again = subprocess.run([real, *words, "-include", str(_REMOVED_NAMES)], check=False)
        return again.returncode
    sys.stderr.write(said)
    return done.returncode


def _link(real: str, architecture: int, given: Sequence[str]) -> int:
    """Run ``nvlink``, and write the architecture where OpenMP's runtime library looks for it.

    It takes the low byte of the header's flags, where linkers of CUDA 13 no longer have it.
    """
    done = subprocess.run([real, *given], check=False)
    made = next((after for word, after in pairwise(given) if word == "-o"), None)
    if done.returncode == 0 and made is not None:
        with Path(made).open("r+b") as file:
            file.seek(_FLAGS_OFFSET)
            file.write(bytes([architecture]))
    return done.returncode


if __name__ == "__main__":
    main(sys.argv[1:])
