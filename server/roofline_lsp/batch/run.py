"""The reports of a request's programs: those that are kept, and the others made and kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from roofline_analysis.project.file_states import FileStates, ReadLog, digest
from roofline_analysis.project.readable import Readable
from roofline_analysis.project.tasks import ProgramTask
from roofline_analysis.report.report import FileReport
from roofline_core.program.asked import ANYTHING, asked
from roofline_core.program.records import record
from roofline_core.program.stages import count
from roofline_core.settings import Settings
from roofline_lsp.batch.identity import Identity
from roofline_lsp.batch.options import BatchOptions
from roofline_lsp.batch.record_json import DamagedError, RecordJson
from roofline_lsp.batch.store import Store

Done = Callable[[ProgramTask], None]
"""Told of each program whose reports are there."""


@record(frozen=True, slots=True)
class ProgramReports:
    """What a program came to."""

    reports: Sequence[FileReport]
    """Of its members, then of files that they include."""
    states: Mapping[str, str] | None
    """The states of all paths that they rest on; None where they are not to be kept."""


def task_reports(
    tasks: Sequence[ProgramTask],
    settings: Settings,
    log: ReadLog,
    options: BatchOptions,
    *,
    done: Done,
    warn: Callable[[str], None],
) -> list[Sequence[FileReport]]:
    """The reports of each task, in the order of the tasks. As ``reports_as_made`` otherwise."""
    found: dict[int, Sequence[FileReport]] = {}
    keeping = options.cache is not None
    for index, made in reports_as_made(tasks, settings, log, options, warn=warn, keeping=keeping):
        found[index] = made.reports
        done(tasks[index])
    return [found[index] for index in range(len(tasks))]


def reports_as_made(
    tasks: Sequence[ProgramTask],
    settings: Settings,
    log: ReadLog,
    options: BatchOptions,
    *,
    warn: Callable[[str], None],
    keeping: bool = True,
) -> Iterator[tuple[int, ProgramReports]]:
    """The reports of each task with its index, those that are kept first, each once.

    ``warn`` is told why kept reports are not used. Without ``keeping`` nobody asks for the states
    of paths. Raises RooflineError for settings that cannot be used.
    """
    kept = None if options.cache is None else KeptReports(options.cache, settings, log, warn)
    missing = []
    for index, task in enumerate(tasks):
        known = None if kept is None else kept.of(task)
        if known is None:
            missing.append(index)
        else:
            yield index, known
    if missing:
        yield from _made(tasks, missing, settings, log, options, kept, keeping=keeping)
    if kept is not None:
        kept.close()


def _made(
    tasks: Sequence[ProgramTask],
    missing: Sequence[int],
    settings: Settings,
    log: ReadLog,
    options: BatchOptions,
    kept: KeptReports | None,
    *,
    keeping: bool,
) -> Iterator[tuple[int, ProgramReports]]:
    # The analyser takes longest to import, and is not needed where everything is known.
    from roofline_lsp.batch.workers import TaskAnalyser, analysed  # noqa: PLC0415

    todo = [tasks[index] for index in missing]
    analyser = TaskAnalyser(settings, log, keeping=keeping)
    for position, made in analysed(todo, analyser, options):
        asked((ANYTHING,) if made.states is None else made.states)
        if kept is not None and made.states is not None:
            kept.put(todo[position], made.states, made.reports)
        yield missing[position], ProgramReports(made.reports, made.states)


class KeptReports:
    """Reports of programs kept between runs, as long as all that they rest on is the same."""

    def __init__(
        self, folder: Path, settings: Settings, log: ReadLog, warn: Callable[[str], None]
    ) -> None:
        self._store = Store(folder, warn)
        self._settings = settings
        self._identity = Identity(settings)
        self._log = log
        self._json = RecordJson(FileReport)
        self._held: dict[ProgramTask, dict[Path, FileReport]] = {}
        """Reports on a program's files that hold, where one that is asked for is missing."""

    def of(self, task: ProgramTask) -> ProgramReports | None:
        """The reports of a task; None where one is missing, or rests on what has changed."""
        readable = Readable.of(task.units, task.root, self._settings)
        states = FileStates(self._log, readable)
        for state, value in self._store.rows(self._identity.key(task, readable)):
            try:
                told, reports = self._unpacked(state, value)
            except DamagedError:
                continue
            if any(states.of(path) != known for path, known in told.items()):
                continue
            if all(member in reports for member in task.members):
                count("reports known before", len(task.members))
                asked(told)
                return ProgramReports(_in_order(task, reports), told)
            self._held[task] = reports
        return None

    def put(self, task: ProgramTask, states: dict[str, str], reports: Sequence[FileReport]) -> None:
        """Keep the reports of a task; those of its program's other files stay."""
        readable = Readable.of(task.units, task.root, self._settings)
        both = {**self._held.get(task, {}), **{report.path: report for report in reports}}
        told = json.dumps(states, sort_keys=True)
        state = bytes.fromhex(digest(told.encode()))
        body = self._json.encoded(tuple(both.values()))
        value = f"{told}\n{body}".encode()
        self._store.put(self._identity.key(task, readable), state, value)

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def _unpacked(
        self, state: bytes, value: bytes
    ) -> tuple[dict[str, str], dict[Path, FileReport]]:
        told, _, body = value.partition(b"\n")
        if bytes.fromhex(digest(told)) != state:
            raise DamagedError("a state and what it stands for differ")
        try:
            states = json.loads(told)
        except ValueError as error:
            raise DamagedError(str(error)) from None
        return states, {report.path: report for report in self._json.decoded(body)}


def _in_order(task: ProgramTask, reports: dict[Path, FileReport]) -> list[FileReport]:
    """The reports of a task's members, then those of files that are no sources by their suffix."""
    from roofline_core.settings import PYTHON_SUFFIXES, SOURCE_SUFFIXES  # noqa: PLC0415

    sources = SOURCE_SUFFIXES | PYTHON_SUFFIXES
    parts = [
        report
        for path, report in reports.items()
        if path not in task.members and path.suffix.lower() not in sources
    ]
    return [*(reports[member] for member in task.members), *parts]
