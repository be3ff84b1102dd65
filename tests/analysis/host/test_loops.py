"""Loops around launches, and loops that only prepare data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]
"""A fixture that runs source text."""


def test_a_launch_repeats_as_often_as_its_loops(main: Run) -> None:
    (launch,) = main(
        "for (int i = 0; i < atoi(argv[1]); i++) for (int j = 0; j < 3; j++) k<<<1, 1>>>(d, 0);",
        "1000",
    )
    assert launch.repeat == 3000
    assert launch.certain


def test_repeat_of_a_counted_loop(main: Run) -> None:
    (launch,) = main("int r = atoi(argv[1]); for (int i = 0; i < r; i++) k<<<1, 1>>>(d, 0);", "500")
    assert launch.repeat == 500


@pytest.mark.parametrize(
    ("loop", "repeat"),
    [
        ("for (int i = 3; i < 10000; i += std::max(1.0, i * 0.1))", 85),
        ("for (int i = 3; i < 10000; i = i + i / 10 + 1)", 75),
        ("for (double x = 1; x < 100; x += x)", 7),
        ("for (int i = 1000; i > 3; i -= i / 4)", 22),
        ("for (int i = 1; i < 100000; i *= i + 1)", 5),
    ],
)
def test_repeat_of_a_loop_whose_steps_differ(loop: str, repeat: int, main: Run) -> None:
    """As often as the loops run when they are compiled."""
    (launch,) = main(f"{loop} k<<<1, 1>>>(d, 0);")
    assert launch.repeat == repeat


@pytest.mark.parametrize(
    ("loop", "repeat"),
    [
        ("int i = 0; while (i < 500) { k<<<1, 1>>>(d, 0); i += 2; }", 250),
        ("int i = 500, by = 3; while (0 < i) { i -= by; k<<<1, 1>>>(d, 0); }", 167),
        ("int i = 1; while (i <= 4096) { { k<<<1, 1>>>(d, 0); } i *= 2; }", 13),
        ("int i = 0; while (i < 500) { k<<<1, 1>>>(d, 0); if (argc > 3) i++; i++; }", None),
        ("int i = 0; while (i < 500) { k<<<1, 1>>>(d, 0); if (argc > 3) continue; i++; }", None),
    ],
)
def test_repeat_of_a_loop_whose_body_steps_its_variable(
    loop: str, repeat: int | None, main: Run
) -> None:
    (launch,) = main(loop)
    assert launch.repeat == repeat


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 1; i < 1000; i += s) { s = s * 2; k<<<1, 1>>>(d, 0); }",
        "for (int i = 1; i < 1000; s *= 2, i += s) k<<<1, 1>>>(d, 0);",
        "for (int i = 1; i < 1000; i += s, s *= 2) k<<<1, 1>>>(d, 0);",
    ],
)
def test_a_step_that_grows_is_not_taken_for_its_first(loop: str, main: Run) -> None:
    (launch,) = main(f"int s = 1; {loop}")
    assert launch.repeat is None


def test_shapes_that_change_from_trip_to_trip(grids: Run) -> None:
    assert grids("for (int s = 64; s > 8; s /= 2) k<<<s, 1>>>(d, 0);") == [
        (64, 1, 1),
        (32, 1, 1),
        (16, 1, 1),
    ]


def test_sizes_of_two_loops_are_all_met_though_products_repeat(grids: Run) -> None:
    """4 * 2 is met as 1 * 8 before, and nothing new comes before 4 * 32."""
    loops = "for (int n = 1; n <= 64; n = n * 4) for (int c = 2; c <= 32; c = c * 4)"
    found = grids(loops + " for (int i = 0; i < 100; i++) k<<<n * c, 1>>>(d, 0);")
    assert [grid for (grid, _, _) in found] == [2, 8, 32, 128, 512, 2048]


def test_neighbours_of_a_list_of_sizes_may_have_one_grid(grids: Run) -> None:
    sizes = "int sizes[7] = {128, 192, 256, 384, 512, 768, 1024}; float sums[9][9];"
    work = "for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) sums[i][j] = i * j;"
    loop = f"for (int s = 0; s < 7; s++) {{ {work} k<<<(sizes[s] + 127) / 128, 1>>>(d, 0); }}"
    assert [x for (x, _, _) in grids(f"{sizes} {loop}")] == [1, 2, 3, 4, 6, 8]
    each = "for (int s : sizes) k<<<(s + 127) / 128, 1>>>(d, 0);"
    assert [x for (x, _, _) in grids(f"{sizes} {each}")] == [1, 2, 3, 4, 6, 8]


def test_the_first_trip_of_a_long_loop_is_exact(grids: Run) -> None:
    found = grids("int n = 100000; for (int i = 0; i < n - 1; i++) k<<<n - i, 1>>>(d, i);")
    assert found[0] == (100000, 1, 1)
    assert len(found) < 100


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("int x = 0; for (int i = 0; i < 100000; i++) x++;", 100000),
        ("int x = 5, i; for (i = 0; i < 100000; i += 3) h[i % 7] = 1; x = i;", 100002),
        ("int x = 1; for (int i = 0; i < 90000; i++) { h[0] += i; x += 2; }", 180001),
        ("int x = 0; while (x * x < 50) x++;", 8),
        ("int x = 1; int n = 1000; while (x < n) x <<= 1;", 1024),
        ("std::vector<int> v; for (int i = 0; i < 70000; i++) v.push_back(i); int x = v.size();",
         70000),
        ("V v; int i = 1, s = 3; while (i <= 90000) { v.push_back(i); i += s; } int x = v.size();",
         30000),
        ("V v; int i = 0; while (i < 90000) { i++; v.push_back(i); } int x = v.size() + i;",
         180000),
        ("int x = 3; for (int i = 0; i < 5000; i++) { x++; h[1] = x; x += 2; }", 15003),
        ("int x = 0; for (int i = 0; i < 300; i++) for (int j = 1; j <= 40; j++) x += 2;", 24000),
        ("int x = 0; for (int i = 0; i < 300; i++) { x++; for (int j = 9; j > 0; j--) x++; }",
         3000),
        ("int x = 0; for (int i = 0; i < 9000; i++) if (x < 700) x++;", 700),
        ("int x = 0; for (int i = 0; i < 600; i++) if (x < 7000) x++;", 600),
        ("int x = 0; for (double z = .5; z <= 900.; z += .5) for (int j = 0; j < 9; j++) x++;",
         16200),
    ],
)  # fmt: skip
def test_what_a_loop_leaves(grid_x: Run, loop: str, expected: int) -> None:
    assert grid_x("using V = std::vector<int>; int h[16]; " + loop) == expected


@pytest.mark.parametrize(
    "loop",
    [
        # The inner loop's length differs from trip to trip.
        "for (int i = 0; i < 9000; i++) for (int j = 0; j < i; j++) x++;",
        "for (int i = 0; i < 9000; i++) for (int j = i; j < 9000; j++) x++;",
        # It can be left before its end.
        "for (int i = 0; i < 9000; i++) for (int j = 0; j < 9; j++) { if (h[j]) break; x++; }",
        "for (int i = 0; i < 9000; i++) if (h[i % 9]) x++;",
        "for (int i = 0; i < 9000; i++) { x++; x *= 2; }",
        "for (int i = 0; i < 9000; i++) x += i;",
        # What steps the variable is not all that does, or is left out in some trips.
        "int i = 0; while (i < 90000) { if (h[i]) i++; x++; i++; }",
        "int i = 0; while (i < 90000) { x++; if (h[i]) continue; i++; }",
    ],
)
def test_what_no_closed_form_tells(grid_x: Run, loop: str) -> None:
    assert grid_x("int x = 1; int *h = read_all(); " + loop) is None


def test_a_sum_that_depends_on_data_is_unknown_and_named(main: Run) -> None:
    (launch,) = main(
        """
        int n = 100000, nnz = 0;
        int *rows = (int*)malloc(n * sizeof(int));
        for (int i = 0; i < n; i++) { rows[i] = rand() % 8; nnz += rows[i]; }
        k<<<nnz, 1>>>(d, 0);
        """
    )
    assert launch.grid[0].constant is None
    assert [unknown.name for unknown in launch.unknowns.values()] == ["nnz"]


def test_a_loop_until_the_device_says_so_runs_once(main: Run) -> None:
    (launch,) = main(
        """
        int done, *flag; cudaMalloc(&flag, 4);
        do {
          done = 1;
          k<<<9, 1>>>((float*)flag, 0);
          cudaMemcpy(&done, flag, 4, cudaMemcpyDeviceToHost);
        } while (!done);
        """
    )
    assert launch.grid[0] == 9
    assert launch.certain


def test_endless_loops_end(main: Run) -> None:
    found = main("int i = 0; while (1) { i++; k<<<1, 1>>>(d, i); if (i < 0) break; }")
    assert len(found) == 1


def test_deep_nests_without_launches_are_not_walked(main: Run) -> None:
    loops = "".join(f"for (int i{j} = 0; i{j} < 60; i{j}++) " for j in range(6))
    (launch,) = main(f"int h[64]; {loops} h[i0] = i1 + i5; k<<<3, 1>>>(d, 0);")
    assert launch.grid[0] == 3


def test_what_only_later_trips_launch_is_met_though_nobody_knows_whether_there_are_any(
    main: Run,
) -> None:
    first, later = main(
        'float r = atof(getenv("R")); int n = 100;'
        "for (int i = 1; i <= 5 && r > 0.5f; i++) {"
        " if (i == 1) k<<<n, 32>>>(d, 0); else { n = 7; step(n, d); }"
        ' n = 9; r = atof(getenv("S")); }',
        before="void step(int n, float *d) { if (n == 7) k<<<n, 64>>>(d, 0); }",
    )
    assert [each.grid[0].constant for each in (first, later)] == [100, 7]
    assert not first.certain
    assert not later.certain


BOX = """
#include <cmath>
struct Corner { float x, y; };
struct Atom { float x, y, q; };
__global__ void k(float *p, int n) {}
Atom *load(int *count);
int main() {
  int count; Atom *atoms = load(&count);
  Corner lo, hi;
  float least = atoms[0].y, most = atoms[0].y;
  lo.x = atoms[0].x; hi.x = atoms[0].x;
  %s
  float *d;
  k<<<(int)ceilf(hi.x - lo.x + 1.0f), (int)ceilf(most - least + 1.0f)>>>(d, 0);
}
"""
GROWN = """for (int i = 1; i < count; i++) {
    lo.x = fminf(lo.x, atoms[i].x); hi.x = fmaxf(hi.x, atoms[i].x);
    least = fminf(least, atoms[i].y); most = fmaxf(most, atoms[i].y);
  }"""


@pytest.mark.parametrize(("loop", "known"), [("", True), (GROWN, False)])
def test_unknown_numbers_that_a_loop_moves_apart(loop: str, known: bool, run: Run) -> None:
    (launch,) = run(BOX % loop).launches
    assert launch.grid[0].constant == (1 if known else None)
    assert launch.block[0].constant == (1 if known else None)
