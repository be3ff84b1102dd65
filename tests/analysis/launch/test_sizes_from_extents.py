"""Assumed numbers and the shared and local arrays that loops of so many trips walk along."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_core.settings import Settings

HOST = "void f(float *b, int n, int m) { k<<<1024, 128>>>(b, n, m); }"


def used(body: str, host: str = HOST) -> dict[str, float | None]:
    """What is taken for the kernel's n and m."""
    source = f"__global__ void k(float *b, int n, int m) {{ {body} }}\n{host}"
    settings = Settings(gpu="A100")
    report = analyze(source.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)
    assert not [each for each in report.problems if "internal error" in each.message]
    (kernel,) = report.kernels
    if kernel.launches:
        return {each.name: each.used for each in kernel.launches[0].arguments}
    return {each.name: each.assumed for each in kernel.prediction.unknowns}


SHARED = "__shared__ float s[64]; s[threadIdx.x % 64] = b[threadIdx.x]; __syncthreads();"
SUM = "float t = 0; for (int j = 0; j < n; ++j) t += s[j]; b[threadIdx.x] = t;"


@pytest.mark.parametrize("host", [HOST, ""])
def test_a_loop_along_a_shared_array_is_no_longer_than_it(host: str) -> None:
    assert used(SHARED + SUM, host)["n"] == 64


def test_a_number_that_the_host_computes_it_of_is_reduced() -> None:
    host = "void f(float *b, int words, int m) { k<<<1024, 128>>>(b, words * 4, m); }"
    assert used(SHARED + SUM, host)["n"] == 64


def test_rows_of_a_shared_array() -> None:
    body = "float t = 0; for (int i = 0; i < m; ++i) for (int j = 0; j < 8; ++j) t += s[i * 8 + j];"
    assert used(f"{SHARED} {body} b[threadIdx.x] = t;")["m"] == 8


def test_a_loop_along_dynamic_shared_memory_is_no_longer_than_any_gpu_has() -> None:
    body = (
        "extern __shared__ float s[]; for (int j = threadIdx.x; j < n * m; j += 128) s[j] = b[j];"
    )
    found = used(f"{body} __syncthreads(); b[threadIdx.x] = s[127 - threadIdx.x];")
    assert (found["n"] or 0) * (found["m"] or 0) <= 227 * 1024 / 4
    assert max(found["n"] or 0, found["m"] or 0) == 1024


@pytest.mark.parametrize(
    "body",
    [
        f"{SHARED} float t = 0; for (int j = 0; j < n; ++j) t += s[j % 64]; b[threadIdx.x] = t;",
        f"{SHARED} float t; for (int j = 0; j < n; ++j) if (j < 64) t += s[j]; b[threadIdx.x] = t;",
        "float t = 0; for (int j = 0; j < n; ++j) t += b[j]; b[threadIdx.x] = t;",
    ],
    ids=["index within", "guarded", "global"],
)
def test_other_loops_keep_their_length(body: str) -> None:
    assert used(body)["n"] == 1024


def test_a_number_that_is_given_stays() -> None:
    host = "int main() { float *b; cudaMalloc(&b, 4096); k<<<1024, 128>>>(b, 96, 2); }"
    assert used(SHARED + SUM, host)["n"] == 96
