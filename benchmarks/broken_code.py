"""Breaks real sources in every way an editor sees, and counts what the front ends still find.

    python benchmarks/broken_code.py DIR [--suffix .cu] [--dialect cuda] [--files 25] [--edits 60]

Files under DIR of less than 20 kB that hold kernels are drawn with a fixed seed. Of each kind of
edit, at most ``--edits`` spread evenly over the file are made; each broken text is preprocessed and
parsed, every body is read, and every hundredth is analysed whole. Nothing may raise, and every
kernel that the edit spares by the rule of ``tests/broken/edits.py`` must be found with its name on
its line.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from roofline_analysis.api import analyze
from roofline_analysis.project.files import read_file
from roofline_core.program.units import Dialect
from roofline_core.settings import Settings
from roofline_parsers.reading.dialects import dialect_of
from roofline_parsers.reading.load import LoadCache, load_program

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.broken.edits import Edit, Layout, all_edits, layout
from tests.broken.reading import kernels_of

MAX_BYTES = 20_000
SEED = 20_240_607
WHOLE_EVERY = 100


@dataclass
class Totals:
    """What happened to the edits of each kind."""

    edits: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    """Edits after which every spared kernel was found."""
    kernels: Counter[str] = field(default_factory=Counter)
    """By how near the edit they stand: ``spared``, ``next`` or ``touched``."""
    kernels_kept: Counter[str] = field(default_factory=Counter)
    crashes: list[str] = field(default_factory=list)
    losses: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    next_losses: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    slowest: list[tuple[float, str]] = field(default_factory=list)


def sample(directory: Path, given: argparse.Namespace) -> list[Path]:
    """The files to break."""
    wanted = Dialect(given.dialect)
    found = []
    for path in sorted(directory.rglob("*")):
        if path.suffix not in given.suffix.split(",") or not path.is_file():
            continue
        source = read_file(path) or b""
        if 0 < len(source) < MAX_BYTES and dialect_of(path, source) is wanted:
            found.append(path)
    random.Random(SEED).shuffle(found)
    return found


def chosen(edits: Iterator[Edit], count: int) -> Iterator[Edit]:
    """At most ``count`` of each kind, evenly spread."""
    for _, group in groupby(sorted(edits, key=lambda e: e.kind), key=lambda e: e.kind):
        members = list(group)
        step = max(1, len(members) / count)
        yield from (members[int(index * step)] for index in range(min(count, len(members))))


def check_file(path: Path, count: int, totals: Totals) -> bool:
    """Breaks one file; False if it holds no kernel, so that nothing was done."""
    source = read_file(path) or b""
    cache = LoadCache()
    try:
        whole = kernels_of(load_program([path], read_file, cache=cache), path)
    except Exception:
        totals.crashes.append(f"{path}, not broken\n{traceback.format_exc()}")
        return False
    if not whole:
        return False
    plan = layout(source)
    starts = [0]
    for line in source.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    for number, edit in enumerate(chosen(all_edits(plan), count)):
        broken = edit.apply(source)
        where = f"{path}:{source.count(bytes([10]), 0, edit.start) + 1}: {edit.kind}"
        started = time.process_time()
        try:
            found = found_kernels(path, broken, cache)
            if number % WHOLE_EVERY == 0:
                check_whole(path, broken, where, totals)
        except Exception:
            totals.crashes.append(f"{where}\n{traceback.format_exc()}")
            continue
        totals.slowest.append((time.process_time() - started, where))
        count_kernels(plan, edit, starts, (whole, found), (where, totals))
    totals.slowest = sorted(totals.slowest, reverse=True)[:10]
    return True


def found_kernels(path: Path, text: bytes, cache: LoadCache) -> Counter[tuple[str, int]]:
    """The kernels' names and lines in ``text`` as the content of the file, each counted."""

    def overlaid(wanted: Path) -> bytes | None:
        """The broken text for the file itself; other files from disk."""
        return text if wanted == path else read_file(wanted)

    cache.units.clear()
    return kernels_of(load_program([path], overlaid, cache=cache), path)


def check_whole(path: Path, text: bytes, where: str, totals: Totals) -> None:
    """Analyse the text to the end, and note internal errors that the report tells."""
    report = analyze(text, path, Settings())
    totals.crashes += [f"{where}: {p.message}" for p in report.problems if "internal" in p.message]


def count_kernels(
    plan: Layout,
    edit: Edit,
    starts: list[int],
    readings: tuple[Counter[tuple[str, int]], Counter[tuple[str, int]]],
    result: tuple[str, Totals],
) -> None:
    """Count which kernels of the whole file are still found after an edit.

    ``starts`` has the offset of each line, ``readings`` the kernels before and after, ``result``
    what to call the edit and where to count. A prefix cuts kernels off: those are not lost.
    """
    (whole, found), (where, totals) = readings, result
    shift = edit.text.count(b"\n") - plan.source.count(b"\n", edit.start, edit.end)
    lost: list[str] = []
    following: list[str] = []
    for name, line in whole.elements():
        offset = starts[line - 1]
        near = plan.nearness(edit, offset)
        moved = line + shift if offset >= edit.end else line
        there = found[name, moved] > 0
        if near == "spared" or edit.kind != "prefix":
            totals.kernels[near] += 1
            totals.kernels_kept[near] += there
        if not there and near != "touched":
            (lost if near == "spared" else following).append(f"{name} of line {line}")
    totals.edits[edit.kind] += 1
    totals.kept[edit.kind] += not lost
    if lost:
        totals.losses[edit.kind].append(f"{where} loses {', '.join(lost)}")
    if following and edit.kind != "prefix":
        totals.next_losses[edit.kind].append(f"{where} loses {', '.join(following)}")


def show(totals: Totals, files: int, shown: int) -> None:
    """Print the totals, and at most ``shown`` losses and crashes of each kind."""
    edits, kept = totals.edits.total(), totals.kept.total()
    print(
        f"files {files}, edits {edits}, exceptions and internal errors {len(totals.crashes)}; "
        f"all spared kernels stay after {kept} edits ({100 * kept / max(1, edits):.3f}%)"
    )
    for near, what in (
        ("spared", "spared"),
        ("next", "directly after what is edited"),
        ("touched", "edited themselves"),
    ):
        count = totals.kernels[near]
        there = totals.kernels_kept[near]
        print(f"  kernels {what}: {there} of {count} stay ({100 * there / max(1, count):.3f}%)")
    for kind, count in sorted(totals.edits.items()):
        stay = totals.kept[kind]
        print(f"  {kind:22} {stay:6} of {count:6} {100 * stay / count:7.2f}%")
    print(
        "slowest:", ", ".join(f"{seconds:.2f} s {where}" for seconds, where in totals.slowest[:5])
    )
    for crash in totals.crashes[:shown]:
        print("crash:", crash)
    for word, losses in (("lost:", totals.losses), ("next lost:", totals.next_losses)):
        for _, places in sorted(losses.items()):
            for place in places[:shown]:
                print(word, place)


def main() -> int:
    """Break a sample of files and print what is lost; 1 if anything crashed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--suffix", default=".cu", help="suffixes of the files, with commas")
    parser.add_argument("--dialect", default="cuda", choices=[d.value for d in Dialect])
    parser.add_argument("--files", type=int, default=25)
    parser.add_argument("--edits", type=int, default=60, help="edits of each kind in a file")
    parser.add_argument("--shown", type=int, default=8, help="losses of each kind to list")
    given = parser.parse_args()
    totals = Totals()
    done = 0
    for path in sample(given.directory, given):
        if done == given.files:
            break
        done += check_file(path, given.edits, totals)
    show(totals, done, given.shown)
    return 1 if totals.crashes else 0


if __name__ == "__main__":
    sys.exit(main())
