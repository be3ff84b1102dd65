"""The methods of C++ streams that read: ``get``, ``read``, ``seekg`` and their like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from roofline_analysis.host.inputs.scanning import Cursor, PastKnownError, text_of_bytes
from roofline_analysis.host.libraries.stored_input import (
    make_unknown,
    store_bytes,
    store_text,
    store_unknown,
)
from roofline_analysis.host.libraries.stream_input import (
    TEXT,
    UNREADABLE,
    delimiter,
    lose_stream,
    read_bytes,
    ready,
    settle_stream,
    source_of,
    stream_cursor,
    stream_ended,
    stream_origin,
)
from roofline_analysis.host.state.access import rvalue
from roofline_analysis.host.state.arguments import Arguments
from roofline_analysis.host.state.havoc import forget_unknown_call
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import AUTO, Cell, HostFieldPlace, HostPlace
from roofline_analysis.host.state.open_file import file_of
from roofline_analysis.host.state.open_files import PAST_KNOWN, open_stream
from roofline_analysis.host.state.operators import boolean, integer, stream_state
from roofline_analysis.host.values import Aggregate, OpaqueValue, Value


def _state(interpreter: HostInterpreter, stream: Aggregate, name: str) -> Value:
    """``good``, ``fail``, ``bad``, ``eof``."""
    good, ended = stream_state(stream), stream_ended(stream)
    found = {
        "eof": ended,
        "good": False if good is False or ended else good if ended is not None else None,
        "fail": None if good is None else not good,
        "bad": False,
    }[name]
    if found is None:
        return OpaqueValue(f"{name}()", f"it depends on the {source_of(stream)}")
    return boolean(found)


def _next_byte(cursor: Cursor) -> bytes:
    return b"" if cursor.at_end() else cursor.take(1)


def _get(args: Arguments, stream: Aggregate) -> Value:
    """``get()``, ``get(character)``, ``peek()``."""
    interpreter, peeks = args.interpreter, args.name == "peek"
    before = stream_cursor(stream) if peeks else None
    read = read_bytes(
        interpreter, stream, lambda cursor: b"" if cursor.at_end() else cursor.take(1)
    )
    if read is None:
        if len(args):
            make_unknown(interpreter, args.places[0], source_of(stream), args.line)
        return args.opaque(f"it depends on the {source_of(stream)}")
    if before is not None and read:
        settle_stream(interpreter, stream, before, failed=False)
    if not len(args):
        return integer(
            read[0] if read else -1, "int", stream_origin(interpreter, stream, args.line)
        )
    if read:
        interpreter.store(args.places[0], integer(read[0], "char"))
    return boolean(bool(read))


def _getline(args: Arguments, stream: Aggregate) -> Value:
    """The method ``getline(buffer, most, delimiter)``, and ``get`` with these arguments."""
    most = args.constant(1)
    end = delimiter(args.value(2)) if len(args) > 2 else b"\n"
    read = None
    if most is not None and most > 1 and end is not None:
        stop, length = end, int(most) - 1
        read = read_bytes(args.interpreter, stream, lambda cursor: cursor.line(length, stop))
    else:
        lose_stream(args.interpreter, stream)
    if read is None:
        store_unknown(args.interpreter, args.value(0), source_of(stream), args.line, one=False)
        return args.opaque(UNREADABLE)
    store_text(args.interpreter, args.value(0), text_of_bytes(read.removesuffix(end or b"")))
    return boolean(bool(read))


def _bytes(args: Arguments, stream: Aggregate) -> Value:
    """``read(target, count)``."""
    interpreter, count, target = args.interpreter, args.constant(1), args.value(0)
    cursor = ready(stream)
    if stream_state(stream) is False:
        return boolean(False)
    if count is None or cursor is None:
        lose_stream(interpreter, stream, "behind a read of which the length is not known")
        store_unknown(interpreter, target, source_of(stream), args.line, one=False)
        return args.opaque(UNREADABLE)
    start, data = cursor.position, None
    try:
        data = cursor.take(int(count))
    except PastKnownError:
        store_unknown(interpreter, target, source_of(stream), args.line, one=False)
    taken = cursor.position - start
    failed = taken < count
    settle_stream(interpreter, stream, cursor, failed=failed, count=taken)
    if data is not None:
        origin, source = stream_origin(interpreter, stream, args.line), source_of(stream)
        store_bytes(interpreter, target, data, origin, source, args.line)
    return boolean(not failed)


def _ignore(args: Arguments, stream: Aggregate) -> Value:
    """``ignore(count, delimiter)``."""
    count = args.constant(0) if len(args) else 1
    end = delimiter(args.value(1)) if len(args) > 1 else None
    if count is None or (len(args) > 1 and end is None):
        lose_stream(args.interpreter, stream)
        return boolean(True)
    most = int(min(count, 2**40))
    cursor = ready(stream)
    if cursor is None or stream_state(stream) is False:
        lose_stream(args.interpreter, stream)
        return boolean(True)
    try:
        if end is None:
            cursor.take(most)
        else:
            cursor.line(most, end)
    except PastKnownError:
        lose_stream(args.interpreter, stream, PAST_KNOWN)
        return boolean(True)
    settle_stream(args.interpreter, stream, cursor, failed=False)
    return boolean(True)


_DIRECTIONS: Final = {"beg": 0, "cur": 1, "end": 2}


def _seek(args: Arguments, stream: Aggregate) -> Value:
    """``seekg(offset, from)``."""
    opened = file_of(stream)
    if opened is None or opened.file.data is None or opened.file.size_bytes is None:
        lose_stream(args.interpreter, stream)
        return boolean(True)
    offset = args.constant(0) if len(args) else None
    start = args.constant(1) if len(args) > 1 else 0
    if start is None:  # ``file.end``, through the object
        start = _DIRECTIONS.get(args.places[1].name)
    before = opened.position
    base = {0: 0, 1: before, 2: opened.file.size_bytes}.get(int(start) if start is not None else -1)
    if offset is None or base is None:
        lose_stream(args.interpreter, stream, "at a place that is computed from unknown values")
        return boolean(True)
    place = max(0, base + int(offset))
    cursor = Cursor(opened.file.data, opened.file.size_bytes, place)
    settle_stream(args.interpreter, stream, cursor, failed=bool(opened.failed))
    return boolean(True)


def _tell(args: Arguments, stream: Aggregate) -> Value:
    opened = file_of(stream)
    if opened is None:
        return args.opaque(f"it depends on the {source_of(stream)}")
    if opened.position is not None and opened.file.size_bytes is not None:
        origin = stream_origin(args.interpreter, stream, args.line)
        return integer(opened.position, "long", origin)
    why = f"it is the size of {opened.described}"
    return args.interpreter.unknown(
        f"size of {opened.name}", why, "long", assumed=1 << 20, line=args.line, shared=True
    )


def _count(args: Arguments, stream: Aggregate) -> Value:
    opened, held = file_of(stream), stream.fields.get("count")
    number = opened.last_count if opened is not None else None
    if number is not None:
        return integer(number, "long")
    return held if held is not None else args.opaque(UNREADABLE)


def _clear(args: Arguments, stream: Aggregate) -> Value:
    cursor = stream_cursor(stream)
    if cursor is not None:
        cursor.ended = False
        settle_stream(args.interpreter, stream, cursor, failed=False)
    return boolean(True)


def _str(args: Arguments, stream: Aggregate) -> Value:
    if len(args):
        value = rvalue(args.interpreter, args.places[0])
        args.interpreter.store(HostFieldPlace(stream, TEXT, AUTO), value)
        return integer(0)
    held = stream.fields.get(TEXT)
    return held if held is not None else args.opaque("the text is not known")


def _open(args: Arguments, stream: Aggregate) -> Value:
    values = [args.value(position) for position in range(len(args))]
    open_stream(args.interpreter, stream, values)
    return integer(0)


def _true(args: Arguments, stream: Aggregate) -> Value:
    return boolean(True)


_METHODS: Final[dict[str, Callable[[Arguments, Aggregate], Value]]] = {
    "open": _open, "close": _true, "is_open": _true, "str": _str, "clear": _clear, "get": _get,
    "peek": _get, "getline": _getline, "read": _bytes, "ignore": _ignore, "seekg": _seek,
    "tellg": _tell, "gcount": _count, "flush": _true, "exceptions": _true, "precision": _true,
    "setf": _true, "imbue": _true, "width": _true, "fill": _true,
}  # fmt: skip


def stream_method(
    interpreter: HostInterpreter,
    stream: Aggregate,
    name: str,
    args: Sequence[HostPlace],
    line: int,
) -> HostPlace:
    """A method call on a stream; one that is not modelled leaves its place not known."""
    if name in ("good", "fail", "bad", "eof"):
        return Cell("", AUTO, _state(interpreter, stream, name))
    given = Arguments(interpreter, name, args, line)
    method = _METHODS.get(name)
    if method is not None:
        method = _getline if name == "get" and len(args) > 1 else method
        return Cell("", AUTO, method(given, stream))
    forget_unknown_call(interpreter, name, args)
    lose_stream(interpreter, stream)
    source = source_of(stream)
    label = source.removeprefix("content of ")
    origin = interpreter.origin(label, line)
    return Cell(
        "", AUTO, OpaqueValue(f"{name}() of {label}", f"it depends on the {source}", None, origin)
    )
