"""Objects and numbers in constant memory: what they are, and what the host copied there."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

THREADS = 1 << 20
OBJECT = """
struct Pair { float x, y; };
struct Params { float w[16]; float table[64]; Pair pair; int n; float s; };
__constant__ Params params;
"""


def judged(source: str, *others: str) -> KernelReport:
    files = {Path(f"/p/k{at}.cu"): text.encode() for at, text in enumerate((source, *others))}
    path = next(iter(files))
    report = analyze(files[path], path, Settings(gpu="RTX 3080"), reader=files.get)
    return report.kernels[0]


def kernel(body: str, host: str = "", before: str = OBJECT) -> KernelReport:
    return judged(f"""{before}
    __global__ void k(float *o) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}
    int main() {{ float *o; cudaMalloc(&o, 4 << 20); {host} k<<<4096, 256>>>(o); }}""")


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ("o[i] = o[i] * params.s;", 1),
        ("o[i] = params.s * params.pair.x;", 1),
        ("float a = o[i]; for (int j = 0; j < 8; j++) a += params.w[j] * a; o[i] = a;", 16),
        ("o[i] *= params.table[i % 64];", 1),
        ("o[i] *= params.w[threadIdx.x & 15];", 1),
        ("const Params &p = params; Pair q = p.pair; o[i] += q.x * p.s;", 2),
        ("if (i < 7) { o[i] = params.s * 2; } o[i] += params.s * params.s;", 2 + 7 / THREADS),
    ],
)
def test_members_have_their_types(body: str, flops: float) -> None:
    found = kernel(body).prediction
    assert found.sp_flops == pytest.approx(flops * THREADS)
    assert found.sight is not None
    assert found.sight.share == 1.0


LOOP = "for (int j = 0; j < {}; j++) o[i] = o[i] * 2 + 1;"


@pytest.mark.parametrize(
    ("before", "bound", "host"),
    [
        ("__constant__ int n;", "n", "int h = 37; cudaMemcpyToSymbol(n, &h, sizeof(int));"),
        ("__constant__ int n = 37;", "n", ""),
        (OBJECT, "params.n", "Params h; h.n = 37; cudaMemcpyToSymbol(params, &h, sizeof h);"),
        (OBJECT, "params.n",
         "Params *h = new Params; h->n = 37; cudaMemcpyToSymbol(params, h, sizeof(Params));"),
        ("__constant__ int ns[4];", "ns[2]",
         "int h[4] = {1, 2, 37, 4}; cudaMemcpyToSymbol(ns, h, sizeof h);"),
        ("__constant__ int ns[4] = {1, 2, 37, 4};", "ns[2]", ""),
    ],
)  # fmt: skip
def test_a_number_that_the_host_copied_ends_a_loop(before: str, bound: str, host: str) -> None:
    found = kernel(LOOP.format(bound), host, before).prediction
    assert found.sp_flops == 37 * 2 * THREADS
    assert found.unknowns == ()


@pytest.mark.parametrize(
    ("before", "host"),
    [
        ("__constant__ int n;", ""),
        ("__constant__ int n;", "int h = atoi(getenv(\"N\")); cudaMemcpyToSymbol(n, &h, 4);"),
        ("__constant__ int n;", "cudaMemcpyToSymbol(n, somewhere(), sizeof(int));"),
        ("__constant__ int n = 37;", "cudaMemcpyToSymbol(n, somewhere(), sizeof(int));"),
    ],
)  # fmt: skip
def test_what_is_not_known_to_be_copied_is_assumed(before: str, host: str) -> None:
    found = kernel(LOOP.format("n"), host, before).prediction
    assert found.unknowns
    assert found.sp_flops != 37 * 2 * THREADS


def test_a_parameter_hides_constant_memory_of_its_name() -> None:
    found = judged("""__constant__ int n = 37;
    __global__ void k(float *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;
      for (int j = 0; j < n; j++) o[i] = o[i] * 2 + 1; }
    int main() { float *o; cudaMalloc(&o, 4 << 20); k<<<4096, 256>>>(o, 5); }""")
    assert found.prediction.sp_flops == 5 * 2 * THREADS
