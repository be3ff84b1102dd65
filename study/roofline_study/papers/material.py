"""What a question says of a kernel: language, name, GPU, launch, command line and sources."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_analysis.project.files import read_file
from roofline_analysis.report.report import GpuUsed
from roofline_core.program.precision import Precision
from roofline_core.text.units import significant
from roofline_study.dataset import Dim3, MeasuredKernel
from roofline_study.papers.errors import StudyError
from roofline_study.programs import executables, program_sources

_LANGUAGES = {"cuda": "CUDA", "omp": "OpenMP target offloading"}
_PEAKS = {
    Precision.SP: ("single-precision", "GFLOP/s"),
    Precision.DP: ("double-precision", "GFLOP/s"),
    Precision.INT: ("integer", "GOP/s"),
}


@dataclass(frozen=True, slots=True)
class NamedText:
    """A source file as questions show it."""

    name: str
    """Relative to the program's folder."""
    text: str


@dataclass(frozen=True, slots=True)
class AskedLaunch:
    """The launch that a question is about."""

    language: str
    """``cuda`` or ``omp``."""
    kernel: str
    """As a profiler names it."""
    grid: Dim3 | None
    block: Dim3 | None
    args: tuple[str, ...] | None
    """The command line of the program; None where it is not known."""

    @classmethod
    def of(cls, row: MeasuredKernel) -> AskedLaunch:
        """What a question tells of a measured kernel: nothing of what was measured."""
        return cls(row.language, row.kernel, row.grid, row.block, row.args)


def source_texts(program: str, sources: Path) -> tuple[NamedText, ...]:
    """Every source file of a program below ``sources``, and what its make file takes from others.

    What leads out of ``sources``, links followed, is left out. Raises StudyError for a program
    without any file.
    """
    folder, inside = sources / program, Path(os.path.realpath(sources))
    units = (path for each in executables(folder, sources) for path in each.units)
    found = [
        NamedText(_name(path, folder), content.decode("utf-8", "replace"))
        for path in dict.fromkeys((*program_sources(folder), *units))
        if inside in Path(os.path.realpath(path)).parents
        and (content := read_file(path)) is not None
    ]
    if not found:
        raise StudyError(
            f"no source file in {folder}; '--sources' must hold a folder for each program"
        )
    return tuple(found)


def kernel_text(launch: AskedLaunch, gpu: GpuUsed, files: Sequence[NamedText]) -> str:
    """What RQ2 tells of a kernel, the sources last, each after its name between dashes."""
    joined = "\n\n".join(f"-------- {file.name} --------\n{file.text.rstrip()}" for file in files)
    return "\n".join((*_facts(launch, gpu), "", "Source files:", "", joined))


def _facts(launch: AskedLaunch, gpu: GpuUsed) -> Iterator[str]:
    yield f"Language: {_LANGUAGES.get(launch.language, launch.language)}"
    yield f"Kernel: {launch.kernel}"
    yield from gpu_facts(gpu)
    yield f"Grid: {_size(launch.grid)}"
    yield f"Block: {_size(launch.block)}"
    args = "not known" if launch.args is None else " ".join(launch.args) or "(no argument)"
    yield f"Arguments of the program's command line: {args}"


def gpu_facts(gpu: GpuUsed) -> Iterator[str]:
    """Name, peaks and bandwidth of a GPU; its ridges are for who is asked to compute."""
    yield f"GPU: {gpu.name}"
    for precision, (words, unit) in _PEAKS.items():
        peak = gpu.peaks_gops.get(precision)
        if peak is not None:
            yield f"Peak {words} performance: {significant(peak, 6)} {unit}"
    yield f"Peak DRAM bandwidth: {significant(gpu.bandwidth_gbs, 5)} GB/s"


def _size(size: Dim3 | None) -> str:
    return "not known" if size is None else f"({size[0]}, {size[1]}, {size[2]})"


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name
