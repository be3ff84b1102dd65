"""Variables in shared memory are apart from one another."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import ProgramAnalysis
from roofline_analysis.verdict.prediction import Prediction
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings

THREADS = 1024


def predicted(tmp_path: Path, body: str) -> Prediction:
    path = tmp_path / "k.cu"
    path.write_text(
        f"__global__ void k(float *out, int n) {{ int t = threadIdx.x; float s = 0; {body}"
        " out[blockIdx.x * 256 + t] = s; }"
        "int main() { float *d; cudaMalloc(&d, 4096); k<<<4, 256>>>(d, 100); }"
    )
    found = ProgramAnalysis.load([path], Settings(), argv=()).predict("k")
    assert found is not None
    return found


def operations(prediction: Prediction) -> float:
    return (prediction.operations(Precision.SP) or 0.0) / THREADS


@pytest.mark.parametrize(
    "bounds",
    [
        "a = 2 * blockIdx.x; b = a + n;",
        "b = 2 * blockIdx.x + n; a = b - n; c[t] = 3;",
        "a = blockIdx.x; c[t] = a; b = a + n;",
    ],
)
def test_a_store_to_one_leaves_the_others(tmp_path: Path, bounds: str) -> None:
    body = f"__shared__ int a, b; __shared__ float c[256]; {bounds}"
    made = predicted(tmp_path, f"{body} for (int i = a; i < b; i++) s += 1.5f;")
    assert made.unknowns == ()
    assert operations(made) == pytest.approx(100, abs=1)


def test_a_variable_that_a_loop_changes_is_not_what_it_was_before(tmp_path: Path) -> None:
    body = "__shared__ int a; a = 0; while (a < n) { s += 1.5f; __syncthreads(); a = a + t; }"
    made = predicted(tmp_path, body)
    assert any("loop" in unknown.name for unknown in made.unknowns)


def test_a_volatile_variable_is_read_each_time(tmp_path: Path) -> None:
    made = predicted(tmp_path, "volatile __shared__ int a; a = 1; if (a == 1) s = s + n * 1.5f;")
    assert any(unknown.name.startswith("branch") for unknown in made.unknowns)
    plain = predicted(tmp_path, "__shared__ int a; a = 1; if (a == 1) s = s + n * 1.5f;")
    assert not any(unknown.name.startswith("branch") for unknown in plain.unknowns)


def test_arrays_that_a_launch_sizes_are_one_memory(tmp_path: Path) -> None:
    body = "extern __shared__ int a[]; extern __shared__ int b[]; a[t] = 1; b[t] = t + n;"
    made = predicted(tmp_path, f"{body} if (a[t] == 1) s = s + n * 1.5f;")
    assert any(unknown.name.startswith("branch") for unknown in made.unknowns)
