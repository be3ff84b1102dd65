"""Several divisions by one value that stand side by side."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]

KERNEL = """
struct V {
    float x, y, z;
    __device__ float length() const { return sqrtf(x * x + y * y + z * z); }
    __device__ void normalise() { float l = length(); x /= l; y /= l; z /= l; }
    __device__ V &operator/=(float t) { x /= t; y /= t; z /= t; return *this; }
};
__device__ void change(float &d, float s) { d = d * s; }
__global__ void k(int n, const float *a, float *b, float w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = a[i], x = 1.0f, y = 2.0f, z = 3.0f;
    int p = i, q = i + 1;
    for (int k = 0; k < n; k++) { BODY }
    b[i] = s + x + y + z + p + q;
}
int main() {
    float *a, *b;
    cudaMalloc(&a, 4 << 16);
    cudaMalloc(&b, 4 << 16);
    k<<<256, 256>>>(1000, a, b, 2.5f);
}
"""


def messages(body: str, analyse: Analyse) -> list[str]:
    report = analyse(KERNEL.replace("BODY", body))
    return [finding.message for finding in report.all_findings() if finding.code == "RL213"]


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ("s += w;\n x = x / s + 1; y = y / s + 1; z = z / s + 1;", "3 divisions by 's'"),
        ("s += w;\n x /= s; y /= s;", "2 divisions by 's'"),
        ("V v = {s, x, y}; v.normalise(); s += v.x + v.y + v.z;", "3 divisions by 'l'"),
        ("V v = {s, x, y}; v /= s; s += v.x + v.y + v.z;", "3 divisions by 't'"),
    ],
)
def test_components_divided_by_one_length(body: str, number: str, analyse: Analyse) -> None:
    (message,) = messages(body, analyse)
    assert number in message


@pytest.mark.parametrize(
    "body",
    [
        "s += w; x = x / s + 1;",
        "s += w; x = x / s + 1; s = s * 2;\n y = y / s + 1;",  # another value each time
        "s += w; if (s > 3) x = x / s; else y = y / s;",  # one of them
        "p = p / q + 1; q = q / 3; p = p / q;",  # whole numbers
        "{ float d = s * s + 1;\n s += 3 / d; }\n { float d = s * s * s + 2;\n s += 5 / d; }",
        "float d = s * s + 1;\n s += 3 / d;\n change(d, s);\n s += 5 / d;",
    ],
)
def test_other_divisions(body: str, analyse: Analyse) -> None:
    assert messages(body, analyse) == []
