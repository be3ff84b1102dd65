"""What is assumed for blocks and margins that a library takes from its callers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_core.algebra.evaluate import Environment

Run = Callable[..., Any]
"""A fixture that runs source text."""

KERNEL = "__global__ void k(float *p, int n, int m) {}\n"


def shapes(run: Run, source: str) -> list[tuple[list[float], list[float], list[float]]]:
    """Grid, block and arguments of each launch, with the assumed values."""
    found: list[Any] = []
    for launch in run(KERNEL + source, argv=None).launches:
        environment = Environment({s: u.assumed for s, u in launch.unknowns.items()})
        numbers = [a.value for a in launch.args if hasattr(a, "value")]
        parts = (launch.grid, launch.block, numbers)
        found.append(tuple([environment.evaluate(e) for e in part] for part in parts))
    return found


@pytest.mark.parametrize(
    ("body", "block"),
    [
        ("void run(float *d, int n, int t) { k<<<(n + t - 1) / t, t>>>(d, n, 0); }", [256, 1, 1]),
        (("void run(float *d, size_t n, size_t t) { size_t g = std::ceil((double)n / t);"
         " k<<<g, t>>>(d, n, 0); }"), [256, 1, 1]),
        ("void run(float *d, int n, int w) { k<<<n / (32 * w), dim3(32, w)>>>(d, n, 0); }",
         [32, 8, 1]),
        (("void run(float *d, int n, int a, int b) { dim3 t(a, b);"
         " k<<<dim3(n / a, n / b), t>>>(d, n, n); }"), [16, 16, 1]),
        ("void run(float *d, int n, int w) { k<<<n, w * 512>>>(d, n, 0); }", [1024, 1, 1]),
        ("template <int T> void run(float *d, int n) { k<<<n / T, T>>>(d, n, T); }",
         [256, 1, 1]),
        ("void rows(float *d, int r, int c) { k<<<r, c>>>(d, r, c); }", [256, 1, 1]),
        (("class Tuned { public: double threads() { return best; } double best; };"
         " void run(float *d, int n, Tuned &tuned) { unsigned t = tuned.threads();"
         " k<<<n / t + 1, t>>>(d, n, 0); }"), [256, 1, 1]),
    ],
)  # fmt: skip
def test_a_block_from_outside_is_possible(run: Run, body: str, block: list[float]) -> None:
    ((grid, found, _),) = shapes(run, body)
    assert found == block
    threads = grid[0] * grid[1] * block[0] * block[1]
    assert (1 << 19) <= threads <= (1 << 21)


def test_a_block_that_is_cut_to_the_limit_leaves_the_size_open(run: Run) -> None:
    source = (
        "void run(float *d, int n) { int t = min(n, 512); k<<<(n + t - 1) / t, t>>>(d, n, 0); }"
    )
    ((grid, block, (n, _)),) = shapes(run, source)
    assert (grid[0] * block[0], block[0], n) == (1 << 20, 512, 1 << 20)


@pytest.mark.parametrize(
    "body",
    [
        (
            "struct Part { int x, y; float *a; };"
            "void run(Part *c, int halo) { int w = c->x - 2 * halo, h = c->y - 2 * halo;"
            " k<<<(w * h + 127) / 128, 128>>>(c->a, w, h); }"
        ),
        (
            "void run(float *d, int width, int border) { int w = width - border;"
            " k<<<(w + 255) / 256, 256>>>(d, w, width); }"
        ),
        "void run(float *d, int w, int r) { k<<<64, 256>>>(d, w - 2 * r - 1, r); }",
    ],
)
def test_an_extent_is_more_than_what_is_taken_off_it(run: Run, body: str) -> None:
    ((grid, _, numbers),) = shapes(run, body)
    assert grid[0] >= 1
    assert min(numbers) >= 1


def test_a_size_that_nothing_is_taken_off_stays(run: Run) -> None:
    source = "void run(float *d, int n, int m) { k<<<64, 256>>>(d, n - 1, m); }"
    ((_, _, numbers),) = shapes(run, source)
    assert numbers == [1023, 1024]


def test_a_truth_value_is_not_a_size(run: Run) -> None:
    source = """
    template <bool Wide> void run(float *d, int n, bool add) { k<<<n, 256>>>(d, add, Wide); }
    """
    ((_, _, numbers),) = shapes(run, source)
    assert numbers == [1, 1]


def test_a_name_that_says_a_small_number_is_taken_by_its_word(run: Run) -> None:
    source = """
    void run(float *d, int n, int pad, int ksize) {
      int out = n + 2 * pad - ksize + 1;
      k<<<(out + 255) / 256, 256>>>(d, out, ksize);
    }"""
    ((grid, _, (out, ksize)),) = shapes(run, source)
    assert ksize == 3
    assert grid[0] * 256 == 1 << 20
    assert (1 << 20) - 256 < out <= 1 << 20


def test_a_quotient_of_two_sizes_grows_with_the_first(run: Run) -> None:
    source = "void run(float *d, int n, int m) { k<<<n / m, 256>>>(d, n, m); }"
    ((grid, _, (n, m)),) = shapes(run, source)
    assert (grid[0], n, m) == (4096, 1 << 22, 1024)


def test_a_variable_that_holds_an_unknown_tells_what_it_is(run: Run) -> None:
    source = """
    void run(float *d, const Rows &rows) {
      int batch = rows.size(0), n = rows.size(1);
      k<<<batch, 256>>>(d, batch, n);
    }"""
    ((grid, _, (batch, n)),) = shapes(run, source)
    assert (grid[0], batch, n) == (8, 8, 1024)


def test_members_of_one_name_in_different_instances_are_different_numbers(run: Run) -> None:
    source = """
    template <int D> struct dim {
      int operator[](int d) const { return d == 0 ? first : rest[d - 1]; }
      int first; dim<D - 1> rest; };
    template <> struct dim<1> { int operator[](int d) const { return first; } int first; };
    class Matrix { public: const dim<2> &size() const { return size_; } dim<2> size_; };
    void run(float *d, const Matrix *one, const Matrix *other) {
      k<<<4096, 256>>>(d, one->size()[0], one->size()[1]);
      k<<<4096, 256>>>(d, one->size()[0], other->size()[0]); }"""
    asked = [launch.args[1:] for launch in run(KERNEL + source, argv=None).launches]
    names = [[str(argument.value) for argument in arguments] for arguments in asked]
    assert names == [["dim<2>::first", "dim<1>::first"], ["dim<2>::first", "dim<2>::first"]]
