"""The two rules of the verdict, and the resource that decides the time."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport, Prediction, Resource, Verdict
from roofline_analysis.rules.registry import RULES
from roofline_analysis.traffic.dram import write_back_share
from roofline_core.settings import Settings, VerdictRuleName
from roofline_hardware_db import find_gpu

BB, CB = Verdict.BANDWIDTH_BOUND, Verdict.COMPUTE_BOUND
L2_BYTES = find_gpu("A100").last_cache_bytes or 0
FILL = """
__global__ void fill(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1.f;
}
int main() {
  int n = 1 << %d; float *out; cudaMalloc(&out, n * 4UL);
  fill<<<n / 256, 256>>>(out, n);
}
"""
HALVES = """
#include <cuda_fp16.h>
__global__ void horner(__half2 *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 v = x[i], s = v;
  #pragma unroll
  for (int k = 0; k < 400; k++) s = __hfma2(s, v, v);
  x[i] = s;
}
int main() { int n = 1 << 22; __half2 *x; cudaMalloc(&x, n * 4UL); horner<<<n / 256, 256>>>(x, n); }
"""
PLAIN = """
__global__ void k(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  %s
}
int main() {
  int n = 1 << 24; float *x, *y;
  cudaMalloc(&x, n * 4UL); cudaMalloc(&y, n * 4UL);
  k<<<%s>>>(x, y, n);
}
"""
SHARED = """__shared__ float s[8704]; s[threadIdx.x] = i; __syncthreads(); float t = 0;
  for (int j = 0; j < 512; j++) t += s[threadIdx.x * 32 + j]; y[i] = t;"""


def kernel_of(source: str, rule: VerdictRuleName = "compulsory") -> KernelReport:
    settings = Settings(gpu="A100", rule=rule)
    report = analyze(source.encode(), Path("/p/main.cu"), settings, reader=lambda path: None)
    (kernel,) = report.kernels
    return kernel


def judged(source: str, rule: VerdictRuleName = "compulsory") -> Prediction:
    return kernel_of(source, rule).prediction


@pytest.mark.parametrize("power", [14, 17, 20, 26])
def test_what_is_written_counts_as_written_by_the_default_rule(power: int) -> None:
    written = 4.0 * 2**power
    found, by_study = judged(FILL % power), judged(FILL % power, "study")
    crossing = written * write_back_share(written, L2_BYTES, keeps_written=0.5)
    assert found.dram_write_bytes == pytest.approx(written, rel=1e-3)
    assert by_study.dram_write_bytes == pytest.approx(crossing, rel=1e-3)
    assert found.kept_bytes == pytest.approx(written - crossing, rel=1e-3, abs=1)
    assert by_study.kept_bytes == 0
    assert found.verdict is BB
    assert found.study_verdict is by_study.verdict
    assert by_study.study_verdict is None
    # The launch takes as long whatever its class is called.
    assert found.time_ns == by_study.time_ns
    assert sum(line.dram_write_bytes for line in found.ledger) == pytest.approx(
        found.dram_write_bytes
    )


def test_small_writes_are_of_different_classes_by_the_two_rules() -> None:
    assert judged(FILL % 17).verdict is BB
    assert judged(FILL % 17, "study").verdict is CB


def test_half_precision_decides_by_the_default_rule_alone() -> None:
    found, by_study = judged(HALVES), judged(HALVES, "study")
    assert found.hp_flops == by_study.hp_flops
    assert (found.verdict, found.study_verdict, by_study.verdict) == (CB, BB, BB)
    assert found.grounds is not None
    assert found.grounds.margin > 0


@pytest.mark.parametrize(
    ("body", "launch", "resource", "unit"),
    [
        ("if (i < n) y[i] = 2 * x[i];", "n / 256, 256", Resource.DRAM, "bytes"),
        (
            SHARED,
            "n / 256, 256",
            Resource.L1,
            "bytes",
        ),
        (
            "float s = x[i]; for (int j = 0; j < 4096; j++) s = s * s + 1.5f; y[i] = s;",
            "1, 32",
            Resource.LATENCY,
            "clocks",
        ),
        ("atomicAdd(y, x[i]);", "n / 256, 256", Resource.ATOMICS, "atomics"),
        ("if (i < 4) y[i] = 0;", "1, 32", Resource.LAUNCH, ""),
    ],
)
def test_the_resource_that_decides_the_time_has_its_number(
    body: str, launch: str, resource: Resource, unit: str
) -> None:
    found = judged(PLAIN % (body, launch))
    limit = found.time_limit
    assert limit is not None
    assert found.time_ns is not None
    assert (limit.resource, limit.unit) == (resource, unit)
    assert 0 < limit.time_ns <= found.time_ns
    if resource is Resource.DRAM:
        moved = (found.dram_bytes or 0) - found.kept_bytes
        assert moved < (limit.amount or 0) < moved + 4096  # the code, which is no data
        assert limit.per_second == pytest.approx(1555e9, rel=0.01)
    elif limit.amount is None:
        assert (resource, limit.per_second) == (Resource.LAUNCH, None)
    else:
        assert limit.per_second == pytest.approx(limit.amount / limit.time_ns * 1e9)


@pytest.mark.parametrize("rule", ["compulsory", "study"])
@pytest.mark.parametrize("code", ["RL101", "RL103", "RL205"])
def test_findings_weigh_the_same_time_by_either_rule(code: str, rule: VerdictRuleName) -> None:
    settings = Settings(rule=rule)
    report = analyze(
        RULES[code].bad.encode(), Path("/p/main.cu"), settings, reader=lambda path: None
    )
    effects = [
        (kernel.prediction, finding.effect)
        for kernel in report.kernels
        for finding in kernel.findings
        if finding.effect is not None
    ]
    assert effects
    for prediction, effect in effects:
        assert effect.time_ns == prediction.time_ns
        assert effect.new_time_ns < effect.time_ns
        assert effect.verdict is prediction.verdict


def test_arrays_of_a_thread_that_leave_the_caches_are_no_compulsory_traffic() -> None:
    source = """
__global__ void k(float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a[2048];
  for (int j = 0; j < 2048; j++) a[j] = i * j;
  float t = 0;
  for (int j = 0; j < 2048; j++) t += a[(i * 7 + j) % 2048];
  if (i < n) y[i] = t;
}
int main() { int n = 1 << 22; float *y; cudaMalloc(&y, n * 4UL); k<<<n / 256, 256>>>(y, n); }
"""
    found, by_study = judged(source), judged(source, "study")
    assert found.dram_bytes == pytest.approx(4 * 2**22, rel=0.01)
    assert found.verdict is CB
    assert by_study.dram_bytes is not None
    assert by_study.dram_bytes > 100 * 4 * 2**22
    assert found.time_ns == by_study.time_ns


def test_code_is_no_data_of_the_compulsory_rule() -> None:
    """A launch of four threads moves 32 bytes, though its code takes kilobytes."""
    few = judged(PLAIN % ("if (i < 4) y[i] = 0;", "1, 32"))
    assert few.dram_read_bytes == 0.0
    assert few.dram_write_bytes == pytest.approx(32)
    assert few.code_bytes > 1000
    none = judged(PLAIN % ("__syncthreads();", "1, 32"))
    assert none.code_bytes == 0.0
    assert (none.dram_bytes or 0) > 1000
