"""Counts what the CUDA front end finds in a folder of programs, against counts of the text.

    python benchmarks/corpus_coverage.py DIR

Each folder under DIR that holds ``.cu`` files is one program; all of them are its units. Every
function body is read. Kernels and launches found are compared with occurrences of ``__global__``
and ``<<<`` in the preprocessed text without comments and strings, and the differences are listed.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path

from roofline_lsp.kernel.expressions import Launch, Unknown
from roofline_lsp.kernel.program import Function, TranslationUnit
from roofline_lsp.kernel.statements import Opaque
from roofline_lsp.parsers.cuda import ParseCache, parse_unit
from roofline_lsp.parsers.preprocess import (
    PreprocessCache,
    PreprocessedFile,
    PreprocessOptions,
    preprocess,
)

_HIDDEN = re.compile(
    rb"""R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*.*?\*/"""
    rb"""|^[ \t]*\#[^\n]*""",
    re.DOTALL | re.MULTILINE,
)
_KERNEL = re.compile(rb"\b__global__\b[^;{]*\{")
_LAUNCH = re.compile(rb"<<<|<<[ ]<(?!<)")


@dataclass
class Totals:
    """What was counted over all programs."""

    programs: int = 0
    units: int = 0
    functions: int = 0
    text_bytes: int = 0
    kernels: set[tuple[str, int]] = field(default_factory=set)
    expected_kernels: set[tuple[str, int]] = field(default_factory=set)
    launches: int = 0
    expected_launches: int = 0
    problems: int = 0
    parse_seconds: float = 0.0
    body_seconds: float = 0.0
    preprocess_seconds: float = 0.0
    unknown: Counter[str] = field(default_factory=Counter)
    launch_misses: list[str] = field(default_factory=list)
    clean_units: int = 0


def plain(text: bytes) -> bytes:
    """The text with comments and directives blanked, and strings made words."""

    def hide(match: re.Match[bytes]) -> bytes:
        hidden = match.group()
        return re.sub(rb"[^\n]", b"s" if hidden[:1] in b"R\"'" else b" ", hidden)

    return _HIDDEN.sub(hide, text)


def kernel_lines(text: bytes) -> Iterator[int]:
    """The lines on which a kernel with a body starts."""
    for match in _KERNEL.finditer(text):
        yield text.count(b"\n", 0, match.start()) + 1


def nodes(root: object) -> Iterator[object]:
    """Every node of the kernel model below ``root``."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(node)
        elif is_dataclass(node):
            yield node
            stack.extend(getattr(node, item.name) for item in fields(node))


def functions_of(unit: TranslationUnit) -> Iterator[Function]:
    yield from unit.functions
    for struct in unit.structs:
        yield from struct.methods


def files_of(pre: PreprocessedFile, seen: set[int]) -> Iterator[PreprocessedFile]:
    if id(pre) in seen:
        return
    seen.add(id(pre))
    yield pre
    for included in pre.includes:
        yield from files_of(included, seen)


def check_unit(unit: TranslationUnit, pre: PreprocessedFile, totals: Totals) -> None:
    text = plain(pre.text)
    totals.units += 1
    totals.text_bytes += len(pre.text)
    totals.problems += len(unit.problems)
    path = str(pre.path)
    totals.expected_kernels.update((path, line) for line in kernel_lines(text))
    started = time.process_time()
    bodies = [(function, function.body) for function in functions_of(unit)]
    totals.body_seconds += time.process_time() - started
    launches: Counter[int] = Counter()
    unknown = 0
    for function, body in bodies:
        totals.functions += 1
        if function.is_kernel and body is not None:
            header = range(function.span.line, function.name_span.line + 1)
            totals.kernels.update((path, line) for line in header)
        for node in nodes(body):
            if isinstance(node, Launch):
                launches[node.line] += 1
            elif isinstance(node, Unknown | Opaque):
                totals.unknown[node.text[:24]] += 1
                unknown += 1
    for variable in unit.globals:
        launches.update(node.line for node in nodes(variable) if isinstance(node, Launch))
    expected = Counter(text.count(b"\n", 0, m.start()) + 1 for m in _LAUNCH.finditer(text))
    found = sum(launches.values())
    totals.launches += min(found, sum(expected.values()))
    totals.expected_launches += sum(expected.values())
    totals.clean_units += unknown == 0
    if found < sum(expected.values()):
        lines = sorted((expected - launches).elements())
        totals.launch_misses.append(f"{path}: {found} of {sum(expected.values())}, near {lines}")


def check_program(folder: Path, totals: Totals) -> None:
    def reader(path: Path) -> bytes | None:
        try:
            return path.read_bytes()
        except OSError:
            return None

    options = PreprocessOptions(
        include_dirs=(folder, folder / "include", folder.parent / "include")
    )
    headers, parsed = PreprocessCache(), ParseCache()
    seen: set[int] = set()
    checked: set[int] = set()
    totals.programs += 1
    for path in sorted(folder.rglob("*.cu")):
        started = time.process_time()
        pre = preprocess(path, path.read_bytes(), options, reader, headers)
        middle = time.process_time()
        unit = parse_unit(pre, parsed)
        totals.parse_seconds += time.process_time() - middle
        totals.preprocess_seconds += middle - started
        units = {id(file): file for file in files_of(pre, seen)}
        pairs = [(pre, unit)]
        while pairs:
            file, lowered = pairs.pop()
            if id(file) in checked:
                continue
            checked.add(id(file))
            if id(file) in units:
                check_unit(lowered, file, totals)
            pairs += zip(file.includes, lowered.includes, strict=True)


def percent(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.2f}%)" if whole else "none"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--limit", type=int, default=None, help="programs to read")
    parser.add_argument("--misses", type=int, default=40, help="misses to list")
    given = parser.parse_args()
    folders = sorted(folder for folder in given.directory.iterdir() if any(folder.rglob("*.cu")))[
        : given.limit
    ]
    totals = Totals()
    for folder in folders:
        check_program(folder, totals)
    missed = sorted(totals.expected_kernels - totals.kernels)
    print(f"programs {totals.programs}, units {totals.units}, functions {totals.functions}")
    found = totals.expected_kernels & totals.kernels
    print("kernels", percent(len(found), len(totals.expected_kernels)))
    print("launches", percent(totals.launches, totals.expected_launches))
    print(f"problems {totals.problems}, units read without gaps {totals.clean_units}")
    megabytes = totals.text_bytes / 1e6
    print(
        f"{megabytes:.2f} MB: preprocess {totals.preprocess_seconds:.2f} s, parse and scan "
        f"{totals.parse_seconds:.2f} s, bodies {totals.body_seconds:.2f} s; lowered at "
        f"{megabytes / (totals.parse_seconds + totals.body_seconds or 1):.2f} MB/s"
    )
    for path, line in missed[: given.misses]:
        print(f"missed kernel {path}:{line}")
    for line_text in totals.launch_misses[: given.misses]:
        print(f"missed launch {line_text}")
    print("most frequent unread text:")
    for text, count in totals.unknown.most_common(given.misses):
        print(f"  {count:5} {text!r}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
