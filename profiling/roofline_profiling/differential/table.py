"""The outcome of a differential run as a table, a list of disagreements and a CSV file."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from roofline_core.text.table import aligned
from roofline_core.text.units import counted, dimensions, significant
from roofline_profiling.differential.compared import COUNTS, Compared
from roofline_profiling.differential.outcomes import ProgramOutcome
from roofline_study.breakdown import Status

COLUMNS: Final = (
    "program", "kernel", "args", "grid", "block", "how", "code_lines", "status", "cause",
    *(f"{name}_{what}" for name in COUNTS for what in ("emulated", "predicted", "agrees")),
    "class_emulated", "class_predicted", "assumed", "kinds", "lines", "places",
)  # fmt: skip
_HEADS: Final = {"sp_flops": "SP", "dp_flops": "DP", "int_ops": "INT", "dram_bytes": "bytes"}
_MOST_NAME: Final = 60
_MOST_FAILURES: Final = 12


@dataclass(frozen=True, slots=True)
class Result:
    """A differential run."""

    outcomes: tuple[ProgramOutcome, ...]
    launches: tuple[Compared, ...]


def as_csv(launches: Iterable[Compared]) -> str:
    """A row for each launch."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(map(_row, launches))
    return out.getvalue()


def _row(launch: Compared) -> list[object]:
    cells: list[object] = [
        launch.program, launch.kernel, launch.args, launch.grid, launch.block, launch.how,
        launch.code_lines, launch.status, launch.cause,
    ]  # fmt: skip
    for name in COUNTS:
        here = launch.predicted.get(name)
        there = launch.emulated[name]
        cells += [f"{there:.10g}", "" if here is None else f"{here:.10g}", launch.agrees(name)]
    assumed = "; ".join(launch.assumed)
    classes = launch.emulated_class, launch.predicted_class
    return [*cells, *classes, assumed, launch.kinds, launch.lines, launch.places]


def as_text(result: Result, *, most: int) -> str:
    """The summary, and at most ``most`` disagreements of each group."""
    lines = [*_programs(result), "", *_agreement(result.launches)]
    lines += ["", *_kinds(result.launches)]
    lines += ["", *_disagreements(result.launches, most)]
    return "\n".join(lines) + "\n"


def _programs(result: Result) -> list[str]:
    failures = [each.failure for each in result.outcomes if each.failure]
    stages = Counter(failure.split(":", maxsplit=1)[0] for failure in failures)
    ran = len(result.outcomes) - len(failures)
    scaled = sum(each.best is not None and each.best.how != "as given" for each in result.outcomes)
    told = ", ".join(f"{count} {_STAGES.get(stage, stage)}" for stage, count in stages.items())
    lines = [
        f"{counted(len(result.outcomes), 'program')}: {ran} ran"
        + (f" ({scaled} with less work)" if scaled else "")
        + (f", {told}" if told else "")
    ]
    common = Counter(_first_words(failure) for failure in failures).most_common(_MOST_FAILURES)
    return lines + [f"  {count:4}  {text}" for text, count in common]


_STAGES: Final = {
    "build": "could not be built",
    "run": "had no launch",
    "left out": "were left out",
}


def _first_words(text: str) -> str:
    return text if len(text) <= 110 else f"{text[:107]}..."


_Held = Callable[[Compared], bool | None]
_MEASURES: Final[dict[str, _Held]] = {
    "SP": lambda each: each.agrees("sp_flops"),
    "DP": lambda each: each.agrees("dp_flops"),
    "INT": lambda each: each.agrees("int_ops"),
    "all ops": lambda each: each.operations_agree,
    "bytes": lambda each: each.agrees("dram_bytes"),
    "class": lambda each: each.class_agrees,
}


def _agreement(launches: Sequence[Compared]) -> list[str]:
    rows = [["launches that agree", "programs", "launches", *_MEASURES]]
    whole = [each for each in launches if not each.sampled]
    rows.append(_agreeing("all that ran whole", whole))
    for status in Status:
        held = [each for each in whole if each.status == status.value]
        if held:
            rows.append(_agreeing(f"  {status.value}", held))
    sampled = [each for each in launches if each.sampled]
    if sampled:
        rows.append(_agreeing("of a sample of blocks", sampled))
    return aligned(rows, right=range(1, len(rows[0])))


def _agreeing(name: str, launches: Sequence[Compared]) -> list[str]:
    programs = len({each.program for each in launches})
    cells = [name, str(programs), str(len(launches))]
    for holds in _MEASURES.values():
        known = [found for each in launches if (found := holds(each)) is not None]
        cells.append(f"{sum(known) / len(known):.1%}" if known else "")
    return cells


def _kinds(launches: Sequence[Compared]) -> list[str]:
    """Which lines make up most of the deviations in operations where nothing was assumed."""
    held = [
        each
        for each in launches
        if each.status == Status.RESOLVED.value and not each.operations_agree
    ]
    if not held:
        return []
    rows = [["nothing assumed: what makes up most of the deviation", "launches"]]
    counts = Counter(each.kinds for each in held)
    rows += [[kinds, str(count)] for kinds, count in counts.most_common()]
    return aligned(rows, right=(1,))


def _disagreements(launches: Sequence[Compared], most: int) -> list[str]:
    """By what was assumed, nothing first; then by cause, the most frequent first."""
    lines: list[str] = []
    for status in Status:
        held = [each for each in launches if each.status == status.value and not each.agrees_fully]
        if not held:
            continue
        lines.append(f"{status.value}: {counted(len(held), 'disagreement')}")
        causes = Counter(each.cause for each in held)
        for cause, count in causes.most_common():
            lines.append(f"  {count:4}  {cause}")
            chosen = [each for each in held if each.cause == cause]
            chosen.sort(key=lambda each: (each.code_lines, each.program))
            lines += [f"        {_in_short(each)}" for each in chosen[:most]]
    return lines


def _in_short(launch: Compared) -> str:
    ratios = [
        f"{head} {significant(ratio, 3)}x"
        for name, head in _HEADS.items()
        if launch.agrees(name) is False and (ratio := launch.ratio(name)) is not None
    ]
    if launch.class_agrees is False:
        ratios.append(f"{launch.predicted_class or 'undecided'}, not {launch.emulated_class}")
    name = launch.kernel.split("(", maxsplit=1)[0][-_MOST_NAME:]
    where = f"{dimensions(launch.grid)} x {dimensions(launch.block)}"
    sample = ", a sample" if launch.sampled else ""
    where = f"{name} {where}{sample}"
    told = f"{launch.program} ({launch.code_lines} lines): {where}: {', '.join(ratios)}"
    return f"{told} ({launch.lines})" if launch.lines else told
