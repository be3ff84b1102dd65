"""Kernels of a file: their names and places, macros, headers and broken code."""

from __future__ import annotations

import pytest

from roofline_core.program.statements import Block, Directed, Offload
from roofline_core.program.units import Dialect, Span

from .conftest import Regions, offloads

LOOP = "for (int i = 0; i < 8; i++) a[i] = 0;"


@pytest.mark.parametrize(
    ("directive", "starts"),
    [
        ("target teams distribute parallel for", True),
        ("target parallel for", True),
        ("target teams loop", True),
        ("target teams distribute", False),
        ("target teams", False),
    ],
)
def test_a_directive_may_start_the_threads(regions: Regions, directive: str, starts: bool) -> None:
    source = f"void f(float *a) {{\n#pragma omp {directive}\n{LOOP}\n}}\n"
    _, kernel = regions.unit(source).functions
    assert ("parallel" in kernel.qualifiers) is starts


@pytest.mark.parametrize(
    ("other", "specialised"),
    [
        ("target teams distribute parallel for", True),
        ("target data map(to: a[0:1])", True),
        ("target teams \\\n loop", True),
        ("target teams num_teams(4)", False),
        ("target", False),
    ],
)
def test_whether_all_regions_of_a_file_start_threads(
    regions: Regions, other: str, specialised: bool
) -> None:
    first = f"#pragma omp target teams distribute parallel for\n{LOOP}"
    source = f"void f(float *a) {{\n{first}\n#pragma omp {other}\n{LOOP}\n}}\n"
    _, kernel, *_ = regions.unit(source).functions
    assert ("specialised" in kernel.qualifiers) is specialised


def test_a_kernel_stands_beside_its_function(regions: Regions) -> None:
    source = (
        "namespace ns {\nvoid f(float *a) {\n"
        "  #pragma omp target teams \\\n    distribute parallel for\n"
        f"  {LOOP}\n}}\n}}\n"
    )
    function, kernel = regions.unit(source).functions
    assert kernel.name == "__omp_offloading_f_l3"
    assert kernel.qualified_name == "ns::f::__omp_offloading_f_l3"
    assert kernel.qualifiers == {"__global__", "parallel", "specialised"}
    assert kernel.dialect is Dialect.OPENMP
    assert kernel.span == Span(3, 2, 5, 2 + len(LOOP))
    assert kernel.name_span == Span(3, 2, 3, 26)
    assert kernel.fingerprint.startswith(function.fingerprint)
    assert kernel.fingerprint != function.fingerprint
    (launch,) = offloads(function.body)
    assert launch.kernel is kernel
    assert launch.line == 3
    assert regions.statement(launch.body) == "for (int i = 0; (i < 8); i++) a[i] = 0"


def test_regions_of_one_line_have_names_of_their_own(regions: Regions) -> None:
    source = '#define RUN _Pragma("omp target") { g(); }\nvoid f() { RUN RUN }\nvoid h() { RUN }\n'
    kernels = regions.kernels(source)
    assert [kernel.name for kernel in kernels] == [
        *("__omp_offloading_f_l2", "__omp_offloading_f_l2_1", "__omp_offloading_h_l3")
    ]
    assert len({kernel.fingerprint for kernel in kernels}) == 3


@pytest.mark.parametrize(
    ("line", "span"),
    [
        ("  #pragma omp target teams loop  ", (2, 31)),
        ("#pragma omp target teams \\\nloop", (0, 24)),
        ('  _Pragma("omp target teams loop")', (2, 34)),
        ("  OFFLOAD", (2, 9)),
        ("  TEAMS(n)", (2, 7)),
        ("\t#pragma omp target teams loop LIMIT", (1, 36)),
        ("if (a)\n#pragma omp target teams loop", (0, 29)),
    ],
)
def test_where_the_pragma_stands(regions: Regions, line: str, span: tuple[int, int]) -> None:
    source = (
        '#define OFFLOAD _Pragma("omp target teams loop")\n'
        '#define TEAMS(n) _Pragma("omp target teams loop num_teams(n)")\n'
        f"#define LIMIT thread_limit(64)\nvoid f(int n, float *a) {{\n{line}\n{LOOP}\n}}\n"
    )
    kernel = regions.kernel(source)
    number = 6 if line.startswith("if") else 5
    assert kernel.name == f"__omp_offloading_f_l{number}"
    assert kernel.name_span == Span(number, span[0], number, span[1])


def test_macros_in_clauses_are_expanded(regions: Regions) -> None:
    launch = regions.offload(
        "#define N 64\n#define BOTH collapse(2) num_teams(N)\nvoid f(float *a) {\n"
        "#pragma omp target teams distribute parallel for BOTH\n"
        "for (int i = 0; i < N; i++) for (int j = 0; j < 2; j++) a[i] = j;\n}"
    )
    assert regions.expression(launch.teams) == "64"
    assert regions.expression(launch.trips) == "128"


def test_regions_of_macros_that_hold_a_loop(regions: Regions) -> None:
    kernel = regions.kernel(
        '#define EACH(i, n) _Pragma("omp target teams distribute parallel for") '
        "for (int i = 0; i < n; i++)\nvoid f(int n, float *a) {\n  EACH(k, n) { a[k] = 0; }\n}"
    )
    assert kernel.name == "__omp_offloading_f_l3"
    assert "{int k = omp_iv_1; a[k] = 0}" in regions.lines(kernel.body)[-1]


def test_a_region_in_a_header(regions: Regions) -> None:
    unit = regions.unit(
        '#include "k.h"\nvoid g() { f(0); }\n',
        k=f"inline void f(float *a) {{\n#pragma omp target\n{LOOP}\n}}\n",
    )
    (header,) = unit.includes
    assert [function.name for function in unit.functions] == ["g"]
    assert [function.name for function in header.functions] == ["f", "__omp_offloading_f_l2"]


def test_a_region_in_a_header_inside_a_function(regions: Regions) -> None:
    (kernel,) = regions.kernels(
        'void f(float *a) {\n  #include "k.h"\n}\n',
        k="\n#pragma omp target parallel\n{ a[0] = 0;\n#pragma omp barrier\n}\n",
    )
    # The compiler names it by the header's line; it is shown where the header is included.
    assert kernel.name == "__omp_offloading_f_l2"
    assert (kernel.span.line, kernel.name_span.line) == (2, 2)
    assert regions.lines(kernel.body) == ["a[0] = 0"]


def test_regions_in_methods_and_templates(regions: Regions) -> None:
    unit = regions.unit(
        f"template <class T> struct S {{\n  void in(T *a) {{\n#pragma omp target\n{LOOP}\n  }}\n"
        "  void out(T *a);\n};\n"
        f"template <class T> void S<T>::out(T *a) {{\n#pragma omp target\n{LOOP}\n}}\n"
        f"struct F {{ void operator()(float *a) {{\n#pragma omp target\n{LOOP}\n}} }};\n"
    )
    kernels = [function for function in unit.functions if function.is_kernel]
    assert sorted(kernel.qualified_name for kernel in kernels) == [
        "F::operator()::__omp_offloading_operator()_l13",
        "S::in::__omp_offloading_in_l3",
        "S::out::__omp_offloading_out_l9",
    ]
    methods = [method for struct in unit.structs for method in struct.methods]
    held = [launch.kernel for method in methods for launch in offloads(method.body)]
    assert {id(kernel) for kernel in held} <= {id(kernel) for kernel in kernels}
    assert len(held) == 2


@pytest.mark.sources
def test_only_functions_with_regions_are_read(regions: Regions) -> None:
    unit = regions.unit(
        "void f() {\n#pragma omp parallel\n{ }\n}\nvoid g() {\n#pragma omp target\n{ }\n}\n"
        "void h() {\n#pragma omp target update to(x)\n}\n"
    )
    read = {f.name: "body" in vars(f) for f in unit.functions}
    assert read == {"f": False, "g": False, "__omp_offloading_g_l6": False, "h": False}
    launches = {f.name: len(offloads(f.body)) for f in unit.functions if not f.is_kernel}
    assert launches == {"f": 0, "g": 1, "h": 0}


def test_data_regions_keep_their_launches(regions: Regions) -> None:
    unit = regions.unit(
        "void f(float *a, int n) {\n#pragma omp target data map(to: a[0:n])\n{\n"
        f"#pragma omp target\n{LOOP}\n#pragma omp target update from(a[0:n])\n}}\n}}"
    )
    body = unit.functions[0].body
    assert body is not None
    (data,) = body.body
    assert isinstance(data, Directed)
    assert data.directive.constructs == ("target data",)
    assert data.span == Span(2, 0, 7, 1)
    assert isinstance(data.body, Block)
    launch, update = data.body.body
    assert isinstance(launch, Offload)
    assert isinstance(update, Directed)
    assert (update.directive.constructs, update.body) == (("target update",), None)


@pytest.mark.parametrize(
    "broken",
    [
        "#pragma omp target",
        "#pragma omp target teams distribute parallel for map(to: ",
        "#pragma omp target\n}",
        "#pragma omp target\n{ a[0] = ;",
        "#pragma omp target teams distribute parallel for collapse(\nfor (int i = 0; i < ",
        "#pragma omp target teams distribute parallel for\nfor (;;) { }",
        "#pragma omp target teams distribute parallel for\nwhile (x) { }",
        "#pragma omp target teams distribute parallel for collapse(9)\nfor (int i = 0;;) { }",
        "#pragma omp target reduction(+: ) private() schedule(static, )\n;",
        "#pragma omp target \\",
        "#pragma omp parallel\n#pragma omp target\n#pragma omp barrier\n",
        "#pragma omp target teams reduction(+: n[)\n{",
        '_Pragma("omp target',
        '[[omp::directive("target")]]',
    ],
)
def test_broken_code_keeps_the_other_kernels(regions: Regions, broken: str) -> None:
    before = f"void f(float *a) {{\n#pragma omp target\n{LOOP}\n}}\n"
    after = f"void h(float *a) {{\n#pragma omp target\n{LOOP}\n}}\n"
    unit = regions.unit(f"{before}void g(int n, float *a) {{\n{broken}\n}}\n{after}")
    names = [function.name for function in unit.functions if function.is_kernel]
    assert "__omp_offloading_f_l2" in names
    for function in unit.functions:
        assert function.body is None or offloads(function.body) is not None


def test_every_prefix_of_a_source_is_read(regions: Regions) -> None:
    source = (
        "void f(int n, float *a) {\n  float s = 0;\n"
        "#pragma omp target teams distribute parallel for reduction(+: s) map(to: a[0:n])\n"
        "  for (int i = 0; i < n; i++) {\n#pragma omp atomic capture\n    { s = a[i]; a[i]++; }\n"
        "#pragma omp parallel for simd collapse(2)\n    for (int j = 0; j < 4; j++) s += a[j];\n"
        "  }\n}\n"
    )
    for end in range(len(source)):
        for function in regions.unit(source[:end]).functions:
            assert function.is_kernel or function.body is not None or not function.has_body


def test_deep_nesting_is_left_out_without_an_exception(regions: Regions) -> None:
    depth = 300
    source = (
        "void f(int n, float *a) {\n#pragma omp target\n"
        + "{ if (n) " * depth
        + "a[0] = 1;"
        + "}" * depth
        + f"\n}}\nvoid g(float *a) {{\n#pragma omp target\n{LOOP}\n}}\n"
    )
    assert "__omp_offloading_g_l6" in [kernel.name for kernel in regions.kernels(source)]


def test_other_dialects_have_kernels_of_both_kinds(regions: Regions) -> None:
    unit = regions.unit(
        f"__global__ void k(float *a) {{}}\nvoid f(float *a) {{\n#pragma omp target\n{LOOP}\n}}\n"
    )
    assert [f.name for f in unit.functions if f.is_kernel] == ["k", "__omp_offloading_f_l3"]
