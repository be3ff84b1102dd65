"""A kernel with something to gain, and edits of it as a model would give them."""

from __future__ import annotations

from typing import Any

SOURCE = """\
#include <cuda_runtime.h>

__device__ float scaled(float v) { return v * 2.0f; }

__global__ void rows(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0.0f;
        for (int k = 0; k < 64; k++) {
            s += scaled(x[i * 64 + k]) / 3.0f;
            y[i] = s;
        }
    }
}

int main() {
    const int n = 1 << 16;
    float *x, *y;
    cudaMalloc(&x, 64 * n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    rows<<<(n + 255) / 256, 256>>>(n, x, y);
    cudaDeviceSynchronize();
    return 0;
}
"""


def edit(first: int, last: int, original: str, replacement: str) -> dict[str, Any]:
    return {
        "first_line": first,
        "last_line": last,
        "original": original,
        "replacement": replacement,
    }


def suggestion(title: str, *edits: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": title,
        "why": "It moves less.",
        "expected_effect": "Twice as fast.",
        "edits": list(edits),
    }


LOOP = SOURCE.split("\n")[8:12]
DIVISION = edit(
    10,
    10,
    "            s += scaled(x[i * 64 + k]) / 3.0f;",
    "            s += scaled(x[i * 64 + k]) * (1.0f / 3.0f);",
)
STORE = edit(
    11,
    12,
    "            y[i] = s;\n        }",
    "        }\n        y[i] = s;",
)
