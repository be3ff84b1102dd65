"""The roofline as a drawing."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from roofline_analysis.report.report import GpuUsed
from roofline_core.program.precision import Precision
from roofline_lsp.cli.main import main
from roofline_lsp.formats.drawing import DrawingError
from roofline_lsp.formats.roofline_places import (
    MOST_NAMED,
    ChartPoint,
    Plotted,
    named,
    place_of,
    within_reach,
)
from roofline_lsp.formats.roofline_plot import check_plot
from roofline_lsp.formats.roofline_svg import WRONG, roofline_svg

GPU = GpuUsed(
    name="A & B",
    clock="base",
    clock_mhz=1000.0,
    peaks_gops={Precision.SP: 10_000.0, Precision.DP: 100.0},
    bandwidth_gbs=1000.0,
    ridges={Precision.SP: 10.0, Precision.DP: 0.1},
)
SVG = "{http://www.w3.org/2000/svg}"


def drawn(*kernels: Plotted) -> ET.Element:
    return ET.fromstring(roofline_svg(GPU, kernels))


def circles(root: ET.Element) -> list[tuple[float, float]]:
    groups = root.findall(f"{SVG}g")
    found = [circle for group in groups for circle in group.findall(f"{SVG}circle")]
    return [(float(each.attrib["cx"]), float(each.attrib["cy"])) for each in found]


def marks(root: ET.Element) -> list[ET.Element]:
    """The shapes of the kernels, whatever they are."""
    return [each for group in root.findall(f"{SVG}g") for each in group if "fill" in each.attrib]


def test_places_are_by_the_logarithm_and_joined() -> None:
    at, right, up = ChartPoint(1.0, 100.0), ChartPoint(10.0, 100.0), ChartPoint(1.0, 1000.0)
    root = drawn(
        Plotted("a", Precision.SP, at, right),
        Plotted("b", Precision.SP, at, up),
        Plotted("c", Precision.SP, None, ChartPoint(100.0, 10_000.0)),
        Plotted("d", Precision.DP, ChartPoint(1.0, 1.0)),
    )
    first, beside, again, above, far = circles(root)
    assert first == again
    assert beside[1] == first[1]
    assert above[0] == first[0]
    step, rise = beside[0] - first[0], first[1] - above[1]
    assert step > 0
    assert rise > 0
    assert far[0] == pytest.approx(first[0] + 2 * step, abs=0.2)
    assert far[1] == pytest.approx(first[1] - 2 * rise, abs=0.2)
    lines = [group.findall(f"{SVG}line") for group in root.findall(f"{SVG}g")]
    dashed = [line for group in lines for line in group if "stroke-dasharray" in line.attrib]
    assert len(dashed) == 2
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert "SP 10 T/s, ridge 10" in texts
    assert "DP 100 G/s, ridge 0.1" in texts


def test_predicted_places_are_filled_and_measured_ones_hollow_as_in_editors() -> None:
    root = drawn(Plotted("k", Precision.DP, ChartPoint(1.0, 1.0), ChartPoint(2.0, 2.0)))
    assert [mark.attrib["fill"] for mark in marks(root)] == ["#d55e00", "#ffffff"]
    keys = [mark.attrib["fill"] for mark in root.findall(f"{SVG}circle")]
    assert keys == ["#444444", "#ffffff"]


def test_each_precision_has_a_shape_of_its_own_which_its_roof_has_too() -> None:
    root = drawn(
        Plotted("a", Precision.SP, ChartPoint(1.0, 100.0)),
        Plotted("b", Precision.DP, ChartPoint(1.0, 50.0)),
        Plotted("c", Precision.INT, ChartPoint(1.0, 50.0)),
        Plotted("d", Precision.HP, ChartPoint(1.0, 50.0)),
        Plotted("e", Precision.TENSOR, ChartPoint(1.0, 50.0)),
    )
    corners = [each.attrib.get("d", "").count(" ") for each in marks(root)]
    assert corners == [0, 4, 3, 3, 4]  # a circle, a square, two triangles, a square on its tip
    outlines = [outline(each) for each in marks(root) if "d" in each.attrib]
    assert len(set(outlines)) == 4
    keys = [each for each in root if each.tag in (f"{SVG}circle", f"{SVG}path")]
    assert [each.tag for each in keys] == [f"{SVG}circle", f"{SVG}path"]  # of the roofs
    assert keys[-1].attrib["fill"] == "#d55e00"


def outline(mark: ET.Element) -> tuple[tuple[int, int], ...]:
    """A shape's corners to the nearest pixel from its first one."""
    numbers = [float(each) for each in re.findall(r"[\d.]+", mark.attrib["d"])]
    corners = list(zip(numbers[::2], numbers[1::2], strict=True))
    x, y = corners[0]
    return tuple((round(right - x), round(down - y)) for right, down in corners)


def test_names_are_escaped_and_shortened() -> None:
    name = "void f<a, b>(T1 const&)"
    root = drawn(Plotted(name, Precision.SP, ChartPoint(1.0, 1.0)))
    assert "void f<a, b>" in [each.text for each in root.iter(f"{SVG}text")]
    titles = [each.text or "" for each in root.iter(f"{SVG}title")]
    assert titles[1] == f"{name} (SP)\npredicted: 1 per byte, 1 G/s"
    assert titles[0] == "Roofline of A & B"


def test_many_kernels_have_no_labels() -> None:
    many = [Plotted(f"k{at}", Precision.SP, ChartPoint(1.0, 1.0)) for at in range(MOST_NAMED + 1)]
    texts = [each.text for each in drawn(*many).iter(f"{SVG}text")]
    assert "k0" not in texts


def test_the_strangest_numbers_stay_on_the_paper() -> None:
    root = drawn(
        Plotted("a", Precision.SP, ChartPoint(1e-300, 1e-300), ChartPoint(1e300, 1e300)),
        Plotted("b", Precision.TENSOR, ChartPoint(5.0, 5.0)),
    )
    for x, y in circles(root):
        assert 0 < x < 860
        assert 0 < y < 560
    assert circles(drawn()) == []


def crowd(count: int = 40) -> list[Plotted]:
    """Kernels close together, each measured where it was predicted."""
    places = [ChartPoint(1 + at % 5, 100.0 + at) for at in range(count)]
    return [Plotted(f"k{at}", Precision.SP, each, each) for at, each in enumerate(places)]


def test_of_many_kernels_those_that_stand_out_are_named_the_wrong_ones_first() -> None:
    usual = ChartPoint(3.0, 120.0)
    far = Plotted("far", Precision.SP, ChartPoint(5000.0, 120.0))
    moved = Plotted("moved", Precision.SP, usual, ChartPoint(3.0 * 10**0.5, 120.0))
    nearly = Plotted("nearly", Precision.SP, usual, ChartPoint(3.0 * 10**0.45, 120.0))
    wrong = Plotted("wrong", Precision.SP, usual, usual, wrong=True)
    assert named([*crowd(), far, moved, nearly, wrong]) == {40, 41, 43}
    assert named(crowd()) == frozenset()
    assert named(crowd(MOST_NAMED)) == frozenset(range(MOST_NAMED))
    many = [far] * 20 + [wrong] * 5
    assert named([*crowd(100), *many]) == {*range(100, 110), *range(120, 125)}


def test_axes_are_not_stretched_for_what_lies_far_out() -> None:
    usual = [1.0, 2.0, 3.0, 4.0] * 5
    assert within_reach([*usual, 1e-30, 50.0]) == [*usual, 50.0]
    few = [1.0] * (MOST_NAMED - 1) + [1e9]
    assert within_reach(few) == few
    assert within_reach([]) == []
    root = drawn(*crowd(), Plotted("far", Precision.SP, ChartPoint(1e-20, 100.0)))
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert "0.1" in texts
    assert "1e-12" not in texts
    assert circles(root)[-1][0] == 78.0  # the edge of the drawing
    assert "far" in texts


def test_a_class_that_was_told_wrong_has_a_cross() -> None:
    at = ChartPoint(1.0, 100.0)
    wrong = drawn(
        Plotted("a", Precision.SP, at, at, wrong=True), Plotted("b", Precision.SP, at, at)
    )
    crosses = list(wrong.iter(f"{SVG}path"))
    assert [each.attrib["stroke"] for each in crosses] == [WRONG] * 2  # its own, and the legend's
    assert "another class: 1" in [each.text for each in wrong.iter(f"{SVG}text")]
    assert not list(drawn(Plotted("b", Precision.SP, at, at)).iter(f"{SVG}path"))


def test_names_of_neighbours_stand_apart() -> None:
    at = ChartPoint(1.0, 100.0)
    root = drawn(*(Plotted(f"name_{i}", Precision.SP, at) for i in range(4)))
    heights = [
        float(each.attrib["y"])
        for each in root.iter(f"{SVG}text")
        if (each.text or "").startswith("name_")
    ]
    assert len(heights) == 4
    heights.sort()
    assert all(low + 12 <= high for low, high in itertools.pairwise(heights))


def test_places_need_all_their_numbers() -> None:
    assert place_of(10.0, 5.0, 2.0) == ChartPoint(2.0, 5.0)
    for counts in ((None, 5.0, 2.0), (0.0, 5.0, 2.0), (1.0, 0.0, 2.0), (1.0, 5.0, None)):
        assert place_of(*counts) is None


def test_files(full_report: Path, project: Path, tmp_path: Path) -> None:
    argv = ["--validate", str(full_report), "--sources", str(project), "--plot"]
    svg = tmp_path / "roofline.svg"
    assert main([*argv, str(svg)]) == 0
    root = ET.parse(svg).getroot()
    assert len(marks(root)) == 2
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == "GeForce RTX 3080 10GB, base clock: 1 launch"
    with pytest.raises(DrawingError, match=r"an \.svg, a \.png or a \.pdf file"):
        check_plot(tmp_path / "roofline.gif")
    assert main([*argv, str(tmp_path / "no" / "folder.svg")]) == 2


def test_png(full_report: Path, project: Path, tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    png = tmp_path / "roofline.png"
    argv = ["--validate", str(full_report), "--sources", str(project), "--plot", str(png)]
    assert main(argv) == 0
    assert png.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_png_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(DrawingError, match=r"pip install 'roofline-lsp\[png\]'; or name an"):
        check_plot(tmp_path / "roofline.png")
