"""``std::cout << x`` has no effect here; ``std::cin >> x`` makes ``x`` unknown."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import AUTO, HostFieldPlace, HostPlace
from roofline_analysis.host.state.names import find_variable
from roofline_analysis.host.state.numbers import parse_number
from roofline_analysis.host.state.operators import FLOATING, boolean, integer, to_scalar_type
from roofline_analysis.host.values import Aggregate, OpaqueValue, Scalar, Text, Value
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type

_STREAMS: Final = frozenset(("cout", "cerr", "clog", "cin"))


def stream_of(interpreter: HostInterpreter, node: ex.Binary) -> str | None:
    """The name of the stream a chain of ``<<`` or ``>>`` works on; None if it shifts numbers."""
    root: ex.Expression = node
    while isinstance(root, ex.Binary) and root.op in ("<<", ">>"):
        root = root.left
    if not isinstance(root, ex.Name):
        return None
    if root.name.removeprefix("std::") in _STREAMS:
        return root.name
    place = find_variable(interpreter, root.name)
    if place is None:
        return None
    value = place.get()
    is_stream = "stream" in place.type.name
    if isinstance(value, (Aggregate, OpaqueValue)) and value.type is not None:
        is_stream = is_stream or "stream" in value.type.name
    return root.name if is_stream else None


def read_from_stream(interpreter: HostInterpreter, node: ex.Binary, stream: str) -> Value:
    """Execute a chain of stream operators."""
    if node.op == "<<":
        _write(interpreter, node)
        if interpreter.reach.can_launch(node):
            _run_parts(interpreter, node)
        return OpaqueValue(stream, "a stream")
    targets: list[ex.Expression] = []
    root: ex.Expression = node
    while isinstance(root, ex.Binary) and root.op == ">>":
        targets.append(root.right)
        root = root.left
    place = find_variable(interpreter, root.name) if isinstance(root, ex.Name) else None
    held = place.get() if place is not None else None
    source = held.fields.get("source") if isinstance(held, Aggregate) else None
    label = f"file '{source.value}'" if isinstance(source, Text) else f"'{stream}'"
    text = held.fields.get("text") if isinstance(held, Aggregate) else None
    if isinstance(held, Aggregate) and isinstance(text, Text):
        return _read_text(
            interpreter, held, text, [interpreter.place(target) for target in reversed(targets)]
        )
    if isinstance(text, OpaqueValue):
        label = text.name
    for target in reversed(targets):
        read_into(interpreter, interpreter.place(target), label, node.line)
    return OpaqueValue(f"{stream} >> ...", "whether it can be read is not known")


def _read_text(
    interpreter: HostInterpreter, held: Aggregate, text: Text, places: list[HostPlace]
) -> Value:
    """Read words of a string stream."""
    rest = text.value
    read = True
    for place in places:
        words = rest.split(None, 1)
        read = bool(words)
        if not read:
            break
        rest = words[1] if len(words) > 1 else ""
        kind = place.type.name
        if kind in SCALARS and kind != "char" and not place.type.pointers:
            real = "double" if kind in FLOATING else "long"
            number = integer(parse_number(words[0], real), "double", text.origin)
            interpreter.store(place, to_scalar_type(number, kind))
        else:
            interpreter.store(place, Text(words[0], text.origin))
    interpreter.store(HostFieldPlace(held, "text", AUTO), Text(rest, text.origin))
    return boolean(read)


def _write(interpreter: HostInterpreter, node: ex.Binary) -> None:
    """Append to a string stream what is known."""
    parts: list[ex.Expression] = []
    root: ex.Expression = node
    while isinstance(root, ex.Binary) and root.op == "<<":
        parts.append(root.right)
        root = root.left
    place = find_variable(interpreter, root.name) if isinstance(root, ex.Name) else None
    held = place.get() if place is not None else None
    if not isinstance(held, Aggregate) or "stringstream" not in held.type.name:
        return
    before = held.fields.get("text")
    text = before.value if isinstance(before, Text) else ""
    value: Value = Text(text)
    for part in reversed(parts):
        written = interpreter.eval(part)
        if isinstance(written, Text):
            text += written.value
        elif isinstance(written, Scalar) and written.value.constant is not None:
            number = written.value.constant
            text += chr(int(number)) if written.type_name == "char" else str(number)
        else:
            value = OpaqueValue("a string", "it is made from values that are not known")
            break
    else:
        value = Text(text)
    interpreter.store(HostFieldPlace(held, "text", AUTO), value)


def read_into(
    interpreter: HostInterpreter, place: HostPlace, source: str, line: int | None
) -> None:
    """Make a place hold something read at run time."""
    why = f"it is read from {source} at run time"
    if place.type.name in SCALARS and not place.type.pointers:
        name = place.name or "a value"
        interpreter.store(place, interpreter.unknown(name, why, place.type.name, line=line))
    elif place.type.name not in SCALARS:
        interpreter.store(place, OpaqueValue(place.name, why, Type(place.type.name)))


def _run_parts(interpreter: HostInterpreter, node: ex.Expression) -> None:
    if isinstance(node, ex.Binary) and node.op == "<<":
        _run_parts(interpreter, node.left)
        if interpreter.reach.can_launch(node.right):
            interpreter.eval(node.right)
