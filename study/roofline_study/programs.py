"""Programs of a data set: their source files, and the analyser that reads them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from roofline_analysis.api.explain.records import LaunchExplanation
from roofline_analysis.project.files import DEVICE_SUFFIXES, HEADER_SUFFIXES, has_main, read_file
from roofline_analysis.report.report import Prediction
from roofline_core.settings import SOURCE_SUFFIXES, Settings
from roofline_study.dataset import Dim3

_MAKEFILES: Final = ("Makefile", "makefile", "GNUmakefile")
_BORROWED: Final = re.compile(rb"(?<![\w./-])(?:\.\./)+[\w.+-]+(?:/[\w.+-]+)*")
"""A path that leads out of the folder, as make files write it."""


@dataclass(frozen=True, slots=True)
class Executable:
    """Files that are linked together."""

    units: tuple[Path, ...]
    """Compiled by themselves, those with a ``main`` first; headers are read where included."""
    include_dirs: tuple[Path, ...]


class Candidate(Protocol):
    """A kernel that a program defines."""

    @property
    def base_name(self) -> str:
        """The kernel's identifier without namespaces."""
        ...


class AnalysedProgram(Protocol):
    """A program that was read: ``roofline_analysis.api.ProgramAnalysis``."""

    def kernels(self) -> Sequence[Candidate]:
        """All kernels that the program defines."""
        ...

    def predict(
        self, profiled_name: str, *, grid: Dim3 | None, block: Dim3 | None
    ) -> Prediction | None:
        """The prediction for a kernel by its name in a profile; None if there is none."""
        ...

    def details(
        self, profiled_name: str, *, grid: Dim3 | None, block: Dim3 | None
    ) -> LaunchExplanation | None:
        """The explanation of that prediction."""
        ...


class Loader(Protocol):
    """Reads a program, as ``roofline_analysis.api.ProgramAnalysis.load`` does."""

    def __call__(
        self,
        paths: Sequence[Path],
        settings: Settings,
        *,
        argv: Sequence[str] | None,
        profiled_names: Sequence[str],
        root: Path,
    ) -> AnalysedProgram:
        """The program that these files make, run with these arguments (None: not known).

        ``profiled_names`` are all names in a profile of a run. Data files are read below ``root``.
        """
        ...


@dataclass(frozen=True, slots=True)
class ProgramAnalyser:
    """The analyser: reads programs and predicts their kernels."""

    load: Loader

    @classmethod
    def real(cls) -> ProgramAnalyser:
        """The analyser of this project, imported only here because it brings the parsers along."""
        from roofline_analysis.api import ProgramAnalysis, ProgramPlace  # noqa: PLC0415

        def load(
            paths: Sequence[Path],
            settings: Settings,
            *,
            argv: Sequence[str] | None,
            profiled_names: Sequence[str],
            root: Path,
        ) -> AnalysedProgram:
            """As ``Loader``."""
            place = ProgramPlace(root=root)
            return ProgramAnalysis.load(
                paths, settings, argv=argv, profiled_names=profiled_names, place=place
            )

        return cls(load)


def executables(folder: Path, sources: Path) -> tuple[Executable, ...]:
    """What the source files of a program's folder tree are built into; empty if there are none.

    Each folder with a ``main`` makes an executable of its own, with the files of the folders that
    have none. Upper folders come first. Every folder with headers, and a folder ``include`` in
    ``sources``, is searched for included files, the executable's own first. A folder tree without
    any ``main`` may build sources of other programs: its make file names them.
    """
    files = program_sources(folder)
    compiled = [path for path in files if path.suffix.lower() not in HEADER_SUFFIXES]
    if not compiled:
        return ()
    starts = {path for path in compiled if has_main(read_file(path) or b"")}
    homes = list(dict.fromkeys(path.parent for path in compiled if path in starts))
    headers = dict.fromkeys(path.parent for path in files if path not in compiled)
    borrowed = () if starts else _borrowed_sources(folder, sources)
    headers |= dict.fromkeys(path.parent for path in borrowed)
    shared = [sources / "include"] if (sources / "include").is_dir() else []
    made = []
    for home in homes or [folder]:
        own = [path for path in compiled if path.parent == home]
        if any(path in starts and path.suffix.lower() in DEVICE_SUFFIXES for path in own):
            # A ``main.cpp`` beside a ``main.cu`` is the program in another language.
            others = starts - {p for p in starts if p.suffix.lower() in DEVICE_SUFFIXES}
            own = [path for path in own if path not in others]
        own.sort(key=lambda path: path not in starts)
        rest = [path for path in compiled if path.parent != home and path.parent not in homes]
        includes = sorted(headers, key=lambda each: (each != home, len(each.parts), each))
        units = sorted((*borrowed, *own), key=lambda path: not has_main(read_file(path) or b""))
        made.append(Executable((*(units if borrowed else own), *rest), (*includes, *shared)))
    return tuple(made)


def program_sources(folder: Path) -> tuple[Path, ...]:
    """Every source file of a folder tree, those of upper folders first, then by path."""
    found = (path for path in folder.rglob("*") if path.suffix.lower() in SOURCE_SUFFIXES)
    files = [path for path in found if path.is_file()]
    return tuple(sorted(files, key=lambda path: (len(path.parts), path)))


def _borrowed_sources(folder: Path, sources: Path) -> tuple[Path, ...]:
    """Source files of other folders in ``sources`` that the folder's make file names."""
    text = next((held for name in _MAKEFILES if (held := read_file(folder / name))), b"")
    found: dict[Path, None] = {}
    for match in _BORROWED.finditer(text):
        path = Path(os.path.normpath(folder / match[0].decode("ascii", "replace")))
        suffix = path.suffix.lower()
        if suffix in SOURCE_SUFFIXES and suffix not in HEADER_SUFFIXES:
            if path.is_relative_to(sources) and path.is_file():
                found[path] = None
    return tuple(found)
