"""Numbers and units in any language's spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_profiling.numbers import Convention, convention_of, number_of, unit_of

POINT, COMMA = Convention.POINT, Convention.COMMA


@pytest.mark.parametrize(
    ("text", "convention", "number"),
    [
        ("1,234.5", POINT, 1234.5),
        ("1.234,5", COMMA, 1234.5),
        ("27.595.520", COMMA, 27595520),
        ("27,595,520", POINT, 27595520),
        ("117.344", POINT, 117.344),
        ("117.344", COMMA, 117344),
        ("1 234,5", COMMA, 1234.5),
        ("1\u202f234\u00a0567,25", COMMA, 1234567.25),
        ("1'234.5", POINT, 1234.5),
        ("-3.5", POINT, -3.5),
        (".5", POINT, 0.5),
        ("12", COMMA, 12),
        ("1e5", POINT, 1e5),
        ("0", POINT, 0),
    ],
)
def test_numbers(text: str, convention: Convention, number: float) -> None:
    assert number_of(text, convention) == number


@pytest.mark.parametrize(
    "text",
    ["", "n/a", "nan", "inf", "-inf", ".", "+", "1.2.3", "1,23", "12,34,567", "0x10", "ten",
     "1e999", "1.1e100", "-1e101", "٣", "1" * 70, "(!) 3"],
)  # fmt: skip
def test_what_is_no_number(text: str) -> None:
    assert number_of(text) is None


@pytest.mark.parametrize(
    ("texts", "convention"),
    [
        (["1,234.5"], POINT),
        (["1.234,5"], COMMA),
        (["117.344", "27.595.520"], COMMA),
        (["117.344", "27,595,520"], POINT),
        (["117.344"], POINT),
        (["45,31"], COMMA),
        (["0.123"], POINT),
        (["0,123"], COMMA),
        (["1234.567"], POINT),
        ([], POINT),
        (["n/a", "", "5", "RTX 3080, 10 GB"], POINT),
        (["1.5", "2.5", "3,5"], POINT),
    ],
)
def test_the_convention_is_that_of_the_telling_numbers(
    texts: list[str], convention: Convention
) -> None:
    assert convention_of(texts) is convention


@given(st.floats(min_value=0, max_value=1e15, allow_nan=False))
def test_both_spellings_of_a_number_are_read_alike(number: float) -> None:
    english = f"{number:,.4f}"
    german = english.translate({ord(","): ".", ord("."): ","})
    assert number_of(english, POINT) == number_of(german, COMMA) == float(f"{number:.4f}")


@given(st.text(max_size=80))
def test_no_text_makes_reading_fail(text: str) -> None:
    for convention in Convention:
        number = number_of(text, convention)
        assert number is None or number == number  # noqa: PLR0124 - not a NaN
    convention_of([text])
    unit_of(text)


@pytest.mark.parametrize(
    ("text", "factor", "name"),
    [
        ("byte", 1, "byte"),
        ("Kbyte", 1e3, "byte"),
        ("Mbyte", 1e6, "byte"),
        ("Gbyte/second", 1e9, "byte/second"),
        ("Gbyte/s", 1e9, "byte/second"),
        ("usecond", 1e-6, "second"),
        ("nsecond", 1e-9, "second"),
        ("us", 1e-6, "second"),
        ("ms", 1e-3, "second"),
        ("s", 1, "second"),
        ("Mhz", 1e6, "hz"),
        ("Ghz", 1e9, "hz"),
        ("cycle/usecond", 1e6, "cycle/second"),
        ("Kbyte/block", 1e3, "byte/block"),
        ("register/thread", 1, "register/thread"),
        ("Kibyte", 1024, "byte"),
        ("MiB", 2**20, "byte"),
        ("%", 1, "%"),
        ("", 1, ""),
        ("furlong", 1, "furlong"),
    ],
)
def test_units(text: str, factor: float, name: str) -> None:
    found, base = unit_of(text)
    assert found == pytest.approx(factor)
    assert base == name
