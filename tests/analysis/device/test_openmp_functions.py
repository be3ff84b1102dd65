"""OpenMP's own functions in device code: what they are worth and what they cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.api import ProgramAnalysis
from roofline_analysis.counting.execution import execute
from roofline_analysis.device.functions.openmp import (
    QUERY_INT,
    REDUCTION_STEP_INT,
    SHARED_LOOP_INT,
    SHARED_LOOP_START_INT,
)
from roofline_analysis.device.summary import summarise
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.regions.kernel_summary import KernelSummary, Work
from roofline_analysis.verdict.ledger import work_totals
from roofline_core.program.precision import Precision
from roofline_core.program.units import Dialect
from roofline_core.settings import Settings
from roofline_parsers.reading.load import load_program


def walked(body: str, dialect: Dialect, warp: int = 32) -> KernelSummary:
    path = Path("/src/kernel.cu")
    source = f"__global__ void k(float *a, double *d, int n) {{ {body} }}".encode()
    program = load_program([path], lambda wanted: source if wanted == path else None)
    (unit,) = program.units
    (kernel,) = unit.functions
    return summarise(replace(kernel, dialect=dialect), TypeSystem(Symbols(program)), warp_size=warp)


def work(
    body: str,
    kind: Work,
    teams: int,
    threads: int,
    dialect: Dialect = Dialect.OPENMP,
    warp: int = 32,
) -> float:
    summary = replace(walked(body, dialect, warp), moves_share=0.0)
    assert summary.problems == ()
    return work_totals(summary, execute(summary.root, (teams, 1, 1), (threads, 1, 1), {}))[kind]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("omp_get_thread_num()", 64 * 63 / 2 * 10),
        ("omp_get_team_num()", 10 * 9 / 2 * 64),
        ("omp_get_num_threads()", 64 * 640),
        ("omp_get_num_teams()", 10 * 640),
        ("omp_is_initial_device()", 0),
        ("omp_in_parallel()", 640),
    ],
)
def test_queries_are_indices_and_dimensions(call: str, expected: float) -> None:
    body = f"float s = 0; for (int i = 0; i < {call}; i++) s += a[i]; a[0] = s;"
    assert work(body, Work.SP, 10, 64) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("threads", "steps"),
    [(16, 0), (32, 0), (33, 1), (64, 1), (96, 2), (128, 2), (256, 3), (1024, 5)],
)
def test_a_reduction_halves_each_warp_then_the_number_of_warps(threads: int, steps: int) -> None:
    body = "__kmpc_reduce(a, a[threadIdx.x]);"
    assert work(body, Work.SP, 2, threads) == 2 * (5 * threads + steps * 32)
    assert work(body, Work.DP, 2, threads) == 0


def test_a_reduction_over_warps_of_64_halves_them_six_times() -> None:
    body = "__kmpc_reduce(a, a[threadIdx.x]);"
    assert work(body, Work.SP, 2, 256, warp=64) == 2 * (6 * 256 + 2 * 64)
    assert walked(body, Dialect.OPENMP).asks_warp_size


def test_doubles_pass_two_words_between_lanes() -> None:
    single = work("__kmpc_reduce_block(a[0]);", Work.INT, 1, 32)
    double = work("__kmpc_reduce_block(d[0]);", Work.INT, 1, 32)
    assert single == pytest.approx(5 * 32 * REDUCTION_STEP_INT, rel=0.1)
    assert double == pytest.approx(2 * single, rel=0.1)
    assert work("__kmpc_reduce_block(d[0]);", Work.DP, 1, 64) == 5 * 64 + 32


@pytest.mark.parametrize(
    ("stride", "shared"),
    [("blockDim.x * gridDim.x", True), ("gridDim.x", False), ("blockDim.x", False)],
)
def test_a_loop_shared_out_over_the_grid_costs_the_runtime_its_part(
    stride: str, *, shared: bool
) -> None:
    body = f"for (int i = threadIdx.x; i < 640; i += {stride}) a[0] = 0;"
    cuda = work(body, Work.INT, 2, 64, Dialect.CUDA)
    openmp = work(body, Work.INT, 2, 64)
    runs = 5 * 128
    assert openmp - cuda == shared * (SHARED_LOOP_INT * runs + SHARED_LOOP_START_INT * 128)


@pytest.mark.parametrize(
    ("call", "cost"),
    [
        ("omp_get_thread_num()", QUERY_INT),
        ("omp_get_num_threads()", QUERY_INT),
        ("omp_get_team_num()", 0),
        ("omp_get_num_teams()", 0),
    ],
)
def test_the_runtime_looks_where_a_thread_is(call: str, cost: float) -> None:
    assert work(f"int i = {call};", Work.INT, 1, 32) == 32 * cost


REDUCTION = """
void f(double *d) {
  double s = 0;
  #pragma omp target teams distribute parallel for num_teams(TEAMS) thread_limit(256) reduction(+:s)
  for (int i = 0; i < 65536; i++) s += d[i];
  REST
}
int main() { static double d[65536]; f(d); }
"""
NESTED = """
  #pragma omp target teams num_teams(4)
  {
    #pragma omp parallel
    d[0] = 1;
  }
"""


@pytest.mark.parametrize(
    ("teams", "rest", "expected"),
    [
        # Emulated counts of machine code of Clang 19: 7.38, 29.5 and 6.38.
        (256, "", 1 + 5 + 3 / 8 + 1),
        (64, "", 4 * (1 + 5 + 3 / 8 + 1)),
        (256, NESTED, 1 + 5 + 3 / 8),
        # Teams without iterations reduce nothing.
        (1024, "", (1 + 5 + 3 / 8 + 1) / 4),
    ],
)
def test_a_team_reduces_once_for_each_of_its_shares_of_iterations(
    tmp_path: Path, teams: int, rest: str, expected: float
) -> None:
    path = tmp_path / "r.cpp"
    path.write_text(REDUCTION.replace("TEAMS", str(teams)).replace("REST", rest))
    program = ProgramAnalysis.load([path], Settings(), argv=())
    prediction = program.predict(program.kernels()[0].base_name)
    assert prediction is not None
    assert (prediction.operations(Precision.DP) or 0.0) / (teams * 256) == pytest.approx(expected)
