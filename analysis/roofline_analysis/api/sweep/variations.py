"""The numbers of a program that can be varied, and its launch for each value.

In the order in which a name is looked up: the dimensions of the block, words of the command line,
names to which the program's text gives numbers, macros of the settings, and what is left open: host
inputs and kernel arguments that no launch fixes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.api.kernel_choice import chosen_kernels, listed
from roofline_analysis.api.kernel_launches import launch_contexts
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.api.reloading import Reloadable
from roofline_analysis.api.sweep.source_numbers import SourceNumber, numbers_of, with_value
from roofline_analysis.api.sweep.spec import SweepError
from roofline_analysis.host.launches.sizes_by_role import MOST_THREADS
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.launch.binding import Binding
from roofline_analysis.regions.kernel_summary import KernelSummary
from roofline_analysis.verdict.crossover import OpenNumber, open_numbers
from roofline_analysis.verdict.launch import BoundLaunch, analyse_again, with_other_sizes
from roofline_core.program.dims import Dim3
from roofline_core.program.records import record
from roofline_core.program.units import Function, is_stand_in
from roofline_core.settings import suggestion

_BLOCK: Final = re.compile(r"block(?:\.([xyz]))?")
_WORD: Final = re.compile(r"argv\[(\d+)\]")
_AT_LINE: Final = re.compile(r"(\w+)@(?:(.+):)?(\d+)")
_MOST_WORDS: Final = 100
_MOST_NAMED: Final = 12
"""The most names that a message lists."""


Judge = Callable[[int, str | None], BoundLaunch]
"""The launch with a value, on the GPU of the settings (None) or another.

Raises ImpossibleValueError where there is none."""


class ImpossibleValueError(SweepError):
    """A value for which there is no launch."""


@record(frozen=True, slots=True)
class KernelMeant:
    """A kernel of a program and the launch that is varied."""

    analysis: ProgramAnalysis
    kernel: Function
    context: LaunchContext | None
    """None where no launch was found."""

    def judged(
        self, grid: Dim3 | None = None, block: Dim3 | None = None, gpu: str | None = None
    ) -> BoundLaunch:
        """The launch, judged on its own GPU or another; dimensions go before the host's."""
        analysis = self.analysis if gpu is None else self.analysis.on(gpu)
        context = self.context
        if context is not None and analysis.host is not self.analysis.host:
            context = _at(analysis.launches_of(self.kernel), context)
        return analysis.judge_launch(self.kernel, context, grid=grid, block=block)


@record(frozen=True, slots=True)
class Variation:
    """What is varied."""

    name: str
    how: str
    """What stands for it, for people."""
    at: Judge
    notes: tuple[str, ...] = ()
    """What stays as it is."""


def kernel_meant(
    analysis: ProgramAnalysis, path: Path, name: str | None, line: int | None
) -> KernelMeant:
    """The kernel to vary, at the launch that stands for it in reports.

    Raises NoSuchKernelError for a name that fits none or several, and SweepError where a file has
    several and none is named.
    """
    kernels = chosen_kernels(analysis, path, name, line)
    if len(kernels) > 1:
        raise SweepError(
            f"{path}: which of its {len(kernels)} kernels is meant? Name it with FILE:KERNEL:"
            f" {listed(kernels)}"
        )
    contexts = launch_contexts(analysis, kernels[0])
    return KernelMeant(analysis, kernels[0], contexts[0] if contexts else None)


def variation(name: str, meant: KernelMeant, program: Reloadable) -> Variation:
    """What a name stands for. Raises SweepError, naming what there is, where that is nothing."""
    if (found := _BLOCK.fullmatch(name)) is not None:
        return _block(found[1] or "x", meant)
    if (found := _WORD.fullmatch(name)) is not None:
        return _word(int(found[1]), meant, program)
    written = _written(meant, program)
    made = _from_text(name, written, meant, program) or _from_macro(name, meant, program)
    made = made or _open(name, meant, program)
    if made is not None:
        return made
    raise SweepError(_nothing(name, meant, written, program))


# -- the block


def _block(axis: str, meant: KernelMeant) -> Variation:
    base = meant.judged()
    at = "xyz".index(axis)
    if not _reads_block(base.judged.summary, axis):
        raise SweepError(
            f"'{meant.kernel.name}' does not read blockDim.{axis}: its block is written into its"
            " code; vary the constant that makes it, by its name"
        )
    threads = base.bound.grid[at] * base.bound.block[at]

    def launched(value: int, gpu: str | None) -> BoundLaunch:
        """The launch with so many threads along the axis, and as many blocks as these need."""
        block = _replaced(base.bound.block, at, value)
        if block[0] * block[1] * block[2] > MOST_THREADS:
            raise ImpossibleValueError(f"a block has at most {MOST_THREADS} threads")
        required = base.judged.summary.required_block
        if required is not None and block != required:
            raise ImpossibleValueError(f"the kernel requires the block {required}")
        grid = _replaced(base.bound.grid, at, -(-threads // value))
        return meant.judged(grid, block, gpu)

    notes = [f"the grid follows, so that there are {threads} threads along {axis}"]
    if base.bound.dynamic_shared_bytes:
        notes.append(f"dynamic shared memory stays {base.bound.dynamic_shared_bytes} bytes")
    return Variation(f"block.{axis}", f"threads of a block along {axis}", launched, tuple(notes))


def _replaced(dims: Dim3, at: int, value: int) -> Dim3:
    x, y, z = (value if axis == at else old for axis, old in enumerate(dims))
    return x, y, z


def _reads_block(summary: KernelSummary, axis: str) -> bool:
    """Whether anything of a kernel depends on the block's extent."""
    name = f"blockDim.{axis}"
    for region in summary.root.walk():
        exprs = [each for each in (*region.conditions, region.trips) if each is not None]
        exprs += (access.offset for access in region.accesses)
        if any(symbol.name == name for each in exprs for symbol in each.symbols()):
            return True
    return False


# -- the command line


def _word(position: int, meant: KernelMeant, program: Reloadable) -> Variation:
    given = program.settings.args or ()
    if not 0 < position <= _MOST_WORDS:
        raise SweepError(f"argv[{position}] is no word of a command line: the first is argv[1]")
    if position > len(given) + 1:
        raise SweepError(
            f"argv[{position}] needs the words before it; give the command line with --args, in"
            " which its own place may have any number"
        )

    def load(value: int) -> ProgramAnalysis:
        """The program run with the value as that word."""
        return program.load(args=(*given[: position - 1], str(value), *given[position:]))

    how = "a word of the program's command line"
    return Variation(f"argv[{position}]", how, _reloaded(meant, load))


# -- what the text names


def _written(meant: KernelMeant, program: Reloadable) -> list[SourceNumber]:
    """The numbers that the program's own files name."""
    paths = (unit.path for unit in meant.analysis.program.all_units())
    return numbers_of((each for each in paths if not is_stand_in(each)), program.text)


def _from_text(
    name: str, written: Sequence[SourceNumber], meant: KernelMeant, program: Reloadable
) -> Variation | None:
    at_line = _AT_LINE.fullmatch(name)
    plain = at_line[1] if at_line is not None else name
    found = [each for each in written if each.name == plain]
    if at_line is not None:
        file = at_line[2] or meant.kernel.path.name
        found = [each for each in found if each.place == f"{file}:{at_line[3]}"]
    if not found:
        return None
    if len(found) > 1:
        places = ", ".join(f"{plain}@{each.place} ({each.value})" for each in found)
        raise SweepError(f"'{plain}' is given a number in several places; say which: {places}")
    (number,) = found
    text = program.text(number.path) or ""

    def load(value: int) -> ProgramAnalysis:
        """The program with the value written in the place of the number."""
        return program.load({number.path: with_value(text, number, value)})

    how = f"in the place of '{number.value}' at {number.place}"
    return Variation(plain, how, _reloaded(meant, load))


def _from_macro(name: str, meant: KernelMeant, program: Reloadable) -> Variation | None:
    """A macro that the settings define with a number."""
    defines = program.settings.defines
    if not any(each.partition("=")[0] == name for each in defines):
        return None
    others = tuple(each for each in defines if each.partition("=")[0] != name)

    def load(value: int) -> ProgramAnalysis:
        """The program with the macro defined as the value."""
        return program.load(defines=(*others, f"{name}={value}"))

    return Variation(name, "a macro that the settings define", _reloaded(meant, load))


def _reloaded(meant: KernelMeant, load: Callable[[int], ProgramAnalysis]) -> Judge:
    """The launch in the program as it is with a value, which is analysed once for all GPUs."""
    last: dict[int, ProgramAnalysis] = {}

    def launched(value: int, gpu: str | None) -> BoundLaunch:
        """The launch with the value; the last value's program is kept for the next GPU."""
        if value not in last:
            last.clear()
            last[value] = load(value)
        return _again(meant, last[value]).judged(gpu=gpu)

    return launched


def _again(meant: KernelMeant, analysis: ProgramAnalysis) -> KernelMeant:
    """The same kernel and launch in another analysis of the program."""
    wanted = meant.kernel
    kernel = next(
        (
            each
            for each in analysis.functions
            if (each.path, each.name_span.line, each.qualified_name)
            == (wanted.path, wanted.name_span.line, wanted.qualified_name)
        ),
        None,
    )
    if kernel is None:
        raise ImpossibleValueError("with this value the program does not have the kernel")
    contexts = launch_contexts(analysis, kernel)
    if meant.context is None:
        return KernelMeant(analysis, kernel, contexts[0] if contexts else None)
    found = _at(contexts, meant.context)
    place = (meant.context.path, meant.context.line)
    if (found.path, found.line) != place or (meant.context.certain and not found.certain):
        raise ImpossibleValueError("with this value the program does not reach the launch")
    return KernelMeant(analysis, kernel, found)


def _at(contexts: Sequence[LaunchContext], wanted: LaunchContext) -> LaunchContext:
    """The launch that is made in the same place; the wanted one itself where there is none."""
    place = (wanted.path, wanted.line)
    return next((each for each in contexts if (each.path, each.line) == place), wanted)


# -- what is left open


def _open(name: str, meant: KernelMeant, program: Reloadable) -> Variation | None:
    base, numbers = _open_numbers(meant, program)
    number = next((each for each in numbers if each.name == name), None)
    if number is None:
        return None
    word = _WORD.fullmatch(number.unknown.name) if number.unknown is not None else None
    if word is not None and int(word[1]) <= len(program.settings.args or ()) + 1:
        made = _word(int(word[1]), meant, program)
        return Variation(name, f"{made.name}, {made.how}", made.at)

    def launched(value: int, gpu: str | None) -> BoundLaunch:
        """The launch bound with the value for the open number."""
        bound: Binding | None = number.bound(value)
        if bound is None:
            raise ImpossibleValueError(
                "such a launch does not fit the GPU: too much memory, or no grid and block"
            )
        here = base if gpu is None else meant.judged(gpu=gpu)
        target = (meant.analysis if gpu is None else meant.analysis.on(gpu)).target
        return with_other_sizes(analyse_again(here, target, bound=bound), target)

    where = f", {number.unknown.name}" if number.unknown is not None else ""
    return Variation(name, f"an input that the program leaves open{where}", launched)


def _open_numbers(
    meant: KernelMeant, program: Reloadable
) -> tuple[BoundLaunch, Sequence[OpenNumber]]:
    """The launch and its free inputs, as where a class changes is looked for."""
    analysis, context, arguments = meant.analysis, meant.context, program.settings.args
    base = meant.judged()
    if arguments is not None and context is not None:
        context = _at(analysis.launches_of(meant.kernel, analysis.open_host), context)
    summary = analysis.launched(meant.kernel, context)
    found = open_numbers(summary, context, base.bound, analysis.target, arguments)
    return base, list(found)


# -- what there is


def _nothing(
    name: str, meant: KernelMeant, written: Sequence[SourceNumber], program: Reloadable
) -> str:
    known = dict(_known(meant, written, program))
    told = [f"{each} ({where})" if where else each for each, where in known.items()]
    left = len(told) - _MOST_NAMED
    more = f" and {left} more" if left > 0 else ""
    sizes = ", ".join(told[:_MOST_NAMED]) + more if told else "none"
    return (
        f"the program of '{meant.kernel.name}' has no number '{name}' to vary"
        f"{suggestion(name, known)}; it has {sizes}; besides there are block.x, block.y, block.z,"
        " argv[N] and gpu"
    )


def _known(
    meant: KernelMeant, written: Sequence[SourceNumber], program: Reloadable
) -> Iterator[tuple[str, str]]:
    """Names that can be varied, open inputs first, and where they stand."""
    for number in _open_numbers(meant, program)[1]:
        yield number.name, number.unknown.name if number.unknown is not None else "argument"
    for define in program.settings.defines:
        yield define.partition("=")[0], "a macro of the settings"
    for each in written:
        if each.is_size:
            yield each.name, each.place
