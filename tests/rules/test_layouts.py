"""Strides that come from the layout of data that others use, too, are nobody's mistake."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]


def codes(report: FileReport) -> list[str]:
    return [finding.code for finding in report.all_findings()]


PIXELS = """
__global__ void red(int n, const float *image, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = image[4 * i];
}
struct Image { float *data; };
__global__ void fill(int n, float *image) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 4 * n) image[i] = i;
}
__global__ void fill_in(int n, Image image) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 4 * n) image.data[i] = i;
}
int main() {
    int n = 1 << 22;
    float *image, *out, *other;
    cudaMalloc(&image, 4 * n * sizeof(float));
    cudaMalloc(&other, 4 * n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    Image whole; whole.data = %s;
    fill<<<4 * n / 256, 256>>>(n, %s);
    fill_in<<<4 * n / 256, 256>>>(n, whole);
    red<<<n / 256, 256>>>(n, image, out);
}
"""


@pytest.mark.parametrize(
    ("filled", "found"),
    [(("other", "other"), True), (("other", "image"), False), (("image", "other"), False)],
)
def test_a_channel_of_an_image_that_another_kernel_makes(
    filled: tuple[str, str], found: bool, analyse: Analyse
) -> None:
    assert ("RL103" in codes(analyse(PIXELS % filled))) is found


def test_the_layout_of_memory_from_elsewhere_is_its_own(analyse: Analyse) -> None:
    text = """
    __global__ void red(int n, const float *image, float *out) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = image[4 * i];
    }
    void channel(int n, const float *image, float *out) {
        red<<<n / 256, 256>>>(n, image, out);
    }"""
    assert codes(analyse(text)) == []


def test_a_channel_of_a_texture_is_its_own(analyse: Analyse) -> None:
    text = """
    __global__ void red(int n, cudaTextureObject_t image, float *out) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        out[i] = tex1Dfetch<float>(image, 4 * i);
    }
    int main(int argc, char **argv) {
        int n = atoi(argv[1]);
        cudaTextureObject_t image; float *out;
        cudaMalloc(&out, n * sizeof(float));
        red<<<n / 256, 256>>>(n, image, out);
    }"""
    assert codes(analyse(text)) == []


STATES = """
#include <curand_kernel.h>
__global__ void start(int n, unsigned seed, curandState *states) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) curand_init(seed + i, 0, 0, &states[i]);
}
__global__ void add_up(int n, float *rows, float *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 500; k++) sum += rows[500 * i + k];
    if (i < n) sums[i] = sum;
}
int main() {
    int n = 1 << 16;
    curandState *states; float *rows, *sums;
    cudaMalloc(&states, 64 * n * sizeof(curandState));
    cudaMalloc(&rows, 500 * n * sizeof(float));
    cudaMalloc(&sums, n * sizeof(float));
    start<<<64 * n / 256, 256>>>(64 * n, 7, states);
    add_up<<<n / 256, 256>>>(n, rows, sums);
}
"""


def test_states_of_generators_are_laid_out_by_their_library(analyse: Analyse) -> None:
    start, add_up = analyse(STATES).kernels
    assert "RL101" not in [finding.code for finding in start.findings]
    assert [finding.code for finding in add_up.findings] == ["RL101"]


STRIDED = """
struct Value { float x, y, z, w; };
__global__ void fold(const Value *v, float *sum, int rows) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < rows; k++) { Value a = v[t * 64 + k]; s += a.x + a.y + a.z + a.w; }
    sum[t] = s;
}
int main() {
    Value *v; float *sum; cudaMalloc(&v, 1 << 28); cudaMalloc(&sum, 1 << 20);
    fold<<<1024, 256>>>(v, sum, 64);
}
"""


def test_rows_of_structures_are_no_array_of_structures_with_unused_fields(
    analyse: Callable[..., FileReport],
) -> None:
    """Threads lie a row apart; each structure is used whole."""
    assert not [f for f in analyse(STRIDED).all_findings() if f.code == "RL102"]


ROWS = """
__global__ void decay(int rows, int columns, float **state) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float *own = state[row];
    for (int k = 0; k < 64; k++) own[k] = 0.5f * own[k];
}
int main() {
    int rows = 1 << 20;
    float **state;
    cudaMalloc(&state, rows * sizeof(float *));
    decay<<<rows / 256, 256>>>(rows, 64, state);
}
"""


def test_rows_behind_a_pointer_each_have_no_distance(analyse: Analyse) -> None:
    messages = [f.message for f in analyse(ROWS).all_findings() if f.code == "RL101"]
    (message,) = messages
    assert "'state' by neighbouring threads go through a pointer each, to places far apart: a" in (
        message
    )


GENERATORS = """
struct %s { unsigned d, v[5]; int flags; float extra; double more; };
__global__ void draw(int n, %s *states, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = states[i].d + states[i].v[0];
}
int main() {
    int n = 1 << 20;
    %s *states;
    unsigned *out;
    cudaMalloc(&states, n * sizeof(*states));
    cudaMalloc(&out, n * sizeof(unsigned));
    draw<<<n / 256, 256>>>(n, states, out);
}
"""


@pytest.mark.parametrize(("name", "found"), [("State", True), ("curandStateXORWOW", False)])
def test_structures_of_a_library_stay_whole(name: str, found: bool, analyse: Analyse) -> None:
    assert ("RL102" in codes(analyse(GENERATORS % (name, name, name)))) is found


POINTERS = """
struct Task { float *row; int length; };
__global__ void rows_of(int rows, int columns, float *data, %s *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) out[i * columns] = %s;
}
int main() {
    int rows = 1 << 20;
    float *data;
    %s *out;
    cudaMalloc(&data, rows * 64 * sizeof(float));
    cudaMalloc(&out, rows * 16 * sizeof(*out));
    rows_of<<<rows / 256, 256>>>(rows, 16, data, out);
}
"""


@pytest.mark.parametrize(
    ("element", "value", "found"),
    [("float *", "data + i * 64", False), ("long long", "(long long)i * 64", True)],
)
def test_kernels_that_lay_out_pointers_for_others_are_left_alone(
    element: str, value: str, found: bool, analyse: Analyse
) -> None:
    codes_found = codes(analyse(POINTERS % (element, value, element)))
    assert codes_found == ["RL103"] * found
