"""How often regions run: guards, loops, and samples against every thread."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofline_analysis.counting import thread_sample
from roofline_analysis.counting.progressions import count_satisfying
from roofline_analysis.counting.trip_estimates import ASSUMED_TRIPS

Count = Callable[..., Any]


def guarded(condition: str, params: str = "float *a, int n, int m") -> str:
    """A kernel that stores once in each thread for which a condition holds."""
    return f"""
    __global__ void k({params}) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
      int t = threadIdx.x;
      if ({condition}) a[i] = 1.0f;
    }}"""


Meaning = Callable[[int, int, int, int, int], bool]
GUARDS: list[tuple[str, Meaning]] = [
    ("i < n", lambda i, j, t, n, m: i < n),
    ("i <= n", lambda i, j, t, n, m: i <= n),
    ("n > i", lambda i, j, t, n, m: n > i),
    ("!(i >= n)", lambda i, j, t, n, m: i < n),
    ("i >= n", lambda i, j, t, n, m: i >= n),
    ("i == n", lambda i, j, t, n, m: i == n),
    ("i != n", lambda i, j, t, n, m: i != n),
    ("t == 0", lambda i, j, t, n, m: t == 0),
    ("!t", lambda i, j, t, n, m: t == 0),
    ("t < 32 && i < n", lambda i, j, t, n, m: t < 32 and i < n),
    ("i < n && j < m", lambda i, j, t, n, m: i < n and j < m),
    ("i < n || j < m", lambda i, j, t, n, m: i < n or j < m),
    (
        "i > 0 && i < n - 1 && j > 0 && j < m - 1",
        lambda i, j, t, n, m: 0 < i < n - 1 and 0 < j < m - 1,
    ),
    ("i % 2 == 0", lambda i, j, t, n, m: i % 2 == 0),
    ("(t & 31) == 0", lambda i, j, t, n, m: t & 31 == 0),
    ("i * 3 + 1 < n", lambda i, j, t, n, m: i * 3 + 1 < n),
    ("n - i > 10", lambda i, j, t, n, m: n - i > 10),
    ("i < j", lambda i, j, t, n, m: i < j),
]


@pytest.mark.parametrize(("condition", "meaning"), GUARDS, ids=[text for text, _ in GUARDS])
def test_guards_of_a_small_launch_are_exact(count: Count, condition: str, meaning: Meaning) -> None:
    n, m, grid, block = 75, 6, (3, 2), (32, 4)
    expected = sum(meaning(i, j, i % 32, n, m) for i, j in itertools.product(range(96), range(8)))
    found = count(guarded(condition), grid, block, n=n, m=m)
    assert found.accesses[("a", "write", 4)] == expected


@pytest.mark.parametrize(
    ("condition", "passing"),
    [
        ("i < n", 1_000_003 * 4),
        ("i >= n", (2**20 - 1_000_003) * 4),
        ("i == n", 4),
        ("i != n", (2**20 - 1) * 4),
        ("t == 0", 4096 * 4),
        ("i < n && j < m", 1_000_003 * 3),
        ("i > 0 && i < n - 1 && j > 0 && j < m - 1", 1_000_001 * 1),
        ("n - i > 10", (1_000_003 - 10) * 4),
        ("i < n && j == 2", 1_000_003),
        ("i >= 10 && i < 20 && j >= 1", 30),
        ("i > 100 && i < 50", 0),
        ("i == 70000 && i > 7", 4),
        ("n > i && t >= 0 && m == 3", 1_000_003 * 4),
    ],
)
def test_affine_guards_of_a_large_launch_are_exact(
    count: Count, condition: str, passing: int
) -> None:
    found = count(guarded(condition), (4096, 2), (256, 2), n=1_000_003, m=3)
    assert found.accesses[("a", "write", 4)] == pytest.approx(passing, rel=1e-9)


@pytest.mark.parametrize(
    ("condition", "share", "tolerance"),
    [
        ("i % 2 == 0", 1 / 2, 0.0),
        ("(t & 31) == 0", 1 / 32, 0.0),
        ("i / 64 % 2 == 0", 1 / 2, 0.2),
        ("i < j * 1000000", 1 / 2, 0.2),
        ("i < n && t < 32", 1_000_003 / 2**20 / 8, 0.05),
    ],
)
def test_other_guards_of_a_large_launch_are_close(
    count: Count, condition: str, share: float, tolerance: float
) -> None:
    found = count(guarded(condition), (4096, 2), (256, 1), n=1_000_003, m=3)
    passing = share * 2**21
    assert found.accesses[("a", "write", 4)] == pytest.approx(passing, rel=tolerance + 1e-9)


CLIPPED = "int f = x < 0 ? 0 : x; int e = x > n - 1 ? n - 1 : x; if (f == e)"


@pytest.mark.parametrize("guard", ["if (x >= 0 && x < n)", "if (x >= 0) if (x < n)", CLIPPED])
def test_a_grid_far_larger_than_its_data(count: Count, guard: str) -> None:
    """Tiles of 240 that overlap by 10: the first 417 of 400,000 blocks have work."""
    source = f"""
    __global__ void k(float *a, int n) {{
      int x = 240 * blockIdx.x - 5 + threadIdx.x;
      {guard} a[x] = 1.0f;
    }}"""
    found = count(source, 400_000, 250, n=100_000)
    passing = sum(0 <= 240 * b - 5 + t < 100_000 for b in range(418) for t in range(250))
    assert found.accesses[("a", "write", 4)] == pytest.approx(passing, rel=0.01)


def test_blocks_in_the_middle_of_a_large_grid(count: Count) -> None:
    source = """
    __global__ void k(float *a, int from, int to) {
      if (blockIdx.y * 3 >= from && blockIdx.y * 3 < to && threadIdx.x < 7) a[threadIdx.x] = 1.0f;
    }"""
    found = count(source, (8, 60_000), 64, **{"from": 90_000, "to": 90_030})
    assert found.accesses[("a", "write", 4)] == pytest.approx(8 * 10 * 7, rel=1e-9)


def test_a_guard_that_no_sampled_thread_passes_still_runs_for_those_that_do(count: Count) -> None:
    found = count(guarded("i == n"), 40_000, 256, n=5_000_001)
    assert found.accesses[("a", "write", 4)] == pytest.approx(1)


def test_a_condition_on_data_is_assumed_and_said_to_be(count: Count) -> None:
    found = count(guarded("a[j] > 0.0f"), 4, 64, n=1)
    (region,) = found.execution.assumed_conditions
    assert found.execution.regions[region].assumed
    assert 0 < found.accesses[("a", "write", 4)] < 256


LOOPS: dict[str, tuple[str, Callable[[int, int], int]]] = {
    "grid stride": ("for (int k = i; k < n; k += gridDim.x * blockDim.x) S", lambda n, threads: n),
    "same for all": ("for (int k = 0; k < n; k++) S", lambda n, threads: n * threads),
    "by thread": (
        "for (int k = i; k < n; k++) S",
        lambda n, threads: sum(n - i for i in range(min(n, threads))),
    ),
    "triangle": (
        "for (int k = 0; k < 40; k++) for (int l = k; l < 40; l++) S",
        lambda n, threads: threads * 40 * 41 // 2,
    ),
    "guard inside": (
        "for (int k = 0; k < 40; k++) if (k % 4 == 1) S",
        lambda n, threads: threads * 10,
    ),
    "halving": (
        "for (int h = blockDim.x / 2; h > 0; h >>= 1) if (threadIdx.x < h) S",
        lambda n, threads: threads // 64 * 63,
    ),
}


def looped(loop: str) -> str:
    """A kernel that adds to memory in each run of a loop."""
    return f"""
    __global__ void k(float *a, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      {loop.replace("S", "atomicAdd(a, 1.0f);")}
    }}"""


def runs(found: Any) -> Any:
    """How often the atomic addition runs."""
    return found.accesses.get(("a", "atomic", 4), 0.0)


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("n", [0, 1, 100, 1000])
def test_loops_of_a_small_launch_are_exact(count: Count, name: str, n: int) -> None:
    loop, expected = LOOPS[name]
    assert runs(count(looped(loop), 2, 64, n=n)) == expected(n, 128)


CLAMPED = (
    "__device__ int clamped(int i, int n) { if (i < 0) return 0; if (i >= n) return n; return i; }"
)
FOUND = (
    "__device__ int first(int n) { for (int l = 0; l < 10; l++) if (l == n) return l; return 0; }"
)
ENDINGS = {
    "a call in each trip": (
        CLAMPED,
        "for (int k = 0; k < 9; k++) { n += clamped(i - k, 5); S }",
        9,
    ),
    "a lambda in each trip": (
        "",
        (
            "auto f = [](int v) { if (v < 7) return 0; return v; }; "
            "for (int k = 0; k < 9; k++) { n += f(i - k); S }"
        ),
        9,
    ),
    "a loop of the callee's own": (FOUND, "for (int k = 0; k < 9; k++) { n += first(k); S }", 9),
    "a return of the kernel's": ("", "for (int k = 0; k < 9; k++) { if (k == 4) return; S }", 4),
    "a break": ("", "for (int k = 0; k < 9; k++) { if (k == 4) break; S }", 4),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_a_callee_that_returns_does_not_end_the_loop_around_its_call(
    count: Count, name: str
) -> None:
    functions, loop, trips = ENDINGS[name]
    assert runs(count(functions + looped(loop), 2, 64, n=1)) == 128 * trips


@pytest.mark.parametrize("name", LOOPS)
def test_a_sample_agrees_with_all_threads(
    count: Count, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, expected = LOOPS[name]
    monkeypatch.setattr(thread_sample, "_MAX_LANES", 256)
    found = runs(count(looped(loop), 32, 64, n=3000))
    assert found == pytest.approx(expected(3000, 2048), rel=0.1)


BLOCKS, THREADS = 5000, 256
NESTS: dict[str, tuple[str, Callable[[int], int]]] = {
    "a guard that halves": (
        "int act = blockDim.x; for (int k = 0; k < 9; k++) { if (t < act) S act >>= 1; }",
        lambda t: sum(t < 256 >> k for k in range(9)),
    ),
    "halves, last first": (
        "for (int k = 7; k >= 0; k--) if (t < 1 << k) S",
        lambda t: sum(t < 1 << k for k in range(8)),
    ),
    "a tree of pairs": (
        "for (int h = 1; h < blockDim.x; h *= 2) if (t % (2 * h) == 0) S",
        lambda t: sum(t % (2 << k) == 0 for k in range(8)),
    ),
    "a scan": (
        "for (int h = 1; h < blockDim.x; h *= 2) { if (t >= h) S }",
        lambda t: sum(t >= 1 << k for k in range(8)),
    ),
    "two loops decide": (
        "for (int k = 0; k < 7; k++) for (int l = 0; l < 5; l++) if (k * l < t) S",
        lambda t: sum(k * m < t for k in range(7) for m in range(5)),
    ),
    "as long as the lane": ("for (int k = 0; k < t; k++) S", lambda t: t),
    "what is left of a row": (
        "for (int k = t; k < 200; k += 3) S",
        lambda t: len(range(t, 200, 3)),
    ),
    "inside a guard": (
        "if (t < 100) for (int k = 0; k < t; k++) if (k % 4 == 1) S",
        lambda t: sum(k % 4 == 1 for k in range(t)) if t < 100 else 0,
    ),
    "a band": (
        "for (int k = 0; k < 9; k++) for (int l = max(0, t - 32 * k); l <= min(31, 99 - t); l++) S",
        lambda t: sum(max(0, min(31, 99 - t) - max(0, t - 32 * k) + 1) for k in range(9)),
    ),
}


@pytest.mark.parametrize("name", NESTS)
def test_what_few_indices_and_counters_decide_is_exact_in_a_large_launch(
    count: Count, name: str
) -> None:
    loop, expected = NESTS[name]
    found = runs(count(looped(f"int t = threadIdx.x; {loop}"), BLOCKS, THREADS, n=1))
    assert found == pytest.approx(BLOCKS * sum(map(expected, range(THREADS))), rel=1e-9)


@pytest.mark.parametrize("loop", ["", "for (int k = 0; k < 1; k++)"])
def test_the_faces_of_a_grid_in_one_linear_index_are_close(count: Count, loop: str) -> None:
    """More threads than are tried one by one: a sample finds planes of a few blocks among many."""
    n = 96
    cell = f"int x = i % {n}, y = i / {n} % {n}, z = i / {n * n};"
    inside = " && ".join(f"{axis} > 0 && {axis} < {n - 1}" for axis in "xyz")
    source = looped(f"{cell} {loop} if ({inside}) S")
    assert runs(count(source, n**3 // 256, 256, n=1)) == pytest.approx((n - 2) ** 3, rel=2e-3)


def test_what_hardly_a_thread_of_a_sample_does_is_not_told_by_it(count: Count) -> None:
    """Twelve threads of five million: the blocks at which conditions turn have them."""
    source = looped("if (blockIdx.x == 4567 && i % 20 == 3) S")
    assert runs(count(source, 20_000, 256, n=1)) == pytest.approx(12, abs=4)


def test_many_trips_of_every_thread_are_counted_exactly(count: Count) -> None:
    loop = "for (int k = 0; k < 190; k++) for (int l = 0; l < 31 * (k % 3 + i % 2); l++) S"
    found = runs(count(looped(loop), 12, 32, n=1))
    assert found == sum(31 * (k % 3 + i % 2) for k in range(190) for i in range(384))


def test_a_triangle_too_large_to_enumerate_is_close(count: Count) -> None:
    loop = "for (int k = 0; k < n; k++) for (int l = k; l < n; l++) S"
    n = 20_000
    assert runs(count(looped(loop), 8, 256, n=n)) == pytest.approx(2048 * n * (n + 1) / 2, rel=0.01)


def test_a_loop_of_unknown_trips_is_assumed_and_said_to_be(count: Count) -> None:
    found = count(looped("for (int k = 0; k < (int)a[k]; k++) S"), 1, 32, n=1)
    assert len(found.execution.assumed_trips) == 1
    assert runs(found) == 32 * ASSUMED_TRIPS


@pytest.mark.parametrize("grid", [(1, 1, 1), (3, 5, 7), (100_000, 3, 2), (1, 65535, 1)])
@pytest.mark.parametrize("block", [(1, 1, 1), (1000, 1, 1), (33, 3, 2), (7, 1, 1)])
def test_weights_of_a_sample_add_up_to_all_threads(
    count: Count, grid: tuple[int, int, int], block: tuple[int, int, int]
) -> None:
    found = count("__global__ void k(float *a) { a[0] = 1.0f; }", grid, block)
    assert found.accesses[("a", "write", 4)] == pytest.approx(found.execution.threads, rel=1e-12)


@pytest.mark.parametrize("value", [10**400, -(10**400), float("inf"), float("nan"), 2.5, -1])
def test_odd_arguments_do_not_break_the_count(count: Count, value: float) -> None:
    loop = "for (int k = 0; k < n; k++) for (int l = k; l < n * n; l += 3) if (l / n < i) S"
    found = count(looped(loop), 8, 256, n=value)
    assert not np.isnan(runs(found))


_integers = st.integers(-60, 60)


@settings(max_examples=300)
@given(st.sampled_from(("lt", "le", "eq", "ne")), _integers, _integers, st.integers(1, 40))
def test_count_satisfying_counts_a_progression(op: str, start: int, step: int, count: int) -> None:
    holds = {
        "lt": lambda v: v < 0,
        "le": lambda v: v <= 0,
        "eq": lambda v: v == 0,
        "ne": lambda v: v != 0,
    }
    expected = sum(holds[op](start + step * j) for j in range(count))
    assert count_satisfying(op, float(start), float(step), count) == expected
