"""Reading programs: the files that are linked together, as one ``Program``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from roofline_lsp.kernel.program import Problem, Program, Severity, TranslationUnit
from roofline_lsp.parsers.cuda import ParseCache, parse_unit
from roofline_lsp.parsers.dialects import dialects_of
from roofline_lsp.parsers.preprocess import (
    PreprocessCache,
    PreprocessOptions,
    Reader,
    preprocess,
)

_KERNEL_SIGN = re.compile(
    rb"__global__|<<<|<<\s+<|cu(?:da)?Launch(?:Cooperative)?Kernel|hip(?:Module)?Launch\w*Kernel"
)


class LoadCache:
    """Shares preprocessed and parsed headers between the programs of one run.

    With ``keep_trees``, for an editor, a changed file is parsed from its last tree.
    """

    def __init__(self, *, keep_trees: bool = False) -> None:
        self.units: dict[tuple[Path, PreprocessOptions, bytes], TranslationUnit] = {}
        """Whole files as read before, by path, options and contents."""
        self.keep_trees = keep_trees
        self.preprocess = PreprocessCache()
        self.parse = ParseCache(keep_trees=keep_trees)

    def invalidate(self, path: Path) -> None:
        """Says that a file changed, appeared or went away."""
        self.preprocess.invalidate(path)
        self.parse.forget_units()
        self.units.clear()


def has_kernels(source: bytes) -> bool:
    """Whether a file may define or launch a kernel; cheap, and never wrongly False.

    Kernels that only a macro from elsewhere spells out are not seen.
    """
    return _KERNEL_SIGN.search(source) is not None


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
    sources = {path: reader(path) for path in paths}
    dialects = dialects_of({path: text for path, text in sources.items() if text is not None})
    units = []
    for path, source in sources.items():
        if source is None:
            problem = Problem(Severity.ERROR, f"cannot read '{path}'", path)
            units.append(TranslationUnit(path, problems=(problem,)))
            continue
        own = replace(options, dialect=dialects[path])
        units.append(_unit(path, source, reader, own, cache))
    return Program(tuple(units))


def _unit(
    path: Path, source: bytes, reader: Reader, options: PreprocessOptions, cache: LoadCache
) -> TranslationUnit:
    """A file as a unit. Programs of one run that share the file share the unit."""
    key = (path, options, hashlib.blake2b(source, digest_size=16).digest())
    found = None if cache.keep_trees else cache.units.get(key)
    if found is None:
        pre = preprocess(path, source, options, reader, cache.preprocess)
        found = parse_unit(pre, cache.parse)
        if not cache.keep_trees:
            cache.units[key] = found
    return found
