"""RL402 is found where a copy is long enough for anything to happen beside it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]

PROGRAM = """
#include <vector>
__global__ void scale(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f;
}
const int FEW = 40;
void run(float *d, float *work, int m, cudaStream_t stream, float a) {
    %s
    for (int k = 0; k < 10; k++) {
    cudaMemcpyAsync(d, %s, cudaMemcpyHostToDevice, stream);
    %s
    }
}
"""
WAIT = "cudaStreamSynchronize(stream);\n    scale<<<1024, 256, 0, stream>>>(m, work);"
WORK = "scale<<<1024, 256, 0, stream>>>(m, work);\n    cudaStreamSynchronize(stream);"
NEW = "float *h = (float *)malloc(m * sizeof(float));"
APPENDED = "std::vector<float> h; h.push_back(a); h.push_back(2 * a);"


@pytest.mark.parametrize(
    ("made", "copied", "then", "found"),
    [
        (NEW, "h, m * sizeof(float)", WORK, False),
        (NEW, "h, m * sizeof(float)", WAIT, False),
        (NEW, "h, 10 * sizeof(float)", WORK, False),
        (NEW, "h, FEW * sizeof(float)", WORK, False),
        (NEW, "h, 4 << 20", WORK, True),
        (NEW, "h, 4 << 20", WAIT, True),
        (NEW, "h, 4 << 16", WAIT, False),
        (NEW + " int few = 40; few += m;", "h, few * sizeof(float)", WORK, False),
        (APPENDED, "h.data(), h.size() * sizeof(float)", WORK, False),
        (
            f"{APPENDED} for (int i = 0; i < m; i++) h.push_back(a);",
            "h.data(), h.size() * sizeof(float)",
            WORK,
            False,
        ),
        ("std::vector<float> h(m);", "h.data(), h.size() * sizeof(float)", WORK, False),
        ("std::vector<float> h(100);", "h.data(), h.size() * sizeof(float)", WORK, False),
    ],
)
def test_copies(made: str, copied: str, then: str, found: bool, analyse: Analyse) -> None:
    report = analyse(PROGRAM % (made, copied, then))
    assert [f.code for f in report.all_findings()] == ["RL402"] * found


def test_an_allocation_bounds_what_is_copied_to_it(analyse: Analyse) -> None:
    text = """
    __global__ void use(const float *few, float *x) { x[blockIdx.x * 64 + threadIdx.x] = few[3]; }
    int main(int argc, char **argv) {
        int n = atoi(argv[1]);
        float *h = new float[n], *few, *x;
        cudaMalloc(&few, %d); cudaMalloc(&x, 1 << 20);
        for (int k = 0; k < 10; k++) {
            cudaMemcpyAsync(few, h, n * sizeof(float), cudaMemcpyHostToDevice);
            use<<<4096, 64>>>(few, x);
        }
    }"""
    sizes = (1 << 12, 1 << 24)
    found = [[f.code for f in analyse(text % size).findings].count("RL402") for size in sizes]
    assert found == [0, 1]


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ("first = h[0];", False),
        ("cudaStreamSynchronize(stream);\n    first = h[0];", True),
        ("first = h[0];\n    cudaStreamSynchronize(stream);", False),
    ],
)
def test_what_the_host_reads_at_once_would_race(after: str, found: bool, analyse: Analyse) -> None:
    text = f"""
    float run(const float *d, float *work, int m, cudaStream_t stream) {{
        float *h = (float *)malloc(8 << 20);
        float first = 0;
        for (int k = 0; k < 10; k++) {{
        cudaMemcpyAsync(h, d, 8 << 20, cudaMemcpyDeviceToHost, stream);
        {after}
        }}
        return first;
    }}"""
    assert len(analyse(text).findings) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("%s %s", False),
        ("%s for (int k = 0; k < 10; k++) { %s }", True),
        ("for (int k = 0; k < 10; k++) { %s %s }", False),
        ("for (int k = 0; k < 10; k++) { %s while (k < m) { %s } }", True),
    ],
)
def test_memory_that_is_copied_once_is_not_worth_pinning(
    text: str, found: bool, analyse: Analyse
) -> None:
    made = "float *h = (float *)malloc(8 << 20);\n"
    copied = "cudaMemcpyAsync(d, h, 8 << 20, cudaMemcpyHostToDevice, stream);"
    code = f"void run(float *d, int m, cudaStream_t stream) {{ {text % (made, copied)} }}"
    assert len(analyse(code).findings) == found
