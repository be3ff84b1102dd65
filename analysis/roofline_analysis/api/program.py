"""A program analysed as a whole: its kernels, their launches, and predictions for them."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from roofline_analysis.api.applied_sizes import StatedSizes
from roofline_analysis.api.build_files import check_given
from roofline_analysis.api.cache import AnalysisCache
from roofline_analysis.api.kernel_lookup import (
    ChosenLaunch,
    best_launch,
    best_matches,
    constant_bindings,
    launched_form,
    launches_of,
    told_apart,
)
from roofline_analysis.api.kernel_results import KernelResults
from roofline_analysis.api.named_build import program_of_names
from roofline_analysis.api.open_parameters import closed_parameters, sees_as_much, taken_numbers
from roofline_analysis.api.reuse import reusable
from roofline_analysis.api.stated_sizes import MARK, comments_of, sizes_of_settings
from roofline_analysis.api.targets import target_of
from roofline_analysis.device.summary import summarise
from roofline_analysis.host import HostOptions, HostResult, execute_host
from roofline_analysis.host.inputs.workspace import InputFiles
from roofline_analysis.host.launches.written_contents import writers_of
from roofline_analysis.host.libraries.device_properties import device_properties
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.names.body_hash import body_hash, by_name
from roofline_analysis.names.profiled_names import parse_profiled_name
from roofline_analysis.names.signature import signature
from roofline_analysis.project.files import Reader, read_file
from roofline_analysis.project.paths import workspace_of
from roofline_analysis.project.readable import Readable
from roofline_analysis.regions.kernel_summary import KernelSummary
from roofline_analysis.rules.node_index import NodeIndex
from roofline_analysis.verdict.analyse import Target
from roofline_analysis.verdict.launch import BoundLaunch, analyse_launch, with_other_sizes
from roofline_analysis.verdict.prediction import Prediction
from roofline_analysis.verdict.written_samples import WrittenSamples
from roofline_core.program.by_node import forget_nodes
from roofline_core.program.dims import Dim3
from roofline_core.program.records import record
from roofline_core.program.stages import count
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Problem, Program, is_stand_in
from roofline_core.settings import Settings
from roofline_parsers.reading.load import load_program

if TYPE_CHECKING:
    from roofline_analysis.api.explain.records import LaunchExplanation

_ANEW_BUDGET = 40_000
"""Statements of host code executed for an unknown command line, beside those for the known one."""


@record(frozen=True, slots=True)
class KernelCandidate:
    """A kernel that a program defines."""

    base_name: str
    qualified_name: str
    signature: str
    path: Path
    line: int


@record(frozen=True, slots=True)
class ProgramPlace:
    """Where a program stands, and which of its files are asked for."""

    include_dirs: tuple[Path, ...] = ()
    """Folders searched for headers after those of the settings and of build files."""
    root: Path | None = None
    """The folder below which its data files are read; None: the project that its first file is in.

    No other file is read than ``Readable`` allows."""
    members: frozenset[Path] | None = None
    """The files whose kernels are asked for; None: all of the program's.

    Those of others may be seen without their launches."""


class ProgramAnalysis:
    """The kernels and launches of a set of files that are linked together."""

    def __init__(
        self,
        program: Program,
        settings: Settings,
        argv: Sequence[str] | None,
        cache: AnalysisCache | None = None,
        here: ProgramAnalysis | None = None,
    ) -> None:
        """``here``, if given, is an analysis of the same program for another GPU to reuse."""
        self.program = program
        self.settings = settings
        self.reader: Reader = here.reader if here else read_file
        """Reads the source texts in which findings are placed."""
        self.build_reader: Reader = here.build_reader if here else read_file
        """The same for files beside the sources: build files, a README."""
        self.stated: StatedSizes = here.stated if here else StatedSizes()
        """The sizes that comments and settings state."""
        self.build_problems: tuple[Problem, ...] = here.build_problems if here else ()
        """Build files that were not read in full."""
        self.target: Target = target_of(settings)
        if here is not None:
            self.target = replace(self.target, float_math=here.target.float_math)
        self.types: TypeSystem = here.types if here else TypeSystem(Symbols(program))
        self.functions: tuple[Function, ...] = here.functions if here else _kernels(program)
        self.nodes = NodeIndex(self.types.symbols)
        """The nodes that rules search, collected once for each function."""
        self.workspace: Path | None = here.workspace if here else None
        """The folder below which the program's data files are read; None: none is read."""
        self.members: frozenset[Path] | None = here.members if here else None
        """The files whose kernels are asked for; None: all."""
        self._argv = argv
        self._cache = cache or AnalysisCache()
        # Weak, because that analysis holds this one: a cycle would delay freeing both.
        self._origin = weakref.ref(here) if here is not None else None
        self._elsewhere: dict[str, ProgramAnalysis] = {}
        self._file_numbers: dict[str, set[int]] = {}
        """Numbers of files in the names of target regions, by function and line."""
        self._host: HostResult | None = None
        self._open_host: HostResult | None = None
        self._written: WrittenSamples = here._written if here else WrittenSamples()
        self.results = KernelResults()
        """Judged kernels to which rules have not been applied yet."""

    @classmethod
    def load(
        cls,
        paths: Sequence[Path],
        settings: Settings,
        *,
        argv: Sequence[str] | None = None,
        reader: Reader = read_file,
        cache: AnalysisCache | None = None,
        place: ProgramPlace | None = None,
        profiled_names: Sequence[str] = (),
    ) -> ProgramAnalysis:
        """Read files as one program. ``argv`` is its command line without its own name.

        ``profiled_names`` are a profiler's for a run of it. Where build files leave open which of
        its builds ran, they tell, and they tell target regions in headers apart.
        Raises RooflineError for settings that cannot be used.
        """
        place = place or ProgramPlace()
        cache = cache or AnalysisCache()
        readable = Readable.of(paths, place.root, settings)
        check_given(settings.compile_commands, readable.for_builds())
        options = cache.options(paths, settings, readable.for_builds().guarding(reader))
        whole, reader = reader, readable.guarding(reader)
        preprocess = replace(options.preprocess, found_dirs=place.include_dirs, refusal=readable)
        count("programs")
        forget_nodes()
        program = program_of_names(
            preprocess,
            profiled_names,
            lambda asked: load_program(paths, reader, asked, cache.load),
            reader,
        )
        stated = _stated(program, settings, reader)
        argv = stated.argv if argv is None else argv
        if argv is not None and settings.args != tuple(argv):
            settings = replace(settings, args=tuple(argv))
        analysis = cls(program, settings, argv, cache)
        analysis._tell_names(profiled_names)
        analysis.reader, analysis.stated = reader, stated
        analysis.build_reader = readable.for_builds().guarding(whole)
        analysis.workspace = workspace_of(paths, place.root)
        analysis.members = place.members
        analysis.build_problems = options.problems
        analysis.target = replace(analysis.target, float_math=options.float_math)
        before = cache.replace_program(tuple(paths), analysis)
        same = before is not None and (before.settings, before._argv) == (settings, argv)
        asked = (analysis.workspace, analysis.members)
        if before is not None and same and (before.workspace, before.members) == asked:
            analysis._keep(before)
        return analysis

    def _keep(self, before: ProgramAnalysis) -> None:
        """Reuse the still valid results of the analysis of an earlier text."""
        held = reusable(before.program, self.program)
        if held is None or not self.stated.same(before.stated):
            return
        self.nodes.keep(before.nodes, held.functions)
        current = {id(function) for function in self.functions} - held.stale
        judged = set(current)
        if held.host and before._host is not None:
            judged -= self._reading_what_is_written(before._host, held.stale)
        self.results.take_over(before.results, current, judged if held.host else frozenset())
        if held.host and before._host is not None:
            self._host = self._with_closures(before._host)

    def _reading_what_is_written(self, host: HostResult, stale: Set[int]) -> set[int]:
        """The kernels, by ``id``, that load what ``stale`` ones leave in memory."""
        changed = [kernel for kernel in self.functions if id(kernel) in stale]
        found: set[int] = set()
        for launch in host.launches:
            writers = tuple(writers_of(launch)) if changed else ()
            if any(launches_of(kernel, writers) for kernel in changed):
                found |= {id(kernel) for kernel in self.functions if launches_of(kernel, (launch,))}
        return found

    @property
    def host(self) -> HostResult:
        """The launches of the host program, computed on first use."""
        here = self._here
        if self._host is None and here is not None and not here.host.asks_device:
            self._host = here.host
        if self._host is None:
            self._host = self._executed(self._argv)
        return self._host

    def _executed(self, argv: Sequence[str] | None, *, anew: bool = False) -> HostResult:
        inputs = InputFiles(self.workspace, self.reader) if self.workspace is not None else None
        properties = device_properties(self.target.gpu)
        options = HostOptions(properties, inputs=inputs, members=self.members)
        if anew:
            options = replace(options, statement_budget=_ANEW_BUDGET)
        return self._with_closures(execute_host(self.program, argv, options))

    def _with_closures(self, host: HostResult) -> HostResult:
        """A host result whose lambdas kernels can call: their classes are declared here."""
        for struct in host.closures:
            self.types.symbols.add_class(struct)
        return host

    @property
    def command_line_is_known(self) -> bool:
        """Whether settings or a comment tell the program's arguments."""
        return self._argv is not None

    @property
    def open_host(self) -> HostResult:
        """The launches for an unknown command line, so that sizes stay symbols."""
        if self._argv is None:
            return self.host
        if self._open_host is None:
            self._open_host = self._executed(None, anew=True)
        return self._open_host

    @property
    def _here(self) -> ProgramAnalysis | None:
        """The analysis on which ``on`` was called to make this one; None if there is none."""
        return self._origin() if self._origin is not None else None

    def on(self, gpu: str) -> ProgramAnalysis:
        """The same program on another GPU; reuses all results that do not depend on the GPU.

        The source stays as preprocessed for this GPU. Valid as long as this analysis exists.
        Raises ``UnknownGpuError``.
        """
        found = self._elsewhere.get(gpu)
        if found is None:
            settings = replace(self.settings, gpu=gpu)
            found = ProgramAnalysis(self.program, settings, self._argv, self._cache, self)
            self._elsewhere[gpu] = found
        return found

    def kernels(self) -> tuple[KernelCandidate, ...]:
        """The kernels that the files define."""
        return tuple(
            KernelCandidate(f.name, f.qualified_name, signature(f), f.path, f.name_span.line)
            for f in self.functions
        )

    @cached_property
    def _called(self) -> dict[str, list[Function]]:
        units = self.program.all_units()
        methods = (method for unit in units for each in unit.structs for method in each.methods)
        return by_name((*(function for unit in units for function in unit.functions), *methods))

    def body_hash(self, kernel: Function) -> str:
        """A short hash of all the code that a kernel runs."""
        return body_hash(kernel, self._called)

    def launches_of(
        self, kernel: Function, host: HostResult | None = None
    ) -> tuple[LaunchContext, ...]:
        """The launches of a kernel in the program's order, certain ones first.

        ``host`` is another host result to search; None: that of the program's own command line.
        """
        return self.stated.applied(kernel, launches_of(kernel, (host or self.host).launches))

    def summary(
        self, kernel: Function, bindings: Mapping[str, Type | int] | None = None
    ) -> KernelSummary:
        """The summary of one thread of a kernel, for one binding of its template parameters."""
        here = self._here
        compiler = self.target.compiler_of(kernel)
        if here is not None and here.target.compiler_of(kernel) == compiler:
            walked = here.summary(kernel, bindings)
            if not walked.asks_warp_size or self.warp_size == here.warp_size:
                return walked
        found = self.results.summary(kernel, bindings or {})
        count("kernels walked" if found is None else "walks known before")
        if found is None:
            found = summarise(kernel, self.types, bindings, self.warp_size, compiler)
            self.results.put_summary(kernel, bindings or {}, found)
        return found

    def _walked(self, context: LaunchContext) -> KernelSummary | None:
        """What one thread of a launch does; None where its kernel is none of the program's."""
        kernel = next((f for f in self.functions if launches_of(f, (context,))), None)
        return None if kernel is None else self.launched(kernel, context)

    @property
    def warp_size(self) -> int:
        """Threads of a warp of the GPU."""
        return self.target.gpu.architecture.warp_size

    def launched(
        self,
        kernel: Function,
        context: LaunchContext | None,
        bindings: Mapping[str, Type | int] | None = None,
    ) -> KernelSummary:
        """The summary for a launch; ``bindings`` override the launch's template arguments."""
        merged = {**constant_bindings(context), **(bindings or {})}
        return self.summary(launched_form(kernel, context), merged)

    def judge_launch(
        self,
        kernel: Function,
        context: LaunchContext | None,
        *,
        grid: Dim3 | None = None,
        block: Dim3 | None = None,
        bindings: Mapping[str, Type | int] | None = None,
    ) -> BoundLaunch:
        """Judge one launch; ``grid`` and ``block`` override what the host code says.

        ``bindings`` go before its template arguments.
        """
        merged = {**constant_bindings(context), **(bindings or {})}
        context = None if context is None else self._written.known(context, self._walked)
        count("launches judged")
        form = launched_form(kernel, context)
        summary = self.summary(form, merged)
        launch = analyse_launch(summary, context, self.target, merged, grid, block)
        closed = closed_parameters(form, launch)
        if closed is not None:
            summary = self.summary(form, closed)
            taken = taken_numbers(form, launch)
            again = analyse_launch(summary, context, self.target, closed, grid, block, taken)
            launch = again if sees_as_much(again, launch) else launch
        return with_other_sizes(launch, self.target)

    def predict(
        self, profiled_name: str, *, grid: Dim3 | None = None, block: Dim3 | None = None
    ) -> Prediction | None:
        """Judge the kernel of a profiler's demangled name; None if it is not found."""
        launch, _ = self._judged_by_name(profiled_name, grid, block)
        return launch.prediction if launch is not None else None

    def _tell_names(self, profiled_names: Iterable[str]) -> None:
        """Names of one run, by which target regions in headers are told apart."""
        for name in profiled_names:
            parsed = parse_profiled_name(name)
            if parsed.file_number is not None:
                self._file_numbers.setdefault(parsed.base_name, set()).add(parsed.file_number)

    def kernel_of(
        self, profiled_name: str, *, grid: Dim3 | None = None, block: Dim3 | None = None
    ) -> Function | None:
        """The kernel that ``predict`` judges for a profiler's demangled name; None if not found."""
        chosen = self._chosen(profiled_name, grid, block)
        return chosen.kernel if chosen is not None else None

    def details(
        self, profiled_name: str, *, grid: Dim3 | None = None, block: Dim3 | None = None
    ) -> LaunchExplanation | None:
        """The explanation of the prediction of ``predict``; None if the kernel is not found.

        Alternatives to assumed numbers are left out.
        """
        # Explain takes 25 ms to load, which no other command should wait for.
        from roofline_analysis.api.explain.launch import explained  # noqa: PLC0415

        launch, found = self._judged_by_name(profiled_name, grid, block)
        return explained(launch, self.target, found) if launch is not None else None

    def _judged_by_name(
        self, profiled_name: str, grid: Dim3 | None, block: Dim3 | None
    ) -> tuple[BoundLaunch | None, int]:
        """The launch that is judged for a profiled name, and how many its kernel has."""
        chosen = self._chosen(profiled_name, grid, block)
        if chosen is None:
            return None, 0
        kernel, context = chosen.kernel, chosen.context
        launch = self.judge_launch(
            kernel, context, grid=grid, block=block, bindings=chosen.bindings
        )
        return launch, len(self.launches_of(kernel))

    def _chosen(
        self, profiled_name: str, grid: Dim3 | None, block: Dim3 | None
    ) -> ChosenLaunch | None:
        """The kernel that a profiled name means, and the launch of it that is judged."""
        wanted = parse_profiled_name(profiled_name)
        kernels = best_matches(self.functions, wanted)
        if len(kernels) > 1:
            numbers = self._file_numbers.get(wanted.base_name, set())
            kernels = told_apart(kernels, wanted, numbers)
        if not kernels:
            return None
        return best_launch(kernels, wanted, self.host.launches, grid, block)


def _stated(program: Program, settings: Settings, reader: Reader) -> StatedSizes:
    """What settings and comments of a program's own files state of its sizes."""
    paths = {unit.path for unit in program.all_units() if not is_stand_in(unit.path)}
    texts = {path: text for path in sorted(paths) if MARK in (text := reader(path) or b"")}
    comments = [each for path, text in texts.items() for each in comments_of(path, text)]
    return StatedSizes(comments, texts, sizes_of_settings(settings))


def _kernels(program: Program) -> tuple[Function, ...]:
    found: dict[tuple[Path, int, str], Function] = {}
    for unit in program.all_units():
        methods = (method for struct in unit.structs for method in struct.methods)
        for function in (*unit.functions, *methods):
            if function.is_kernel and function.has_body:
                key = (function.path, function.name_span.line, function.name)
                found.setdefault(key, function)
    return tuple(found.values())
