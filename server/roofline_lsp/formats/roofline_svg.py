"""The roofline as a drawing: roofs of a GPU, and kernels below them, as SVG text.

It depends on nothing, so that a report page and an editor's panel can show the same drawing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from roofline_analysis.report.report import GpuUsed
from roofline_core.program.precision import Precision
from roofline_core.text.units import scaled, significant
from roofline_lsp.formats.roofline_places import ChartPoint, Plotted, named, within_reach

COLOURS = {
    Precision.SP: "#0072b2",
    Precision.DP: "#d55e00",
    Precision.INT: "#009e73",
    Precision.HP: "#cc79a7",
    Precision.TENSOR: "#7a5195",
}
"""Of the palette by Okabe and Ito, which people with any colour vision tell apart."""

FONTS = "Arial, Helvetica, 'DejaVu Sans', 'Liberation Sans', 'Noto Sans', sans-serif"
"""By name: what draws PNG takes ``sans-serif`` for Arial, which few Linux machines have."""

WRONG = "#b00020"
"""What marks a class that was told wrong, beside its shape."""
_CROWD = 100
"""With more kernels the points are smaller."""
_WIDTH, _HEIGHT = 860, 560
_SIZE = f'width="{_WIDTH}" height="{_HEIGHT}"'
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 26, 48, 62
_MOST_DECADES = 14
_HIGHEST = 12
"""Decades of operations per byte, or of 10^9 operations per second, beyond which nothing is."""

_CORNERS: Final[Mapping[Precision, Sequence[tuple[float, float]]]] = {
    Precision.DP: ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    Precision.HP: ((-1.1, -0.8), (1.1, -0.8), (0.0, 1.15)),
    Precision.INT: ((-1.1, 0.8), (1.1, 0.8), (0.0, -1.15)),
    Precision.TENSOR: ((0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)),
}
"""Shapes beside a radius of 1, as in the editor's panel; of other precisions a circle."""


def roofline_svg(gpu: GpuUsed, kernels: Sequence[Plotted], *, title: str = "") -> str:
    """A drawing of its own: predicted places as discs, measured ones as rings, joined.

    A cross marks a class that was told wrong. Of many kernels those that stand out have names, and
    the axes leave out what lies far from all others: it stands at the edge.
    """
    used = [p for p in COLOURS if p in gpu.peaks_gops and any(k.precision is p for k in kernels)]
    if not used:
        used = [p for p in (Precision.SP,) if p in gpu.peaks_gops]
    scale = _scale(gpu, kernels, used)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {_SIZE} viewBox="0 0 {_WIDTH} {_HEIGHT}"',
        f'role="img" font-family="{FONTS}" font-size="12">',
        f"<title>{escape(title or f'Roofline of {gpu.name}')}</title>",
        f'<rect {_SIZE} fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="24" font-size="15">{escape(title or gpu.name)}</text>',
        *_grid(scale),
        _slope(gpu, used, scale),
        *(line for precision in used for line in _roof(gpu, precision, scale)),
        *_points(kernels, scale),
        *_legend(kernels),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


@dataclass(frozen=True, slots=True)
class _Scale:
    """Decades from edge to edge."""

    left: int
    right: int
    bottom: int
    top: int

    def x(self, intensity: float) -> float:
        """The pixel from the left for operations a byte."""
        share = (math.log10(intensity) - self.left) / (self.right - self.left)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(self, gops: float) -> float:
        """The pixel from the top for 10^9 operations a second."""
        share = (math.log10(gops) - self.bottom) / (self.top - self.bottom)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def _scale(gpu: GpuUsed, kernels: Sequence[Plotted], used: Sequence[Precision]) -> _Scale:
    places = [p for k in kernels for p in (k.predicted, k.measured) if p is not None]
    ridges = [gpu.ridges[p] for p in used if p in gpu.ridges]
    peaks = [gpu.peaks_gops[p] for p in used]
    intensities = within_reach([p.intensity for p in places])
    across = [math.log10(each) for each in (*intensities, *ridges)]
    up = [math.log10(each) for each in (*within_reach([p.gops for p in places]), *peaks)]
    left, right = _decades([*across, -1.0, 2.0])
    bottom, top = _decades([*up, max(up, default=3.0) - 3])
    return _Scale(left, right, bottom, top)


def _decades(logarithms: Sequence[float]) -> tuple[int, int]:
    """The whole decades around numbers; of a span beyond all reason, its upper part."""
    high = min(math.floor(max(logarithms)) + 1, _HIGHEST)
    low = max(math.floor(min(logarithms)), high - _MOST_DECADES)
    return min(low, high - 1), high


def _grid(scale: _Scale) -> Iterator[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    yield '<g stroke="#e3e3e3" stroke-width="1">'
    for decade in range(scale.left, scale.right + 1):
        x = scale.x(10.0**decade)
        yield f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{bottom}"/>'
    for decade in range(scale.bottom, scale.top + 1):
        y = scale.y(10.0**decade)
        yield f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>'
    yield '</g>\n<g fill="#444444">'
    for decade in range(scale.left, scale.right + 1):
        x = scale.x(10.0**decade)
        yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{_tick(decade)}</text>'
    for decade in range(scale.bottom, scale.top + 1):
        y = scale.y(10.0**decade) + 4
        text = scaled(10.0 ** (decade + 9))
        yield f'<text x="{_LEFT - 8}" y="{y:.1f}" text-anchor="end">{text}</text>'
    middle = (_LEFT + right) / 2
    at = f'x="{middle}" y="{_HEIGHT - 22}" text-anchor="middle"'
    yield f"<text {at}>operations per DRAM byte</text>"
    yield (
        f'<text transform="translate(18 {(_TOP + bottom) / 2}) rotate(-90)" text-anchor="middle">'
        "operations per second</text>\n</g>"
    )


def _tick(decade: int) -> str:
    """``0.01``, ``10``, ``1 k``."""
    return scaled(10.0**decade) if decade >= 0 else f"{10.0**decade:g}"


def _slope(gpu: GpuUsed, used: Sequence[Precision], scale: _Scale) -> str:
    """What the bandwidth allows, up to the highest roof."""
    bandwidth = gpu.bandwidth_gbs
    # It enters the drawing at its left or at its bottom edge.
    start = max(10.0**scale.left, 10.0**scale.bottom / bandwidth)
    end = max((gpu.peaks_gops[precision] / bandwidth for precision in used), default=start)
    ends = [(x, x * bandwidth) for x in (start, max(start, end))]
    path = " ".join(f"{scale.x(x):.1f},{scale.y(y):.1f}" for x, y in ends)
    return f'<polyline points="{path}" fill="none" stroke="#444444" stroke-width="2"/>'


def _roof(gpu: GpuUsed, precision: Precision, scale: _Scale) -> Iterator[str]:
    peak, colour = gpu.peaks_gops[precision], COLOURS[precision]
    ridge = peak / gpu.bandwidth_gbs
    y = scale.y(peak)
    start = scale.x(max(ridge, 10.0**scale.left))
    path = f"{start:.1f},{y:.1f} {_WIDTH - _RIGHT},{y:.1f}"
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    text = f"{precision.title} {scaled(peak * 1e9)}/s, ridge {significant(ridge)}"
    yield (
        f'<text x="{_WIDTH - _RIGHT - 16}" y="{scale.y(peak) - 5:.1f}" text-anchor="end" '
        f'fill="{colour}">{text}</text>'
    )
    yield _shape(precision, (_WIDTH - _RIGHT - 7, y - 9), 4.0, f'fill="{colour}"')


def _points(kernels: Sequence[Plotted], scale: _Scale) -> Iterator[str]:
    radius = 4.5 if len(kernels) <= _CROWD else 2.5
    with_names = named(kernels)
    taken: list[tuple[float, float]] = []
    for at, kernel in enumerate(kernels):
        yield f"<g><title>{escape(_told(kernel))}</title>"
        yield from _marks(kernel, scale, radius)
        if at in with_names:
            yield from _label(kernel, scale, taken)
        yield "</g>"


def _marks(kernel: Plotted, scale: _Scale, radius: float) -> Iterator[str]:
    colour = COLOURS[kernel.precision]
    here, there = (_point(place, scale) for place in (kernel.predicted, kernel.measured))
    if here is not None and there is not None:
        ends = f'x1="{here[0]:.1f}" y1="{here[1]:.1f}" x2="{there[0]:.1f}" y2="{there[1]:.1f}"'
        yield f'<line {ends} stroke="{colour}" stroke-width="1" stroke-dasharray="3 2"/>'
    if here is not None:
        yield _shape(kernel.precision, here, radius, f'fill="{colour}"')
    if there is not None:
        hollow = f'fill="#ffffff" stroke="{colour}" stroke-width="1.8"'
        yield _shape(kernel.precision, there, radius, hollow)
    marked = there or here
    if kernel.wrong and marked is not None:
        yield _cross(marked, radius + 3)


def _shape(precision: Precision, at: tuple[float, float], radius: float, look: str) -> str:
    x, y = at
    corners = _CORNERS.get(precision)
    if corners is None:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" {look}/>'
    path = "L".join(f"{x + right * radius:.1f} {y + down * radius:.1f}" for right, down in corners)
    return f'<path d="M{path}Z" {look}/>'


_LETTER = 7
"""Pixels of a letter, by which names are kept apart."""
_LINE = 13


def _label(kernel: Plotted, scale: _Scale, taken: list[tuple[float, float]]) -> Iterator[str]:
    """Its name beside it, moved up or down from those in ``taken``, where names begin."""
    place = _point(kernel.place, scale)
    if place is None:
        return
    width = _LETTER * len(kernel.short_name)
    left = place[0] > _WIDTH - _RIGHT - width
    anchor, step = ("end", -8) if left else ("start", 8)
    x = place[0] + step
    begin = x - width if left else x
    for aside in (0, -1, 1, -2, 2, -3, 3):
        y = place[1] + 4 + aside * _LINE
        if not any(abs(y - other) < _LINE - 1 and abs(begin - at) < width for at, other in taken):
            break
    else:
        y = place[1] + 4
    taken.append((begin, y))
    yield f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(kernel.short_name)}</text>'


def _cross(at: tuple[float, float], arm: float) -> str:
    """What marks a class that was told wrong."""
    x, y = at
    strokes = " ".join(
        f"M{x - arm:.1f} {y - side * arm:.1f}L{x + arm:.1f} {y + side * arm:.1f}"
        for side in (1, -1)
    )
    return f'<path class="wrong" d="{strokes}" stroke="{WRONG}" stroke-width="1.6"/>'


def _point(place: ChartPoint | None, scale: _Scale) -> tuple[float, float] | None:
    """In the drawing; what lies beyond its edge is put on the edge."""
    if place is None:
        return None
    x = min(max(scale.x(place.intensity), _LEFT), _WIDTH - _RIGHT)
    return x, min(max(scale.y(place.gops), _TOP), _HEIGHT - _BOTTOM)


def _told(kernel: Plotted) -> str:
    parts = [f"{kernel.name} ({kernel.precision.title})"]
    for word, place in (("predicted", kernel.predicted), (kernel.how, kernel.measured)):
        if place is not None:
            speed = scaled(place.gops * 1e9)
            parts.append(f"{word}: {scaled(place.intensity)} per byte, {speed}/s")
    if kernel.wrong:
        parts.append(f"another class was {kernel.how}")
    return "\n".join(parts)


def _legend(kernels: Sequence[Plotted]) -> Iterator[str]:
    """What marks mean, where some kernels were measured."""
    marks = []
    words = {kernel.how for kernel in kernels if kernel.measured is not None}
    if words:
        marks.append(("predicted", 'fill="#444444"'))
        word = words.pop() if len(words) == 1 else "measured"
        marks.append((word, 'fill="#ffffff" stroke="#444444" stroke-width="1.8"'))
    wrong = sum(kernel.wrong for kernel in kernels)
    if wrong:
        x = _WIDTH - _RIGHT - 320
        yield _cross((x, 20), 4.5)
        yield f'<text x="{x + 10}" y="24">another class: {wrong}</text>'
    for number, (word, style) in enumerate(marks):
        x = _WIDTH - _RIGHT - 190 + 95 * number
        yield f'<circle cx="{x}" cy="20" r="4.5" {style}/><text x="{x + 10}" y="24">{word}</text>'
