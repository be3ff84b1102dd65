"""Kernels whose time nobody looks at have mistakes alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_analysis.report.report import FileReport
from roofline_analysis.rules.beside_the_point import is_of_a_test, is_outdone
from roofline_analysis.rules.registry import RULES

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


def test_what_shows_a_problem_is_no_finding(analyse: Analyse) -> None:
    source = RULES["RL205"].bad
    name = source.partition("__global__ void ")[2].partition("(")[0]
    assert "RL205" not in codes(analyse(source.replace(name, "divergent_" + name)))
