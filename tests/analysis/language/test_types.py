"""Sizes, offsets and conversions of types, against the LP64 C++ ABI."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.language.types import common_type, precision_of, promoted
from roofline_core.program.expressions import Literal
from roofline_core.program.precision import Precision
from roofline_core.program.types import Type
from roofline_parsers.reading.load import load_program


def resolver(source: str) -> TypeSystem:
    path = Path("/src/types.cu")
    program = load_program([path], lambda wanted: source.encode() if wanted == path else None)
    return TypeSystem(Symbols(program))


def layout(source: str) -> tuple[int | None, dict[str, int]]:
    """Size of ``S`` and the offsets of its fields."""
    types = resolver(source)
    found = types.layout(Type("S"))
    assert found is not None
    return types.size(Type("S")), {n: field.offset_bytes for n, field in found.fields.items()}


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("bool", 1), ("char", 1), ("short", 2), ("int", 4), ("unsigned int", 4), ("long", 8),
        ("long long", 8), ("unsigned long", 8), ("float", 4), ("double", 8), ("size_t", 8),
        ("std::size_t", 8), ("int8_t", 1), ("uint16_t", 2), ("std::int64_t", 8), ("half", 2),
        ("__half2", 4), ("float2", 8), ("float3", 12), ("float4", 16), ("double4", 32),
        ("uchar4", 4), ("longlong2", 16), ("dim3", 12), ("cuDoubleComplex", 16),
    ],
)  # fmt: skip
def test_sizes_of_known_types(name: str, size: int) -> None:
    types = resolver("")
    assert types.size(Type(name)) == size
    assert types.size(Type(name, pointers=1)) == 8
    three = Literal(1, 3, "int")
    assert types.size(Type(name, dims=(three, three))) == 9 * size


def test_a_type_that_nothing_is_known_of_has_no_size() -> None:
    types = resolver("struct Later; struct S { Later x; };")
    assert types.size(Type("Nothing")) is None
    assert types.size(Type("float", dims=(None,))) is None


@pytest.mark.parametrize(
    ("source", "size", "offsets"),
    [
        ("struct S { char a; int b; };", 8, {"a": 0, "b": 4}),
        ("struct S { int b; char a; };", 8, {"b": 0, "a": 4}),
        ("struct S { char a; double b; char c; };", 24, {"a": 0, "b": 8, "c": 16}),
        ("struct S { float x, y, z; };", 12, {"x": 0, "y": 4, "z": 8}),
        ("struct S { char n[5]; short s; };", 8, {"n": 0, "s": 6}),
        ("struct S { float *p; int n; };", 16, {"p": 0, "n": 8}),
        ("struct S { float4 v; int n; };", 32, {"v": 0, "n": 16}),
        ("struct S { int n; float2 v; };", 16, {"n": 0, "v": 8}),
        ("struct S { int n; float3 v; };", 16, {"n": 0, "v": 4}),
        ("struct S { char c; half h; };", 4, {"c": 0, "h": 2}),
        ("struct S { static const int k = 3; int n; };", 4, {"n": 0}),
        ("struct I { char c; double d; }; struct S { char a; I i; };", 24, {"a": 0, "i": 8}),
        pytest.param(
            "struct B { int b; }; struct S : B { char c; };",
            8,
            {"b": 0, "c": 4},
        ),
        ("typedef double real; struct S { int n; real x; };", 16, {"n": 0, "x": 8}),
        ("using V = float[3]; struct S { int n; V v; };", 16, {"n": 0, "v": 4}),
        ("typedef struct { int a; double b; } S;", 16, {"a": 0, "b": 8}),
        ("struct __align__(16) S { float x; };", 16, {"x": 0}),
        ("enum E { A, B }; struct S { char c; E e; };", 8, {"c": 0, "e": 4}),
    ],
)
def test_layout_of_a_struct(source: str, size: int, offsets: dict[str, int]) -> None:
    assert layout(source) == (size, offsets)


def test_fields_of_a_union_share_their_place() -> None:
    size, offsets = layout("union S { float f; double d; char c[12]; };")
    assert offsets == {"f": 0, "d": 0, "c": 0}
    assert size == 16


def test_a_class_that_contains_itself_through_a_pointer() -> None:
    assert layout("struct S { S *next; int n; };") == (16, {"next": 0, "n": 8})


@pytest.mark.parametrize("name", ["bool", "char", "unsigned char", "short", "unsigned short"])
def test_small_integers_become_int(name: str) -> None:
    assert promoted(name) == "int"
    assert common_type(name, name) == "int"


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("int", "int", "int"),
        ("int", "unsigned int", "unsigned int"),
        ("unsigned int", "long", "long"),
        ("long", "unsigned long", "unsigned long"),
        ("unsigned long", "long long", "unsigned long long"),
        ("int", "float", "float"),
        ("unsigned long long", "float", "float"),
        ("float", "double", "double"),
        ("half", "float", "float"),
        ("char", "double", "double"),
        ("bool", "short", "int"),
        ("double", "long double", "long double"),
    ],
)
def test_usual_arithmetic_conversions(left: str, right: str, expected: str) -> None:
    if (left, right) == ("unsigned long", "long long"):
        # As wide as each other: which of the two 64-bit names is kept does not matter.
        assert common_type(left, right) in ("unsigned long long", "long long")
        return
    assert common_type(left, right) == expected
    assert common_type(right, left) == expected


@pytest.mark.parametrize(
    ("name", "precision"),
    [
        ("float", Precision.SP),
        ("double", Precision.DP),
        ("half", Precision.HP),
        ("bfloat16", Precision.HP),
        ("unsigned char", Precision.INT),
        ("Body", None),
    ],
)
def test_precision(name: str, precision: Precision | None) -> None:
    assert precision_of(name) is precision
