"""Launches of few blocks, or of one too many, are findings where something is left to share out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_analysis.report.report import FileReport
from roofline_analysis.rules.registry import RULES

Analyse = Callable[..., FileReport]


def codes(report: FileReport) -> set[str]:
    return {finding.code for finding in report.all_findings()}


ROWS = """
__global__ void polynomial(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = x[i];
    for (int k = 0; k < 16384; k++) value = value * value + 0.5f;
    x[i] = value;
}
int main() {
    int n = 80 * %d;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    polynomial<<<80, %d>>>(n, x);
}
"""


@pytest.mark.parametrize(("threads", "found"), [(1024, True), (64, False), (32, False)])
def test_a_last_round_of_warps_with_schedulers_of_their_own(
    threads: int, found: bool, analyse: Analyse
) -> None:
    report = analyse(ROWS % (threads, threads), gpu="RTX 3080")  # 68 multiprocessors
    assert ("RL303" in codes(report)) is found


TABLE = """
__global__ void table(int n, unsigned long long *out) {
    %s {
        unsigned long long value = i;
        for (int k = 0; k < 100000; k++) value = value * 6364136223846793005ull + k;
        out[i] = value;
    }
}
int main() {
    unsigned long long *out;
    cudaMalloc(&out, 4096 * sizeof(*out));
    table<<<%d, 256>>>(%d, out);
}
"""
BY_LOOPS = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"
ONE_EACH = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n)"


@pytest.mark.parametrize(
    ("threads", "blocks", "values", "found"),
    [
        (BY_LOOPS, 4, 4096, True),
        (BY_LOOPS, 1, 8, False),
        (BY_LOOPS, 16, 4096, False),  # one run of the loop each
        # There are no more threads to share out, and each takes its time.
        (ONE_EACH, 16, 4096, False),
    ],
)
def test_what_is_left_to_share_out(
    threads: str, blocks: int, values: int, found: bool, analyse: Analyse
) -> None:
    assert ("RL302" in codes(analyse(TABLE % (threads, blocks, values)))) is found


COPIES = """
__global__ void copy(int n, const float *x, float *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = x[i];
}
int main() {
    int n = 1 << 22;
    float *x, *y;
    cudaStream_t streams[8], stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    for (int k = 0; k < 8; k++) copy<<<8, 256, 0, %s>>>(n, x, y);
}
"""


@pytest.mark.parametrize(("stream", "found"), [("stream", True), ("streams[k]", False)])
def test_launches_beside_others(stream: str, found: bool, analyse: Analyse) -> None:
    assert ("RL302" in codes(analyse(COPIES % stream))) is found


SIZES = """
__global__ void copy(int n, const float *x, float *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = x[i];
}
void run(int n, const float *x, float *y) {
    copy<<<n / (1 << 19), 256>>>(n, x, y);
}
int main(int argc, char **argv) {
    float *x, *y;
    cudaMalloc(&x, 1 << 30);
    cudaMalloc(&y, 1 << 30);
    run(1 << 22, x, y);
    %s
}
"""


@pytest.mark.parametrize(
    ("other", "found"), [("", True), ("run(1 << 28, x, y);", False), ("run(1 << 23, x, y);", True)]
)
def test_launches_of_other_sizes(other: str, found: bool, analyse: Analyse) -> None:
    assert ("RL302" in codes(analyse(SIZES % other))) is found


SWEPT = """
__global__ void polynomial(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = x[i];
    for (int k = 0; k < 16384; k++) value = value * value + 0.5f;
    x[i] = value;
}
int main() {
    int n = 1024 * 1024;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    polynomial<<<80, 1024>>>(n, x);
    %s
}
"""


@pytest.mark.parametrize(
    ("other", "found"),
    [
        ("", True),
        ("polynomial<<<200, 1024>>>(n, x);", True),  # 200 and 80 on 68 multiprocessors
        ("polynomial<<<68, 1024>>>(n, x);", False),
        ("polynomial<<<8, 1024>>>(n, x);", False),
    ],
)
def test_a_last_round_of_one_size_of_several(other: str, found: bool, analyse: Analyse) -> None:
    assert ("RL303" in codes(analyse(SWEPT % other, gpu="RTX 3080"))) is found


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("warmup", False),
        ("warm_up_gpu", False),
        ("initStates", False),
        ("setup_kernel", False),
        ("check_correctness", False),
        ("verify", False),
        ("reduce", True),
        ("initial", True),
    ],
)
def test_a_kernel_that_runs_before_the_work(name: str, found: bool, analyse: Analyse) -> None:
    text = COPIES.replace("copy", name) % "stream"
    assert ("RL302" in codes(analyse(text))) is found


CHASE = """
__global__ void chase(int n, const int *next, int *out) {
    int at = threadIdx.x;
    for (int k = 0; k < n; k++) at = next[at]%s;
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
int main() {
    int *next, *out;
    cudaMalloc(&next, 4 << 20);
    cudaMalloc(&out, 1024);
    chase<<<1, 256>>>(100000, next, out);
}
"""


@pytest.mark.parametrize(("more", "found"), [("", False), (" + next[64 * k + threadIdx.x]", True)])
def test_a_loop_from_one_address_to_the_next(more: str, found: bool, analyse: Analyse) -> None:
    assert ("RL302" in codes(analyse(CHASE % more))) is found


@pytest.mark.parametrize(("condition", "found"), [("n > 100", True), ("rand() % 3", False)])
def test_a_launch_that_is_perhaps_not_reached(
    condition: str, found: bool, analyse: Analyse
) -> None:
    text = (SIZES % "").replace("    copy<<<", f"    if ({condition}) copy<<<")
    assert ("RL302" in codes(analyse(text))) is found


def test_launches_of_tests_are_small_on_purpose(analyse: Analyse) -> None:
    text = SIZES % ""
    assert "RL302" in codes(analyse(text, path=Path("/nowhere/src/main.cu")))
    assert "RL302" not in codes(analyse(text, path=Path("/nowhere/tests/main.cu")))


WAYPOINTS = """
__global__ void average(int points, int samples, const float *x, const float *weight, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) return;
    float sum = 0.0f;
    for (int k = 0; k < samples; k++) sum += weight[k] * x[k * points + i];
    y[i] = sum;
}
int main() {
    float *x, *weight, *y;
    int points = 48, samples = %d;
    cudaMalloc(&x, points * samples * 4);
    cudaMalloc(&weight, samples * 4);
    cudaMalloc(&y, points * 4);
    average<<<1, 64>>>(points, samples, x, weight, y);
}
"""


@pytest.mark.parametrize(("samples", "found"), [(10_000, True), (200, False)])
def test_few_threads_with_a_long_sum_each(samples: int, found: bool, analyse: Analyse) -> None:
    assert ("RL302" in codes(analyse(WAYPOINTS % samples))) is found


def test_a_long_sum_could_have_a_block_for_each_item(analyse: Analyse) -> None:
    (told,) = [f for f in analyse(WAYPOINTS % 10_000).all_findings() if f.code == "RL302"]
    assert told.effect is not None
    assert told.effect.time_ns > 4 * told.effect.new_time_ns


LAST = "walk<<<n / 32, 32>>>(n, next, last);"


@pytest.mark.parametrize(
    ("other", "found"),
    [
        ("", True),
        ("walk<<<n / 256, 256>>>(n, next, last);", False),
        ("walk<<<16, 256>>>(4096, next, last);", True),  # of other data
    ],
)
def test_small_blocks_that_the_program_compares(other: str, found: bool, analyse: Analyse) -> None:
    text = RULES["RL305"].bad.replace(LAST, f"{LAST}\n    {other}")
    assert ("RL305" in codes(analyse(text))) is found


def test_a_long_recurrence_of_few_threads_is_no_sum(analyse: Analyse) -> None:
    step = "sum = 3.7f * sum * (1.0f - sum) + x[k * points + i];"
    text = (WAYPOINTS % 10_000).replace("sum += weight[k] * x[k * points + i];", step)
    assert step in text
    assert "RL302" not in codes(analyse(text))
