"""What loops add up that are not executed: random amounts, counts by element, running sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.launch.host_numbers import HostNumbers
from roofline_core.algebra.symbolic import constant

Run = Callable[..., Any]


@pytest.fixture
def about(main: Run) -> Callable[..., float | None]:
    """The average of a number of blocks, where one is known."""

    def made(body: str, before: str = "") -> float | None:
        (launch,) = main(
            f"const int n = 100000; int x = 0; {body} k<<<x, 1>>>(d, 0);", before=before
        )
        extent = launch.grid[0]
        host = HostNumbers(launch.unknowns)
        number = host.number(extent)
        return None if host.is_open(extent) or number is None else float(number)

    return made


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for (int i = 0; i < n; i++) x += rand() % 9 + 1;", 500_000),
        ("for (int i = 0; i < n; i++) x += (rand() % 10 + 1) * 100;", 55_000_000),
        ("x = 7; for (int i = 0; i < n; i++) { int m = rand() % 3; x = x + m; }", 100_007),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) x += rand() % 2;", 200_000),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < 9000; j++) x += rand() % 2;", 450e6),
        ("for (int i = 0; i < n; i++) x += i % 4;", 150_000),
    ],
)
def test_a_sum_of_amounts_that_differ_is_known_on_average(
    about: Callable[..., float | None], body: str, expected: float
) -> None:
    assert about(body) == pytest.approx(expected, rel=0.03)


def test_a_sum_over_a_size_that_is_not_known_grows_with_it(main: Run) -> None:
    (launch,) = main(
        "int m = atoi(argv[1]), x = 0; for (int i = 0; i < m; i++) x += rand() % 9 + 1;"
        "k<<<x, m>>>(d, 0);",
    )
    blocks, threads = launch.grid[0], launch.block[0]
    (size,) = threads.symbols()
    for number in (1000, 64_000):
        found = blocks.substitute({size: constant(number)}).constant
        assert found == pytest.approx(5 * number, rel=0.03)


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) if (rand() % 2) x += 5;",
        "for (int i = 0; i < n; i++) x += atoi(argv[i]);",
        "x = 1; for (int i = 0; i < n; i++) x = x * 3 + rand() % 2;",
        "x = -1; for (int i = 0; i < n; i++) if (rand() > x) x = rand();",
        "for (int i = 0; i < n; i++) { x += rand() % 5; if (x > 77) break; x = 0; }",
    ],
)
def test_other_sums_are_assumed(about: Callable[..., float | None], body: str) -> None:
    assert about(body) is None


COUNTS = "int *c = new int[n], *s = new int[n + 1], *of = new int[8 * n];"
ZEROED = "for (int i = 0; i < n; i++) c[i] = 0;"
COUNTED = "for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) ++c[of[8 * i + j]];"
TWO_EACH = "for (int i = 0; i < n; i++) c[i] = 3; for (int i = 0; i < n; i++) c[of[i]] += 2;"
RANDOM = "for (int i = 0; i < n; i++) c[i] = rand() % 7;"
READ = "fread(c, 4, n, stdin);"


@pytest.mark.parametrize(
    ("counting", "term", "expected"),
    [
        (ZEROED + COUNTED, "s[i] + c[i]", 8),
        (ZEROED + COUNTED + COUNTED, "s[i] + c[i]", 16),
        (RANDOM, "s[i] + c[i]", 3),
        (TWO_EACH, "s[i] + c[i]", 5),
        (COUNTED, "s[i] + c[i]", None),
        (ZEROED + COUNTED, "s[i] + of[i]", None),
        (ZEROED + COUNTED, "s[i] * c[i]", None),
        (ZEROED + COUNTED, "c[i] + s[i]", None),
        (ZEROED + COUNTED + READ, "s[i] + c[i]", None),
    ],
)
@pytest.mark.parametrize("first", [0, 100_000])
def test_the_last_running_sum_of_counts_is_their_total(
    about: Callable[..., float | None],
    counting: str,
    term: str,
    expected: float | None,
    first: int,
) -> None:
    summed = f"s[0] = {first}; for (int i = 0; i < n; i++) s[i + 1] = {term};"
    found = about(f"{COUNTS} {counting} {summed} x = s[n];")
    total = None if expected is None else pytest.approx(first + expected * 100_000, rel=0.02)
    assert found == total


def test_running_sums_may_be_written_from_one_on(about: Callable[..., float | None]) -> None:
    summed = "s[0] = 0; for (int i = 1; i <= n; i++) s[i] = s[i - 1] + c[i - 1];"
    assert about(f"{COUNTS} {ZEROED} {COUNTED} {summed} x = s[n];") == 800_000


def test_counts_by_an_unknown_element_are_forgotten_in_short_loops_too(main: Run) -> None:
    (launch,) = main(
        "int *c = (int *)calloc(64, 4); for (int i = 0; i < 8; i++) ++c[rand()];"
        "k<<<c[3], 1>>>(d, 0);"
    )
    assert launch.grid[0].constant is None


def test_a_function_that_only_reads_counts_a_loop(main: Run) -> None:
    (launch,) = main(
        "D a; a.n = 5000; int x = 0; for (int i = 0; i < a.count(); i++) x += 2; a.run(d, x);",
        before="""
        struct D {
          int n; int &count() { return n; }
          void run(float *d, int x) {
            int y = 0; for (int i = 0; i < count(); ++i) y += 3;
            k<<<x, y>>>(d, 0);
          }
        };""",
    )
    assert [each.constant for each in (launch.grid[0], launch.block[0])] == [10_000, 15_000]


def test_a_function_that_reads_what_the_loop_changes_does_not(main: Run) -> None:
    (launch,) = main(
        "int x = 0; for (int i = 0; i < limit(); ++i) { x += 2; bound = bound - 1; }"
        " k<<<x, 1>>>(d, 0);",
        before="int bound = 5000; int limit() { return bound; }",
    )
    assert launch.grid[0].constant is None


def test_a_store_to_one_array_of_an_object_leaves_the_others(main: Run) -> None:
    (launch,) = main(
        "D *p = new D; p->sizes = new int[4]; p->sizes[2] = 77; p->a = new float[100000];"
        "for (int i = 0; i < 100000; i++) p->a[i] = i; k<<<p->sizes[2], 1>>>(d, 0);",
        before="struct D { int *sizes; float *a; };",
    )
    assert launch.grid[0].constant == 77


BOXES = "struct P { int x, y; }; struct B { P at; int w, h; float *p; };"
MANY = "B *b = (B *)malloc(n * sizeof(B));"


def filled(*stores: str) -> str:
    return f"for (int i = 0; i < n; i++) {{ {' '.join(stores)} }}"


@pytest.mark.parametrize(
    ("filling", "read", "expected"),
    [
        (filled("b[i].w = 64 + rand() % 128;", "b[i].h = 3;"), "b[7].w", 127.5),
        (filled("b[i].w = 64 + rand() % 128;", "b[i].h = 3;"), "b[7].h", 3),
        (filled("b[i].w = 64 + rand() % 128;") + filled("b[i].h = 3;"), "b[0].w", 127.5),
        (filled("B &r = b[i];", "r.w = rand() % 101;"), "b[3].w", 50),
        (filled("B *r = b + i;", "r->w = rand() % 101;"), "(b + 3)->w", 50),
        (filled("B r;", "r.w = rand() % 101;", "b[i] = r;"), "b[3].w", 50),
        (filled("b[i].at.x = 10 + rand() % 21;"), "b[3].at.x", 20),
        (filled("b[i].w = 5 + rand() % 3;") + "B q = b[9];", "q.w", 6),
        (filled("b[i].w = 5;", "b[i].w = rand() % 3;") + "b[4].w = 77;", "b[4].w", 77),
        (filled("b[i].w = 8;") + filled("if (rand() % 2) b[i].w = 2;"), "b[4].w", None),
        (filled("b[i].w = 8;") + "b[rand()].w = 2;", "b[4].w", None),
        (filled("b[i].w = 8;") + "read_all(b);", "b[4].w", None),
        (filled("b[i].w = i;"), "b[4].w", None),
        (filled("b[2 * i].w = rand() % 3;"), "b[4].h", None),
        (filled("b[i].w = atoi(argv[i]);"), "b[4].w", None),
    ],
)
def test_objects_of_an_array_have_the_numbers_that_a_loop_gives_them(
    about: Callable[..., float | None], filling: str, read: str, expected: float | None
) -> None:
    found = about(f"{MANY} {filling} x = {read};", BOXES)
    assert found == (None if expected is None else pytest.approx(expected, abs=1))


@pytest.mark.parametrize(
    ("filling", "expected"),
    [
        ("c[i] = 10 + rand() % 21;", 20),
        ("c[i] = 12;", 12),
        ("c[i] = 2 * i;", None),
        ("c[i] = rand() % (i + 1);", None),
    ],
)
def test_an_element_of_an_array_is_like_the_others_if_chance_made_them(
    about: Callable[..., float | None], filling: str, expected: float | None
) -> None:
    found = about(f"int *c = new int[n]; {filled(filling)} x = c[4];")
    assert found == (None if expected is None else pytest.approx(expected, abs=1))


def test_a_grid_and_an_argument_of_one_object_agree(main: Run) -> None:
    launch, *_ = main(
        f"const int n = 100000; {MANY} {filled('b[i].w = 64 + rand() % 128;')}"
        "for (int i = 0; i < n; i++) k<<<(b[i].w + 7) / 8, 8>>>(d, b[i].w);",
        before=BOXES,
    )
    host = HostNumbers(launch.unknowns)
    width = launch.args[1]
    found = host.number(width.value)
    assert found is not None
    assert host.number(launch.grid[0]) == (found + 7) // 8 == 16
    assert launch.grid[0].symbols() == width.value.symbols()
