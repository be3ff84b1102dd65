"""Records with a plain constructor are the same as the frozen ones they are made from."""

from __future__ import annotations

import copy
import pickle
from dataclasses import field, replace

import pytest

from roofline_core.program.expressions import Literal, Name
from roofline_core.program.records import record
from roofline_core.program.types import Type


@record(frozen=True, slots=True)
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


@record(frozen=True, slots=True)
class Nothing:
    pass


@record(frozen=True, slots=True, eq=False)
class Node:
    line: int
    inner: object = None


@record(frozen=True, slots=True)
class Named:
    name: str
    note: str = field(default="", compare=False, repr=False)


def test_records_without_and_with_one_field() -> None:
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())
    assert pickle.loads(pickle.dumps(Nothing())) == Nothing()
    assert pickle.loads(pickle.dumps(Node(3))).line == 3


def test_what_does_not_compare_is_the_same_by_identity_alone() -> None:
    first = Node(1)
    assert first != Node(1)
    assert len({first, first, Node(1)}) == 2


def test_fields_left_out_of_comparison_and_text() -> None:
    assert Named("a", "x") == Named("a", "y")
    assert hash(Named("a", "x")) == hash(Named("a", "y"))
    assert repr(Named("a", "x")) == "Named(name='a')"
    others: list[object] = [Type("a"), "a"]
    assert Named("a") not in others


def test_a_record_that_holds_itself_is_shown() -> None:
    held: list[object] = []
    node = Node(1, held)
    held.append(node)
    assert repr(node) == "Node(line=1, inner=[...])"


def test_patterns_match_by_place() -> None:
    match Point(4, 5):
        case Point(x, y):
            assert (x, y) == (4, 5)


@record(frozen=True, slots=True)
class Remembering:
    name: str
    known: dict[str, int] = field(default_factory=dict, init=False, compare=False, repr=False)


def test_what_a_record_remembers_is_its_own() -> None:
    first = Remembering("a")
    first.known["b"] = 1
    assert replace(first).known == pickle.loads(pickle.dumps(first)).known == {}
    assert replace(first) == first
    assert repr(first) == "Remembering(name='a')"
    with pytest.raises(TypeError):
        Remembering("a", {})  # type: ignore[call-arg]
