"""Headers that CMake writes: which macros ``configure_file`` defines in them.

The header itself stands in the build folder, which no checkout has. Sources that include it see its
macros; here all files of the project are compiled with them.

https://cmake.org/cmake/help/latest/command/configure_file.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from roofline_parsers.preprocess.cmake.conditions import value_is_true
from roofline_parsers.preprocess.cmake.state import RunState
from roofline_parsers.preprocess.cmake.values import UNKNOWN

_LINE: Final = re.compile(
    r"^[ \t]*#[ \t]*cmakedefine(01)?[ \t]+(\w+)(?:[ \t]+([^\r\n]*))?", re.MULTILINE
)
_NAMED: Final = re.compile(r"@(\w+)@")
_DEFINE: Final = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[ \t]+([^\r\n]*))?$", re.MULTILINE)
_WRITTEN: Final = re.compile(r"^[^\r\n@]*@\w+@[^\r\n]*$", re.MULTILINE)
"""Lines in which variables stand: ``@PRECISION_LEVEL@``, ``#define INDEX_TYPE @INDEX_TYPE@``."""


def configure_file(state: RunState, words: list[str]) -> None:
    """``configure_file(config.h.in config.h)``: what its ``#cmakedefine`` lines define."""
    if len(words) < 2 or UNKNOWN in words[0] or "COPYONLY" in words:
        return
    text = state.read(state.path(words[0]))
    if text is not None:
        state.add(state.configured, "definitions", list(_defined(state, text)))


def _defined(state: RunState, text: str) -> Iterator[str]:
    for zero_or_one, name, rest in _LINE.findall(text):
        value = state.variables.get(name)
        if value is not None and UNKNOWN in value:
            continue
        on = value is not None and value_is_true(value) is True
        if zero_or_one:
            yield f"{name}={int(on)}"
        elif on:
            expanded = _filled_in(state, rest.strip())
            if UNKNOWN not in expanded:
                yield f"{name}={expanded}"
    for line in _WRITTEN.findall(text):
        if "cmakedefine" not in line:
            for name, rest in _DEFINE.findall(_filled_in(state, line)):
                if UNKNOWN not in name + rest:
                    yield f"{name}={rest.strip()}"


def _filled_in(state: RunState, text: str) -> str:
    """A text with the variables' values, ``UNKNOWN`` where one has no value that is known."""
    return state.variables.expand(_NAMED.sub(r"${\1}", text))
