"""Whole CUDA programs under the executor: their results, and counts computed by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.profiling.emulate.emulated_program import (
    Bench,
    Ran,
    lines_of,
    memory_instructions,
    sites_of,
    thread_instructions,
)

FEATURES = Path(__file__).with_name("execution_features.cu")
FAILURES = Path(__file__).with_name("execution_failures.cu")
RESULTS = (
    "single", "double", "half", "access", "banks", "local", "atomics.shared", "atomics.integer",
    "atomics.dec", "atomics.real", "atomics.half", "atomics.brain", "atomics.swap",
    "atomics.order", "shuffles", "votes", "tiles", "apart", "halves", "joined",
    "barriers.reducing", "barriers.named", "barriers.ended", "grid.sync", "functions", "heap",
    "symbols", "constants", "texture.fetch", "texture.linear", "surface", "wmma", "ldmatrix",
    "graphs",
)  # fmt: skip


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="module")
def features(bench: Bench) -> Ran:
    return bench.run(bench.compiled("features", FEATURES))


@pytest.mark.parametrize("name", RESULTS)
def test_results(features: Ran, name: str) -> None:
    assert f"{name}=1" in features.printed.splitlines(), features.printed


def test_the_program_ends_well(features: Ran) -> None:
    assert features.code == 0, features.printed
    assert [each.error for each in features.launches if each.error] == []
    assert "thread 5 says hello 2.50 1099511627776 x" in features.printed.splitlines()


def test_doubles_of_constant_memory_at_an_index_of_the_warp(features: Ran) -> None:
    assert thread_instructions(features.of("weighted"))["DFMA"] == 32 * 13


def test_operations_of_guarded_threads_and_loops(features: Ran) -> None:
    # 250 of 256 threads pass the guard; the loops of thread i run i mod 5 and i mod 3 times.
    found = thread_instructions(features.of("arithmetic"))
    assert {name: found[name] for name in ("FADD", "FMUL", "FFMA", "DADD", "DMUL", "DFMA")} == {
        "FADD": 250 + 125,
        "FMUL": 250,
        "FFMA": 50 * (0 + 1 + 2 + 3 + 4),
        "DADD": 250,
        "DMUL": 250,
        "DFMA": 83 * (0 + 1 + 2),
    }
    assert found["HADD2"] + found["HMUL2"] + found["HFMA2"] == 3 * 250
    assert found["LDG"] == found["STG"] == 3 * 250


def test_sectors_of_global_memory(features: Ran) -> None:
    (launch,) = features.of("access")
    found = memory_instructions(launch, FEATURES)
    # Two warps: requests, threads and sectors of 32 bytes.
    wanted = {
        "contiguous LDG": (2, 64, 2 * 4),
        "stride2 LDG": (2, 64, 2 * 8),
        "stride32 LDG": (2, 64, 2 * 32),
        "misaligned LDG": (2, 64, 2 * 5),
        "broadcast LDG": (2, 64, 2 * 1),
        "wide8 LDG": (2, 64, 2 * 8),
        "wide16 LDG": (2, 64, 2 * 16),
        "bytes LDG": (2, 64, 2 * 1),
        "few LDG": (1, 8, 1),
        "odd LDG": (2, 32, 2 * 4),
        "store STG": (2, 64, 2 * 4),
        "store8 STG": (2, 64, 2 * 32),
    }
    for name, counts in wanted.items():
        (site,) = found[name]
        assert (site.requests, site.threads, site.sectors) == counts, name


def test_bank_conflicts_of_shared_memory(features: Ran) -> None:
    (launch,) = features.of("banks")
    found = memory_instructions(launch, FEATURES)
    # One warp: passes, and what they would be without conflicts.
    wanted = {
        "store8 STS": (2, 2),
        "store16 STS": (4, 4),
        "stride1 LDS": (1, 1),
        "stride2 LDS": (2, 1),
        "stride32 LDS": (32, 1),
        "stride33 LDS": (1, 1),
        "broadcast LDS": (1, 1),
        "twice LDS": (1, 1),
        "wide8 LDS": (2, 2),
        "wide16 LDS": (4, 4),
    }
    for name, counts in wanted.items():
        (site,) = found[name]
        assert (site.requests, site.wavefronts, site.ideal) == (1, *counts), name
    fills = found["fill STS"]
    assert sum(site.threads for site in fills) == 33 * 32
    assert sum(site.wavefronts for site in fills) == 33


def test_local_memory_is_interleaved_over_lanes(features: Ran) -> None:
    (launch,) = features.of("own")
    found = memory_instructions(launch, FEATURES)
    (stores,), (loads,) = found["keep STL"], found["recall LDL"]
    # Each of two warps stores 16 times at one offset for all lanes: 4 sectors.
    assert (stores.requests, stores.threads, stores.sectors) == (32, 32 * 32, 32 * 4)
    # It loads 3 times, at 16 offsets of two lanes each that are 16 lanes apart: 32 sectors.
    assert (loads.requests, loads.threads, loads.sectors) == (6, 6 * 32, 6 * 32)


def test_atomics_of_shared_memory_take_a_pass_for_each_lane_of_a_word(features: Ran) -> None:
    (launch,) = features.of("atomics")
    # Four warps; 32 lanes on 8 words: 4 passes each.
    for opcode in ("ATOMS.POPC.INC.32", "ATOMS.ADD"):
        site = sites_of(launch, opcode)[0]
        assert (site.requests, site.threads, site.wavefronts) == (4, 128, 16)


def test_instructions_of_lanes_together(features: Ran) -> None:
    found = thread_instructions(features.of("warps"))
    # 48 threads shuffle 3 times and once by halves, 3 times to reduce; 4 lanes of each warp once.
    assert found["SHFL"] == 48 * (3 + 1 + 3) + 2 * 4
    found = thread_instructions(features.of("barriers"))
    # 128 threads at 5 reducing barriers; 64 + 64 + 64 at named ones; 96 at the last.
    assert found["BAR"] == 5 * 128 + 3 * 64 + 96
    found = thread_instructions(features.of("tensors"))
    assert found["HMMA"] == 2 * 32  # 16 x 16 x 16 as two of 16 x 8 x 16


def test_matrices_are_loaded_by_rows(features: Ran) -> None:
    (launch,) = features.of("tensors")
    sites = sites_of(launch, "LDSM")
    # Rows of 32 bytes: of 8 rows' 16 bytes the fifth is in the first one's banks.
    assert sorted((s.requests, s.wavefronts, s.ideal) for s in sites) == [
        (1, 2, 1), (1, 8, 4), (1, 8, 4),
    ]  # fmt: skip


def test_a_graph_s_launches_are_counted_each(features: Ran) -> None:
    launches = features.of("step")
    assert len(launches) == 3 * 2 + 1
    assert [each.invocation for each in launches] == list(range(7))
    assert thread_instructions(launches)["LDG"] == 7 * 32


@pytest.fixture(scope="module")
def failing(bench: Bench) -> Path:
    return bench.compiled("failures", FAILURES)


FAILED = (
    (0, "beyond", r"load of 4 bytes at address 0x[0-9a-f]+, which ends 284 bytes beyond an alloc"),
    (1, "released", r"load of 4 bytes at address 0x[0-9a-f]+, which "),
    (2, "misaligned", r"store of 8 bytes at address 0x[0-9a-f]+, which is not a multiple of 8"),
    (4, "trap", r"trapped"),
    (5, None, r"assertion .*how != 5 \|\| t != 70.* failed"),
    (6, "shared", r"load of 4 bytes at shared address 0x[0-9a-f]+, outside its 256 bytes"),
)  # fmt: skip


@pytest.mark.parametrize(("how", "line", "said"), FAILED)
def test_failures_name_what_and_where(
    bench: Bench, failing: Path, how: int, line: str | None, said: str
) -> None:
    ran = bench.run(failing, str(how))
    (good,), (bad,) = ran.of("fine"), ran.of("fails")
    assert (good.error, good.blocks_run) == ("", 1)
    assert re.search(said, bad.error), bad.error
    thread = "(0, 0, 0)" if how == 1 else "(6, 0, 0)"
    block = "(0, 0, 0)" if how == 1 else "(1, 0, 0)"
    assert f"in block {block}, thread {thread}" in bad.error
    if line is not None:
        number = next(n for n, name in lines_of(FAILURES).items() if name == line)
        assert f"{FAILURES.name}:{number}" in bad.error
    assert "fails" in ran.printed
    assert "cudaSuccess" not in ran.printed


def test_a_deadlock_names_the_barriers(bench: Bench, failing: Path) -> None:
    ran = bench.run(failing, "3")
    (bad,) = ran.of("fails")
    assert "deadlock at a barrier" in bad.error
    assert "warp 0 of block 0 waits at barrier 1" in bad.error
    assert "warp 1 of block 0 waits at barrier 2" in bad.error


OTHER = """
__constant__ int factors[2] = {3, 5};
__device__ int calls;
__device__ int scaled(int n) { atomicAdd(&calls, 1); return n * factors[n & 1]; }
__device__ int plain(int n) { return n; }
__device__ int (*choices[2])(int) = {scaled, plain};
"""
MAIN = """
#include <cstdio>
extern __constant__ int factors[2];
extern __device__ int calls;
extern __device__ int scaled(int);
extern __device__ int (*choices[2])(int);
template <int N> __global__ void kernel(int *out) {
  int t = threadIdx.x;
  out[t] = scaled(t) * N + choices[t % 2](t) + factors[1];
}
int main() {
  int *out, sum = 0, host[32];
  cudaMalloc(&out, sizeof host);
  kernel<2><<<1, 32>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&sum, calls, sizeof sum);
  bool good = sum == 48;
  for (int t = 0; t < 32; t++) good &= host[t] == t * (t % 2 ? 5 : 3) * 2 + (t % 2 ? t : t * 3) + 5;
  std::printf("good=%d %s\\n", good, cudaGetErrorName(cudaDeviceSynchronize()));
}
"""


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("sources")
    sources = folder / "main.cu", folder / "other.cu"
    for path, text in zip(sources, (MAIN, OTHER), strict=True):
        path.write_text(text)
    return sources


def test_separate_compilation(bench: Bench, apart: tuple[Path, Path]) -> None:
    ran = bench.run(bench.compiled("apart", "-rdc=true", *apart))
    assert ran.printed.splitlines() == ["good=1 cudaSuccess"]
    assert [each.error for each in ran.launches] == [""]


def test_code_for_another_architecture_is_refused(bench: Bench, apart: tuple[Path, Path]) -> None:
    made = bench.compiled("foreign", "-rdc=true", "-arch=sm_75", "-cudart=shared", *apart,
                          foreign=True)  # fmt: skip
    ran = bench.run(made)
    assert "good=1" not in ran.printed
    assert re.search(r"sm_86|architecture", ran.printed), ran.printed
