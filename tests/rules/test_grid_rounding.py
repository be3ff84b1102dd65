"""Grids that are meant to be rounded up, with the division done first."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_core.settings import Settings

KERNEL = "__global__ void k(float *x) { x[blockIdx.x * 256 + threadIdx.x] = 1; }\n"


def lines(host: str) -> list[int]:
    """The lines of the host code, counted from 1, where a division is done first."""
    text = f"{KERNEL}void f(int n, int m, float *x) {{\n{host}\n}}"
    report = analyze(
        text.encode(), Path("/src/one.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    return [each.span.line - 1 for each in report.all_findings() if each.code == "RL313"]


@pytest.mark.parametrize(
    "host",
    [
        "k<<<n + 255 / 256, 256>>>(x);",
        "dim3 grid(n + 31 / 32, m + 31 / 32); k<<<grid, 256>>>(x);",
        "int w = n + 31 / 32; dim3 grid(w, m); k<<<grid, 256>>>(x);",
        "const int b = 256; int blocks = n + b - 1 / b; k<<<blocks, b>>>(x);",
    ],
)
def test_a_quotient_that_is_zero(host: str) -> None:
    assert lines(host) == [2]


@pytest.mark.parametrize(
    "host",
    [
        "k<<<(n + 255) / 256, 256>>>(x);",
        "k<<<n / 256 + 1, 256>>>(x);",
        "k<<<n + 512 / 256, 256>>>(x);",
        "k<<<ceil(n + 255 / 256.0), 256>>>(x);",
        "int a = n + 255 / 256; use(a); k<<<n / 256, 256>>>(x);",  # no grid
        "const int b = 256; k<<<n + 1 / m, b>>>(x);",
        "double h = n; double cells = h + 1 / h; k<<<(int)cells, 256>>>(x);",
        "int id = n + 1 / 3; k<<<(id + 255) / 256, 256>>>(x);",  # divided afterwards
    ],
)
def test_other_sums_and_quotients(host: str) -> None:
    assert lines(host) == []


def test_parameters_may_be_passed_in_the_order_of_the_launch() -> None:
    text = f"{KERNEL}void f(int threads, int blocks, float *x) {{ k<<<threads, blocks>>>(x); }}"
    report = analyze(
        text.encode(), Path("/src/one.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    assert "RL314" not in [each.code for each in report.all_findings()]


def test_each_line_is_told_once() -> None:
    assert lines("int g = n + 255 / 256;\nk<<<g, 256>>>(x);\nk<<<g, 256>>>(x);") == [2]


def swapped(launch: str) -> list[str]:
    """The rules that find something in a launch, by code."""
    known = "int threads = 256, blocks = n / 256;"
    text = f"{KERNEL}void f(int n, float *x) {{ {known} {launch} }}"
    report = analyze(
        text.encode(), Path("/src/one.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    return [each.code for each in report.all_findings()]


@pytest.mark.parametrize(
    ("launch", "found"),
    [
        ("k<<<threads, blocks>>>(x);", True),
        ("int blockSize = 256, gridSize = n / 256; k<<<blockSize, gridSize>>>(x);", True),
        ("dim3 dimBlock(256), dimGrid(n / 256); k<<<dimBlock, dimGrid>>>(x);", True),
        ("k<<<blocks, threads>>>(x);", False),
        ("int blockSize = 256, gridSize = n / 256; k<<<gridSize, blockSize>>>(x);", False),
        ("k<<<n, threads>>>(x);", False),
        ("dim3 block(256); k<<<threads, block>>>(x);", False),
        ("int num_threads = n / 64, num_blocks = 64; k<<<num_threads, num_blocks>>>(x);", False),
        ("int nThreads = n, nBlocks = n; k<<<nThreads / 256, nBlocks>>>(x);", False),
    ],
)
def test_blocks_and_threads_the_wrong_way_round(launch: str, found: bool) -> None:
    assert ("RL314" in swapped(launch)) is found


@pytest.mark.parametrize(
    ("grid", "wrong"),
    [
        ("n + 255 / 256", "as large as what should have been divided"),
        ("n / 256 + 255 / 256", "the last elements are lost"),
    ],
)
def test_what_is_wrong_with_the_grid(grid: str, wrong: str) -> None:
    text = f"{KERNEL}void f(int n, float *x) {{ k<<<{grid}, 256>>>(x); }}"
    report = analyze(
        text.encode(), Path("/src/one.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    (told,) = [each for each in report.all_findings() if each.code == "RL313"]
    assert wrong in told.message
