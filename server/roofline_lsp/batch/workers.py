"""Programs analysed in this process or in several, where one that breaks costs itself alone."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roofline_analysis.api.cache import AnalysisCache
from roofline_analysis.api.tasks import task_reports
from roofline_analysis.project.file_states import FileStates, ReadLog
from roofline_analysis.project.files import Reader
from roofline_analysis.project.readable import Readable
from roofline_analysis.project.tasks import ProgramTask
from roofline_analysis.report.report import FileReport
from roofline_core.algebra.symbolic import forget_unused_atoms
from roofline_core.program.asked import asking
from roofline_core.program.crash import crash_reason
from roofline_core.program.errors import RooflineError
from roofline_core.program.stages import StageClock, clock_in_force, measured
from roofline_core.program.units import Problem, Severity
from roofline_core.settings import Settings
from roofline_lsp.batch.options import BatchOptions

if TYPE_CHECKING:
    from roofline_study.workers import Done

_NEVER_S: Final = 1e6
"""No result depends on how long it takes: the work is limited by other numbers."""
_MOST_TEXT_BYTES: Final = 400_000
"""After so many bytes of sources read anew, what was kept of them for the next programs is dropped,
but for what the last program used, which bounds a process's memory. A limit."""
_MOST_NEW_OBJECTS: Final = 300_000
"""After so many objects more than there were, likewise: some 50 MB."""
_MOST_GARBAGE: Final = 200_000
"""If so many are left then, the collector looks for those that nothing else can reach."""
_MOST_MEMORY_BYTES: Final = 4 << 30
"""The most memory of a worker process. A limit; a program that needs more fails as by itself."""


@dataclass(frozen=True, slots=True)
class Made:
    """What the analysis of a task gave."""

    reports: tuple[FileReport, ...]
    states: dict[str, str] | None
    """The states of all paths that it asked for; None where the result is not to be kept."""
    clock: StageClock | None = None
    """What a worker process spent, where that is asked for."""
    refusal: str | None = None
    """Why settings cannot be used, in place of reports."""


@dataclass(slots=True)
class TaskAnalyser:
    """Analyses one task after the other. Travels to a worker process without what it has read."""

    settings: Settings
    log: ReadLog
    timed: bool = False
    shares_process: bool = False
    """Whether it is a guest in a process that does other things, whose memory is not its own."""
    keeping: bool = True
    """Whether the states of what a result rests on are wanted."""
    cache: AnalysisCache = field(default_factory=AnalysisCache)
    _read_bytes: int = 0
    _include_dirs: tuple[Path, ...] = ()
    """Those of the task before."""
    _frozen: int | None = None
    """How many objects were frozen at the last full collection; None before the first program."""
    _allowed_objects: int = _MOST_NEW_OBJECTS
    """So many more there may be than at the last collection."""

    def made(self, task: ProgramTask) -> Made:
        """A task's reports. Raises RooflineError, and whatever a fault of the analysis raises."""
        self._make_room(task)
        if not self.keeping:
            return Made(task_reports(task, self.settings, self.log, self.cache), None)
        with asking() as paths:
            reports = task_reports(task, self.settings, self.log, self.cache)
        states = None
        if not (paths & self.log.unsteady) and not any(map(_is_faulty, reports)):
            readable = Readable.of(task.units, task.root, self.settings)
            states = FileStates(self.log, readable).all_of(sorted(paths))
        return Made(reports, states)

    def __call__(self, task: ProgramTask) -> Made:
        """The same on behalf of another process, which waits."""
        if not self.shares_process:
            _limit_memory()
        try:
            if not self.timed:
                return self.made(task)
            with measured() as clock:
                made = self.made(task)
            return replace(made, clock=clock)
        except RooflineError as error:
            return Made((), None, refusal=str(error))

    def _make_room(self, task: ProgramTask) -> None:
        if self._frozen is None and not self.shares_process:
            self._freeze()  # what is there before the first program stays, as modules do
        fresh_bytes = self._bytes_to_read(task)
        self._include_dirs = task.include_dirs
        self._read_bytes += fresh_bytes
        if self._read_bytes > _MOST_TEXT_BYTES or gc.get_count()[0] > self._allowed_objects:
            self._read_bytes = fresh_bytes
            self.cache.keep_newest()
            if gc.get_count()[0] > _MOST_GARBAGE:
                self._collect()  # the command puts it off, as some things refer to themselves
            self._allowed_objects = gc.get_count()[0] + _MOST_NEW_OBJECTS

    def _collect(self) -> None:
        """Free what analyses left behind.

        What outlives one collection is not looked at in the next ones, as most of it is kept for
        many programs, until there is much more of it: some may have been dropped meanwhile.
        """
        if self._frozen is None:
            gc.collect()
        elif gc.get_freeze_count() <= self._frozen + _MOST_NEW_OBJECTS:
            gc.collect()
            gc.freeze()
        else:
            gc.unfreeze()
            gc.collect()
            self._freeze()
        forget_unused_atoms()

    def _freeze(self) -> None:
        gc.freeze()
        self._frozen = gc.get_freeze_count()

    def _bytes_to_read(self, task: ProgramTask) -> int:
        """The bytes of the files that are not kept, as far as folders and sizes tell."""
        same_options = task.include_dirs == self._include_dirs
        total = 0
        for path in task.units:
            size_bytes = _size_of(path)
            if not (same_options and self.cache.load.keeps(path, size_bytes)):
                total += size_bytes
        return total


@dataclass(frozen=True, slots=True)
class TravellingAnalyser:
    """What makes a ``TaskAnalyser`` on a worker of a cluster."""

    settings: Settings
    reader: Reader
    timed: bool

    def begun(self) -> TaskAnalyser:
        """An analyser that has read nothing yet."""
        log = ReadLog(self.reader)
        return TaskAnalyser(self.settings, log, timed=self.timed, shares_process=True)


def analysed(
    tasks: Sequence[ProgramTask], analyser: TaskAnalyser, options: BatchOptions
) -> Iterator[tuple[int, Made]]:
    """What each task gives, with its index, as it comes: from this process, others, or a cluster.

    The largest programs are begun first. Raises RooflineError for settings that cannot be used.
    """
    options = replace(options, jobs=options.processes_for(len(tasks)))
    if options.jobs == 1 and options.scheduler is None:
        for index, task in enumerate(tasks):
            yield index, _guarded(task, analyser)
        return
    analyser.timed = clock_in_force() is not None
    order = sorted(range(len(tasks)), key=lambda index: -size_of(tasks[index]))
    broken: list[int] = []
    for done in _shared_out([tasks[index] for index in order], analyser, options):
        index = order[done.index]
        if done.result is None:
            broken.append(index)
        else:
            yield index, _counted(done.result)
    for index in sorted(broken):
        yield index, _apart(tasks[index], analyser, options)


def _shared_out(
    items: Sequence[ProgramTask], analyser: TaskAnalyser, options: BatchOptions
) -> Iterator[Done[Made]]:
    """The outcome of each item as it comes; none where its process ended."""
    if options.scheduler is not None:
        from roofline_lsp.batch.cluster import on_cluster  # noqa: PLC0415 - for those who ask

        _check_travels(analyser.settings)
        work = TravellingAnalyser(analyser.settings, analyser.log.reader, analyser.timed)
        return on_cluster(work, items, options.scheduler)
    # A run in one process does without the import of multiprocessing.
    from roofline_study.workers import in_processes  # noqa: PLC0415

    jobs = options.processes_for(len(items))
    return in_processes(analyser, items, jobs=jobs, limit_s=_NEVER_S)


def _check_travels(settings: Settings) -> None:
    """Raises RooflineError for settings that mean something else on every machine."""
    names = (settings.gpu, *(settings.what_if or ()))
    if any("auto" in name.casefold() for name in names):
        raise RooflineError("'auto' is another GPU on each worker: name one, such as --gpu A100")
    if settings.ceilings == "measured":
        raise RooflineError(
            'ceilings = "measured" holds for this machine alone: leave it out with --scheduler'
        )


def size_of(task: ProgramTask) -> int:
    """The bytes of a program's files."""
    return sum(map(_size_of, task.units))


def _size_of(path: Path) -> int:
    """The bytes of a file; 0 for one that cannot be looked at."""
    with contextlib.suppress(OSError, ValueError):
        return path.stat().st_size
    return 0


def _apart(task: ProgramTask, analyser: TaskAnalyser, options: BatchOptions) -> Made:
    """A program's files one by one, each in a process that it may break."""
    found: dict[Path, FileReport] = {}
    for member in task.members:
        alone = replace(task, members=(member,))
        (done,) = _shared_out([alone], analyser, replace(options, jobs=1))
        if done.result is None:
            found[member] = _failure(member, done.failure or "")
            continue
        for report in _counted(done.result).reports:
            found.setdefault(report.path, report)
    first = [found.pop(member) for member in task.members]
    return Made((*first, *found.values()), None)


def _guarded(task: ProgramTask, analyser: TaskAnalyser) -> Made:
    """The same in this process, which a fault of the interpreter would end."""
    try:
        return analyser.made(task)
    except RooflineError:
        raise
    except Exception:  # one of its files is at fault: each by itself tells which
        found: list[FileReport] = []
        for member in task.members:
            try:
                found += analyser.made(replace(task, members=(member,))).reports[:1]
            except Exception as error:  # whatever it is, the other files are checked
                found.append(_failure(member, crash_reason(error)))
        return Made(tuple(found), None)


def _failure(path: Path, reason: str) -> FileReport:
    if reason.startswith("the process"):
        message = (
            f"not analysed: {reason}; the memory may not have sufficed, or the analyser has a"
            " fault: check this file alone, with --jobs 1, and report it if that fails, too"
        )
    else:
        message = f"internal error, please report it: {reason}"
    return FileReport(path, (), (Problem(Severity.ERROR, message, path),))


def _is_faulty(report: FileReport) -> bool:
    """Whether an internal error is told in it: perhaps memory was short, so it is tried again."""
    return any("internal error" in problem.message for problem in report.problems)


def _counted(made: Made) -> Made:
    if made.refusal is not None:
        raise RooflineError(made.refusal)
    clock = clock_in_force()
    if clock is not None and made.clock is not None:
        clock.add(made.clock)
    return made


def _limit_memory() -> None:
    if sys.platform != "linux":
        return
    import resource  # noqa: PLC0415 - Windows has none

    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = _MOST_MEMORY_BYTES if most == resource.RLIM_INFINITY else min(most, _MOST_MEMORY_BYTES)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))
