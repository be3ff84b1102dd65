"""``std::cout << x`` has no effect here; ``std::cin >> x`` makes ``x`` unknown."""

from __future__ import annotations

from typing import Final

from roofline_lsp.analysis.host.machine import SCALARS, Machine
from roofline_lsp.analysis.host.memory import Place
from roofline_lsp.analysis.host.names import find_variable
from roofline_lsp.analysis.host.values import Aggregate, Opaque, Text, Value
from roofline_lsp.kernel import expressions as ex
from roofline_lsp.kernel.types import Type

_STREAMS: Final = frozenset(("cout", "cerr", "clog", "cin"))


def stream_of(m: Machine, node: ex.Binary) -> str | None:
    """The name of the stream a chain of ``<<`` or ``>>`` works on; None if it shifts numbers."""
    root: ex.Expression = node
    while isinstance(root, ex.Binary) and root.op in ("<<", ">>"):
        root = root.left
    if not isinstance(root, ex.Name):
        return None
    if root.name.removeprefix("std::") in _STREAMS:
        return root.name
    place = find_variable(m, root.name)
    if place is None:
        return None
    value = place.get()
    is_stream = "stream" in place.type.name
    if isinstance(value, (Aggregate, Opaque)) and value.type is not None:
        is_stream = is_stream or "stream" in value.type.name
    return root.name if is_stream else None


def read_from_stream(m: Machine, node: ex.Binary, stream: str) -> Value:
    """Execute a chain of stream operators."""
    if node.op == "<<":
        if m.reach.can_launch(node):
            _run_parts(m, node)
        return Opaque(stream, "a stream")
    targets: list[ex.Expression] = []
    root: ex.Expression = node
    while isinstance(root, ex.Binary) and root.op == ">>":
        targets.append(root.right)
        root = root.left
    place = find_variable(m, root.name) if isinstance(root, ex.Name) else None
    held = place.get() if place is not None else None
    source = held.fields.get("source") if isinstance(held, Aggregate) else None
    label = f"file '{source.value}'" if isinstance(source, Text) else f"'{stream}'"
    for target in reversed(targets):
        read_into(m, m.place(target), label, node.line)
    return Opaque(f"{stream} >> ...", "whether it can be read is not known")


def read_into(m: Machine, place: Place, source: str, line: int | None) -> None:
    """Make a place hold something read at run time."""
    why = f"it is read from {source} at run time"
    if place.type.name in SCALARS and not place.type.pointers:
        name = place.name or "a value"
        m.store(place, m.unknown(name, why, place.type.name, line=line))
    elif place.type.name not in SCALARS:
        m.store(place, Opaque(place.name, why, Type(place.type.name)))


def _run_parts(m: Machine, node: ex.Expression) -> None:
    if isinstance(node, ex.Binary) and node.op == "<<":
        _run_parts(m, node.left)
        if m.reach.can_launch(node.right):
            m.eval(node.right)
