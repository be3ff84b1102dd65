"""Models of C's file input: files beside the sources are read, what others hold is unknown.

A file that is not found is assumed to open. What is read from it is unknown and named after it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Final, TypeVar

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.inputs.scanning import (
    MOST_TEXT,
    Cursor,
    PastKnownError,
    Scanned,
    bytes_of_text,
    scan,
    text_of_bytes,
)
from roofline_analysis.host.libraries.c import origin_of
from roofline_analysis.host.libraries.stored_input import (
    make_unknown,
    store_bytes,
    store_taken,
    store_text,
    store_unknown,
)
from roofline_analysis.host.libraries.stream_input import stream_line
from roofline_analysis.host.state.arguments import Arguments, by_name, label_of
from roofline_analysis.host.state.memory import HostPlace, Storage
from roofline_analysis.host.state.open_file import OpenFile, file_of
from roofline_analysis.host.state.open_files import (
    PAST_KNOWN,
    cursor_of,
    lose,
    open_file,
    origin_of_content,
    settle,
)
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.values import Aggregate, OpaqueValue, Origin, Pointer, Value
from roofline_core.algebra.symbolic import ZERO, constant
from roofline_core.program.types import Type

Result = TypeVar("Result")


def _open(args: Arguments) -> Value:
    plain = args.name in ("fopen", "freopen")
    name = args.text(0) if plain else None
    label = label_of(args.interpreter, args.value(0)) if args.name != "fdopen" else "..."
    mode = (args.text(1) if plain else None) or ""
    writes = any(letter in mode for letter in "wa+")
    opened = open_file(args.interpreter, label, name, reads=mode.startswith("r"), writes=writes)
    origin = args.interpreter.origin(f"file {label}", args.line)
    return Pointer(opened.buffer, ZERO, Type("FILE"), origin)


def _source(args: Arguments, position: int) -> str:
    """What is read, in words; ask after the read, which may tell why it is not known."""
    value = args.value(position)
    opened = file_of(value)
    if opened is not None:
        return opened.source
    label = label_of(args.interpreter, value)
    unnamed = args.name in _FROM_STANDARD_INPUT or label == "stdin"
    return f"content of {'standard input' if unnamed else label}"


_FROM_STANDARD_INPUT: Final = frozenset(("scanf", "gets", "getchar"))


def _known(
    args: Arguments, opened: OpenFile | None, read: Callable[[Cursor], Result]
) -> Result | None:
    """Read where the content is known; None where it is not, and the place is then lost."""
    cursor = cursor_of(opened) if opened is not None else None
    if opened is None or cursor is None:
        if opened is not None:
            lose(args.interpreter, opened, opened.lost)
        return None
    try:
        found = read(cursor)
    except PastKnownError:
        lose(args.interpreter, opened, PAST_KNOWN)
        return None
    settle(args.interpreter, opened, cursor)
    return found


def _scan_text(args: Arguments) -> Value:
    text, format_ = args.text(0), args.text(1)
    if text is None or format_ is None:
        value = args.value(0)
        source = f"content of {label_of(args.interpreter, value)}"
        return _unknown_fields(args, 2, source, "the text is not known")
    data = bytes_of_text(text)
    found = scan(Cursor(data, len(data)), format_)
    return _stored(args, found, 2, origin_of(args, args.value(0)), "it is a part of a text")


def _scan_file(args: Arguments) -> Value:
    first = 2 if args.name == "fscanf" else 1
    opened = file_of(args.value(0)) if args.name == "fscanf" else None
    format_ = args.text(first - 1)
    found = None
    if format_ is not None:
        found = _known(args, opened, lambda cursor: scan(cursor, format_))
    elif opened is not None:
        lose(args.interpreter, opened, "behind a read of which the format is not known")
    source = _source(args, 0)
    if found is None or opened is None:
        why = f"how much can be read is not known: {source}"
        return _unknown_fields(args, first, source, why)
    return _stored(args, found, first, _origin(args, opened), source)


def _origin(args: Arguments, opened: OpenFile) -> Origin:
    return origin_of_content(args.interpreter, opened, args.line)


def _stored(args: Arguments, found: Scanned, first: int, origin: Origin | None, why: str) -> Value:
    for position, taken in enumerate(found.values, first):
        if position < len(args):
            store_taken(args.interpreter, args.value(position), taken, origin, why)
    return integer(found.result)


def _unknown_fields(args: Arguments, first: int, source: str, why: str) -> Value:
    for position in range(first, len(args)):
        store_unknown(args.interpreter, args.value(position), source, args.line, one=True)
    if args.name == "sscanf":
        return args.opaque(why)
    return args.unknown(why, "int", 1)


def _line(args: Arguments) -> Value:
    """``fgets(buffer, most, file)``, ``gets``."""
    opened = file_of(args.value(-1)) if args.name == "fgets" else None
    most = args.constant(1) if args.name == "fgets" else None
    found = None
    if most is not None and most > 1:
        found = _known(args, opened, lambda cursor: cursor.line(int(most) - 1))
    if found is None:
        source = _source(args, -1)
        store_unknown(args.interpreter, args.value(0), source, args.line, one=False)
        return args.opaque("whether there is a further line is not known")
    if not found:
        return Pointer(None, ZERO, Type("char"))
    store_text(args.interpreter, args.value(0), text_of_bytes(found))
    return args.value(0)


def _delimited_line(args: Arguments) -> Value | HostPlace:
    """POSIX ``getline(&line, &size, file)``, or the ``std::getline`` of streams."""
    if isinstance(args.value(0), (Aggregate, OpaqueValue)):
        return stream_line(args)
    found = _known(args, file_of(args.value(-1)), lambda cursor: cursor.line())
    place = args.target(0)
    if found is None:
        make_unknown(args.interpreter, place, _source(args, -1), args.line)
        return args.opaque("whether there is a further line is not known")
    if not found:
        return integer(-1, "long")
    line = Storage(place.name, BufferSpace.HOST, constant(len(found) + 1), Type("char"))
    line.text = text_of_bytes(found) if len(found) <= MOST_TEXT else None
    args.interpreter.store(place, Pointer(line, ZERO, Type("char")))
    return integer(len(found), "long")


def _block(args: Arguments) -> Value:
    """``fread(target, size, count, file)``: the items read in whole."""
    opened, target = file_of(args.value(-1)), args.value(0)
    size, count = args.constant(1), args.constant(2)
    cursor = cursor_of(opened) if opened is not None else None
    known = size is not None and count is not None and min(size, count) > 0
    if not known and opened is not None:
        lose(args.interpreter, opened, "behind a read of which the length is not known")
    if not known or opened is None or cursor is None or size is None or count is None:
        store_unknown(args.interpreter, target, _source(args, -1), args.line, one=False)
        return args.value(2)
    data, length = _bytes(args, opened, cursor, int(size * count))
    if data is None:
        source = f"content of {opened.name} {PAST_KNOWN}"
        store_unknown(args.interpreter, target, source, args.line, one=False)
    else:
        origin = _origin(args, opened)
        store_bytes(args.interpreter, target, data, origin, opened.source, args.line)
    return integer(length // int(size), "unsigned long")


def _bytes(
    args: Arguments, opened: OpenFile, cursor: Cursor, length: int
) -> tuple[bytes | None, int]:
    """The next bytes of a file, None where they lie beyond what is read of it; their number."""
    start, data = cursor.position, None
    with contextlib.suppress(PastKnownError):
        data = cursor.take(length)
    settle(args.interpreter, opened, cursor)
    return data, cursor.position - start


def _character(args: Arguments) -> Value:
    """``fgetc``, ``getc``; -1 at the end."""
    opened = file_of(args.value(0)) if args.name != "getchar" else None
    found = _known(args, opened, lambda cursor: b"" if cursor.at_end() else cursor.take(1))
    if found is None or opened is None:
        return args.opaque(_source(args, 0))
    return integer(found[0] if found else -1, "int", _origin(args, opened))


def _put_back(args: Arguments) -> Value:
    """``ungetc(character, file)``."""
    opened = file_of(args.value(1))
    cursor = cursor_of(opened) if opened is not None else None
    if opened is not None and cursor is not None and cursor.position > 0:
        cursor.position, cursor.ended = cursor.position - 1, False
        settle(args.interpreter, opened, cursor)
    return args.value(0)


def _unmodelled(args: Arguments) -> Value:
    """``read``, ``gzread``, ``pread``: what they fill is not known."""
    source = f"content of {label_of(args.interpreter, args.value(0))}"
    store_unknown(args.interpreter, args.value(1), source, args.line, one=False)
    return args.unknown(f"how much can be read is not known: {source}", "int", 1)


def _at_end(args: Arguments) -> Value:
    opened = file_of(args.value(0))
    ended = opened.ended if opened is not None else None
    if args.name == "ferror" and ended is not None:
        return integer(0)
    if ended is None:
        return args.opaque(f"it depends on the {_source(args, 0)}")
    return integer(int(ended))


def _seek(args: Arguments) -> Value:
    opened = file_of(args.value(0))
    cursor = cursor_of(opened) if opened is not None else None
    if opened is None:
        return integer(0)
    if opened.file.data is None or opened.file.size_bytes is None:
        return integer(0)
    cursor = cursor or Cursor(opened.file.data, opened.file.size_bytes, -1)
    origin, offset = (0, 0) if args.name == "rewind" else (args.constant(2), args.constant(1))
    base = {0: 0, 1: cursor.position, 2: cursor.size}.get(-1 if origin is None else int(origin), -1)
    if offset is None or base < 0:
        lose(args.interpreter, opened, "at a place that is computed from unknown values")
        return integer(0)
    cursor.position, cursor.ended = max(0, base + int(offset)), False
    settle(args.interpreter, opened, cursor)
    return integer(0)


def _tell(args: Arguments) -> Value:
    opened = file_of(args.value(0))
    cursor = cursor_of(opened) if opened is not None else None
    if opened is not None and cursor is not None:
        return integer(cursor.position, "long", _origin(args, opened))
    name = f"size of {label_of(args.interpreter, args.value(0))}"
    why = f"it is the size of {_source(args, 0).removeprefix('content of ')}"
    return args.interpreter.unknown(name, why, "long", assumed=1 << 20, line=args.line, shared=True)


def _status(args: Arguments) -> Value:
    """``stat(path, &result)`` and ``fstat``: success, with the size where the file is found."""
    if len(args) < 2:
        return integer(0)
    opened = file_of(args.value(0))
    if opened is None and (name := args.text(0)) is not None:
        label = label_of(args.interpreter, args.value(0))
        opened = file_of(open_file(args.interpreter, label, name, reads=True, writes=False))
    held = args.target(1)
    if opened is not None and opened.file.size_bytes is not None:
        size = integer(opened.file.size_bytes, "long", _origin(args, opened))
        args.interpreter.store(held, Aggregate(held.type, {"st_size": size}))
    else:
        described = opened.described if opened is not None else "a file"
        # Files of one kind that one function measures are assumed to be of one size.
        unknown = args.interpreter.unknown(
            f"{held.name}.st_size", f"it is the size of {described}", "long",
            line=args.line, shared=True,
        )  # fmt: skip
        args.interpreter.store(held, Aggregate(held.type, {"st_size": unknown}))
    return integer(0)


def _file_size(args: Arguments) -> Value:
    """``std::filesystem::file_size(path)``."""
    label, name = label_of(args.interpreter, args.value(0)), args.text(0)
    opened = file_of(open_file(args.interpreter, label, name, reads=True, writes=False))
    if opened is not None and opened.file.size_bytes is not None:
        return integer(opened.file.size_bytes, "unsigned long", _origin(args, opened))
    described = opened.described if opened is not None else "a file"
    return args.interpreter.unknown(
        f"size of {described}", f"it is the size of {described}", "unsigned long",
        line=args.line, shared=True,
    )  # fmt: skip


def _same(args: Arguments) -> Value:
    """``fileno``: the file itself stands for its number."""
    return args.value(0)


MODELS: Final = by_name(
    {
        _open: "fopen popen fdopen freopen opendir gzopen".split(),
        _scan_text: ("sscanf",),
        _scan_file: "fscanf scanf".split(),
        _line: "fgets gets".split(),
        _delimited_line: ("getline",),
        _block: ("fread",),
        _character: "fgetc getc getchar".split(),
        _put_back: ("ungetc",),
        _unmodelled: "read gzread pread".split(),
        _at_end: "feof ferror".split(),
        _seek: "fseek fseeko rewind".split(),
        _tell: "ftell ftello".split(),
        _status: "stat fstat".split(),
        _file_size: ("file_size",),
        _same: ("fileno",),
    }
)
