"""Data files that programs read: reports rest on them, and follow their changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_core.settings import Settings
from roofline_lsp.server.documents.places import watched
from roofline_lsp.server.worker.api_analyser import ApiAnalyser
from roofline_lsp.server.worker.jobs import Analyse, Analysed, Overlay
from roofline_lsp.server.worker.main import Worker

PROGRAM = b"""
#include <cstdio>
__global__ void scale(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2;
}
int main() {
  int n;
  FILE *f = fopen("data/size.txt", "r");
  fscanf(f, "%d", &n);
  float *p;
  cudaMalloc(&p, n * sizeof(float));
  scale<<<n / 32, 32>>>(p, n);
}
"""


def grid_and_files(worker: Worker, path: Path, text: bytes) -> tuple[int | None, set[str]]:
    """The grid of the one launch, and the names of the files that the report rests on."""
    answer = worker.do(Analyse(1, path, text, Settings(args=())))
    assert answer is not None
    assert isinstance(answer.value, Analysed)
    (kernel,) = answer.value.report.kernels
    grid = kernel.launches[0].grid
    assert grid is not None
    return grid[0], {file.name for file in answer.value.files_read}


@pytest.mark.parametrize("edit", [b"", b"p[i] *= 3;"])
def test_a_report_follows_its_data_file(tmp_path: Path, edit: bytes) -> None:
    """Also after an edit of a kernel, which leaves the launches as they were."""
    path, data = tmp_path.resolve() / "main.cu", tmp_path.resolve() / "data" / "size.txt"
    data.parent.mkdir()
    path.write_bytes(PROGRAM)
    worker = Worker(ApiAnalyser())
    found = [grid_and_files(worker, path, PROGRAM)]
    for content in ("640", "3200\n"):
        data.write_text(content)
        grid_and_files(worker, path, PROGRAM)
        text = PROGRAM.replace(b"p[i] *= 2;", edit or b"p[i] *= 2;")
        found.append(grid_and_files(worker, path, text))
    worker.do(Overlay(data, b"96"))
    found.append(grid_and_files(worker, path, PROGRAM))
    worker.do(Overlay(data, None))
    data.unlink()
    found.append(grid_and_files(worker, path, PROGRAM))
    assert [grid for grid, _ in found] == [None, 20, 100, 3, None]
    assert all("size.txt" in names for _, names in found)


def test_data_files_are_watched_that_a_report_rests_on() -> None:
    rests_on = {"/p/size.txt"}
    paths = [Path("/p/size.txt"), Path("/p/log.txt"), Path("/p/main.cu"), Path("/p/x.cuh")]
    assert watched(paths, rests_on) == [paths[0], paths[2], paths[3]]
