"""The roofline as a figure for a paper, by matplotlib: PDF whose text is text."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from roofline_analysis.report.report import GpuUsed
from roofline_core.program.precision import Precision
from roofline_core.text.units import scaled, significant
from roofline_lsp.formats.drawing import DrawingError, pyplot_for
from roofline_lsp.formats.roofline_places import ChartPoint, Plotted, named, within_reach
from roofline_lsp.formats.roofline_svg import COLOURS, WRONG
from roofline_lsp.formats.strangers import visible

_SIZE_INCHES: Final = (6.6, 4.3)
"""A text column and a half; with the fonts below it is readable at the width of one, too."""
_STYLE: Final = {
    "pdf.fonttype": 42,  # fonts as TrueType, as publishers ask for
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that a figure is the same anywhere
    "font.size": 8.0,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_MARKERS: Final = {
    Precision.SP: "o",
    Precision.DP: "s",
    Precision.HP: "v",
    Precision.INT: "^",
    Precision.TENSOR: "D",
}
"""A shape for each precision, so that colour says nothing alone: those of the editor's panel."""
_CROWD: Final = 150
"""With more kernels their density is drawn behind them."""
_ASIDE: Final = tuple(
    (x * far, y * far)
    for far in (6.0, 14.0, 24.0)
    for x, y in ((1, 0), (1, 1), (1, -1), (-1, 0), (-1, 1), (-1, -1), (0, 1), (0, -1))
)
"""Where a name may stand beside its point, in points of 1/72 inch; the first free one is taken."""


def check_figure(path: Path) -> None:
    """Raise DrawingError where there is no matplotlib."""
    pyplot_for(path)


def write_figure(gpu: GpuUsed, kernels: Sequence[Plotted], path: Path, *, title: str = "") -> None:
    """Draw kernels below the roofs of a GPU. Raises DrawingError."""
    pyplot = pyplot_for(path)
    with pyplot.rc_context(_STYLE):
        figure = roofline_figure(pyplot, gpu, kernels, title=title)
        try:
            # Without a date, the same figure is the same file.
            figure.savefig(path, format="pdf", metadata={"CreationDate": None})
        except OSError as error:
            raise DrawingError(f"{path}: cannot be written: {error.strerror}") from None
        finally:
            pyplot.close(figure)


def roofline_figure(
    pyplot: Any, gpu: GpuUsed, kernels: Sequence[Plotted], *, title: str = ""
) -> Any:
    """The drawing as matplotlib has it, made by its module ``pyplot``.

    Predicted places are filled, measured ones hollow, joined by a line; a cross marks a class that
    was told wrong. Of many kernels those that stand out are named, and their density is drawn.
    """
    figure, axes = pyplot.subplots(figsize=_SIZE_INCHES, layout="constrained")
    _draw(axes, gpu, kernels, visible(title or gpu.name))
    figure.draw_without_rendering()
    _slope_names(axes, gpu)
    _names(axes, kernels)
    return figure


def _draw(axes: Any, gpu: GpuUsed, kernels: Sequence[Plotted], title: str) -> None:
    used = [p for p in COLOURS if p in gpu.peaks_gops and any(k.precision is p for k in kernels)]
    used = used or [p for p in (Precision.SP,) if p in gpu.peaks_gops]
    _limits(axes, gpu, kernels, used)
    axes.set_title(title, loc="left", fontsize=9, parse_math=False)
    axes.set_xlabel("operations per DRAM byte")
    axes.set_ylabel("10⁹ operations per second")
    axes.grid(visible=True, which="major", color="#e3e3e3", linewidth=0.5)
    axes.set_axisbelow(True)
    _slopes(axes, gpu, used)
    _roofs(axes, gpu, used)
    places = [place for each in kernels if (place := each.place) is not None]
    if len(places) > _CROWD:
        _density(axes, places)
    for kernel in kernels:
        _mark(axes, kernel, small=len(kernels) > _CROWD)
    _legend(axes, kernels, used)


def _limits(axes: Any, gpu: GpuUsed, kernels: Sequence[Plotted], used: Sequence[Precision]) -> None:
    """Logarithmic axes about roofs and kernels; places far from all others do not stretch them."""
    places = [p for each in kernels for p in (each.predicted, each.measured) if p is not None]
    ridges = [gpu.ridges[p] for p in used if p in gpu.ridges]
    peaks = [gpu.peaks_gops[p] for p in used]
    across = [*within_reach([p.intensity for p in places]), *ridges]
    up = [*within_reach([p.gops for p in places]), *peaks]
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(min((*across, 0.1)) / 2, max((*across, 100.0)) * 2)
    axes.set_ylim(min((*up, max(up, default=1e3) / 1e3)) / 2, max(up, default=1e3) * 3)


def _memories(gpu: GpuUsed) -> tuple[tuple[str, float, str], ...]:
    """Name, 10^9 bytes a second and dashes of each memory whose bandwidth is known."""
    memories = (
        ("DRAM", gpu.bandwidth_gbs, "-"),
        ("L2", gpu.l2_bandwidth_gbs, "--"),
        ("L1, shared", gpu.l1_bandwidth_gbs, ":"),
    )
    return tuple((name, gbs, dashes) for name, gbs, dashes in memories if gbs is not None)


def _slopes(axes: Any, gpu: GpuUsed, used: Sequence[Precision]) -> None:
    """What each memory's bandwidth allows, up to the highest roof."""
    top = max((gpu.peaks_gops[each] for each in used), default=axes.get_ylim()[1])
    left, bottom = axes.get_xlim()[0], axes.get_ylim()[0]
    for _, bandwidth, dashes in _memories(gpu):
        ends = [max(left, bottom / bandwidth), top / bandwidth]
        if ends[0] < ends[1]:
            heights = [each * bandwidth for each in ends]
            axes.plot(ends, heights, dashes, color="#444444", linewidth=1.0, zorder=1)


def _slope_names(axes: Any, gpu: GpuUsed) -> None:
    """Names along the slopes, at their lower ends; the layout has to be known."""
    left, bottom = axes.get_xlim()[0], axes.get_ylim()[0]
    for name, bandwidth, _ in _memories(gpu):
        start = 1.2 * max(left, bottom / bandwidth)
        ends = [(each, each * bandwidth) for each in (start, 10 * start)]
        (x, y), (far_x, far_y) = axes.transData.transform(ends)
        axes.annotate(
            f"{name} {scaled(bandwidth * 1e9)}B/s",
            ends[0],
            xytext=(-2, 3),
            textcoords="offset points",
            rotation=math.degrees(math.atan2(far_y - y, far_x - x)),
            rotation_mode="anchor",
            fontsize=7,
            color="#444444",
        )


def _roofs(axes: Any, gpu: GpuUsed, used: Sequence[Precision]) -> None:
    right = axes.get_xlim()[1]
    for precision in used:
        peak, colour = gpu.peaks_gops[precision], COLOURS[precision]
        ridge = peak / gpu.bandwidth_gbs
        axes.plot([ridge, right], [peak, peak], color=colour, linewidth=1.2, zorder=1)
        axes.annotate(
            f"{precision.title} {scaled(peak * 1e9)}/s, ridge {significant(ridge)}",
            (right, peak),
            xytext=(-2, 2),
            textcoords="offset points",
            ha="right",
            fontsize=7,
            color=colour,
        )


def _density(axes: Any, places: Sequence[ChartPoint]) -> None:
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    inside = [p for p in places if left <= p.intensity <= right and bottom <= p.gops <= top]
    axes.hexbin(
        [p.intensity for p in inside],
        [p.gops for p in inside],
        xscale="log",
        yscale="log",
        gridsize=36,
        bins="log",
        mincnt=2,
        cmap="Greys",
        alpha=0.5,
        linewidths=0,
        zorder=0,
    )


def _mark(axes: Any, kernel: Plotted, *, small: bool) -> None:
    colour, marker = COLOURS[kernel.precision], _MARKERS[kernel.precision]
    size = 2.6 if small else 4.6
    here, there = (_inside(axes, place) for place in (kernel.predicted, kernel.measured))
    if here is not None and there is not None:
        axes.plot(*zip(here, there, strict=True), ":", color=colour, linewidth=0.7, zorder=2)
    if here is not None:
        axes.plot(
            *here, marker, color=colour, ms=size, mec="white", mew=0.3, zorder=3, clip_on=False
        )
    if there is not None:
        axes.plot(
            *there, marker, color=colour, ms=size, mfc="white", mew=0.9, zorder=4, clip_on=False
        )
    if kernel.wrong:
        axes.plot(
            *(there or here or ()), "x", color=WRONG, ms=size + 3, mew=1.0, zorder=5, clip_on=False
        )


def _inside(axes: Any, place: ChartPoint | None) -> tuple[float, float] | None:
    """Where it is drawn; what lies beyond the axes stands at their edge."""
    if place is None:
        return None
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    return min(max(place.intensity, left), right), min(max(place.gops, bottom), top)


def _names(axes: Any, kernels: Sequence[Plotted]) -> None:
    """Names beside the kernels that have one, each where nothing else stands if there is room."""
    taken = _taken(axes, kernels)
    frame = axes.get_window_extent()
    effects = importlib.import_module("matplotlib.patheffects")
    for at in sorted(named(kernels)):
        place = _inside(axes, kernels[at].place)
        if place is None:
            continue
        text = axes.annotate(
            visible(kernels[at].short_name),
            place,
            xytext=_ASIDE[0],
            textcoords="offset points",
            parse_math=False,  # names may have dollar signs
            fontsize=7,
            zorder=6,
            annotation_clip=False,
            path_effects=[effects.withStroke(linewidth=1.6, foreground="white")],
            arrowprops={
                "arrowstyle": "-",
                "lw": 0.4,
                "color": "#777777",
                "shrinkA": 0,
                "shrinkB": 3,
            },
        )
        taken.append(_place_name(text, frame, taken))


def _place_name(text: Any, frame: Any, taken: Sequence[Any]) -> Any:
    """Put a name where nothing else stands, or in a crowd beside its point; returns its box."""
    for aside in _ASIDE:
        box = _extent(text, aside)
        inside = frame.contains(box.x0, box.y0) and frame.contains(box.x1, box.y1)
        if inside and not box.count_overlaps(taken):
            return box
    return _extent(text, _ASIDE[0])


def _taken(axes: Any, kernels: Sequence[Plotted]) -> list[Any]:
    """Boxes in which something stands, in pixels: marks, names of roofs and slopes."""
    Bbox = importlib.import_module("matplotlib.transforms").Bbox  # noqa: N806 - a class
    found: list[Any] = []
    for text in axes.texts:
        box = text.get_window_extent()
        steps = range(_STEPS) if text.get_rotation() else ()
        # Of a name along a slope only what is about it, not the whole of the corners beside.
        found += [_part(Bbox, box, step) for step in steps] or [box]
    places = [_inside(axes, p) for each in kernels for p in (each.predicted, each.measured)]
    pixels = axes.transData.transform([place for place in places if place is not None] or [(1, 1)])
    return found + [Bbox.from_extents(x - 4, y - 4, x + 4, y + 4) for x, y in pixels]


_STEPS: Final = 8


def _part(make: Any, box: Any, step: int) -> Any:
    """One of the squares along the rising diagonal of a box."""
    x, y = (
        (low + (step + 0.5) * (high - low) / _STEPS)
        for low, high in ((box.x0, box.x1), (box.y0, box.y1))
    )
    half = (box.x1 - box.x0) / _STEPS
    return make.from_extents(x - half, y - half, x + half, y + half)


def _extent(text: Any, aside: tuple[float, float]) -> Any:
    """Move a name; returns its box, without the line that leads to it."""
    x, y = aside
    text.set_position(aside)
    text.set_ha("left" if x > 0 else "right" if x < 0 else "center")
    text.set_va("bottom" if y > 0 else "top" if y < 0 else "center")
    text.get_window_extent()  # which puts the text where it belongs
    return importlib.import_module("matplotlib.text").Text.get_window_extent(text)


def _legend(axes: Any, kernels: Sequence[Plotted], used: Sequence[Precision]) -> None:
    """The precisions' shapes, where some are measured what is filled and hollow, and the cross."""
    lines = importlib.import_module("matplotlib.lines")

    def key(label: str, marker: str, **look: Any) -> Any:
        """A legend entry: a marker without a line."""
        style = {"color": "#444444", "ms": 4.6, **look}
        return lines.Line2D([], [], linestyle="none", marker=marker, label=label, **style)

    keys = [key(each.title, _MARKERS[each], color=COLOURS[each]) for each in used]
    words = {each.how for each in kernels if each.measured is not None}
    if words:
        keys.append(key("predicted", "o"))
        keys.append(key(words.pop() if len(words) == 1 else "measured", "o", mfc="white"))
    wrong = sum(each.wrong for each in kernels)
    if wrong:
        keys.append(key(f"another class than predicted: {wrong}", "x", color=WRONG))
    axes.figure.legend(
        handles=keys, loc="outside lower center", fontsize=7, frameon=False, ncols=len(keys)
    )
