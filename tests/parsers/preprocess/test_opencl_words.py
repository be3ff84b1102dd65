"""OpenCL C's words in the CUDA grammar's, line by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_parsers.preprocess.opencl_words import rewrite


def text_of(source: str) -> str:
    text, _ = rewrite(source.encode())
    return text.decode()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("__kernel void f()", "__global__ void f()"),
        ("kernel void f()", "__global__ void f()"),
        ("__local float *s", "__shared__ float *s"),
        ("local int t[4];", "__shared__ int t[4];"),
        ("constant float *c", "__constant__ float *c"),
        ("__global float *p", "         float *p"),
        ("private int i;", "        int i;"),
        ("__read_only image2d_t a", "            image2d_t a"),
        ("write_only pipe int p", "                int p"),
        ("generic int *p", "        int *p"),
        ("int generic = 2;", "int generic = 2;"),
        ("int local_id, my_kernel;", "int local_id, my_kernel;"),
        ("p->global + q.local", "p->global + q.local"),
        ("/* __local */ // kernel\n", "/* __local */ // kernel\n"),
        ('printf("__global %d", x)', 'printf("__global %d", x)'),
    ],
)
def test_qualifiers(source: str, expected: str) -> None:
    assert text_of(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("(float4)(a, b, c, d)", "(float4){a, b, c, d}"),
        ("(int2)(0)", "(int2){0}"),
        ("( uchar16 ) (x)", "( uchar16 ) {x}"),
        ("(float4)(f(a), (float2)(g((b)), c), d)", "(float4){f(a), (float2){g((b)), c}, d}"),
        ("(float4)(')', b)", "(float4){')', b}"),
        ("(float)(a)", "(float)(a)"),
        ("(float4 *)(p)", "(float4 *)(p)"),
        ("(float5)(p)", "(float5)(p)"),
    ],
)
def test_vector_literals(source: str, expected: str) -> None:
    assert text_of(source) == expected


def test_required_block_becomes_launch_bounds_of_the_same_length() -> None:
    source = "__attribute__((reqd_work_group_size(16, N * 2, 1))) void f() {"
    found = text_of(source)
    assert found.startswith("__launch_bounds__((16, N * 2, 1))  ")
    assert found.endswith(" void f() {")
    assert len(found) == len(source)


def test_required_block_after_the_parameters_goes() -> None:
    found = text_of("void f() __attribute__((reqd_work_group_size(8, 8, 1))) {")
    assert found.split() == ["void", "f()", "{"]


@pytest.mark.parametrize("hint", ["work_group_size_hint(64, 1, 1)", "vec_type_hint(float4)"])
def test_hints_go(hint: str) -> None:
    assert text_of(f"__attribute__(({hint})) void f()").split() == ["void", "f()"]


def test_unroll_hints_become_attributes() -> None:
    assert text_of("__attribute__((opencl_unroll_hint(4))) for").split() == ["[[unroll(4)]]", "for"]
    assert text_of("__attribute__((opencl_unroll_hint)) for").split() == ["[[unroll]]", "for"]


def test_keywords_of_cpp_are_names_in_c_alone() -> None:
    assert text_of("int new = this + class;") == "int New = This + Class;"
    cpp = "template <typename T> T f(T new_value);"
    assert text_of(cpp) == cpp


def test_lines_whose_columns_move_are_named() -> None:
    text, moved = rewrite(b"int a;\n__kernel void f(__global int *x,\n  __local int *y)\n{ }\n")
    assert moved == {2, 3}
    assert text.count(b"\n") == 4


_WORDS = "__kernel __local global ( ) (float4)( /* */ // \" ' \\ __attribute__(( )) { } \n"


@given(st.lists(st.sampled_from(_WORDS.split(" ")), max_size=40))
def test_lines_stay_whatever_the_text(words: list[str]) -> None:
    source = " ".join(words).encode()
    text, moved = rewrite(source)
    assert text.count(b"\n") == source.count(b"\n")
    for number, (old, new) in enumerate(
        zip(source.split(b"\n"), text.split(b"\n"), strict=True), start=1
    ):
        assert len(old) == len(new) or number in moved
