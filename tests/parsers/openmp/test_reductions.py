from __future__ import annotations

import pytest

from .conftest import Regions

LOOP = "for (int i = 0; i < 8; i++)"


@pytest.mark.parametrize(
    ("type_", "op", "first"),
    [
        ("int", "+", "0"),
        ("float", "+", "0.0:float"),
        ("double", "-", "0.0:double"),
        ("float", "*", "1.0:float"),
        ("int", "&", "-1"),
        ("unsigned", "|", "0"),
        ("int", "^", "0"),
        ("bool", "&&", "1"),
        ("bool", "||", "0"),
        ("int", "max", "-2147483647"),
        ("unsigned", "max", "0:unsigned int"),
        ("unsigned", "min", "4294967295:unsigned int"),
        ("float", "max", "-3.4028234663852886e+38:float"),
        ("double", "min", "1.7976931348623157e+308:double"),
        ("long", "min", "9223372036854775807:long"),
    ],
)
def test_accumulators_start_where_nothing_changes(
    regions: Regions, type_: str, op: str, first: str
) -> None:
    made = regions.inside(
        f"{type_} s;\n#pragma omp target teams distribute parallel for reduction({op}: s)\n"
        f"{LOOP} s = s + 1;"
    )
    spelled = {"unsigned": "unsigned int"}.get(type_, type_)
    assert made[0] == f"{spelled} s_private = {first}"
    assert made[-1] == "__kmpc_reduce(s, s_private)"
    assert "s_private = (s_private + 1)" in made[1]


def test_the_target_of_a_reduction_is_passed_by_address(regions: Regions) -> None:
    source = (
        "void f(double s) {\n#pragma omp target teams distribute parallel for reduction(+: s)\n"
        f"{LOOP} s += i;\n}}"
    )
    assert regions.params(regions.kernel(source)) == ["double* s"]
    assert regions.args(regions.offload(source)) == ["(&s)"]


def test_an_operator_of_the_program_starts_uninitialised(regions: Regions) -> None:
    made = regions.inside(
        "float s;\n#pragma omp target teams distribute parallel for reduction(join: s)\n"
        f"{LOOP} s += i;"
    )
    assert made[0] == "float s_private"


def test_a_reduction_of_a_section(regions: Regions) -> None:
    made = regions.inside(
        "#pragma omp target teams distribute parallel for reduction(+: a[1:m])\n"
        f"{LOOP} a[i] += b[i];"
    )
    count = "for (int a_private_i = 0; (a_private_i < m); a_private_i += 1)"
    assert made[:2] == ["float[m] a_private", f"{count} a_private[a_private_i] = 0.0:float"]
    assert "a_private[i] += b[i]" in made[2]
    assert made[3:] == [f"{count} __kmpc_reduce((&a[(1 + a_private_i)]), a_private[a_private_i])"]


def test_a_reduction_of_an_element_is_one_of_a_section_of_one(regions: Regions) -> None:
    made = regions.inside(
        "#pragma omp target teams distribute parallel for reduction(max: a[m])\n"
        f"{LOOP} a[m] = b[i] > a[m] ? b[i] : a[m];"
    )
    count = "for (int a_private_i = 0; (a_private_i < 1); a_private_i += 1)"
    assert made[0] == "float[1] a_private"
    assert made[1].startswith(f"{count} a_private[a_private_i] = -3.40")
    assert "a_private[m] = " in made[2]
    assert made[3:] == [f"{count} __kmpc_reduce((&a[(m + a_private_i)]), a_private[a_private_i])"]


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("+", ["s += __kmpc_reduce_block(s_private)"]),
        ("*", ["s *= __kmpc_reduce_block(s_private)"]),
        ("&&", ["s = (s && __kmpc_reduce_block(s_private))"]),
        (
            "max",
            [
                "s_private = __kmpc_reduce_block(s_private)",
                "s = ((s > s_private) ? s : s_private)",
            ],
        ),
        ("join", ["s_private = __kmpc_reduce_block(s_private)", "s = s_private"]),
    ],
)
def test_a_reduction_within_a_team(regions: Regions, op: str, expected: list[str]) -> None:
    made = regions.inside(
        "#pragma omp target teams\n{\n  int s = 1;\n"
        f"  #pragma omp parallel for reduction({op}: s)\n  {LOOP} s = s + b[i];\n  a[0] = s;\n}}"
    )
    assert made[0] == "int s = 1"
    inside = made[1].removeprefix("{").removesuffix("}").split("; ")
    after = inside[[line.endswith("}") for line in inside].index(True) + 1 :]
    assert after == [*expected, "__syncthreads()"]
    assert made[2:] == ["if ((threadIdx.x == 0)) a[0] = s"]


def test_a_reduction_within_a_team_into_memory(regions: Regions) -> None:
    made = regions.inside(
        "int s;\n#pragma omp target teams map(tofrom: s)\n\n"
        f"  #pragma omp parallel for reduction(+: s)\n  {LOOP} s += b[i];"
    )
    assert made[-1] == "if ((threadIdx.x == 0)) (*s) += __kmpc_reduce_block(s_private)"


def test_teams_reduce_what_their_threads_have_reduced(regions: Regions) -> None:
    made = regions.inside(
        "float s;\n#pragma omp target teams distribute reduction(+: s)\n"
        "for (int r = 0; r < n; r++) {\n"
        f"#pragma omp parallel for reduction(+: s)\n{LOOP} s += b[i];\n}}"
    )
    assert made[0] == "float s_private = 0.0:float"
    assert "float s_private_private = 0.0:float" in made[2]
    assert "s_private += __kmpc_reduce_block(s_private_private)" in made[2]
    assert made[3] == "if ((threadIdx.x == 0)) __kmpc_reduce(s, s_private)"


def test_simd_reduces_nothing_between_threads(regions: Regions) -> None:
    made = regions.inside(
        f"#pragma omp target parallel\n{{ float s = 0;\n#pragma omp simd reduction(+: s)\n{LOOP} "
        "s += b[i];\na[0] = s; }"
    )
    assert not [line for line in made if "__kmpc" in line or "_private" in line]


def test_a_field_keeps_its_type(regions: Regions) -> None:
    made = regions.code(
        "struct S { double s; void f() {\n"
        f"#pragma omp target teams distribute parallel for reduction(+: s)\n{LOOP} s += i;\n}} }};"
    )
    assert made[0] == "auto s_private = s"
    assert made[-1] == "__kmpc_reduce((&s), s_private)"
