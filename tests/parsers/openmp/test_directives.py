from __future__ import annotations

import pytest

from roofline_parsers.openmp.directives import read_directive

from .conftest import Regions


@pytest.mark.parametrize(
    ("text", "constructs"),
    [
        (
            "target teams distribute parallel for simd",
            ("target", "teams", "distribute", "parallel", "for", "simd"),
        ),
        ("target teams loop", ("target", "teams", "loop")),
        ("target parallel do", ("target", "parallel", "for")),
        ("target", ("target",)),
        ("target data map(a)", ("target data",)),
        ("target  enter  data map(to: a)", ("target enter data",)),
        ("target exit data map(delete: a)", ("target exit data",)),
        ("target update to(a)", ("target update",)),
        ("declare target", ("declare target",)),
        ("begin declare target", ("begin declare target",)),
        ("end declare target", ("end declare target",)),
        ("declare simd", ("declare simd",)),
        ("cancellation point for", ("cancellation point",)),
        ("parallel sections", ("parallel", "sections")),
        ("parallel masked taskloop simd", ("parallel", "masked", "taskloop", "simd")),
        ("atomic capture", ("atomic",)),
        ("barrier", ("barrier",)),
        ("metadirective when(a: parallel)", ("metadirective",)),
        ("for nowait // the rest", ("for",)),
        ("for /* why */ simd", ("for", "simd")),
    ],
)
def test_constructs(text: str, constructs: tuple[str, ...]) -> None:
    for given in (f"omp {text}", f"#pragma omp {text}", f" #  pragma  omp {text}\n"):
        found = read_directive(given, 7)
        assert found is not None
        assert (found.constructs, found.line) == (constructs, 7)


@pytest.mark.parametrize("text", ["", "omp", "acc parallel loop", "omp nonsense", "unroll", "ompx"])
def test_no_directive(text: str) -> None:
    assert read_directive(text, 1) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("map(always, tofrom: x)", "map(always tofrom: x)"),
        ("map(to: x[0:n][a:b], y)", "map(to: x[0:n][a:b], y)"),
        ("map(x[:n], y[1:], z[:])", "map(x[:n], y[1:], z[:])"),
        ("map(from: p->x[0:n*(m+1)])", "map(from: p->x[0:(n * (m + 1))])"),
        ("map(to: a[i].b[0:n])", "map(to: a[i].b[0:n])"),
        ("map(to: rows[i][0:n])", "map(to: rows[i][0:n])"),
        ("map(to: this->x[0:n])", "map(to: this->x[0:n])"),
        ("map(mapper(id), to: x)", "map(mapper(id) to: x)"),
        ("reduction(+: a, b[0:n])", "reduction(+: a, b[0:n])"),
        ("reduction(max : top)", "reduction(max: top)"),
        ("reduction(default, &&: ok)", "reduction(default &&: ok)"),
        ("reduction(ns::join: v)", "reduction(ns::join: v)"),
        ("schedule(static, 1)", "schedule(static: 1)"),
        ("schedule(nonmonotonic: dynamic, c * 2)", "schedule(nonmonotonic dynamic: (c * 2))"),
        ("schedule(guided)", "schedule(guided: )"),
        ("dist_schedule(static, 4)", "dist_schedule(static: 4)"),
        ("device(0)", "device(0)"),
        ("device(ancestor: 1)", "device(ancestor: 1)"),
        ("if(target: n > 4)", "if(target: (n > 4))"),
        ("if(n ? a : b)", "if((n ? a : b))"),
        ("num_teams((n + 255) / 256)", "num_teams(((n + 255) / 256))"),
        ("num_teams(1:ns::n)", "num_teams(1, ns::n)"),
        ("thread_limit(f(a, b))", "thread_limit(f(a, b))"),
        ("num_threads(N)", "num_threads(N)"),
        ("collapse ( 2 )", "collapse(2)"),
        ("nowait", "nowait"),
        ("private(i, j)", "private(i, j)"),
        ("is_device_ptr(a)", "is_device_ptr(a)"),
        ("default(none)", "default(none: )"),
        ("defaultmap(tofrom: scalar)", "defaultmap(tofrom scalar: )"),
        ("depend(in: a[0], b)", "depend(in: a[0], b)"),
        ("linear(i: 2)", "linear(2: i)"),
        ("to(present: a)", "to(present: a)"),
        # What is broken is read as far as it goes.
        ("map(to: a", "map(to: a)"),
        ("map(to: a[0:n", "map(to: a[0:n])"),
        ("collapse()", "collapse"),
        ("map(to: , a)", "map(to: a)"),
        ("reduction(+:", "reduction(+: )"),
    ],
)
def test_clause(regions: Regions, text: str, expected: str) -> None:
    found = read_directive(f"omp target teams {text}", 1)
    assert found is not None
    assert [regions.clause(clause) for clause in found.clauses] == [expected]


def test_clauses_in_order_with_and_without_commas(regions: Regions) -> None:
    found = read_directive("omp parallel for private(a), nowait if(c)\tprivate(b) ) ,;", 1)
    assert found is not None
    clauses = [regions.clause(clause) for clause in found.clauses]
    assert clauses == ["private(a)", "nowait", "if(c)", "private(b)"]
    assert found.clause("private") is found.clauses[0]
    assert found.all_clauses("private") == (found.clauses[0], found.clauses[3])
    assert found.clause("map") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("critical(lock) hint(4)", ["critical(lock)", "hint(4)"]),
        ("critical", []),
        ("flush(a, b)", ["flush(a, b)"]),
        ("declare target(a, b)", ["declare target(a, b)"]),
        ("threadprivate(x)", ["threadprivate(x)"]),
        ("atomic capture seq_cst", ["capture", "seq_cst"]),
    ],
)
def test_arguments_of_directives(regions: Regions, text: str, expected: list[str]) -> None:
    found = read_directive(f"omp {text}", 1)
    assert found is not None
    assert [regions.clause(clause) for clause in found.clauses] == expected


def test_continued_lines() -> None:
    found = read_directive("omp target teams \\\n  distribute \\\n parallel for", 3)
    assert found is not None
    assert found.constructs == ("target", "teams", "distribute", "parallel", "for")
