"""Kernels whose time nobody looks at have mistakes alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.api.entry import file_report, program_of, suggestions_for
from roofline_analysis.report.report import FileReport
from roofline_analysis.rules.beside_the_point import is_of_a_test, is_outdone
from roofline_analysis.rules.registry import RULES
from roofline_core.settings import Settings

Analyse = Callable[..., FileReport]
BAD = RULES["RL205"].bad


def codes(report: FileReport) -> set[str]:
    return {each.code for each in report.all_findings()}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/p/src/main.cu", False),
        ("/p/tests/main.cu", True),
        ("/p/tests/unit/deep/main.cu", True),
        ("/p/src/test_streaming.cu", True),
        ("/p/src/streaming_test.cu", True),
        ("/p/src/StreamingTests.cu", True),
        ("/p/src/latest.cu", False),
        ("/p/src/contest.cu", False),
        ("/p/tests/performance/main.cu", False),
        ("/p/tests/test_benchmark.cu", False),
    ],
)
def test_tests_are_known_by_their_place_and_name(path: str, found: bool) -> None:
    assert is_of_a_test(Path(path)) is found


def test_of_a_test_there_are_mistakes_alone(analyse: Analyse) -> None:
    assert "RL205" in codes(analyse(BAD, path=Path("/p/src/main.cu")))
    assert "RL205" not in codes(analyse(BAD, path=Path("/p/tests/main.cu")))
    race = RULES["RL308"].bad
    assert "RL308" in codes(analyse(race, path=Path("/p/tests/main.cu")))


@pytest.mark.parametrize(
    ("name", "others", "found"),
    [
        ("matmul", ["matmul_shared"], True),
        ("matmul_mid", ["matmul_fast", "matmul_slow"], True),
        ("gpuSpmvBasic", ["gpuSpmvCsr"], True),
        ("transposeNaive", ["transposeCoalesced"], True),
        ("matmul_shared", ["matmul", "matmul_tiled"], False),
        ("matmul", ["reduce_shared"], False),
        ("matmul_a", ["matmul_b"], False),
        ("kernel", ["kernel_shared"], False),
        ("reduce", [], False),
        ("reduce_naive", [], False),
        ("reduce_naive", ["reduce_block"], True),
        ("reduce_naive_2", ["scan_block_2"], False),
        ("reduce_naive", ["scan_block", "reduce_slow"], False),
        ("mm_kernel", ["mm_kernel_optimized"], True),
        ("sum_atomic_kernel", ["sum_shared_kernel"], True),
        ("transpose_smem", ["transpose_smem_bcf"], True),
        ("transpose_smem_bcf", ["transpose_smem"], False),
        ("gemm_tile", ["gemm_tile_backward"], False),
        ("v0::evolve", ["v1::evolve"], True),
        ("v1::evolve", ["v0::evolve"], False),
        ("v0::evolve", ["v1::survive"], False),
    ],
)
def test_a_name_tells_of_a_faster_way_beside(name: str, others: list[str], found: bool) -> None:
    assert is_outdone(name, others) is found


def test_of_a_step_on_the_way_there_are_mistakes_alone(analyse: Analyse) -> None:
    name = BAD.partition("__global__ void ")[2].partition("(")[0]
    faster = f"__global__ void {name}_shared(float *x) {{ x[threadIdx.x] = 1; }}\n"
    assert "RL205" in codes(analyse(BAD))
    assert "RL205" not in codes(analyse(faster + BAD))


@pytest.mark.parametrize(
    ("name", "found"),
    [("BACKUP.cu", True), ("main_old.cu", True), ("copy.cu", True), ("threshold.cu", False)],
)
def test_files_that_are_kept_aside(name: str, found: bool, analyse: Analyse) -> None:
    report = analyse(RULES["RL308"].bad, path=Path("/p/src", name))
    assert (not report.all_findings()) is found


def test_versions_before_the_last_are_outdone() -> None:
    assert is_outdone("gemm_v01", ["gemm_v00", "gemm_v02"])
    assert is_outdone("device_GEMM_1", ["device_GEMM_2"])
    assert not is_outdone("gemm_v02", ["gemm_v00", "gemm_v01"])
    assert not is_outdone("gemm_v01", ["spmv_v02"])
    assert is_outdone("gemm_v1_kernel", ["gemm_v2_kernel"])
    assert not is_outdone("conv2d", ["conv3d"])


def test_of_files_that_set_up_there_are_mistakes_alone(analyse: Analyse) -> None:
    assert "RL205" not in codes(analyse(BAD, path=Path("/p/src/initialize_fields.cu")))
    assert "RL205" not in codes(analyse(BAD, path=Path("/p/deprecated/src/main.cu")))
    assert "RL205" in codes(analyse(BAD, path=Path("/home/old/project/main.cu")))


def test_what_shows_a_problem_is_no_finding(analyse: Analyse) -> None:
    source = RULES["RL205"].bad
    name = source.partition("__global__ void ")[2].partition("(")[0]
    assert "RL205" not in codes(analyse(source.replace(name, "divergent_" + name)))


def test_literals_are_no_finding_where_the_type_is_guessed(analyse: Analyse) -> None:
    source = """
template <class T> __device__ void halve(T &x) {
    for (int i = 0; i < 64; ++i) x = 0.5 * x + 0.25;
}
template <class S> __global__ void k(S *a) {
    halve(a[blockIdx.x * blockDim.x + threadIdx.x]);
}
"""
    host = "int main() { float *a; cudaMalloc(&a, 4 << 22); k<<<1 << 14, 256>>>(a); }\n"
    assert "RL201" in codes(analyse(source + host))
    open_host = """
template <class U> struct Solver {
    U *a;
    void run() { k<<<1 << 14, 256>>>(a); }
};
"""
    assert "RL201" not in codes(analyse(source + open_host))


@pytest.mark.parametrize(
    ("file", "kernel", "beside", "found"),
    [
        ("07_reduce0.cu", "reduce0", "07_reduce1.cu", False),
        ("reduce1.2.cu", "reduce_1", "reduce2.cu", False),
        ("gemm_v09.cu", "gemm_v09_kernel", "gemm_v10.cu", False),
        ("reduce0.cu", "reduce0", "reduce2.cu", True),
        ("ex1.cu", "reduce", "ex2.cu", True),
        ("reduce1.cu", "reduce12", "reduce2.cu", True),
    ],
)
def test_steps_in_files_of_their_own(file: str, kernel: str, beside: str, found: bool) -> None:
    name = BAD.partition("__global__ void ")[2].partition("(")[0]
    text = BAD.replace(name, kernel).encode()
    path = Path("/p/src", file)
    files = {path: text, path.with_name(beside): b"int x;\n"}
    report = analyze(text, path, Settings(), reader=files.get)
    assert ("RL205" in codes(report)) is found


def test_a_launch_of_one_warp_wants_more_threads_and_nothing_else(analyse: Analyse) -> None:
    source = """
__global__ void total(const float *a, int n, float *sum) {
    for (int i = 0; i < n; ++i) *sum += pow(a[i], 2);
}
int main() {
    float *a, *sum;
    cudaMalloc(&a, 4 << 20);
    cudaMalloc(&sum, 4);
    total<<<GRID, BLOCK>>>(a, 1 << 20, sum);
}
"""
    one = analyse(source.replace("GRID", "1").replace("BLOCK", "1"))
    assert all(code.startswith("RL3") for code in codes(one))
    many = analyse(source.replace("GRID", "4").replace("BLOCK", "256"))
    assert "RL203" in codes(many)


def test_who_asks_is_told_of_naive_kernels_too() -> None:
    name = BAD.partition("__global__ void ")[2].partition("(")[0]
    text = BAD.replace(name, "divergent_shuffle").encode()
    path = Path("/p/src/main.cu")
    analysis = program_of(text, path, Settings(), reader=lambda _: None)
    assert analysis is not None
    (kernel,) = file_report(analysis, path).kernels
    assert kernel.findings == ()
    asked = suggestions_for(analysis, kernel)
    assert asked is not None
    assert {each.code for each in asked} == {"RL205"}


def test_versions_of_files_before_the_last_are_outdone(tmp_path: Path) -> None:
    for name in ("attention_v0.cu", "attention_v1.cu", "chapter1.cu", "chapter2.cu"):
        (tmp_path / name).write_text(BAD)
    found = {
        path.name: "RL205" in codes(analyze(path.read_bytes(), path, Settings(gpu="A100")))
        for path in sorted(tmp_path.iterdir())
    }
    assert found == {
        "attention_v0.cu": False,
        "attention_v1.cu": True,
        "chapter1.cu": True,
        "chapter2.cu": True,
    }
