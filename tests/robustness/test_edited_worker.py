"""What a worker says does not tell what it was told before."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roofline_analysis.api.explain.records import Explanation
from roofline_analysis.report.report import FileReport
from roofline_core.settings import Settings
from roofline_lsp.server.worker.api_analyser import ApiAnalyser
from roofline_lsp.server.worker.jobs import (
    Analyse,
    Analysed,
    AskExplanation,
    Explained,
    IndexProject,
    Overlay,
)
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
TWICE = """\
#ifndef COUNT
#define COUNT 65536
#else
void halve(float *x) {
  #pragma omp target teams distribute parallel for map(tofrom: x[0:COUNT])
  for (int i = 0; i < COUNT; i++) x[i] = x[i] * 0.5f;
}
#endif
"""
KERNEL_BESIDE = """\
#include "halve.h"
int main() {
  static float x[COUNT];
  #pragma omp target teams distribute parallel for map(tofrom: x[0:COUNT])
  for (int i = 0; i < COUNT; i++) x[i] = x[i] * 0.5f;
}
"""


def report(worker: Worker, path: Path, text: str) -> FileReport:
    answer = worker.do(Analyse(1, path, text.encode(), Settings()))
    assert answer is not None
    assert isinstance(answer.value, Analysed)
    return answer.value.report


def regrouped(worker: Worker) -> set[Path]:
    """Give a worker time; what it says."""
    found: set[Path] = set()
    while worker.busy:
        said = worker.idle()
        found |= set() if said is None else said.paths
    return found


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


def test_a_header_that_was_moved_is_found_where_it_is(tmp_path: Path) -> None:
    """Nobody says that it was moved: it lacks where it was."""
    folder = tmp_path.resolve()
    path, header = folder / "main.cpp", folder / "halve.h"
    path.write_text(KERNEL_BESIDE)
    header.write_text("#define COUNT 65536\n")
    worker = Worker(ApiAnalyser())
    worker.do(IndexProject(folder, ()))
    regrouped(worker)
    before = report(worker, path, KERNEL_BESIDE)
    (folder / "inc").mkdir()
    header.rename(folder / "inc" / "halve.h")
    assert report(worker, path, KERNEL_BESIDE) == before
    assert before.kernels[0].prediction.sp_flops == 65536.0


def test_a_file_that_comes_unsaid_is_found_in_idle_time(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    path, text = folder / "k.cu", "__global__ void k(float *x) { x[threadIdx.x] *= 2.0f; }\n"
    path.write_text(text)
    os.utime(folder, ns=(1, 1))
    worker = Worker(ApiAnalyser())
    worker.do(IndexProject(folder, ()))
    regrouped(worker)
    assert report(worker, path, text).kernels[0].launches == ()
    assert regrouped(worker) == set()
    (folder / "host").mkdir()
    host = "extern __global__ void k(float *x);\nint main() { k<<<640, 128>>>(nullptr); }\n"
    (folder / "host" / "main.cu").write_text(host)
    assert report(worker, path, text).kernels[0].launches == ()
    assert regrouped(worker) == {path}
    assert report(worker, path, text).kernels[0].launches[0].grid == (640, 1, 1)
    assert regrouped(worker) == set()


def test_a_document_that_was_opened_by_a_link_is_one_file(tmp_path: Path) -> None:
    """What is included by the file's own name is what the document has, too."""
    folder = tmp_path.resolve()
    path, link = folder / "main.cpp", folder / "link.h"
    text = (
        '#include "twice.h"\n#include "link.h"\nint main() { static float x[COUNT]; halve(x); }\n'
    )
    path.write_text(text)
    (folder / "twice.h").write_text(TWICE)
    link.symlink_to("twice.h")
    worker = Worker(ApiAnalyser())
    report(worker, path, text)

    def sp_flops(count: str) -> float | None:
        (kernel,) = report(worker, link, TWICE.replace("65536", count)).kernels
        return kernel.prediction.sp_flops

    assert [sp_flops(count) for count in ("65536", "1024", "2048")] == [65536.0, 1024.0, 2048.0]


def test_questions_are_about_the_gpu_of_the_document(tmp_path: Path) -> None:
    """Also after it was looked at what another one would do."""
    path = tmp_path.resolve() / "main.cpp"
    text = PROGRAM.replace('#include "halve.h"\n', HEADER)
    worker = Worker(ApiAnalyser())
    (kernel,) = report(worker, path, text).kernels

    def explanation() -> Explanation:
        answer = worker.do(AskExplanation(2, path, kernel, None))
        assert answer is not None
        assert isinstance(answer.value, Explained)
        assert answer.value.explanation is not None
        return answer.value.explanation

    before = explanation()
    other = Settings(gpu="H100 SXM5 80GB")
    worker.do(Analyse(3, path, text.encode(), other, aside=True))
    assert explanation() == before
    worker.do(Analyse(4, path, text.encode(), other))
    assert explanation().gpu.name == "H100 SXM5"


@pytest.mark.parametrize(("seed", "index"), [("x-4", True), ("x-0", False)])
def test_a_walk_ends_where_a_new_worker_begins(seed: str, index: bool) -> None:
    walk = walked(seed, 40, index=index).walk
    assert walk.differences == []
    assert walk.compared > 10


def test_what_differs_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checks can fail: headers stay as they were first read."""
    monkeypatch.setattr(LoadCache, "hold_to", lambda *_: None)
    assert main(["--again", "0", "--seed", "z"]) == 1
    told, difference, *_ = capsys.readouterr().out.splitlines()
    assert told.startswith("! z-0: ")
    assert difference.startswith("  edited ")
