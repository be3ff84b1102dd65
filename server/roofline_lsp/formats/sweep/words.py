"""What a sweep's table and drawing say in the same words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline_analysis.api.sweep.records import Sweep, SweepClassChange, SweepPoint
from roofline_analysis.report.report import GpuUsed, Verdict
from roofline_analysis.report.verdict_words import agrees
from roofline_core.program.precision import Precision
from roofline_core.program.records import record


@record(frozen=True, slots=True)
class Curve:
    """The points of one GPU."""

    gpu: GpuUsed
    points: tuple[SweepPoint, ...]


def curves(made: Sweep) -> Iterator[Curve]:
    """The points of each GPU."""
    for gpu in made.gpus:
        yield Curve(gpu, tuple(each for each in made.points if each.gpu == gpu.name))


def is_over_gpus(made: Sweep) -> bool:
    """Whether GPUs alone are varied, so that each has one point."""
    return all(point.value is None for point in made.points)


def title(made: Sweep) -> str:
    """``gemm_naive over n``."""
    return f"{made.title} over {'GPUs' if is_over_gpus(made) else made.name}"


def precisions(made: Sweep) -> list[Precision]:
    """Those that some of the launches have operations of."""
    return [p for p in Precision if any(point.operations.get(p) for point in made.points)]


def class_text(point: SweepPoint) -> str:
    """``CB``; ``CB by intensity`` where the time goes elsewhere; ``undecided``."""
    if point.verdict is None:
        return "-" if point.problem is not None else "undecided"
    if point.resource is None or agrees(point.verdict, point.resource):
        return point.verdict.value
    return f"{point.verdict.value} by intensity"


def change_texts(made: Sweep) -> list[str]:
    """``BB to n = 64, CB from n = 128``; one sentence where the class is always the same."""
    if is_over_gpus(made):
        return [_by_class(made.points)]
    texts = []
    for curve in curves(made):
        changes = [each for each in made.changes if each.gpu == curve.gpu.name]
        text = _of_curve(made.name, changes, curve.points)
        texts.append(text if len(made.gpus) == 1 else f"{curve.gpu.name}: {text}")
    return texts


def verdict_text(verdict: Verdict | None) -> str:
    """``CB``; ``undecided``."""
    return "undecided" if verdict is None else verdict.value


def _of_curve(name: str, changes: Sequence[SweepClassChange], points: Sequence[SweepPoint]) -> str:
    known = [point for point in points if point.problem is None]
    if not known:
        return "no launch with any of these values"
    if not changes:
        return (
            f"{verdict_text(known[0].verdict)} for every {name} tried,"
            f" {known[0].value} to {known[-1].value}"
        )
    parts = [f"{verdict_text(changes[0].before)} to {name} = {changes[0].below}"]
    for change, following in zip(changes, (*changes[1:], None), strict=True):
        end = "" if following is None or following.below == change.value else _to(following)
        parts.append(f"{verdict_text(change.after)} from {name} = {change.value}{end}")
    return ", ".join(parts)


def _to(change: SweepClassChange) -> str:
    return f" to {change.below}"


def _by_class(points: Sequence[SweepPoint]) -> str:
    """``BB on A100, H100; CB on RTX 4090``."""
    found: dict[str, list[str]] = {}
    for point in points:
        found.setdefault(verdict_text(point.verdict), []).append(point.gpu)
    return "; ".join(f"{verdict} on {', '.join(gpus)}" for verdict, gpus in found.items())
