"""Function names as C++ compilers mangle them (Itanium ABI): the name and its template arguments.

Template arguments are read up to the first that needs more than this module knows: substitutions,
expressions, packs. Parameter types are read of functions that are no templates and in no namespace.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from roofline_core.program.expressions import Literal
from roofline_core.program.records import record
from roofline_core.program.types import Type

_START: Final = re.compile(r"_Z(?:L|(N)[KVr]*)?(?=\d)")
_CALL_OPERATOR: Final = "cl"
_BUILTIN: Final = {
    "v": "void", "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char",
    "s": "short", "t": "unsigned short", "i": "int", "j": "unsigned int", "l": "long",
    "m": "unsigned long", "x": "long long", "y": "unsigned long long", "f": "float",
    "d": "double",
}  # fmt: skip
_SUBSTITUTION: Final = re.compile(r"S([0-9A-Z]*)_")
_LITERAL: Final = re.compile(r"L([a-z])(n?)(\d+)E")


@record(frozen=True, slots=True)
class MangledName:
    """``_ZN2ns4copyIfLi4EEEv...`` is ``("ns", "copy")`` with ``float`` and 4."""

    parts: tuple[str, ...]
    template_args: tuple[Type | int, ...]
    """Of the last part, as far as they were read."""
    params: tuple[Type, ...] | None = None
    """The parameter types; None where they were not read."""


class _NotReadError(Exception):
    """A part of the mangling that this module does not know."""


def read_mangled(text: str) -> MangledName | None:
    """Parse a mangled name; None for other text."""
    start = _START.match(text)
    if start is None:
        return None
    position = start.end()
    parts: list[str] = []
    arguments: tuple[Type | int, ...] = ()
    while position < len(text):
        if text[position].isdigit():
            name, position = _source_name(text, position)
        elif parts and text.startswith(_CALL_OPERATOR, position):
            name, position = "operator()", position + len(_CALL_OPERATOR)
        else:
            break
        if name and not name.startswith("_GLOBAL__N"):
            parts.append(name)
        arguments = ()
        if text.startswith("I", position):
            arguments = tuple(_arguments(text, position))
            position = _skip_template(text, position)
        if start[1] is None:
            break  # What follows are the parameters.
    plain = start[1] is None and not arguments and not text.startswith("I", position)
    params = _parameters(text, position) if plain else None
    return MangledName(tuple(parts), arguments, params) if parts else None


def _parameters(text: str, position: int) -> tuple[Type, ...] | None:
    """The parameter types that a name ends with; None where one needs more than is known here."""
    known: list[Type] = []
    found: list[Type] = []
    try:
        while position < len(text):
            type_, position = _parameter(text, position, known)
            found.append(type_)
    except _NotReadError:
        return None
    return () if found == [Type("void")] else tuple(found)


def _parameter(text: str, position: int, known: list[Type]) -> tuple[Type, int]:
    """One parameter's type; ``known`` has the types before it that a substitution may name."""
    again = _SUBSTITUTION.match(text, position)
    if again is not None:
        number = int(again[1], 36) + 1 if again[1] else 0
        if number >= len(known):
            raise _NotReadError
        return known[number], again.end()
    code = text[position : position + 1]
    if code in _BUILTIN:
        return Type(_BUILTIN[code]), position + 1
    if code in ("P", "R", "K", "V"):
        inner, position = _parameter(text, position + 1, known)
        if code == "P":
            found = replace(inner, pointers=inner.pointers + 1)
        elif code == "R":
            found = replace(inner, reference=True)
        else:
            found = replace(inner, const=True) if code == "K" else inner
    else:
        name, position = _source_name(text, position)
        if text.startswith("I", position):
            raise _NotReadError
        found = Type(name)
    known.append(found)
    return found, position


def _source_name(text: str, position: int) -> tuple[str, int]:
    digits = re.match(r"\d+", text[position:])
    if digits is None:
        raise _NotReadError
    start = position + len(digits[0])
    end = start + int(digits[0])
    return text[start:end], end


def _arguments(text: str, position: int) -> list[Type | int]:
    """The template arguments ``I...E`` that start here, as far as they can be read."""
    found: list[Type | int] = []
    position += 1
    try:
        while position < len(text) and text[position] != "E":
            literal = _LITERAL.match(text, position)
            if literal:
                found.append(int(literal[3]) * (-1 if literal[2] else 1))
                position = literal.end()
            else:
                type_, position = _type(text, position)
                found.append(type_)
    except _NotReadError:
        pass
    return found


def _type(text: str, position: int) -> tuple[Type, int]:
    if position >= len(text):
        raise _NotReadError
    code = text[position]
    if code in _BUILTIN:
        return Type(_BUILTIN[code]), position + 1
    if code == "P":
        inner, position = _type(text, position + 1)
        pointer = Type(inner.name, inner.args, inner.pointers + 1, const=inner.const)
        return pointer, position
    if code == "K":
        inner, position = _type(text, position + 1)
        return Type(inner.name, inner.args, inner.pointers, const=True), position
    name, position = _source_name(text, position)
    args: tuple[Type | Literal, ...] = ()
    if text.startswith("I", position):
        args = tuple(map(argument_of_type, _arguments(text, position)))
        position = _skip_template(text, position)
    return Type(name, args), position


def argument_of_type(given: Type | int) -> Type | Literal:
    """A template argument as a type of the kernel model has it."""
    return given if isinstance(given, Type) else Literal(0, given, "int")


def _skip_template(text: str, start: int) -> int:
    """The position after the template arguments ``I...E`` that begin at ``start``."""
    depth, position = 0, start
    while position < len(text):
        name = re.match(r"\d+", text[position:])
        literal = re.match(r"L[a-z]n?\d*", text[position:])
        if literal:
            depth, position = depth + 1, position + len(literal[0])
            continue
        if name:
            position += len(name[0]) + int(name[0])
            continue
        # An N opens a qualified name, an L a literal, an X an expression, a J a pack.
        depth += {"I": 1, "N": 1, "L": 1, "X": 1, "J": 1, "E": -1}.get(text[position], 0)
        position += 1
        if depth == 0:
            break
    return position
