"""Where the lines of a program's text are written: in files that the host reads, or in its strings.

A host gives its kernels as text, whose lines have no file. Files near the program that hold the
same lines are looked for, so that what is counted stands at lines that a person can open.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from roofline_core.settings import SKIPPED_FOLDERS
from roofline_parsers.opencl.embedded import embedded_text, may_embed
from roofline_parsers.preprocess import PreprocessOptions, preprocess

_KERNELS: Final = (".cl", ".ocl", ".clc", ".cl.h", ".clh", ".opencl")
_HOSTS: Final = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inl")
_MOST_FILES: Final = 3000
_MOST_FOLDERS: Final = 1000
_MOST_BYTES: Final = 4 * 1024**2
_SHARE: Final = 0.8
"""Of a file's lines, or of the text's, that must be the same."""


@dataclass(frozen=True, slots=True)
class _SourcePlace:
    path: Path
    line: int


def with_lines(text: str, folders: Sequence[Path], cache: Path) -> str:
    """The text with directives that name the file and line of each of its lines.

    Lines that are found nowhere are those of a copy that is kept in ``cache``.
    """
    lines = text.split("\n")
    places = _places(lines, folders)
    own = _own_copy(text, cache) if None in places else None
    made: list[str] = []
    expected: _SourcePlace | None = None
    for number, (line, found) in enumerate(zip(lines, places, strict=True), 1):
        place = _SourcePlace(own, number) if found is None and own is not None else found
        continued = number > 1 and lines[number - 2].rstrip("\r").endswith("\\")
        if place is not None and place != expected and not continued:
            made.append(f'#line {place.line} "{place.path}"')
            expected = place
        made.append(line)
        if expected is not None:
            expected = _SourcePlace(expected.path, expected.line + 1)
    return "\n".join(made)


def _own_copy(text: str, cache: Path) -> Path:
    path = cache / f"source-{hashlib.sha256(text.encode()).hexdigest()[:16]}.cl"
    if not path.exists():
        path.write_text(text, encoding="utf-8")
    return path


def _places(lines: Sequence[str], folders: Sequence[Path]) -> list[_SourcePlace | None]:
    """Where each line is written; None for those that are found nowhere."""
    plain = [_plain(line) for line in lines]
    found: list[_SourcePlace | None] = [None] * len(lines)
    open_lines = {text for text in plain if text}
    for path in _files(folders):
        written = _written(path, open_lines)
        if not written:
            continue
        matched = _matched(plain, written, found)
        told = sum(bool(text) for text in plain)
        if len(matched) < _SHARE * min(len(written), told):
            continue
        for at, line in matched.items():
            found[at] = _SourcePlace(path, line)
        if all(place is not None for place, text in zip(found, plain, strict=True) if text):
            break
    return _filled(found)


def _matched(
    plain: Sequence[str], written: Sequence[tuple[int, str]], found: Sequence[_SourcePlace | None]
) -> dict[int, int]:
    """By place in the text, the file's lines that are the same, in the same order."""
    by_text: dict[str, list[int]] = {}
    for line, text in written:
        by_text.setdefault(text, []).append(line)
    matched: dict[int, int] = {}
    last = 0
    for at, text in enumerate(plain):
        if not text or found[at] is not None:
            continue
        following = next((line for line in by_text.get(text, ()) if line > last), None)
        if following is not None:
            matched[at] = last = following
    return matched


def _filled(found: list[_SourcePlace | None]) -> list[_SourcePlace | None]:
    """Blank lines belong to what is before them."""
    last: _SourcePlace | None = None
    for at, place in enumerate(found):
        if place is None and last is not None:
            found[at] = _SourcePlace(last.path, last.line + 1)
        last = found[at]
    return found


def _plain(line: str) -> str:
    return " ".join(line.split())


def _files(folders: Sequence[Path]) -> Iterator[Path]:
    """Kernel files of the folders and below, then host sources; of large trees the first ones."""
    seen: dict[Path, None] = {}
    for folder in folders:
        for visited, (name, below, files) in enumerate(os.walk(folder)):
            below[:] = sorted(each for each in below if each not in SKIPPED_FOLDERS)
            for each in sorted(files):
                if each.endswith((*_KERNELS, *_HOSTS)):
                    seen[(Path(name) / each).resolve()] = None
            if len(seen) > _MOST_FILES or visited > _MOST_FOLDERS:
                break
    return iter(sorted(seen, key=lambda path: not path.name.endswith(_KERNELS)))


def _written(path: Path, wanted: set[str]) -> list[tuple[int, str]]:
    """The lines of OpenCL C in a file, blank ones left out; none where it can hold none of them."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            return []
        source = path.read_bytes()
    except OSError:
        return []
    if not path.name.endswith(_KERNELS) and may_embed(source):
        pre = preprocess(path, source, PreprocessOptions(), lambda _: None)
        source = embedded_text(pre) or source
    lines = [_plain(line) for line in source.decode("utf-8", "replace").split("\n")]
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line]
    return numbered if any(line in wanted for _, line in numbered) else []
