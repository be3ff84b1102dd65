"""Variables of CMake, and text in which something may be unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from roofline_parsers.preprocess.cmake.syntax import CMakeArgument

UNKNOWN: Final = "\x01"
"""Stands in a text for a part of it that is not known."""

_PARTS: Final = re.compile(r"\$(ENV|CACHE)?\{|\}|\\(.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", ";": "\\;"}
_SEPARATOR: Final = re.compile(r"(?<!\\);")
_MOST_TEXT: Final = 1 << 18
"""The longest text that an expansion may give; a longer one is unknown."""

PLATFORM: Final = {
    "CMAKE_VERSION": "3.31.0",
    "CMAKE_SYSTEM_NAME": "Linux",
    "CMAKE_HOST_SYSTEM_NAME": "Linux",
    "CMAKE_SYSTEM_PROCESSOR": "x86_64",
    "CMAKE_HOST_SYSTEM_PROCESSOR": "x86_64",
    "CMAKE_SIZEOF_VOID_P": "8",
    "CMAKE_HOST_UNIX": "1",
    "UNIX": "1",
    "LINUX": "1",
    "CMAKE_C_COMPILER_ID": "GNU",
    "CMAKE_CXX_COMPILER_ID": "GNU",
    "CMAKE_C_COMPILER_VERSION": "12.2.0",
    "CMAKE_CXX_COMPILER_VERSION": "12.2.0",
    "CMAKE_COMPILER_IS_GNUCC": "1",
    "CMAKE_COMPILER_IS_GNUCXX": "1",
    "CMAKE_CUDA_COMPILER": "nvcc",
    "CMAKE_CUDA_COMPILER_ID": "NVIDIA",
    "CMAKE_CUDA_COMPILER_VERSION": "12.4.131",
    "CUDAToolkit_FOUND": "TRUE",
    "CUDAToolkit_VERSION": "12.4.131",
    "CUDAToolkit_VERSION_MAJOR": "12",
    "CUDAToolkit_VERSION_MINOR": "4",
    "CUDA_FOUND": "TRUE",
    "CUDA_VERSION": "12.4",
    "CUDA_VERSION_MAJOR": "12",
    "CUDA_VERSION_MINOR": "4",
    "CMAKE_CUDA_ARCHITECTURES": UNKNOWN,
    "CMAKE_HIP_COMPILER": UNKNOWN,
    "CMAKE_INSTALL_PREFIX": UNKNOWN,
    "CMAKE_CXX_STANDARD": "",
    **{
        f"CMAKE_{language}_FLAGS_{build}": flags
        for language in ("C", "CXX", "CUDA", "HIP")
        for build, flags in {
            "DEBUG": "-g",
            "RELEASE": "-O3 -DNDEBUG",
            "RELWITHDEBINFO": "-O2 -g -DNDEBUG",
            "MINSIZEREL": "-Os -DNDEBUG",
        }.items()
    },
}
"""What CMake and its packages set on the machine that ``predefined.py`` assumes."""


def elements(text: str) -> list[str]:
    """The elements of a list, those without text left out."""
    if "\\" not in text:
        return [part for part in text.split(";") if part]
    return [part.replace("\\;", ";") for part in _SEPARATOR.split(text) if part]


def merged(before: str | None, after: str | None) -> str | None:
    """A variable behind a branch that may have been taken: what it has in both cases is known."""
    if before == after:
        return before
    if before and after and after.startswith(f"{before};"):
        return f"{before};{UNKNOWN}"
    return UNKNOWN


class CMakeScope:
    """The variables of a folder or a function; those of outer ones are seen through it."""

    def __init__(self, parent: CMakeScope | None = None) -> None:
        self.parent = parent
        self.own: dict[str, str | None] = {}
        """None: unset here."""

    def get(self, name: str) -> str | None:
        """A variable's text; None where it is not set."""
        scope: CMakeScope | None = self
        while scope is not None:
            if name in scope.own:
                return scope.own[name]
            scope = scope.parent
        return None

    @property
    def depth(self) -> int:
        """How many scopes there are, this one counted."""
        return 1 if self.parent is None else 1 + self.parent.depth

    def copied(self) -> CMakeScope:
        """A copy, as of the outer scopes."""
        found = CMakeScope(None if self.parent is None else self.parent.copied())
        found.own = dict(self.own)
        return found


class CMakeVariables:
    """All variables at one place of the run: scopes, cache, and which names cannot be known."""

    def __init__(self, given: Iterable[tuple[str, str]] = ()) -> None:
        self.scope = CMakeScope()
        self.cache: dict[str, str] = dict(given)
        self.unknown_prefixes: set[str] = set()
        self.left = 20_000_000
        """Characters that may still be made by expansions."""
        self._journals: list[dict[tuple[int, str], tuple[CMakeScope, str | None]]] = []

    def copied(self) -> CMakeVariables:
        """A copy at a place outside all branches."""
        found = CMakeVariables(self.cache.items())
        found.scope = self.scope.copied()
        found.unknown_prefixes = set(self.unknown_prefixes)
        found.left = self.left
        return found

    # ---- Reading and writing

    def get(self, name: str) -> str | None:
        """A variable's text, which may hold ``UNKNOWN``; None where it is not set."""
        value = self.scope.get(name)
        if value is None:
            value = self.cache.get(name)
        if value is None:
            value = PLATFORM.get(name)
        if value is None and any(name.startswith(prefix) for prefix in self.unknown_prefixes):
            return UNKNOWN
        return value

    def set(self, name: str, value: str | None, *, in_parent: bool = False) -> None:
        """Set a variable, or with None unset it."""
        scope = self.scope.parent if in_parent else self.scope
        if scope is None:
            return
        if self._journals:
            key = (id(scope), name)
            self._journals[-1].setdefault(key, (scope, scope.get(name)))
        scope.own[name] = value if value is None or len(value) <= _MOST_TEXT else UNKNOWN

    def enter(self) -> None:
        """A branch begins that may not be taken."""
        self._journals.append({})

    def leave(self) -> None:
        """It ends: what it changed is known only as far as both ways agree."""
        for (_, name), (scope, before) in self._journals.pop().items():
            after = scope.own.get(name)
            if self._journals:
                self._journals[-1].setdefault((id(scope), name), (scope, before))
            scope.own[name] = merged(before, after)

    # ---- Expansion

    def expand(self, text: str) -> str:
        """A text with ``${NAME}`` replaced and escapes resolved."""
        if "$" not in text and "\\" not in text:
            return text
        open_names: list[tuple[str, list[str]]] = [("", [])]
        at = 0
        for part in _PARTS.finditer(text):
            out = open_names[-1][1]
            out.append(text[at : part.start()])
            at = part.end()
            if part[2] is not None:
                out.append(_ESCAPES.get(part[2], part[2]))
            elif part[0] != "}":
                open_names.append((part[1] or "-", []))
            elif len(open_names) == 1:
                out.append("}")
            else:
                kind, pieces = open_names.pop()
                open_names[-1][1].append(self._value(kind, "".join(pieces)))
        open_names[-1][1].append(text[at:])
        made = "".join("".join(pieces) for _, pieces in open_names)
        self.left -= len(made)
        return made if len(made) <= _MOST_TEXT and self.left > 0 else UNKNOWN

    def _value(self, kind: str, name: str) -> str:
        if kind == "ENV" or UNKNOWN in name:
            return UNKNOWN
        value = self.cache.get(name) if kind == "CACHE" else self.get(name)
        return "" if value is None else value

    def arguments(self, arguments: Iterable[CMakeArgument]) -> list[str]:
        """Arguments expanded; one without quotes that is a list gives one for each element."""
        found: list[str] = []
        for argument in arguments:
            if argument.literal:
                found.append(argument.text)
            elif argument.quoted:
                found.append(self.expand(argument.text))
            else:
                found += elements(self.expand(argument.text))
        return found
