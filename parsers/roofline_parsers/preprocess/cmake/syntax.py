"""CMake's syntax: text to commands, and commands to blocks.

https://cmake.org/cmake/help/latest/manual/cmake-language.7.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

_COMMAND: Final = re.compile(r"[ \t]*([A-Za-z_]\w*)[ \t]*\(", re.ASCII)
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_UNQUOTED: Final = re.compile(
    r'(?:[^\s()#"\\]|\\.)(?:[^\s()#"\\]|\\.|"(?:[^"\\]|\\.)*"|\$\([^()\n]*\))*', re.DOTALL
)
_BRACKET: Final = re.compile(r"\[(=*)\[")
_SPACE: Final = re.compile(r"\s*")
_MOST_NESTED: Final = 64
"""The deepest nesting of blocks and of parentheses that is read."""


@dataclass(frozen=True, slots=True)
class CMakeArgument:
    """One argument as written, without quotes; parentheses are arguments of their own."""

    text: str
    quoted: bool = False
    literal: bool = False
    """Whether nothing in it is expanded: it stood in ``[[...]]``."""


@dataclass(frozen=True, slots=True)
class CMakeCommand:
    """``name(arguments)``, the name in lower case."""

    name: str
    arguments: tuple[CMakeArgument, ...]


@dataclass(frozen=True, slots=True)
class CommandBlock:
    """A command that has commands inside: ``if``, ``foreach``, ``while``, ``function``, ``macro``.

    Each clause is the command that opens it (``if``, ``elseif``, ``else``) and what stands in it.
    """

    clauses: tuple[tuple[CMakeCommand, list[Node]], ...]


Node = CMakeCommand | CommandBlock


@dataclass(slots=True)
class _OpenBlock:
    clauses: list[tuple[CMakeCommand, list[Node]]] = field(default_factory=list)


_OPENERS: Final = frozenset({"if", "foreach", "while", "function", "macro", "block"})
_CLAUSES: Final = frozenset({"elseif", "else"})


def parse(text: str) -> list[Node]:
    """The commands of a file. Never raises: what is no command is passed over."""
    top: list[Node] = []
    stack: list[_OpenBlock] = []
    for command in _commands(text):
        name = command.name
        inside = stack[-1].clauses[-1][1] if stack else top
        if name in _OPENERS:
            if len(stack) >= _MOST_NESTED:
                break
            stack.append(_OpenBlock([(command, [])]))
        elif name in _CLAUSES and stack and stack[-1].clauses[0][0].name == "if":
            stack[-1].clauses.append((command, []))
        elif name.startswith("end") and name[3:] in _OPENERS:
            if stack and stack[-1].clauses[0][0].name == name[3:]:
                _close(stack, top)
        else:
            inside.append(command)
    while stack:
        _close(stack, top)
    return top


def _close(stack: list[_OpenBlock], top: list[Node]) -> None:
    block = CommandBlock(tuple(stack.pop().clauses))
    (stack[-1].clauses[-1][1] if stack else top).append(block)


def _commands(text: str) -> list[CMakeCommand]:
    found = []
    at = 0
    reader = _ArgumentReader(text)
    while at < len(text):
        at = reader.past_blank(at)
        match = _COMMAND.match(text, at)
        if match is None:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end + 1
            continue
        arguments, at = reader.arguments(match.end())
        found.append(CMakeCommand(match[1].lower(), tuple(arguments)))
    return found


class _ArgumentReader:
    """Reads arguments; remembers which brackets have no end, so that none is looked for twice."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._endless: set[str] = set()

    def past_blank(self, at: int) -> int:
        """The place behind space and comments."""
        text = self._text
        while True:
            space = _SPACE.match(text, at)
            at = space.end() if space else at
            if not text.startswith("#", at):
                return at
            bracket = self._bracket(at + 1)
            if bracket is not None:
                at = bracket[1]
                continue
            end = text.find("\n", at)
            at = len(text) if end < 0 else end

    def arguments(self, at: int) -> tuple[list[CMakeArgument], int]:
        """The arguments up to the closing parenthesis, and the place behind it."""
        text, found, depth = self._text, list[CMakeArgument](), 0
        while at < len(text):
            at = self.past_blank(at)
            letter = text[at : at + 1]
            if letter == ")" and depth == 0:
                return found, at + 1
            if letter in {"(", ")"}:
                depth += 1 if letter == "(" else -1
                found.append(CMakeArgument(letter))
                at += 1
                continue
            bracket = self._bracket(at)
            if bracket is not None:
                found.append(CMakeArgument(bracket[0], quoted=True, literal=True))
                at = bracket[1]
                continue
            quoted = _QUOTED.match(text, at)
            match = quoted or _UNQUOTED.match(text, at)
            if match is None:
                at += 1
                continue
            found.append(CMakeArgument(match[1] if quoted else match[0], quoted=quoted is not None))
            at = match.end()
        return found, at

    def _bracket(self, at: int) -> tuple[str, int] | None:
        """The text in ``[==[...]==]`` and the place behind it; None where there is none."""
        match = _BRACKET.match(self._text, at)
        if match is None or match[1] in self._endless:
            return None
        end = self._text.find(f"]{match[1]}]", match.end())
        if end < 0:
            self._endless.add(match[1])
            return None
        return self._text[match.end() : end].removeprefix("\n"), end + 2 + len(match[1])
