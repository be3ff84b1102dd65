"""The roofline as a drawing."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from roofline_analysis.report.report import GpuUsed
from roofline_core.program.precision import Precision
from roofline_lsp.cli.main import main
from roofline_lsp.formats.drawing import DrawingError, check_drawing
from roofline_lsp.formats.roofline_svg import (
    MOST_LABELS,
    ChartPoint,
    Plotted,
    place_of,
    roofline_svg,
)

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


def test_places_are_by_the_logarithm_and_joined() -> None:
    at, right, up = ChartPoint(1.0, 100.0), ChartPoint(10.0, 100.0), ChartPoint(1.0, 1000.0)
    root = drawn(
        Plotted("a", Precision.SP, at, right),
        Plotted("b", Precision.SP, at, up),
        Plotted("c", Precision.DP, None, ChartPoint(100.0, 10_000.0)),
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


def test_names_are_escaped_and_shortened() -> None:
    name = "void f<a, b>(T1 const&)"
    root = drawn(Plotted(name, Precision.SP, ChartPoint(1.0, 1.0)))
    assert "void f<a, b>" in [each.text for each in root.iter(f"{SVG}text")]
    titles = [each.text or "" for each in root.iter(f"{SVG}title")]
    assert titles[1] == f"{name} (SP)\npredicted: 1 per byte, 1 G/s"
    assert titles[0] == "Roofline of A & B"


def test_many_kernels_have_no_labels() -> None:
    many = [Plotted(f"k{at}", Precision.SP, ChartPoint(1.0, 1.0)) for at in range(MOST_LABELS + 1)]
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


def test_places_need_all_their_numbers() -> None:
    assert place_of(10.0, 5.0, 2.0) == ChartPoint(2.0, 5.0)
    for counts in ((None, 5.0, 2.0), (0.0, 5.0, 2.0), (1.0, 0.0, 2.0), (1.0, 5.0, None)):
        assert place_of(*counts) is None


def test_files(full_report: Path, project: Path, tmp_path: Path) -> None:
    argv = ["--validate", str(full_report), "--sources", str(project), "--plot"]
    svg = tmp_path / "roofline.svg"
    assert main([*argv, str(svg)]) == 0
    root = ET.parse(svg).getroot()
    assert len(circles(root)) == 2
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == "GeForce RTX 3080 10GB, base clock: 1 launch"
    with pytest.raises(DrawingError, match=r"an \.svg or a \.png"):
        check_drawing(tmp_path / "roofline.gif")
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
        check_drawing(tmp_path / "roofline.png")
