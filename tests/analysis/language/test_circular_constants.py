"""Constants that need themselves have no value, and cost no more than others."""

from __future__ import annotations

import pytest

from roofline_analysis.language import constant_expressions
from tests.analysis.language.conftest import Ask

PRELUDE = """
template <class T> struct Symbols { enum { SIZE = T::SIZE, TWICE = 2 * SIZE }; };
struct Circle { enum { SIZE = SIZE + 1 }; static const int OTHER = Symbols<Circle>::SIZE; };
struct Real { enum { SIZE = 4 }; };
template <int N> struct Factorial { enum { value = N * Factorial<N - 1>::value }; };
template <> struct Factorial<0> { enum { value = 1 }; };
enum { SIZE = Circle::SIZE };
constexpr int calls(int n) { return n < 2 ? n : calls(n - 1) + calls(n - 2); }
"""

KNOWN = {"Symbols<Real>::TWICE": 8, "Factorial<5>::value": 120}


def test_a_circle_has_no_value_and_what_is_none_has_one(ask: Ask) -> None:
    asked = ask(
        PRELUDE,
        ["Circle::SIZE", "Symbols<Circle>::TWICE", "Circle::OTHER", "SIZE", *KNOWN],
    )
    known = [*[None] * 4, *KNOWN.values()]
    assert asked.host() == known
    assert asked.device() == known


def test_a_function_that_calls_itself_is_computed(ask: Ask) -> None:
    assert ask(PRELUDE, ["calls(10)"]).host() == [55]


@pytest.mark.sources
def test_lookups_are_bounded(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constant_expressions, "_MOST_LOOKUPS", 3)
    asked = ask(PRELUDE, ["Factorial<2>::value", "Factorial<5>::value"])
    assert asked.device() == [2, None]
