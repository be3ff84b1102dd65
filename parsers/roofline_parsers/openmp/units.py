"""The target regions of a file: which functions have some, and the kernels they become."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from roofline_core.program.expressions import Binary, Literal, Unary
from roofline_core.program.stages import Stage, stage
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Problem, Severity, Span, Struct, TranslationUnit
from roofline_parsers.cuda.bodies import BodyReader
from roofline_parsers.cuda.found import ScanResult
from roofline_parsers.cuda.source import ParserInput
from roofline_parsers.openmp.captures import Types
from roofline_parsers.openmp.outlining import Outliner, Site

_TARGET: Final = re.compile(
    rb'omp(?:[ \t]+|::directive\("[ \t]*)target\b(?![ \t]+(?:data|enter|exit|update)\b)'
)
"""A region's pragma, or one in a comment, for which a function is read in vain."""
_PRAGMA: Final = re.compile(rb"#[ \t]*pragma\b[^\n]*")
_THREADS: Final = re.compile(rb"(?:[ \t\w]|\\\r?\n)*\b(?:parallel|loop)\b")
"""What follows ``target`` in a directive, up to the word that starts threads."""
_OPERATOR: Final = re.compile(rb'_Pragma\s*\(\s*L?"(?:[^"\\]|\\.)*"\s*\)')

MAX_REGIONS = 200
"""The most target regions of one file that become kernels. A limit on the work."""


@stage(Stage.LOWER)
def outline(found: ScanResult, source: ParserInput, included: Sequence[TranslationUnit]) -> None:
    """Makes kernels of the target regions in ``found``; only functions that have one are read.

    At most ``MAX_REGIONS``; the function that holds the next one gets a problem.
    """
    if not holds_region(source.text):
        return
    types = _known_types(found, included)
    specialised = all(map(_starts_threads, _TARGET.finditer(source.text)))
    pragma_span = partial(_pragma_span, source, source.source.split(b"\n"))
    left = MAX_REGIONS
    full = False

    def outlined(function: Function) -> Function:
        """The function with its regions taken out; as it is once ``MAX_REGIONS`` is reached."""
        nonlocal left, full
        if full or not _holds(function):
            return function
        site = Site(function, types, (), pragma_span, specialised)
        made, kernels, full = _outline(site, left)
        left -= len(kernels)
        found_kernels.extend(kernels)
        return made

    found_kernels: list[Function] = []
    functions = []
    for function in found.functions:
        functions.append(outlined(function))
        functions += found_kernels
        found_kernels.clear()
    for index, struct in enumerate(found.structs):
        methods = tuple(map(outlined, struct.methods))
        if found_kernels:
            found.structs[index] = replace(struct, methods=methods)
            functions += found_kernels
            found_kernels.clear()
    found.functions[:] = functions


def holds_region(text: bytes) -> bool:
    """Whether a preprocessed text has a target region, or a comment that looks like one."""
    if b"target" not in text or b"omp" not in text:  # most files, at a fraction of the search
        return False
    return _TARGET.search(text) is not None


def _holds(function: Function) -> bool:
    """Whether a directive stands in the body, in the text that it was read from."""
    body = function.read_body
    if not isinstance(body, BodyReader):
        return False
    return _TARGET.search(body.source.text, body.start, body.end) is not None


def _starts_threads(target: re.Match[bytes]) -> bool:
    """Whether a region's own directive starts the threads of its teams."""
    return _THREADS.match(target.string, target.end()) is not None


def _outline(site: Site, most: int) -> tuple[Function, list[Function], bool]:
    """The function with launches for its regions, the kernels, and whether there were too many."""
    function = site.function
    body = function.body
    if body is None:
        return function, [], False
    owner = site.types.structs.get(function.owner) if function.owner is not None else None
    params = owner.template_params if owner is not None else ()
    outliner = Outliner(replace(site, class_params=params), most)
    try:
        made = outliner.run(body)
    except RecursionError:
        # The caller's own stack left too little room.
        message = f"the target regions of '{function.qualified_name}' are nested too deeply"
        problem = Problem(Severity.WARNING, message, function.path, function.span.line)
        function.body_problems.append(problem)
        return function, [], False
    left_line = outliner.first_left_line
    if left_line is not None:
        message = (
            f"more than {MAX_REGIONS} target regions in one file: from here on none is judged (a"
            " limit on the work)"
        )
        problem = Problem(Severity.WARNING, message, function.path, left_line)
        function.body_problems.append(problem)
    if not outliner.kernels:
        return function, [], left_line is not None
    return replace(function, read_body=lambda: made), outliner.kernels, left_line is not None


def _pragma_span(source: ParserInput, lines: Sequence[bytes], line: int) -> Span:
    """Where a pragma's text stands on its first line: the pragma, or the macro that made it."""
    text = lines[line - 1] if 0 < line <= len(lines) else b""
    text = text.rstrip().removesuffix(b"\\").rstrip()
    for pattern in (_PRAGMA, _OPERATOR):
        match = pattern.search(text)
        if match is not None:
            return Span(line, match.start(), line, match.end())
    row = line - source.first_line
    return source.name_span("#pragma", (row, 0), (row, len(text)))


def _known_types(found: ScanResult, included: Sequence[TranslationUnit]) -> Types:
    """Classes and aliases of the file and all it includes."""
    structs: dict[str, Struct] = {}
    aliases: dict[str, Type] = {}
    constants = set(found.enumerators) | _constants(found.variables)
    seen: set[int] = set()
    pending = list(included)
    while pending:
        unit = pending.pop()
        if id(unit) in seen:
            continue
        seen.add(id(unit))
        pending += unit.includes
        aliases |= unit.aliases
        constants |= set(unit.enumerators) | _constants(unit.globals)
        structs |= {struct.name: struct for struct in unit.structs}
        structs |= {struct.qualified_name: struct for struct in unit.structs}
    aliases |= found.aliases
    structs |= {struct.name: struct for struct in found.structs}
    structs |= {struct.qualified_name: struct for struct in found.structs}
    return Types(structs, aliases, constants)


def _constants(variables: Sequence[Variable]) -> set[str]:
    """The variables whose values are known when a program is compiled, as far as one can see."""
    return {
        variable.name.rpartition("::")[2]
        for variable in variables
        if "constexpr" in variable.qualifiers
        or (variable.type.const and isinstance(variable.init, (Literal, Binary, Unary)))
        if not variable.type.pointers and not variable.type.dims
    }
