"""Conditions that are not decided, and launch sites that main does not lead to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_core.algebra.evaluate import Environment

Run = Callable[..., Any]
"""A fixture that runs source text."""


def test_usage_exit_is_not_taken_when_the_command_line_is_unknown(run: Run) -> None:
    source = """
    __global__ void k(int n) {}
    int main(int argc, char **argv) {
      if (argc != 3) { printf("usage"); return 1; }
      int n = atoi(argv[1]);
      k<<<(n + 127) / 128, 128>>>(n);
    }
    """
    (launch,) = run(source, argv=None).launches
    assert launch.block[0] == 128
    assert launch.grid[0].constant is None
    assert [u.name for u in launch.unknowns.values()] == ["argv[1]"]
    assert launch.args[0].origin.text == "argv[1]"
    assert launch.certain


def test_grid_and_argument_share_their_symbol(run: Run) -> None:
    source = """
    __global__ void k(int n) {}
    int main(int argc, char **argv) { int n = atoi(argv[1]); k<<<n * 2, 1>>>(n); }
    """
    (launch,) = run(source, argv=None).launches
    assert launch.grid[0] == launch.args[0].value * 2


def test_the_usage_exit_is_taken_where_it_applies(run: Run) -> None:
    source = """
    __global__ void k(int n) {}
    int main(int argc, char **argv) {
      if (argc != 3) return 1;
      k<<<4, 1>>>(1);
    }
    """
    (launch,) = run(source, argv=[]).launches
    assert not launch.certain


def test_both_sides_of_an_undecided_condition_are_executed(main: Run) -> None:
    found = main(
        "int a = rand(); int n = 8;"
        "if (a > 5) { n = 16; k<<<1, 1>>>(d, 0); } else k<<<2, 1>>>(d, 0);"
        "k<<<n, 2>>>(d, 0);"
    )
    assert [launch.certain for launch in found] == [False, False, True]
    assert found[2].grid[0].constant is None
    (unknown,) = found[2].unknowns.values()
    assert (unknown.name, unknown.assumed) == ("n", 8)


def test_values_that_agree_stay_known(grid_x: Run) -> None:
    assert grid_x("int a = rand(), x = 4; if (a > 5) { x = 4; } else { a = 1; }") == 4


def test_errors_do_not_end_the_program(grids: Run) -> None:
    body = 'FILE *f = fopen("x", "r"); int n; if (fscanf(f, "%d", &n) != 1) exit(1); '
    assert grids(body + "k<<<3, 1>>>(d, n);") == [(3, 1, 1)]


def test_what_is_read_from_a_file_is_named_after_it(main: Run) -> None:
    (launch,) = main(
        'int n; FILE *f = fopen("sizes.txt", "r"); fscanf(f, "%d", &n); k<<<n, 1>>>(d, n);'
    )
    (unknown,) = launch.unknowns.values()
    assert unknown.name == "n"
    assert "sizes.txt" in unknown.why


def test_functions_nobody_calls_are_executed_with_unknown_parameters(run: Run) -> None:
    source = """
    __global__ void k(const float *p, int n) {}
    void apply(const float *p, int n) { k<<<(n + 255) / 256, 256>>>(p, n); }
    """
    (launch,) = run(source).launches
    assert not launch.certain
    assert launch.block[0] == 256
    assert [u.name for u in launch.unknowns.values()] == ["n"]


def test_callers_are_executed_before_what_they_call(run: Run) -> None:
    source = """
    __global__ void k(int n) {}
    void inner(int n) { k<<<n, 32>>>(n); }
    void outer() { inner(12); }
    """
    (launch,) = run(source).launches
    assert launch.grid[0] == 12


def test_a_site_behind_a_false_condition_is_still_found(run: Run) -> None:
    source = """
    __global__ void a(int n) {}
    __global__ void b(int n) {}
    int device = -1;
    int main() {
      a<<<1, 1>>>(0);
      if (device >= 0) b<<<5, 1>>>(0);
    }
    """
    launches = run(source).launches
    assert [(x.kernel.name, x.certain) for x in launches] == [("a", True), ("b", False)]


def test_the_program_ends_at_exit(run: Run) -> None:
    source = """
    __global__ void k(int n) {}
    int main() { k<<<1, 1>>>(0); exit(0); }
    """
    assert len(run(source).launches) == 1


def test_an_early_return_on_unknown_data_makes_the_result_unknown(main: Run) -> None:
    before = """
    int more(float *h, int n) {
      for (int i = 0; i < n; i++) if (h[i] > 0.5f) return 1;
      return 0;
    }
    """
    body = """
    float *h = (float*)malloc(4000);
    while (more(h, 1000)) { k<<<6, 1>>>(d, 0); cudaMemcpy(h, d, 4000, cudaMemcpyDeviceToHost); }
    """
    (launch,) = main(body, before=before)
    assert launch.grid[0] == 6


def test_unknown_repeat_counts_are_taken_as_one(run: Run) -> None:
    source = """
    __global__ void k(int n) {}
    int main(int argc, char **argv) {
      int n = atoi(argv[1]), repeat = atoi(argv[2]);
      for (int i = 0; i < repeat; i++) k<<<n, 1>>>(n);
    }
    """
    (launch,) = run(source, argv=None).launches
    assumed = {u.name: u.assumed for u in launch.unknowns.values()}
    assert assumed == {"argv[1]": 1 << 20, "argv[2]": 1}
    assert launch.repeat is not None
    assert launch.certain


def test_of_a_return_and_an_exit_the_return_is_the_way_on(main: Run) -> None:
    before = """
    int lines(FILE *file) {
      char line[80];
      if (fgets(line, 80, file) != NULL) { return 3; } else { fprintf(stderr, "no"); exit(1); }
    }
    int others(FILE *file) {
      char line[80];
      if (fgets(line, 80, file) == NULL) { exit(1); } else { return 5; }
    }
    """
    (launch,) = main('FILE *f = fopen("x", "r"); k<<<lines(f), others(f)>>>(d, 0);', before=before)
    assert launch.grid[0].constant == 3
    assert launch.block[0].constant == 5


def test_the_exit_after_a_search_does_not_end_the_program(main: Run) -> None:
    before = """
    void find(FILE *file, const char *word, int *count) {
      char line[80];
      while (fgets(line, 80, file)) if (strstr(line, word)) { *count = atoi(line); return; }
      fprintf(stderr, "no %s", word);
      exit(1);
    }
    """
    body = """
    FILE *f = fopen("x", "r"); int n = 4; find(f, "rows", &n);
    k<<<(n + 255) / 256, 256>>>(d, n);
    """
    (launch,) = main(body, before=before)
    assert launch.certain
    (unknown,) = launch.unknowns.values()
    assert launch.args[1].value.symbols() == {unknown.symbol}
    assert launch.grid[0].symbols() == {unknown.symbol}


def test_an_exit_that_nothing_stands_before_ends_the_program(main: Run) -> None:
    before = """
    void stop(int code) { fprintf(stderr, "bye"); exit(code); }
    """
    assert not [x for x in main("stop(3); k<<<7, 1>>>(d, 1);", before=before) if x.certain]


def test_a_size_behind_an_unknown_pointer_is_not_zero(run: Run) -> None:
    source = """
    struct Tensor { long ne[4]; Tensor *src[2]; };
    __global__ void k(long n) {}
    void op(Tensor *t) {
      Tensor *s = t->src[0];
      const long n = (s) ? (s)->ne[0] : 0, m = s ? t->ne[0] : 7;
      k<<<n * m, 32>>>(n);
    }
    """
    (launch,) = run(source).launches
    assert launch.grid[0].constant is None
    assert launch.args[0].value.constant is None
    assert {u.name for u in launch.unknowns.values()} == {"src[0].ne[0]", "ne[0]"}


def test_an_unknown_number_beside_a_known_one_stays_unknown(run: Run) -> None:
    source = """
    struct Tensor { long ne[4]; Tensor *src[2]; };
    __global__ void k(long n) {}
    void op(Tensor *t, int flag) { long n = flag ? t->src[0]->ne[0] : 0; k<<<n, 32>>>(n); }
    """
    (launch,) = run(source).launches
    assert launch.grid[0].constant is None
    assert "src[0].ne[0]" in {u.name for u in launch.unknowns.values()}


@pytest.mark.parametrize(
    "jump",
    [
        "while (x++ < 5) { if (rand() % 2) continue; break; }",
        "for (;;) { x++; if (rand() % 2) continue; if (x) break; }",
        "while (x++ < 5) { if (rand() % 2) { y++; continue; } break; }",
    ],
)
def test_where_a_trip_may_be_left_out_the_number_of_trips_is_open(main: Run, jump: str) -> None:
    (launch,) = main(f"int x = 0, y = 0; {jump} k<<<x, 32>>>(d, 0);")
    assert launch.grid[0].constant is None


def test_which_line_of_a_file_a_search_ends_at_is_open(run: Run) -> None:
    source = """
    __global__ void k(int n) {}
    bool wanted(int);
    static bool next(int &line) {
      while (line++ < 5) {
        if (!wanted(line)) continue;
        return true;
      }
      return false;
    }
    int main() { int line = 0; if (!next(line)) return 1; k<<<line, 1>>>(line); }
    """
    (launch,) = run(source).launches
    assert launch.grid[0].constant is None


def test_a_decided_search_ends_where_it_ends(main: Run) -> None:
    (launch,) = main(
        "int x = 0; while (x++ < 5) { if (x != 3) continue; break; } k<<<x, 1>>>(d, 0);"
    )
    assert launch.grid[0].constant == 3


def _at(text: str, call: str) -> str:
    return f'std::string s = "{text}"; int x = (int)s.{call}; k<<<x + 2, 1>>>(d, 0);'


@pytest.mark.parametrize(
    ("text", "call", "found"),
    [
        ("a,b;c", 'find_first_of(";,")', 1),
        ("a,b;c", 'find_last_of(",;")', 3),
        ("  x y", 'find_first_not_of(" ")', 2),
        ("x y  ", 'find_last_not_of(" ")', 2),
        ("abcabc", 'find("bc", 2)', 4),
        ("abcabc", 'rfind("bc", 3)', 1),
        ("abcabc", "find('c', 3)", 5),
        ("abcabc", "find_last_of('a', 2)", 0),
        ("abc", 'find_first_of("xyz")', -1),
        ("   ", 'find_first_not_of(" ")', -1),
        ("", 'find_last_not_of(" ")', -1),
        ("abc", 'find("", 9)', -1),
    ],
)
def test_searches_of_strings(main: Run, text: str, call: str, found: int) -> None:
    (launch,) = main(_at(text, call))
    assert launch.grid[0].constant == found + 2


@pytest.mark.parametrize(("blocks", "width"), [(1, 1), (65535, 65535), (65536, 256), (70000, 265)])
def test_what_a_condition_on_numbers_chooses_stays_tied_to_them(
    blocks: int, width: int, run: Run
) -> None:
    source = """
    __global__ void k(float *p, size_t n) {}
    dim3 shape(size_t n) {
      size_t all = (n - 1) / 512 + 1, x = all, y = 1;
      if (x > 65535) { x = ceil(sqrt(all)); y = (n - 1) / (x * 512) + 1; }
      dim3 d; d.x = x; d.y = y; d.z = 1; return d;
    }
    void fill(float *p, size_t n) { k<<<shape(n), 512>>>(p, n); }
    """
    (launch,) = run(source, argv=None).launches
    (number,) = (s for s, u in launch.unknowns.items() if u.name == "n")
    environment = Environment({number: blocks * 512})
    assert environment.evaluate(launch.grid[0]) == width
