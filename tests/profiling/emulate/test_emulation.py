"""Programs built and emulated by the real compilers, where these are; counts computed by hand."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from roofline_hardware_db import find_gpu
from roofline_lsp.cli.main import main
from roofline_profiling.emulate.building import Around
from roofline_profiling.emulate.options import EmulationOptions
from roofline_profiling.emulate.run import emulate
from roofline_profiling.emulate.toolchain import (
    find_cuda_compiler,
    find_disassembler,
    find_host_compiler,
)
from roofline_profiling.errors import ProfilerError
from roofline_profiling.measurement import Measurement
from roofline_profiling.store import load
from roofline_profiling.store_path import store_path
from tests.profiling.conftest import SOURCE


def missing() -> str:
    """The tool that is not there; empty where all are."""
    if sys.platform != "linux":
        return "programs for Linux"
    try:
        find_cuda_compiler()
        find_disassembler()
        find_host_compiler()
    except ProfilerError as error:
        return str(error)
    return ""


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    if reason := missing():
        pytest.skip(reason)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program of two kernels, with a Makefile for another architecture and the static runtime."""
    (tmp_path / "main.cu").write_text(f"#include <cstdlib>\n{SOURCE}")
    (tmp_path / "Makefile").write_text(
        "run: main\n\t./main 20000\n"
        "main: main.o\n\tnvcc -arch=sm_90 -cudart static main.o -o main\n"
        "main.o: main.cu\n\tnvcc -gencode arch=compute_80,code=sm_80 -c main.cu\n"
    )
    (tmp_path / "roofline.toml").write_text("")
    return tmp_path


@pytest.mark.parametrize("command", [["./main.cu", "20000"], ["make", "-s", "run"]])
def test_both_interfaces(program: Path, command: list[str]) -> None:
    if command[0] == "make" and shutil.which("make") is None:
        pytest.skip("no make")
    with (program / "printed").open("wb") as output:
        around = Around(program, output=output.fileno())
        found = emulate(command, EmulationOptions(find_gpu("RTX 3080")), around)
    assert found.problems == ()
    saxpy, polynomial = found.measurements
    assert saxpy.kernel == "saxpy(int, float, float const*, float*)"
    # Within the array: 2 * y is an addition, then a multiply-add. 4 bytes each of x and y are read.
    assert saxpy.sp_flops == 20000 * 3
    assert (saxpy.grid, saxpy.block) == ((79, 1, 1), (256, 1, 1))
    # Besides, the launch itself (2,560 bytes) and its code, of 16 bytes an instruction.
    code_bytes = (saxpy.dram_read_bytes or 0) - 2 * 80000 - 2560
    assert 128 <= code_bytes <= 2048
    assert code_bytes % 128 == 0
    assert saxpy.memory["global_requests"] == 3 * 625
    assert saxpy.memory["global_sectors"] == 3 * 2500
    assert polynomial.sp_flops == 64 * 256 * 4096 * 2
    assert polynomial.dp_flops == 0
    assert any(each.line == 6 for each in saxpy.lines)


def test_the_command(
    program: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(program)
    assert main(["--profile", "--emulate", "--gpu", "A100", "--", "./main.cu", "20000"]) == 0
    out = capsys.readouterr().out
    assert "2 launches of 2 kernels: 2 of 2 classes right (100%)" in out
    assert "memory accesses" in out
    records = load(store_path(program)).records
    assert {(each.gpu, each.source, each.measurement.args) for each in records} == {
        (find_gpu("A100").name, "main.cu", ("20000",))
    }


HIP_SOURCE = """
#include <hip/hip_runtime.h>
#include <cstdio>
__device__ float sum_of_warp(float x) {
  for (int by = 16; by > 0; by /= 2) x += __shfl_xor(x, by);
  return x;
}
__global__ void scale(float *y, const float *x, float a, int n) {
  int i = hipBlockDim_x * hipBlockIdx_x + hipThreadIdx_x;
  if (i < n) y[i] = a * x[i];
}
__global__ void sums(float *out, const float *y) {
  float sum = sum_of_warp(y[blockIdx.x * blockDim.x + threadIdx.x]);
  if (threadIdx.x % 32 == 0) out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = sum;
}
int main() {
  const int n = 1024;
  float *host, *x, *y, *out;
  hipDeviceProp_t properties;
  if (hipGetDeviceProperties(&properties, 0) != hipSuccess || properties.warpSize != 32) return 2;
  hipHostMalloc(&host, n * sizeof(float), hipHostMallocDefault);
  for (int i = 0; i < n; i++) host[i] = 1;
  hipMalloc(&x, n * sizeof(float));
  hipMalloc((void **)&y, n * sizeof(float));
  hipMalloc(&out, n / 32 * sizeof(float));
  hipMemcpy(x, host, n * sizeof(float), hipMemcpyHostToDevice);
  hipLaunchKernelGGL(scale, dim3(n / 128), dim3(128), 0, 0, y, x, 3.0f, n);
  sums<<<n / 256, 256>>>(out, y);
  hipMemcpy(host, out, n / 32 * sizeof(float), hipMemcpyDeviceToHost);
  for (int i = 0; i < n / 32; i++) if (host[i] != 96) return 3;
  printf("%s\\n", hipGetErrorString(hipDeviceSynchronize()));
  hipFree(x);
  return hipHostFree(host) != hipSuccess;
}
"""


@pytest.mark.parametrize("command", [["./main.hip"], ["make", "-s", "run"]])
def test_a_program_of_hip(tmp_path: Path, command: list[str]) -> None:
    if command[0] == "make" and shutil.which("make") is None:
        pytest.skip("no make")
    (tmp_path / "main.hip").write_text(HIP_SOURCE)
    (tmp_path / "Makefile").write_text(
        "run: main\n\t./main\n"
        "main: main.o\n\thipcc main.o -o main\n"
        "main.o: main.hip\n\thipcc -O3 --offload-arch=gfx90a -Wall -c main.hip -o main.o\n"
    )
    with (tmp_path / "printed").open("wb") as output:
        around = Around(tmp_path, output=output.fileno())
        found = emulate(command, EmulationOptions(find_gpu("RTX 3080")), around)
    assert found.problems == ()
    assert "no error" in (tmp_path / "printed").read_text()
    scale, sums = found.measurements
    assert (scale.sp_flops, scale.grid, scale.block) == (1024, (8, 1, 1), (128, 1, 1))
    # Five additions; the last one only in the lanes that store their sum.
    assert (sums.sp_flops, sums.grid, sums.block) == (1024 * 4 + 32, (4, 1, 1), (256, 1, 1))


def one_launch(folder: Path, name: str, source: str) -> tuple[Measurement, str]:
    """The only launch of a program of one file, and what the program printed."""
    (folder / name).write_text(source)
    with (folder / "printed").open("wb") as output:
        around = Around(folder, output=output.fileno())
        found = emulate([f"./{name}"], EmulationOptions(find_gpu("RTX 3080")), around)
    assert found.problems == ()
    (measurement,) = found.measurements
    return measurement, (folder / "printed").read_text()


OLD_SOURCE = """
#include <cstdio>
__global__ void sums(int *o) {
  int v = threadIdx.x;
  for (int m = 16; m > 0; m /= 2) v += __shfl_xor(v, m);
  if (__any(v > 0) && __all(v > 0) && __ballot(v > 0) == 0xffffffffu)
    o[threadIdx.x] = v + __shfl_down(v, 1) + __shfl(v, 0) + __shfl_up(v, 1);
}
int main() {
  struct cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  int *o, h[32];
  cudaMalloc(&o, sizeof h);
  sums<<<1, 32>>>(o);
  cudaThreadSynchronize();
  cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d\\n", h[5], p.clockRate > 0, p.computeMode, p.multiProcessorCount);
}
"""


def test_a_program_with_names_that_cuda_has_no_more(tmp_path: Path) -> None:
    measurement, printed = one_launch(tmp_path, "old.cu", OLD_SOURCE)
    assert "1984 1 0 68" in printed  # 4 times 0 + 1 + ... + 31
    assert measurement.block == (32, 1, 1)


HIPCUB_SOURCE = """
#include <hip/hip_runtime.h>
#include <hipcub/hipcub.hpp>
#include <cstdio>
__global__ void sums(const int *x, int *o) {
  typedef hipcub::BlockReduce<int, 128> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  int s = Reduce(storage).Sum(x[blockIdx.x * 128 + threadIdx.x]);
  if (__any(s > 0) && threadIdx.x == 0) o[blockIdx.x] = s;
}
int main() {
  int h[256], *x, *o;
  hipDeviceProp_t p;
  hipGetDeviceProperties(&p, 0);
  for (int i = 0; i < 256; i++) h[i] = i;
  hipMalloc(&x, sizeof h);
  hipMalloc(&o, 8);
  hipMemcpy(x, h, sizeof h, hipMemcpyHostToDevice);
  sums<<<2, 128>>>(x, o);
  hipMemcpy(h, o, 8, hipMemcpyDeviceToHost);
  printf("%d %d %d\\n", h[0], h[1], p.clockRate > 0);
}
"""


def test_a_program_of_hipcub(tmp_path: Path) -> None:
    measurement, printed = one_launch(tmp_path, "main.hip", HIPCUB_SOURCE)
    assert "8128 24512 1" in printed  # 0 + ... + 127, 128 + ... + 255
    assert (measurement.grid, measurement.block) == ((2, 1, 1), (128, 1, 1))
