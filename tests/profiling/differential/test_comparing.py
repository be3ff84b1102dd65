"""Emulated counts held against predictions, and what is said of the differences."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_core.settings import Settings
from roofline_profiling.differential.compare import differential
from roofline_profiling.differential.compared import Compared
from roofline_profiling.differential.discovery import programs_of
from roofline_profiling.differential.outcomes import (
    Attempt,
    ProgramOutcome,
    emulator_hash,
    key_of,
    read_outcome,
    write_outcome,
)
from roofline_profiling.differential.plan import DifferentialPlan
from roofline_profiling.differential.table import COLUMNS, Result, as_csv, as_text
from roofline_profiling.errors import ProfilerError
from roofline_profiling.measurement import Measurement
from roofline_study.breakdown import Status

SOURCE = """\
#include <cstdlib>
__global__ void scale(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 3.0f * x[i];
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    scale<<<(n + 255) / 256, 256>>>(n, x);
}
"""
THREADS = 1 << 22


def launch(predicted: Mapping[str, float | None], **changes: object) -> Compared:
    counts = {"sp_flops": 100.0, "dp_flops": 0.0, "int_ops": 1000.0, "dram_bytes": 300.0}
    made = Compared(
        program="p",
        kernel="void k<4>(int)",
        args="10",
        grid=(4, 1, 1),
        block=(32, 1, 1),
        how="as given",
        sampled=False,
        code_lines=10,
        emulated=counts,
        predicted={**counts, **predicted},
        emulated_class="BB",
        predicted_class="BB",
        status=Status.RESOLVED.value,
        cause="INT a little too many",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value", "agrees"),
    [
        ("int_ops", 1020.0, True),
        ("int_ops", 1021.0, False),
        ("int_ops", 980.0, True),
        ("int_ops", 979.0, False),
        ("int_ops", None, False),
        ("dp_flops", 0.0, True),
        ("dp_flops", 1.0, False),
        ("sp_flops", 0.0, False),
        ("dram_bytes", 450.0, True),
        ("dram_bytes", 451.0, False),
        ("dram_bytes", 200.0, True),
        ("dram_bytes", 199.0, False),
    ],
)
def test_what_agrees(name: str, value: float | None, agrees: bool) -> None:
    found = launch({name: value})
    assert found.agrees(name) is agrees
    assert found.operations_agree is (agrees or name == "dram_bytes")
    assert found.agrees_fully is agrees


def test_a_table_has_every_launch_once() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv([launch({"int_ops": 1500.0})]))))
    assert tuple(rows[0]) == COLUMNS
    row = rows[0]
    assert (row["int_ops_emulated"], row["int_ops_predicted"]) == ("1000", "1500")
    assert (row["int_ops_agrees"], row["sp_flops_agrees"]) == ("False", "True")


def test_disagreements_of_the_smallest_programs_stand_first() -> None:
    large = launch({"int_ops": 1500.0}, program="large", code_lines=900)
    small = launch({"int_ops": 1500.0}, program="small", code_lines=12)
    right = launch({}, program="right", code_lines=1)
    guessed = launch({"int_ops": 1.0}, status=Status.TRIPS.value, cause="trips: data", program="t")
    text = as_text(Result((), (guessed, large, small, right)), most=3)
    assert "right (" not in text
    places = [text.index(f"{name} (") for name in ("small", "large", "t")]
    assert places == sorted(places)
    assert "nothing assumed: 2 disagreements" in text
    assert "INT 1.5x" in text


def test_the_summary_counts_what_failed() -> None:
    outcomes = (
        ProgramOutcome("a", "", "", "build: nvcc: no such file"),
        ProgramOutcome("b", "", "", "run: the program ended with 1"),
        ProgramOutcome("c", "", "", "left out: a window"),
        ProgramOutcome("d", "", "", attempts=(attempt(),)),
    )
    first = as_text(Result(outcomes, ()), most=1).splitlines()[0]
    assert first == (
        "4 programs: 1 ran (1 with less work), 1 could not be built, 1 had no launch,"
        " 1 were left out"
    )


def attempt() -> Attempt:
    counted = Measurement(
        kernel="scale(int, float *)",
        gpu="GeForce RTX 3080 10GB",
        args=(str(THREADS),),
        grid=(THREADS // 256, 1, 1),
        block=(256, 1, 1),
        sp_flops=float(THREADS),
        dp_flops=0.0,
        int_ops=3.0 * THREADS,
        dram_read_bytes=4.0 * THREADS,
        dram_write_bytes=3.0 * THREADS,
        emulated=True,
    )
    return Attempt("numbers divided by 8", (str(THREADS),), False, (counted,), ("slow",), True, 1.5)


def test_outcomes_are_kept(tmp_path: Path) -> None:
    made = ProgramOutcome("src/p", "key", "emulator", attempts=(attempt(),), code_lines=11)
    write_outcome(made, tmp_path)
    assert read_outcome("src/p", tmp_path) == made
    (tmp_path / "src%p.json").write_text("{")
    assert read_outcome("src/p", tmp_path) is None


def plan_of(tmp_path: Path) -> DifferentialPlan:
    tree = tmp_path / "tree"
    (tree / "one").mkdir(parents=True)
    (tree / "one" / "main.cu").write_text(SOURCE)
    settings = Settings(gpu="RTX 3080", clock="base", rule="study")
    return DifferentialPlan((tree,), tmp_path / "results", settings, runs=False)


def test_kept_launches_are_compared_with_predictions(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    (program,) = programs_of(plan.trees, ())
    outcome = ProgramOutcome("one", key_of(program, plan), emulator_hash(), attempts=(attempt(),))
    write_outcome(outcome, plan.kept)
    (found,) = differential(plan, lambda _: None).launches
    assert found.status == "nothing assumed"
    assert found.predicted["sp_flops"] == pytest.approx(THREADS)
    assert found.agrees("sp_flops")
    assert found.agrees("dram_bytes")
    assert found.class_agrees
    # The second time it comes from the file that the first left.
    assert differential(plan, lambda _: None).launches == (found,)


def test_the_class_of_a_launch_whose_kernel_is_not_found_is_missing(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    (program,) = programs_of(plan.trees, ())
    held = attempt()
    other = replace(held, launches=(replace(held.launches[0], kernel="other(int)"),))
    write_outcome(ProgramOutcome("one", key_of(program, plan), "", attempts=(other,)), plan.kept)
    (found,) = differential(plan, lambda _: None).launches
    assert (found.status, found.predicted_class) == (Status.MISSING.value, "")
    assert found.cause.startswith("… is not among")


def test_programs_that_other_data_has_are_left_out(tmp_path: Path) -> None:
    plan = replace(plan_of(tmp_path), without=frozenset(("one",)))
    with pytest.raises(ProfilerError, match="no program with kernels"):
        differential(plan, lambda _: None)


def test_a_changed_program_has_another_key(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    (program,) = programs_of(plan.trees, ())
    before = key_of(program, plan)
    assert key_of(program, plan) == before
    assert key_of(replace(program, args=("7",)), plan) != before
    (program.folder / "main.cu").write_text(SOURCE + "\n")
    assert key_of(program, plan) != before
