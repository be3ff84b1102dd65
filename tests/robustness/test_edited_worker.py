"""What a worker says does not tell what it was told before."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.report.report import FileReport
from roofline_core.settings import Settings
from roofline_lsp.server.worker.api_analyser import ApiAnalyser
from roofline_lsp.server.worker.jobs import Analyse, Analysed, Overlay
from roofline_lsp.server.worker.main import Worker
from roofline_parsers.reading.load import LoadCache

from .edited_worker import main, walked

HEADER = """\
#pragma omp declare target
float half(float v) { return v * 0.5f; }
#pragma omp end declare target
void halve(float *x, int n) {
  #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
  for (int i = 0; i < n; i++) x[i] = half(x[i]);
}
"""
PROGRAM = '#include "halve.h"\nint main() { static float x[65536]; halve(x, 65536); }\n'


def report(worker: Worker, path: Path, text: str) -> FileReport:
    answer = worker.do(Analyse(1, path, text.encode(), Settings()))
    assert answer is not None
    assert isinstance(answer.value, Analysed)
    return answer.value.report


def test_an_edited_header_is_not_judged_by_an_earlier_text_of_it(tmp_path: Path) -> None:
    """The file that includes it has not changed since it was read with the earlier text."""
    main_path, header = tmp_path.resolve() / "main.cpp", tmp_path.resolve() / "halve.h"
    main_path.write_text(PROGRAM)
    header.write_text(HEADER)
    broken = HEADER.replace("half(x[i]);", "half(x[i];")
    doubled = HEADER.replace("float", "double")
    worker = Worker(ApiAnalyser())
    worker.do(Overlay(header, broken.encode()))
    report(worker, main_path, PROGRAM)
    assert any("is missing" in each.message for each in report(worker, header, broken).problems)
    assert report(worker, header, HEADER).problems == ()
    (kernel,) = report(worker, header, doubled).kernels
    assert (kernel.prediction.sp_flops, kernel.prediction.dp_flops) == (0.0, 65536.0)
    (kernel,) = report(worker, header, HEADER).kernels
    assert (kernel.prediction.sp_flops, kernel.prediction.dp_flops) == (65536.0, 0.0)


@pytest.mark.parametrize(("seed", "index"), [("1-4", True), ("three", False)])
def test_a_walk_ends_where_a_new_worker_begins(seed: str, index: bool) -> None:
    walk = walked(seed, 30, index=index).walk
    assert walk.differences == []
    assert walk.compared > 10


def test_what_differs_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checks can fail: headers stay as they were first read."""
    monkeypatch.setattr(LoadCache, "hold_to", lambda *_: None)
    assert main(["--again", "4"]) == 1
    told, difference, *_ = capsys.readouterr().out.splitlines()
    assert told.startswith("! 1-4: ")
    assert told.endswith("analyse shared.h")
    assert difference.startswith("  edited ")
