"""What lines of each kind add to the deviation of a launch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_profiling.differential.differing_lines import (
    DeviationPart as Part,
)
from roofline_profiling.differential.differing_lines import (
    DifferingLine,
    LineKind,
    PredictedLine,
    line_differences,
    main_cause,
    parts,
    told,
    told_lines,
)
from roofline_profiling.measurement import LineOperations

SOURCE = """\
for (int i = 0; i < n; i++) {
    y[i] = x[i + 1];
    q = a / b;  // x[i]
    r = sqrtf(a);
    if (a < b) c = a;
    int t = threadIdx.x;
    c = a + b;
    p->m = *q;
    /* y[i] / 2 */ d = a;
    atomicAdd(p, 1);
""".splitlines()
PATH = Path("p/k.cu")


def lines_of(path: Path) -> Sequence[str] | None:
    return SOURCE if path == PATH else None


def work(line: int, int_ops: float, moves: float = 0.0, path: str = "p/k.cu") -> LineOperations:
    return LineOperations(path, line, 0.0, 0.0, int_ops, moves)


def predicted(line: int, int_ops: float) -> PredictedLine:
    return PredictedLine(PATH, line, {"sp_flops": 0.0, "dp_flops": 0.0, "int_ops": int_ops})


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (1, LineKind.LOOP),
        (2, LineKind.ACCESS),
        (3, LineKind.DIVISION),
        (4, LineKind.FUNCTION),
        (5, LineKind.CONDITION),
        (6, LineKind.THREAD),
        (7, LineKind.OTHER),
        (8, LineKind.ACCESS),
        (9, LineKind.OTHER),
        (10, LineKind.ACCESS),
        (11, LineKind.OTHER),
        (0, LineKind.OTHER),
    ],
)
def test_kinds(line: int, kind: LineKind) -> None:
    found = parts("int_ops", 10.0, [work(line, 10.0)], [predicted(line, 15.0)], lines_of)
    assert found == (Part(kind, 0.5),)


def test_moves_are_a_part_of_their_own() -> None:
    found = parts(
        "int_ops", 100.0, [work(1, 60.0, 20.0), work(2, 40.0)], [predicted(2, 50.0)], lines_of
    )
    assert found == (
        Part(LineKind.LOOP, -0.4),
        Part(LineKind.MOVES, -0.2),
        Part(LineKind.ACCESS, 0.1),
    )
    assert told(found) == (
        "heads of loops -40.0%, register moves -20.0%, accesses and their addresses +10.0%"
    )
    assert main_cause(found) == "heads of loops"


def test_library_code_and_code_of_no_line() -> None:
    found = parts("int_ops", 100.0, [work(7, 70.0, path="/usr/cub.cuh")], [], lines_of)
    assert found == (Part(LineKind.LIBRARY, -0.7), Part(LineKind.NONE, -0.3))
    assert main_cause(found) == "code of a library's headers"


def test_lines_of_one_kind_make_up_for_one_another() -> None:
    found = parts(
        "int_ops", 20.0, [work(2, 10.0), work(8, 10.0)], [predicted(2, 15.0), predicted(8, 5.0)],
        lines_of,
    )  # fmt: skip
    assert found == ()
    assert (told(found), main_cause(found)) == ("", "")


def test_nothing_emulated_has_no_parts() -> None:
    assert parts("int_ops", 0.0, [], [predicted(1, 5.0)], lines_of) == ()


def test_what_makes_a_deviation_smaller_is_no_cause() -> None:
    found = (
        Part(LineKind.LOOP, 0.5),
        Part(LineKind.ACCESS, -0.4),
        Part(LineKind.MOVES, -0.3),
    )
    assert main_cause(found) == "accesses and their addresses"
    both = (
        Part(LineKind.LOOP, -0.25),
        Part(LineKind.ACCESS, -0.2),
        Part(LineKind.MOVES, -0.15),
    )
    assert main_cause(both) == "heads of loops, accesses and their addresses"


def test_the_lines_that_differ_most_come_first() -> None:
    found = line_differences(
        "int_ops",
        [work(1, 60.0, 20.0), work(1, 4.0), work(2, 40.0), work(7, 5.0), work(5, 8.0)],
        [predicted(2, 50.0), predicted(7, 5.0), predicted(9, 3.0), predicted(5, 6.0)],
    )
    assert found == (
        DifferingLine(PATH, 1, 44.0, 20.0, 0.0),
        DifferingLine(PATH, 2, 40.0, 0.0, 50.0),
        DifferingLine(PATH, 9, 0.0, 0.0, 3.0),
        DifferingLine(PATH, 5, 8.0, 0.0, 6.0),
    )
    assert told_lines(found, 8) == "k.cu:1 0 of 5.5 + 2.5 moves"
    assert told_lines(found[1:], 8) == "k.cu:2 6.25 of 5, k.cu:9 0.375 of 0"
    assert told_lines((), 8) == ""


def test_at_most_four_lines_are_told() -> None:
    found = line_differences("int_ops", [work(line, 10.0) for line in range(1, 11)], [])
    assert told_lines(found, 10) == "k.cu:1 0 of 1, k.cu:2 0 of 1, k.cu:3 0 of 1, k.cu:4 0 of 1"


@given(
    st.lists(st.tuples(st.integers(1, 12), st.integers(0, 1000), st.integers(0, 1000)), min_size=1)
)
def test_parts_add_up_to_the_deviation(lines: list[tuple[int, int, int]]) -> None:
    emulated = [work(line, float(max(ops, moves)), float(moves)) for line, ops, moves in lines]
    here = [predicted(line, float(moves * 3)) for line, _, moves in lines]
    there = sum(each.int_ops for each in emulated) + 7.0
    found = parts("int_ops", there, emulated, here, lines_of)
    deviation = sum(each.operations["int_ops"] for each in here) / there - 1.0
    assert sum(each.share for each in found) == pytest.approx(deviation, abs=1e-9)
