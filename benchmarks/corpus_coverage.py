"""Counts what the front ends find in a folder of programs, against counts of the text.

    python benchmarks/corpus_coverage.py DIR [--dialect cuda|hip|openmp] [--names -hip]

Each folder under DIR that holds sources is one program; every file is read in the dialect that the
program's files show. Every function body is read. Kernels, launches and offloaded regions found are
compared with counts made without a parser: of ``__global__`` with a body, of ``<<<`` and calls that
launch, in the preprocessed text without comments and strings; of ``target`` directives among the
pragmas that the preprocessor met and in headers that functions include; and of ``target``
directives in the sources as written, which has those in inactive regions too. Every difference is
listed with file and line.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path

from corpus.folders import executables, program_folders
from corpus.text_counts import (
    kernel_lines,
    launch_lines,
    makes_kernel,
    plain,
    source_target_lines,
)

from roofline_analysis.api.options import preprocess_options
from roofline_analysis.project.files import read_file
from roofline_core.program.expressions import Launch, Unknown
from roofline_core.program.statements import Offload, Opaque
from roofline_core.program.units import Dialect, Function, TranslationUnit
from roofline_core.settings import Settings
from roofline_parsers.preprocess import PreprocessedFile, preprocess
from roofline_parsers.reading.dialects import dialects_of
from roofline_parsers.reading.load import LoadCache, load_program

Place = tuple[str, int]


@dataclass
class Totals:
    """What was counted over all programs."""

    programs: int = 0
    units: int = 0
    dialects: Counter[str] = field(default_factory=Counter)
    functions: int = 0
    text_bytes: int = 0
    kernels: set[Place] = field(default_factory=set)
    expected_kernels: set[Place] = field(default_factory=set)
    launches: int = 0
    expected_launches: int = 0
    regions: set[Place] = field(default_factory=set)
    expected_regions: set[Place] = field(default_factory=set)
    source_regions: set[Place] = field(default_factory=set)
    problems: int = 0
    seconds: float = 0.0
    unknown: Counter[str] = field(default_factory=Counter)
    launch_misses: list[str] = field(default_factory=list)
    clean_units: int = 0
    checked: set[tuple[Path, bytes]] = field(default_factory=set)
    """Files by what the preprocessor made of them: each is counted once."""


def nodes(root: object) -> Iterator[object]:
    """Every node of the kernel model below ``root``, each once."""
    stack = [root]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(node)
        elif is_dataclass(node) and id(node) not in seen:
            seen.add(id(node))
            yield node
            stack.extend(getattr(node, item.name) for item in fields(node))
            if isinstance(node, Offload):
                stack.append(node.kernel.body)


def functions_of(unit: TranslationUnit) -> Iterator[Function]:
    """The functions of a unit, those of its classes too."""
    yield from unit.functions
    for struct in unit.structs:
        yield from struct.methods


def included_in_functions(pre: PreprocessedFile) -> Iterator[int]:
    """The lines that include a header with a ``target`` directive in the middle of a function."""
    for number, line in enumerate(pre.source.split(b"\n"), 1):
        named = re.match(rb'\s*#\s*include\s*"([^"]+)"', line)
        if named is None or number in pre.include_lines:
            continue
        header = read_file(pre.path.parent / named[1].decode("utf-8", "replace"))
        if header is not None and any(source_target_lines(header)):
            yield number


def check_unit(unit: TranslationUnit, pre: PreprocessedFile, totals: Totals) -> None:
    """Count a unit's kernels, regions and launches, and those that its text shows."""
    text = plain(pre.text)
    path = str(pre.path)
    totals.units += 1
    totals.dialects[pre.dialect.value] += 1
    totals.text_bytes += len(pre.text)
    totals.problems += len(unit.problems)
    totals.expected_kernels.update((path, line) for line in kernel_lines(text))
    totals.expected_regions.update(
        (path, line)
        for line, pragmas in pre.pragmas.items()
        if any(makes_kernel(pragma) for pragma in pragmas)
    )
    totals.source_regions.update((path, line) for line in source_target_lines(pre.source))
    totals.expected_regions.update((path, line) for line in included_in_functions(pre))
    launches: Counter[int] = Counter()
    unknown = 0
    for function in functions_of(unit):
        body = function.body
        totals.functions += 1
        if function.is_kernel and body is not None:
            header = range(function.span.line, function.name_span.line + 1)
            totals.kernels.update((path, line) for line in header)
        for node in nodes((body, function.initializers)):
            if isinstance(node, Launch):
                launches[node.line] += 1
            elif isinstance(node, Offload):
                totals.regions.add((path, node.directive.line))
            elif isinstance(node, Unknown | Opaque):
                totals.unknown[node.text[:24]] += 1
                unknown += 1
    for variable in unit.globals:
        launches.update(node.line for node in nodes(variable) if isinstance(node, Launch))
    expected = Counter(launch_lines(text))
    found = sum(launches.values())
    totals.launches += min(found, expected.total())
    totals.expected_launches += expected.total()
    totals.clean_units += unknown == 0
    if found < expected.total():
        lines = sorted((expected - launches).elements())
        totals.launch_misses.append(f"{path}: {found} of {expected.total()}, near {lines}")


def check_program(folder: Path, wanted: Dialect | None, totals: Totals) -> None:
    """Read each executable of a folder and count it, unless it has no file of the dialect."""
    read = False
    for paths in executables(folder):
        sources = {path: read_file(path) or b"" for path in paths}
        dialects = dialects_of(sources)
        if wanted is not None and wanted not in dialects.values():
            continue
        read = True
        options = preprocess_options(paths, Settings(), read_file)
        cache = LoadCache()
        started = time.process_time()
        program = load_program(paths, read_file, options, cache)
        totals.seconds += time.process_time() - started
        units = {unit.path: unit for unit in program.units}
        for path in paths:
            own = replace(options, dialect=dialects[path])
            pre = preprocess(path, sources[path], own, read_file, cache.preprocess)
            check_files(units[path], pre, totals)
    totals.programs += read


def check_files(unit: TranslationUnit, pre: PreprocessedFile, totals: Totals) -> None:
    """Checks a unit and all it includes, each text of a file once."""
    pairs = [(pre, unit)]
    while pairs:
        file, lowered = pairs.pop()
        key = (file.path.resolve(), hashlib.blake2b(file.text, digest_size=16).digest())
        if key in totals.checked:
            continue
        totals.checked.add(key)
        started = time.process_time()
        check_unit(lowered, file, totals)
        totals.seconds += time.process_time() - started
        pairs += zip(file.includes, lowered.includes, strict=True)


def percent(part: int, whole: int) -> str:
    """``9 of 10 (90.00%)``; ``none`` of nothing."""
    return f"{part} of {whole} ({100 * part / whole:.2f}%)" if whole else "none"


def show(totals: Totals, misses: int) -> bool:
    """Prints the totals and what was missed; whether nothing was."""
    shown = ", ".join(f"{count} {name}" for name, count in totals.dialects.most_common())
    print(f"programs {totals.programs}, files {totals.units} ({shown})")
    missed = totals.expected_kernels - totals.kernels
    found = totals.expected_kernels & totals.kernels
    print("kernels", percent(len(found), len(totals.expected_kernels)))
    print("launches", percent(totals.launches, totals.expected_launches))
    regions = totals.expected_regions & totals.regions
    print("offloaded regions", percent(len(regions), len(totals.expected_regions)))
    inactive = totals.source_regions - totals.expected_regions - totals.regions
    print(
        f"target directives in the sources {len(totals.source_regions)}, "
        f"of which {len(inactive)} stand where nothing is compiled"
    )
    print(
        f"functions {totals.functions}, problems {totals.problems}, "
        f"files read without gaps {totals.clean_units}, {totals.text_bytes / 1e6:.2f} MB in "
        f"{totals.seconds:.1f} s"
    )
    for what, places in (
        ("missed kernel", missed),
        ("missed region", totals.expected_regions - totals.regions),
        ("inactive region", inactive),
        ("region without a directive", totals.regions - totals.expected_regions),
    ):
        for path, line in sorted(places)[:misses]:
            print(f"{what} {path}:{line}")
    for line_text in totals.launch_misses[:misses]:
        print(f"missed launch {line_text}")
    print("most frequent unread text:")
    for text, count in totals.unknown.most_common(misses):
        print(f"  {count:5} {text!r}")
    return not missed and not totals.launch_misses and totals.expected_regions <= totals.regions


def main() -> int:
    """Read all programs of a folder and print the totals; 1 if anything was missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("directory", type=Path)
    names = [dialect.value for dialect in Dialect if dialect is not Dialect.OPENCL]
    parser.add_argument("--dialect", choices=names, help="programs with files of this one only")
    parser.add_argument("--names", default="", help="programs whose folder's name ends so")
    parser.add_argument("--limit", type=int, default=None, help="programs to read")
    parser.add_argument("--misses", type=int, default=40, help="misses of each kind to list")
    given = parser.parse_args()
    wanted = Dialect(given.dialect) if given.dialect else None
    totals = Totals()
    for folder in program_folders(given.directory, given.names)[: given.limit]:
        check_program(folder, wanted, totals)
    return 0 if show(totals, given.misses) else 1


if __name__ == "__main__":
    sys.exit(main())
