"""Pointers that a launch passes as null: what is done only where they are not is not counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api.entry import analyze
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

SETTINGS = Settings(gpu="RTX 3080", clock="base", args=())
KERNEL = """
struct Args { const float *bias; float *out; const char *note; };
__global__ void k(const float *in, const float *bias, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i] * 2.f;
  if (%s) v += bias[i];
  if (i < n) out[i] = v;
}
__global__ void m(Args a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 3.f;
  if (a.bias != nullptr) v += a.bias[i];
  if (i < n) a.out[i] = v;
}
"""
THREADS = 1 << 20


def kernel(body: str, test: str = "bias", name: str = "k") -> KernelReport:
    text = f"""{KERNEL % test}
    void prepare(float **p);
    void fill(float **p);
    int main() {{
      float *in, *bias, *out;
      const int n = {THREADS};
      cudaMalloc(&in, n * 4); cudaMalloc(&bias, n * 4); cudaMalloc(&out, n * 4);
      {body}
    }}
    """
    report = analyze(text.encode(), Path("/p/main.cu"), SETTINGS, reader=lambda _: None)
    assert not [p for p in report.problems if p.message.startswith("internal")]
    (found,) = (each for each in report.kernels if each.qualified_name == name)
    return found


def additions(found: KernelReport) -> list[float | None]:
    """Single-precision operations of each launch, in units of one for each thread."""
    work = (launch.prediction.sp_flops for launch in found.launches)
    return [each and each / THREADS for each in work]


@pytest.mark.parametrize("test", ["bias", "bias != nullptr", "bias != 0", "!(bias == NULL)"])
@pytest.mark.parametrize("null", ["nullptr", "NULL", "0", "(float *)0"])
def test_what_a_null_pointer_leaves_out(test: str, null: str) -> None:
    found = kernel(f"k<<<n / 256, 256>>>(in, {null}, out, n);", test)
    assert additions(found) == [1.0]


def test_each_launch_is_judged_by_its_own() -> None:
    found = kernel(
        "k<<<n / 256, 256>>>(in, bias, out, n);\n float *none = nullptr;\n"
        "k<<<n / 128, 128>>>(in, none, out, n);"
    )
    assert additions(found) == [2.0, 1.0]


def test_a_member_may_be_null() -> None:
    found = kernel("Args a{nullptr, out, nullptr}; m<<<n / 256, 256>>>(a, n);", name="m")
    assert additions(found) in ([0.0], [None])
    found = kernel("Args a{bias, out, nullptr}; m<<<n / 256, 256>>>(a, n);", name="m")
    assert additions(found) == [1.0]


@pytest.mark.parametrize(
    "body",
    [
        "float *p = nullptr; prepare(&p);",  # It is not known what prepare() does.
        "float *p = nullptr; fill(&p);",  # Nor what this one does: it is not the library's.
        "float *p = nullptr; if (rand() % 2) p = bias;",
        "float *p;",
        "float *p[4]; p[3] = nullptr;",
        "std::vector<float *> v(4); for (auto &each : v) cudaMalloc(&each, 64); float *p = v[2];",
    ],
)
def test_a_pointer_that_may_be_another_is_not_taken_for_null(body: str) -> None:
    passed = "p[1]" if "p[4]" in body else "p"
    assert additions(kernel(f"{body} k<<<n / 256, 256>>>(in, {passed}, out, n);")) == [2.0]


def test_what_the_test_needs_stays_alive() -> None:
    """A compiler cannot drop a sum of which the store depends on a pointer."""
    text = """
    __global__ void k(const float *in, float *out, int n) {
      float sum = 0.f;
      for (int i = 0; i < n; i++) sum += in[i];
      if (out) out[threadIdx.x] = sum;
    }
    int main() { float *in; cudaMalloc(&in, 4096); k<<<1, 32>>>(in, nullptr, 1000); }
    """
    report = analyze(text.encode(), Path("/p/main.cu"), SETTINGS, reader=lambda _: None)
    (launch,) = report.kernels[0].launches
    assert launch.prediction.sp_flops == 32 * 1000
