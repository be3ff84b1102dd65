"""Target regions in host code: what is launched, with what, and what is known afterwards.

The regions are put into programs that are read from CUDA text: ``REGION(kernel, teams,
thread_limit, num_threads, trips, captures...)`` before a statement makes a target region of it, and
``DATA()`` puts it under a directive that launches nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.host import HostResult, execute_host
from roofline_analysis.host.values import Pointer, Scalar
from roofline_core.algebra.symbolic import constant
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.directives import Clause, Directive
from roofline_core.program.units import Function, Program
from roofline_parsers.reading.load import load_program

NUM_THREADS = Clause("num_threads")
KERNELS = """
__global__ void saxpy(float *x, int n) {}
__global__ void sum_up(float *x, int n, double &sum) {}
template <class T> __global__ void copy(T *x, int n) {}
"""


def run(
    text: str,
    argv: Sequence[str] | None = (),
    *clauses: Clause,
    threads: Clause | None = NUM_THREADS,
) -> HostResult:
    files = {Path("/src/main.cu"): (KERNELS + text).encode()}
    program = load_program(list(files), files.get)
    (unit,) = program.units
    kernels = {f.name: f for f in unit.functions if f.is_kernel}
    constructs = ("target", "teams", "distribute", "parallel", "for")
    directive = Directive(1, constructs, clauses if threads is None else (threads, *clauses))
    functions = tuple(_with_regions(f, kernels, directive) for f in unit.functions)
    result = execute_host(Program((replace(unit, functions=functions),)), argv)
    assert not [p for p in result.problems if p.message.startswith("internal")]
    return result


def _with_regions(f: Function, kernels: dict[str, Function], directive: Directive) -> Function:
    if f.body is None:
        return f
    body = _replaced(f.body, kernels, directive)
    assert isinstance(body, st.Block)
    return replace(f, read_body=lambda: body)


def _replaced(
    node: st.Statement, kernels: dict[str, Function], directive: Directive
) -> st.Statement:
    if isinstance(node, (st.For, st.Directed)) and node.body is not None:
        return replace(node, body=_replaced(node.body, kernels, directive))
    if isinstance(node, st.If):
        return replace(node, then=_replaced(node.then, kernels, directive))
    if not isinstance(node, st.Block):
        return node
    found: list[st.Statement] = []
    waiting: tuple[ex.Expression, ...] | None = None
    for statement in node.body:
        if waiting is not None:
            if waiting:
                found.append(_offload(waiting, statement, kernels, directive))
            else:
                inner = _replaced(statement, kernels, directive)
                found.append(st.Directed(statement.line, Directive(1, ("target data",), ()), inner))
            waiting = None
        elif isinstance(statement, st.Evaluate) and isinstance(statement.expression, ex.Call):
            call = statement.expression
            assert isinstance(call.callee, ex.Name)
            if call.callee.name in ("REGION", "DATA"):
                waiting = call.args
            else:
                found.append(statement)
        else:
            found.append(_replaced(statement, kernels, directive))
    return replace(node, body=tuple(found))


def _offload(
    args: tuple[ex.Expression, ...],
    body: st.Statement,
    kernels: dict[str, Function],
    directive: Directive,
) -> st.Offload:
    name, *clauses = args[:5]
    assert isinstance(name, ex.Name)
    teams, limit, threads, trips = (
        None if isinstance(c, ex.Name) and c.name == "none" else c for c in clauses
    )
    kernel, mode = kernels[name.name], st.OffloadMode.SPMD
    return st.Offload(
        body.line, kernel, args[5:], directive, mode, teams, limit, threads, trips, body
    )


def shape(result: HostResult) -> list[tuple[object, object]]:
    found: list[tuple[object, object]] = []
    for launch in result.launches:
        assert launch.grid is not None
        assert launch.block is not None
        assert launch.grid[1:] == launch.block[1:] == (constant(1), constant(1))
        found.append((launch.grid[0].constant, launch.block[0].constant))
    return found


MAIN = "int main(int argc, char **argv) {{ int n = atoi(argv[1]); {} return 0; }}"


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ("none, none, none, n", (32, 32)),
        ("none, 256, none, n", (4, 256)),
        ("none, none, n / 10, n", (10, 100)),
        ("n / 4, none, none, n", (250, 128)),
        ("1, none, none, none", (1, 128)),
        ("none, 256, none, n * n", (3200, 256)),
    ],
)
def test_grid_and_block(clauses: str, expected: tuple[int, int]) -> None:
    body = f"float *x = (float *)malloc(n * 4); REGION(saxpy, {clauses}, x, n); {{ x[0] = 1; }}"
    assert shape(run(MAIN.format(body), ["1000"])) == [expected]


def test_threads_of_a_parallel_region_inside_do_not_count() -> None:
    body = "float *x; REGION(saxpy, n, none, 256, n, x, n); { x[0] = 1; }"
    assert shape(run(MAIN.format(body), ["40"])) == [(40, 256)]
    assert shape(run(MAIN.format(body), ["40"], threads=None)) == [(40, 128)]


def test_the_grid_stays_symbolic() -> None:
    body = "float *x; REGION(saxpy, none, 256, none, n, x, n); { x[0] = 1; }"
    (launch,) = run(MAIN.format(body), None).launches
    assert launch.grid is not None
    assert launch.grid[0].constant is None
    assert launch.grid[0].symbols() == launch.args[1].value.symbols()  # type: ignore[union-attr]
    assert [u.name for u in launch.unknowns.values()] == ["argv[1]"]
    assert launch.certain


def test_captures_are_the_values_at_the_region() -> None:
    body = """
    float *x = (float *)malloc(n * sizeof(float));
    n = n / 2;
    REGION(saxpy, none, 256, none, n, x + 4, n);
    { x[0] = 1; }
    n = 7;
    """
    (launch,) = run(MAIN.format(body), ["1000"]).launches
    pointer, count = launch.args
    assert isinstance(pointer, Pointer)
    assert pointer.buffer is not None
    assert pointer.offset_bytes == 16
    assert pointer.buffer.name == "x"
    assert pointer.buffer.size_bytes == 4000
    assert isinstance(count, Scalar)
    assert count.value == 500


def test_scalars_are_forgotten_only_if_they_are_mapped_back() -> None:
    body = """
    double sum = 5; int left = 3;
    float *x = (float *)malloc(n * sizeof(float));
    REGION(sum_up, none, 256, none, n, x, n, sum);
    { sum += x[0]; left = 4; }
    REGION(saxpy, left, (int)sum, none, n, x, n);
    { x[0] = 1; }
    """
    text = MAIN.format(body)
    kept = run(text, ["1000"])
    assert shape(kept) == [(4, 256), (3, 5)]
    names = (ex.Name(1, "sum"),)
    for clause in (Clause("reduction", ("+",), names), Clause("map", ("tofrom",), names)):
        assert shape(run(text, ["1000"], clause)) == [(4, 256), (3, None)]
    assert shape(run(text, ["1000"], Clause("map", ("to",), names)))[1] == (3, 5)


def test_arrays_are_forgotten_only_if_they_are_written() -> None:
    body = """
    int read[2] = {{64, 2}}; int written[2] = {{32, 3}}; float *x;
    REGION(saxpy, none, 256, none, n, x, n);
    {{ written[1] = read[0]; }}
    {}
    REGION(saxpy, read[1], written[0], none, n, x, n, read, written);
    {{ x[0] = read[1]; }}
    """
    inside = MAIN.format(body.format(""))
    result = run(inside.replace("n, x, n);", "n, x, n, read, written);", 1), ["1000"])
    assert shape(result) == [(4, 256), (2, None)]


def test_loops_over_regions_are_followed_once() -> None:
    body = """
    float *x, *y;
    for (int i = 0; i < n; i++) {
      REGION(saxpy, none, 256, none, n, x, n);
      { x[0] = 1; }
      float *t = x; x = y; y = t;
    }
    """
    (launch,) = run(MAIN.format(body), ["1000"]).launches
    assert launch.repeat == 1000


def test_regions_under_other_directives_and_conditions_are_found() -> None:
    body = """
    float *x;
    DATA();
    { if (rand() > 3) { REGION(saxpy, none, 64, none, n, x, n); { x[0] = 1; } } }
    """
    result = run(MAIN.format(body), ["640"])
    assert shape(result) == [(10, 64)]
    assert not result.launches[0].certain


def test_an_error_exit_does_not_hide_what_follows() -> None:
    body = """
    float *x; int flag[1] = {-1};
    REGION(saxpy, none, 256, none, n, x, n, flag);
    { flag[0] = 1; }
    if (flag[0] >= 0) exit(1);
    REGION(saxpy, none, 64, none, n, x, n);
    { x[0] = 1; }
    """
    result = run(MAIN.format(body), ["640"])
    assert shape(result) == [(3, 256), (10, 64)]
    assert [launch.certain for launch in result.launches] == [True, False]


def test_a_function_that_main_does_not_call_is_met() -> None:
    text = """
    void alone(float *x, int n) { REGION(saxpy, none, 256, none, n, x, n); { x[0] = 1; } }
    int main() { return 0; }
    """
    (launch,) = run(text).launches
    assert not launch.certain
    assert launch.block is not None
    assert launch.block[0] == 256


def test_template_parameters_come_from_the_function_around() -> None:
    text = """
    template <class T, int W> void f(T *x, int n) {
      REGION(copy, none, W, none, n, x, n);
      { x[0] = 1; }
    }
    int main() { double *d; float *s; f<double, 64>(d, 640); f<float, 32>(s, 640); return 0; }
    """
    result = run(text)
    assert shape(result) == [(10, 64), (20, 32)]
    types = [launch.template_bindings["T"] for launch in result.launches]
    assert [getattr(t, "name", None) for t in types] == ["double", "float"]
    assert [launch.template_bindings["W"] for launch in result.launches] == [64, 32]
