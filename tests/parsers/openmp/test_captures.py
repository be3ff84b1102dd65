from __future__ import annotations

import pytest

from .conftest import Regions

LOOP = "#pragma omp target teams distribute parallel for {clauses}\nfor (int i = 0; i < 8; i++) "


def region(body: str, clauses: str = "") -> str:
    return LOOP.format(clauses=clauses) + body


@pytest.mark.parametrize(
    ("declared", "clauses", "body", "params", "args"),
    [
        ("float *p; int n;", "", "p[i] = n;", ["float* p", "int n"], ["p", "n"]),
        ("const float *p;", "map(to: p[0:8])", "g(p[i]);", ["const float* p"], ["p"]),
        ("float x[8];", "", "x[i] = 0;", ["float[8] x"], ["x"]),
        ("float x[8][4];", "map(from: x)", "x[i][0] = 0;", ["float[8][4] x"], ["x"]),
        ("int n;", "", "g(n);", ["int n"], ["n"]),
        ("int n;", "map(tofrom: n)", "n = i;", ["int* n"], ["(&n)"]),
        ("int n;", "map(n)", "n = i;", ["int* n"], ["(&n)"]),
        ("int n;", "defaultmap(tofrom: scalar)", "n = i;", ["int* n"], ["(&n)"]),
        ("int n;", "firstprivate(n)", "n += i;", ["int n"], ["n"]),
        ("int n;", "private(n)", "n = i;", [], []),
        ("int &n = m;", "", "g(n);", ["int n"], ["n"]),
        ("P s;", "", "g(s.x);", ["P* s"], ["(&s)"]),
        ("P s;", "firstprivate(s)", "g(s.x);", ["P s"], ["s"]),
        ("Q s;", "", "g(s.x);", ["Q* s"], ["(&s)"]),
        ("P *s;", "", "g(s->x);", ["P* s"], ["s"]),
        ("std::vector<int> v;", "", "g(v[i]);", ["std::vector<int>* v"], ["(&v)"]),
        ("std::size_t n;", "", "g(n);", ["std::size_t n"], ["n"]),
        ("float *p;", "is_device_ptr(p)", "p[i] = 0;", ["float* p"], ["p"]),
        ("int n = 3;", "num_teams(n) thread_limit(n)", "g();", [], []),
        ("int n = 3, n2;", "", "{ { int n = 4; g(n); } g(n2); }", ["int n2"], ["n2"]),
        ("int n = 3;", "", "g(table[i]);", [], []),
        ("int n = 3;", "", "{ T t = sizeof(n); }", ["int n"], ["n"]),
    ],
)
def test_captures(
    regions: Regions, declared: str, clauses: str, body: str, params: list[str], args: list[str]
) -> None:
    source = (
        "struct P { float x; }; typedef P Q; float table[8];\n"
        f"void f() {{ {declared}\n{region(body, clauses)}\n}}"
    )
    assert regions.params(regions.kernel(source)) == params
    assert regions.args(regions.offload(source)) == args


@pytest.mark.parametrize(
    ("declared", "clauses", "body", "expected"),
    [
        ("int n;", "map(n)", "n += i;", "(*n) += i"),
        ("P s;", "", "s.x = 1;", "(*s).x = 1"),
        ("P s;", "", "g(&s, sizeof(s));", "g(s, sizeof(P))"),
        ("int n;", "map(n)", "{ int n = 1; n = 2; }", "int n = 1; n = 2"),
        ("int n;", "map(n)", "{ n = 1; int n = 2; }", "(*n) = 1; int n = 2"),
    ],
)
def test_variables_in_memory(
    regions: Regions, declared: str, clauses: str, body: str, expected: str
) -> None:
    source = f"struct P {{ float x; }};\nvoid f() {{ {declared}\n{region(body, clauses)}\n}}"
    assert f"{{int i = omp_iv_1; {expected}}}" in regions.code(source)[-1]


@pytest.mark.parametrize(
    ("declared", "body", "prologue"),
    [
        ("const int N = 4;", "g(N);", ["const int N = 4"]),
        ("constexpr float c = 0.5f;", "g(c);", ["constexpr const float c = 0.5:float"]),
        (
            "const int N = 4; const int M = N * 2;",
            "g(M);",
            ["const int N = 4", "const int M = (N * 2)"],
        ),
        ("const int M = K * 2;", "g(M);", ["const int M = (K * 2)"]),
        ("const int M = E;", "g(M);", ["const int M = E"]),
        ("const int M = BLOCK * 2;", "g(M);", ["const int M = (BLOCK * 2)"]),
        ("const int M = n;", "g(M);", []),
        ("const float c = 0.5f;", "g(c);", []),
        ("const int M = h();", "{ float x[M]; }", ["const int M = h()"]),
        (
            "auto at = [=](int k) { return n + k; };",
            "g(at(i));",
            ["auto at = [](int k) {return (n + k)}"],
        ),
    ],
)
def test_what_the_kernel_declares_again(
    regions: Regions, declared: str, body: str, prologue: list[str]
) -> None:
    source = (
        "constexpr int K = 3; enum { E = 5 };\ntemplate <int BLOCK>\n"
        f"void f(int n) {{ {declared}\n{region(body)}\n}}"
    )
    made = regions.code(source)
    assert made[:-1] == prologue


def test_a_lambda_brings_its_captures(regions: Regions) -> None:
    lambda_ = "auto at = [&](int k) { return p[n + k]; };"
    source = f"void f(int n, float *p) {{ {lambda_}\n{region('g(at(i));')}\n}}"
    assert regions.params(regions.kernel(source)) == ["float* p", "int n"]


def test_bounds_of_captured_arrays(regions: Regions) -> None:
    source = f"void f(int m) {{ const int N = 4; float x[N][m];\n{region('x[i][0] = 0;')}\n}}"
    assert regions.params(regions.kernel(source)) == ["int m", "float[4][m] x"]


def test_deduced_types_become_template_parameters(regions: Regions) -> None:
    source = (
        "template <typename T, int N> void f(T *p) { auto n = g(); const auto *q = h();\n"
        f"{region('p[i] = n + q[i];')}\n}}"
    )
    kernel = regions.kernel(source)
    assert [parameter.name for parameter in kernel.template_params] == [
        *("T", "N", "n_type", "q_type")
    ]
    assert regions.params(kernel) == ["T* p", "n_type n", "const q_type* q"]


def test_fields_are_reached_through_this(regions: Regions) -> None:
    source = (
        "struct B { int n; };\ntemplate <typename T> struct C : B { T *d; void f(int m) {\n"
        f"{region('d[i] = n + m;')}\n}} }};"
    )
    kernel = regions.kernel(source)
    assert regions.params(kernel) == ["C<T>* this", "int m"]
    assert kernel.owner == "C"
    assert [parameter.name for parameter in kernel.template_params] == ["T"]
    assert kernel.qualified_name == "C::f::__omp_offloading_f_l3"


def test_explicit_this(regions: Regions) -> None:
    source = f"struct C {{ int n; void f(); }};\nvoid C::f() {{\n{region('g(this->n);')}\n}}"
    assert regions.params(regions.kernel(source)) == ["C* this"]
    source = f"struct C {{ int n; void f(int *p) {{\n{region('p[i] = 0;')}\n}} }};"
    assert regions.params(regions.kernel(source)) == ["int* p"]


def test_regions_in_lambdas_capture_their_parameters(regions: Regions) -> None:
    source = f"void f(float *p) {{ auto run = [&](int n) {{\n{region('p[i] = n;')}\n}}; run(3); }}"
    assert regions.params(regions.kernel(source)) == ["float* p", "int n"]


@pytest.mark.parametrize(
    ("directive", "expected"),
    [
        (
            "target teams distribute parallel for num_teams(n) num_threads(m)",
            ("spmd", "n", "-", "m", "8"),
        ),
        (
            "target teams distribute parallel for num_teams(1:n) thread_limit(m)",
            ("spmd", "n", "m", "-", "8"),
        ),
        ("target teams distribute", ("generic", "-", "-", "-", "8")),
        (
            (
                "target\n#pragma omp teams num_teams(4) thread_limit(2)\n"
                "#pragma omp distribute parallel for num_threads(3)"
            ),
            ("spmd", "4", "2", "3", "8"),
        ),
        ("target", ("generic", "1", "-", "-", "-")),
        ("target parallel for", ("spmd", "1", "-", "-", "-")),
        ("target teams loop", ("spmd", "-", "-", "-", "8")),
    ],
)
def test_what_the_host_knows(regions: Regions, directive: str, expected: tuple[str, ...]) -> None:
    launch = regions.offload(
        f"void f(int n, int m) {{\n#pragma omp {directive}\nfor (int i = 0; i < 8; i++) g();\n}}"
    )
    counts = (launch.teams, launch.thread_limit, launch.threads, launch.trips)
    assert (launch.mode.value, *map(regions.expression, counts)) == expected


def test_iterations_in_terms_of_the_host(regions: Regions) -> None:
    def trips(body: str) -> str:
        source = f"void f(int n, int m) {{\n#pragma omp target teams\n{{ {body} }}\n}}"
        return regions.expression(regions.offload(source).trips)

    share = "\n#pragma omp distribute parallel for collapse(2)\nfor (int i = 0; i < k; i++) "
    share += "for (int j = 0; j < m; j++) g();"
    assert trips(f"int k = n / 2; {share}") == "((n / 2) * m)"
    assert trips(f"int k; k = h(); {share}") == "-"
    assert trips(f"while (1) {{ int k = h(); {share} }}") == "-"
    assert trips("g();") == "-"
