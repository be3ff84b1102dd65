"""The kernels of a file as the static analysis sees them, with launches sampled for each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from roofline_analysis.api.program import ProgramAnalysis, ProgramPlace
from roofline_analysis.device.values import LAUNCH, THREAD
from roofline_analysis.regions.kernel_summary import KernelSummary, MemorySpace, RegionForm
from roofline_analysis.verdict.analyse import Target, judge
from roofline_core.program.crash import crash_reason
from roofline_core.program.dims import Dim3
from roofline_core.program.units import Dialect, Function
from roofline_core.settings import Settings
from roofline_study.llmperf.argument_sizes import data_decides
from roofline_study.llmperf.arguments import (
    Argument,
    ArgumentError,
    KernelParameter,
    LaunchArguments,
    Method,
    analysed,
    argument_record,
    parameters_of,
    simple,
    total_bytes,
)
from roofline_study.llmperf.corpus import KernelFile
from roofline_study.llmperf.features import launch_features
from roofline_study.llmperf.regimes import LaidOutFor, Regime
from roofline_study.llmperf.sampling import Configuration, Sampler, Strategy

OPEN_SIZES: Final = (16, 32, 64, 128, 256)
"""What integers that nothing ties to the launch are, in turn from launch to launch."""


class KernelClass(Enum):
    """What a kernel is like, by the first of these that holds; the values are what tables have."""

    DATA = "data-dependent"
    """Loaded numbers decide an address, a branch or a loop."""
    LOCAL = "local memory"
    """Work-items of a group share memory or wait for one another."""
    LOOPS = "loops"
    STRAIGHT = "straight-line"


@dataclass(frozen=True, slots=True)
class Samples:
    """How many launches of a kernel are drawn."""

    machine: LaidOutFor
    by_strategy: Mapping[Strategy, int]
    """With arguments by memory analysis."""
    simple: int
    """With arguments of simple sizes, by the IQR strategy."""
    most_items: int = 1 << 16
    """Work-items of the largest launch."""
    most_bytes: int = 1 << 26
    """Bytes of all buffers of the largest launch."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class PlannedLaunch:
    """A launch to be timed."""

    key: str
    """A hash of the kernel and all that the launch is given."""
    configuration: Configuration
    arguments: tuple[Argument, ...]
    regime: Regime
    method: Method
    strategies: tuple[Strategy, ...]
    """All that drew it."""
    apart: bool
    """Whether some number that decides the work is not the launch's size."""
    features: Mapping[str, float]
    static_ns: float | None
    """The static model's time on its GPU."""


@dataclass(frozen=True, slots=True)
class PlannedKernel:
    """A kernel with its launches."""

    key: str
    """A hash of the kernel's code as preprocessed, of the functions that it calls, and of the
    types of its parameters."""
    name: str
    file: KernelFile
    source: str
    """The kernel's text."""
    kernel_class: KernelClass
    dimensions: int
    launches: tuple[PlannedLaunch, ...]
    left_out: Mapping[str, int]
    """Launches that were drawn and are not made, by reason."""

    @property
    def program(self) -> str:
        """The folder of its file, below the tree and with the tree's name."""
        below = self.file.path.parent.relative_to(self.file.tree).as_posix()
        return f"{self.file.tree.name}/{below}" if below != "." else self.file.tree.name


@dataclass(frozen=True, slots=True)
class Refused:
    """A kernel or file that no launch was planned for."""

    name: str
    reason: str


def plan_file(
    file: KernelFile, settings: Settings, samples: Samples
) -> list[PlannedKernel | Refused]:
    """The kernels of one file with their launches; nothing in the file stops the others."""
    here = replace(settings, defines=file.defines, include_dirs=file.include_dirs)
    try:
        program = ProgramAnalysis.load([file.path], here, place=ProgramPlace(root=file.tree))
    except Exception as error:  # whatever it is, it is the file's outcome
        return [Refused(file.name, crash_reason(error))]
    chosen = [each for each in program.functions if file.has(each.name)]
    if not chosen:
        return [Refused(file.name, "no kernel was found: it may need macros (--variants)")]
    return [_planned(each, program, file, samples) for each in chosen]


def distinct(kernels: Iterable[PlannedKernel | Refused]) -> list[PlannedKernel | Refused]:
    """The kernels without those that equal one before: suites copy from one another."""
    known: set[str] = set()
    found = []
    for each in kernels:
        if isinstance(each, PlannedKernel):
            if each.key in known:
                continue
            known.add(each.key)
        found.append(each)
    return found


def _planned(
    kernel: Function, program: ProgramAnalysis, file: KernelFile, samples: Samples
) -> PlannedKernel | Refused:
    name = f"{file.name}:{kernel.name}"
    try:
        summary = program.summary(kernel)
        parameters = parameters_of(summary, program.types.in_dialect(Dialect.OPENCL))
    except ArgumentError as error:
        return Refused(name, str(error))
    except Exception as error:  # as above
        return Refused(name, crash_reason(error))
    key = _kernel_key(program.body_hash(kernel), parameters)
    planner = _Planner(summary, parameters, program.target, samples, key)
    launches = tuple(planner.launches())
    if not launches:
        return Refused(name, "no launch: " + (", ".join(planner.left_out) or "none was drawn"))
    return PlannedKernel(
        key=key,
        name=kernel.name,
        file=file,
        source=_text(kernel),
        kernel_class=_class_of(summary),
        dimensions=planner.dimensions,
        launches=launches,
        left_out=planner.left_out,
    )


def _kernel_key(body: str, parameters: Sequence[KernelParameter]) -> str:
    """A hash of a kernel's code and of its parameters, whose types stand elsewhere."""
    types = [(each.element, each.width, each.pointer) for each in parameters]
    return hashlib.blake2b(json.dumps([body, types]).encode(), digest_size=8).hexdigest()


class _Planner:
    """Draws the launches of one kernel."""

    def __init__(
        self,
        summary: KernelSummary,
        parameters: Sequence[KernelParameter],
        target: Target,
        samples: Samples,
        key: str,
    ) -> None:
        self._summary, self._parameters, self._target = summary, parameters, target
        self._samples, self._key = samples, key
        self.dimensions = dimensions_of(summary)
        self.left_out: dict[str, int] = {}

    def launches(self) -> Iterator[PlannedLaunch]:
        """Each launch once, with all the strategies that drew it."""
        found: dict[str, PlannedLaunch] = {}
        for method, strategy, index, configuration in self._drawn():
            open_size = OPEN_SIZES[index % len(OPEN_SIZES)]
            made = self._launch(method, strategy, configuration, open_size)
            if isinstance(made, str):
                self.left_out[made] = self.left_out.get(made, 0) + 1
            elif made.key not in found:
                found[made.key] = made
            elif strategy not in found[made.key].strategies:
                held = found[made.key]
                found[made.key] = replace(held, strategies=(*held.strategies, strategy))
        yield from found.values()

    def _drawn(self) -> Iterator[tuple[Method, Strategy, int, Configuration]]:
        samples = self._samples
        sampler = Sampler(samples.machine, samples.most_items, samples.seed)
        required = self._summary.required_block
        sizes: tuple[Dim3, ...] | None = (required,) if required is not None else None
        wanted = [(Method.ANALYSIS, each, n) for each, n in samples.by_strategy.items()]
        for method, strategy, count in (*wanted, (Method.SIMPLE, Strategy.IQR, samples.simple)):
            drawn = sampler.draw(strategy, count, self.dimensions, self._key, sizes)
            for index, configuration in enumerate(drawn):
                yield method, strategy, index, configuration

    def _launch(
        self, method: Method, strategy: Strategy, configuration: Configuration, open_size: int
    ) -> PlannedLaunch | str:
        """The launch, or why it is left out."""
        summary = self._summary
        given: LaunchArguments | None
        if method is Method.ANALYSIS:
            given = analysed(summary, self._parameters, configuration, open_size)
        else:
            given = simple(summary, self._parameters, configuration)
        if given is None:
            return "accesses leave arrays of simple size"
        if total_bytes(given.values) > self._samples.most_bytes:
            return "larger than the most bytes"
        judged = judge(summary, given.binding, self._target)
        return PlannedLaunch(
            key=launch_key(self._key, configuration, given.values, method),
            configuration=configuration,
            arguments=given.values,
            regime=configuration.regime(self._samples.machine),
            method=method,
            strategies=(strategy,),
            apart=given.apart,
            features=launch_features(judged, given.values, configuration),
            static_ns=judged.prediction.time_ns,
        )


def launch_key(
    kernel: str, configuration: Configuration, arguments: Sequence[Argument], method: Method
) -> str:
    """The name of a launch: the same for equal launches of equal kernels, whenever planned."""
    given = [argument_record(each) for each in arguments]
    shape = [configuration.groups, configuration.local_size, method.value]
    text = json.dumps([kernel, shape, given], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()


def dimensions_of(summary: KernelSummary) -> int:
    """The dimensions, 1 to 3, in which a kernel asks for its work-items' ids or sizes."""
    used = {
        symbol
        for region in summary.root.walk()
        for expr in (
            *(condition for condition in region.conditions if condition is not None),
            *((region.trips,) if region.trips is not None else ()),
            *(access.offset for access in region.accesses),
        )
        for symbol in expr.symbols()
    }
    axes = {name[-1] for name, symbol in (*THREAD.items(), *LAUNCH.items()) if symbol in used}
    return 3 if "z" in axes else 2 if "y" in axes else 1


def _class_of(summary: KernelSummary) -> KernelClass:
    if data_decides(summary):
        return KernelClass.DATA
    if summary.barriers or any(a.space is MemorySpace.SHARED for a in summary.arrays):
        return KernelClass.LOCAL
    if any(region.form is RegionForm.LOOP for region in summary.root.walk()):
        return KernelClass.LOOPS
    return KernelClass.STRAIGHT


def _text(kernel: Function) -> str:
    """The lines of a kernel, as its file has them."""
    try:
        lines = kernel.path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return "\n".join(lines[kernel.span.line - 1 : kernel.span.end_line])
