"""Loops whose end is data, a search, a bit or a second condition: how often they run."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofline_analysis.counting.trip_estimates import ASSUMED_TRIPS
from roofline_analysis.regions.conditions import trips_of_condition
from roofline_core.algebra.folding import FOLD
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Apply, apply, constant, from_atom, make_symbol

Count = Callable[..., Any]
COUNTER = make_symbol("run", SymbolScope.LOOP, nonnegative=True)


def kernel(body: str, params: str = "") -> str:
    """A kernel of one index ``i`` into ``out``."""
    return f"""
    __global__ void k(float *out, int n{params}) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      {body}
    }}"""


def stores(found: Any) -> float:
    """Stores into ``out`` over the launch."""
    return float(found.accesses["out", "write", 4])


def reason(found: Any) -> str:
    """Why the one loop that was assumed has its trips."""
    (loop,) = found.execution.assumed_trips
    return str(found.execution.regions[loop].why)


S = "out[i] = 1.0f;"
COUNTED: dict[str, tuple[str, Callable[[int, int], int]]] = {
    "an index is added": ("for (int k = 0; k + i < n; k += 4) S", lambda i, n: -(-(n - i) // 4)),
    "two counters meet": (
        "int lo = 0, hi = n; while (lo < hi) { S lo++; hi--; }",
        lambda i, n: -(-n // 2),
    ),
    "a pointer meets another": (
        "const float *p = out, *end = out + n; for (; end - p >= 4; p += 4) S",
        lambda i, n: n // 4,
    ),
    "a shift in the test": ("int m = n; while (m >>= 1) S", lambda i, n: n.bit_length() - 1),
    "a shift after each run": ("for (int m = n; m; m >>= 1) S", lambda i, n: n.bit_length()),
    "the bits of a number": (
        "int bits = 0; while (n >> bits) { S bits++; }",
        lambda i, n: n.bit_length(),
    ),
    "down, stepped first": ("int m = n; while (--m) S", lambda i, n: n - 1),
    "down, stepped last": ("int m = n; do S while (--m);", lambda i, n: n),
    "the smaller of two bounds": ("for (int k = 0; k < n && k < i; k++) S", min),
    "a square below": ("for (int k = 1; k * k <= n; k++) S", lambda i, n: math.isqrt(n)),
    "a shift as bound": ("for (int k = 0; k < n >> 1; k++) S", lambda i, n: n // 2),
    "a vote of the warp": (
        "for (int k = i; __any_sync(~0u, k < n); k += 64) { if (k < n) S }",
        lambda i, n: max(0, -(-(n - i) // 64)),
    ),
    "a vote of the block, on either side": (
        "for (int k = i; __syncthreads_or(k < n && n > 0); k += 64) { if (k < n) S }",
        lambda i, n: max(0, -(-(n - i) // 64)),
    ),
    "put back": (
        "int t = i; for (int o = 0; o < 3; o++) { while (t < n) { S t += 32; } t = i; }",
        lambda i, n: 3 * max(0, -(-(n - i) // 32)),
    ),
}


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("n", [37, 64, 100])
def test_loops_that_the_launch_decides_are_counted(count: Count, name: str, n: int) -> None:
    loop, expected = COUNTED[name]
    found = count(kernel(loop.replace("S", S)), 1, 32, n=n)
    assert not found.execution.assumed_trips
    assert stores(found) == sum(expected(i, n) for i in range(32))


ROWS = "for (int j = row[i]; j < row[i + 1]; j++) { s += val[j]; S }"


@pytest.mark.parametrize("rows", [64, 1000])
def test_the_elements_are_shared_out_over_the_rows(count: Count, rows: int) -> None:
    source = kernel(f"float s = 0; {ROWS.replace('S', S)}", ", const int *row, const float *val")
    sizes = {"row": 4.0 * (rows + 1), "val": 4.0 * 7 * rows}
    found = count(source, 2, 32, n=0, sizes=sizes)
    assert stores(found) == 64 * 7
    assert "'val'" in reason(found)


def test_a_window_around_each_place_is_no_segment(count: Count) -> None:
    source = kernel(
        "int r = rad[i]; for (int k = -r; k <= r; k++) { out[i] = in[i + k]; }",
        ", const float *in, const int *rad",
    )
    sizes = {"in": 4.0 * 1024, "rad": 4.0 * 1024}
    found = count(source, 4, 256, n=0, sizes=sizes)
    assert "shared out" not in reason(found)
    assert stores(found) >= 1024


def test_lanes_that_share_a_row_share_its_elements(count: Count) -> None:
    body = "int r = i / 32; for (int j = row[r] + i % 32; j < row[r + 1]; j += 32)"
    source = kernel(
        f"float s = 0; {body} {{ s += val[j]; {S} }}", ", const int *row, const float *val"
    )
    found = count(source, 1, 64, n=0, sizes={"row": 12.0, "val": 4.0 * 640})
    assert stores(found) == 640


def test_a_window_whose_width_is_data_is_no_segment(count: Count) -> None:
    body = f"""int w = width[i]; float s = 0;
      for (int j = -w; j <= w; j++) {{ s += val[i * n + j * 2]; {S} }}"""
    source = kernel(body, ", const int *width, const float *val")
    found = count(source, 1, 32, n=100, sizes={"val": 4.0 * 100 * 32, "width": 128.0})
    assert stores(found) == 32 * ASSUMED_TRIPS


def test_a_list_of_counts_without_sizes_is_assumed(count: Count) -> None:
    body = f"for (int j = 0; j < len[i]; j++) {{ {S} }}"
    assert stores(count(kernel(body, ", const int *len"), 1, 32, n=0)) == 32 * ASSUMED_TRIPS


def test_a_loop_that_no_thread_comes_to_is_estimated_all_the_same(count: Count) -> None:
    body = f"if (i > n) for (int j = 0; j < len[i]; j++) {{ out[j] = len[j]; {S} }}"
    found = count(kernel(body, ", const int *len"), 1, 32, n=99, sizes={"len": 128.0})
    assert stores(found) == 0


def test_no_loop_runs_past_the_array_it_walks(count: Count) -> None:
    body = f"float s = 0; for (int j = 0; j < len[i]; j++) {{ s += val[i * 5 + j]; {S} }}"
    source = kernel(body, ", const int *len, const float *val")
    found = count(source, 1, 32, n=0, sizes={"val": 4.0 * 5 * 32})
    assert stores(found) == 32 * 5


@pytest.mark.parametrize(
    ("test", "runs"),
    [
        ("p[i + j] != q[j]", 4.0),  # two texts are compared
        ("p[(i + j) % n] - q[j]", 4.0),
        ("p[i + j] == q[j]", 750.0),  # one is looked for
        ("p[i + j] != 7", 750.0),
        ("p[i + j] != n", 750.0),
    ],
)
def test_two_sequences_rarely_agree_for_long(count: Count, test: str, runs: float) -> None:
    body = f"for (int j = 0; j < n; j++) {{ {S} if ({test}) break; }}"
    found = count(kernel(body, ", const char *p, const char *q"), 1, 32, n=1000)
    assert stores(found) == 32 * runs


def test_an_atomic_operation_is_rarely_repeated(count: Count) -> None:
    body = f"""unsigned old = p[i], seen;
      do {{ seen = old; {S} old = atomicCAS(p + i, seen, seen + 1); }} while (seen != old);"""
    found = count(kernel(body, ", unsigned *p"), 1, 32, n=1)
    assert stores(found) == 32
    assert "atomic" in reason(found)


def test_a_struct_passed_by_value_keeps_its_fields(count: Count) -> None:
    before = """struct P { int n; float f; };
    __device__ float by_value(P p, int i) { return p.f * i; }
    __device__ void changed(P &p) { p.n = p.n / 2; }
    """
    loop = "for (int a = 0; a < n; a++) { CALL for (int b = 0; b < p.n; b++) { S } }"
    for call, assumed in (("out[i] = by_value(p, a);", 0), ("changed(p);", 1)):
        body = loop.replace("CALL", call).replace("S", S)
        source = before + kernel(body, ", P p")
        found = count(source, 1, 1, n=3, p__n=10, p__f=1)
        assert len(found.execution.assumed_trips) == assumed


@given(
    start=st.integers(-50, 50),
    slope=st.integers(-6, 6),
    op=st.sampled_from(("lt", "le", "ne")),
)
@settings(max_examples=300)
def test_trips_are_the_first_value_that_fails(start: int, slope: int, op: str) -> None:
    condition = apply(op, constant(start) + slope * from_atom(COUNTER))
    trips = trips_of_condition(condition, COUNTER)
    first = next((c for c in range(200) if not FOLD[op](start + slope * c)), None)
    if condition.constant is not None:
        assert trips == (None if condition.constant else 0)
    elif slope == 0 or (slope < 0 and op != "ne"):
        assert trips is None
    elif op != "ne" or first is not None:
        assert trips is not None
        assert trips.constant == first


def test_a_long_number_is_kept_as_one(count: Count) -> None:
    long = " + ".join(f"(i / {k} % {k + 1})" for k in range(2, 40))
    source = kernel(f"int a = {long}; for (int k = 0; k < a; k++) {{ {S} }}")
    found = count(source, 1, 32, n=1)
    assert not found.execution.assumed_trips
    assert stores(found) == sum(i // k % (k + 1) for i in range(32) for k in range(2, 40))


def test_numbers_that_double_are_given_up_in_time(count: Count) -> None:
    doubling = "a = (a % 1009) * (a / 7 + 3);"
    source = kernel(f"int a = i; {doubling * 60} if (a > n) {{ {S} }}")
    found = count(source, 4, 64, n=5)
    assert 0 <= stores(found) <= 256


def test_a_whole_is_short() -> None:
    n = from_atom(make_symbol("n", SymbolScope.PARAM))
    long = apply("div", apply("mod", n, 7), apply("xor", n, 3))
    (atom,) = apply("whole", long).atoms()
    assert isinstance(atom, Apply)
    assert atom.size == 1
    assert atom.written == long.written + 1
    assert atom.symbols == long.symbols()


@pytest.mark.parametrize(
    ("params", "row", "end", "trips"),
    [
        (", const int *c, const float *p, int w", "i * w + j", "c[i]", 24),
        (", const int *c, const float *p, int w", "(i * w + j) * 3", "c[i]", 24),
        (", const int *c, const float *p, int w", "i / 2 * w + j", "c[i]", 24),
        (", const int *c, const float *p, int w", "i + j * n", "c[i]", ASSUMED_TRIPS),
        (", const int *c, const float *p, int w", "i * w + j", "2 * c[i] + 1", ASSUMED_TRIPS),
    ],
)
def test_a_loop_to_a_loaded_length_runs_through_its_row(
    count: Count, params: str, row: str, end: str, trips: int
) -> None:
    body = f"for (int j = 0; j < {end}; j++) if (i < n) out[i] = p[{row}];"
    found = count(kernel(body, params), n=64, w=24, grid=1, block=64)
    assert stores(found) == 64 * trips


BLOCKS, THREADS = 64, 128


@pytest.mark.parametrize(
    ("loop", "trips"),
    [
        ("for (int k = 0; k < p[0]; k++) S", 1024),
        ("int m = p[3]; for (int k = 0; k < m; k++) S", 1024),
        ("for (int b = 0; b < 4; b++) for (int k = 0; k < p[b]; k++) S", 4 * 1024),
        # A block is no more than 1024 threads: what it has in common may be its own.
        ("for (int k = 0; k < p[blockIdx.x]; k++) S", ASSUMED_TRIPS),
        ("for (int k = 0; k < p[i]; k++) S", ASSUMED_TRIPS),
        # A difference of two loaded numbers is a row's length.
        ("for (int k = p[0]; k < p[1]; k++) S", ASSUMED_TRIPS),
    ],
)
def test_a_length_that_many_threads_have_in_common_is_an_extent(
    count: Count, loop: str, trips: int
) -> None:
    found = count(kernel(loop.replace("S", S), ", const int *p"), BLOCKS, THREADS)
    assert stores(found) == BLOCKS * THREADS * trips


@pytest.mark.parametrize(
    ("place", "trips"),
    [
        ("t / 4096", 1024),  # as many as a batch's pixels
        ("t / w", 1024),
        ("t / 16", ASSUMED_TRIPS),
        ("q[t] / 4096", ASSUMED_TRIPS),  # loaded numbers do not lie side by side
        ("t", ASSUMED_TRIPS),
    ],
)
def test_runs_of_a_loop_share_a_length_as_threads_do(count: Count, place: str, trips: int) -> None:
    body = (
        "for (int t = i; t < n; t += gridDim.x * blockDim.x)"
        f" for (int k = 0; k < p[{place}]; k++) {S}"
    )
    source = kernel(body, ", const int *p, const int *q, int w")
    found = count(source, BLOCKS, THREADS, n=1 << 16, w=8192)
    assert stores(found) == (1 << 16) * trips


@pytest.mark.parametrize(
    ("step", "trips"), [(1, 8), (2, 4), (4, 2), (32, 1), ("blockDim.x", 8), ("n", 1)]
)
def test_lanes_that_share_a_segment_make_fewer_trips(
    count: Count, step: int | str, trips: int
) -> None:
    """A segment of unknown length has 8 elements; those of a whole block are longer."""
    loop = f"for (int j = p[i / 32] + threadIdx.x % 32; j < p[i / 32 + 1]; j += {step}) S"
    found = count(kernel(loop.replace("S", S), ", const int *p"), BLOCKS, THREADS, n=16)
    assert stores(found) == BLOCKS * THREADS * trips


@pytest.mark.parametrize(
    ("left", "trips"),
    [
        ("end - start - 64 * batch", 64),
        ("end - 64 * batch - start", 64),
        # No batch of as many: what is left does not shrink by its length, or not at all.
        ("end - start - 32 * batch", ASSUMED_TRIPS),
        ("end - start", ASSUMED_TRIPS),
    ],
)
def test_a_batch_of_unknown_data_is_full(count: Count, left: str, trips: float) -> None:
    """All but the last have its length: ``for (j = 0; j < min(64, left); j++)``."""
    body = f"""int start = p[blockIdx.x], end = q[blockIdx.x];
      for (int batch = 0; batch < n; batch++)
        for (int j = 0; j < min(64, {left}); j++) {S}"""
    found = count(kernel(body, ", const int *p, const int *q"), 16, 64, n=3)
    assert stores(found) == 16 * 64 * 3 * trips
