"""Waits between the launches of a loop, and launches that longer ones hide."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]

STEPS = """
#include <cstdio>
__global__ void half(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.5f * x[i];
}
int main() {
    int n = 1 << 18, done = 0, *flag;
    float *x;
    cudaStream_t one;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&flag, sizeof(int));
    for (int step = 0; step < 1000 && !done; step++) {
        BODY
    }
}
"""
COPY = "cudaMemcpy(&done, flag, 4, cudaMemcpyDeviceToHost);"
RUN = "half<<<1024, 256>>>(n, x);"
WAIT = "cudaDeviceSynchronize();"


def codes(report: FileReport) -> list[str]:
    return [finding.code for finding in report.all_findings()]


@pytest.mark.parametrize(
    "body",
    [
        f"{RUN} {WAIT} {RUN} {COPY}",
        f"{RUN} {WAIT} {COPY}",
        f"{RUN} check(cudaDeviceSynchronize()); {RUN} {COPY}",
        f"{RUN} cudaGetLastError(); {WAIT} {RUN} {COPY}",
    ],
)
def test_what_follows_waits_by_itself(body: str, analyse: Analyse) -> None:
    assert codes(analyse(STEPS.replace("BODY", body))).count("RL404") == 1


@pytest.mark.parametrize(
    "body",
    [
        f'{RUN} {WAIT} printf("%d", step); {COPY}',
        f"{RUN} {WAIT} auto t = clock(); {RUN} {COPY}",
        f"half<<<1024, 256, 0, one>>>(n, x); {WAIT} {RUN} {COPY}",
        f"{COPY} {WAIT} {RUN}",
        f"{RUN} {WAIT} half<<<(int)x[0], 256>>>(n, x); {COPY}",  # of managed memory
        f"{RUN} {WAIT} half<<<1024, 256>>>(*flag, x); {COPY}",
        f"{RUN} {WAIT} half<<<blocks(), 256>>>(n, x); {COPY}",
        f"if (step % 2) {{ {RUN} {WAIT} {RUN} }} {COPY}",
    ],
)
def test_waits_for_what_the_host_does_next(body: str, analyse: Analyse) -> None:
    assert "RL404" not in codes(analyse(STEPS.replace("BODY", body)))


def test_a_loop_is_told_once(analyse: Analyse) -> None:
    body = f"{RUN} {WAIT} {RUN} {WAIT} {RUN} {WAIT} {COPY}"
    assert codes(analyse(STEPS.replace("BODY", body))).count("RL404") == 1


COLOURS = """
__global__ void relax(int n, int color, float *x) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + color;
    if (i > 0 && i < n - 1) x[i] = 0.5f * (x[i - 1] + x[i + 1]);
}
__global__ void sums(int n, int step, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = step;
    for (int k = 0; k < n; k++) s += x[k] * x[k];
    y[i] = s;
}
int main() {
    int n = 1 << 14;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    for (int k = 0; k < 10000; k++) {
        relax<<<n / 512, 256>>>(n, k & 1, x);
        OTHER
    }
}
"""


@pytest.mark.parametrize(
    ("other", "found"), [("", True), ("sums<<<n / 256, 256>>>(n, k, x, y);", False)]
)
def test_a_long_kernel_hides_the_launch_of_the_next(
    other: str, found: bool, analyse: Analyse
) -> None:
    assert ("RL405" in codes(analyse(COLOURS.replace("OTHER", other)))) is found


@pytest.mark.parametrize(("runs", "found"), [(1000, True), (16, True), (8, False)])
def test_a_few_waits_are_not_noticed(runs: int, found: bool, analyse: Analyse) -> None:
    text = STEPS.replace("BODY", f"{RUN} {WAIT} {COPY}").replace("1000 && !done", str(runs))
    assert ("RL404" in codes(analyse(text))) is found


TRAINING = """
__global__ void half(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.5f * x[i];
}
void train(int n, float *x) {
    BODY
}
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"{RUN} {WAIT} " * 4, True),
        (f"{RUN} {WAIT} " * 2, False),  # one between launches
        (f"{RUN} {RUN} {RUN} {RUN} {WAIT}", False),
        (f"{RUN} {WAIT} use(x); " * 4, False),
        (f"half<<<n / 256, 256>>>(n, x); {WAIT} " * 3 + "copy(x); " + WAIT, False),
    ],
)
def test_a_function_that_waits_between_its_launches(
    body: str, found: bool, analyse: Analyse
) -> None:
    assert ("RL404" in codes(analyse(TRAINING.replace("BODY", body)))) is found
