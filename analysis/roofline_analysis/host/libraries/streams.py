"""``std::cout << x`` has no effect here; ``file >> x`` reads what is known of the file."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.libraries.stored_input import make_unknown
from roofline_analysis.host.libraries.stream_input import extract
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import AUTO, HostFieldPlace
from roofline_analysis.host.state.names import find_variable
from roofline_analysis.host.state.operators import boolean
from roofline_analysis.host.values import Aggregate, OpaqueValue, Scalar, Text, Value
from roofline_core.program import expressions as ex

_MANIPULATORS: Final = frozenset(("ws", "skipws", "dec", "boolalpha"))
_STREAMS: Final = frozenset(("cout", "cerr", "clog", "cin"))


def stream_of(interpreter: HostInterpreter, node: ex.Binary) -> str | None:
    """The name of the stream a chain of ``<<`` or ``>>`` works on; None if it shifts numbers."""
    root: ex.Expression = node
    while isinstance(root, ex.Binary) and root.op in ("<<", ">>"):
        root = root.left
    if isinstance(root, ex.Member) or (isinstance(root, ex.Unary) and root.op == "*"):
        held = interpreter.place(root).get()
        return "a stream" if isinstance(held, Aggregate) and "stream" in held.type.name else None
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
    held = interpreter.place(root).get()
    places = [interpreter.place(t) for t in reversed(targets) if not _is_manipulator(t)]
    known = None
    if isinstance(held, Aggregate):
        known = extract(interpreter, held, places, node.line)
    else:
        source = "standard input" if stream.removeprefix("std::") == "cin" else f"'{stream}'"
        for place in places:
            make_unknown(interpreter, place, f"content of {source}", node.line)
    if known is not None:
        return boolean(known)
    return OpaqueValue(f"{stream} >> ...", "whether it can be read is not known")


def _is_manipulator(node: ex.Expression) -> bool:
    """Whether it is a manipulator that does not change how numbers are read in base 10."""
    return isinstance(node, ex.Name) and node.name.removeprefix("std::") in _MANIPULATORS


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


def _run_parts(interpreter: HostInterpreter, node: ex.Expression) -> None:
    if isinstance(node, ex.Binary) and node.op == "<<":
        _run_parts(interpreter, node.left)
        if interpreter.reach.can_launch(node.right):
            interpreter.eval(node.right)
