"""The programs with kernels of folder trees: what each is built from, and how it is run."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from roofline_analysis.project.files import has_main, read_file
from roofline_core.settings import SKIPPED_FOLDERS
from roofline_profiling.differential.plan import Rules
from roofline_profiling.emulate.building import has_target_regions, uses_opencl

MAKEFILES: Final = ("Makefile", "makefile", "GNUmakefile")
_CUDA: Final = ".cu"
_LINKED: Final = frozenset((".cu", ".cpp", ".cc", ".cxx", ".c"))
_HOSTS: Final = _LINKED | {".h", ".hpp"}
_OPENCL: Final = re.compile(rb"OpenCL|OPENCL")
_DEVICE_COMPILER: Final = re.compile(rb"\b(?:nvcc|NVCC|hipcc|HIPCC)\b")


@dataclass(frozen=True, slots=True)
class TreeProgram:
    """One program of a tree."""

    name: str
    """Its path below the tree, with slashes: ``src/ace-cuda``, ``dev/cuda/adamw.cu``."""
    tree: Path
    """The folder that was named."""
    folder: Path
    """Where it is built and run."""
    sources: tuple[Path, ...] = ()
    """What the compiler is given; empty where the Makefile builds it."""
    args: tuple[str, ...] | None = None
    """Its command line; None for that of the Makefile's target ``run``, or none."""
    flags: tuple[str, ...] = ()
    """What the compiler is given besides, where there is no Makefile."""
    skip: str = ""
    """Why it is left out; empty if it is not."""

    @property
    def is_openmp(self) -> bool:
        """Whether its kernels are target regions of OpenMP, which no Makefile here builds."""
        others = not any(path.suffix.lower() == _CUDA for path in self.sources)
        return others and any(map(has_target_regions, self.sources))

    @property
    def by_make(self) -> bool:
        """Whether its Makefile builds it."""
        return not self.sources


def programs_of(trees: Sequence[Path], rules: Rules) -> list[TreeProgram]:
    """All programs of the trees, in the order of their paths."""
    found: dict[tuple[Path, tuple[Path, ...]], TreeProgram] = {}
    for tree in trees:
        for folder in _folders(tree.resolve()):
            for program in _in_folder(tree.resolve(), folder):
                found.setdefault((program.folder, program.sources), program)
    return [_by_rules(each, rules) for each in found.values()]


def _folders(tree: Path) -> Iterator[Path]:
    for name, folders, _ in os.walk(tree):
        folders[:] = sorted(
            each for each in folders if each not in SKIPPED_FOLDERS and not each.startswith(".")
        )
        yield Path(name)


def _in_folder(tree: Path, folder: Path) -> list[TreeProgram]:
    files = sorted(path for path in folder.iterdir() if path.is_file())
    linked = [path for path in files if path.suffix.lower() in _LINKED]
    device = [path for path in linked if path.suffix.lower() == _CUDA]
    starts = [path for path in linked if has_main(read_file(path) or b"")]
    named = folder.relative_to(tree).as_posix()
    name = folder.name if named == "." else named
    cuda_starts = [path for path in starts if path in device]
    if len(cuda_starts) > 1:
        return [TreeProgram(f"{name}/{path.name}", tree, folder, (path,)) for path in cuda_starts]
    if _is_made(folder, files, device):
        return [TreeProgram(name, tree, folder)]
    if _is_made_for_opencl(folder, files):
        return [TreeProgram(name, tree, folder)]
    main = cuda_starts or starts
    offloads = any(map(has_target_regions, files)) or any(map(uses_opencl, linked))
    if len(main) != 1 or not (device or offloads):
        return []
    others = [path for path in linked if path not in starts]
    return [TreeProgram(name, tree, folder, (main[0], *others))]


def _is_made(folder: Path, files: Sequence[Path], device: Sequence[Path]) -> bool:
    """Whether a Makefile of the folder compiles sources of CUDA or HIP."""
    text = _makefile(folder, files)
    if text is None or _DEVICE_COMPILER.search(text) is None:
        return False
    return bool(device) or b".cu" in text


def _is_made_for_opencl(folder: Path, files: Sequence[Path]) -> bool:
    """Whether a Makefile of the folder builds a program that uses OpenCL.

    Its sources are there, or below: where it names OpenCL, and no Makefile below does.
    """
    text = _makefile(folder, files)
    if text is None:
        return False
    if any(uses_opencl(path) for path in files if path.suffix.lower() in _HOSTS):
        return True
    if _OPENCL.search(text) is None:
        return False
    below = [path for path in folder.rglob("*") if path.parent != folder and path.is_file()]
    if any(each.name in MAKEFILES and _OPENCL.search(read_file(each) or b"") for each in below):
        return False
    return any(uses_opencl(path) for path in below if path.suffix.lower() in _HOSTS)


def _makefile(folder: Path, files: Sequence[Path]) -> bytes | None:
    path = next((folder / name for name in MAKEFILES if folder / name in files), None)
    return read_file(path) if path is not None else None


def _by_rules(program: TreeProgram, rules: Rules) -> TreeProgram:
    """The program with what the person's file says of it; later entries go before earlier ones."""
    for rule in rules:
        if not fnmatch.fnmatchcase(program.name, rule.pattern):
            continue
        program = replace(
            program,
            args=program.args if rule.args is None else rule.args,
            flags=(*program.flags, *rule.flags),
            skip=program.skip if rule.skip is None else rule.skip,
        )
    return program
