"""From a preprocessed file to a translation unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from roofline_core.program.stages import Stage, count, stage
from roofline_core.program.units import TranslationUnit
from roofline_parsers.cuda.cache import ParseCache
from roofline_parsers.cuda.extensions import Extensions
from roofline_parsers.cuda.problems import syntax_problems
from roofline_parsers.cuda.recovery import recover
from roofline_parsers.cuda.scan import Scan
from roofline_parsers.cuda.scopes import KnownNames
from roofline_parsers.cuda.source import ParserInput
from roofline_parsers.preprocess import PreprocessedFile

_NONE: Final = Extensions()


@dataclass(slots=True)
class _Parsed:
    pre: PreprocessedFile
    unit: TranslationUnit
    known: KnownNames


@stage(Stage.PARSE)
def parse_unit(
    pre: PreprocessedFile, cache: ParseCache | None = None, extensions: Extensions = _NONE
) -> TranslationUnit:
    """Reads a preprocessed file and all it includes; never raises on any text.

    Headers become units of their own, one for each ``PreprocessedFile`` object; with a cache they
    are shared between calls, which take the same ``extensions``. The file itself is not kept: each
    edit makes a new one.
    """
    cache = ParseCache() if cache is None else cache
    unit = _parse(pre, cache, extensions).unit
    cache.drop(pre)
    return unit


def _parse(pre: PreprocessedFile, cache: ParseCache, extensions: Extensions) -> _Parsed:
    """Reads included files first, without recursion, then the file itself."""
    pending = [pre]
    while pending:
        current = pending[-1]
        if cache.get(current) is not None:
            pending.pop()
            continue
        missing = [included for included in current.includes if cache.get(included) is None]
        if missing:
            pending += missing
            continue
        cache.put(current, _parse_one(current, cache, extensions))
        pending.pop()
    parsed = cache.get(pre)
    assert isinstance(parsed, _Parsed)
    return parsed


def _parse_one(pre: PreprocessedFile, cache: ParseCache, extensions: Extensions) -> _Parsed:
    count("files parsed")
    forms = extensions.dialects.get(pre.dialect)
    known = KnownNames(types=set(forms.type_names)) if forms is not None else KnownNames()
    included: list[TranslationUnit] = []
    for header in pre.includes:
        parsed = cache.get(header)
        if isinstance(parsed, _Parsed):
            included.append(parsed.unit)
            known.types |= parsed.known.types
            known.values |= parsed.known.values
            known.namespaces |= parsed.known.namespaces
            known.concepts |= parsed.known.concepts
    source = ParserInput(
        pre.path,
        pre.source,
        pre.text,
        pre.changed_lines,
        pre.macros,
        dialect=pre.dialect,
        directives=extensions.directives,
    )
    tree = cache.parse(source)
    scan = Scan(source, known)
    scan.run(tree)
    problems = [*pre.problems, *source.problems, *syntax_problems(source, tree)]
    problems += scan.problems
    if not (source.problems or scan.problems):
        problems += recover(scan, tree)
    found = scan.found
    if tree.root_node.has_error:
        found.functions.sort(key=lambda f: (f.span.line, f.span.column))
    if extensions.outline is not None:
        extensions.outline(found, source, included)
    unit = TranslationUnit(
        path=pre.path,
        functions=forms.functions(found.functions) if forms is not None else tuple(found.functions),
        instantiations=tuple(found.instantiations),
        class_instantiations=tuple(found.class_instantiations),
        structs=tuple(found.structs),
        globals=tuple(found.variables),
        aliases=found.aliases,
        imports=frozenset(found.imports),
        used_names=found.used_names,
        alias_params=found.alias_params,
        enums=found.enums,
        enumerators=found.enumerators,
        macros=pre.macros.program_objects(),
        includes=tuple(included),
        unresolved_includes=pre.unresolved_includes,
        problems=tuple(problems),
    )
    return _Parsed(pre, unit, known)
