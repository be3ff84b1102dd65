"""Sources of every dialect, broken in the ways that an editor breaks them while code is typed.

Whatever the edit, nothing raises, and the kernels that it spares are found with their names on
their lines. ``edits.py`` has the rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_core.settings import Settings
from roofline_parsers.reading.load import LoadCache, load_program

from .edits import (
    Edit,
    Layout,
    changed_lines,
    deleted_characters,
    half_typed,
    layout,
    opened,
    prefixes,
)
from .reading import kernels_of

FOLDER = Path(__file__).parent / "sources"
KERNELS = {
    "reduce.cu": {"row_sums", "fill_float", "fill_int", "scale", "histogram"},
    "stencil.hip": {"saxpy", "stencil", "transform"},
    "blur.cl": {"blur", "total", "product", "average"},
    "jacobi.cpp": {"region"},
}


@dataclass
class Broken:
    """One source and what is found in it as it stands."""

    path: Path
    plan: Layout
    whole: Counter[tuple[str, int]]
    cache: LoadCache
    starts: list[int]
    """Where each line starts."""

    def read(self, text: bytes) -> Counter[tuple[str, int]]:
        """The kernels of another text in the file's place."""
        self.cache.units.clear()
        program = load_program(
            [self.path], lambda path: text if path == self.path else None, cache=self.cache
        )
        return kernels_of(program, self.path)

    def lost(self, edit: Edit) -> list[str]:
        """The spared kernels that are not found after an edit, in words."""
        source = self.plan.source
        found = self.read(edit.apply(source))
        shift = edit.text.count(b"\n") - source.count(b"\n", edit.start, edit.end)
        at = source.count(b"\n", 0, edit.start) + 1
        lost = []
        for name, line in self.whole:
            offset = self.starts[line - 1]
            moved = line + shift if offset >= edit.end else line
            if self.plan.nearness(edit, offset) == "spared" and not found[name, moved]:
                lost.append(f"{edit.kind} on line {at}: {name} of line {line}")
        return lost

    def spared(self, edits: Iterator[Edit]) -> int:
        """How many times an edit spares a kernel."""
        offsets = [self.starts[line - 1] for _, line in self.whole]
        return sum(self.plan.nearness(e, offset) == "spared" for e in edits for offset in offsets)


@pytest.fixture(scope="module", params=sorted(KERNELS))
def broken(request: pytest.FixtureRequest) -> Broken:
    path = FOLDER / request.param
    source = path.read_bytes()
    starts = [0, *accumulate(len(line) + 1 for line in source.split(b"\n"))]
    result = Broken(path, layout(source), Counter(), LoadCache(), starts)
    result.whole = result.read(source)
    return result


def test_the_whole_source(broken: Broken) -> None:
    assert {name for name, _ in broken.whole} >= KERNELS[broken.path.name]
    program = load_program([broken.path], lambda path: broken.plan.source)
    assert [p.message for unit in program.units for p in unit.problems] == []


def deleted_braces_and_lines(plan: Layout) -> Iterator[Edit]:
    gone = ("deleted {", "deleted }", "deleted line")
    return (e for e in (*deleted_characters(plan), *changed_lines(plan)) if e.kind in gone)


@pytest.mark.parametrize(
    ("make", "step"),
    [
        (prefixes, 1),
        (deleted_braces_and_lines, 1),
        (deleted_characters, 4),
        (changed_lines, 5),
        (half_typed, 4),
        (opened, 43),
    ],
)
def test_spared_kernels_stay(
    broken: Broken, make: Callable[[Layout], Iterator[Edit]], step: int
) -> None:
    lost = [line for edit in islice(make(broken.plan), 0, None, step) for line in broken.lost(edit)]
    assert lost == []


@pytest.mark.parametrize("make", [prefixes, deleted_characters, changed_lines, opened])
def test_the_rule_spares_kernels(broken: Broken, make: Callable[[Layout], Iterator[Edit]]) -> None:
    assert broken.spared(make(broken.plan)) > len(broken.plan.ends)


def test_whole_analyses_of_broken_code(broken: Broken) -> None:
    edits = [
        *islice(prefixes(broken.plan), 5, None, 97),
        *islice(deleted_characters(broken.plan), 3, None, 41),
        *islice(changed_lines(broken.plan), 1, None, 47),
    ]
    for edit in edits:
        report = analyze(
            edit.apply(broken.plan.source), broken.path, Settings(), reader=lambda path: None
        )
        assert [p for p in report.problems if "internal error" in p.message] == []
