"""A program analysed as a whole: its kernels, their launches, and predictions for them."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from roofline_analysis.api.cache import AnalysisCache
from roofline_analysis.api.explain.launch import explained
from roofline_analysis.api.explain.records import LaunchExplanation
from roofline_analysis.api.kernel_lookup import (
    ChosenLaunch,
    best_launch,
    best_matches,
    constant_bindings,
    launches_of,
)
from roofline_analysis.api.reuse import kept
from roofline_analysis.api.targets import target_of
from roofline_analysis.device.summary import summarise
from roofline_analysis.host import HostOptions, HostResult, execute_host
from roofline_analysis.host.libraries.device_properties import device_properties
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.names.body_hash import body_hash, by_name
from roofline_analysis.names.profiled_names import parse_profiled_name
from roofline_analysis.names.signature import signature
from roofline_analysis.project.files import Reader, read_file
from roofline_analysis.regions.kernel_summary import KernelSummary
from roofline_analysis.report.report import KernelReport
from roofline_analysis.rules.node_index import NodeIndex
from roofline_analysis.verdict.analyse import Target
from roofline_analysis.verdict.launch import JudgedLaunch, analyse_launch
from roofline_analysis.verdict.prediction import Prediction
from roofline_core.program.dims import Dim3
from roofline_core.program.records import record
from roofline_core.program.stages import count
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Problem, Program
from roofline_core.settings import Settings
from roofline_parsers.reading.load import load_program


@record(frozen=True, slots=True)
class KernelCandidate:
    """A kernel that a program defines."""

    base_name: str
    qualified_name: str
    signature: str
    path: Path
    line: int


@record(frozen=True, slots=True)
class Judged:
    """A kernel's report before rules were applied to it."""

    report: KernelReport
    launches: tuple[JudgedLaunch, ...]
    """The launches in it, or the kernel without one."""


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
        """``here`` is an analysis of the same program for another GPU, to take from."""
        self.program = program
        self.settings = settings
        self.reader: Reader = here.reader if here else read_file
        """Gives the texts that findings are placed in."""
        self.target: Target = target_of(settings)
        self.types: TypeSystem = here.types if here else TypeSystem(Symbols(program))
        self.functions: tuple[Function, ...] = here.functions if here else _kernels(program)
        self.nodes = NodeIndex(self.types.symbols)
        """What rules look through, each function once."""
        self._argv = argv
        self._cache = cache or AnalysisCache()
        # Weak, for it holds this one: what is done with is to be freed at once.
        self._origin = weakref.ref(here) if here is not None else None
        self._elsewhere: dict[str, ProgramAnalysis] = {}
        self._host: HostResult | None = None
        self._open_host: HostResult | None = None
        self._summaries: dict[tuple[Function, object], KernelSummary] = {}
        self._kept_summaries: dict[tuple[Function, object], KernelSummary] = {}
        self._reports: dict[Function, KernelReport] = {}
        self._kept_reports: dict[Function, KernelReport] = {}
        self._judged: dict[Function, Judged] = {}
        """Kernels that rules are still to be applied to."""

    @classmethod
    def load(
        cls,
        paths: Sequence[Path],
        settings: Settings,
        *,
        argv: Sequence[str] | None = None,
        reader: Reader = read_file,
        cache: AnalysisCache | None = None,
    ) -> ProgramAnalysis:
        """Read files as one program. ``argv`` is its command line without its own name."""
        cache = cache or AnalysisCache()
        options = cache.options(paths, settings, reader)
        count("programs")
        program = load_program(paths, reader, options, cache.load)
        analysis = cls(program, settings, argv, cache)
        analysis.reader = reader
        before = cache.replace_program(tuple(paths), analysis)
        if before is not None and (before.settings, before._argv) == (settings, argv):
            analysis._keep(before)
        return analysis

    def _keep(self, before: ProgramAnalysis) -> None:
        """Take over what still holds of the analysis of an earlier text."""
        held = kept(before.program, self.program)
        if held is None:
            return
        self.nodes.keep(before.nodes, held.functions)
        current = {id(function) for function in self.functions} - held.stale
        summaries = {**before._kept_summaries, **before._summaries}
        self._kept_summaries = {
            key: summary for key, summary in summaries.items() if id(key[0]) in current
        }
        if held.host:
            self._host = before._host
            reports = {**before._kept_reports, **before._reports}
            self._kept_reports = {
                kernel: report for kernel, report in reports.items() if id(kernel) in current
            }
            self._judged = {
                kernel: judged for kernel, judged in before._judged.items() if id(kernel) in current
            }

    def known_report(self, kernel: Function) -> KernelReport | None:
        """The report of a kernel that was made before an edit elsewhere, if there is one."""
        found = self._reports.get(kernel) or self._kept_reports.get(kernel)
        if found is not None and kernel not in self._reports:
            self._take_summaries(kernel)
            self._reports[kernel] = found
        return found

    def _take_summaries(self, kernel: Function) -> None:
        """Count what was kept of a kernel as walked, for the problems that were met."""
        for key, summary in self._kept_summaries.items():
            if key[0] is kernel:
                self._summaries[key] = summary

    def report(self, kernel: Function, make: Callable[[Function], KernelReport]) -> KernelReport:
        """The report that ``make`` makes of a kernel, or that it made before an edit elsewhere."""
        found = self.known_report(kernel)
        if found is None:
            found = self._reports[kernel] = make(kernel)
            self._judged.pop(kernel, None)
        return found

    def judged(self, kernel: Function, make: Callable[[Function], Judged]) -> Judged:
        """What ``make`` makes of a kernel, kept until its report is made."""
        found = self._judged.get(kernel)
        if found is None:
            found = self._judged[kernel] = make(kernel)
        else:
            self._take_summaries(kernel)
        return found

    @property
    def host(self) -> HostResult:
        """The launches of the host program, found when first asked for."""
        here = self._here
        if self._host is None and here is not None and not here.host.asks_device:
            self._host = here.host
        if self._host is None:
            self._host = execute_host(
                self.program, self._argv, HostOptions(device_properties(self.target.gpu))
            )
        return self._host

    @property
    def open_host(self) -> HostResult:
        """The launches where the command line is not known, so that sizes stay symbols."""
        if self._argv is None:
            return self.host
        if self._open_host is None:
            options = HostOptions(device_properties(self.target.gpu))
            self._open_host = execute_host(self.program, None, options)
        return self._open_host

    @property
    def _here(self) -> ProgramAnalysis | None:
        """The analysis that this one takes from, which ``on`` was called of."""
        return self._origin() if self._origin is not None else None

    def on(self, gpu: str) -> ProgramAnalysis:
        """The same program on another GPU, with all that does not depend on the GPU.

        The source is taken as it was read for this GPU. Good for as long as this analysis is there.
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
        """The launches of a kernel, those that surely happen first, each in the order met.

        ``host`` is what to look for them in, if not in the program as it is run.
        """
        return launches_of(kernel, (host or self.host).launches)

    def summary(
        self, kernel: Function, bindings: Mapping[str, Type | int] | None = None
    ) -> KernelSummary:
        """What one thread of a kernel does, for one binding of its template parameters."""
        here = self._here
        if here is not None:
            walked = here.summary(kernel, bindings)
            if not walked.asks_warp_size or self.warp_size == here.warp_size:
                return walked
        key = (kernel, tuple(sorted((name, repr(v)) for name, v in (bindings or {}).items())))
        found = self._summaries.get(key) or self._kept_summaries.get(key)
        count("kernels walked" if found is None else "walks known before")
        if found is None:
            found = summarise(kernel, self.types, bindings, self.warp_size)
        self._summaries[key] = found
        return found

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
        """What one thread does in a launch; ``bindings`` go before its template arguments."""
        return self.summary(kernel, {**constant_bindings(context), **(bindings or {})})

    def kernel_problems(self) -> tuple[Problem, ...]:
        """What could not be followed in the kernels judged so far."""
        return tuple(p for summary in self._summaries.values() for p in summary.problems)

    def judge_launch(
        self,
        kernel: Function,
        context: LaunchContext | None,
        *,
        grid: Dim3 | None = None,
        block: Dim3 | None = None,
        bindings: Mapping[str, Type | int] | None = None,
    ) -> JudgedLaunch:
        """Judge one launch; ``grid`` and ``block`` override what the host code says.

        ``bindings`` go before its template arguments.
        """
        merged = {**constant_bindings(context), **(bindings or {})}
        count("launches judged")
        return analyse_launch(
            self.summary(kernel, merged), context, self.target, merged, grid, block
        )

    def predict(
        self, profiled_name: str, *, grid: Dim3 | None = None, block: Dim3 | None = None
    ) -> Prediction | None:
        """Judge the kernel of a profiler's demangled name; None if it is not found."""
        launch, _ = self._judged_by_name(profiled_name, grid, block)
        return launch.prediction if launch is not None else None

    def kernel_of(
        self, profiled_name: str, *, grid: Dim3 | None = None, block: Dim3 | None = None
    ) -> Function | None:
        """The kernel that a profiler's demangled name means, the one that ``predict`` judges."""
        chosen = self._chosen(profiled_name, grid, block)
        return chosen.kernel if chosen is not None else None

    def details(
        self, profiled_name: str, *, grid: Dim3 | None = None, block: Dim3 | None = None
    ) -> LaunchExplanation | None:
        """What ``predict`` computes its prediction from; None if the kernel is not found.

        What other numbers would come to is left out.
        """
        launch, found = self._judged_by_name(profiled_name, grid, block)
        return explained(launch, self.target, found) if launch is not None else None

    def _judged_by_name(
        self, profiled_name: str, grid: Dim3 | None, block: Dim3 | None
    ) -> tuple[JudgedLaunch | None, int]:
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
        if not kernels:
            return None
        return best_launch(kernels, wanted, self.host.launches, grid, block)


def _kernels(program: Program) -> tuple[Function, ...]:
    found: dict[tuple[Path, int, str], Function] = {}
    for unit in program.all_units():
        methods = (method for struct in unit.structs for method in struct.methods)
        for function in (*unit.functions, *methods):
            if function.is_kernel and function.has_body:
                key = (function.path, function.name_span.line, function.name)
                found.setdefault(key, function)
    return tuple(found.values())
