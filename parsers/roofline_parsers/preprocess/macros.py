"""Macros, their replacement lists, and the table of those in force."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path

from roofline_core.program.records import record
from roofline_parsers.preprocess.tokens import IDENTIFIER, lex, words_of

_PARAMETERS = re.compile(rb"\(([^()]*)\)")
_SPACE = b" "
_VA_ARGS = b"__VA_ARGS__"
_VA_OPT = b"__VA_OPT__"


class MacroOrigin(Enum):
    """Who defined a macro."""

    PROGRAM = "program"
    """A ``#define`` in a file that was read."""
    COMMAND_LINE = "command line"
    """An option such as ``-DN=4``."""
    PREDEFINED = "predefined"
    """The compiler, or a system header that is never read."""


class Paste:
    """The ``##`` operator in a replacement list."""

    __slots__ = ()


PASTE = Paste()


@record(frozen=True, slots=True)
class Parameter:
    """A parameter's place in a replacement list."""

    index: int
    stringize: bool = False
    raw: bool = False
    """Next to ``##``: the argument goes in without being expanded first."""


@record(frozen=True, slots=True)
class VaOpt:
    """The place of ``__VA_OPT__(...)`` in a replacement list."""

    elements: tuple[Element, ...]
    stringize: bool = False


Element = tuple[bytes, ...] | Parameter | VaOpt | Paste
"""Tokens, or something that depends on the arguments."""


@dataclass(frozen=True)
class Macro:
    """One macro. Two macros are equal if they expand alike, wherever they were defined."""

    name: bytes
    body: bytes = b""
    """The replacement text on one line, comments replaced by a space."""
    params: tuple[bytes, ...] | None = None
    """None for an object-like macro; a variadic macro's last name is often ``__VA_ARGS__``."""
    variadic: bool = False
    dynamic: bool = False
    """The expansion depends on the place of use: ``__LINE__`` and the like."""
    origin: MacroOrigin = field(default=MacroOrigin.PROGRAM, compare=False)
    path: Path | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)
    """1-based line of the definition."""

    @cached_property
    def words(self) -> frozenset[bytes]:
        """Every word of the replacement text."""
        return words_of(self.body)

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """The replacement list with its parameters and operators resolved."""
        return _compile(lex(self.body.strip()), self.params, self.variadic)

    @cached_property
    def plain_tokens(self) -> tuple[bytes, ...] | None:
        """The replacement list if it holds nothing but tokens."""
        if not self.elements:
            return ()
        first = self.elements[0]
        return first if len(self.elements) == 1 and isinstance(first, tuple) else None


class MacroTable(Mapping[bytes, Macro]):
    """Macros by name, to be read only."""

    __slots__ = ("_macros",)

    def __init__(self, macros: Iterable[Macro] = ()) -> None:
        self._macros = {macro.name: macro for macro in macros}

    def __getitem__(self, name: bytes) -> Macro:
        return self._macros[name]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._macros)

    def __len__(self) -> int:
        return len(self._macros)

    def __contains__(self, name: object) -> bool:
        return name in self._macros

    def __repr__(self) -> str:
        return f"MacroTable({len(self._macros)} macros)"

    def to_dict(self) -> dict[bytes, Macro]:
        """A fresh dictionary of the macros."""
        return dict(self._macros)

    @classmethod
    def of(cls, macros: dict[bytes, Macro]) -> MacroTable:
        """A table over a dictionary, which is not to be changed any more."""
        table = cls()
        table._macros = macros
        return table

    def with_macros(self, macros: Iterable[Macro]) -> MacroTable:
        """A table with these added, replacing macros of the same name."""
        return MacroTable.of(self._macros | {macro.name: macro for macro in macros})

    def program_objects(self) -> dict[str, str]:
        """Object-like macros of the program and its command line: name to replacement text."""
        return {
            macro.name.decode("utf-8", "replace"): macro.body.decode("utf-8", "replace")
            for macro in self._macros.values()
            if macro.params is None and macro.origin is not MacroOrigin.PREDEFINED
        }


def parse_definition(
    text: bytes,
    origin: MacroOrigin = MacroOrigin.PROGRAM,
    path: Path | None = None,
    line: int | None = None,
) -> Macro | None:
    """Reads what follows ``#define``, already on one line and free of comments.

    Gives None if no macro name comes first.
    """
    text = text.strip()
    name = IDENTIFIER.match(text)
    if not name:
        return None
    rest = text[name.end() :]
    params: tuple[bytes, ...] | None = None
    variadic = False
    listed = _PARAMETERS.match(rest)
    if listed:
        params, variadic = _parse_params(listed[1])
        rest = rest[listed.end() :]
    return Macro(name[0], rest.strip(), params, variadic, origin=origin, path=path, line=line)


def _parse_params(text: bytes) -> tuple[tuple[bytes, ...], bool]:
    names = [name.strip() for name in text.split(b",")]
    if names == [b""]:
        return (), False
    variadic = names[-1].endswith(b"...")
    if variadic:
        names[-1] = names[-1].removesuffix(b"...").strip() or _VA_ARGS
    return tuple(names), variadic


def _compile(
    tokens: list[bytes], params: tuple[bytes, ...] | None, variadic: bool
) -> tuple[Element, ...]:
    """Resolves parameters, ``#``, ``##`` and ``__VA_OPT__``."""
    places = {name: index for index, name in enumerate(params or ())}
    elements: list[bytes | Element] = []
    position = 0
    stringize = False
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token == b"##":
            _drop_trailing_space(elements)
            elements.append(PASTE)
            position = _skip_space(tokens, position)
        elif token == b"#" and params is not None:
            operand = _skip_space(tokens, position)
            next_token = tokens[operand] if operand < len(tokens) else b""
            stringize = next_token in places or (variadic and next_token == _VA_OPT)
            if stringize:
                position = operand
            else:
                elements.append(token)
        elif token in places:
            elements.append(Parameter(places[token], stringize))
            stringize = False
        elif variadic and token == _VA_OPT and (end := _closing(tokens, position)):
            start = _skip_space(tokens, position) + 1
            elements.append(VaOpt(_compile(tokens[start:end], params, False), stringize))
            stringize = False
            position = end + 1
        else:
            elements.append(token)
            stringize = False
    return _group(_mark_raw(elements))


def _mark_raw(elements: list[bytes | Element]) -> list[bytes | Element]:
    """Marks the parameters beside ``##``, and takes out one that lacks an operand."""
    while elements and elements[0] is PASTE:
        del elements[0]
    while elements and elements[-1] is PASTE:
        del elements[-1]
    for index, element in enumerate(elements):
        if element is PASTE:
            for side in (index - 1, index + 1):
                neighbour = elements[side]
                if isinstance(neighbour, Parameter):
                    elements[side] = Parameter(neighbour.index, neighbour.stringize, True)
    return elements


def _group(elements: list[bytes | Element]) -> tuple[Element, ...]:
    """Puts tokens that follow each other into one tuple."""
    grouped: list[Element] = []
    tokens: list[bytes] = []
    for element in elements:
        if isinstance(element, bytes):
            tokens.append(element)
            continue
        if tokens:
            grouped.append(tuple(tokens))
            tokens = []
        grouped.append(element)
    if tokens:
        grouped.append(tuple(tokens))
    return tuple(grouped)


def _drop_trailing_space(elements: list[bytes | Element]) -> None:
    while elements and elements[-1] == _SPACE:
        elements.pop()


def _skip_space(tokens: list[bytes], position: int) -> int:
    while position < len(tokens) and tokens[position] == _SPACE:
        position += 1
    return position


def _closing(tokens: list[bytes], position: int) -> int | None:
    """The index of the parenthesis that closes the one opening at ``position``, if any."""
    position = _skip_space(tokens, position)
    if position >= len(tokens) or tokens[position] != b"(":
        return None
    depth = 0
    for index in range(position, len(tokens)):
        if tokens[index] == b"(":
            depth += 1
        elif tokens[index] == b")":
            depth -= 1
            if depth == 0:
                return index
    return None
