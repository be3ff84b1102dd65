"""The kernel files that a host source names, and the macros that it builds them with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

_KERNEL_FILE: Final = re.compile(rb"[\"']([^\"'\n\\]*?[^\"'\n\\/]\.(?:cl|ocl|opencl))[\"']")


def kernel_files(source: bytes) -> tuple[str, ...]:
    """The string literals of a source that name kernel files, each once, in the order written.

    They are as the program passes them: paths relative to a folder that only a run knows, or bare
    file names. Bytes that are not UTF-8 are replaced.
    """
    found = (match[1].decode(errors="replace") for match in _KERNEL_FILE.finditer(source))
    return tuple(dict.fromkeys(found))


_LITERAL: Final = re.compile(rb'"((?:[^"\\\n]|\\.)*)"')
_DEFINE: Final = re.compile(rb"(?<!\S)-D\s*([A-Za-z_]\w*(?:\([\w,.]*\))?)(?:=(\S*))?")


def build_defines(sources: Mapping[Path, bytes | None]) -> tuple[tuple[str, str], ...]:
    """Macros that string literals of host sources give a kernel's compiler: ``"-DN=16"``.

    Name, with its parameters if it has any, and value, 1 where none is written; the first of
    several values, but those of a literal that builds for 16-bit numbers, which not every GPU has,
    give way to another's. Values that the host puts together when it runs (``"-DN=%d"``,
    ``"-DN=" + n``) are left out.
    """
    plain: dict[str, str] = {}
    narrow: dict[str, str] = {}
    for source in sources.values():
        if source is None or b"-D" not in source:
            continue
        for literal in _LITERAL.finditer(source):
            own = tuple(_defines(literal[1]))
            into = narrow if any("half" in value for _, value in own) else plain
            for name, value in own:
                into.setdefault(name, value)
    others = {} if plain.keys() & narrow.keys() else narrow
    return tuple({**others, **plain}.items())


def _defines(literal: bytes) -> Iterator[tuple[str, str]]:
    for define in _DEFINE.finditer(literal):
        name, value = define.groups()
        text = "1" if value is None else value.decode(errors="replace")
        if text and not set(text) & set("%\\{}"):
            yield name.decode(), text
