"""Models of ``std::map`` and ``std::set``: entries of known keys, and iterators to them.

A map is an ``Aggregate`` whose fields are named after its keys. Once something is stored under a
key that is not known, only what follows from any contents is answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.host.state.access import load, rvalue
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import AUTO, Cell, HostFieldPlace, HostPlace
from roofline_analysis.host.state.operators import boolean, copied, integer
from roofline_analysis.host.state.types import resolve
from roofline_analysis.host.values import Aggregate, OpaqueValue, Scalar, Text, Value
from roofline_core.program.types import Type

_MAPS: Final = frozenset(
    prefix + name
    for prefix in ("", "std::")
    for name in ("map", "unordered_map", "multimap", "set", "unordered_set")
)
_BLURRED: Final = "?"
ITERATOR: Final = Type("map iterator")
END: Final = Type("map end")


def is_map(type: Type) -> bool:
    """Whether a type is a map or set modelled here."""
    return type.name in _MAPS and not type.pointers


def _key(value: Value) -> str | None:
    if isinstance(value, Text):
        return f"s{value.value}"
    if isinstance(value, Scalar) and value.value.constant is not None:
        return f"n{value.value.constant}"
    return None


def _entries(this: Aggregate) -> list[str]:
    return [name for name in this.fields if name[0] in "sn"]


def _mapped(interpreter: HostInterpreter, this: Aggregate) -> Type:
    second = this.type.args[1] if len(this.type.args) > 1 else None
    return resolve(interpreter, second) if isinstance(second, Type) else AUTO


def map_element(interpreter: HostInterpreter, this: Aggregate, key: Value) -> HostPlace:
    """``map[key]``, made if it is not there."""
    name = _key(key)
    mapped = _mapped(interpreter, this)
    if name is None:
        interpreter.store(HostFieldPlace(this, _BLURRED, AUTO), boolean(True))
        why = "its key is not known"
        return Cell("an element of a map", mapped, OpaqueValue("an element of a map", why, mapped))
    place = HostFieldPlace(this, name, mapped)
    if place.get() is None and mapped.name != "auto":
        interpreter.store(place, interpreter.construct(mapped, []))
    return place


def _iterator(interpreter: HostInterpreter, this: Aggregate, key: Value) -> Value:
    name = _key(key)
    if name is not None and name in this.fields:
        second = load(interpreter, HostFieldPlace(this, name, _mapped(interpreter, this)))
        return Aggregate(ITERATOR, {"first": key, "second": second})
    if name is None or _BLURRED in this.fields:
        return OpaqueValue("an element of a map", "whether it has the key is not known")
    return Aggregate(END)


def map_method(
    interpreter: HostInterpreter, this: Aggregate, name: str, args: Sequence[HostPlace]
) -> HostPlace | None:
    """A method call on a map or set; None where the method is not modelled."""
    if name in ("end", "cend"):
        return Cell("", AUTO, Aggregate(END))
    if name in ("size", "empty"):
        if _BLURRED in this.fields:
            return Cell("", AUTO, OpaqueValue("size of a map", "its contents are not known"))
        count = len(_entries(this))
        return Cell(
            "", AUTO, integer(count, "unsigned long") if name == "size" else boolean(not count)
        )
    if not args:
        return None
    value = rvalue(interpreter, args[0])
    if name == "at":
        return map_element(interpreter, this, value)
    if name == "find":
        return Cell("", AUTO, _iterator(interpreter, this, value))
    if name in ("count", "contains"):
        found = _iterator(interpreter, this, value)
        if isinstance(found, Aggregate):
            return Cell("", AUTO, integer(int(found.type is ITERATOR)))
        return Cell("", AUTO, found)
    if name in ("insert", "emplace"):
        _insert(interpreter, this, [rvalue(interpreter, argument) for argument in args])
        return Cell("", AUTO, OpaqueValue(name, "whether it was inserted"))
    return None


def _insert(interpreter: HostInterpreter, this: Aggregate, values: list[Value]) -> None:
    first = values[0]
    if len(values) == 1 and isinstance(first, Aggregate):
        parts = [
            first.fields.get(n) or first.fields.get(o) for n, o in (("first", "0"), ("second", "1"))
        ]
        values = [part for part in parts if part is not None]
    name = _key(values[0]) if values else None
    if name is None:
        interpreter.store(HostFieldPlace(this, _BLURRED, AUTO), boolean(True))
        return
    place = HostFieldPlace(this, name, _mapped(interpreter, this))
    if place.get() is None:
        held = values[1] if len(values) > 1 else values[0]
        interpreter.store(place, copied(held) or held)


def compare_iterators(op: str, left: Value, right: Value) -> Value | None:
    """``==`` or ``!=`` of two map iterators; None for other values."""
    if not (isinstance(left, Aggregate) and isinstance(right, Aggregate)):
        return None
    kinds = (left.type.name, right.type.name)
    if not all(kind in (ITERATOR.name, END.name) for kind in kinds) or op not in ("==", "!="):
        return None
    return boolean((kinds[0] == kinds[1]) == (op == "=="))
