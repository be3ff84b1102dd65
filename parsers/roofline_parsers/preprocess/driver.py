"""Preprocessing of a translation unit: the main file, its headers and what they share."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from roofline_core.program.asked import asked
from roofline_core.program.records import record
from roofline_core.program.stages import Stage, count, stage
from roofline_core.program.units import Dialect, is_stand_in
from roofline_parsers.preprocess.features import (
    MOST_ROUNDS,
    defines_of,
    feature_note,
    features_awaited,
    loses,
)
from roofline_parsers.preprocess.kernels_as_strings import unwrapped
from roofline_parsers.preprocess.macros import Macro, MacroOrigin, MacroTable, parse_definition
from roofline_parsers.preprocess.predefined import dialect_macros
from roofline_parsers.preprocess.result import (
    PreprocessedFile,
    PreprocessOptions,
    Reader,
)
from roofline_parsers.preprocess.structure import SourceFile, divide
from roofline_parsers.preprocess.tokens import OPAQUE
from roofline_parsers.preprocess.unit import Unit

_MAX_INCLUDE_DEPTH = 40
_MAX_INCLUDES = 2000
_MAX_INCLUDED_BYTES = 64 << 20
_WITH_FEATURES: Final = frozenset((Dialect.CUDA, Dialect.HIP))
_NOT_READ: Final = divide(Path(), b"")
"""Stands for a file that was never looked for."""
_MAX_CONTEXTS = 32
"""Macro contexts kept for one header."""


class _Lookup(NamedTuple):
    """One search for a header."""

    folder: str
    """That of the file with the ``#include``."""
    name: bytes
    quoted: bool
    skipped: str
    """The file that ``#include_next`` stands in, which is not the one searched; else empty."""


class _Answer(NamedTuple):
    """What a search came to."""

    header: str | None
    """The path of the file that was found."""
    refusal: str
    """Where none was found: why one that is there is not read, if that is to be said."""


@record(frozen=True, slots=True, eq=False)
class _CachedUnit:
    """A header's result, and all it depended on.

    That is the header's path and language, by which it is kept, the macros that it could read, and
    which file each search for a header found: through which include folders does not matter.
    """

    result: PreprocessedFile
    words: frozenset[bytes]
    """Every name whose definition could matter."""
    defined: dict[bytes, Macro]
    """Those of ``words`` that were macros before the header."""
    changed: dict[bytes, Macro]
    """Macros that the header defined."""
    removed: frozenset[bytes]
    """Macros that the header undefined."""
    answers: dict[_Lookup, _Answer]
    """Every search for a header, in it and in what it includes."""
    probed: frozenset[str]
    """Every file that was read or looked for."""

    def matches(self, macros: dict[bytes, Macro]) -> bool:
        """Whether these macros would lead to the same result."""
        names = self.words.intersection(macros)
        return len(names) == len(self.defined) and all(
            name in names and (macros[name] is macro or macros[name] == macro)
            for name, macro in self.defined.items()
        )


@dataclass(slots=True)
class PreprocessCache:
    """Files read and headers preprocessed, shared by the translation units of a run.

    It believes that files do not change: whoever learns that one did calls ``invalidate``.
    """

    _files: dict[tuple[str, bool], SourceFile | None] = field(default_factory=dict)
    """By path, and whether it is read as OpenCL C."""
    _units: dict[tuple[str, Dialect], list[_CachedUnit]] = field(default_factory=dict)
    """By the header's path and the language that it is read as: its results in several contexts.
    ``_CachedUnit`` has the rest of what a result depends on."""
    _used: list[PreprocessedFile] = field(default_factory=list)
    """The results that the newest program took, or that were made for it."""

    def begin(self) -> None:
        """Says that a program is read next."""
        self._used = []

    def has_another(self, path: Path, source: bytes | None) -> bool:
        """Whether a file was read as a header when it had another text, or when it was not there.

        ``source`` is what it has now; None if it is not there.
        """
        name = os.path.normpath(path)
        for opencl in (False, True):
            kept = self._files.get((name, opencl), _NOT_READ)
            if kept is _NOT_READ:
                continue
            now = unwrapped(source) if opencl and source is not None else source
            if (None if kept is None else kept.source) != now:
                return True
        return False

    def invalidate(self, path: Path) -> list[PreprocessedFile]:
        """Forgets a file that changed, appeared or went away, and the headers made from it.

        Returns those headers.
        """
        name = os.path.normpath(path)
        for opencl in (False, True):
            self._files.pop((name, opencl), None)
        dropped = []
        for key, units in list(self._units.items()):
            kept = [unit for unit in units if name not in unit.probed]
            dropped += [unit.result for unit in units if name in unit.probed]
            if kept:
                self._units[key] = kept
            else:
                del self._units[key]
        return dropped

    def keep_newest(self, paths: Container[str], unseen: Container[str]) -> list[PreprocessedFile]:
        """Forgets all files but ``paths`` and our own stand-ins; gives what stays of headers.

        Of a header that is what the newest program took, in as many contexts as it did; all of
        those that are ``unseen``: who took them did so for an earlier program.
        """
        self._files = {key: file for key, file in self._files.items() if key[0] in paths}
        used = _with_included(self._used)
        kept = {
            key: units
            if key[0] in unseen or is_stand_in(Path(key[0]))
            else [unit for unit in units if id(unit.result) in used]
            for key, units in self._units.items()
        }
        self._units = {key: units for key, units in kept.items() if units}
        return [unit.result for units in self._units.values() for unit in units]

    def clear(self) -> None:
        """Forgets everything."""
        self._files.clear()
        self._units.clear()


def _with_included(files: Iterable[PreprocessedFile]) -> set[int]:
    """The identities of files and of all that they include."""
    found: set[int] = set()
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        if id(file) not in found:
            found.add(id(file))
            waiting += file.includes
    return found


@stage(Stage.PREPROCESS)
def preprocess(
    path: Path,
    source: bytes,
    options: PreprocessOptions,
    reader: Reader,
    cache: PreprocessCache | None = None,
) -> PreprocessedFile:
    """Preprocesses one translation unit.

    ``source`` is the text of ``path``, saved or not; every other file comes from ``reader``.
    Never raises on the content of files: what cannot be handled is left as it is and reported in
    ``problems``.
    """
    main, cache = divide(path, source), cache or PreprocessCache()
    read = _preprocessed(main, options, reader, cache)
    taken: tuple[str, ...] = ()
    for _ in range(MOST_ROUNDS):
        features = features_awaited(read) if options.dialect in _WITH_FEATURES else ()
        if not features:
            break
        defines = (*options.defines, *defines_of((*taken, *features)))
        again = _preprocessed(main, replace(options, defines=defines), reader, cache)
        if loses(read, again):
            break
        read, taken = again, (*taken, *features)
    notes = tuple(feature_note(macro, path) for macro in taken)
    return replace(read, problems=(*read.problems, *notes)) if notes else read


def _preprocessed(
    main: SourceFile, options: PreprocessOptions, reader: Reader, cache: PreprocessCache
) -> PreprocessedFile:
    run = _TranslationUnit(main, options, reader, cache)
    try:
        return run.preprocess()
    finally:
        asked(run.probed)


class _TranslationUnit:
    """One run; the ``Includer`` of its units."""

    def __init__(
        self, main: SourceFile, options: PreprocessOptions, reader: Reader, cache: PreprocessCache
    ) -> None:
        self.macros = _initial_macros(options)
        self.touched: list[bytes] = []
        self.dialect = options.dialect
        self._main = main
        self._options = options
        self._reader = reader
        self._cache = cache
        self._include_dirs = tuple(os.path.normpath(folder) for folder in options.include_dirs)
        self._found: dict[_Lookup, tuple[_Answer, SourceFile | None, frozenset[str]]] = {}
        """What searches came to, and the files that they looked for."""
        self._answers: dict[_Lookup, _Answer] = {}
        """The searches for the file that is being read."""
        self.probed: set[str] = set()
        self._refused: dict[str, str] = {}
        """By file, why it is not read."""
        self._count = 0
        self._included_bytes = 0

    def preprocess(self) -> PreprocessedFile:
        """The main file, behind the headers that the command line includes."""
        unit = Unit(self, self._main, 0, spliced=False)
        for path in self._options.forced_includes:
            header = self._load(os.path.normpath(path))
            if header is None:
                unit.unresolved_includes.append(f'"{path}"')
            elif not self.is_guarded(unit, header):
                unit.include_unit(header, 0)
        return unit.finish()

    # ---- What units ask for

    def find(self, unit: Unit, name: bytes, quoted: bool, skip_self: bool) -> SourceFile | None:
        """See ``Includer``."""
        skipped = unit.file.name if skip_self else ""
        lookup = _Lookup(unit.file.folder, name, quoted, skipped)
        self._answers[lookup] = self._answer(lookup)
        return self._found[lookup][1]

    def refusal(self, unit: Unit, name: bytes, quoted: bool) -> str:
        """See ``Includer``."""
        return self._refusal(_Lookup(unit.file.folder, name, quoted, ""))

    def is_guarded(self, unit: Unit, header: SourceFile) -> bool:
        """See ``Includer``."""
        once = _once_name(header)
        unit.words.add(once)
        guard = header.guard
        if guard:
            unit.words.add(guard)
        return once in self.macros or guard in self.macros

    def mark_once(self, file: SourceFile) -> None:
        """See ``Includer``."""
        self.mark(_once_name(file))

    def mark(self, name: bytes) -> None:
        """See ``Includer``."""
        self.macros[name] = Macro(name)
        self.touched.append(name)

    def table(self) -> MacroTable:
        """See ``Includer``."""
        macros = dict(self.macros)
        for name in self.touched:
            if name[:1] == b" ":
                macros.pop(name, None)
        return MacroTable.of(macros)

    def include(self, unit: Unit, header: SourceFile) -> PreprocessedFile | None:
        """See ``Includer``."""
        cached = self._cache._units.setdefault((header.name, self._options.dialect), [])
        for candidate in cached:
            if candidate.matches(self.macros) and self._finds(candidate.answers):
                count("headers known before")
                return self._reuse(unit, candidate)
        if not self._may_include(unit, header):
            return None
        before = dict(self.macros)
        first_touched = len(self.touched)
        outer_probed, self.probed = self.probed, {header.name}
        outer_answers, self._answers = self._answers, {}
        count("headers preprocessed")
        included = Unit(self, header, unit.depth + 1, spliced=False)
        result = included.finish()
        words = _closure(included.words | header.words, before)
        entry = self._record(result, words, before, set(self.touched[first_touched:]))
        unit.words |= words
        self.probed |= outer_probed
        self._answers = outer_answers | entry.answers
        if self._main.name not in entry.probed:
            del cached[: len(cached) + 1 - _MAX_CONTEXTS]
            cached.append(entry)
            self._cache._used.append(result)
        return result

    def splice(self, unit: Unit, header: SourceFile) -> bytes | None:
        """See ``Includer``."""
        if not self._may_include(unit, header):
            return None
        included = Unit(self, header, unit.depth + 1, spliced=True)
        text = included.run()
        unit.words |= included.words | header.words
        unit.problems.adopt(included.problems.found)
        unit.unresolved_includes += included.unresolved_includes
        # The newline in front lets the pattern see that no prefix of a literal precedes the text.
        text = OPAQUE.sub(lambda found: b" " if found[0][:1] == b"/" else found[0], b"\n" + text)
        return text[1:].replace(b"\n", b" ").replace(b"\r", b" ")

    # ---- Details

    def _may_include(self, unit: Unit, header: SourceFile) -> bool:
        self._count += 1
        self._included_bytes += len(header.source)
        return (
            self._count <= _MAX_INCLUDES
            and self._included_bytes <= _MAX_INCLUDED_BYTES
            and unit.depth < _MAX_INCLUDE_DEPTH
        )

    def _reuse(self, unit: Unit, cached: _CachedUnit) -> PreprocessedFile:
        self._cache._used.append(cached.result)
        self.macros.update(cached.changed)
        self.touched += cached.changed
        self.touched += cached.removed
        for name in cached.removed:
            self.macros.pop(name, None)
        self._answers |= cached.answers
        unit.words |= cached.words
        return cached.result

    def _record(
        self,
        result: PreprocessedFile,
        words: frozenset[bytes],
        before: dict[bytes, Macro],
        touched: set[bytes],
    ) -> _CachedUnit:
        return _CachedUnit(
            result,
            words,
            {name: before[name] for name in words.intersection(before)},
            {name: self.macros[name] for name in touched if name in self.macros},
            frozenset(name for name in touched if name not in self.macros),
            self._answers,
            frozenset(self.probed),
        )

    def _finds(self, answers: dict[_Lookup, _Answer]) -> bool:
        """Whether searches come to the same here."""
        return all(self._answer(lookup) == answer for lookup, answer in answers.items())

    def _answer(self, lookup: _Lookup) -> _Answer:
        """What a search comes to; made once."""
        if lookup not in self._found:
            outer_probed, self.probed = self.probed, set()
            header = self._search(lookup)
            why = self._refusal(lookup) if header is None else ""
            answer = _Answer(None if header is None else header.name, why)
            self._found[lookup] = answer, header, frozenset(self.probed)
            self.probed = outer_probed
        answer, _, probed = self._found[lookup]
        self.probed |= probed
        return answer

    def _search(self, lookup: _Lookup) -> SourceFile | None:
        for path in self._candidates(lookup):
            header = None if path == lookup.skipped else self._load(path)
            if header is not None:
                return header
        return None

    def _refusal(self, lookup: _Lookup) -> str:
        if not self._refused:
            return ""
        return next(
            (why for path in self._candidates(lookup) if (why := self._refused.get(path))), ""
        )

    def _candidates(self, lookup: _Lookup) -> Iterator[str]:
        """Where a header may be, in order."""
        relative = os.fsdecode(lookup.name)
        folders = (lookup.folder, *self._include_dirs) if lookup.quoted else self._include_dirs
        for folder in folders:
            yield os.path.normpath(os.path.join(folder, relative))  # noqa: PTH118
        if lookup.quoted and os.path.normpath(relative) == self._main.name:
            yield self._main.name  # `__FILE__`, which is as the file was named: from elsewhere.

    def _load(self, name: str) -> SourceFile | None:
        """The file of a normal path."""
        self.probed.add(name)
        if name == self._main.name:
            return self._main
        path = Path(name)
        why = None if self._options.refusal is None else self._options.refusal(path)
        if why is not None:
            self._refused[name] = why
            return None
        files = self._cache._files
        key = name, self.dialect is Dialect.OPENCL
        if key not in files:
            source = self._reader(path)
            if source is not None and self.dialect is Dialect.OPENCL:
                source = unwrapped(source)
            files[key] = None if source is None else divide(path, source)
        return files[key]


def _once_name(file: SourceFile) -> bytes:
    """Stands for ``#pragma once`` among the macros: no identifier begins with a space."""
    return b" once " + os.fsencode(file.name)


def _closure(words: set[bytes], macros: dict[bytes, Macro]) -> frozenset[bytes]:
    """The words with those of the macros among them, and so on."""
    found = set(words)
    frontier = found.intersection(macros)
    while frontier:
        new = set().union(*(macros[name].words for name in frontier)) - found
        found |= new
        frontier = new.intersection(macros)
    return frozenset(found)


def _initial_macros(options: PreprocessOptions) -> dict[bytes, Macro]:
    base = options.base
    if base is None:
        base = dialect_macros(options.dialect, options.cuda_arch, options.hip_arch)
    macros = base.to_dict()
    for name, value in options.defines:
        macro = parse_definition(f"{name} {value}".encode(), MacroOrigin.COMMAND_LINE)
        if macro is not None:
            macros[macro.name] = macro
    for name in options.undefines:
        macros.pop(name.encode(), None)
    return macros
