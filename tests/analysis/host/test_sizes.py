"""What is assumed for sizes that a program takes from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.host.values import LaunchContext
from roofline_core.algebra.evaluate import Environment

Run = Callable[..., Any]
"""A fixture that runs source text."""

BEFORE = """
__global__ void k(float *p, int n, int m) {}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), m = atoi(argv[2]);
  float *d; cudaMalloc(&d, %s);
  %s
}
"""


def assumed(run: Run, launch: str, bytes_: str = "n * 4") -> dict[str, float]:
    """Assumptions of the first launch, the command line not being known."""
    launches = run(BEFORE % (bytes_, launch), argv=None).launches
    return {u.name: u.assumed for u in launches[0].unknowns.values()}


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ("k<<<(n + 255) / 256, 256>>>(d, n, 7);", {"argv[1]": 1 << 20}),
        # A block for each.
        ("k<<<n, 256>>>(d, n, 7);", {"argv[1]": 4096}),
        ("k<<<dim3(n / 16, m / 16), dim3(16, 16)>>>(d, n, m);",
         {"argv[1]": 1024, "argv[2]": 1024}),
        ("k<<<n * m / 256, 256>>>(d, n, m);", {"argv[1]": 1024, "argv[2]": 1024}),
        # Of the second nothing but its use within the kernel is known.
        ("k<<<(n + 255) / 256, 256>>>(d, n, m);", {"argv[1]": 1 << 20, "argv[2]": 1024}),
        # The grid says nothing of the size.
        ("k<<<32, 256>>>(d, n, 7);", {"argv[1]": 1024}),
    ],
)  # fmt: skip
def test_a_launch_is_taken_to_be_large(run: Run, launch: str, expected: dict[str, int]) -> None:
    assert assumed(run, launch) == expected


def test_arrays_fit_in_memory(run: Run) -> None:
    found = assumed(run, "k<<<(n + 255) / 256, 256>>>(d, n, 7);", "(size_t)n * n * 4")
    assert found == {"argv[1]": 1 << 14}


def test_a_size_is_the_same_in_all_launches(run: Run) -> None:
    source = BEFORE % ("n * 4", "k<<<n / 64, 64>>>(d, n, 1); k<<<n, 64>>>(d, n, 2);")
    first, second = run(source, argv=None).launches
    assert [u.assumed for u in first.unknowns.values()] == [(1 << 20) + 63]
    assert first.unknowns == second.unknowns


def test_a_default_in_the_code_stays(run: Run) -> None:
    source = """
    __global__ void k(int n) {}
    int main(int argc, char **argv) {
      int n = 5000;
      if (argc > 1) n = atoi(argv[1]);
      k<<<(n + 255) / 256, 256>>>(n);
    }
    """
    (launch,) = run(source, argv=None).launches
    values = {s: u.assumed for s, u in launch.unknowns.items()}
    assert Environment(values).evaluate(launch.grid[0]) == 20


def test_functions_of_headers_are_not_read_where_they_cannot_launch(run: Run) -> None:
    source = """
    __global__ void k(int n) {}
    int quiet(int n) { return n + 1; }
    void outer(int n) { k<<<n, 1>>>(n); }
    struct Runner { void operator()(int n) { outer(n); } };
    int main(int argc, char **argv) { Runner run; run(quiet(4)); }
    """
    (launch,) = run(source).launches
    assert launch.grid[0].constant == 5
    assert launch.certain


@pytest.mark.parametrize("start", ["-1", "0", "INT_MAX", "-2147483647"])
def test_a_search_does_not_end_where_it_starts(run: Run, start: str) -> None:
    body = f"""
      int best = {start.replace("INT_MAX", "2147483647")};
      for (int i = 0; i < m; i++) {{ int v; scanf("%d", &v); if (v > best) best = v; }}
      k<<<best, 256>>>(d, n, best);"""
    found = assumed(run, body)
    assert found["best"] == 4096


@pytest.mark.parametrize(("start", "value"), [("FLT_MAX", 1), ("-FLT_MAX", 1), ("0.25f", 0.25)])
def test_a_search_of_reals_does_not_end_where_it_starts(run: Run, start: str, value: float) -> None:
    body = f"""
      float best = {start.replace("FLT_MAX", "3.402823466e+38f")};
      for (int i = 0; i < m; i++) {{ float v; scanf("%f", &v); if (v < best) best = v; }}
      k<<<256, 256>>>(d, n, best);"""
    assert assumed(run, body)["best"] == value


@pytest.mark.parametrize(
    "option",
    ['option_of("{}")', 'options["{}"].as<int>()', 'options.find("{}")->second.value()'],
)
def test_what_is_told_by_different_texts_is_not_the_same(
    main: Callable[..., list[LaunchContext]], option: str
) -> None:
    """Options that a library reads, for instance: only those of one name are equal."""
    rows, columns, again = (option.format(name) for name in ("rows", "columns", "rows"))
    (launch,) = main(
        f"""
        auto options = parsed(argc, argv);
        int rows = {rows};
        int columns = {columns};
        int again = {again};
        k<<<dim3(rows, columns, again), 1>>>(d, 0);
        """
    )
    assert launch.grid is not None
    x, y, z = launch.grid
    assert x == z
    assert x != y


@pytest.mark.parametrize(
    ("body", "blocks"),
    [
        ("if (n == 0) return 0; return (n + 255) / 256;", lambda n: -(-n // 256)),
        ("if (n < 0) return -1; int b = n / 256; return b;", lambda n: n // 256),
        ("if (n > 65535 * 256) return 65535; return n / 256;", lambda n: min(n // 256, 65535)),
        ("if (n < 256) return 1; return n / 256;", lambda n: max(n // 256, 1)),
    ],
)
def test_a_function_that_may_return_earlier_bounds_what_it_computes(
    run: Run, body: str, blocks: Callable[[int], int]
) -> None:
    (launch,) = run(
        f"""__global__ void k(float *p, int n) {{}}
            int blocks(int n) {{ {body} }}
            void f(float *p, int n) {{ k<<<blocks(n), 256>>>(p, n); }}"""
    ).launches
    assert launch.grid is not None
    (size,) = launch.grid[0].symbols()
    for number in (1 << 10, 1 << 20, 1 << 26):
        assert Environment({size: number}).evaluate(launch.grid[0]) == blocks(number)


DEFAULTS = """
__global__ void k(float *p, int n) {}
int option(int argc, char **argv, const char *name) {
  bool found = false;
  int value = -1;
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], name)) { value = atoi(argv[i + 1]); found = true; }
  return found ? value : 0;
}
int main(int argc, char **argv) {
  float *d;
  cudaMalloc(&d, 1 << 20);
  %s
}
"""


def assumed_of_defaults(run: Run, body: str) -> list[float]:
    """The second argument of each launch, at what is assumed of the command line."""
    found = []
    for launch in run(DEFAULTS % body, argv=None).launches:
        values = {symbol: unknown.assumed for symbol, unknown in launch.unknowns.items()}
        value = Environment(values).evaluate(launch.args[1].value)
        assert isinstance(value, int | float)
        found.append(value)
    return found


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # Where main asks how many arguments there are, it is what it does without any.
        (
            "int n; if (argc == 1) n = 24; else n = option(argc, argv, \"n\"); k<<<8, 64>>>(d, n);",
            24,
        ),
        ("int n = 24; if (argc > 2) n = atoi(argv[2]); else n = 48; k<<<8, 64>>>(d, n);", 48),
        # What is negative says that nothing was given, unless the number is no whole one.
        ("int n = 32; if (rand() % 2) n = -1; k<<<8, 64>>>(d, n);", 32),
        ("int n = -1; if (rand() % 2) n = 32; k<<<8, 64>>>(d, n);", 32),
        ("float n = -0.5f; if (rand() % 2) n = 0.5f; k<<<8, 64>>>(d, n);", -0.5),
        ("int n = -1; if (rand() % 2) n = -2; k<<<8, 64>>>(d, n);", -1),
    ],
)  # fmt: skip
def test_a_default_goes_before_what_stands_for_nothing(
    run: Run, body: str, expected: float
) -> None:
    assert assumed_of_defaults(run, body) == [expected]


@pytest.mark.parametrize("default", [1000, 1024, 1025])
def test_a_default_of_the_source_is_kept_whatever_the_grid(run: Run, default: int) -> None:
    body = f"""
    int n = {default}, b = 4;
    for (int i = 1; i < argc; i += 2) {{
      if (argv[i][1] == 'n') n = atoi(argv[i + 1]);
      else if (argv[i][1] == 'b') b = atoi(argv[i + 1]);
    }}
    k<<<n * b, 256>>>(d, n);
    """
    assert assumed_of_defaults(run, body) == [default]
