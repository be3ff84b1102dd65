"""An OpenCL program under the executor: its results, its errors, and counts computed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.profiling.emulate.emulated_program import (
    Bench,
    Ran,
    memory_instructions,
    thread_instructions,
)

HERE = Path(__file__).parent
KERNELS = HERE / "opencl_kernels.cl"

SAID = {
    "build": 0,
    "arithmetic.launch": 0,
    "arithmetic.times": 1,
    "arithmetic.single": 2 * 2 + 3 * 4 + 3,
    "arithmetic.beyond": 2,
    "arithmetic.double": 4.5,
    "arithmetic.indivisible": -54,  # CL_INVALID_WORK_GROUP_SIZE
    "arithmetic.wide": -55,  # CL_INVALID_WORK_ITEM_SIZE
    "offsets.part": 0,
    "offsets.launch": 0,
    "offsets.before": -1,
    "offsets.first": 10000 + 3 * 1000,
    "offsets.last": 10000 + 3 * 1000 + 100 + 31,
    "offsets.misaligned": -13,  # CL_MISALIGNED_SUB_BUFFER_OFFSET
    "shape.launch": 0,
    "shape.three": 3 * 10000 + 2 * 1000 + 2 * 100 + 3 * 10 + 3,
    "shape.chosen": 0,
    "shape.two": 10000 + 1000 + 100 + 2 * 10 + 6,  # one group of 12 x 6
    "local.unset": -52,  # CL_INVALID_KERNEL_ARGS
    "local.launch": 0,
    "local.sum": sum(range(64, 128)) + 3 + 7,
    "local.bytes": 4 * 4 + 2 * 64 * 4,
    "local.much": -5,  # CL_OUT_OF_RESOURCES
    "local.conflicts": 31,
    "constants.launch": 0,
    "constants.seventh": 1008.06,
    "atomics.launch": 0,
    "vectors.last": 5,
    "pictures.image": 0,
    "pictures.launch": 0,
    "pictures.inside": 9 + 1000 * 9.5,
    "pictures.edge": 15 + 1000 * 7.5,
    "device.cpu": -1,  # CL_DEVICE_NOT_FOUND
    "name.short": -30,  # CL_INVALID_VALUE
    "kernel.absent": -46,  # CL_INVALID_KERNEL_NAME
    "demanding.most": 64,
    "demanding.compiled": 64,
    "demanding.other": -54,
    "demanding.chosen": 0,
    "demanding.result": 64,
    "argument.size": -51,  # CL_INVALID_ARG_SIZE
    "argument.index": -49,  # CL_INVALID_ARG_INDEX
    "pipe": 1,
    "maps.own": 1,
    "maps.filled": 9,
    "maps.written": 77,
    "maps.twice": -30,
    "maps.copied": 0,
    "maps.copy": 77,
    "maps.beyond": -30,
    "build.wrong": -11,  # CL_BUILD_PROGRAM_FAILURE
    "build.told": 1,
    "build.absent": -11,
    "build.options": 0,
    "build.unknown": -43,  # CL_INVALID_BUILD_OPTIONS
    "outside.launch": 0,
    "outside.finish": -5,
}
COUNTERS = [2 * 256, 63, 0xFF, -256, 256]
FUNCTIONS = [
    70, 5, 5 + 2 + 2.25, 2 + 255 - 128, 2 + 2 + 1 + 1, 1 + 4 + 6, 42 + 31 + 8 + 2 + 7 + 3 + 127,
    -4 + 0.5 - 1, 2, 1, 1024 + 8 + 3 + 0.5 + 3, 1, 4,
]  # fmt: skip


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    bench = Bench(tmp_path_factory.mktemp("opencl"))
    return bench.run(bench.host("program", HERE / "opencl_program.cpp"), str(KERNELS))


def _said(ran: Ran, name: str) -> list[float]:
    found = (line.split(" ", 1) for line in ran.printed.splitlines() if line.startswith(f"{name} "))
    return [float(value) for _, value in found]


@pytest.mark.parametrize("name", SAID)
def test_what_the_host_is_told(ran: Ran, name: str) -> None:
    assert _said(ran, name) == [pytest.approx(SAID[name])], ran.printed


def test_results_of_atomics_and_functions(ran: Ran) -> None:
    assert _said(ran, "atomics.counter") == COUNTERS
    assert _said(ran, "functions") == FUNCTIONS


def test_what_is_not_there_is_named(ran: Ran) -> None:
    assert "roofline-lsp: clCreatePipe is not emulated" in ran.printed
    assert "not emulated, or not there: the functions printf" in ran.printed


def test_operations_of_threads_inside_the_range(ran: Ran) -> None:
    (launch,) = ran.of("arithmetic")
    assert (launch.grid, launch.block) == ((4, 1, 1), (64, 1, 1))
    found = thread_instructions([launch])
    # (x + 1) * (x + 2) + 3 is a multiply-add after two additions; mad is another.
    wanted = {"FADD": 500, "FMUL": 0, "FFMA": 500, "DADD": 0, "DMUL": 250, "DFMA": 0}
    assert {name: found[name] for name in wanted} == wanted
    # The index takes a multiply-add and the global offset's addition of every thread.
    assert found["IADD3"] == 256
    asked = memory_instructions(launch, KERNELS)
    for name in ("load LDG", "store STG"):
        (site,) = asked[name]
        assert (site.requests, site.threads, site.sectors) == (8, 250, 32), name


def test_vectors_are_loaded_whole(ran: Ran) -> None:
    (launch,) = ran.of("vectors")
    assert thread_instructions([launch])["FADD"] == 4 * 32
    asked = memory_instructions(launch, KERNELS)
    for name in ("wide LDG", "wide STG"):
        (site,) = asked[name]
        assert (site.requests, site.threads, site.sectors) == (1, 32, 16), name


def test_local_memory(ran: Ran) -> None:
    (launch,) = ran.of("sum")
    assert (launch.static_shared_bytes, launch.dynamic_shared_bytes) == (16, 2 * 256)
    # One barrier before the tree, and one in each of its six steps.
    assert thread_instructions([launch])["BAR"] == 256 * (1 + 6)
    (site,) = memory_instructions(launch, KERNELS)["fill STS"]
    assert (site.requests, site.threads, site.wavefronts, site.ideal) == (8, 256, 8, 8)
    (launch,) = ran.of("conflicts")
    (site,) = memory_instructions(launch, KERNELS)["column STS"]
    assert (site.requests, site.wavefronts, site.ideal) == (1, 32, 1)


def test_constants_are_read_from_the_constant_bank(ran: Ran) -> None:
    (launch,) = ran.of("constants")
    found = thread_instructions([launch])
    assert (found["LDC"], found["LDG"]) == (3 * 32, 0)


def test_chosen_work_groups(ran: Ran) -> None:
    shapes = [(each.grid, each.block) for each in ran.of("shape")]
    assert shapes == [((3, 2, 2), (4, 3, 2)), ((1, 1, 1), (12, 6, 1))]


def test_an_access_outside_a_buffer(ran: Ran) -> None:
    (launch,) = ran.of("outside")
    line = next(
        n for n, text in enumerate(KERNELS.read_text().splitlines(), 1) if "@beyond" in text
    )
    assert "a store of 4 bytes" in launch.error
    assert "thread (24, 0, 0)" in launch.error
    assert f"{KERNELS.name}:{line}" in launch.error
