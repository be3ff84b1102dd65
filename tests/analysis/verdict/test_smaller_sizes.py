"""Where the usual size makes a launch implausible, smaller ones are tried, and none in vain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.verdict.analyse import judge
from roofline_core.settings import Settings
from roofline_lsp import analyze

SOURCE = b"""
__global__ void k(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[(size_t)i << 22] += 1;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]); float *p; cudaMalloc(&p, (size_t)n << 24);
    k<<<(n + 255) / 256, 256>>>(p, n);
}
"""


def test_a_launch_that_does_not_fit_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual size asks for terabytes; the next one is judged, and is the report's."""
    judged: list[float] = []

    def counted(summary: Any, bound: Any, *rest: Any) -> Any:
        judged.append(max(bound.sizes.values()))
        return judge(summary, bound, *rest)

    monkeypatch.setattr("roofline_analysis.verdict.launch.judge", counted)
    settings = Settings(gpu="A100")
    report = analyze(SOURCE, Path("/none/k.cu"), settings, reader=lambda _: None, findings=False)
    (unknown,) = report.kernels[0].prediction.unknowns
    assert unknown.assumed == 256
    assert judged == [256 << 24]


def test_a_grid_that_no_gpu_runs_has_smaller_sizes() -> None:
    """Of 64, as in products, there would be 1e12 blocks, more than are counted."""
    source = b"""
    __global__ void k(float *x, int n) { x[blockIdx.x * blockDim.x + threadIdx.x] = n; }
    void fill(float *x, int n) { k<<<n * (1ull << 34), 256>>>(x, n); }"""
    settings = Settings(gpu="A100")
    report = analyze(source, Path("/none/k.cu"), settings, reader=lambda _: None, findings=False)
    prediction = report.kernels[0].prediction
    assert {each.name: each.assumed for each in prediction.unknowns} == {"n": 16}
