"""Records with a plain constructor are the same as the frozen ones they are made from."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, field, replace

import pytest

from roofline_lsp.kernel.expressions import Literal, Name
from roofline_lsp.kernel.records import unguarded
from roofline_lsp.kernel.types import Type


@unguarded
@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)


def test_the_constructor_takes_fields_by_place_and_by_name() -> None:
    point = Point(1, names=["a"])
    assert (point.x, point.y, point.names) == (1, 2, ["a"])
    assert Point(y=5, x=4) == Point(4, 5)


def test_each_record_gets_a_default_of_its_own() -> None:
    first, second = Point(1), Point(1)
    first.names.append("a")
    assert second.names == []


def test_a_missing_field_is_an_error() -> None:
    with pytest.raises(TypeError, match="x"):
        Point()  # type: ignore[call-arg]


def test_equality_hash_and_replacement_are_the_dataclass_s() -> None:
    assert Type("float", pointers=1) == Type("float").pointer_to()
    assert hash(Type("float", pointers=1)) == hash(Type("float").pointer_to())
    assert replace(Name(3, "n"), line=4).name == "n"
    assert Literal(1, 2, "int") != Literal(1, 2, "int")


def test_records_are_copied_and_pickled() -> None:
    given = Type("std::vector", args=(Type("float"),))
    assert pickle.loads(pickle.dumps(given)) == given == copy.deepcopy(given)


def test_a_record_has_no_other_fields() -> None:
    with pytest.raises(AttributeError):
        Point(1).z = 1  # type: ignore[attr-defined]
