"""An edit inside one function's body: that function read anew, the rest of its file as it was.

While a person types, nearly every change is of this kind, and reading a file costs as much as
analysing several kernels. What is given is what reading the whole file would give, but for code
that is broken for the moment: its errors are looked for within the function alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from typing import Final

from roofline_core.program.records import record
from roofline_core.program.units import Function, TranslationUnit
from roofline_parsers.cuda.bodies import BodyReader, has_launches
from roofline_parsers.cuda.cache import common_prefix
from roofline_parsers.cuda.grammar import COMMENT, COMPOUND, FUNCTION, TEMPLATE, Node, kind
from roofline_parsers.cuda.problems import syntax_problems
from roofline_parsers.cuda.scan import LOCAL_CLASS
from roofline_parsers.cuda.source import ParserInput
from roofline_parsers.openmp.units import holds_region
from roofline_parsers.preprocess import PreprocessedFile, PreprocessOptions, preprocess
from roofline_parsers.reading.extensions import EXTENSIONS

_LINKAGE: Final = kind("linkage_specification")
_CHANGES_MACROS: Final = re.compile(
    rb"^[ \t]*#[ \t]*(?:define|undef|include|include_next|import)\b", re.MULTILINE
)
_REACHES_FURTHER: Final = re.compile(rb"/\*|\*/|\"|\\|\?\?/|__COUNTER__")
"""What can end or begin outside the changed lines, or is looked for in whole files."""


@record(frozen=True, slots=True)
class FileRead:
    """A file's text and what was made of it."""

    source: bytes
    pre: PreprocessedFile
    """Of a file that was edited since: of an older text. Its macros are those of the file still."""
    unit: TranslationUnit
    asked: frozenset[str] = frozenset()
    """The paths of all other files that were read for it, or looked for."""
    clean: bool = True
    """Whether later edits can start from here: the last one left no syntax error."""
    broken: bool = False
    """Whether the file has syntax errors: where its functions end is not certain then."""


@record(frozen=True, slots=True)
class _Edit:
    """The lines that two texts with as many lines differ in, 1-based."""

    first: int
    last: int


def read_edit(last: FileRead, source: bytes) -> FileRead | None:
    """The file with its new text; None where more than one function's body has to be read."""
    edit = None if last.broken else _difference(last.source, source)
    if edit is None:
        return None
    function = _function_around(last.unit, edit)
    if function is None or not _is_clean(last.unit, function):
        return None
    lines = source.split(b"\n")
    if not _stands_alone(last, function, lines):
        return None
    text = _preprocessed(last.pre, function, lines)
    if text is None:
        return None
    own = ParserInput(
        last.pre.path,
        source,
        text.text[function.span.line - 1 :],
        text.changed_lines,
        last.pre.macros,
        function.span.line,
        last.pre.dialect,
        EXTENSIONS.directives,
    )
    if LOCAL_CLASS.search(own.text) or holds_region(own.text):
        return None
    made = _read(own, function)
    if made is None:
        return None
    assert own.tree is not None
    problems = syntax_problems(own, own.tree)
    functions = tuple(made if each is function else each for each in last.unit.functions)
    unit = replace(last.unit, functions=functions, problems=(*last.unit.problems, *problems))
    clean = not own.tree.root_node.has_error
    return FileRead(source, last.pre, unit, last.asked, clean=clean)


def _difference(old: bytes, new: bytes) -> _Edit | None:
    """None where lines were added or taken, or where the change may reach beyond its lines."""
    start = common_prefix(old, new)
    limit = min(len(old), len(new)) - start
    tail = common_prefix(old[::-1][:limit], new[::-1][:limit])
    old_end, new_end = len(old) - tail, len(new) - tail
    count = old.count(b"\n", start, old_end)
    if new.count(b"\n", start, new_end) != count:
        return None
    for text, end in ((old, old_end), (new, new_end)):
        line_end = text.find(b"\n", end)
        line_end = len(text) if line_end < 0 else line_end
        changed = text[text.rfind(b"\n", 0, start) + 1 : line_end]
        if _REACHES_FURTHER.search(changed) or b"#" in changed:
            return None
    first = new.count(b"\n", 0, start) + 1
    return _Edit(first, first + count)


def _function_around(unit: TranslationUnit, edit: _Edit) -> Function | None:
    """The function whose body has the lines, its first and its last line left out."""
    found = None
    for function in unit.functions:
        span = function.span
        if span.line <= edit.last and edit.first <= span.end_line:
            if found is not None:
                return None
            found = function
    if found is None or not isinstance(found.read_body, BodyReader):
        return None
    reader = found.read_body
    row = bisect_right(reader.source.line_starts, reader.start) - 1
    inside = row + reader.source.first_line < edit.first and edit.last < found.span.end_line
    return found if inside else None


def _is_clean(unit: TranslationUnit, function: Function) -> bool:
    """Whether nothing in the function was ill read before."""
    span = function.span
    return not any(
        problem.line is not None and span.line <= problem.line <= span.end_line
        for problem in unit.problems
    )


def _stands_alone(last: FileRead, function: Function, lines: list[bytes]) -> bool:
    """Whether the macros at the end of the file are those inside the function, and after it."""
    rest = b"\n".join(lines[function.span.line - 1 :])
    return _CHANGES_MACROS.search(rest) is None


def _preprocessed(
    pre: PreprocessedFile, function: Function, lines: list[bytes]
) -> PreprocessedFile | None:
    """The function's lines alone, at their place, preprocessed with the file's macros."""
    first, end = function.span.line, function.span.end_line
    text = b"\n" * (first - 1) + b"\n".join(lines[first - 1 : end])
    options = PreprocessOptions(base=pre.macros, dialect=pre.dialect)
    made = preprocess(pre.path, text, options, lambda _: None)
    if made.problems or made.text[: first - 1].strip(b"\n"):
        return None
    return made


def _read(source: ParserInput, function: Function) -> Function | None:
    """The function out of its own text; None where it is not the only thing there."""
    node = _definition(source.parse().root_node)
    if node is None:
        return None
    body = next((child for child in node.children if child.kind_id == COMPOUND), None)
    old = function.read_body
    assert isinstance(old, BodyReader)
    end_line = node.end_point[0] + source.first_line
    if body is None or body.end_byte != node.end_byte or end_line != function.span.end_line:
        return None
    header = source.text[node.start_byte : body.start_byte]
    if not old.source.text[: old.start].endswith(header):
        return None
    problems = list(old.problems[:0])
    reader = replace(
        old, source=source, start=body.start_byte, end=body.end_byte, problems=problems
    )
    on_device = bool(function.qualifiers & {"__global__", "__device__"})
    return replace(
        function,
        read_body=reader,
        launches=on_device and has_launches(source, reader.start, reader.end),
        fingerprint=source.fingerprint(node.start_byte, node.end_byte),
        body_problems=problems,
    )


def _definition(root: Node) -> Node | None:
    """The one function defined, without ``template <...>`` and ``extern "C"``."""
    nodes = [child for child in root.children if child.kind_id != COMMENT]
    while len(nodes) == 1 and nodes[0].kind_id in (TEMPLATE, _LINKAGE):
        nodes = nodes[0].children[-1:]
    return nodes[0] if len(nodes) == 1 and nodes[0].kind_id == FUNCTION else None
