"""Built-in vector types: operators by element, components, layout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.language.opencl_types import components
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.regions.kernel_summary import Work
from roofline_core.program.types import Type
from roofline_core.program.units import Dialect, Program
from roofline_parsers.reading.load import load_program

Count = Callable[..., Any]


def body(statements: str, params: str = "__global float4 *a, __global float4 *b, float s") -> str:
    return f"__kernel void k({params}) {{ int i = get_global_id(0); {statements} }}"


def resolver(dialect: Dialect) -> TypeSystem:
    return TypeSystem(Symbols(Program(())), dialect)


# -- operators


@pytest.mark.parametrize(
    ("statement", "flops"),
    [
        ("a[i] = a[i] + b[i];", {"sp": 4}),
        ("a[i] = a[i] * s + b[i];", {"sp": 8}),
        ("a[i] = mad(a[i], b[i], a[i]);", {"sp": 8}),
        ("a[i] = fma(a[i], (float4)(s), b[i]);", {"sp": 8}),
        ("a[i] += b[i];", {"sp": 4}),
        ("a[i] = -a[i];", {"sp": 4}),
        ("a[i] = 2.0 * a[i];", {"sp": 4}),
        ("a[i].xy = a[i].xy * b[i].zw;", {"sp": 2}),
        ("a[i].s0 = a[i].s3 + b[i].w;", {"sp": 1}),
        ("a[i] = (a[i] > b[i]) ? a[i] : b[i];", {}),
        ("float8 v = (float8)(a[i], b[i]); a[i] = v.lo + v.hi;", {"sp": 4}),
        ("float8 v = (float8)(a[i], b[i]); a[i] = v.even * v.odd;", {"sp": 4}),
        ("float3 v = a[i].xyz; v *= v; a[i].xyz = v;", {"sp": 3}),
        ("float2 v = (a[i] + b[i]).xw; a[i].xy = v;", {"sp": 2}),  # y and z are not used
    ],
)
def test_operators_count_by_element(count: Count, statement: str, flops: dict[str, float]) -> None:
    assert count(body(statement), 1, 1, suffix=".cl").flops == flops


def test_a_vector_is_one_access_of_its_size(count: Count) -> None:
    found = count(body("a[i] = a[i] * s + b[i];"), 2, 32, suffix=".cl")
    assert found.accesses == {
        ("a", "read", 16): 64,
        ("b", "read", 16): 64,
        ("a", "write", 16): 64,
    }


def test_integer_vectors(count: Count) -> None:
    params = "__global uint4 *a, __global uint4 *b"
    plain = count(body("a[i] = b[i];", params), 1, 1, suffix=".cl")
    found = count(body("a[i] = (b[i] ^ a[i]) >> 3;", params), 1, 1, suffix=".cl")
    assert found.integers - plain.integers == 8
    assert found.flops == {}


def test_vectors_of_small_integers_keep_their_type(count: Count) -> None:
    found = count(
        body("a[i] = a[i] + b[i];", "__global uchar4 *a, __global uchar4 *b"), 1, 1, suffix=".cl"
    )
    assert found.accesses[("a", "write", 4)] == 1


def test_half_vectors_count_in_half_precision(count: Count) -> None:
    found = count(
        body("a[i] = a[i] * b[i];", "__global half2 *a, __global half2 *b"), 1, 1, suffix=".cl"
    )
    assert found.flops == {"hp": 2}
    assert found.accesses[("a", "read", 4)] == 1


def test_elements_of_a_construction(count: Count) -> None:
    source = body("float4 v = (float4)(s, (float2)(s * s, 3.0f), 2.0f); a[i] = v.wzyx * v.yyyy;")
    found = count(source, 1, 1, suffix=".cl")
    assert found.flops == {"sp": 1 + 4}  # y = s*s; then 2*y, 3*y, y*y, s*y


def test_swizzles_as_targets(count: Count) -> None:
    found = count(
        body("float4 v = (float4)(s); v.xz = b[i].yw; v.lo.y = v.x; a[i] = v * s;"),
        1,
        1,
        suffix=".cl",
    )
    assert found.flops == {"sp": 3}  # x and y are the same element of b


def test_sums_in_a_loop(count: Count) -> None:
    source = body("float4 sum = 0; for (int j = 0; j < n; j++) sum += b[j] * s; a[i] = sum;")
    source = source.replace("float s)", "float s, int n)")
    found = count(source, 1, 32, suffix=".cl", n=10)
    assert found.flops == {"sp": 32 * 10 * 8}


def test_conversions_between_vectors(count: Count) -> None:
    source = body(
        "a[i] = convert_float4(b[i]) * 0.5f;", "__global float4 *a, __global const uchar4 *b"
    )
    found = count(source, 1, 1, suffix=".cl")
    assert found.work(Work.CONVERSION) == 4
    assert found.flops == {"sp": 4}


def test_hip_and_cuda_vectors_without_operators_of_the_program(count: Count) -> None:
    source = """
    __global__ void k(float4 *a, const float4 *b, float s) {
      int i = threadIdx.x;
      a[i] = a[i] * s + b[i];
      a[i] += b[i];
    }"""
    for suffix in (".cu", ".hip"):
        assert count(source, 1, 1, suffix=suffix).flops == {"sp": 12}


def test_a_program_s_own_operator_comes_first(count: Count) -> None:
    source = """
    __device__ float4 operator+(float4 a, float4 b) {
      return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, 0.f);
    }
    __global__ void k(float4 *a) { a[0] = a[0] + a[1]; }"""
    assert count(source).flops == {"sp": 3}


# -- components


@pytest.mark.parametrize(
    ("name", "width", "expected"),
    [
        ("x", 2, "x"),
        ("wzyx", 4, "w z y x"),
        ("s3", 4, "w"),
        ("S10", 2, "y x"),
        ("rgb", 4, "x y z"),
        ("sA", 16, "sa"),
        ("sfF0", 16, "sf sf s0"),
        ("lo", 4, "x y"),
        ("hi", 2, "y"),
        ("hi", 16, "s8 s9 sa sb sc sd se sf"),
        ("even", 8, "s0 s2 s4 s6"),
        ("odd", 4, "y w"),
        ("hi", 3, "z z"),
    ],
)
def test_component_names(name: str, width: int, expected: str) -> None:
    assert components(name, width) == tuple(expected.split())


@pytest.mark.parametrize(("name", "width"), [("z", 2), ("s4", 4), ("count", 4), ("s", 4), ("", 4)])
def test_names_that_pick_no_components(name: str, width: int) -> None:
    assert components(name, width) is None


def test_a_struct_s_fields_are_its_own(count: Count) -> None:
    source = """
    typedef struct { float hi, lo; float4 v; } pair;
    __kernel void k(__global pair *p) { p[0].hi = p[0].lo * p[0].v.s1; }"""
    found = count(source, suffix=".cl")
    assert found.accesses == {("p", "read", 4): 2, ("p", "write", 4): 1}
    offsets = [str(access.offset) for access in found.summary.root.accesses]
    assert offsets == ["4", "20", "0"]


# -- layout


@pytest.mark.parametrize(
    ("name", "cuda", "opencl"),
    [
        ("float2", (8, 8), (8, 8)),
        ("float3", (12, 4), (16, 16)),
        ("float4", (16, 16), (16, 16)),
        ("float8", None, (32, 32)),
        ("double3", (24, 8), (32, 32)),
        ("double16", None, (128, 128)),
        ("uchar3", (3, 1), (4, 4)),
        ("uchar16", None, (16, 16)),
        ("half2", (4, 4), (4, 4)),
        ("half16", None, (32, 32)),
        ("long4", (32, 16), (32, 32)),
    ],
)
def test_sizes_and_alignments(
    name: str, cuda: tuple[int, int] | None, opencl: tuple[int, int]
) -> None:
    for dialect, expected in ((Dialect.CUDA, cuda), (Dialect.OPENCL, opencl)):
        types = resolver(dialect)
        size = types.size(Type(name))
        assert (size, types.alignment(Type(name))) == (expected or (None, None))


def test_structs_of_vectors() -> None:
    path = Path("/src/t.cl")
    source = b"typedef struct { char tag; float3 at; float w; } body;"
    types = TypeSystem(Symbols(load_program([path], {path: source}.get)))
    types = types.in_dialect(Dialect.OPENCL)
    layout = types.layout(Type("body"))
    assert layout is not None
    assert {name: field.offset_bytes for name, field in layout.fields.items()} == {
        "tag": 0,
        "at": 16,
        "w": 32,
    }
    assert types.size(Type("body")) == 48


def test_braces_assigned_to_a_vector_make_one(count: Callable[..., Any]) -> None:
    source = """
    __global__ void k(float2 *a, const float *b) {
      float2 s, t = a[1];
      s = {b[0], b[1]};
      t.x += b[2] * s.x; t.y += b[2] * s.y;
      a[0] = t;
    }"""
    assert count(source).flops == {"sp": 4}
