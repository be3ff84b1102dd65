"""The roofline as a figure for papers, and as a plot of a check."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from roofline_analysis.report.report import (
    FileReport,
    GpuUsed,
    KernelReport,
    Measured,
    Report,
    Verdict,
)
from roofline_core.program.precision import Precision
from roofline_lsp.cli.main import main
from roofline_lsp.formats.drawing import DrawingError
from roofline_lsp.formats.roofline_figure import roofline_figure, write_figure
from roofline_lsp.formats.roofline_places import ChartPoint, Plotted
from roofline_lsp.formats.roofline_plot import check_plot, plotted_kernels, write_roofline

GPU = GpuUsed(
    name="A GPU",
    clock="base",
    clock_mhz=1000.0,
    peaks_gops={Precision.SP: 10_000.0, Precision.DP: 100.0},
    bandwidth_gbs=1000.0,
    ridges={Precision.SP: 10.0, Precision.DP: 0.1},
    l2_bandwidth_gbs=4000.0,
)
HERE, THERE = ChartPoint(1.0, 100.0), ChartPoint(4.0, 200.0)
SAXPY = """__global__ void saxpy(float *y, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += 2.0f * x[i];
}
int main() { saxpy<<<4096, 256>>>(0, 0, 1 << 20); }
"""


@pytest.fixture
def pyplot() -> Iterator[Any]:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    module = pytest.importorskip("matplotlib.pyplot")
    yield module
    module.close("all")


def texts(figure: Any) -> list[str]:
    return [each.get_text() for each in figure.axes[0].texts]


def legend(figure: Any) -> list[str]:
    (found,) = figure.legends
    return [each.get_text() for each in found.get_texts()]


def test_roofs_slopes_and_names_are_written(pyplot: Any) -> None:
    kernels = [Plotted("cost$_of$(int)", Precision.SP, HERE, THERE, wrong=True)]
    figure = roofline_figure(pyplot, GPU, kernels, title="one")
    assert texts(figure) == ["SP 10 T/s, ridge 10", "DRAM 1 TB/s", "L2 4 TB/s", "cost$_of$"]
    assert figure.axes[0].get_title(loc="left") == "one"
    wrong = "another class than predicted: 1"
    assert legend(figure) == ["SP", "predicted", "measured", wrong]
    slope = figure.axes[0].texts[1]
    assert 20 < slope.get_rotation() < 60


def test_marks_stand_where_kernels_do(pyplot: Any) -> None:
    figure = roofline_figure(pyplot, GPU, [Plotted("k", Precision.DP, HERE, THERE)])
    lines = figure.axes[0].lines
    marks = {
        (line.get_markerfacecolor(), *map(float, line.get_xydata()[0]))
        for line in lines
        if line.get_marker() == "s"
    }
    assert marks == {("#d55e00", 1.0, 100.0), ("white", 4.0, 200.0)}  # filled is predicted
    dotted = [
        line for line in lines if line.get_linestyle() == ":" and line.get_color() != "#444444"
    ]
    assert [line.get_xydata().tolist() for line in dotted] == [[[1.0, 100.0], [4.0, 200.0]]]
    assert legend(figure) == ["DP", "predicted", "measured"]


def test_far_places_do_not_stretch_the_axes_and_stand_at_their_edge(pyplot: Any) -> None:
    crowd = [Plotted(f"k{at}", Precision.SP, ChartPoint(1 + at % 5, 100 + at)) for at in range(40)]
    far = Plotted("far", Precision.SP, ChartPoint(1e-9, 100.0))
    figure = roofline_figure(pyplot, GPU, [*crowd, far])
    axes = figure.axes[0]
    left, right = axes.get_xlim()
    assert (left, right) == (0.05, 200.0)
    last = [line for line in axes.lines if line.get_marker() == "o"][-1]
    assert float(last.get_xydata()[0][0]) == left
    assert texts(figure)[-1] == "far"


def test_the_density_of_many_kernels_is_drawn(pyplot: Any) -> None:
    def densities(count: int) -> int:
        kernels = [Plotted(f"k{at}", Precision.SP, HERE) for at in range(count)]
        return len(roofline_figure(pyplot, GPU, kernels).axes[0].collections)

    assert (densities(150), densities(151)) == (0, 1)


def test_the_same_figure_is_the_same_file(pyplot: Any, tmp_path: Path) -> None:
    kernels = [Plotted("k", Precision.SP, HERE, THERE)]
    for name in ("one.pdf", "two.pdf"):
        write_roofline(GPU, kernels, tmp_path / name, "title")
    one, two = ((tmp_path / name).read_bytes() for name in ("one.pdf", "two.pdf"))
    assert one == two
    assert one.startswith(b"%PDF-")
    assert b"/Type3" not in one  # publishers refuse fonts of that type
    with pytest.raises(DrawingError, match="cannot be written"):
        write_figure(GPU, kernels, tmp_path / "no" / "folder.pdf")


def test_without_kernels_there_are_roofs(pyplot: Any) -> None:
    figure = roofline_figure(pyplot, GPU, [])
    assert "SP 10 T/s, ridge 10" in texts(figure)
    assert legend(figure) == ["SP"]


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(DrawingError, match=r"pip install 'roofline-lsp\[plot\]'; or name an \.svg"):
        check_plot(Path("roofline.pdf"))


def test_a_check_draws_its_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "saxpy.cu").write_text(SAXPY)
    plot = tmp_path / "plot.svg"
    argv = ["--check", str(tmp_path), "--no-progress", "--no-cache", "--plot"]
    assert main([*argv, str(plot)]) == 0
    found = [
        each.text for each in ET.parse(plot).getroot().iter("{http://www.w3.org/2000/svg}text")
    ]
    assert "saxpy" in found
    assert "GeForce RTX 3080 10GB, boost clock: 1 kernel" in found
    assert "1 kernel: 0 CB, 1 BB" in capsys.readouterr().out
    assert main([*argv, str(tmp_path / "plot.gif")]) == 2
    assert "a plot is an .svg, a .png or a .pdf file" in capsys.readouterr().err


def test_matplotlib_is_loaded_by_those_alone_who_ask(tmp_path: Path) -> None:
    code = (
        "import sys; from roofline_lsp.cli import check; from roofline_lsp.formats import"
        " roofline_plot; print('matplotlib' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert ran.stdout == "False\n"


def only(report: Report, kernel: KernelReport) -> Report:
    return replace(report, files=(FileReport(kernel.path, (kernel,)),))


def test_kernels_of_a_report_stand_by_what_is_highest_beside_its_ridge(report: Report) -> None:
    saxpy = report.files[0].kernels[0]  # INT 0.67 of ridge 16.5, SP 0.17 of ridge 33
    (found,) = plotted_kernels(only(report, saxpy))
    place = ChartPoint(8e6 / 1.2e7, 8e6 / 17234.5)
    assert found == Plotted("saxpy", Precision.INT, place)
    unknown = replace(saxpy, prediction=replace(saxpy.prediction, dram_read_bytes=None))
    assert list(plotted_kernels(only(report, unknown))) == []
    endless = replace(saxpy, prediction=replace(saxpy.prediction, int_ops=float("inf")))
    assert list(plotted_kernels(only(report, endless))) == []


@pytest.mark.parametrize("wrong", [False, True])
def test_a_measured_kernel_stands_at_both_places(
    report: Report, measure: Callable[..., Measured], *, wrong: bool
) -> None:
    saxpy = report.files[0].kernels[0]
    verdict = Verdict.COMPUTE_BOUND if wrong else Verdict.BANDWIDTH_BOUND
    predicted = replace(saxpy.prediction, int_ops=0.0)
    found = replace(measure(saxpy, verdict), predicted=predicted)
    (plotted,) = plotted_kernels(only(report, replace(saxpy, measured=found)))
    assert plotted.predicted == ChartPoint(2e6 / 1.2e7, 2e6 / 17234.5)
    assert plotted.measured == ChartPoint(2e6 / 1.2e7, 2e6 / 2e4)
    assert plotted.wrong is wrong
    emulated = replace(found, emulated=True, time_ns=None)
    (plotted,) = plotted_kernels(only(report, replace(saxpy, measured=emulated)))
    assert plotted.measured == ChartPoint(2e6 / 1.2e7, 2e6 / 17234.5)
    assert plotted.how == "emulated"
    stale = replace(found, applies=False)
    (plotted,) = plotted_kernels(only(report, replace(saxpy, measured=stale)))
    assert (plotted.measured, plotted.wrong) == (None, False)
