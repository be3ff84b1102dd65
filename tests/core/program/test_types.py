"""Which types are one and the same."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from roofline_core.program.expressions import Literal
from roofline_core.program.types import Type

BOUND = Literal(0, 4, "int")
OTHER: dict[str, Any] = {
    "name": "double",
    "args": (Type("int"),),
    "pointers": 1,
    "reference": True,
    "const": True,
    "restrict": True,
    "volatile": True,
    "dims": (BOUND,),
    "scope_args": (Type("int"),),
    "rvalue": True,
    "fixed": True,
    "enumeration": "Kind",
}
"""Another value of each field that tells types apart."""


def test_every_field_that_compares_is_looked_at() -> None:
    assert {each.name for each in fields(Type) if each.compare} == OTHER.keys()


@pytest.mark.parametrize("field", OTHER)
def test_types_that_differ_in_one_field_are_two(field: str) -> None:
    plain, other = Type("float"), replace(Type("float"), **{field: OTHER[field]})
    assert plain != other
    assert other == replace(plain, **{field: OTHER[field]})
    assert hash(other) == hash(replace(plain, **{field: OTHER[field]}))


def test_alignment_and_a_tag_make_no_other_type() -> None:
    plain = Type("S")
    assert plain == Type("S", align=BOUND, tagged=True)
    assert hash(plain) == hash(Type("S", align=BOUND, tagged=True))


def test_a_type_is_equal_to_types_alone() -> None:
    assert Type("int") != "int"
    assert Type("int") != None  # noqa: E711


def test_types_that_share_their_arguments_are_hashed_and_counted_once_each() -> None:
    one = Type("float")
    for _ in range(60):
        one = Type("Pair", (one, one))
    assert one.parts == 2**61 - 1  # written out, that is
    assert {one: 1}[one] == 1


def test_parts_are_a_type_and_its_arguments() -> None:
    assert Type("float", pointers=1).parts == 1
    assert Type("A", (Type("B", (Type("int"),)), Literal(1, 3, "int"))).parts == 4
    assert Type("A::b", scope_args=(Type("int"),)).parts == 2
