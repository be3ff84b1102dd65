"""The kernels of a project that measurements are of: found by name, analysed when asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_analysis.api import ProgramAnalysis, ProjectIndex, read_file
from roofline_analysis.names.profiled_names import parse_profiled_name
from roofline_analysis.project.programs import files_of_program
from roofline_analysis.report.report import Prediction
from roofline_core.program.crash import crash_reason
from roofline_core.program.errors import RooflineError
from roofline_core.program.units import Function
from roofline_core.settings import (
    PYTHON_SUFFIXES,
    SKIPPED_FOLDERS,
    SOURCE_SUFFIXES,
    Settings,
    args_of,
    is_excluded,
)
from roofline_parsers.reading.gate import has_kernels
from roofline_profiling.measurement import Measurement

_MAX_FILES = 20_000
_MAX_BYTES = 128 * 2**20


@dataclass(frozen=True, slots=True)
class LocatedKernel:
    """A kernel of the project."""

    path: Path
    line: int
    body: str
    """The hash of the code that it runs."""
    prediction: Prediction | None
    failure: str | None = None
    """The reason for a missing prediction."""


class Sources:
    """The sources below a folder. Reads each file once, and each program once a command line."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self._root = root
        self._settings = settings
        self._project = ProjectIndex(root, exclude=settings.exclude)
        self._texts: dict[Path, bytes] | None = None
        self._found: dict[tuple[object, ...], LocatedKernel | None] = {}
        self._programs: dict[tuple[object, ...], ProgramAnalysis] = {}

    def find(self, launch: Measurement) -> LocatedKernel | None:
        """The kernel that a launch was of, judged for that launch; None if no file has it.

        Launches that differ in nothing that the analysis is told are looked at once.
        """
        key = (launch.kernel, launch.args, launch.grid, launch.block)
        if key not in self._found:
            self._found[key] = self._find(launch)
        return self._found[key]

    def _find(self, launch: Measurement) -> LocatedKernel | None:
        name = parse_profiled_name(launch.kernel)
        wanted = (name.region_of or name.base_name).encode()
        for path, text in self._kernel_files().items():
            if wanted not in text:
                continue
            program = self._program(path, launch)
            kernel = program.kernel_of(launch.kernel, grid=launch.grid, block=launch.block)
            if kernel is not None:
                return _found(program, kernel, launch)
        return None

    def relative(self, path: Path) -> str:
        """A file as records name it: relative to the root where it is below, with slashes."""
        shown = path.relative_to(self._root) if path.is_relative_to(self._root) else path
        return shown.as_posix()

    def _program(self, path: Path, launch: Measurement) -> ProgramAnalysis:
        units: Sequence[Path] = files_of_program(path, self._project)
        argv = launch.args if launch.args is not None else args_of(self._settings, units)
        key = (tuple(units), argv)
        if key not in self._programs:
            self._programs[key] = ProgramAnalysis.load(
                units, self._settings, argv=argv, profiled_names=(launch.kernel,)
            )
        return self._programs[key]

    def _kernel_files(self) -> dict[Path, bytes]:
        if self._texts is None:
            self._texts = {}
            total = 0
            for path in self._files():
                text = read_file(path)
                if text is None or not has_kernels(text):
                    continue
                total += len(text)
                if len(self._texts) == _MAX_FILES or total > _MAX_BYTES:
                    break
                self._texts[path] = text
        return self._texts

    def _files(self) -> Iterator[Path]:
        for name, folders, files in os.walk(self._root):
            here = Path(name)
            folders[:] = sorted(
                each
                for each in folders
                if each not in SKIPPED_FOLDERS
                and not is_excluded(here / each, self._root, self._settings.exclude)
            )
            for file in (here / each for each in sorted(files)):
                suffix = file.suffix.lower()
                if suffix in SOURCE_SUFFIXES | PYTHON_SUFFIXES:
                    if not is_excluded(file, self._root, self._settings.exclude):
                        yield file


def _found(program: ProgramAnalysis, kernel: Function, launch: Measurement) -> LocatedKernel:
    prediction, failure = None, None
    try:
        prediction = program.predict(launch.kernel, grid=launch.grid, block=launch.block)
    except RooflineError as error:
        failure = str(error)
    except Exception as error:  # one kernel's crash must not cost the others
        failure = crash_reason(error)
    if prediction is not None and prediction.verdict is None:
        failure = "read, but left undecided"
    return LocatedKernel(
        kernel.path, kernel.name_span.line, program.body_hash(kernel), prediction, failure
    )
