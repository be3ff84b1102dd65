from __future__ import annotations

import pytest

from .conftest import Regions


@pytest.mark.parametrize(
    ("clauses", "statement", "expected"),
    [
        ("", "x[i]++;", ["atomicAdd((&x[i]), 1)"]),
        ("update", "--x[0];", ["atomicSub((&x[0]), 1)"]),
        ("update", "x[0] += e;", ["atomicAdd((&x[0]), e)"]),
        ("update", "x[0] -= e;", ["atomicSub((&x[0]), e)"]),
        ("", "*p = *p + e;", ["atomicAdd(p, e)"]),
        ("", "x[0] = e + x[0];", ["atomicAdd((&x[0]), e)"]),
        ("", "x[0] &= e;", ["atomicAnd((&x[0]), e)"]),
        ("", "x[0] = x[0] | e;", ["atomicOr((&x[0]), e)"]),
        ("", "s.y ^= e;", ["atomicXor((&s.y), e)"]),
        ("", "x[0] *= e;", ["atomicCAS((&x[0]), x[0], (x[0] * e))"]),
        ("", "x[0] = e - x[0];", ["atomicCAS((&x[0]), x[0], (e - x[0]))"]),
        ("", "x[0] = max(x[0], e);", ["atomicMax((&x[0]), e)"]),
        ("", "x[0] = fmin(e, x[0]);", ["atomicMin((&x[0]), e)"]),
        ("", "x[0] = (float)(x[0] + e);", ["atomicAdd((&x[0]), e)"]),
        ("relaxed", "x[0] += e;", ["atomicAdd((&x[0]), e)"]),
        ("read", "e = x[0];", ["e = x[0]"]),
        ("write", "x[0] = e;", ["x[0] = e"]),
        ("", "f();", ["f()"]),
        ("", "x[0] = e;", ["atomicExch((&x[0]), e)"]),
        ("compare", "x[0] = e > x[0] ? e : x[0];", ["atomicMax((&x[0]), e)"]),
        ("compare", "x[0] = x[0] > e ? e : x[0];", ["atomicMin((&x[0]), e)"]),
        ("compare", "x[0] = x[0] < e ? x[0] : e;", ["atomicMin((&x[0]), e)"]),
        ("compare", "if (x[0] < e) { x[0] = e; }", ["atomicMax((&x[0]), e)"]),
        ("compare", "if (e < x[0]) x[0] = e;", ["atomicMin((&x[0]), e)"]),
        ("compare", "if (x[0] == e) x[0] = d;", ["atomicCAS((&x[0]), e, d)"]),
        ("compare", "if (x[0] > e) g();", ["if ((x[0] > e)) g()"]),
        ("capture", "v = x[0]++;", ["v = atomicAdd((&x[0]), 1)"]),
        ("capture", "v = ++x[0];", ["v = (atomicAdd((&x[0]), 1) + 1)"]),
        ("capture", "v = x[0] -= e;", ["v = (atomicSub((&x[0]), e) - e)"]),
        ("capture", "{ v = x[0]; x[0] += e; }", ["v = atomicAdd((&x[0]), e)"]),
        ("capture", "{ x[0] += e; v = x[0]; }", ["v = (atomicAdd((&x[0]), e) + e)"]),
        ("capture", "{ v = x[0]; x[0] = e; }", ["v = atomicExch((&x[0]), e)"]),
        ("capture", "{ x[0] = e; v = x[0]; }", ["atomicExch((&x[0]), e)", "v = e"]),
        (
            "capture compare",
            "{ v = x[0]; if (x[0] == e) { x[0] = d; } }",
            ["v = atomicCAS((&x[0]), e, d)"],
        ),
        ("compare capture", "{ v = x[0]; if (x[0] < e) x[0] = e; }", ["v = atomicMax((&x[0]), e)"]),
        ("capture", "f(v);", ["f(v)"]),
    ],
)
def test_atomics(regions: Regions, clauses: str, statement: str, expected: list[str]) -> None:
    made = regions.code(
        "struct S { int y; };\n"
        "void f(int *x, int *p, int v, int i, S s, int e, int d) {\n"
        f"#pragma omp target parallel map(s) firstprivate(s)\n{{\n#pragma omp atomic {clauses}\n"
        f"{statement}\n}}\n}}"
    )
    assert made == expected
