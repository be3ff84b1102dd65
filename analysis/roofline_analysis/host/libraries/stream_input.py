"""Input of C++ streams, of files and of strings, by ``>>`` and ``std::getline``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from roofline_analysis.host.inputs.scanning import (
    Cursor,
    PastKnownError,
    bytes_of_text,
    extract_number,
    extract_word,
    text_of_bytes,
)
from roofline_analysis.host.libraries.stored_input import (
    make_unknown,
    store_number,
    store_string,
    store_text,
)
from roofline_analysis.host.state.arguments import Arguments
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import AUTO, Cell, HostFieldPlace, HostPlace
from roofline_analysis.host.state.open_file import file_of
from roofline_analysis.host.state.open_files import (
    PAST_KNOWN,
    cursor_of,
    lose,
    origin_of_content,
    settle,
)
from roofline_analysis.host.state.operators import boolean, integer, stream_state
from roofline_analysis.host.state.types import resolve
from roofline_analysis.host.values import (
    Aggregate,
    OpaqueValue,
    Origin,
    Scalar,
    Text,
    Value,
)
from roofline_analysis.language.types import value_range
from roofline_core.program.types import Type

TEXT: Final = "text"
"""The field of a string stream that holds what is not read yet."""
_BYTES: Final = frozenset(("char", "signed char", "unsigned char"))
UNREADABLE: Final = "whether it can be read is not known"


def source_of(stream: Aggregate, name: str = "") -> str:
    """What is read from a stream, in messages: ``content of file 'x', which was not found``."""
    opened = file_of(stream)
    if opened is not None:
        return opened.source
    text = stream.fields.get(TEXT)
    label = text.name if isinstance(text, OpaqueValue) else f"'{name}'" if name else "a stream"
    return f"content of {label}"


def stream_cursor(stream: Aggregate) -> Cursor | None:
    """The place in a stream of which the content is known; None if either is not."""
    opened = file_of(stream)
    if opened is not None:
        return cursor_of(opened)
    text = stream.fields.get(TEXT)
    if text is None and "stringstream" in stream.type.name:
        text = Text("")
    if not isinstance(text, Text):
        return None
    data = bytes_of_text(text.value)
    return Cursor(data, len(data), 0, _flag(stream, "ended") or False)


def _flag(stream: Aggregate, name: str) -> bool | None:
    held = stream.fields.get(name)
    number = held.value.constant if isinstance(held, Scalar) else 0
    return None if number is None else bool(number)


def stream_ended(stream: Aggregate) -> bool | None:
    """Whether a stream has met its end, as ``eof`` says; None if not known."""
    opened = file_of(stream)
    return opened.ended if opened is not None else _flag(stream, "ended")


def settle_stream(
    interpreter: HostInterpreter, stream: Aggregate, cursor: Cursor, *, failed: bool, count: int = 0
) -> None:
    """Note where a read has left a stream, whether it failed, and the characters it took."""
    opened = file_of(stream)
    if opened is not None:
        settle(interpreter, opened, cursor, failed=failed, count=count)
        return
    rest = cursor.data[cursor.position :].decode("utf-8", "surrogateescape")
    before = stream.fields.get(TEXT)
    origin = before.origin if isinstance(before, Text) else None
    fields: dict[str, Value] = {
        TEXT: Text(rest, origin), "ended": boolean(cursor.ended), "failed": boolean(failed),
        "count": integer(count),
    }  # fmt: skip
    for name, value in fields.items():
        interpreter.store(HostFieldPlace(stream, name, AUTO), value)


def lose_stream(interpreter: HostInterpreter, stream: Aggregate, why: str = "") -> None:
    """From here on it is not known what is read from a stream, and whether that succeeds."""
    opened = file_of(stream)
    if opened is not None:
        lose(interpreter, opened, why or opened.lost)
        return
    if isinstance(stream.fields.get(TEXT), Text):
        unknown = OpaqueValue("a string stream", "where it stands is not known")
        interpreter.store(HostFieldPlace(stream, TEXT, AUTO), unknown)
    for name in ("ended", "failed", "count"):
        flag = interpreter.unknown(name, UNREADABLE, "int")
        interpreter.store(HostFieldPlace(stream, name, AUTO), flag)


def stream_origin(
    interpreter: HostInterpreter, stream: Aggregate, line: int | None
) -> Origin | None:
    """Where what is read from a stream came from."""
    opened = file_of(stream)
    if opened is not None:
        return origin_of_content(interpreter, opened, line)
    text = stream.fields.get(TEXT)
    return text.origin if isinstance(text, Text) else None


def ready(stream: Aggregate) -> Cursor | None:
    """The place to read from; None where the next read is not known."""
    return stream_cursor(stream) if stream_state(stream) is not None else None


def extract(
    interpreter: HostInterpreter, stream: Aggregate, places: Sequence[HostPlace], line: int
) -> bool | None:
    """Execute ``stream >> a >> b``: whether it succeeds, None where that is not known."""
    cursor = ready(stream)
    for position, place in enumerate(places):
        if cursor is None:
            source = source_of(stream)
            for rest in places[position:]:
                make_unknown(interpreter, rest, source, line)
            lose_stream(interpreter, stream)
            return None
        if stream_state(stream) is False:
            return False
        try:
            read = _extracted(interpreter, stream, cursor, place, line)
        except PastKnownError:
            lose_stream(interpreter, stream, PAST_KNOWN)
            cursor = None
            make_unknown(interpreter, place, source_of(stream), line)
            continue
        if read is None:
            lose_stream(interpreter, stream, "behind a read of an object")
            make_unknown(interpreter, place, source_of(stream), line)
            cursor = None
        else:
            settle_stream(interpreter, stream, cursor, failed=not read)
    return stream_state(stream)


def _extracted(
    interpreter: HostInterpreter, stream: Aggregate, cursor: Cursor, place: HostPlace, line: int
) -> bool | None:
    """Read one thing into a variable; None for one of a class that reads itself."""
    kind = resolve(interpreter, place.type)
    origin = stream_origin(interpreter, stream, line)
    if kind.name in SCALARS and not kind.pointers and not kind.dims:
        if kind.name not in _BYTES:
            number = extract_number(cursor, kind.name)
            low, high = value_range(kind.name) or (-math.inf, math.inf)
            low = low or -high  # streams, too, wrap a minus sign before an unsigned number
            held = 0 if number is None else min(max(number, low), high)
            store_number(interpreter, place, held, kind.name, origin)
            return number == held
        cursor.skip_space()
        if cursor.at_end():
            return False
        interpreter.store(place, integer(cursor.take(1)[0], kind.name, origin))
        return True
    if interpreter.symbols.find_struct(kind.name) is not None:
        return None
    word = extract_word(cursor)
    if kind.name in _BYTES:
        store_text(interpreter, place.get() or OpaqueValue("", ""), text_of_bytes(word))
    elif word:
        store_string(interpreter, place, word, origin, source_of(stream))
    return bool(word)


def stream_line(args: Arguments) -> Value:
    """``std::getline(stream, string, delimiter)``."""
    interpreter, stream = args.interpreter, args.value(0)
    place = args.places[1] if len(args) > 1 else Cell("", AUTO)
    end = delimiter(args.value(2)) if len(args) > 2 else b"\n"
    if not isinstance(stream, Aggregate) or end is None:
        source = source_of(stream) if isinstance(stream, Aggregate) else "content of a stream"
        make_unknown(interpreter, _as_string(place), source, args.line)
        if isinstance(stream, Aggregate):
            lose_stream(interpreter, stream)
        return args.opaque("whether there is a further line is not known")
    read = read_bytes(interpreter, stream, lambda cursor: cursor.line(None, end))
    if read is None:
        make_unknown(interpreter, _as_string(place), source_of(stream), args.line)
        return args.opaque("whether there is a further line is not known")
    origin = stream_origin(interpreter, stream, args.line)
    store_string(interpreter, place, read.removesuffix(end), origin, source_of(stream))
    return boolean(bool(read))


def _as_string(place: HostPlace) -> HostPlace:
    """A string's place also where its type is not told."""
    if place.type.name == "auto":
        place.type = Type("std::string")
    return place


def delimiter(value: Value) -> bytes | None:
    """The byte that a ``delimiter`` argument means; None if it is not known."""
    if isinstance(value, Text) and len(value.value) == 1:
        return bytes_of_text(value.value)
    code = value.value.constant if isinstance(value, Scalar) else None
    return bytes((int(code) & 0xFF,)) if code is not None else None


def read_bytes(
    interpreter: HostInterpreter, stream: Aggregate, read: Callable[[Cursor], bytes]
) -> bytes | None:
    """Unformatted input: empty where it fails; None where it is not known, the place then lost."""
    cursor = ready(stream)
    if stream_state(stream) is False:
        return b""
    if cursor is None:
        lose_stream(interpreter, stream)
        return None
    try:
        found = read(cursor)
    except PastKnownError:
        lose_stream(interpreter, stream, PAST_KNOWN)
        return None
    settle_stream(interpreter, stream, cursor, failed=not found, count=len(found))
    return found
