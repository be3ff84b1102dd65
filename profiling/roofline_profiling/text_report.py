"""A validation as text: wrong predictions and their reasons first, then the overall figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline_analysis.names.profiled_names import parse_profiled_name
from roofline_analysis.report.report import Verdict
from roofline_core.text.table import aligned
from roofline_core.text.units import counted, percent, ratio_text
from roofline_profiling.validate import LaunchComparison, Validation
from roofline_study import text_report
from roofline_study.dataset import OPENMP_PREFIX

MAX_SHOWN = 40
"""The most launches that are listed; wrong ones come first."""
_NAME_WIDTH = 44
_HEADS = ("predicted", "SP", "DP", "INT", "DRAM", "intensity", "time")
_QUANTITIES = ("sp_flops", "dp_flops", "int_ops", "dram_bytes")


def as_text(validation: Validation, *, show_all: bool = False) -> str:
    """What a person reads. ``show_all`` lists every launch."""
    lines = [text_report.gpu_line(validation.gpu), _totals(validation), ""]
    shown = sorted(validation.comparisons, key=_urgency)
    left = 0 if show_all else max(0, len(shown) - MAX_SHOWN)
    lines += _launch_lines(shown[: len(shown) - left])
    if left:
        lines.append(f"  and {left} more; --all lists them, --format csv has every number")
    if validation.problems:
        lines += ["", "problems", *(f"  {each}" for each in validation.problems)]
    if validation.evaluation.judgements:
        # Without the line on the GPU, which is above already.
        lines += ["", *text_report.as_text(validation.evaluation).splitlines()[1:]]
    return "\n".join(lines) + "\n"


def launches_text(validation: Validation) -> str:
    """The list of launches without figures, for a few that were just measured."""
    lines = [text_report.gpu_line(validation.gpu), _totals(validation), ""]
    lines += _launch_lines(sorted(validation.comparisons, key=_urgency))
    return "\n".join(lines) + "\n"


def _totals(validation: Validation) -> str:
    """``12 launches of 10 kernels: 9 of 10 classes right (90%), 2 without a measured class``."""
    all_of = validation.comparisons
    kernels = len({each.name for each in all_of})
    judged = [each for each in all_of if each.right is not None]
    right = sum(each.right is True for each in judged)
    parts = []
    if judged:
        share = percent(validation.accuracy)
        parts.append(f"{right} of {counted(len(judged), 'class', 'classes')} right ({share})")
    unlabelled = sum(each.measured is None for each in all_of)
    if unlabelled:
        parts.append(f"{unlabelled} without a measured class")
    stale = sum(each.stale for each in all_of)
    if stale:
        parts.append(f"{stale} of code that has changed since")
    launches = counted(len(all_of), "launch", "launches")
    return f"{launches} of {counted(kernels, 'kernel')}: {', '.join(parts)}"


def _urgency(comparison: LaunchComparison) -> tuple[int, str]:
    """A sort key: wrong classes first, then launches with an explained difference."""
    if comparison.right is False:
        return 0, comparison.name
    told = comparison.failure or (comparison.gap is not None and comparison.gap.text)
    return (1 if told else 2), comparison.name


def _launch_lines(comparisons: Sequence[LaunchComparison]) -> Iterator[str]:
    """A row of ratios, predicted over measured, with the explanation of differences below it."""
    words = {each.measurement.how for each in comparisons}
    word = words.pop() if len(words) == 1 else "measured"
    rows = [[f"predicted / {word}", word, *_HEADS]]
    rows += [[_short(comparison), *_cells(comparison)] for comparison in comparisons]
    table = aligned(rows, right=range(3, 9), indent="  ")
    yield table[0]
    for comparison, line in zip(comparisons, table[1:], strict=True):
        mark = "!" if comparison.right is False else " "
        yield f"{mark}{line[1:]}"
        note = note_of(comparison)
        if comparison.measurement.emulated and word == "measured":
            note = f"emulated; {note}" if note else "emulated"
        if note:
            yield f"      {note}"


def note_of(comparison: LaunchComparison) -> str:
    """The reason for a launch's difference in one line; empty if there is none."""
    if comparison.stale:
        return "the kernel's code has changed since it was measured: profile it again"
    if comparison.failure is not None:
        return comparison.failure
    notes = []
    if comparison.measured is None:
        lacking = ", ".join(comparison.measurement.missing())
        how = comparison.measurement.how
        notes.append(f"no class: {lacking} not {how}" if lacking else f"no class {how}")
    if comparison.gap is not None and comparison.gap.text:
        notes.append(comparison.gap.text)
    return "; ".join(notes)


def _short(comparison: LaunchComparison) -> str:
    """``program:scale<float>``, or ``program:main_l35`` for a target region."""
    launch = comparison.measurement
    parsed = parse_profiled_name(launch.kernel)
    if parsed.region_of is not None:
        head = parsed.base_name.removeprefix(OPENMP_PREFIX)
    else:
        head = launch.kernel.removeprefix("void ")
        head = head if head.startswith("(") else head.split("(", 1)[0]
    name = f"{launch.program}:{head}" if launch.program else head
    return name if len(name) <= _NAME_WIDTH else f"{name[: _NAME_WIDTH - 3]}..."


def _cells(comparison: LaunchComparison) -> list[str]:
    gap = comparison.gap
    cells = [_class(comparison.measured), _class(comparison.predicted)]
    if gap is None:
        return cells
    cells += [_times(gap.ratios[name]) for name in _QUANTITIES]
    kind = gap.deciding.title if gap.deciding is not None else ""
    cells.append(f"{kind} {_times(gap.intensity)}" if gap.intensity is not None else "")
    cells.append(_times(gap.ratios["time_ns"]))
    return cells


def _class(verdict: Verdict | None) -> str:
    return verdict.value if verdict is not None else "?"


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio_text(ratio, 2)}x"
