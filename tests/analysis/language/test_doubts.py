"""Where what is known does not tell what a program computes: both interpreters name an unknown."""

from __future__ import annotations

import pytest

from roofline_analysis.language.bits import in_bit_field, reinterpreted
from roofline_analysis.language.types import wrapped
from tests.analysis.language.conftest import Ask

BOTH = "__host__ __device__ "


@pytest.mark.parametrize(
    ("source", "question"),
    [
        pytest.param(
            f"template <class T> {BOTH}int f(T) {{ return 1; }}\n"
            f"template <class T> requires(sizeof(T) < 8) {BOTH}int f(T) {{ return 2; }}",
            "f(1)",
            id="constraint",
        ),
        pytest.param(
            "template <class T> struct Known; template <bool B, class T> struct EnableIf {};\n"
            "template <class T> struct EnableIf<true, T> { typedef T type; };\n"
            "template <class T, typename EnableIf<Known<T>::value, int>::type = 0>\n"
            f"{BOTH}int f(T) {{ return 1; }}\n"
            "template <class T, typename EnableIf<!Known<T>::value, int>::type = 0>\n"
            f"{BOTH}int f(T) {{ return 2; }}",
            "f(1)",
            id="condition of a template that is not known",
        ),
        pytest.param(
            f"namespace a {{ {BOTH}int f(int) {{ return 1; }} }}\n"
            f"{BOTH}int f(int) {{ return 2; }}\n"
            f"{BOTH}int g() {{ using a::f; return f(0); }}",
            "g()",
            id="local using-declaration",
        ),
        pytest.param(
            f"{BOTH}int f(int) {{ return 1; }}\n{BOTH}int f(float) {{ return 2; }}",
            "f(not_declared_anywhere(3))",
            id="argument of unknown type",
        ),
    ],
)
def test_a_call_that_is_not_decided_gives_no_number(ask: Ask, source: str, question: str) -> None:
    asked = ask(source, [question])
    assert asked.host() == [None]
    assert asked.device() == [None]


def test_a_union_keeps_no_other_field_than_the_one_written(ask: Ask) -> None:
    source = (
        "union Word { float f; int i; };\n"
        f"{BOTH}int as_number() {{ Word w; w.i = 7; w.f = 2.0f; return w.i; }}\n"
        f"{BOTH}int again() {{ Word w; w.f = 2.0f; w.i = 7; return w.i; }}"
    )
    asked = ask(source, ["as_number()", "again()"])
    assert asked.host() == [None, 7]
    assert asked.device() == [None, 7]


def test_a_guarded_assignment_leaves_no_constant_behind(ask: Ask) -> None:
    source = (
        "__device__ int flag;\n"
        "__device__ void set(int *out) { if (flag) return; *out = 5; }\n"
        "__device__ int after() { int x = 1; set(&x); return x; }"
    )
    assert ask(source, ["after()"]).device() == [None]


def test_what_a_block_votes_is_no_number(ask: Ask) -> None:
    source = "__device__ int vote(int x) { return __syncthreads_and(x) ? 1 : 2; }"
    assert ask(source, ["vote(3)"]).device() == [None]


def test_specialisations_that_differ_in_their_result_alone(ask: Ask) -> None:
    source = (
        f"template <class T> {BOTH}T made(float x);\n"
        f"template <> {BOTH}short made(float x) {{ return 1; }}\n"
        f"template <> {BOTH}char made(float x) {{ return 2; }}"
    )
    asked = ask(source, ["made<short>(1.0f)", "made<char>(1.0f)"])
    assert asked.host() == [1, 2]
    assert asked.device() == [1, 2]


def test_bits_of_numbers() -> None:
    assert reinterpreted(1.0, "float", "int") == 0x3F800000
    assert reinterpreted(0xBFF0000000000000, "unsigned long", "double") == -1.0
    assert reinterpreted(1.0, "float", "long") is None
    assert reinterpreted(1.0, "long double", "double") is None
    assert in_bit_field(13, "unsigned int", 3) == 5
    assert in_bit_field(5, "int", 3) == -3
    assert in_bit_field(5, "int", 0) is None


def test_single_precision_is_rounded() -> None:
    assert wrapped(16777217, "float") == 16777216.0
    assert wrapped(0.1, "float") != 0.1
    assert wrapped(0.1, "double") == 0.1
    assert wrapped(1e39, "float") == float("inf")
    assert wrapped(-1e39, "float") == float("-inf")
