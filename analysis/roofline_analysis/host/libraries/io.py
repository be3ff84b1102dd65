"""Models of file input: files are assumed to open, and what is read from them is unknown."""

from __future__ import annotations

import re
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.libraries.c import origin_of
from roofline_analysis.host.libraries.streams import read_into
from roofline_analysis.host.state.arguments import Arguments, by_name, label_of
from roofline_analysis.host.state.memory import HostPlace, Storage
from roofline_analysis.host.state.numbers import parse_number
from roofline_analysis.host.state.operators import integer, to_scalar_type
from roofline_analysis.host.values import Aggregate, OpaqueValue, Pointer, Text, Value
from roofline_core.algebra.symbolic import ZERO
from roofline_core.program.types import Type


def _open(args: Arguments) -> Value:
    label = label_of(args.interpreter, args.value(0)) if args.name != "fdopen" else "a file"
    storage = Storage(f"file {label}", BufferSpace.HOST, None, Type("FILE"))
    return Pointer(storage, ZERO, Type("FILE"), args.interpreter.origin(f"file {label}", args.line))


_CONVERSION: Final = re.compile(r"%(\*?)(\d*)(hh|h|ll|l|z|j|L)?([diouxXfFeEgGscpn]|\[[^\]]*\])")
_KINDS: Final[dict[str, str]] = {
    "d": "int", "i": "int", "u": "unsigned int", "x": "unsigned int", "o": "unsigned int",
    "f": "float", "e": "float", "g": "float",
}  # fmt: skip


def _scan_text(args: Arguments) -> Value:
    text, format_ = args.text(0), args.text(1)
    if text is None or format_ is None:
        source = label_of(args.interpreter, args.value(0))
        for position in range(2, len(args)):
            _read(args, position, source)
        return args.opaque("the text is not known")
    count = 0
    pointer = 2
    rest = text
    cursor = 0
    for found in _CONVERSION.finditer(format_):
        literal = format_[cursor : found.start()].strip()
        cursor = found.end()
        rest = rest.lstrip()
        if not rest.startswith(literal):
            break
        rest = rest[len(literal) :]
        taken = _take(rest, found[4], found[2])
        if not taken:
            break
        rest = rest[len(taken) :]
        if found[1]:
            continue
        _put(args, pointer, taken.strip(), found[4])
        pointer, count = pointer + 1, count + 1
    return integer(count)


def _take(text: str, kind: str, width: str) -> str:
    if kind in "diu":
        pattern = r"\s*[+-]?\d+"
    elif kind in "xX":
        pattern = r"\s*(?:0[xX])?[0-9a-fA-F]+"
    elif kind in "feEgGF":
        pattern = r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
    elif kind == "c":
        pattern = "."
    elif kind == "s":
        pattern = r"\s*\S+"
    else:
        pattern = f"{kind}+" if kind.startswith("[") else r"\S+"
    try:
        found = re.match(pattern, text)
    except re.error:
        return ""
    taken = found[0] if found else ""
    return taken[: int(width)] if width else taken


def _put(args: Arguments, position: int, text: str, kind: str) -> None:
    if kind in "sc[" or kind.startswith("["):
        storage = args.storage(position)
        if storage is not None and storage.place is None:
            args.interpreter.forget_contents(storage)
            storage.text = text
        elif storage is not None and storage.place is not None:
            args.interpreter.store(storage.place, integer(ord(text[0]) if text else 0, "char"))
        return
    place = args.target(position)
    name = place.type.name if not place.type.pointers else _KINDS.get(kind, "int")
    number = parse_number(text, "double" if kind in "feEgG" else "long", 16 if kind in "xX" else 10)
    origin = origin_of(args, args.value(0))
    args.interpreter.store(place, to_scalar_type(integer(number, "long long", origin), name))


def _read_file(args: Arguments) -> Value:
    targets: range | tuple[int, ...]
    source = "standard input"
    if args.name == "fscanf":
        targets, source = range(2, len(args)), _stream_name(args, 0)
    elif args.name == "scanf":
        targets = range(1, len(args))
    elif args.name in ("fread", "fgets"):
        targets, source = (0,), _stream_name(args, -1)
    elif args.name == "getline" and isinstance(args.value(0), (Aggregate, OpaqueValue)):
        place = args.places[1] if len(args) > 1 else None
        if place is not None:
            read_into(args.interpreter, place, _stream_name(args, 0), args.line)
        return args.opaque("whether there is a further line is not known")
    else:
        targets = (1,)
    for position in targets:
        _read(args, position, source)
    if args.name in ("fgets", "gets"):
        return args.opaque("whether there is a further line is not known")
    if args.name == "fread":
        return args.value(2)
    return args.unknown(f"how much can be read from {source} is not known", "int", 1)


def _stream_name(args: Arguments, position: int) -> str:
    value = args.value(position)
    if isinstance(value, Aggregate):
        source = value.fields.get("source")
        return f"file '{source.value}'" if isinstance(source, Text) else "a file"
    return label_of(args.interpreter, value)


def _read(args: Arguments, position: int, source: str) -> None:
    storage = args.storage(position)
    if storage is None:
        return
    if storage.place is not None:
        place: HostPlace = storage.place
        if isinstance(place.get(), Aggregate):
            args.interpreter.store(place, Aggregate(place.type))
        else:
            read_into(args.interpreter, place, source, args.line)
    else:
        target = args.target(position)
        if args.name in ("fscanf", "sscanf", "scanf") and target.type.name != "char":
            read_into(args.interpreter, target, source, args.line)
        else:
            args.interpreter.forget_contents(storage)


def _state(args: Arguments) -> Value:
    if args.name in ("fseek", "rewind"):
        return integer(0)
    if args.name in ("stat", "fstat") and len(args) > 1:
        return integer(0)
    if args.name == "ftell":
        name = f"size of {label_of(args.interpreter, args.value(0))}"
        why = "it is the size of a file"
        return args.interpreter.unknown(
            name, why, "long", assumed=1 << 20, line=args.line, shared=True
        )
    return args.opaque("it depends on the contents of a file")


MODELS: Final = by_name(
    {
        _open: "fopen popen fdopen freopen opendir gzopen".split(),
        _scan_text: ("sscanf",),
        _read_file: "fscanf scanf fread fgets read gets getline gzread pread".split(),
        _state: "feof ferror fgetc getc getchar ftell fseek rewind stat fstat".split(),
    }
)
