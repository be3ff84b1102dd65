"""``roofline-lsp --check`` of a corpus: records are written as programs are finished.

Each input is planned as a check of a folder is, its programs are analysed by whoever ``--jobs`` or
``--scheduler`` names, and the records of a program are written together. Of all that is written
little is kept in memory: what the run's own record says at the end.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from roofline_analysis.project.file_states import FileStates, ReadLog, digest
from roofline_analysis.project.readable import Readable
from roofline_analysis.project.tasks import ProgramTask, tasks_by_project
from roofline_analysis.report.report import FileReport
from roofline_core.program.units import Problem
from roofline_core.settings import Settings
from roofline_core.text.units import counted
from roofline_lsp.batch.identity import Identity
from roofline_lsp.batch.inputs.address import read_address
from roofline_lsp.batch.inputs.unpacking import unpacked
from roofline_lsp.batch.records.lines import FILE, KnownProgram, RecordLine
from roofline_lsp.batch.records.output import RecordOutput, record_output
from roofline_lsp.batch.run import ProgramReports, reports_as_made
from roofline_lsp.cli.batch import Prepared, projects_around
from roofline_lsp.cli.check import collected_work, tell_reasons
from roofline_lsp.cli.contracts import with_gpus
from roofline_lsp.cli.corpus_options import named_addresses, named_paths
from roofline_lsp.cli.corpus_records import CorpusProgram, FileOutcome, Naming, RecordMaker
from roofline_lsp.cli.exit_codes import FAILED, FINDINGS, OK
from roofline_lsp.cli.fail_on import FailOn
from roofline_lsp.cli.files import read_regular
from roofline_lsp.cli.options import analysis_layer, batch_options, warn_of_cache
from roofline_lsp.cli.progress import ProgressBar


@dataclass(slots=True)
class CorpusTotals:
    """What a run came to."""

    programs: int = 0
    taken_over: int = 0
    """Of the programs: those whose records an earlier run made."""
    files: int = 0
    kernels: int = 0
    unread: int = 0
    """Files of which something was not read."""
    fails: list[tuple[str, str]] = field(default_factory=list)
    """Where and why the check fails."""

    def add(self, outcome: FileOutcome) -> None:
        """Count a file."""
        self.files += 1
        self.kernels += len(outcome.file["kernels"])
        self.unread += outcome.unread
        self.fails += [(each["where"], each["message"]) for each in outcome.fails]

    def words(self) -> str:
        """The numbers, for people."""
        before = f", {self.taken_over} of them taken over" if self.taken_over else ""
        told = f"{counted(self.programs, 'program')}{before}, {counted(self.files, 'file')}"
        unread = f", {self.unread} of them not read in full" if self.unread else ""
        return f"{told}{unread}, {counted(self.kernels, 'kernel')}"


@dataclass(frozen=True, slots=True)
class CorpusInput:
    """What is checked as one: the paths of the command line, or an unpacked input."""

    works: tuple[Prepared, ...]
    """Each has files that may be linked with one another."""
    problems: tuple[Problem, ...] = ()
    naming: Naming = field(default_factory=Naming)

    @property
    def files(self) -> list[Path]:
        """All files that are checked."""
        return [path for work in self.works for path in work.found.files]


def run(options: argparse.Namespace) -> int:
    """Check what the options name, write records, and return the exit code.

    Raises RooflineError for what nothing can be done with.
    """
    fail_on = FailOn.of(options.fail_on, baseline=False)
    totals = CorpusTotals()
    with (
        record_output(options.output, resume=options.resume) as output,
        ProgressBar(sys.stderr, enabled=not options.no_progress) as bar,
    ):
        for each in _inputs(options):
            _InputRun(each, options, fail_on, output, totals).run(bar)
    if not totals.kernels:
        print("roofline-lsp: nothing to check: no kernel in what was read", file=sys.stderr)
        return FAILED
    if not options.quiet:
        print(f"roofline-lsp: {totals.words()}: {options.output}", file=sys.stderr)
    tell_reasons(totals.fails)
    failed = bool(totals.unread or totals.fails) and not options.exit_zero
    return FINDINGS if failed else OK


def _inputs(options: argparse.Namespace) -> Iterator[CorpusInput]:
    """Each input, as long as it is there."""
    layers = (analysis_layer(options),)
    paths = named_paths(options)
    if paths:
        yield CorpusInput((collected_work(options, paths, layers),))
    beside = options.output.absolute()
    beside = beside.with_name(f"{beside.name}.unpacked")
    for text in named_addresses(options):
        with unpacked(read_address(text), beside) as there:
            works = [collected_work(options, [str(root)], layers) for root in there.roots]
            if there.roots != (there.folder,):  # most rows of a table have no kernel
                works = [work for work in works if work.found.files]
            naming = Naming(str(there.folder), text)
            yield CorpusInput(tuple(works), there.problems, naming)


class _InputRun:
    """The check of one input."""

    def __init__(
        self,
        corpus: CorpusInput,
        options: argparse.Namespace,
        fail_on: FailOn,
        output: RecordOutput,
        totals: CorpusTotals,
    ) -> None:
        self._corpus, self._options, self._output = corpus, options, output
        self._fail_on, self._totals = fail_on, totals
        self._log = ReadLog(read_regular)
        self._outcomes: dict[int, tuple[FileOutcome, ...]] = {}
        """By program: files that say something of the run."""
        self._parts: dict[int, tuple[FileOutcome, ...]] = {}

    def run(self, bar: ProgressBar) -> None:
        """Check it."""
        if not self._corpus.works:
            return
        settings, gpus = with_gpus(
            self._corpus.works[0].settings, self._corpus.files, self._log.reader
        )
        tasks, problems = self._planned(settings)
        maker = RecordMaker(settings, gpus, self._fail_on, problems, self._corpus.naming)
        identity = Identity(settings, anywhere=True)
        done = 0

        def show(task: ProgramTask) -> None:
            """Move the bar on by one program."""
            nonlocal done
            done += 1
            bar.show(done, len(tasks), task.members[-1].name)

        missing = []
        keys = [self._key(identity, task, settings) for task in tasks]
        for index, task in enumerate(tasks):
            known = self._known(keys[index], task, settings)
            if known is None:
                missing.append(index)
                continue
            self._totals.taken_over += 1
            maker.pass_over(task.members)
            self._take(index, CorpusProgram.again(known.lines), known.lines)
            show(task)
        todo = [tasks[index] for index in missing]
        options = batch_options(self._options)
        for place, made in reports_as_made(todo, settings, self._log, options, warn=warn_of_cache):
            index = missing[place]
            outcome = _program(todo[place], made, maker)
            states = made.states if maker.is_lasting(made.reports) else None
            self._take(index, outcome, outcome.lines(keys[index], states))
            show(todo[place])
        self._close(tasks, maker)

    def _planned(self, settings: Settings) -> tuple[list[ProgramTask], list[Problem]]:
        tasks: list[ProgramTask] = []
        problems = list(self._corpus.problems)
        for work in self._corpus.works:
            projects = projects_around(work.found, settings, work.root, self._log)
            tasks += tasks_by_project(work.found.files, projects)
            problems += [*work.found.problems, *projects.problems]
        return tasks, problems

    def _key(self, identity: Identity, task: ProgramTask, settings: Settings) -> str:
        """What a program's records depend on besides the texts that it rests on."""
        own = identity.key(task, Readable.of(task.units, task.root, settings))
        parts = (own, repr(self._fail_on.words).encode(), repr(task.members).encode())
        return digest(*parts)

    def _known(self, key: str, task: ProgramTask, settings: Settings) -> KnownProgram | None:
        """What an earlier run wrote, if all that it rests on is as it was."""
        found = self._output.known(key)
        if found is None:
            return None
        rests_on = found.program["rests_on"]
        if rests_on is None:
            return None
        states = FileStates(self._log, Readable.of(task.units, task.root, settings))
        return found if all(states.of(path) == told for path, told in rests_on.items()) else None

    def _take(self, index: int, outcome: CorpusProgram, lines: Sequence[RecordLine]) -> None:
        self._output.add(lines)
        self._totals.programs += 1
        for each in outcome.files:
            self._totals.add(each)
        told = tuple(
            replace(each, file={}) for each in outcome.files if each.contracts or each.fails
        )
        if told:
            self._outcomes[index] = told
        if outcome.parts:
            self._parts[index] = outcome.parts

    def _close(self, tasks: Sequence[ProgramTask], maker: RecordMaker) -> None:
        """Write files of no program, those that several programs include, and the run."""
        members = {path for task in tasks for path in task.members}
        alone = [path for path in self._corpus.files if path not in members]
        rest = [maker.of(FileReport(path, ())) for path in alone]
        asked = {self._corpus.naming.told(str(path)) for path in self._corpus.files}
        parts: dict[str, FileOutcome] = {}
        for index in sorted(self._parts):
            for part in self._parts[index]:
                if part.file["path"] not in asked:
                    parts.setdefault(part.file["path"], part)
        rest += [*parts.values(), *maker.left()]
        for outcome in rest:
            self._totals.add(outcome)
        outcomes = [each for index in sorted(self._outcomes) for each in self._outcomes[index]]
        lines = [RecordLine.of(FILE, outcome.file) for outcome in rest]
        self._output.add([*lines, maker.run_line([*outcomes, *rest])])


def _program(task: ProgramTask, made: ProgramReports, maker: RecordMaker) -> CorpusProgram:
    members = set(task.members)
    files = tuple(maker.of(report) for report in made.reports if report.path in members)
    parts = tuple(maker.of(report) for report in made.reports if report.path not in members)
    return CorpusProgram(files, parts)
