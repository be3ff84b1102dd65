"""Odd programs and hand-made trees give launches and problems, never exceptions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.host import HostOptions, execute_host
from roofline_core.algebra.symbolic import constant
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Program, Span, TranslationUnit

Run = Callable[..., Any]
"""A fixture that runs source text."""


PATH = Path("hand.cu")
SPAN = Span(1, 0, 1, 1)


def _function(
    name: str, body: st.Block | None, qualifiers: frozenset[str] = frozenset()
) -> Function:
    return Function(
        name, name, PATH, SPAN, SPAN, Type("int"), (), (), qualifiers, read_body=lambda: body
    )


def _program(*statements: st.Statement) -> Program:
    kernel = _function("k", st.Block(1, ()), frozenset({"__global__"}))
    main = _function("main", st.Block(1, statements))
    return Program((TranslationUnit(PATH, (kernel, main)),))


def _launch(grid: ex.Expression | None) -> st.Statement:
    one = ex.Literal(2, 1, "int")
    return st.Evaluate(2, ex.Launch(2, ex.Name(2, "k"), grid, one, None, None, ()))


def test_a_hand_made_launch() -> None:
    result = execute_host(_program(_launch(ex.Literal(2, 6, "int"))), [])
    (launch,) = result.launches
    assert launch.grid is not None
    assert (launch.grid[0].constant, launch.line, launch.path) == (6, 2, PATH)
    assert result.problems == ()


@pytest.mark.parametrize(
    "odd",
    [
        ex.Unknown(3, "?? what"),
        ex.Name(3, "nowhere"),
        ex.Member(3, ex.Name(3, "nowhere"), "field"),
        ex.Index(3, ex.Literal(3, None, "nullptr"), ex.Literal(3, 0, "int")),
        ex.Unary(3, "*", ex.Literal(3, None, "nullptr")),
        ex.Call(3, ex.Name(3, "nobody"), (ex.Unknown(3, "?"),)),
        ex.Call(3, ex.Literal(3, 1, "int"), ()),
        ex.Binary(3, "/", ex.Literal(3, 1, "int"), ex.Literal(3, 0, "int")),
        ex.Binary(3, "<<", ex.Literal(3, 1, "int"), ex.Literal(3, 900, "int")),
        ex.Cast(3, Type("Nothing", pointers=2), ex.Unknown(3, "?")),
        ex.SizeOf(3, Type("Nothing")),
        ex.InitList(3, ()),
        ex.Construct(3, Type("std::vector", (Type("Nothing"),)), ()),
        ex.New(3, Type("Nothing"), ex.Unknown(3, "?")),
        ex.Call(3, ex.Member(3, ex.Literal(3, 1, "int"), "f"), ()),
        ex.Call(3, ex.Name(3, "strlen"), ()),
        ex.Call(3, ex.Name(3, "cudaMalloc"), ()),
        ex.Call(3, ex.Name(3, "memcpy"), (ex.Literal(3, 1, "int"),)),
        ex.Call(3, ex.Name(3, "sscanf"), (ex.Literal(3, "x", "string"),)),
    ],
)
def test_odd_expressions(odd: ex.Expression) -> None:
    program = _program(
        st.Evaluate(3, odd),
        st.If(3, odd, _launch(odd)),
        st.While(3, odd, _launch(odd)),
        st.Switch(3, odd, (st.Case(odd, (_launch(odd),)),)),
        st.ForRange(3, st.Variable("v", Type("auto"), 3), odd, st.Evaluate(3, odd)),
        st.Opaque(3, "junk", (odd,)),
        _launch(ex.Literal(2, 3, "int")),
    )
    result = execute_host(program, [])
    assert any(launch.grid is not None and launch.grid[0] == 3 for launch in result.launches)
    assert not [p for p in result.problems if p.message.startswith("internal")]


def test_a_kernel_that_is_not_found_is_a_problem() -> None:
    lost = ex.Launch(4, ex.Name(4, "lost"), ex.Literal(4, 1, "int"), None, None, None, ())
    result = execute_host(_program(st.Evaluate(4, lost)), [])
    assert result.launches == ()
    assert [(p.line, "lost" in p.message) for p in result.problems] == [(4, True)]


def test_recursion_without_end(run: Run) -> None:
    source = """
    __global__ void k(int n) {}
    int deep(int n) { return deep(n + 1) + 1; }
    int main() { int a = deep(0); k<<<2, 1>>>(a); }
    """
    (launch,) = run(source).launches
    assert launch.grid[0] == 2


def test_a_spent_budget_is_told_and_sites_are_still_found(run: Run) -> None:
    source = """
    __global__ void k(int n) {}
    int main() {
      for (int i = 0; i < 60; i++) { if (i == 50) k<<<i, 1>>>(i); int a = i; a++; a++; a++; }
    }
    """
    result = run(source, options=HostOptions(statement_budget=50))
    (stop,) = result.stops
    assert (stop.function, stop.statements, stop.line) == ("main", 50, 4)
    assert [launch.certain for launch in result.launches] == [False]


@pytest.mark.parametrize(("budget", "grid"), [(200, 40), (60, None)])
def test_launches_after_a_spent_budget_have_open_sizes(
    run: Run, budget: int, grid: int | None
) -> None:
    source = """
    __global__ void busy(int n) {}
    __global__ void late(int n) {}
    void launch(int n) { late<<<n, 64>>>(n); }
    int main() {
      for (int i = 0; i < 20; i++) { busy<<<1, 32>>>(i); int a = i; a++; }
      launch(40);
    }
    """
    result = run(source, options=HostOptions(statement_budget=budget))
    late = next(each for each in result.launches if each.kernel.name == "late")
    assert bool(result.stops) == (grid is None)
    assert late.certain == (grid is not None)
    assert late.grid[0].constant == grid


def test_each_function_that_nothing_calls_has_a_budget_of_its_own(run: Run) -> None:
    """One that is too long keeps no other from its launches."""
    busy = "for (int i = 0; i < 60; i++) { first<<<1, 32>>>(i); int a = i; a++; a++; }"
    source = f"""
    __global__ void first(int n) {{}}
    __global__ void second(int n) {{}}
    void lengthy(int n) {{ {busy} {busy} second<<<3, n>>>(n); }}
    void brief(int n) {{ second<<<7, n>>>(n); }}
    """
    result = run(source, options=HostOptions(root_budget=20))
    assert {stop.function for stop in result.stops} == {"lengthy"}
    assert 7 in {launch.grid[0].constant for launch in result.launches}


def test_in_a_large_library_no_function_uses_up_the_work_of_others(run: Run) -> None:
    """Half of 60 functions are too long, and come first; the others are all executed."""
    busy = "n++; " * 900
    lengthy = "".join(f"void a{i}(int n) {{ {busy} k<<<{i}, n>>>(n); }}\n" for i in range(1, 31))
    brief = "".join(f"void b{i}(int n) {{ k<<<{i}, n>>>(n); }}\n" for i in range(31, 61))
    source = "__global__ void k(int n) {}\n" + lengthy + brief
    result = run(source, options=HostOptions(rest_budget=1_000, root_budget=500))
    assert {launch.grid[0].constant for launch in result.launches} == set(range(31, 61))
    assert {stop.function for stop in result.stops} == {f"a{i}" for i in range(1, 31)}


def test_of_a_template_each_instance_is_executed_after_one_of_each_function(run: Run) -> None:
    source = """
    template <class T, int N> __global__ void k(T *p) {}
    template <class T> void first(T *p) { k<T, 1><<<1, 32>>>(p); }
    template <class T> void second(T *p) { k<T, 2><<<2, 32>>>(p); }
    template void first<float>(float *); template void first<double>(double *);
    template void second<float>(float *); template void second<double>(double *);
    """
    result = run(source)
    grids = [launch.grid[0].constant for launch in result.launches]
    assert grids == [1, 2, 1, 2]


def test_functions_beyond_the_budget_for_all_are_named(run: Run) -> None:
    functions = "".join(
        f"void f{i}(int n) {{ n++; n++; n++; k<<<{i}, n>>>(n); }}\n" for i in range(1, 9)
    )
    source = "__global__ void k(int n) {}\n" + functions
    result = run(source, options=HostOptions(rest_budget=10))
    left = {stop.function for stop in result.stops}
    assert left
    assert {stop.statements for stop in result.stops} == {0}
    assert len(result.launches) == 8, "each is executed by itself at last"


def test_a_function_whose_calls_cost_too_much_is_executed_by_itself(run: Run) -> None:
    """What its calls would give is unknown; what it says itself is known."""
    busy = "n++; " * 900
    source = f"""
    template <int LANES> __global__ void k(float *p, int n) {{}}
    template <class T> __global__ void inner(T *p) {{}}
    struct Vector {{
      float *data; int length;
      void release() {{ int n = 0; {busy} inner<float><<<1, 32>>>(data); }}
      int size() const {{ return length; }}
      float *raw() {{ return data; }}
    }};
    int twice(int n) {{ return 2 * n; }}
    void step(Vector &v, int rows) {{
      Vector w;
      w.release();
      int blocks = twice(rows);
      for (int i = 0; i < 1000; i++) v.length += i;
      k<16><<<blocks, 128>>>(v.raw(), rows);
    }}
    """
    result = run(source, options=HostOptions(rest_budget=300, root_budget=300))
    launches = {launch.kernel.name: launch for launch in result.launches}
    assert set(launches) == {"k"}
    launch = launches["k"]
    assert launch.template_bindings == {"LANES": constant(16)}
    assert [size.constant for size in launch.block] == [128, 1, 1]
    rows = launch.args[1]
    assert launch.grid[0] == 2 * rows.value
    assert {stop.function for stop in result.stops} >= {"step"}


def test_expressions_do_not_grow_without_bound(run: Run) -> None:
    source = """
    __global__ void k(int n) {}
    int main(int argc, char **argv) {
      int v = atoi(argv[1]);
      for (int i = 0; i < 60; i++) v = (v | v >> 1) ^ (v * v + i);
      k<<<v, 1>>>(v);
    }
    """
    (launch,) = run(source, argv=None).launches
    assert launch.grid[0].constant is None
    assert len(repr(launch.grid[0])) < 20_000


def test_an_empty_program() -> None:
    assert execute_host(Program(()), None).launches == ()


def test_two_runs_agree(run: Run) -> None:
    source = """
    __global__ void k(int n) {}
    int main(int argc, char **argv) { int n = atoi(argv[1]); k<<<n, 1>>>(rand()); }
    """
    first, second = (run(source, argv=None).launches[0] for _ in range(2))
    assert first.grid == second.grid
    assert first.args[0].value == second.args[0].value


@pytest.mark.parametrize(
    "body",
    [
        'std::string s = "ab"; for (int i = 0; i < 60; i++) s += s; k<<<s.size(), 1>>>();',
        'std::string s = "ab"; for (int i = 0; i < 60; i++) s.append(s); k<<<s.size(), 1>>>();',
        'char s[9] = "ab"; for (int i = 0; i < 60; i++) strcat(s, s); k<<<strlen(s), 1>>>();',
    ],
)
def test_strings_do_not_grow_without_end(run: Run, body: str) -> None:
    (launch,) = run(f"__global__ void k() {{}} int main() {{ {body} }}").launches
    assert launch.grid[0].constant is None


def test_following_main_again_has_a_budget_of_its_own(run: Run) -> None:
    """It calls itself in loops; past its error exit each loop leads back to it."""
    source = """
    __global__ void k(int n) {}
    int again(int n) { for (int i = 0; i < n; i++) { main(n, 0); k<<<i + 1, 32>>>(i); } return n; }
    int main(int argc, char **argv) {
      if (argc != 3) { return 1; }
      for (int i = 0; i < 9; i++) { again(5); }
      for (int i = 0; i < 9; i++) { again(7); }
    }
    """
    for budget in (300, 900):
        result = run(source, argv=(), options=HostOptions(again_budget=budget))
        (stop,) = [each for each in result.stops if each.function == "main"]
        assert budget * 0.9 < stop.statements <= budget


def test_a_row_of_decrements_counts_as_many_steps(run: Run) -> None:
    """One statement of a hundred signs takes as long as fifty: the budget is spent as fast."""
    options = HostOptions(statement_budget=1000)
    row = "--" * 50
    (stop,) = run(f"int main() {{ int n = 0; for (;;) {row}n; }}", options=options).stops
    assert stop.function == "main"
    plain = run("int main() { int n = 0; for (int i = 0; i < 400; i++) --n; }", options=options)
    assert not plain.stops
    rows = run(f"int main() {{ int n = 0; for (int i = 0; i < 40; i++) {row}n; }}", options=options)
    assert rows.stops
