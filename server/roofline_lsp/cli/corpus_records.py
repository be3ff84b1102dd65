"""The records of files, and what a run keeps of them to say at its end whether it fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roofline_analysis.api import gpu_used
from roofline_analysis.report.report import FileReport, Report
from roofline_core.program.units import Problem
from roofline_core.settings import Settings
from roofline_lsp.batch.records.lines import FILE, PROGRAM, RUN, RecordLine
from roofline_lsp.cli.check import has_unread, with_problems
from roofline_lsp.cli.contracts import ContractGpus
from roofline_lsp.cli.fail_on import FailOn, blamed
from roofline_lsp.cli.files import read_regular
from roofline_lsp.cli.judging import judged
from roofline_lsp.cli.measured import Measurements
from roofline_lsp.formats.check_values import check_values
from roofline_lsp.formats.json import file_json, to_json


@dataclass(frozen=True, slots=True)
class Naming:
    """How paths are told: those of an unpacked input as ``zip://FILE#src/a.cu``."""

    folder: str = ""
    """Where the input was unpacked; empty where nothing was."""
    address: str = ""

    def told(self, value: Any) -> Any:
        """A value of JSON with the input's address in the place of the folder."""
        if not self.folder:
            return value
        if isinstance(value, str):
            below = value.replace(f"{self.folder}/", f"{self.address}#")
            return below.replace(self.folder, self.address)
        if isinstance(value, Mapping):
            return {key: self.told(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.told(each) for each in value]
        return value


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """A file's record, and what it adds to the run's."""

    file: Mapping[str, Any]
    contracts: Sequence[Any]
    fails: Sequence[Any]
    unread: bool
    """Whether something of it was not read."""

    def values(self) -> Mapping[str, Any]:
        """What a program's record holds of it, to be read again."""
        own = {"contracts": self.contracts, "fails": self.fails, "unread": self.unread}
        return {"path": self.file["path"], **{key: value for key, value in own.items() if value}}

    @classmethod
    def again(cls, values: Mapping[str, Any], file: Mapping[str, Any]) -> FileOutcome:
        """What ``values`` gave."""
        contracts, fails = values.get("contracts", ()), values.get("fails", ())
        return cls(file, contracts, fails, bool(values.get("unread", False)))


@dataclass(frozen=True, slots=True)
class CorpusProgram:
    """A program's files, and the headers with kernels that it includes."""

    files: tuple[FileOutcome, ...]
    parts: tuple[FileOutcome, ...]
    """Other programs may have the same; the first that has one decides, once all are known."""

    def lines(self, key: str, rests_on: Mapping[str, str] | None) -> tuple[RecordLine, ...]:
        """The lines of the program. ``rests_on``: the states of paths; None where unknown."""
        program = {
            "key": key,
            "rests_on": rests_on,
            "files": [each.values() for each in self.files],
            "parts": [{**each.values(), "file": each.file} for each in self.parts],
        }
        files = (RecordLine.of(FILE, each.file) for each in self.files)
        return (*files, RecordLine.of(PROGRAM, program))

    @classmethod
    def again(cls, lines: Sequence[RecordLine]) -> CorpusProgram:
        """What gave these lines; of each file its path and number of kernels alone."""
        program = lines[-1].record()
        files = (
            FileOutcome.again(values, line.record())
            for values, line in zip(program["files"], lines, strict=False)
        )
        parts = (FileOutcome.again(values, values["file"]) for values in program["parts"])
        return cls(tuple(files), tuple(parts))


class RecordMaker:
    """Makes records of reports, each file by itself, as a whole report has them."""

    def __init__(
        self,
        settings: Settings,
        gpus: ContractGpus,
        fail_on: FailOn,
        problems: Sequence[Problem],
        naming: Naming,
    ) -> None:
        """``problems`` are those that were met before the analysis."""
        self._settings, self._gpus, self._fail_on = settings, gpus, fail_on
        self._gpu = gpu_used(settings)
        self._measured = Measurements(self._gpu, settings)
        self._naming = naming
        self._problems: dict[Path, list[Problem]] = {}
        for problem in problems:
            self._problems.setdefault(problem.path or Path(), []).append(problem)

    def is_lasting(self, reports: Sequence[FileReport]) -> bool:
        """Whether records of reports rest on nothing but what the reports rest on."""
        return not self._measured.are_there(reports)

    def of(self, report: FileReport) -> FileOutcome:
        """The record of a file."""
        problems = list(self._problems.pop(report.path, ()))
        (report,) = self._measured.beside([report], problems)
        reports = with_problems([report], problems)
        result = judged(
            Report(self._gpu, reports, self._settings.settings_profile),
            *(self._settings, self._gpus, read_regular),
        )
        result = blamed(result, self._fail_on)
        values = self._naming.told(check_values(result))
        record = self._naming.told(file_json(result.report.files[0]))
        return FileOutcome(record, values["contracts"], values["fails"], has_unread(result))

    def pass_over(self, paths: Sequence[Path]) -> None:
        """Files whose records are there already, with their problems."""
        for path in paths:
            self._problems.pop(path, None)

    def left(self) -> list[FileOutcome]:
        """The records of paths that have problems and no report."""
        return [self.of(FileReport(path, ())) for path in list(self._problems)]

    def run_line(self, outcomes: Sequence[FileOutcome]) -> RecordLine:
        """The record of the whole."""
        whole = to_json(Report(self._gpu, (), self._settings.settings_profile))
        run = {key: value for key, value in whole.items() if key != "files"}
        run["contracts"] = [value for each in outcomes for value in each.contracts]
        run["fails"] = [value for each in outcomes for value in each.fails]
        return RecordLine.of(RUN, run)
