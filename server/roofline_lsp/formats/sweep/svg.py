"""A sweep as a drawing: time above, intensity over the ridge below, as SVG text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Final

from roofline_analysis.api.sweep.records import Sweep, SweepPoint
from roofline_analysis.report.report import GpuUsed, Verdict
from roofline_core.program.precision import Precision
from roofline_core.text.units import duration, scaled, significant
from roofline_lsp.formats.roofline_svg import COLOURS, FONTS
from roofline_lsp.formats.sweep.words import (
    curves,
    is_over_gpus,
    precisions,
    title,
    verdict_text,
)

_WIDTH, _HEIGHT = 940, 660
_SIZE: Final = f'width="{_WIDTH}" height="{_HEIGHT}"'
_LEFT, _RIGHT = 84, 216
_TIME: Final = (70, 320)
"""Top and bottom of the upper panel."""
_INTENSITY: Final = (360, 560)
_PALETTE: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a5195", "#56b4e9", "#e69f00")
"""By Okabe and Ito, which people with any colour vision tell apart; one a GPU."""
_MOST_TICKS: Final = 12
_MOST_LEVEL: Final = 4
"""With more GPUs their names are written aslant."""
_GPU: Final = "GPU"
_LONGEST: Final = 26
"""The most characters of a name in the legend."""
_LONGEST_BELOW: Final = 20
"""The same of one below the panels, where it has room aslant."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One curve of a panel, by the places of its points."""

    name: str
    colour: str
    points: tuple[tuple[SweepPoint, float], ...]
    """Each with its height, above 0."""


def render(made: Sweep) -> str:
    """A drawing of its own; points without a launch, and numbers that are not known, are absent."""
    across = _Across.of(made)
    times = _times(made)
    ratios = _ratios(made)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {_SIZE} viewBox="0 0 {_WIDTH} {_HEIGHT}"',
        f'role="img" font-family="{FONTS}" font-size="12">',
        f"<title>{escape(title(made))}</title>",
        f'<rect {_SIZE} fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="26" font-size="15">{escape(title(made))}</text>',
        f'<text x="{_LEFT}" y="46" fill="#555555">{escape(_subtitle(made))}</text>',
        *_panel(made, across, _TIME, times, "time", duration),
        *_panel(made, across, _INTENSITY, ratios, _ratio_name(made), significant),
        *_ticks(across),
        *_legend(times, ratios, made),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


@dataclass(frozen=True, slots=True)
class _Across:
    """Where a point stands from left to right."""

    labels: tuple[str, ...]
    places: tuple[float, ...]
    """0 to 1, by label."""
    name: str

    @classmethod
    def of(cls, made: Sweep) -> _Across:
        """The places of a sweep's values, or of its GPUs side by side.

        Values stand by their logarithms if the last is at least 8 times the first and their steps
        are not even.
        """
        if is_over_gpus(made):
            count = len(made.points)
            places = tuple((at + 0.5) / count for at in range(count))
            return cls(tuple(point.gpu for point in made.points), places, _GPU)
        values = sorted({point.value for point in made.points if point.value is not None})
        powers = len(values) > 2 and values[-1] / values[0] >= 8 and not _is_even(values)
        heights = [math.log(value) if powers else float(value) for value in values]
        span = heights[-1] - heights[0] or 1.0
        places = tuple(0.02 + 0.96 * (each - heights[0]) / span for each in heights)
        return cls(tuple(map(str, values)), places, made.name)

    def x(self, point: SweepPoint) -> float:
        """In the drawing."""
        label = point.gpu if point.value is None else str(point.value)
        return self.at(self.places[self.labels.index(label)])

    @staticmethod
    def at(place: float) -> float:
        """The pixel from the left for a place from 0 to 1."""
        return _LEFT + place * (_WIDTH - _LEFT - _RIGHT)


def _is_even(values: Sequence[int]) -> bool:
    """Whether all steps are as wide as the first one."""
    return len({after - before for before, after in pairwise(values)}) == 1


def _times(made: Sweep) -> list[_Line]:
    if is_over_gpus(made):
        return [_line("time", "#444444", [(p, p.time_ns) for p in made.points])]
    return [
        _line(curve.gpu.name, colour, [(p, p.time_ns) for p in curve.points])
        for curve, colour in zip(curves(made), _colours(len(made.gpus)), strict=False)
    ]


def _by_precision(made: Sweep) -> bool:
    """Whether there is a curve for each precision, and not for each GPU."""
    return is_over_gpus(made) or len(made.gpus) == 1


def _ratio_name(made: Sweep) -> str:
    return "intensity over ridge" if _by_precision(made) else "greatest intensity over ridge"


def _ratios(made: Sweep) -> list[_Line]:
    """Of one GPU a curve for each precision, of several the greatest ratio of each."""
    if _by_precision(made):
        ridges = {gpu.name: gpu for gpu in made.gpus}
        return [
            _line(
                _ridge_name(precision, made.gpus),
                COLOURS[precision],
                [(p, _ratio(p, precision, ridges[p.gpu])) for p in made.points],
            )
            for precision in precisions(made)
        ]
    return [
        _line(curve.gpu.name, colour, [(p, _greatest(p, curve.gpu)) for p in curve.points])
        for curve, colour in zip(curves(made), _colours(len(made.gpus)), strict=False)
    ]


def _colours(count: int) -> Sequence[str]:
    return [_PALETTE[at % len(_PALETTE)] for at in range(count)]


def _line(name: str, colour: str, points: Sequence[tuple[SweepPoint, float | None]]) -> _Line:
    known = tuple((point, height) for point, height in points if height)
    return _Line(name, colour, known)


def _ridge_name(precision: Precision, gpus: Sequence[GpuUsed]) -> str:
    name = precision.title
    if len(gpus) > 1:
        return name
    return f"{name}, ridge {significant(gpus[0].ridges.get(precision))}"


def _ratio(point: SweepPoint, precision: Precision, gpu: GpuUsed) -> float | None:
    intensity, ridge = point.intensities.get(precision), gpu.ridges.get(precision)
    return intensity / ridge if intensity and ridge else None


def _greatest(point: SweepPoint, gpu: GpuUsed) -> float | None:
    found = [ratio for each in Precision if (ratio := _ratio(point, each, gpu)) is not None]
    return max(found, default=None)


def _panel(
    made: Sweep,
    across: _Across,
    edges: tuple[int, int],
    lines: Sequence[_Line],
    name: str,
    shown: Callable[[float | None], str],
) -> Iterator[str]:
    top, bottom = edges
    right = _WIDTH - _RIGHT
    is_ratio = edges is _INTENSITY
    up = _Up.of([height for line in lines for _, height in line.points], edges, one=is_ratio)
    yield f'<rect x="{_LEFT}" y="{top}" width="{right - _LEFT}" height="{bottom - top}"'
    yield 'fill="none" stroke="#999999"/>'
    for height in up.ticks():
        y = up.y(height)
        yield f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#e3e3e3"/>'
        at = f'x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#444444"'
        yield f"<text {at}>{shown(height)}</text>"
    if is_ratio:
        y = up.y(1.0)
        yield f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#444444"'
        yield 'stroke-width="1.5" stroke-dasharray="6 3"/>'
    yield from _boundaries(made, across, edges, labelled=not is_ratio)
    for line in lines:
        yield from _curve(line, across, up, joined=across.name != _GPU)
    middle = (top + bottom) / 2
    yield f'<text transform="translate(20 {middle}) rotate(-90)" text-anchor="middle"'
    yield f'fill="#444444">{name}</text>'


@dataclass(frozen=True, slots=True)
class _Up:
    """Heights on a scale of powers."""

    low: float
    high: float
    """Logarithms to the base 10."""
    top: int
    bottom: int

    @classmethod
    def of(cls, heights: Sequence[float], edges: tuple[int, int], *, one: bool) -> _Up:
        """``one``: 1 is among them, as the ridge is drawn."""
        known = [math.log10(each) for each in heights] + ([0.0] if one else [])
        low, high = min(known, default=0.0), max(known, default=1.0)
        margin = max(0.12, 0.06 * (high - low))
        return cls(low - margin, high + margin, *edges)

    def y(self, height: float) -> float:
        """The pixel from the top for a height, which must be positive."""
        share = (math.log10(height) - self.low) / (self.high - self.low)
        return self.bottom - share * (self.bottom - self.top)

    def ticks(self) -> Iterator[float]:
        """Powers of ten, and 2 and 5 times those where there are few."""
        factors = (1, 2, 5) if self.high - self.low < 3 else (1,)
        step = max(1, round((self.high - self.low) / 8))
        for decade in range(math.floor(self.low), math.ceil(self.high) + 1):
            if decade % step:
                continue
            for factor in factors:
                if self.low <= math.log10(factor) + decade <= self.high:
                    yield factor * 10.0**decade


def _curve(line: _Line, across: _Across, up: _Up, *, joined: bool) -> Iterator[str]:
    places = [(across.x(point), up.y(height), point) for point, height in line.points]
    if joined and len(places) > 1:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)
        yield f'<polyline points="{path}" fill="none" stroke="{line.colour}" stroke-width="1.8"/>'
    for x, y, point in places:
        yield f"<g><title>{escape(_told(point, line.name))}</title>"
        yield _mark(x, y, point.verdict, line.colour) + "</g>"


def _mark(x: float, y: float, verdict: Verdict | None, colour: str) -> str:
    """A disc where compute-bound, a ring where bandwidth-bound, a cross where undecided."""
    if verdict is None:
        cross = f"M{x - 4:.1f},{y - 4:.1f} l8,8 m0,-8 l-8,8"
        return f'<path d="{cross}" stroke="{colour}" stroke-width="1.8"/>'
    fill = colour if verdict is Verdict.COMPUTE_BOUND else "#ffffff"
    at = f'cx="{x:.1f}" cy="{y:.1f}"'
    return f'<circle {at} r="4.2" fill="{fill}" stroke="{colour}" stroke-width="1.8"/>'


def _boundaries(
    made: Sweep, across: _Across, edges: tuple[int, int], *, labelled: bool
) -> Iterator[str]:
    """Where the class changes, between the two values."""
    if is_over_gpus(made) or len(made.gpus) > 1:
        return
    top, bottom = edges
    for change in made.changes:
        places = [across.places[across.labels.index(str(v))] for v in (change.below, change.value)]
        x = across.at(sum(places) / 2)
        yield f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" stroke="#888888"'
        yield 'stroke-dasharray="3 3"/>'
        if labelled:
            before, after = verdict_text(change.before), verdict_text(change.after)
            yield f'<text x="{x - 5:.1f}" y="{top + 14}" text-anchor="end">{before}</text>'
            yield f'<text x="{x + 5:.1f}" y="{top + 14}">{after}</text>'


def _ticks(across: _Across) -> Iterator[str]:
    """The values below the panels; of many, some."""
    bottom = _INTENSITY[1]
    every = 1 if across.name == _GPU else -(-len(across.labels) // _MOST_TICKS)
    slanted = across.name == _GPU and len(across.labels) > _MOST_LEVEL
    for at, (label, place) in enumerate(zip(across.labels, across.places, strict=True)):
        if at % every == 0:
            x = across.at(place)
            where = f'x="{x:.1f}" y="{bottom + 18}" text-anchor="middle"'
            if slanted:
                turned = f"translate({x + 4:.1f} {bottom + 14}) rotate(-35)"
                where = f'transform="{turned}" text-anchor="end"'
            name = escape(_short(label, _LONGEST_BELOW))
            yield f'<text {where} fill="#444444">{name}</text>'
    if slanted:
        return
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    yield f'<text x="{middle}" y="{bottom + 44}" text-anchor="middle">{escape(across.name)}</text>'


def _legend(times: Sequence[_Line], ratios: Sequence[_Line], made: Sweep) -> Iterator[str]:
    """Curves beside their panels, and what the marks mean."""
    x = _WIDTH - _RIGHT + 16
    for lines, (top, _) in ((times, _TIME), (ratios, _INTENSITY)):
        several = len(made.gpus) > 1 and not is_over_gpus(made)
        if several is not (lines is times):
            continue  # a curve has the same colour in both panels; the title names the only GPU
        for at, line in enumerate(lines):
            y = top + 12 + 20 * at
            yield f'<line x1="{x}" y1="{y}" x2="{x + 18}" y2="{y}" stroke="{line.colour}"'
            yield 'stroke-width="2.4"/>'
            yield f'<text x="{x + 24}" y="{y + 4}">{escape(_short(line.name, _LONGEST))}</text>'
    verdicts = dict.fromkeys(p.verdict for p in made.points if p.problem is None)
    for at, verdict in enumerate(verdicts):
        y = _TIME[1] - 10 - 20 * at
        words = {
            Verdict.COMPUTE_BOUND: "compute-bound",
            Verdict.BANDWIDTH_BOUND: "bandwidth-bound",
            None: "undecided",
        }[verdict]
        yield _mark(x + 9, y, verdict, "#444444")
        yield f'<text x="{x + 24}" y="{y + 4}">{words}</text>'


def _subtitle(made: Sweep) -> str:
    where = f"{made.path.name}:{made.line}"
    gpu = f", {made.gpus[0].name}" if len(made.gpus) == 1 else ""
    return _short(f"{where}{gpu}; {made.how}", 130)


def _told(point: SweepPoint, name: str) -> str:
    """What pointing at a mark shows."""
    moved = (point.dram_read_bytes or 0.0) + (point.dram_write_bytes or 0.0)
    value = point.gpu if point.value is None else str(point.value)
    words = f"{verdict_text(point.verdict)}, {duration(point.time_ns)}, {scaled(moved, 'B')}"
    return f"{name}\n{value}: {words}"


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 3]}..."
