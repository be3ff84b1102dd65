"""Launches in generic lambdas: what ``decltype`` says, constants as types, unknown callers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_core.program.types import Type

Run = Callable[..., Any]
KERNEL = "template <typename T, int N> __global__ void k(T *a, int n) {}\n"
TAG = """
#include <type_traits>
template <typename T> struct tag { using type = T; };
template <int N> struct number { static constexpr int value = N; };
"""


def bindings(result: Any) -> list[tuple[object, ...]]:
    """The kernel's template arguments of each launch, by their names or numbers."""
    return [
        tuple(
            value.name if isinstance(value, Type) else value.constant
            for value in launch.template_bindings.values()
        )
        for launch in result.launches
    ]


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        ("f(float{});", [("float", 2)]),
        ("f(1.0);", [("double", 2)]),
        ("short x = 0; f(x);", [("short", 2)]),
        ("if (d) f(float{}); else f(double{});", [("float", 2), ("double", 2)]),
        (
            "switch (d) { case 0: f(int{}); break; case 1: f(double{}); break; }",
            [("int", 2), ("double", 2)],
        ),
    ],
)
def test_a_type_is_that_of_the_argument(
    run: Run, calls: str, found: list[tuple[object, ...]]
) -> None:
    body = "auto f = [&](auto t) { using T = decltype(t); k<T, 2><<<1, 1>>>((T *)p, n); };"
    assert bindings(run(f"{KERNEL}void go(int d, void *p, int n) {{ {body} {calls} }}")) == found


@pytest.mark.parametrize(
    ("use", "call", "found"),
    [
        ("using T = typename decltype(t)::type; k<T, 2>", "tag<float>{}", ("float", 2)),
        ("using T = std::decay_t<decltype(t)>; k<T, 2>", "1.0", ("double", 2)),
        ("using T = std::remove_pointer_t<decltype(t)>; k<T, 2>", "(int *)p", ("int", 2)),
        ("k<float, decltype(t)::value>", "number<8>{}", ("float", 8)),
        ("k<float, t.value>", "number<8>{}", ("float", 8)),
        ("constexpr int N = decltype(t)::value; k<float, N>", "number<8>{}", ("float", 8)),
        ("k<float, decltype(t)::value>", "std::integral_constant<int, 8>{}", ("float", 8)),
        ("k<float, t.value>", "std::integral_constant<int, 8>{}", ("float", 8)),
        ("k<float, number<8>::value>", "0", ("float", 8)),
        ("k<float, std::integral_constant<int, 8>::value>", "0", ("float", 8)),
    ],
)
def test_what_a_class_that_is_passed_says(
    run: Run, use: str, call: str, found: tuple[object, ...]
) -> None:
    source = f"""{TAG}{KERNEL}
    void go(void *p, int n) {{
      auto f = [&](auto t) {{ {use}<<<1, 1>>>(nullptr, n); }};
      f({call});
    }}"""
    assert bindings(run(source)) == [found]


@pytest.mark.parametrize(
    "call",
    [
        "dispatch(d, [&] { BODY });",
        'DISPATCH(d, "k", [&] { BODY });',
        "pool.submit([&](int worker) { BODY });",
        "auto f = [&] { BODY }; lib::each(d, f);",
        "lib::each(d, [&](auto t) { using T = decltype(t); BODY });",
    ],
)
def test_what_an_unknown_function_is_given_may_be_called(run: Run, call: str) -> None:
    body = "using T = float; k<T, 2><<<n, 32>>>((T *)p, n);" if "decltype" not in call else ""
    body = body or "k<T, 2><<<n, 32>>>((T *)p, n);"
    declared = "template <class F> void dispatch(int d, F f);\n"
    source = f"{declared}{KERNEL}void go(int d, void *p, int n) {{ {call.replace('BODY', body)} }}"
    result = run(source)
    assert bindings(result) == [("float", 2)]
    (launch,) = result.launches
    assert not launch.certain
    assert launch.open_types == (("T",) if "decltype" in call else ())


def test_what_it_may_write_is_not_known_afterwards(run: Run) -> None:
    source = f"""{KERNEL}
    int main() {{
      float *p; int n = 64, m = 64;
      unknown([&] {{ n = 128; k<float, 2><<<n, 32>>>(p, n); }});
      k<float, 4><<<n, m>>>(p, n);
    }}"""
    inner, after = run(source).launches
    assert inner.grid[0].constant == 128
    assert after.grid[0].constant is None
    assert after.block[0].constant == 64


@pytest.mark.parametrize(
    "source",
    [
        (
            "template <class T> void sum(T *p, int n) { k<T, 2><<<1, 1>>>(p, n); }\n"
            "void go(int n) { auto *p = library(n); sum(p, n); }"
        ),
        (
            "template <class T> void sum(int n) { k<T, 2><<<1, 1>>>(nullptr, n); }\n"
            "template <class U> void each(U value, int n) { sum<U>(n); }\n"
            "void go(int n) { each(library(n), n); }"
        ),
    ],
)
def test_types_of_which_nothing_is_known_are_taken_for_float(run: Run, source: str) -> None:
    result = run(KERNEL + source)
    assert {each[0] for each in bindings(result)} == {"float"}
    assert all(launch.open_types for launch in result.launches)
