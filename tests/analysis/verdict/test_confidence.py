from __future__ import annotations

import math
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.verdict.confidence import (
    FEATURES,
    LEAST,
    MOST,
    MOST_BY_GUESS,
    TABLE,
    confidence,
    features,
    probability,
)
from roofline_analysis.verdict.prediction import ConfidenceFeatures, Prediction, Verdict
from roofline_core.settings import Settings
from roofline_lsp import analyze

shares = st.floats(0, 1)
counts = st.integers(0, 100)
grounds = st.builds(
    ConfidenceFeatures, st.floats(-20, 20), shares, shares, counts, shares, counts, st.floats(0, 30)
)


def test_features_of_a_verdict() -> None:
    found = features(ConfidenceFeatures(math.log(4), 0.25, 0.5, 3))
    assert found == pytest.approx((1, 0.75, 63 / 64, 1, 0.25, 0.5, 2, 0, 0, 0, 0, 0))
    assert features(ConfidenceFeatures(-math.log(4), 0, 0, 0, 0.25, 3, 1.5)) == pytest.approx(
        (1, 0.75, 63 / 64, 0, 0, 0, 0, 0.25, 1.5, 1, 0, 0)
    )
    guessed = ConfidenceFeatures(1, 0, 0, 0, 0, 1)
    assert features(guessed)[-3:] == (1, 1, 0)
    assert features(replace(guessed, for_other_sizes=True))[-3:] == (1, 1, 1)
    assert features(ConfidenceFeatures(-1, 0, 0, 15)) == features(ConfidenceFeatures(-1, 0, 0, 200))


def test_odds_become_a_probability_within_bounds() -> None:
    assert probability((1.0, 2.0), (0.0, math.log(3) / 2)) == pytest.approx(0.75)
    assert probability((1.0,), (-5.0,)) == LEAST
    assert probability((1.0,), (50.0,)) == MOST


@given(grounds)
def test_every_verdict_has_a_confidence(held: ConfidenceFeatures) -> None:
    assert LEAST <= confidence(held) <= MOST


@given(grounds)
def test_assuming_more_never_makes_a_verdict_surer(held: ConfidenceFeatures) -> None:
    more = ConfidenceFeatures(
        held.margin, 1.0, 1.0, held.unknowns + 5, 1.0, held.guessed_sizes + 1, held.reuse + 1
    )
    assert confidence(more) <= confidence(held)


@given(grounds, st.floats(1, 10))
def test_far_from_the_ridge_a_verdict_is_surer(held: ConfidenceFeatures, times: float) -> None:
    far = replace(held, margin=held.margin * times)
    assert confidence(far) >= confidence(held) - 1e-12


def test_the_shipped_table_has_a_coefficient_for_each_feature() -> None:
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))["coefficients"]
    assert tuple(table) == FEATURES


def test_a_compute_bound_kernel_that_moves_next_to_nothing_at_guessed_sizes_is_not_sure() -> None:
    sure = ConfidenceFeatures(6.0, 0, 0, 0, guessed_sizes=2)
    lost = replace(sure, moves_little=True)
    assert confidence(sure) > confidence(lost) == MOST_BY_GUESS
    for known in (replace(lost, guessed_sizes=0), replace(lost, margin=-6.0)):
        assert confidence(known) == confidence(replace(known, moves_little=False))


HELPER = """
#include <cstdlib>
__global__ void add(long n, double *y, const double *x) {
    for (long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = y[i] + x[i];
}
void pair(double *y, const double *x) { add<<<1, 1024>>>(2, y, x); }
int main() {
    double *x, *y; cudaMalloc(&x, 16); cudaMalloc(&y, 16);
    %s pair(y, x);
}
"""


@pytest.mark.parametrize(("condition", "sure"), [("", True), ("if (rand() == 7)", False)])
def test_a_step_of_next_to_nothing_that_is_perhaps_not_reached(condition: str, sure: bool) -> None:
    path = Path("/src/main.cu")
    text = (HELPER % condition).encode()
    report = analyze(text, path, Settings(gpu="A100"), reader=lambda _: None, findings=False)
    (kernel,) = report.kernels
    assert kernel.prediction.verdict is Verdict.COMPUTE_BOUND
    assert (kernel.prediction.confidence > 0.8) is sure
    assert (kernel.prediction.confidence == LEAST) is not sure


LIBRARY = """
__global__ void powers(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int t = 0; t < LIMIT; t++) sum = sum * x[i] + 1.0f;
    y[i] = sum;
}
void launch(const float *x, float *y, int n) {
    powers<<<(n + 255) / 256, 256>>>(x, y, n);
}
"""


def judged(source: str) -> Prediction:
    settings = Settings(gpu="RTX 3080")
    text = source.encode()
    report = analyze(text, Path("/none/k.cu"), settings, reader=lambda _: None, findings=False)
    return report.kernels[0].prediction


def test_a_class_at_guessed_sizes_is_surer_where_other_sizes_have_it() -> None:
    """A fixed number of terms is compute-bound for any n, one that grows with n from some n on."""
    fixed, open_ = (judged(LIBRARY.replace("LIMIT", each)) for each in ("1024", "n / 1024"))
    for made in (fixed, open_):
        assert made.verdict is Verdict.COMPUTE_BOUND
        assert made.grounds is not None
        assert made.grounds.guessed_sizes > 0
        assert made.confidence == confidence(made.grounds)
    assert fixed.grounds is not None
    assert open_.grounds is not None
    assert fixed.grounds.for_other_sizes
    assert not open_.grounds.for_other_sizes
    assert confidence(fixed.grounds) > confidence(replace(fixed.grounds, for_other_sizes=False))


def test_sizes_that_the_program_gives_are_not_varied_for_it() -> None:
    main = "int main() { float *x, *y; cudaMalloc(&x, 4 << 20); cudaMalloc(&y, 4 << 20); CALL }"
    call = "launch(x, y, 1 << 20);"
    made = judged(LIBRARY.replace("LIMIT", "n / 1024") + main.replace("CALL", call))
    assert made.verdict is Verdict.COMPUTE_BOUND
    assert made.grounds is not None
    assert (made.grounds.guessed_sizes, made.grounds.for_other_sizes) == (0, False)
