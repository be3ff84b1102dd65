"""What one thread of a kernel does: work shared out, sequential parts, nested constructs."""

from __future__ import annotations

import pytest

from .conftest import Regions

GRID = "((blockIdx.x * blockDim.x) + threadIdx.x)"
GRIDS = "(gridDim.x * blockDim.x)"


def loop(number: int, start: str, stride: str, body: str, type_: str = "int", end: str = "") -> str:
    counter = f"omp_iv_{number}"
    end = end or f"omp_trips_{number}"
    return f"for ({type_} {counter} = {start}; ({counter} < {end}); {counter} += {stride}) {body}"


@pytest.mark.parametrize(
    "directive",
    [
        "target teams distribute parallel for",
        "target teams distribute parallel for simd schedule(static, 1)",
        "target teams loop",
        "target teams\n#pragma omp distribute parallel for",
        "target\n#pragma omp teams\n#pragma omp loop",
    ],
)
def test_a_loop_over_the_grid(regions: Regions, directive: str) -> None:
    made = regions.inside(f"#pragma omp {directive}\nfor (int i = 0; i < n; i++) a[i] = b[i];")
    assert made == [
        "int omp_trips_1 = n",
        loop(1, GRID, GRIDS, "{int i = omp_iv_1; a[i] = b[i]}"),
    ]


@pytest.mark.parametrize(
    ("head", "trips", "variable"),
    [
        ("int i = 0; i < n; ++i", "int omp_trips_1 = n", "int i = omp_iv_1"),
        ("int i = 0; i <= n; i++", "int omp_trips_1 = (n + 1)", "int i = omp_iv_1"),
        (
            "int i = 1; i < n; i += 3",
            "int omp_trips_1 = ((((n - 1) + 3) - 1) / 3)",
            "int i = (1 + (omp_iv_1 * 3))",
        ),
        ("int i = n; i > 0; i--", "int omp_trips_1 = n", "int i = (n - omp_iv_1)"),
        (
            "int i = n - 1; i >= 0; --i",
            "int omp_trips_1 = ((n - 1) + 1)",
            "int i = ((n - 1) - omp_iv_1)",
        ),
        (
            "int i = n; i >= m; i -= 2",
            "int omp_trips_1 = (((n - m) + 2) / 2)",
            "int i = (n + (omp_iv_1 * -2))",
        ),
        (
            "unsigned i = 0; i != n; i = i + 1",
            "unsigned int omp_trips_1 = n",
            "unsigned int i = omp_iv_1",
        ),
        (
            "size_t i = m; n > i; i = m + i",
            "size_t omp_trips_1 = ((((n - m) + m) - 1) / m)",
            "size_t i = (m + (omp_iv_1 * m))",
        ),
        ("short i = 0; i < n; i++", "int omp_trips_1 = n", "short i = omp_iv_1"),
        ("auto i = 0u; i < n; i++", "unsigned int omp_trips_1 = n", "auto i = omp_iv_1"),
        ("float *i = a; i < b; i++", "long omp_trips_1 = (b - a)", "float* i = (a + omp_iv_1)"),
        (
            "auto i = v.begin(); i != v.end(); ++i",
            "long omp_trips_1 = (v.end() - v.begin())",
            "auto i = (v.begin() + omp_iv_1)",
        ),
        ("auto &x : v", "long omp_trips_1 = v.size()", "auto& x = v[omp_iv_1]"),
        ("float x : table", "", "float x = table[omp_iv_1]"),
    ],
)
def test_canonical_loops(regions: Regions, head: str, trips: str, variable: str) -> None:
    before = "float table[64]; std::vector<float> v;"
    made = regions.code(
        f"{before}\nvoid f(int n, int m, float *a, float *b) {{ float table[64];\n"
        f"#pragma omp target teams distribute parallel for\nfor ({head}) g();\n}}"
    )
    assert [line for line in made if "omp_trips" in line and "for" not in line] == [trips][
        : bool(trips)
    ]
    assert f"{{{variable}; g()}}" in made[-1]
    assert ("< 64)" in made[-1]) is not bool(trips)


def test_a_variable_declared_before_the_loop(regions: Regions) -> None:
    made = regions.inside(
        "long i;\n#pragma omp target teams distribute parallel for\n"
        "for (i = 0; i < n; i++) a[i] = 0;"
    )
    body = "{long i = omp_iv_1; a[i] = 0}"
    assert made == ["long omp_trips_1 = n", loop(1, GRID, GRIDS, body, "long")]


def test_collapsed_loops_recover_their_variables_outermost_first(regions: Regions) -> None:
    made = regions.inside(
        "#pragma omp target teams distribute parallel for collapse(3)\n"
        "for (int i = 0; i < n; i++) for (int j = 1; j < m; j++) { for (int k = 0; k < 4; k++)\n"
        "{ a[i] = j + k; } }"
    )
    end = "((omp_trips_1_0 * omp_trips_1_1) * 4)"
    body = (
        "{int i = (omp_iv_1 / (omp_trips_1_1 * 4)); "
        "long omp_rest_1_0 = (omp_iv_1 % (omp_trips_1_1 * 4)); "
        "int j = (1 + (omp_rest_1_0 / 4)); "
        "long omp_rest_1_1 = (omp_rest_1_0 % 4); "
        "int k = omp_rest_1_1; a[i] = (j + k)}"
    )
    assert made == [
        "long omp_trips_1_0 = n",
        "long omp_trips_1_1 = (m - 1)",
        loop(1, GRID, GRIDS, body, "long", end),
    ]


def test_collapsed_loops_of_known_bounds_are_counted_in_32_bits(regions: Regions) -> None:
    (made,) = regions.inside(
        "#pragma omp target teams distribute parallel for collapse(2)\n"
        "for (int i = 0; i < 64; i++) for (int j = 0; j < 32; j++) a[i] = j;"
    )
    assert made.startswith(f"for (int omp_iv_1 = {GRID}; (omp_iv_1 < 2048);")


def test_loops_that_depend_on_each_other_are_not_collapsed(regions: Regions) -> None:
    made = regions.inside(
        "#pragma omp target teams distribute parallel for collapse(2)\n"
        "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) a[i] = j;"
    )
    inner = "for (int j = 0; (j < i); j++) a[i] = j"
    assert made[-1] == loop(1, GRID, GRIDS, f"{{int i = omp_iv_1; {inner}}}")


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (
            "dist_schedule(static, 64)",
            (
                "for (int omp_chunk_1 = (blockIdx.x * 64); (omp_chunk_1 < omp_trips_1); "
                "omp_chunk_1 += (gridDim.x * 64)) "
                "for (int omp_iv_1 = (omp_chunk_1 + threadIdx.x); "
                "(omp_iv_1 < min((omp_chunk_1 + 64), omp_trips_1)); omp_iv_1 += blockDim.x) "
                "{int i = omp_iv_1; a[i] = 0}"
            ),
        ),
        ("dist_schedule(static)", loop(1, GRID, GRIDS, "{int i = omp_iv_1; a[i] = 0}")),
    ],
)
def test_chunks_of_teams(regions: Regions, clause: str, expected: str) -> None:
    made = regions.inside(
        f"#pragma omp target teams distribute parallel for {clause}\n"
        "for (int i = 0; i < n; i++) a[i] = 0;"
    )
    assert made[-1] == expected


def test_chunks_of_threads(regions: Regions) -> None:
    made = regions.inside(
        "#pragma omp target parallel for schedule(static, 4)\nfor (int i = 0; i < n; i++) a[i] = 0;"
    )
    assert made[-1] == (
        "for (int omp_chunk_1 = (threadIdx.x * 4); (omp_chunk_1 < omp_trips_1); "
        "omp_chunk_1 += (blockDim.x * 4)) "
        "for (int omp_iv_1 = omp_chunk_1; (omp_iv_1 < min((omp_chunk_1 + 4), omp_trips_1)); "
        "omp_iv_1 += 1) {int i = omp_iv_1; a[i] = 0}"
    )


def test_target_parallel_for_is_one_team(regions: Regions) -> None:
    source = (
        "void f(int n, float *a) {\n#pragma omp target parallel for num_threads(64)\n"
        "for (int i = 0; i < n; i++) a[i] = 0;\n}"
    )
    made = regions.code(source)
    body = "{int i = omp_iv_1; a[i] = 0}"
    assert made == ["int omp_trips_1 = n", loop(1, "threadIdx.x", "blockDim.x", body)]
    launch = regions.offload(source)
    assert (regions.expression(launch.teams), regions.expression(launch.threads)) == ("1", "64")
    assert launch.mode.value == "spmd"


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        ("{ a[0] = 1; b[0] = 2; }", "{a[0] = 1; b[0] = 2}"),
        ("#pragma omp barrier", ""),
        ("for (int i = 0; i < n; i++) a[i] = 0;", "for (int i = 0; (i < n); i++) a[i] = 0"),
    ],
)
def test_without_parallel_one_thread_does_all(regions: Regions, region: str, expected: str) -> None:
    if region.startswith("#"):
        region = "{\n" + region + "\n}"
    made = regions.inside(f"#pragma omp target\n{region}")
    assert made == [f"if ((threadIdx.x == 0)) {expected or '{}'}"]


def test_distribute_alone_is_one_thread_of_each_team(regions: Regions) -> None:
    made = regions.inside(
        "#pragma omp target teams distribute\nfor (int i = 0; i < n; i++) a[i] = 0;"
    )
    inner = loop(1, "blockIdx.x", "gridDim.x", "{int i = omp_iv_1; a[i] = 0}")
    assert made == [f"if ((threadIdx.x == 0)) {{int omp_trips_1 = n; {inner}}}"]


def test_a_team_with_shared_memory_and_a_parallel_region(regions: Regions) -> None:
    made = regions.inside(
        "#pragma omp target teams num_teams(n) thread_limit(64)\n{\n"
        "  float tile[64]; float mine[2]; float total = 1; int k = 4; float *p = a;\n"
        "  #pragma omp parallel\n  {\n"
        "    int t = omp_get_thread_num();\n"
        "    tile[t] = a[k]; p[t] = 0;\n"
        "    #pragma omp barrier\n"
        "    total = tile[0];\n"
        "  }\n  b[0] = total; b[1] = mine[0];\n  k++;\n}"
    )
    assert made == [
        "__shared__ float[64] tile",
        "float[2] mine",
        "__shared__ float total",
        "if ((threadIdx.x == 0)) total = 1",
        "__syncthreads()",
        "int k = 4",
        "float* p = a",
        "int t = omp_get_thread_num()",
        "tile[t] = a[k]",
        "p[t] = 0",
        "__syncthreads()",
        "total = tile[0]",
        "__syncthreads()",
        "if ((threadIdx.x == 0)) {b[0] = total; b[1] = mine[0]}",
        "__syncthreads()",
        "k++",
    ]


def test_only_what_changes_memory_is_left_to_one_thread(regions: Regions) -> None:
    made = regions.inside(
        "#pragma omp target teams distribute\nfor (int i = 0; i < n; i++) {\n"
        "  float x = a[i];\n  if (x > 0) { x = x * 2; a[i] = x; } else b[i] = x;\n"
        "  for (int k = 0; k < 4; k++) x += k;\n"
        "  #pragma omp atomic\n  b[0] += x;\n"
        "  #pragma omp parallel for\n  for (int j = 0; j < m; j++) b[j] = x;\n}"
    )
    inner = loop(2, "threadIdx.x", "blockDim.x", "{int j = omp_iv_2; b[j] = x}")
    guarded = "if ((threadIdx.x == 0)) {}; __syncthreads()".format
    body = (
        "{int i = omp_iv_1; float x = a[i]; "
        f"if ((x > 0)) {{x = (x * 2); {guarded('a[i] = x')}}} else {{{guarded('b[i] = x')}}}; "
        "for (int k = 0; (k < 4); k++) x += k; "
        f"{guarded('atomicAdd((&b[0]), x)')}; int omp_trips_2 = m; {inner}; __syncthreads()}}"
    )
    assert made == ["int omp_trips_1 = n", loop(1, "blockIdx.x", "gridDim.x", body)]


def test_fewer_threads_than_the_team_has(regions: Regions) -> None:
    made = regions.inside(
        "#pragma omp target teams distribute\nfor (int i = 0; i < n; i++) {\n"
        "#pragma omp parallel for num_threads(m)\nfor (int j = 0; j < 8; j++) b[j] = 0;\n}"
    )
    inner = loop(2, "threadIdx.x", "min(blockDim.x, m)", "{int j = omp_iv_2; b[j] = 0}", end="8")
    assert f"if ((threadIdx.x < m)) {{{inner}}}; __syncthreads()" in made[-1]


def test_as_many_threads_as_the_limit_leave_none_out(regions: Regions) -> None:
    made = regions.inside(
        "#pragma omp target teams distribute thread_limit(256)\nfor (int i = 0; i < n; i++) {\n"
        "#pragma omp parallel for num_threads(256)\nfor (int j = 0; j < 8; j++) b[j] = 0;\n}"
    )
    assert "threadIdx.x < 256" not in made[-1]
    assert "omp_iv_2 += blockDim.x" in made[-1]


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        ("#pragma omp single\na[0] = 1;", ["if ((threadIdx.x == 0)) a[0] = 1", "__syncthreads()"]),
        ("#pragma omp single nowait\na[0] = 1;", ["if ((threadIdx.x == 0)) a[0] = 1"]),
        ("#pragma omp master\na[0] = 1;", ["if ((threadIdx.x == 0)) a[0] = 1"]),
        ("#pragma omp masked\na[0] = 1;", ["if ((threadIdx.x == 0)) a[0] = 1"]),
        ("#pragma omp masked filter(n)\na[0] = 1;", ["if ((threadIdx.x == n)) a[0] = 1"]),
        ("#pragma omp critical(x)\na[0] = 1;", ["a[0] = 1"]),
        ("#pragma omp simd\nfor (;;) g();", ["for (; -; -) g()"]),
        (
            "#pragma omp parallel for\nfor (int i = 0; i < n; i++) g();",
            ["for (int i = 0; (i < n); i++) g()"],
        ),
        (
            "#pragma omp sections\n{ g(); \n#pragma omp section\n{ h(); } }",
            ["if ((threadIdx.x == 0)) g()", "if ((threadIdx.x == 1)) h()", "__syncthreads()"],
        ),
        (
            "#pragma omp for nowait\nfor (int i = 0; i < 8; i++) g();",
            [loop(1, "threadIdx.x", "blockDim.x", "{int i = omp_iv_1; g()}", end="8")],
        ),
        ("#pragma omp taskwait\ng();", ["{}", "g()"]),
    ],
)
def test_inside_parallel(regions: Regions, region: str, expected: list[str]) -> None:
    made = regions.inside(f"#pragma omp target parallel\n{{\ng0();\n{region}\ng1();\n}}")
    flat = [line for line in made if line not in ("g0()", "g1()")]
    assert flat in (expected, ["{" + "; ".join(expected) + "}"])


def test_private_copies(regions: Regions) -> None:
    made = regions.inside(
        "float x = 1, y = 2; int k;\n"
        "#pragma omp target teams distribute parallel for private(x) firstprivate(y)\n"
        "for (k = 0; k < 8; k++) { x = y; a[k] = x; }"
    )
    body = "{int k = omp_iv_1; x = y; a[k] = x}"
    assert made == ["float x", loop(1, GRID, GRIDS, body, end="8")]


def test_unroll_pragmas_between_directives_reach_the_loop(regions: Regions) -> None:
    made = regions.inside(
        "#pragma omp target teams distribute parallel for\nfor (int i = 0; i < n; i++)\n"
        "#pragma unroll 4\nfor (int j = 0; j < m; j++) a[i] += b[j];"
    )
    assert "{int i = omp_iv_1; @unroll(4) for (int j = 0; (j < m); j++) a[i] += b[j]}" in made[-1]


def test_a_pragma_behind_a_loop_head(regions: Regions) -> None:
    made = regions.inside(
        "#pragma omp target teams distribute\nfor (int i = 0; i < n; i++)\n"
        "#pragma omp parallel for\nfor (int j = 0; j < m; j++) a[j] = i;"
    )
    inner = loop(2, "threadIdx.x", "blockDim.x", "{int j = omp_iv_2; a[j] = i}")
    body = f"{{int i = omp_iv_1; int omp_trips_2 = m; {inner}; __syncthreads()}}"
    assert made == ["int omp_trips_1 = n", loop(1, "blockIdx.x", "gridDim.x", body)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("#pragma omp barrier\n", ["__syncthreads()"]),
        ("#pragma omp atomic\na[0] += 1;", ["atomicAdd((&a[0]), 1)"]),
        (
            "#pragma omp parallel for\nfor (int i = 0; i < 8; i++) a[i] = 0;",
            [
                loop(1, "threadIdx.x", "blockDim.x", "{int i = omp_iv_1; a[i] = 0}", end="8"),
                "__syncthreads()",
            ],
        ),
        (
            "#pragma omp for nowait\nfor (int i = 0; i < 8; i++) a[i] = 0;",
            [loop(1, "threadIdx.x", "blockDim.x", "{int i = omp_iv_1; a[i] = 0}", end="8")],
        ),
    ],
)
def test_directives_in_functions_that_kernels_call(
    regions: Regions, body: str, expected: list[str]
) -> None:
    assert regions.device_form(body) == expected


def test_the_host_sees_directives_without_kernels_as_written(regions: Regions) -> None:
    unit = regions.unit(
        "void f(int n, float *a) {\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) a[i] = 0;"
        "\n#pragma omp taskwait\n#pragma omp declare simd\na[1] = 2;\n}"
    )
    (function,) = unit.functions
    assert regions.lines(function.body) == [
        "@omp(parallel for) for (int i = 0; (i < n); i++) a[i] = 0",
        "@omp(taskwait)",
        "a[1] = 2",
    ]
