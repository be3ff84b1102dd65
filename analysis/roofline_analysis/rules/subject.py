"""One kernel as rules see it: its code, its launches and the model's predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

from roofline_analysis.device.summary import summarise
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.language.rewriting import Rewrite, with_body
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.regions.kernel_summary import Access, KernelSummary, Region, Site, Work
from roofline_analysis.rules.block_sweeps import standing_launch
from roofline_analysis.rules.dead_kernels import NamedKernels
from roofline_analysis.rules.effects import (
    LEAST_GAIN,
    Change,
    effect_between,
    matters,
    scored,
)
from roofline_analysis.rules.model import Effect, Fix, Match, Related
from roofline_analysis.rules.node_index import FunctionNodes, Located, Node, NodeIndex, all_of
from roofline_analysis.rules.source_text import SourceText
from roofline_analysis.rules.types import LocalTypes
from roofline_analysis.traffic.access_footprints import AccessFootprint
from roofline_analysis.verdict.analyse import LaunchAnalysis, Target
from roofline_analysis.verdict.launch import BoundLaunch, analyse_launch
from roofline_analysis.verdict.prediction import Prediction
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.program.units import Dialect, Function, Span

MOST_REWALKED: Final = 6_000
"""Statements of a kernel that is still walked again to find what a change does. A limit on the
work."""
_MAX_RELATED: Final = 8
"""The most places that a finding names beside its own."""

Texts = Callable[[Path], SourceText | None]
"""The text of a file; None where it cannot be read."""


@record(frozen=True, slots=True, eq=False)
class Beside:
    """What else a kernel's program has."""

    launches: Sequence[LaunchContext]
    """Those of its other kernels."""
    named: NamedKernels
    """Shared by the kernels of the program."""


class KernelSubject:
    """A kernel and its launches; most questions are about the first launch.

    Of a line that tries several blocks the fastest launch comes first.
    """

    def __init__(
        self,
        kernel: Function,
        launches: Sequence[BoundLaunch],
        types: TypeSystem,
        target: Target,
        index: NodeIndex,
        texts: Texts,
        beside: Beside | None = None,
    ) -> None:
        """At least one launch: where none was found, one with assumed dimensions."""
        self.kernel = kernel
        stands = standing_launch(launches)
        self.launches = (stands, *(each for each in launches if each is not stands))
        self.type_system = types
        self.target = target
        self.text = texts
        self.asked = False
        """Whether somebody asks about the kernel, who is told also of what rests on guesses."""
        self._beside = beside or Beside((), NamedKernels(types.symbols))
        self._index = index
        self._types: dict[Function, LocalTypes] = {}

    # -- the launch that stands for the kernel

    @property
    def launch(self) -> BoundLaunch:
        """The first launch."""
        return self.launches[0]

    @property
    def other_launches(self) -> Sequence[LaunchContext]:
        """Those of the program's other kernels."""
        return self._beside.launches

    @cached_property
    def never_launched(self) -> bool:
        """Whether the program has launches and none of this kernel, as far as its code shows."""
        contexts = [each.context for each in self.launches if each.context is not None]
        if any(each.certain for each in contexts):
            return False
        launches = (*self.other_launches, *contexts)
        return self._beside.named.is_never_launched(self.kernel, launches)

    @cached_property
    def names_beside(self) -> tuple[str, ...]:
        """The qualified names of the other kernels of its file."""
        functions = self.type_system.symbols.functions.values()
        found = (each for group in functions for each in group if each.is_kernel)
        own = self.kernel
        return tuple(
            each.qualified_name for each in found if each.path == own.path and each is not own
        )

    @property
    def has_guessed_types(self) -> bool:
        """Whether nothing says for which types a template is instantiated: float is assumed."""
        context = self.launch.context
        own = {each.name for each in self.kernel.template_params}
        guessed = not own.isdisjoint(self.summary.unknown_sizes)
        return guessed or (context is not None and bool(context.open_types))

    @property
    def keeps_quiet_of_guesses(self) -> bool:
        """Whether nobody asked, and how much work there is rests on assumed sizes."""
        return not self.asked and bool(self.prediction.time_depends_on)

    @property
    def is_block_known(self) -> bool:
        """Whether host code fixes the threads of the first launch's blocks."""
        block = self.launch.context.block if self.launch.context is not None else None
        return block is not None and all(extent.constant is not None for extent in block)

    def other_instances(self) -> Iterator[KernelSubject]:
        """The kernel with, in turn, a launch first that has template arguments of its own."""
        seen = [self.launch.bindings]
        for launch in self.launches[1:]:
            if launch.bindings not in seen:
                seen.append(launch.bindings)
                rest = [each for each in self.launches if each is not launch]
                instance = KernelSubject(
                    self.kernel,
                    [launch, *rest],
                    self.type_system,
                    self.target,
                    self._index,
                    self.text,
                    self._beside,
                )
                instance.asked = self.asked
                yield instance

    @property
    def judged(self) -> LaunchAnalysis:
        """The first launch as the model judges it."""
        return self.launch.judged

    @property
    def summary(self) -> KernelSummary:
        """The work and accesses of one thread."""
        return self.judged.summary

    @property
    def prediction(self) -> Prediction:
        """The prediction for the first launch."""
        return self.judged.prediction

    # -- the code

    @cached_property
    def functions(self) -> tuple[FunctionNodes, ...]:
        """The nodes of the kernel and of the device functions that it calls."""
        return self._index.reached_from(self.kernel)

    def nodes(self, *types: type[Node]) -> Iterator[Located]:
        """All expressions, statements and variables of the given node types."""
        return all_of(self.functions, *types)

    def nodes_of(self, function: Function) -> FunctionNodes:
        """All expressions, statements and variables of one function."""
        return self._index.of(function)

    def types(self, function: Function) -> LocalTypes:
        """The types of a function's variables."""
        found = self._types.get(function)
        if found is None:
            found = self._types[function] = LocalTypes(
                self._index.of(function), self.type_system, self.launch.bindings
            )
        return found

    # -- lines and regions

    @cached_property
    def by_site(self) -> Mapping[Site, tuple[Region, ...]]:
        """The regions that have work or accesses on a line and that run."""
        found: dict[Site, dict[Region, None]] = {}
        for region in self.judged.demanding:
            for site in region.work:
                found.setdefault(site, {})[region] = None
            for access in region.accesses:
                found.setdefault(access.site, {})[region] = None
        return {site: tuple(regions) for site, regions in found.items()}

    def runs(self, region: Region) -> float:
        """The number of times a region runs, summed over all threads."""
        return self.judged.execution.regions[region].runs

    def runs_at(self, site: Site) -> float:
        """The number of times a line runs, summed over all threads; 0 without work on it."""
        return max((self.runs(region) for region in self.by_site.get(site, ())), default=0.0)

    def work_at(self, sites: Iterable[Site], kind: Work) -> float:
        """The operations of one kind on some lines, over the whole launch."""
        return sum(
            region.work[site][kind] * self.runs(region)
            for site in set(sites)
            for region in self.by_site.get(site, ())
            if site in region.work
        )

    @cached_property
    def footprints(self) -> Mapping[Access, AccessFootprint]:
        """The accesses to DRAM through L2, with what is known of their addresses."""
        return {
            item.access: item for array in self.judged.traffic.arrays for item in array.footprints
        }

    # -- what a change would do

    def effect(self, change: Change, launch: BoundLaunch | None = None) -> Effect:
        """The effect of a change on a launch, the first if none is given."""
        found = scored((launch or self.launch).judged, self.target, change)
        return replace(found, asked=self.asked)

    def could_matter(self, sites: Iterable[Site], least: float = LEAST_GAIN) -> bool:
        """Whether a share ``least`` of the time would be saved if these lines computed nothing."""
        change = Change()
        for site in set(sites):
            for region in self.by_site.get(site, ()):
                for kind, amount in enumerate(region.work.get(site, ())):
                    change.add(region, Work(kind), -amount)
        return bool(change.work) and matters(self.effect(change), least)

    def integers_matter(self, least: float = LEAST_GAIN) -> bool:
        """Whether a share ``least`` of the time would be saved without any integer operations."""
        return matters(self._without_integers, least)

    @cached_property
    def _without_integers(self) -> Effect:
        change = Change()
        for region in self.judged.demanding:
            for row in region.work.values():
                change.add(region, Work.INT, -row[Work.INT])
        return self.effect(change)

    def effect_of_rewriting(self, rewrite: Rewrite, functions: Iterable[Function]) -> Effect:
        """The effect of rewriting the bodies of some functions, by walking the kernel anew."""
        if self._is_long:
            return self.effect(Change())
        changed = {function: with_body(function, rewrite) for function in set(functions)}
        types = TypeSystem(self.type_system.symbols.with_functions(changed))
        return self.effect_of_kernel(changed.get(self.kernel, self.kernel), types)

    def effect_of_fewer_integers(self, rewrite: Rewrite, functions: Iterable[Function]) -> Effect:
        """The same of rewriting that changes only what whole numbers cost, not which they are.

        The new expressions need not give the same numbers, so each region runs as often as now.
        Nothing is changed where they make other regions.
        """
        if self._is_long:
            return self.effect(Change())
        changed = {function: with_body(function, rewrite) for function in set(functions)}
        types = TypeSystem(self.type_system.symbols.with_functions(changed))
        after = self._summary_of(changed.get(self.kernel, self.kernel), types)
        regions = tuple(self.summary.root.walk()), tuple(after.root.walk())
        change = Change()
        if [_shape(region) for region in regions[0]] == [_shape(region) for region in regions[1]]:
            for before, now in zip(*regions, strict=True):
                fewer = _integers(now) - _integers(before)
                if fewer and before in self.judged.execution.regions:
                    change.add(before, Work.INT, fewer)
        return self.effect(change)

    @property
    def _is_long(self) -> bool:
        return self.summary.statements > MOST_REWALKED

    def _summary_of(self, kernel: Function, types: TypeSystem) -> KernelSummary:
        warp_size = self.target.gpu.architecture.warp_size
        compiler = self.target.compiler_of(kernel)
        return summarise(kernel, types, self.launch.bindings, warp_size, compiler)

    def effect_of_kernel(self, kernel: Function, types: TypeSystem | None = None) -> Effect:
        """The effect of replacing the kernel by another with the same launch."""
        if self._is_long:
            return self.effect(Change())
        summary = self._summary_of(kernel, types or self.type_system)
        launch = self.launch
        after = analyse_launch(summary, launch.context, self.target, launch.bindings).prediction
        operations = {p: after.operations(p) or 0.0 for p in Precision}
        found = effect_between(
            self.prediction, operations, after.dram_bytes or 1.0, after.time_ns or 0.0, self.target
        )
        return replace(found, asked=self.asked)

    # -- findings

    def line_span(self, path: Path, line: int) -> Span:
        """The text of a 1-based line."""
        text = self.text(path)
        return text.line_span(line) if text is not None else Span(line, 0, line, 0)

    def found(
        self,
        message: str,
        sites: Sequence[Site],
        effect: Effect | None = None,
        fix: Fix | None = None,
        span: Span | None = None,
    ) -> Match:
        """A finding at the first of some lines; the others and the launch are related places."""
        path, line = sites[0]
        others = tuple(
            Related(each, number, "here too")
            for each, number in list(dict.fromkeys(sites))[1 : 1 + _MAX_RELATED]
        )
        return Match(
            message,
            path,
            span or self.line_span(path, line),
            effect,
            fix,
            (*others, *self.launched_here()),
        )

    def launched_here(self) -> tuple[Related, ...]:
        """The launch that the numbers of a finding are for."""
        context = self.launch.context
        if context is None or self.kernel.dialect is Dialect.OPENMP:
            return ()
        return (Related(context.path, context.line, f"'{self.kernel.name}' is launched here"),)


def _shape(region: Region) -> object:
    return region.form, region.site, region.role, region.walked_runs


def _integers(region: Region) -> float:
    """Integer operations of one run of a region."""
    return sum(row[Work.INT] for row in region.work.values())
