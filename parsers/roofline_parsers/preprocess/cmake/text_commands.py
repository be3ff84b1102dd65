"""CMake's commands on texts, lists and paths."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import Final

from roofline_parsers.preprocess.cmake.state import RunState
from roofline_parsers.preprocess.cmake.values import UNKNOWN, elements

_CASES: Final[dict[str, Callable[[str], str]]] = {
    "TOLOWER": str.lower,
    "TOUPPER": str.upper,
    "STRIP": str.strip,
}


def _string(state: RunState, words: list[str]) -> None:
    variables = state.variables
    if len(words) < 2:
        return
    kind, rest = words[0], words[1:]
    if kind in _CASES and len(rest) == 2:
        variables.set(rest[1], UNKNOWN if UNKNOWN in rest[0] else _CASES[kind](rest[0]))
    elif kind == "APPEND":
        variables.set(rest[0], (variables.get(rest[0]) or "") + "".join(rest[1:]))
    elif kind == "PREPEND":
        variables.set(rest[0], "".join(rest[1:]) + (variables.get(rest[0]) or ""))
    elif kind == "CONCAT":
        variables.set(rest[0], "".join(rest[1:]))
    elif kind == "JOIN":
        variables.set(rest[1], rest[0].join(rest[2:])) if len(rest) > 1 else None
    elif kind == "REPLACE" and len(rest) >= 3:
        text = "".join(rest[3:])
        known = UNKNOWN not in text + rest[0] + rest[1] and rest[0]
        made = text.replace(rest[0], rest[1]) if known else UNKNOWN
        variables.set(rest[2], made if text else "")
    else:
        state.unknown(rest)


def _list(state: RunState, words: list[str]) -> None:
    if len(words) < 2:
        return
    kind, name, *rest = words
    held = state.variables.get(name) or ""
    change = _LIST_CHANGES.get(kind)
    if kind == "APPEND":
        state.variables.set(name, ";".join((held, *rest) if held else rest))
    elif change is not None:
        state.variables.set(name, ";".join(change(elements(held), rest)))
    elif kind == "JOIN" and len(rest) == 2:
        state.variables.set(rest[1], rest[0].join(elements(held)))
    elif kind == "LENGTH" and rest:
        known = UNKNOWN not in held and "*" not in held
        state.variables.set(rest[0], str(len(elements(held))) if known else UNKNOWN)
    elif kind != "FILTER":
        # What TRANSFORM, SORT and their like make of a list is not followed; GET and FIND name a
        # variable last.
        state.unknown(rest[-1:] if kind in {"GET", "FIND", "SUBLIST"} else [name])


_LIST_CHANGES: Final[dict[str, Callable[[list[str], list[str]], list[str]]]] = {
    "PREPEND": lambda held, new: new + held,
    "INSERT": lambda held, new: held + new[1:],
    "REMOVE_ITEM": lambda held, gone: [each for each in held if each not in gone],
    "REMOVE_DUPLICATES": lambda held, _: list(dict.fromkeys(held)),
    "REVERSE": lambda held, _: held[::-1],
    "SORT": lambda held, _: sorted(held),
}


def _file(state: RunState, words: list[str]) -> None:
    """``GLOB`` gives patterns, which sources are matched with; all else is unknown."""
    if len(words) < 2:
        return
    kind, name, *rest = words
    if kind not in {"GLOB", "GLOB_RECURSE"}:
        if kind in {"READ", "STRINGS", "RELATIVE_PATH", "REAL_PATH", "TO_CMAKE_PATH"}:
            state.unknown([name, *rest[-1:]])
        return
    if "RELATIVE" in rest[:1]:
        rest = rest[2:]
    patterns = []
    for pattern in rest:
        if pattern in {"CONFIGURE_DEPENDS", "LIST_DIRECTORIES", "true", "false", "FOLLOW_SYMLINKS"}:
            continue
        path = str(state.path(pattern))
        if kind == "GLOB_RECURSE":
            head, _, last = path.rpartition("/")
            path = f"{head.removesuffix('/**')}/**/{last}"
        patterns.append(path)
    state.variables.set(name, ";".join(patterns))


def _filename_component(state: RunState, words: list[str]) -> None:
    if len(words) < 3:
        return
    name, path, kind = words[0], words[1], words[2]
    whole = str(state.path(path))
    base = posixpath.basename(path)
    made = {
        "DIRECTORY": posixpath.dirname(path),
        "PATH": posixpath.dirname(path),
        "NAME": base,
        "NAME_WE": base.split(".")[0],
        "EXT": base[base.find(".") :] if "." in base else "",
        "ABSOLUTE": whole,
        "REALPATH": whole,
    }.get(kind, UNKNOWN)
    if "BASE_DIR" in words or UNKNOWN in path:
        made = UNKNOWN
    state.variables.set(name, made)


def _separate_arguments(state: RunState, words: list[str]) -> None:
    if len(words) == 1:
        held = state.variables.get(words[0]) or ""
        state.variables.set(words[0], ";".join(held.split()))
    elif words:
        state.variables.set(words[0], ";".join(" ".join(words[2:]).split()))


def parse_arguments(state: RunState, words: list[str]) -> None:
    """``cmake_parse_arguments(PREFIX options one-value many-values arguments...)``.

    Also ``(PARSE_ARGV N PREFIX options one-value many-values)``: the arguments of the function
    around, from the Nth on.
    """
    given = state.variables.get("ARGV")
    if words[:1] == ["PARSE_ARGV"] and len(words) == 6 and words[1].isdecimal() and given:
        words = [*words[2:], *elements(given)[int(words[1][:9]) :]]
    if words[:1] == ["PARSE_ARGV"] or len(words) < 4:
        state.variables.unknown_prefixes |= {f"{word}_" for word in words[2:3]}
        return
    prefix, options, single, many = words[0], *(elements(word) for word in words[1:4])
    made: dict[str, list[str]] = {}
    current = "UNPARSED_ARGUMENTS"
    for word in words[4:]:
        if word in options:
            made[word] = ["TRUE"]
            current = "UNPARSED_ARGUMENTS"
        elif word in single or word in many:
            current = word
            made.setdefault(word, [])
        else:
            made.setdefault(current, []).append(word)
            current = "UNPARSED_ARGUMENTS" if current in single else current
    for name in (*options, *single, *many, "UNPARSED_ARGUMENTS"):
        default = "FALSE" if name in options else None
        value = ";".join(made[name]) if name in made else default
        state.variables.set(f"{prefix}_{name}", value)


TEXT_COMMANDS: Final[dict[str, Callable[[RunState, list[str]], None]]] = {
    "file": _file,
    "get_filename_component": _filename_component,
    "list": _list,
    "separate_arguments": _separate_arguments,
    "string": _string,
}
"""By name in lower case."""
