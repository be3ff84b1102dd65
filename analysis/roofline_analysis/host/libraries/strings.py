"""Models of C's strings: comparing, copying, searching, taking apart."""

from __future__ import annotations

import re
from typing import Final

from roofline_analysis.host.libraries.stored_input import store_text
from roofline_analysis.host.state.arguments import Arguments, by_name, label_of, text_of
from roofline_analysis.host.state.memory import Cell, Storage
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.values import OpaqueValue, Pointer, Text, Value
from roofline_core.algebra.symbolic import ZERO
from roofline_core.program.types import Type

_STRTOK: Final = "the string of strtok"
"""What ``strtok`` goes on with, among the variables of the C library."""


def _compare(args: Arguments) -> Value:
    a, b = args.text(0), args.text(1)
    if a is None or b is None:
        return args.interpreter.unknown(
            f"{args.name}({label_of(args.interpreter, args.value(0))}, ...)",
            "the text is not known",
            "int",
        )
    if "case" in args.name:
        a, b = a.lower(), b.lower()
    if "strn" in args.name:
        count = args.constant(2)
        if count is None:
            return args.opaque()
        a, b = a[: int(count)], b[: int(count)]
    return integer((a > b) - (a < b))


def _length(args: Arguments) -> Value:
    text = args.text(0)
    if text is not None:
        return integer(len(text), "unsigned long")
    name = f"length of {label_of(args.interpreter, args.value(0))}"
    return args.interpreter.unknown(name, "the text is not known", "unsigned long", shared=True)


def _copy_text(args: Arguments) -> Value:
    if args.name == "strdup":
        return args.value(0)
    target, storage, text = args.value(0), args.storage(0), args.text(1)
    if storage is None or storage.place is not None or not isinstance(target, Pointer):
        return target
    if args.name in ("strncpy", "strncat") and text is not None:
        most = args.constant(2)
        text = text[: int(most)] if most is not None else None
    before = _text_before(args, target, storage)
    known = before + text if before is not None and text is not None else None
    args.interpreter.put_text(storage, known)
    return target


def _text_before(args: Arguments, target: Pointer, storage: Storage) -> str | None:
    """The characters of a buffer before the place that is copied to; None if not known."""
    start = target.offset_bytes.constant
    if "cat" in args.name:
        return storage.text
    if start == 0:
        return ""
    inside = storage.text is not None and isinstance(start, int) and start <= len(storage.text)
    return storage.text[: int(start or 0)] if storage.text is not None and inside else None


def _search_text(args: Arguments) -> Value:
    if args.name == "getenv":
        return _null()
    value, text, wanted = args.value(0), args.text(0), args.text(1)
    if len(args) > 1 and text is not None:
        code = args.constant(1)
        if wanted is None and code is not None:
            wanted = chr(int(code))
        if wanted is not None:
            if args.name == "strpbrk":
                at = next((at for at, each in enumerate(text) if each in wanted), -1)
            else:
                at = text.rfind(wanted) if args.name == "strrchr" else text.find(wanted)
            return _behind(value, text, at) if at >= 0 else _null()
    return args.opaque("the text is not known")


def _null() -> Pointer:
    return Pointer(None, ZERO, Type("char"))


def _behind(value: Value, text: str, at: int) -> Value:
    """What points to a character of a string: into its buffer, if it has one."""
    if isinstance(value, Pointer) and isinstance(value.buffer, Storage):
        return Pointer(value.buffer, value.offset_bytes + at, value.pointee, value.origin)
    return Text(text[at:])


def _span(args: Arguments) -> Value:
    """``strspn``, ``strcspn``: the characters before the first that is not, or is, in a set."""
    text, wanted = args.text(0), args.text(1)
    if text is None or wanted is None:
        return args.opaque("the text is not known")
    inside = args.name == "strspn"
    ends = (at for at, character in enumerate(text) if (character in wanted) != inside)
    return integer(next(ends, len(text)), "unsigned long")


def _token(args: Arguments) -> Value:
    """``strtok(text, delimiters)``, ``strtok_r(text, delimiters, &rest)``."""
    interpreter, given = args.interpreter, args.value(0)
    if args.name == "strtok_r" and len(args) > 2:
        held = args.target(2)
    else:
        held = interpreter.builtins.setdefault(_STRTOK, Cell(_STRTOK, Type("char", pointers=1)))
    starts = not (isinstance(given, Pointer) and given.buffer is None)
    source = given if starts else held.get()
    text = text_of(source) if source is not None else None
    delimiters = args.text(1)
    if text is None or delimiters is None:
        why = "the text is not known"
        interpreter.store(held, OpaqueValue(_STRTOK, why, Type("char", pointers=1)))
        return args.opaque(why)
    first = next((at for at, each in enumerate(text) if each not in delimiters), len(text))
    if first == len(text):
        interpreter.store(held, Text(""))
        return _null()
    last = next((at for at in range(first, len(text)) if text[at] in delimiters), len(text))
    origin = source.origin if isinstance(source, (Text, Pointer)) else None
    interpreter.store(held, Text(text[last + 1 :], origin))
    if isinstance(given, Pointer) and isinstance(given.buffer, Storage) and starts:
        if given.buffer.place is None and given.offset_bytes == ZERO:
            interpreter.put_text(given.buffer, text[:last])
    return Text(text[first:last], origin)


_CONVERSION: Final = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>\.\d+)?(?:hh|h|ll|l|z|j|t|L)?"
    r"(?P<kind>[diuoxXcsfFeEgG%])|%"
)


def _format(args: Arguments) -> Value:
    """``sprintf(buffer, format, ...)``, ``snprintf(buffer, size, format, ...)``."""
    first = 1 if args.name == "sprintf" else 2
    text = _formatted(args, first)
    most = args.constant(1) if first == 2 else None
    if text is None or (first == 2 and most is None):
        store_text(args.interpreter, args.value(0), None)
        return args.opaque("the length of a formatted text")
    kept = text if most is None else text[: max(0, int(most) - 1)]
    if isinstance(args.value(0), Pointer) and args.storage(0) is not None:
        store_text(args.interpreter, args.value(0), kept)
    return integer(len(text))


def _formatted(args: Arguments, first: int) -> str | None:
    """The text that a format and the arguments behind it make; None if it is not known."""
    format_ = args.text(first)
    if format_ is None:
        return None
    made, cursor, position = "", 0, first + 1
    for part in _CONVERSION.finditer(format_):
        made += format_[cursor : part.start()]
        cursor = part.end()
        if part["kind"] is None or int(part["width"] or 0) > _WIDEST:
            return None
        if part["kind"] == "%":
            made += "%"
            continue
        piece = _converted(args, position, part)
        if piece is None:
            return None
        made, position = made + piece, position + 1
    return made + format_[cursor:]


_WIDEST: Final = 1000
"""The widest field that is formatted. A limit on the work."""


def _converted(args: Arguments, position: int, part: re.Match[str]) -> str | None:
    kind = part["kind"]
    code = f"%{part['flags']}{part['width']}{part['precision'] or ''}"
    if kind == "s":
        text = args.text(position)
        return None if text is None else f"{code}s" % text
    number = args.constant(position)
    if number is None or len(part["precision"] or "") > 3:
        return None
    if kind == "c":
        return f"{code}s" % chr(int(number) & 0xFF)
    if kind in "diuoxX":
        return f"{code}{'d' if kind in 'iu' else kind}" % int(number)
    return f"{code}{kind}" % float(number)


MODELS: Final = by_name(
    {
        _compare: "strcmp strncmp strcasecmp strncasecmp".split(),
        _length: "strlen strnlen".split(),
        _copy_text: "strdup strcpy strncpy strcat strncat stpcpy".split(),
        _search_text: "strchr strrchr strstr strpbrk getenv basename".split(),
        _span: "strspn strcspn".split(),
        _token: "strtok strtok_r".split(),
        _format: "sprintf snprintf".split(),
    }
)
