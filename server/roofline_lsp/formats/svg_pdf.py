"""A drawing of ours as PDF, by matplotlib: what its SVG text has, at the same places.

It reads the elements that drawings of commands are made of, and no others.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

_PIXELS_PER_INCH: Final = 96.0
_POINTS: Final = 72.0 / _PIXELS_PER_INCH
"""Points to a pixel."""
_STYLE: Final = {
    "pdf.fonttype": 42,  # fonts as TrueType, as publishers ask for
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that a drawing is the same anywhere
    "lines.scale_dashes": False,
}
_NUMBER: Final = r"-?\d+(?:\.\d+)?"
_TURNED: Final = re.compile(rf"translate\(({_NUMBER})[ ,]({_NUMBER})\)(?: rotate\(({_NUMBER})\))?")
_STEP: Final = re.compile(rf"([MLml]) ?({_NUMBER}),({_NUMBER})")
_SIDES: Final = {"start": "left", "middle": "center", "end": "right"}


def write_pdf(pyplot: Any, svg: str, path: Path) -> None:
    """Write SVG text as PDF, by matplotlib's module ``pyplot``. Raises OSError.

    The same drawing is the same file: no date is in it.
    """
    with pyplot.rc_context(_STYLE):
        figure = svg_figure(pyplot, svg)
        try:
            figure.savefig(path, format="pdf", metadata={"CreationDate": None})
        finally:
            pyplot.close(figure)


def svg_figure(pyplot: Any, svg: str) -> Any:
    """The drawing as matplotlib has it: one axes whose unit is a pixel of the SVG.

    Raises ValueError for an element that it does not know.
    """
    root = ET.fromstring(svg)
    width, height = (_number(root, side) for side in ("width", "height"))
    figure = pyplot.figure(figsize=(width / _PIXELS_PER_INCH, height / _PIXELS_PER_INCH))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.set_axis_off()
    size = _number(root, "font-size", 12.0)
    for order, element in enumerate(root.iter()):
        tag = element.tag.rpartition("}")[2]
        if tag == "text":
            _text(axes, element, size, order)
        elif tag in _SHAPES:
            axes.add_artist(_SHAPES[tag](element, order))
        elif tag not in ("svg", "g", "title"):
            raise ValueError(f"a drawing with <{tag}>")
    return figure


def _number(element: ET.Element, name: str, default: float = 0.0) -> float:
    return float(element.get(name, default))


def _text(axes: Any, element: ET.Element, size: float, order: int) -> None:
    turned = _TURNED.fullmatch(element.get("transform", "translate(0 0)"))
    if turned is None:
        raise ValueError(f"a drawing with transform={element.get('transform')!r}")
    x, y, angle = (float(each or 0.0) for each in turned.groups())
    axes.text(
        x + _number(element, "x"),
        y + _number(element, "y"),
        element.text or "",
        fontsize=_number(element, "font-size", size) * _POINTS,
        color=element.get("fill", "#000000"),
        ha=_SIDES[element.get("text-anchor", "start")],
        va="baseline",
        rotation=-angle,  # SVG turns clockwise
        rotation_mode="anchor",
        parse_math=False,  # names may have dollar signs
        zorder=order,
    )


def _pen(element: ET.Element, order: int) -> dict[str, Any]:
    """How lines are drawn."""
    dashes = tuple(float(each) * _POINTS for each in element.get("stroke-dasharray", "").split())
    return {
        "linewidth": _number(element, "stroke-width", 1.0) * _POINTS,
        "linestyle": (0, dashes) if dashes else "-",
        "zorder": order,
    }


def _line(xs: list[float], ys: list[float], element: ET.Element, order: int) -> Any:
    lines = importlib.import_module("matplotlib.lines")
    return lines.Line2D(xs, ys, color=element.get("stroke", "none"), **_pen(element, order))


def _straight(element: ET.Element, order: int) -> Any:
    xs, ys = ([_number(element, f"{axis}{end}") for end in (1, 2)] for axis in "xy")
    return _line(xs, ys, element, order)


def _polyline(element: ET.Element, order: int) -> Any:
    places = [each.split(",") for each in element.get("points", "").split()]
    xs, ys = ([float(place[at]) for place in places] for at in (0, 1))
    return _line(xs, ys, element, order)


def _strokes(element: ET.Element, order: int) -> Any:
    """A path of straight strokes; a break between two is not drawn."""
    places = list(_places(element.get("d", "")))
    return _line([x for x, _ in places], [y for _, y in places], element, order)


def _places(path: str) -> Iterator[tuple[float, float]]:
    x = y = 0.0
    for command, across, down in _STEP.findall(path):
        if command in "Mm":
            yield float("nan"), float("nan")
        x = float(across) + (x if command.islower() else 0.0)
        y = float(down) + (y if command.islower() else 0.0)
        yield x, y


def _area(element: ET.Element, order: int) -> dict[str, Any]:
    colours = {"edgecolor": element.get("stroke", "none"), "facecolor": element.get("fill", "none")}
    return {**colours, **_pen(element, order)}


def _rectangle(element: ET.Element, order: int) -> Any:
    corner = (_number(element, "x"), _number(element, "y"))
    sides = (_number(element, "width"), _number(element, "height"))
    patches = importlib.import_module("matplotlib.patches")
    return patches.Rectangle(corner, *sides, **_area(element, order))


def _disc(element: ET.Element, order: int) -> Any:
    centre = (_number(element, "cx"), _number(element, "cy"))
    patches = importlib.import_module("matplotlib.patches")
    return patches.Circle(centre, _number(element, "r"), **_area(element, order))


_SHAPES: Final[dict[str, Callable[[ET.Element, int], Any]]] = {
    "line": _straight,
    "polyline": _polyline,
    "path": _strokes,
    "rect": _rectangle,
    "circle": _disc,
}
