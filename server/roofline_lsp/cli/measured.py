"""Measurements put beside predictions, where projects have stores of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roofline_analysis.api import project_root
from roofline_analysis.report.report import FileReport, GpuUsed
from roofline_core.program.asked import ANYTHING, asked
from roofline_core.program.units import Problem, Severity
from roofline_core.settings import Settings, args_of
from roofline_profiling.errors import StoreError
from roofline_profiling.store_path import store_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofline_profiling.overlay import MeasurementIndex


class Measurements:
    """The stores of the projects of a run."""

    def __init__(self, gpu: GpuUsed, settings: Settings) -> None:
        self._gpu = gpu
        self._settings = settings
        self._index: MeasurementIndex | None = None
        self._stored: dict[Path, bool] = {}

    def are_there(self, files: Sequence[FileReport]) -> bool:
        """Whether the project of any file has a store."""
        folders = {file.path.absolute().parent for file in files}
        for folder in folders - self._stored.keys():
            store = store_path(project_root(folder))
            asked((store,))
            self._stored[folder] = store.exists()
        return any(self._stored[folder] for folder in folders)

    def beside(self, files: Sequence[FileReport], problems: list[Problem]) -> list[FileReport]:
        """The reports with measurements of their kernels; ``problems`` gets unreadable stores."""
        if not self.are_there(files):
            return list(files)
        if self._index is None:
            from roofline_profiling.overlay import MeasurementIndex  # noqa: PLC0415 - seldom needed

            self._index = MeasurementIndex()
        asked((ANYTHING,))
        try:
            return [
                self._index.beside(file, self._gpu, args_of(self._settings, [file.path]))
                for file in files
            ]
        except StoreError as error:
            path, _, message = str(error).partition(": ")
            problems.append(Problem(Severity.WARNING, message, Path(path)))
            return list(files)
