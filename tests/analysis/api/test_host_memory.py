"""Kernels that use memory of the host: bytes on the bus, their time, and the class by them."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.report.report import BusUse, Limiter, Prediction, Verdict
from roofline_core.settings import Settings, VerdictRuleName
from roofline_core.settings.own_gpus import OwnGpu
from roofline_lsp import analyze

RULES: tuple[VerdictRuleName, ...] = ("compulsory", "study")
COUNT = 1 << 24
BYTES = 4 * COUNT
_SUM = """
__global__ void k(const float *x, const float *y, float *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + WORK(y[i]);
}
"""
_LAUNCH = "k<<<n / 128, 128>>>(x, y, z, n);"


def _predicted(host: str, work: str = "", settings: Settings | None = None) -> Prediction:
    declared = f"int n = {COUNT}; size_t s = n * sizeof(float); float *x, *y, *z;"
    source = f"{_SUM.replace('WORK', work)}\nint main() {{ {declared} {host} {_LAUNCH} }}"
    hip = "hipHostMalloc" in host
    path = Path("/src/sum.hip" if hip else "/src/sum.cu")
    report = analyze(source.encode(), path, settings or Settings(gpu="A100"))
    return report.kernels[0].prediction


def _bus(prediction: Prediction) -> BusUse:
    assert prediction.bus is not None
    return prediction.bus


@pytest.mark.parametrize(
    "host",
    [
        "cudaMallocHost(&x, s); cudaMallocHost(&y, s); cudaMallocHost((void **)&z, s);",
        (
            "cudaHostAlloc(&x, s, 0); cudaHostAlloc(&y, s, cudaHostAllocMapped | 1);"
            "float *h; cudaHostAlloc(&h, s, 2); cudaHostGetDevicePointer((void **)&z, h, 0);"
        ),
        (
            "hipHostMalloc(&x, s, hipHostMallocMapped); hipHostMalloc((void **)&y, s);"
            "float *h; hipHostMalloc(&h, s, 0); hipHostGetDevicePointer((void **)&z, h, 0);"
        ),
        (
            "x = (float *)malloc(s); cudaHostRegister(x, s, cudaHostRegisterMapped);"
            "float *w = new float[n]; cudaHostRegister(w, s, 2);"
            "cudaHostGetDevicePointer(&y, w, 0);"
            "cudaMallocHost(&z, s);"
        ),
    ],
)
def test_what_lies_in_host_memory_crosses_the_bus(host: str) -> None:
    prediction = _predicted(host)
    bus = _bus(prediction)
    assert bus.read_bytes == pytest.approx(2 * BYTES, rel=0.01)
    assert bus.write_bytes == pytest.approx(BYTES, rel=0.01)
    assert bus.link == "PCIe 4.0 x16"
    assert bus.limits
    assert prediction.verdict is Verdict.BANDWIDTH_BOUND
    assert prediction.dram_verdict is Verdict.COMPUTE_BOUND
    assert prediction.limiting is Limiter.BUS
    assert prediction.dram_bytes is not None
    assert prediction.dram_bytes < 1e5


def test_the_study_judges_by_the_bytes_of_dram_alone() -> None:
    host = "cudaMallocHost(&x, s); cudaMallocHost(&y, s); cudaMallocHost(&z, s);"
    default, study = (_predicted(host, settings=Settings(gpu="A100", rule=rule)) for rule in RULES)
    assert (_bus(default).limits, _bus(study).limits) == (True, False)
    assert study.verdict is default.study_verdict is Verdict.COMPUTE_BOUND
    assert study.limiting is default.limiting is Limiter.BUS
    assert study.time_ns == default.time_ns


def test_reads_and_writes_share_the_bus() -> None:
    prediction = _predicted("cudaMallocHost(&x, s); cudaMalloc(&y, s); cudaMallocHost(&z, s);")
    bus = _bus(prediction)
    assert bus.bandwidth_gbs is not None
    assert bus.read_bytes == pytest.approx(bus.write_bytes, rel=0.01)
    assert prediction.time_ns == pytest.approx(2 * BYTES / bus.bandwidth_gbs, rel=0.02)


def test_memory_of_the_device_counts_as_before() -> None:
    given = "cudaMalloc(&x, s); cudaMalloc(&y, s); cudaMallocManaged(&z, s);"
    prediction = _predicted(f"float *h; cudaMallocHost(&h, s); {given}")
    assert prediction.bus is None
    assert prediction.dram_read_bytes == pytest.approx(2 * BYTES, rel=0.01)


def test_enough_arithmetic_outweighs_the_bus() -> None:
    work = "rounds"
    body = "__device__ float rounds(float v) { for (int j = 0; j < 40000; j++) v = v * v + 1.f;"
    settings = Settings(gpu="A100")
    source = f"{body} return v; }}\n{_SUM.replace('WORK', work)}\n"
    source += f"int main() {{ int n = {COUNT}; float *x, *y, *z; cudaMallocHost(&x, n * 4);"
    source += f"cudaMallocHost(&y, n * 4); cudaMallocHost(&z, n * 4); {_LAUNCH} }}"
    report = analyze(source.encode(), Path("/src/sum.cu"), settings)
    prediction = report.kernels[0].prediction
    assert not _bus(prediction).limits
    assert prediction.verdict is Verdict.COMPUTE_BOUND


def test_a_little_host_memory_beside_much_of_the_device_does_not_limit() -> None:
    given = "cudaMallocHost(&x, 64); cudaMalloc(&y, s); cudaMalloc(&z, s);"
    source = _SUM.replace("WORK", "").replace("x[i]", "x[i % 16]")
    source += f"int main() {{ int n = {COUNT}; size_t s = n * 4; float *x, *y, *z; {given}"
    report = analyze(f"{source} {_LAUNCH} }}".encode(), Path("/src/sum.cu"), Settings(gpu="A100"))
    prediction = report.kernels[0].prediction
    assert _bus(prediction).read_bytes < 1000
    assert not _bus(prediction).limits
    assert prediction.limiting is Limiter.BANDWIDTH


def test_one_memory_for_both_needs_no_bus() -> None:
    host = "cudaMallocHost(&x, s); cudaMallocHost(&y, s); cudaMallocHost(&z, s);"
    prediction = _predicted(host, settings=Settings(gpu="Jetson AGX Orin 64GB"))
    assert prediction.bus is None
    assert prediction.dram_read_bytes == pytest.approx(2 * BYTES, rel=0.01)


def test_an_unknown_bus_is_no_faster_than_memory() -> None:
    host = "cudaMallocHost(&x, s); cudaMallocHost(&y, s); cudaMallocHost(&z, s);"
    prediction = _predicted(host, settings=Settings(gpu="GTX 980M"))
    bus = _bus(prediction)
    assert (bus.link, bus.bandwidth_gbs) == (None, None)
    assert bus.limits
    assert prediction.verdict is Verdict.BANDWIDTH_BOUND


def test_a_slower_slot_can_be_given() -> None:
    host = "cudaMallocHost(&x, s); cudaMallocHost(&y, s); cudaMallocHost(&z, s);"
    own = OwnGpu("slot", like="A100", figures=(("pcie_generation", 3.0), ("pcie_lanes", 8.0)))
    slow = _predicted(host, settings=Settings(gpu="slot", gpus=(own,)))
    assert _bus(slow).link == "PCIe 3.0 x8"
    assert slow.time_ns is not None
    fast = _predicted(host)
    assert fast.time_ns is not None
    assert slow.time_ns / fast.time_ns == pytest.approx(4, rel=0.05)
