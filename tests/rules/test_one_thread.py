"""Launches of one thread, and threads that do the work of their neighbours again."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_core.settings import Settings

MAIN = """
int main() {
    int n = 1 << 16;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    for (int step = 0; step < 100; step++) k<<<LAUNCH>>>(n, x, y);
}
"""


def codes(body: str, launch: str = "1, 1", size: str = "1 << 16") -> list[str]:
    """The rules that find something in a kernel of n, x and y."""
    step = "__device__ void step(unsigned &h, float v) { h = h * 31 + (unsigned)v; }\n"
    source = f"{step}__global__ void k(int n, float *x, float *y) {{ {body} }}"
    text = (source + MAIN.replace("LAUNCH", launch).replace("1 << 16", size)).encode()
    report = analyze(text, Path("/src/one.cu"), Settings(gpu="A100"), reader=lambda _: None)
    return [each.code for each in report.all_findings()]


ONE = "RL310"


@pytest.mark.parametrize(
    "body",
    [
        "float s = 0; for (int i = 0; i < n; i++) s += x[i]; *y = s;",
        "float s = x[0]; for (int i = 1; i < n; i++) s = fmaxf(s, x[i]); *y = s;",
        "float s = x[0]; for (int i = 1; i < n; i++) if (x[i] > s) s = x[i]; *y = s;",
        "for (int i = 0; i < n; i++) y[i] = 2 * x[i];",
        "y[0] = x[0]; for (int i = 1; i < n; i++) y[i] = y[i - 1] + x[i];",
        "for (int i = 1; i < n; i++) x[i] += x[i - 1];",
    ],
)
def test_sums_extremes_maps_and_scans_can_be_shared_out(body: str) -> None:
    assert ONE in codes(body)


@pytest.mark.parametrize(
    "body",
    [
        "y[0] = x[0]; for (int i = 1; i < n; i++) y[i] = 0.5f * y[i - 1] + x[i];",
        "float s = 1; for (int i = 0; i < n; i++) { s = s / (1 + s * s); y[i] = s; }",
        "float s = 1; for (int i = 0; i < n; i++) { s = s + 0.1f * (x[i] - s); y[i] = s; }",
        (
            "float s = 0; for (int i = 0; i < n; i++) s += x[i];"
            "\n for (int i = 0; i < n; i++) { s = (s * 3 + x[i]) / 4; y[i] = s; }"
        ),
        "int at = 0; for (int i = 0; i < n; i++) { at = (int)x[at]; y[i] = at; }",
        (
            "float s = 0; for (int i = 0; i < n; i++)"
            " { float t = 0.9f * s + 0.1f * x[i]; s = t; y[i] = s; }"
        ),
        (
            "float2 s = {0, 0}; for (int i = 0; i < n; i++)"
            " { s.x = 0.9f * s.x + 0.1f * x[i]; y[i] = s.x; }"
        ),
        (
            "float h[2] = {0, 0}; for (int i = 0; i < n; i++)"
            " { h[0] = x[i] - 0.3f * h[0] - 0.2f * h[1]; h[1] = h[0]; y[i] = h[0]; }"
        ),
        "unsigned h = 7; for (int i = 0; i < n; i++) { step(h, x[i]); y[i] = h; }",
        "float s = 0; for (int i = 0; i < 16; i++) s += x[i]; *y = s;",
        "*y = x[0];",
    ],
)
def test_recurrences_and_short_loops_are_left_alone(body: str) -> None:
    assert ONE not in codes(body)


def test_more_threads_are_no_launch_of_one() -> None:
    assert ONE not in codes("float s = 0; for (int i = 0; i < n; i++) s += x[i]; *y = s;", "1, 32")


AGAIN = "RL311"


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = threadIdx.x; i < n; i++) y[i] = 2 * x[i];",
        "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; ++i) y[i] = 2 * x[i];",
        "for (int i = threadIdx.x; i < n; i += 1) y[i + 1] = 2 * x[i];",
    ],
)
def test_a_loop_from_the_threads_index_steps_by_the_threads(body: str) -> None:
    assert AGAIN in codes(body, "16, 256")


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 2 * x[i];",
        "float s = 0; for (int i = threadIdx.x; i < n; i++) s += x[i]; y[threadIdx.x] = s;",
        "for (int i = threadIdx.x; i < 256; i++) y[threadIdx.x * 256 + i] = x[i];",
        "for (int i = threadIdx.x; i < n; i++) if (i % 256 == threadIdx.x) y[i] = x[i];",
        "for (int i = threadIdx.x; i < n; i++) { if (x[i] > 0) { y[i] = 1; break; } }",
        "if (threadIdx.x == 0) for (int i = threadIdx.x; i < n; i++) y[i] = 1;",
        "float *own = y + (int)x[threadIdx.x]; for (int i = threadIdx.x; i < n; i++) own[i] = 1;",
    ],
)
def test_triangles_and_searches_are_no_repeated_work(body: str) -> None:
    assert AGAIN not in codes(body, "16, 256")


PRINTS = "RL312"


def test_what_all_threads_print_is_found() -> None:
    body = 'int i = blockIdx.x * 256 + threadIdx.x; y[i] = x[i]; printf("%f", y[i]);'
    assert PRINTS in codes(body, "256, 256")


@pytest.mark.parametrize(
    "body",
    [
        'int i = blockIdx.x * 256 + threadIdx.x; printf("%f", x[i]);',
        'int i = blockIdx.x * 256 + threadIdx.x; y[i] = x[i]; if (i == 0) printf("%f", y[i]);',
        'int i = blockIdx.x * 256 + threadIdx.x; y[i] = x[i]; if (x[i] < 0) printf("%f", y[i]);',
        'int i = blockIdx.x * 256 + threadIdx.x; if (i != 0) return; y[i] = 1; printf("one");',
    ],
)
def test_what_one_thread_prints_or_what_only_prints_is_not(body: str) -> None:
    assert PRINTS not in codes(body, "256, 256")


def test_a_kernel_that_is_called_so_prints_on_purpose() -> None:
    source = """
    __global__ void print_all(int n, float *x) { int i = blockIdx.x * 256 + threadIdx.x;
        x[i] = i; printf("%f", x[i]); }
    int main() { float *x; cudaMalloc(&x, 4 << 16); print_all<<<256, 256>>>(1 << 16, x); }
    """
    report = analyze(
        source.encode(), Path("/src/one.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    assert PRINTS not in [each.code for each in report.all_findings()]


@pytest.mark.parametrize(
    "body",
    [
        # A sort by exchange: each thread compares its element with all later ones.
        (
            "int t = threadIdx.x; for (int j = t; j < n; j++)"
            " if (y[j] < y[t]) { float s = y[j]; y[j] = y[t]; y[t] = s; }"
        ),
        "int t = threadIdx.x; for (int j = t; j < n; j++) y[j] += x[t];",
    ],
)
def test_pairs_of_a_threads_own_element_with_later_ones(body: str) -> None:
    assert AGAIN not in codes(body, "1, 256")


IDLE = "RL315"
INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
BYTES = f"{INDEX} if (i < n) y[i] = x[i];"


@pytest.mark.parametrize(
    ("body", "launch", "found"),
    [
        (BYTES, "n * 4 / 64, 64", True),
        (BYTES, "n / 64, 64", False),
        (BYTES, "n / 64 + n / 128, 64", False),  # a third too many
        (
            "int i = blockIdx.x * 64 + threadIdx.x; if (threadIdx.x < 8) y[i] = 1;",
            "n / 64, 64",
            False,
        ),
        ("int i = blockIdx.x * 64 + threadIdx.x; if (x[i] < 0) y[i] = 1;", "n / 64, 64", False),
    ],
)
def test_blocks_of_which_most_find_nothing_to_do(body: str, launch: str, found: bool) -> None:
    assert (IDLE in codes(body, launch, "1 << 22")) is found


def test_a_linear_recurrence_at_guessed_sizes_is_told_with_an_if() -> None:
    source = """
    __global__ void total(const float *x, float *y, int n) {
        float s = 0; for (int i = 0; i < n; i++) { s += x[i]; y[i] = s; }
    }
    void run(const float *x, float *y, int n) { total<<<1, 1>>>(x, y, n); }
    """
    report = analyze(
        source.encode(), Path("/src/one.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    (told,) = [each for each in report.all_findings() if each.code == ONE]
    assert "if n = 1,024" in told.message


def test_an_error_that_threads_print_is_no_output_of_all() -> None:
    source = """
    #include <cstdio>
    __device__ void look(float v, int at) {
        if (isnan(v)) {
            printf("%d", at);
        }
    }
    __global__ void k(int n, const float *x, float *y) {
        int i = blockIdx.x * 256 + threadIdx.x;
        for (int j = 0; j < 7; j++) { look(x[i * 7 + j], j); y[i * 7 + j] = x[i * 7 + j]; }
    }
    int main() { float *x; cudaMalloc(&x, 28 << 16); k<<<256, 256>>>(1 << 16, x, x); }
    """
    report = analyze(
        source.encode(), Path("/src/one.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    assert PRINTS not in [each.code for each in report.all_findings()]
