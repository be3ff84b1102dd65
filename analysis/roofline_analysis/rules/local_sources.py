"""What the local variables of a function are made of, from its syntax alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from roofline_analysis.device.assigned import children
from roofline_analysis.rules.node_index import FunctionNodes
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

_Given = tuple[str, object]
"""A variable, and an expression that it is set to or changed by."""


def is_loaded(node: ex.Expression, function: FunctionNodes) -> bool:
    """Whether an expression of a function is made of numbers loaded from memory."""
    loaded = _closure(_set_in(function), lambda value: any(map(_loads, _outside_indices(value))))
    return is_made_of(node, loaded) or any(map(_loads, _outside_indices(node)))


def changed_by_loop(loop: st.For | st.While | st.ForRange) -> frozenset[str]:
    """The variables that differ from trip to trip because the loop counts, or carries them on.

    What is loaded anew in each trip, at an address that does so, is not among them.
    """
    set_in = list(_set_within(loop))
    carried = {
        name for name, value in set_in if value is None or name in set(_names(value))
    }  # ``i++``, ``x += y``, ``x = f(x)``
    return frozenset(carried | _closure(set_in, lambda value: is_made_of(value, carried)))


def is_made_of(node: object, names: Iterable[str]) -> bool:
    """Whether an expression names one of these variables, outside of indices."""
    return not set(_names(node)).isdisjoint(names)


def _closure(set_in: Iterable[_Given], begins: Callable[[object], bool]) -> set[str]:
    """The variables with a value for which ``begins`` holds, and those made of them."""
    pairs = [(name, value) for name, value in set_in if value is not None]
    found = {name for name, value in pairs if begins(value)}
    while True:
        more = {name for name, value in pairs if name not in found and is_made_of(value, found)}
        if not more:
            return found
        found |= more


def _set_in(function: FunctionNodes) -> Iterator[_Given]:
    for type_ in (st.Variable, ex.Assign):
        for located in function.by_type.get(type_, ()):
            yield from _given(located.node)


def _set_within(node: object) -> Iterator[_Given]:
    yield from _given(node)
    for child in children(node):
        yield from _set_within(child)


def _given(node: object) -> Iterator[_Given]:
    if isinstance(node, st.Variable):
        if node.init is not None:
            yield node.name, node.init
    elif isinstance(node, ex.Assign) and isinstance(node.target, ex.Name):
        name = node.target.name
        yield name, node.value
        if node.op != "=":
            yield name, node.target
    elif isinstance(node, ex.Update) and isinstance(node.target, ex.Name):
        yield node.target.name, None


def _names(node: object) -> Iterator[str]:
    """The names in an expression, those within an index or behind a pointer left out."""
    return (each.name for each in _outside_indices(node) if isinstance(each, ex.Name))


def _outside_indices(node: object) -> Iterator[object]:
    yield node
    if not _loads(node):
        for child in children(node):
            yield from _outside_indices(child)


def _loads(node: object) -> bool:
    return isinstance(node, ex.Index) or (isinstance(node, ex.Unary) and node.op == "*")
