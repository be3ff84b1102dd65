"""Counts of launches against measured ones."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_profiling.emulate.counts import CodeTable
from roofline_profiling.emulate.records import LaunchRecord, read_code
from roofline_profiling.errors import ReportError
from roofline_study.dataset import MeasuredKernel

from .matching import find_launch
from .names import KernelName

COUNTS = ("sp_flops", "dp_flops", "int_ops", "dram_bytes")
LIMITS = {"sp_flops": 0.02, "dp_flops": 0.02, "int_ops": 0.10, "dram_bytes": 0.5}
"""The deviation from the measured count up to which it agrees. Of DRAM bytes it is a factor of 1.5
either way; the others are parts of the measured count."""
GOALS = {"sp_flops": 0.90, "dp_flops": 0.90, "int_ops": 0.75, "dram_bytes": 0.75}
"""The part of the kernels that should agree."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A measured kernel and its emulated launch."""

    row: MeasuredKernel
    cause: str
    """Why there are no counts; empty where there are some."""
    counts: Mapping[str, float | None]
    """Emulated; None: not simulated. Empty where there is no launch."""
    share: float = 0.0
    """Of the grid's thread blocks: those that ran."""

    def ratio(self, name: str) -> float | None:
        """Emulated over measured; None where either is absent or the measured one is 0."""
        emulated, measured = self.counts.get(name), float(getattr(self.row, name))
        return emulated / measured if emulated is not None and measured else None

    def agrees(self, name: str) -> bool | None:
        """Is the emulated count as near as it should be? None where it is absent."""
        emulated = self.counts.get(name)
        if emulated is None:
            return None
        return agrees(name, float(getattr(self.row, name)), emulated)


def agrees(name: str, measured: float, emulated: float) -> bool:
    """Is an emulated count as near to the measured one as it should be? Of 0 only 0 is near."""
    if not measured or not emulated:
        return measured == emulated
    limit = LIMITS[name]
    if name == "dram_bytes":
        return max(emulated / measured, measured / emulated) <= 1 + limit
    return abs(emulated - measured) <= limit * measured


class Comparer:
    """Compares rows with launches; reads the code of each kernel once."""

    def __init__(self) -> None:
        self._codes: dict[Path, CodeTable] = {}

    def compare(
        self,
        row: MeasuredKernel,
        launches: Sequence[LaunchRecord],
        names: Mapping[str, KernelName],
        ending: str,
    ) -> Compared:
        """A row and its launch. ``ending``: how the program's run ended, if before its time."""
        match = find_launch(row, launches, names)
        if match.launch is None:
            return Compared(row, f"{match.cause}; {ending}" if ending else match.cause, {})
        launch = match.launch
        if launch.error:
            return Compared(row, f"launch failed: {launch.error}", {})
        try:
            counts = self.counts(launch)
        except ReportError as error:
            return Compared(row, str(error), {})
        return Compared(row, "", counts, launch.blocks_run / launch.blocks)

    def counts(self, launch: LaunchRecord) -> dict[str, float | None]:
        """The counts that are compared. Raises ReportError where the code is not there."""
        table = self._codes.get(launch.code)
        if table is None:
            table = self._codes[launch.code] = CodeTable(read_code(launch.code))
        counted = table.counts(launch)
        traffic = launch.traffic
        moved = traffic.dram_read_bytes + traffic.dram_write_bytes if traffic else None
        return {
            "sp_flops": counted.work.sp_flops,
            "dp_flops": counted.work.dp_flops,
            "int_ops": counted.work.int_ops,
            "dram_bytes": None if moved is None else moved * counted.scale,
        }


def summary(compared: Sequence[Compared]) -> list[str]:
    """The figures that are wanted, then what kept the other rows from being compared."""
    ran = [each for each in compared if not each.cause]
    lines = [f"{len(ran)} of {len(compared)} rows have an emulated launch"]
    for name in COUNTS:
        verdicts = [each.agrees(name) for each in ran]
        held = [each for each in verdicts if each is not None]
        if held:
            part = sum(held) / len(held)
            lines.append(
                f"{name:10}  {sum(held):4} of {len(held):4} agree: {part:6.1%} "
                f"(goal {GOALS[name]:.0%}){_zeros(ran, name)}"
            )
    causes = Counter(each.cause for each in compared if each.cause)
    return [*lines, *(f"{count:4}  {cause}" for cause, count in causes.most_common())]


def _zeros(ran: Iterable[Compared], name: str) -> str:
    """The same figure for the rows that have such operations at all: many have none."""
    if name == "dram_bytes":
        return ""
    counted = [each for each in ran if getattr(each.row, name)]
    good = sum(each.agrees(name) is True for each in counted)
    return f"; where some were measured {good} of {len(counted)}" if counted else ""


def write_csv(path: Path, compared: Iterable[Compared]) -> None:
    """One line for each row of the data: measured and emulated counts, ratios, verdicts."""
    columns = ["program", "kernel", "grid", "block", "cause", "share"]
    for name in COUNTS:
        columns += [f"{name}_measured", f"{name}_emulated", f"{name}_ratio", f"{name}_agrees"]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for each in compared:
            cells: list[object] = [each.row.program, each.row.kernel, each.row.grid,
                                   each.row.block, each.cause, each.share]  # fmt: skip
            for name in COUNTS:
                ratio = each.ratio(name)
                cells += [getattr(each.row, name), each.counts.get(name, ""),
                          "" if ratio is None else f"{ratio:.4f}", each.agrees(name)]  # fmt: skip
            writer.writerow(["" if cell is None else cell for cell in cells])
