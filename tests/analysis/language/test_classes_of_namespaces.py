"""Classes of one name in several namespaces: a function means that of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

SOURCE = """
namespace first {
struct Arrays { float *input; float *output; };
}
namespace outer {
struct Arrays { double *wide; };
namespace second {
struct Arrays { float *input; float *height; float *water; };
__device__ float total(const Arrays &a, int i) {
    return a.height[i] + a.water[i];
}
__global__ void sum(const Arrays *arrays, float *result, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float *water = arrays->water;
    result[i] = water[i] + total(*arrays, i);
}
}
namespace third {
__global__ void widened(const Arrays *arrays, float *result, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) result[i] = arrays->wide[i];
}
}
}
namespace last {
__global__ void copy(const first::Arrays *arrays, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) arrays->output[i] = arrays->input[i];
}
}
void run(outer::second::Arrays *a, outer::Arrays *b, first::Arrays *c, float *r) {
    outer::second::sum<<<4096, 256>>>(a, r, 1 << 20);
    outer::third::widened<<<4096, 256>>>(b, r, 1 << 20);
    last::copy<<<4096, 256>>>(c, 1 << 20);
}
"""


@pytest.fixture(scope="module")
def kernels() -> dict[str, KernelReport]:
    report = analyze(
        SOURCE.encode(), Path("/src/one.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    return {each.name.partition("(")[0].rpartition("::")[2]: each for each in report.kernels}


@pytest.mark.parametrize(
    ("name", "read_bytes_per_thread"),
    [
        ("sum", 8),  # the water, twice, and the height
        ("widened", 8),  # a double
        ("copy", 4),
    ],
)
def test_a_class_is_that_of_the_innermost_namespace(
    name: str, read_bytes_per_thread: int, kernels: dict[str, KernelReport]
) -> None:
    prediction = kernels[name].prediction
    assert prediction.sight is not None
    assert not prediction.sight.missing
    read = prediction.dram_read_bytes
    assert read is not None
    assert read == pytest.approx(read_bytes_per_thread << 20, rel=0.01)
