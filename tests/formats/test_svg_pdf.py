"""Drawings of commands as PDF have what their SVG text has."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roofline_lsp.cli.main import main
from roofline_lsp.formats.drawing import DrawingError, check_drawing, write_drawing
from roofline_lsp.formats.svg_pdf import svg_figure

DRAWING = """\
<svg xmlns="http://www.w3.org/2000/svg" width="192" height="96" viewBox="0 0 192 96"
role="img" font-family="sans-serif" font-size="12">
<title>a drawing</title>
<rect width="192" height="96" fill="#ffffff"/>
<text x="16" y="24" font-size="16" text-anchor="end">a $ of b$</text>
<line x1="10" y1="20" x2="30" y2="40" stroke="#444444" stroke-width="2" stroke-dasharray="4 3"/>
<polyline points="1.5,2.0 3.0,4.5" fill="none" stroke="#0072b2"/>
<g><title>a point</title><circle cx="50" cy="60" r="4.2" fill="#ffffff" stroke="#d55e00"/></g>
<path d="M6.0,8.0 l8,8 m0,-8 l-8,8" stroke="#d55e00"/>
<text transform="translate(20 48.5) rotate(-90)" text-anchor="middle" fill="#444444">up</text>
</svg>
"""


@pytest.fixture
def pyplot() -> Iterator[Any]:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    module = pytest.importorskip("matplotlib.pyplot")
    yield module
    module.close("all")


def test_every_element_stands_where_the_drawing_has_it(pyplot: Any) -> None:
    figure = svg_figure(pyplot, DRAWING)
    (axes,) = figure.axes
    assert tuple(figure.get_size_inches()) == (2.0, 1.0)
    assert (axes.get_xlim(), axes.get_ylim()) == ((0.0, 192.0), (96.0, 0.0))
    end, up = axes.texts
    assert (end.get_text(), end.get_position()) == ("a $ of b$", (16.0, 24.0))
    assert (end.get_ha(), end.get_va(), end.get_fontsize()) == ("right", "baseline", 12.0)
    assert (up.get_position(), up.get_rotation(), up.get_fontsize()) == ((20.0, 48.5), 90.0, 9.0)
    straight, poly, cross = axes.lines
    assert straight.get_xydata().tolist() == [[10.0, 20.0], [30.0, 40.0]]
    assert (straight.get_linewidth(), straight.get_color()) == (1.5, "#444444")
    assert poly.get_xydata().tolist() == [[1.5, 2.0], [3.0, 4.5]]
    drawn = [[x, y] for x, y in cross.get_xydata().tolist() if not math.isnan(x)]
    assert drawn == [[6.0, 8.0], [14.0, 16.0], [14.0, 8.0], [6.0, 16.0]]
    background, disc = axes.patches
    assert (background.get_width(), background.get_height()) == (192.0, 96.0)
    assert (disc.center, disc.radius) == ((50.0, 60.0), 4.2)


def test_what_it_does_not_know_is_never_left_out_in_silence(pyplot: Any) -> None:
    with pytest.raises(ValueError, match="<ellipse>"):
        svg_figure(pyplot, DRAWING.replace("<circle ", "<ellipse "))


def test_the_same_drawing_is_the_same_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    first, second = tmp_path / "first.pdf", tmp_path / "second.PDF"
    for path in (first, second):
        check_drawing(path)
        write_drawing(DRAWING, path)
    assert first.read_bytes()[:5] == b"%PDF-"
    assert first.read_bytes() == second.read_bytes()


def test_a_file_that_is_none_of_the_three_is_told() -> None:
    with pytest.raises(DrawingError, match=r"a plot is an \.svg, a \.png or a \.pdf file"):
        check_drawing(Path("out.gif"))


def test_a_sweep_draws_pdf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    Path("scale.cu").write_text(
        "__global__ void scale(float *x, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) x[i] *= 2.0f;\n"
        "}\n"
    )
    assert main(["sweep", "scale.cu", "n=4096..65536", "--plot", "sweep.pdf"]) == 0
    assert Path("sweep.pdf").read_bytes()[:5] == b"%PDF-"
    assert capsys.readouterr().err == ""
