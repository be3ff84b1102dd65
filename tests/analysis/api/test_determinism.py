"""A prediction does not depend on what the process analysed before."""

from __future__ import annotations

import gc
import itertools
import subprocess
import sys
from pathlib import Path

import pytest

from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.verdict.prediction import Prediction
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Symbol, forget_unused_atoms, make_symbol
from roofline_core.settings import Settings

ROOT = Path(__file__).parents[3]

# Both loops move by one number: which comes first, their addresses do not tell. How often the
# inner one runs depends on the outer one, so that they are not alike.
SOURCE = """\
__global__ void window(const float *x, const int *ends, float *y, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < m; j++) {
    float sum = 0.0f;
    for (int k = 0; k < j; k++) {
      if (ends[k] > 0) sum += x[i * 80 + j + k];
    }
    y[i * 80 + j] = sum;
  }
}
int main() {
  int n = 1 << 16, *ends;
  float *x, *y;
  cudaMalloc(&x, n * 80 * sizeof(float));
  cudaMalloc(&y, n * 80 * sizeof(float));
  cudaMalloc(&ends, 37 * sizeof(int));
  window<<<n / 64, 64>>>(x, ends, y, 40);
}
"""


def predicted(folder: Path) -> tuple[Prediction, list[tuple[str, SymbolScope, bool]]]:
    """The prediction, and what the loops' counters are made from, in their order."""
    analysis = ProgramAnalysis.load([folder / "main.cu"], Settings(gpu="RTX 3080"))
    (kernel,) = analysis.functions
    (launch,) = analysis.launches_of(kernel)
    counters = [r.counter for r in analysis.launched(kernel, launch).root.walk() if r.counter]
    keys = [(each.name, each.scope, each.nonnegative) for each in counters]
    return analysis.judge_launch(kernel, launch).prediction, keys


def check(folder: Path, *, backwards: bool) -> None:
    """Hold two predictions against each other, in a process where nothing was analysed before."""
    expected, keys = predicted(folder)
    assert len(set(keys)) == 2
    gc.collect()
    forget_unused_atoms()
    order = keys[::-1] if backwards else keys
    kept: list[Symbol] = [make_symbol(name, scope, nonnegative=sign) for name, scope, sign in order]
    assert all(a.serial < b.serial for a, b in itertools.pairwise(kept)), "they are new"
    again, _ = predicted(folder)
    assert again == expected


@pytest.mark.parametrize("backwards", [False, True])
def test_symbols_made_before_in_another_order_change_nothing(
    tmp_path: Path, backwards: bool
) -> None:
    """What other tests of this process left would be older than the symbols made here."""
    (tmp_path / "main.cu").write_text(SOURCE)
    code = (
        "from pathlib import Path; from tests.analysis.api.test_determinism import check;"
        f" check(Path({str(tmp_path)!r}), backwards={backwards})"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
