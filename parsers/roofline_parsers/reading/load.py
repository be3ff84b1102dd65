"""Reading programs: the files that are linked together, as one ``Program``."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from roofline_core.program.asked import asked, asking
from roofline_core.program.crash import internal_error
from roofline_core.program.records import record
from roofline_core.program.stages import count
from roofline_core.program.units import Dialect, Problem, Program, Severity, TranslationUnit
from roofline_parsers.cuda import ParseCache, parse_unit
from roofline_parsers.opencl.embedded import embedded_units, may_embed
from roofline_parsers.opencl.joined_files import read_before
from roofline_parsers.opencl.mentions import build_defines
from roofline_parsers.preprocess import PreprocessCache, PreprocessOptions, Reader, preprocess
from roofline_parsers.preprocess.kernels_as_strings import run_time_source, unwrapped
from roofline_parsers.reading.dialects import dialects_of
from roofline_parsers.reading.edits import FileRead, read_edit
from roofline_parsers.reading.extensions import EXTENSIONS


@record(frozen=True, slots=True, eq=False)
class _ReadUnits:
    """What a file was read as, of what, and the paths that it asked for."""

    options: PreprocessOptions
    digest: bytes
    """Of the file's contents."""
    size_bytes: int
    units: tuple[TranslationUnit, ...]
    asked: frozenset[str]


class LoadCache:
    """Shares preprocessed and parsed headers between the programs of one run.

    With ``keep_trees``, for an editor, a changed file is parsed from its last tree.
    """

    def __init__(self, *, keep_trees: bool = False) -> None:
        self.units: dict[Path, _ReadUnits] = {}
        """Whole files as they were read last, each for its options and contents."""
        self.keep_trees = keep_trees
        self.last: dict[tuple[Path, PreprocessOptions], FileRead] = {}
        """With ``keep_trees``: each file as it was last read in full, or after a clean edit."""
        self.preprocess = PreprocessCache()
        self.parse = ParseCache(keep_trees=keep_trees)
        self._asked: set[str] = set()
        """The paths that the files of the newest program rest on."""
        self._asked_before: set[str] = set()
        """Those of files that an earlier program had read."""

    def begin(self) -> None:
        """Says that a program is read next."""
        self._asked, self._asked_before = set(), set()
        self.preprocess.begin()

    def known(
        self, path: Path, options: PreprocessOptions, digest: bytes
    ) -> tuple[TranslationUnit, ...] | None:
        """A file as it was read last, with the kernels in its strings; None if that is not this.

        Then what it was read as is dropped, so that memory holds no file twice.
        """
        found = self.units.get(path)
        if found is None:
            return None
        if (found.digest, found.options) != (digest, options):
            del self.units[path]
            return None
        asked(found.asked)
        self._asked |= found.asked
        self._asked_before |= found.asked
        return found.units

    def put(self, path: Path, found: _ReadUnits) -> None:
        """Keep what a file was read as."""
        self.units[path] = found
        self._asked |= found.asked

    def keeps(self, path: Path, size_bytes: int) -> bool:
        """Whether a file is kept that had this size when it was read last, with any options."""
        found = self.units.get(path)
        return found is not None and found.size_bytes == size_bytes

    def keep_newest(self) -> None:
        """Forgets all files and headers but those that the newest program used."""
        asked_for = self._asked
        self.units = {
            path: each for path, each in self.units.items() if os.path.normpath(path) in asked_for
        }
        self.parse.keep_only(self.preprocess.keep_newest(asked_for, self._asked_before))

    def invalidate(self, path: Path) -> None:
        """Says that a file changed, appeared or went away."""
        self.preprocess.invalidate(path)
        self.parse.forget_units()
        self.units.clear()
        self.last.clear()

    def hold_to(self, sources: Mapping[Path, bytes | None]) -> None:
        """Forgets what was made from other texts of files than those that they have now.

        A file of a program may be a header of another one, or of another file of the same program.
        """
        for path, source in sources.items():
            if self.preprocess.has_another(path, source):
                for header in self.preprocess.invalidate(path):
                    self.parse.drop(header)
                names = {str(path), os.path.normpath(path)}
                self.units = _not_resting_on(names, self.units)
                self.last = _not_resting_on(names, self.last)


class _RestsOnFiles(Protocol):
    @property
    def asked(self) -> frozenset[str]:
        """The paths that it rests on, as text."""
        ...


_Key = TypeVar("_Key")
_Read = TypeVar("_Read", bound=_RestsOnFiles)


def _not_resting_on(names: set[str], kept: dict[_Key, _Read]) -> dict[_Key, _Read]:
    return {key: each for key, each in kept.items() if names.isdisjoint(each.asked)}


def load_program(
    paths: Iterable[Path],
    reader: Reader,
    options: PreprocessOptions | None = None,
    cache: LoadCache | None = None,
) -> Program:
    """Reads files as the translation units of one program.

    ``reader`` does all input: it gives a file's bytes, or None. A file that it does not have
    becomes an empty unit with a problem.
    """
    options = PreprocessOptions() if options is None else options
    cache = LoadCache() if cache is None else cache
    cache.begin()
    sources = {path: reader(path) for path in paths}
    cache.hold_to(sources)
    known = {path: text for path, text in sources.items() if text is not None}
    dialects = dialects_of(known, reader, (*options.include_dirs, *options.found_dirs))
    kernel_texts = {p: text for p, text in known.items() if dialects[p] is Dialect.OPENCL}
    joined = read_before(kernel_texts)
    embedding = {path for path, text in known.items() if may_embed(text)}
    host_defines = build_defines(sources) if kernel_texts or embedding else ()
    units = []
    for path, text in sources.items():
        source = text
        if source is None:
            problem = Problem(Severity.ERROR, f"cannot read '{path}'", path)
            units.append(TranslationUnit(path, problems=(problem,)))
            continue
        own = options.for_file(path, dialects[path])
        if own.dialect is Dialect.OPENCL:
            own = replace(
                own,
                defines=(*own.defines, *host_defines),
                forced_includes=(*own.forced_includes, *joined[path]),
            )
            source = unwrapped(source)
        else:
            source = run_time_source(source)
            if path in embedding:
                own = replace(own, kernel_defines=host_defines)
        try:
            units.extend(_units(path, source, reader, own, cache))
        except Exception as error:
            problem = internal_error(error, "in this file, which is not read", path, None)
            units.append(TranslationUnit(path, problems=(problem,)))
    return Program(tuple(units))


def _units(
    path: Path, source: bytes, reader: Reader, options: PreprocessOptions, cache: LoadCache
) -> tuple[TranslationUnit, ...]:
    """A file as a unit, and the kernels in its strings as further ones.

    Programs of one run that share the file share the units.
    """
    if cache.keep_trees:
        return _edited(path, source, reader, options, cache)
    digest = hashlib.blake2b(source, digest_size=16).digest()
    units = cache.known(path, options, digest)
    if units is not None:
        count("files known before")
        return units
    with asking() as paths:
        units = _read(path, source, reader, options, cache)
    rests_on = frozenset((*paths, os.path.normpath(path)))
    cache.put(path, _ReadUnits(options, digest, len(source), units, rests_on))
    return units


def _edited(
    path: Path, source: bytes, reader: Reader, options: PreprocessOptions, cache: LoadCache
) -> tuple[TranslationUnit, ...]:
    """A file in an editor: read from its last text where only a function's body has changed."""
    last = cache.last.get((path, options))
    if last is not None:
        made = last if last.source == source else read_edit(last, source)
        if made is not None:
            if made.clean:
                cache.last[path, options] = made
            return (made.unit,)
    if path.suffix == ".py":
        return _read(path, source, reader, options, cache)
    with asking() as paths:
        pre = preprocess(path, source, options, reader, cache.preprocess)
        units = parse_unit(pre, cache.parse, EXTENSIONS), *embedded_units(pre, options, reader)
    cache.last.pop((path, options), None)
    if len(units) == 1:
        broken = cache.parse.is_broken(pre.path)
        others = frozenset(paths) - {str(path)}
        cache.last[path, options] = FileRead(source, pre, units[0], others, broken=broken)
    return units


def _read(
    path: Path, source: bytes, reader: Reader, options: PreprocessOptions, cache: LoadCache
) -> tuple[TranslationUnit, ...]:
    if path.suffix == ".py":
        # Few runs have a file in Python.
        from roofline_parsers.opencl.pyopencl.host import is_host, python_units  # noqa: PLC0415

        return python_units(path, source, options, reader) if is_host(source) else ()
    pre = preprocess(path, source, options, reader, cache.preprocess)
    return parse_unit(pre, cache.parse, EXTENSIONS), *embedded_units(pre, options, reader)
