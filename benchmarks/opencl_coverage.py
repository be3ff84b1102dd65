"""Counts what is found in folders of OpenCL programs, against counts of the text.

    python benchmarks/opencl_coverage.py DIR... [--show 20] [--skip lib,include] [--no-launches]

Kernels: those of ``.cl`` files, of strings in C and C++ hosts and of Python hosts, each file read
by itself, are compared with the kernel definitions that a pattern finds in the preprocessed text
without comments, for hosts in all of its string literals taken together. Launches: the files below
each DIR are grouped into programs as the command line tool does; calls that enqueue a kernel are
counted in the host's preprocessed text, and one is found if a launch of a known kernel was executed
there. Every difference is listed with its file and line, for launches with what was said of it.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from corpus.text_counts import plain

from roofline_analysis.api.options import preprocess_options
from roofline_analysis.host import HostOptions, execute_host
from roofline_analysis.project.files import read_file
from roofline_analysis.project.programs import programs
from roofline_analysis.project.project import ProjectIndex
from roofline_core.program.units import Dialect
from roofline_core.settings import Settings
from roofline_parsers.preprocess import PreprocessedFile, PreprocessOptions, preprocess
from roofline_parsers.preprocess.predefined import opencl_macros
from roofline_parsers.reading.load import LoadCache, load_program

_HOSTS = frozenset((".c", ".cc", ".cpp", ".cxx"))
_HEADERS = frozenset((".h", ".hpp", ".hh"))
_STRING = re.compile(rb'R"(\w*)\((.*?)\)\1"|"((?:\\.|[^"\\\n])*)"', re.DOTALL)
_PYTHON_STRING = re.compile(r"\"\"\"(.*?)\"\"\"|'''(.*?)'''|\"((?:\\.|[^\"\\\n])*)\"", re.DOTALL)
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_GROUP = rb"\((?:[^(){};]|\((?:[^(){};]|\([^(){};]*\))*\))*\)"
_KERNEL = re.compile(
    rb"(?<![\w.])(?:__)?kernel\s(?:[\w\s*]|__attribute__\s*" + _GROUP + rb")*?\bvoid\b(?:[\w\s]|"
    rb"__attribute__\s*" + _GROUP + rb")*?\b(\w+)\s*" + _GROUP + rb"\s*(?:__attribute__\s*" + _GROUP
    + rb"\s*)*\{"
)  # fmt: skip
_LAUNCH = re.compile(rb"\b(?:cl)?[eE]nqueue(?:NDRangeKernel|Task)\s*\(\s*(?!cl_command_queue\b)")
_OPENCL = re.compile(rb"nqueueNDRange|nqueueTask|clCreate|[./]cl\b|\bcl::|opencl", re.IGNORECASE)
_DEFINITION = re.compile(rb"[^;{}]*\)\s*\{")


@dataclass
class Totals:
    """What was counted."""

    files: Counter[str] = field(default_factory=Counter)
    kernels: Counter[str] = field(default_factory=Counter)
    expected_kernels: Counter[str] = field(default_factory=Counter)
    kernel_misses: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    launch_sites: dict[str, str] = field(default_factory=dict)
    """What was said of each site where no launch was found; empty where one was."""
    contexts: int = 0
    sized: int = 0
    """Launches whose grid and block are plain numbers."""
    seconds: float = 0.0


def kernels_in(text: bytes) -> list[str]:
    """Names of the kernels that a text without comments defines, by pattern alone."""
    return [found[1].decode(errors="replace") for found in _KERNEL.finditer(text)]


def strings_of(text: bytes) -> bytes:
    """All string literals of a preprocessed C or C++ text, taken together."""
    without = re.sub(
        rb'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|' + _COMMENT.pattern,
        lambda found: found[0] if found[0][:1] in b'R"' else b" ",
        text,
        flags=re.DOTALL,
    )
    parts = []
    for found in _STRING.finditer(without):
        if found[2] is not None:
            parts.append(found[2])
        else:
            value = found[3].replace(b"\\n", b"\n").replace(b"\\t", b" ").replace(b'\\"', b'"')
            parts.append(value)
    return _COMMENT.sub(b" ", b"".join(parts))


def python_strings(source: bytes) -> bytes:
    """All string literals of a Python source but for those that document."""
    text = source.decode("utf-8", "replace")
    try:
        found = [n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant)]
        values = [value for value in found if isinstance(value, str)]
    except SyntaxError:
        values = ["".join(filter(None, m.groups())) for m in _PYTHON_STRING.finditer(text)]
    return _COMMENT.sub(b" ", "\n".join(values).encode())


def count_kernels(path: Path, options: PreprocessOptions, totals: Totals) -> None:
    """Compare one file's kernels."""
    source = read_file(path) or b""
    kind = path.suffix if path.suffix in (".cl", ".py") else "host"
    if kind == "host" and b"kernel" not in source:
        return
    totals.files[kind] += 1
    if kind == ".py":
        expected = kernels_in(python_strings(source))
    else:
        # Read as any C, for the front end rewrites OpenCL's own words.
        base = opencl_macros() if kind == ".cl" else None
        own = PreprocessOptions(include_dirs=options.include_dirs, base=base)
        text = preprocess(path, source, own, read_file).text
        text = _COMMENT.sub(b" ", text) if kind == ".cl" else strings_of(text)
        expected = kernels_in(text)
    program = load_program([path], read_file, options)
    found = [
        function.name
        for unit in program.units
        for function in unit.functions
        if function.is_kernel and function.dialect is Dialect.OPENCL and function.has_body
        if function.path == path
    ]
    for function in (f for unit in program.units for f in unit.functions if f.is_kernel):
        _ = function.body
    missing = Counter(expected) - Counter(found)
    totals.expected_kernels[kind] += len(expected)
    totals.kernels[kind] += len(expected) - missing.total()
    totals.kernel_misses += [f"{path}: {name}" for name in missing.elements()]
    more = Counter(found) - Counter(expected)
    totals.extra += [f"{path}: {name}" for name in more.elements()]


def sites(pre: PreprocessedFile) -> Iterator[tuple[Path, int]]:
    """Calls that enqueue a kernel, in a host file and what it includes."""
    pending, seen = [pre], set()
    while pending:
        file = pending.pop()
        if file.path in seen:
            continue
        seen.add(file.path)
        pending += file.includes
        text = plain(file.text)
        for found in _LAUNCH.finditer(text):
            start = text.rfind(b"\n", 0, found.start()) + 1
            before = text[start : found.start()].strip()
            declares = re.search(rb"(?<!return)(?<!else)[\w*>]$", before)
            if not (declares and _DEFINITION.match(text, found.end())):
                yield file.path, text.count(b"\n", 0, found.start()) + 1


def python_sites(path: Path) -> Iterator[tuple[Path, int]]:
    """Calls of a Python host that launch: of what is named like a kernel in its strings."""
    source = read_file(path) or b""
    names = set(kernels_in(python_strings(source)))
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) >= 3:
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called == "enqueue_nd_range_kernel" or called in names:
                yield path, node.lineno


def count_launches(units: list[Path], cache: LoadCache, totals: Totals) -> None:
    """Compare one program's launches."""
    hosts = [path for path in units if path.suffix in _HOSTS]
    if not any(_OPENCL.search(read_file(path) or b"") for path in units):
        return
    options = preprocess_options(units, Settings(), read_file)
    program = load_program(units, read_file, options, cache)
    result = execute_host(program, None, HostOptions())
    expected = {
        site
        for path in hosts
        for site in sites(preprocess(path, read_file(path) or b"", options, read_file))
    }
    for path in units:
        if path.suffix == ".py":
            expected |= set(python_sites(path))
    totals.contexts += len(result.launches)
    for launch in result.launches:
        dims = (*(launch.grid or (None,)), *(launch.block or (None,)))
        totals.sized += all(d is not None and d.constant is not None for d in dims)
    at = {(launch.path, launch.line) for launch in result.launches}
    said = {(p.path, p.line): p.message for p in result.problems}
    for path, line in expected:
        place = f"{path}:{line}"
        if any((path, line - back) in at for back in range(4)):
            totals.launch_sites[place] = ""
        elif totals.launch_sites.get(place) != "":
            message = next((said[path, line - b] for b in range(4) if (path, line - b) in said), "")
            totals.launch_sites[place] = message or "not reached"


def files_below(directory: Path, skip: frozenset[str]) -> list[Path]:
    """All sources below a folder but for folders of these names."""
    wanted = _HOSTS | _HEADERS | {".cl", ".py"}
    return sorted(
        path
        for path in directory.rglob("*")
        if path.suffix in wanted and path.is_file()
        if not skip & set(path.relative_to(directory).parts[:-1])
    )


def report(totals: Totals, show: int) -> None:
    """Print the figures, then the differences."""
    for kind in ("host", ".cl", ".py"):
        found, expected = totals.kernels[kind], totals.expected_kernels[kind]
        share = f"{found / expected:.1%}" if expected else "-"
        files = f"({totals.files[kind]} files)"
        print(f"kernels in {kind:5} {found:5} of {expected:5}  {share} {files}")
    found, expected = totals.kernels.total(), totals.expected_kernels.total()
    print(f"kernels          {found:5} of {expected:5}  {found / max(1, expected):.1%}")
    print(f"  beside those that the pattern finds: {len(totals.extra)}")
    missed = {place: why for place, why in totals.launch_sites.items() if why}
    sites_met = len(totals.launch_sites)
    hit = sites_met - len(missed)
    print(f"launch sites     {hit:5} of {sites_met:5}  {hit / max(1, sites_met):.1%}")
    print(f"  launches {totals.contexts}, {totals.sized} of them with plain numbers as dimensions")
    print(f"seconds {totals.seconds:.1f}")
    for title, lines in (
        ("kernels not found", totals.kernel_misses),
        ("kernels that the pattern does not find", totals.extra),
        ("launch sites not found", [f"{place}: {why}" for place, why in missed.items()]),
    ):
        print(f"\n{title}: {len(lines)}")
        for line in lines[:show]:
            print(f"  {line}")
    causes = Counter(re.sub(r"'[^']*'|: .*", "...", why) for why in missed.values())
    print("\ncauses")
    for cause, count in causes.most_common():
        print(f"  {count:4} {cause}")


def main() -> int:
    """Run on the folders of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--show", type=int, default=20, help="differences listed of each kind")
    parser.add_argument("--skip", default="", help="names of folders to leave out, with commas")
    parser.add_argument("--no-launches", action="store_true")
    given = parser.parse_args()
    totals = Totals()
    start = time.perf_counter()
    skip = frozenset(filter(None, given.skip.split(",")))
    for directory in given.directories:
        files = files_below(directory.resolve(), skip)
        for path in files:
            options = preprocess_options([path], Settings(), read_file)
            count_kernels(path, options, totals)
        if given.no_launches:
            continue
        cache = LoadCache()
        project = ProjectIndex(directory.resolve())
        for units, _ in programs([p for p in files if p.suffix not in _HEADERS], project):
            count_launches(units, cache, totals)
    totals.seconds = time.perf_counter() - start
    report(totals, given.show)
    return 0


if __name__ == "__main__":
    sys.exit(main())
