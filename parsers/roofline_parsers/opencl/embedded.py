"""Kernels that a host source holds in its strings, read as a unit of their own.

OpenCL programs often carry their kernels as text: quoted lines, raw strings, or the argument of a
macro that makes a string of it. The text is put back on the lines, and where it can be in the
columns, in which it is written, so that every position in the model is one of the host file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from roofline_core.program.units import Dialect, Problem, Severity, TranslationUnit
from roofline_parsers.cuda import ParseCache, parse_unit
from roofline_parsers.opencl.canvas import Canvas
from roofline_parsers.opencl.functions import OPENCL
from roofline_parsers.opencl.literals import Run, Runs
from roofline_parsers.opencl.mentions import build_defines
from roofline_parsers.preprocess import (
    Macro,
    MacroOrigin,
    PreprocessedFile,
    PreprocessOptions,
    Reader,
    preprocess,
)

_GATE: Final = re.compile(
    rb"kernel(?!\w)(?:(?<=__kernel)|(?<!\wkernel)"
    rb"(?:\s|\\[nt]|\\?\r?\n|[\"\'])+(?:void|__attribute__)(?!\w))"
)
_KERNEL: Final = re.compile(
    rb"(?<!\w)(?:__)?kernel\s+(?:__attribute__\s*\(\([^{}]*?\)\)\s*)*void(?!\w)"
)
_CODE: Final = re.compile(
    rb"^\s*(?:#\s*(?:define|include|pragma|if|ifdef|ifndef|endif|else|undef)\b|typedef\b|struct\b"
    rb"|__constant\b)|\)\s*\{",
    re.MULTILINE,
)
MAX_STRING_BYTES: Final = 500_000
"""Bytes of OpenCL C in the strings of one file that are read: a limit on the work."""
_MAX_GAP: Final = 30
"""Lines between two strings of one kernel."""
_COMMENT: Final = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)


def may_embed(source: bytes) -> bool:
    """Whether a host source may hold kernels in its strings; cheap, and never wrongly False."""
    return _GATE.search(source) is not None


def embedded_units(
    pre: PreprocessedFile, options: PreprocessOptions, reader: Reader
) -> tuple[TranslationUnit, ...]:
    """The kernels in the strings of a host file and of the headers it includes.

    One unit for each file that holds any, with all of its strings that look like OpenCL C: what
    one string defines, kernels of another may use. ``options`` are those of the host's.
    """
    found = []
    for file in _files(pre):
        if file.dialect is not Dialect.OPENCL and may_embed(file.source):
            unit = _unit(file, options, reader)
            if unit is not None:
                found.append(unit)
    return tuple(found)


def _files(pre: PreprocessedFile) -> Iterator[PreprocessedFile]:
    """The file and all it includes, each path once."""
    seen = set()
    pending = [pre]
    while pending:
        file = pending.pop()
        if file.path not in seen:
            seen.add(file.path)
            yield file
            pending.extend(reversed(file.includes))


def embedded_text(pre: PreprocessedFile) -> bytes:
    """The OpenCL C in a file's strings, on the lines where it is written; empty if none is."""
    runs = _limited(_runs(pre))
    return _canvas(pre, runs).text() if runs else b""


def _unit(
    pre: PreprocessedFile, options: PreprocessOptions, reader: Reader
) -> TranslationUnit | None:
    runs = _runs(pre)
    if not runs:
        return None
    macros = _shared_macros(pre) if any(run.expanded for run in runs) else ()
    kept = _limited(runs)
    unit = unit_of(pre, _canvas(pre, kept), options, reader, macros)
    if len(kept) == len(runs):
        return unit
    message = (
        f"more than {MAX_STRING_BYTES:,} bytes of kernels in strings: from here on none is read"
    )
    line = runs[len(kept)].lines[0] + 1
    problem = Problem(Severity.WARNING, message, pre.path, line)
    return replace(unit, problems=(*unit.problems, problem))


def _runs(pre: PreprocessedFile) -> list[Run]:
    def expand(text: bytes) -> bytes:
        """The text with the macros of the file expanded; it includes nothing."""
        given = PreprocessOptions(base=pre.macros, dialect=pre.dialect)
        return preprocess(pre.path, text, given, lambda path: None).text

    return wanted_runs(Runs(pre, expand).find())


def _canvas(pre: PreprocessedFile, runs: Sequence[Run]) -> Canvas:
    canvas = Canvas(pre.source.count(b"\n") + 1)
    for run in runs:
        canvas.put_chars(run.chars)
        for line, column, text in run.raw:
            canvas.put_raw(line, column, text)
    return canvas


def unit_of(
    pre: PreprocessedFile,
    canvas: Canvas,
    options: PreprocessOptions,
    reader: Reader,
    macros: Sequence[tuple[str, str]] = (),
) -> TranslationUnit:
    """A canvas preprocessed and parsed as OpenCL C."""
    options_of_build = build_defines({pre.path: pre.source})
    defines = (
        *options.defines,
        *options.kernel_defines,
        *options_of_build,
        *macros,
        *canvas.defines,
    )
    own = replace(options, dialect=Dialect.OPENCL, base=None, defines=defines, forced_includes=())
    text = preprocess(pre.path, canvas.text(), own, reader)
    # A cache of its own: the host's keeps trees by path.
    unit = parse_unit(text, ParseCache(), OPENCL)
    dropped = tuple(
        Problem(
            Severity.WARNING,
            f"'{content.decode(errors='replace').strip()}' in a string was left out",
            pre.path,
            line + 1,
        )
        for line, content in canvas.dropped
    )
    return replace(unit, problems=(*unit.problems, *dropped)) if dropped else unit


def _limited(runs: Sequence[Run]) -> list[Run]:
    """The runs up to ``MAX_STRING_BYTES``."""
    found, left = [], MAX_STRING_BYTES
    for run in runs:
        left -= len(run.chars) + sum(len(text) for _, _, text in run.raw)
        if left < 0:
            break
        found.append(run)
    return found


def wanted_runs(runs: Sequence[Run]) -> list[Run]:
    """The runs that are OpenCL C; none where no kernel is among them.

    A run in which a kernel is begun and not ended takes those soon after it: the program puts them
    together.
    """
    if not any(_KERNEL.search(run.text) for run in runs):
        return []
    found: list[Run] = []
    begun, last = b"", 0
    for run in runs:
        text = _COMMENT.sub(b" ", run.text)
        first, end = run.lines
        is_open = bool(begun) and not (b"{" in begun and begun.count(b"{") <= begun.count(b"}"))
        if not (is_open and first - last <= _MAX_GAP):
            begun = b""
        starts = list(_KERNEL.finditer(text))
        if begun or starts or _CODE.search(text):
            found.append(run)
            begun = text[starts[-1].start() :] if starts else begun and begun + text
            last = end
    return found


def _shared_macros(pre: PreprocessedFile) -> tuple[tuple[str, str], ...]:
    """The host's own macros, for text that they are expanded in before it becomes a string."""
    return tuple(_definition(m) for m in pre.macros.values() if m.origin is MacroOrigin.PROGRAM)


def _definition(macro: Macro) -> tuple[str, str]:
    name = macro.name.decode(errors="replace")
    if macro.params is not None:
        names = [param.decode(errors="replace") for param in macro.params]
        if macro.variadic:
            names[-1] = "..." if names[-1] == "__VA_ARGS__" else names[-1] + "..."
        name = f"{name}({', '.join(names)})"
    return name, macro.body.decode(errors="replace")
