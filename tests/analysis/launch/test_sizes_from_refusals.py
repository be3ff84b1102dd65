"""Assumed numbers that a kernel would refuse are made small enough for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_core.settings import Settings

HOST = "void f(float *b, int n, int m) { k<<<1024, 128>>>(b, n, m); }"
SUM = "float t = 0; for (int j = 0; j < n; ++j) t += b[j * 131072 + i]; b[i] = t;"
INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def used(body: str, host: str = HOST) -> dict[str, float | None]:
    """What is taken for the kernel's n and m."""
    source = f"__global__ void k(float *b, int n, int m) {{ {INDEX} {body} }}\n{host}"
    settings = Settings(gpu="A100")
    report = analyze(source.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)
    (kernel,) = report.kernels
    if kernel.launches:
        return {each.name: each.used for each in kernel.launches[0].arguments}
    return {each.name: each.assumed for each in kernel.prediction.unknowns}


@pytest.mark.parametrize("host", [HOST, ""])
def test_a_kernel_that_returns_for_large_numbers_has_small_ones(host: str) -> None:
    assert used(f"if (n > 128) return; {SUM}", host)["n"] == 128


def test_a_return_on_a_line_of_its_own() -> None:
    assert used(f"if (n > 128) {{\n return;\n }}\n {SUM}")["n"] == 128


def test_each_of_several_numbers_is_accepted() -> None:
    found = used(f"if (n > 128 || m >= 32) return; {SUM} b[i] += m;")
    assert (found["n"], found["m"]) == (128, 31)


def test_a_number_that_the_host_computes_it_of_is_reduced() -> None:
    host = "void f(float *b, int words, int m) { k<<<1024, 128>>>(b, words * 4, m); }"
    assert used(f"if (n > 128) return; {SUM}", host)["n"] == 128


def test_a_number_that_the_host_gives_stays() -> None:
    host = "void f(float *b, int m) { k<<<1024, 128>>>(b, 512, m); }"
    assert used(f"if (n > 128) return; {SUM}", host)["n"] == 512


def test_another_way_for_large_numbers_is_no_refusal() -> None:
    body = f"if (n > 128) {{\n b[i] = n;\n return;\n }}\n {SUM}"
    assert used(body)["n"] == 1024


def test_what_is_left_in_a_loop_is_no_refusal() -> None:
    body = f"for (int j = 0; j < m; ++j) {{ if (n > 128) continue; b[i * m + j] = n; }} {SUM}"
    assert used(body)["n"] == 1024
