"""Small CUDA programs on disk, and the command line run in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from roofline_lsp.cli.main import main

SAXPY = """\
__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""

HOST = """\
#include <cstdlib>
__global__ void saxpy(int n, float a, const float *x, float *y);
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
    return 0;
}
"""

POLYNOMIAL = """\
__global__ void polynomial(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = x[i];
    for (int k = 0; k < 4096; k++) value = value * value + 0.5f;
    x[i] = value;
}
"""


@dataclass(frozen=True)
class Ran:
    """What a command line came to."""

    code: object
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs ``roofline-lsp`` with the arguments given."""

    def ran(*argv: str | Path) -> Ran:
        capsys.readouterr()
        try:
            code: object = main([str(each) for each in argv])
        except SystemExit as stop:  # argparse ends with its own message
            code = stop.code
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return ran


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a bandwidth-bound and a compute-bound kernel and host code."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "saxpy.cu").write_text(SAXPY)
    (tmp_path / "src" / "main.cu").write_text(HOST)
    (tmp_path / "src" / "polynomial.cu").write_text(POLYNOMIAL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path
