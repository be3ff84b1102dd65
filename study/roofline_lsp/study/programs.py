"""Programs of a data set: their source files, and what reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from roofline_lsp.api.report import LaunchReport, Prediction
from roofline_lsp.settings import SOURCE_SUFFIXES, Settings
from roofline_lsp.study.dataset import Dim3

HEADER_SUFFIXES = frozenset({".cuh", ".h", ".hh", ".hpp", ".hxx", ".inc", ".inl"})


class Candidate(Protocol):
    """A kernel that a program defines."""

    @property
    def base_name(self) -> str:
        """The identifier alone."""
        ...


class Program(Protocol):
    """A program that was read: ``roofline_lsp.api.ProgramAnalysis``."""

    def kernels(self) -> Sequence[Candidate]:
        """All it defines."""
        ...

    def predict(
        self, profiled_name: str, *, grid: Dim3 | None, block: Dim3 | None
    ) -> Prediction | None:
        """The prediction for a kernel by its name in a profile; None if there is none."""
        ...


class Loader(Protocol):
    """Reads a program: ``roofline_lsp.api.ProgramAnalysis.load``."""

    def __call__(
        self, paths: Sequence[Path], settings: Settings, *, argv: Sequence[str] | None
    ) -> Program:
        """The program that these files make, run with these arguments (None: not known)."""
        ...


LaunchFinder = Callable[[Sequence[Path], Settings, str], tuple[LaunchReport, ...]]
"""The launches of the kernels with a base name, found by following the host code."""


@dataclass(frozen=True, slots=True)
class Analyser:
    """What reads programs and predicts their kernels."""

    load: Loader
    find_launches: LaunchFinder

    @classmethod
    def real(cls) -> Analyser:
        """The analyser of this project, imported only here because it brings the parsers along."""
        from roofline_lsp.api import ProgramAnalysis  # noqa: PLC0415

        return cls(ProgramAnalysis.load, _launches_by_host)


def _launches_by_host(
    paths: Sequence[Path], settings: Settings, name: str
) -> tuple[LaunchReport, ...]:
    from roofline_lsp.api import analyze_paths  # noqa: PLC0415

    return tuple(
        launch
        for report in analyze_paths(paths, settings)
        for kernel in report.kernels
        if kernel.base_name == name
        for launch in kernel.launches
    )


def program_sources(folder: Path) -> tuple[Path, ...]:
    """Every source file of a program's folder tree, in order of its path."""
    found = (path for path in folder.rglob("*") if path.suffix.lower() in SOURCE_SUFFIXES)
    return tuple(sorted(path for path in found if path.is_file()))


def include_folders(sources: Path, files: Sequence[Path]) -> tuple[Path, ...]:
    """Its own folders with headers, and a folder ``include`` beside the programs.

    No build file is read, so these stand for the compiler's ``-I`` options.
    """
    own = {path.parent for path in files if path.suffix.lower() in HEADER_SUFFIXES}
    shared = sources / "include"
    return (*sorted(own), *((shared,) if shared.is_dir() else ()))
