"""HIP's runtime: what it allocates, copies and says of the device."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.host import HostOptions, execute_host
from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.libraries.device_properties import compute_capability, device_properties
from roofline_analysis.host.options import DEFAULT_DEVICE_PROPERTIES
from roofline_analysis.host.values import LaunchContext, Pointer, Scalar
from roofline_hardware_db import find_gpu
from roofline_parsers.reading.load import load_program

PATH = Path("/p/main.hip")
KERNEL = "__global__ void k(float *p, int n) {}\n"


def launch(main: str, gpu: str = "MI210") -> LaunchContext:
    """The one launch of a program with this body of ``main``."""
    source = f"{KERNEL}int main(int argc, char **argv) {{ float *p; {main} }}".encode()
    program = load_program([PATH], {PATH: source}.get)
    result = execute_host(program, [], HostOptions(device_properties(find_gpu(gpu))))
    (found,) = result.launches
    return found


def numbers(context: LaunchContext) -> tuple[list[int | float | None], list[int | float | None]]:
    assert context.grid is not None
    assert context.block is not None
    return [e.constant for e in context.grid], [e.constant for e in context.block]


@pytest.mark.parametrize(
    ("call", "space", "size"),
    [
        ("hipMalloc(&p, 4096);", BufferSpace.DEVICE, 4096),
        ("hipMallocManaged((void**)&p, 4096);", BufferSpace.MANAGED, 4096),
        ("hipHostMalloc(&p, 4096, hipHostMallocDefault);", BufferSpace.PINNED, 4096),
        ("hipMallocAsync(&p, 4096, s);", BufferSpace.DEVICE, 4096),
        ("hipExtMallocWithFlags((void**)&p, 4096, 0);", BufferSpace.DEVICE, 4096),
        ("size_t w; hipMallocPitch((void**)&p, &w, 700, 3);", BufferSpace.DEVICE, 1024 * 3),
    ],
)
def test_allocations(call: str, space: BufferSpace, size: int) -> None:
    argument = launch(f"{call} hipLaunchKernelGGL(k, dim3(1), dim3(64), 0, 0, p, 3);").args[0]
    assert isinstance(argument, Pointer)
    assert argument.buffer is not None
    assert argument.buffer.size_bytes is not None
    assert (argument.buffer.space, argument.buffer.size_bytes.constant) == (space, size)


@pytest.mark.parametrize(
    ("gpu", "warp", "units"), [("MI210", 64, 104), ("MI300X", 64, 304), ("RTX 3080", 32, 68)]
)
@pytest.mark.parametrize(
    "query",
    [
        (
            "hipDeviceProp_t d; hipGetDeviceProperties(&d, 0);"
            " int w = d.warpSize, u = d.multiProcessorCount;"
        ),
        (
            "int w, u; hipDeviceGetAttribute(&w, hipDeviceAttributeWarpSize, 0);"
            " hipDeviceGetAttribute(&u, hipDeviceAttributeMultiprocessorCount, 0);"
        ),
    ],
)
def test_the_device_is_the_gpu_that_is_judged_on(
    query: str, gpu: str, warp: int, units: int
) -> None:
    found = launch(f"{query} hipLaunchKernelGGL(k, u, w * 2, 0, 0, p, w);", gpu)
    assert numbers(found) == ([units, 1, 1], [2 * warp, 1, 1])
    assert isinstance(found.args[1], Scalar)
    assert found.args[1].value.constant == warp


def test_occupancy_is_that_of_the_device() -> None:
    query = "int g, b; hipOccupancyMaxPotentialBlockSize(&g, &b, k, 0, 0);"
    found = launch(f"{query} hipLaunchKernelGGL(k, g, b, 0, 0, p, 1);")
    assert numbers(found) == ([104 * 2, 1, 1], [1024, 1, 1])


@pytest.mark.parametrize(
    "copy",
    ["hipMemcpy(d, h, 8, hipMemcpyHostToDevice)", "hipMemcpyHtoD((hipDeviceptr_t)d, h, 8)",
     "hipMemcpyWithStream(d, h, 8, hipMemcpyHostToDevice, s)"],
)  # fmt: skip
def test_what_was_copied_there_and_back_is_still_known(copy: str) -> None:
    body = f"""
      int h[2] = {{5, 6}}; int *d; int back[2];
      hipMalloc(&d, 8); {copy}; hipMemcpyDtoH(back, (hipDeviceptr_t)d, 8);
      hipLaunchKernelGGL(k, back[0], back[1], 0, 0, p, 1);"""
    assert numbers(launch(body)) == ([5, 1, 1], [6, 1, 1])


def test_memory_set_by_words() -> None:
    body = """
      int *d; int back[2]; hipMalloc(&d, 8); hipMemsetD32((hipDeviceptr_t)d, 7, 2);
      hipMemcpy(back, d, 8, hipMemcpyDeviceToHost);
      hipLaunchKernelGGL(k, back[1], 64, 0, 0, p, 1);"""
    assert numbers(launch(body))[0] == [7, 1, 1]


def test_properties_of_the_rtx_3080_are_those_assumed_without_a_gpu() -> None:
    found = device_properties(find_gpu("RTX 3080"))
    assert {n: v for n, v in found.items() if n in DEFAULT_DEVICE_PROPERTIES} == dict(
        DEFAULT_DEVICE_PROPERTIES
    )


def test_properties_of_an_amd_gpu() -> None:
    found = device_properties(find_gpu("MI210"))
    wanted = {"major": 9, "minor": 0, "sharedMemPerBlock": 65536, "warpSize": 64,
              "maxThreadsPerMultiProcessor": 2048, "clockRate": 1700000,
              "totalGlobalMem": 64 * 2**30, "l2CacheSize": 8 * 2**20}  # fmt: skip
    assert {name: found[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("name", "expected"),
    [("sm_86", (8, 6)), ("sm_120", (12, 0)), ("sm_90a", (9, 0)), ("gfx90a", (9, 0)),
     ("gfx942", (9, 4)), ("gfx1100", (11, 0)), ("mine", None)],
)  # fmt: skip
def test_compute_capabilities(name: str, expected: tuple[int, int] | None) -> None:
    assert compute_capability(name) == expected
