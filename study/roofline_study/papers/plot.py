"""Shares with their intervals as a drawing: one line a row, as SVG text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from roofline_study.bootstrap import Interval

_WIDTH, _LEFT, _RIGHT, _TOP, _STEP = 860, 290, 70, 46, 22
_MOST_NAME = 44
"""Characters of a name that fit."""
_PUBLISHED, _OURS = "#8c8c8c", "#0072b2"


@dataclass(frozen=True, slots=True)
class ShareDot:
    """A row of the drawing."""

    name: str
    share: float
    """0 to 1."""
    interval: Interval | None
    published: bool
    """Drawn in grey."""


def shares_svg(title: str, dots: Sequence[ShareDot], *, chance: float | None = None) -> str:
    """A drawing of its own, from 0 to 100%; ``chance`` is a share that is marked."""
    height = _TOP + _STEP * len(dots) + 40
    size = f'width="{_WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {_WIDTH} {height}"',
        'role="img" font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        f'<rect {size} fill="#ffffff"/>',
        f'<text x="16" y="24" font-size="15">{escape(title)}</text>',
        *_scale(height - 34),
        *(_mark(chance, height - 34) if chance is not None else ()),
        *(line for at, dot in enumerate(dots) for line in _row(dot, _TOP + _STEP * (at + 0.5))),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _x(share: float) -> float:
    return _LEFT + min(max(share, 0.0), 1.0) * (_WIDTH - _LEFT - _RIGHT)


def _short(name: str) -> str:
    return name if len(name) <= _MOST_NAME else f"{name[: _MOST_NAME - 3]}..."


def _scale(bottom: float) -> Iterator[str]:
    for percent in range(0, 101, 10):
        x = _x(percent / 100)
        yield f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#e3e3e3"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{percent}%</text>'


def _mark(share: float, bottom: float) -> Iterator[str]:
    x = f"{_x(share):.1f}"
    yield (
        f'<line x1="{x}" y1="{_TOP}" x2="{x}" y2="{bottom}" stroke="#444444"'
        ' stroke-dasharray="4 3"/>'
    )


def _row(dot: ShareDot, y: float) -> Iterator[str]:
    colour = _PUBLISHED if dot.published else _OURS
    name = escape(_short(dot.name))
    yield f'<text x="{_LEFT - 12}" y="{y + 4:.1f}" text-anchor="end">{name}</text>'
    if dot.interval is not None:
        low, high = _x(dot.interval.low), _x(dot.interval.high)
        ends = f'x1="{low:.1f}" y1="{y:.1f}" x2="{high:.1f}" y2="{y:.1f}"'
        yield f'<line {ends} stroke="{colour}" stroke-width="2"/>'
    yield f'<circle cx="{_x(dot.share):.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>'
    yield (
        f'<text x="{_WIDTH - 10}" y="{y + 4:.1f}" text-anchor="end">{100 * dot.share:.2f}</text>'
    )
