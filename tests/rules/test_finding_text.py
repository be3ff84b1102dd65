"""What findings say: the gain first, the problem, what else the model tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.regions.unknowns import UnknownKind, UnknownUsed
from roofline_analysis.report.report import Verdict
from roofline_analysis.rules.finding_text import finding_message, problem_of
from roofline_analysis.rules.model import Effect, Finding, Level
from roofline_core.program.precision import Precision
from roofline_core.program.units import Span

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND
OPEN = (UnknownUsed("n", "read from a file", 4096.0, kind=UnknownKind.HOST),)
BARE = (UnknownUsed("argc", "the command line is not known", 1.0, kind=UnknownKind.HOST),)
RUNS = (UnknownUsed("trips of the loop at line 4", "data", 8.0, kind=UnknownKind.TRIPS),)
DATA = (UnknownUsed("branch at line 4", "data", 0.5, kind=UnknownKind.BRANCH),)


@pytest.mark.parametrize(
    ("effect", "message"),
    [
        (None, "the literals are double"),
        (
            Effect(8e6, {Precision.DP: 2e9}, {Precision.SP: 0.5}, 1_160_000.0, 57_000.0, CB, BB),
            (
                "20.4x as fast (1.16 ms -> 57 µs): the literals are double. By the model: saves"
                " 8 MB of DRAM traffic; saves 2 Gflop DP; SP intensity becomes 0.5; becomes BB"
            ),
        ),
        (
            Effect(0.0, {}, {}, 300.0, 200.0, CB, CB, OPEN),
            (
                "1.5x as fast at the sizes assumed: the literals are double. By the model, if n ="
                " 4,096: stays CB"
            ),
        ),
        (
            Effect(0.0, {}, {}, 300.0, 200.0, CB, CB, BARE),
            (
                "1.5x as fast at the sizes assumed: the literals are double. By the model, if the"
                " program has no arguments: stays CB"
            ),
        ),
        (
            Effect(0.0, {}, {}, 300.0, 200.0, CB, CB, DATA),
            (
                "1.5x as fast (300 ns -> 200 ns): the literals are double. By the model, if 50% of"
                " threads take the branch at line 4: stays CB"
            ),
        ),
        (
            Effect(0.0, {}, {}, 300.0, 200.0, CB, CB, RUNS),
            (
                "1.5x as fast at the trips assumed: the literals are double. By the model, if the"
                " trips of the loop at line 4 are 8: stays CB"
            ),
        ),
        (
            Effect(0.0, {}, {}, 200.0, 200.0, CB, CB),
            "the literals are double. By the model: stays CB; 200 ns -> 200 ns (1.00x)",
        ),
        (
            Effect(0.0, {}, {}, 300.0, 200.0, None, None),
            "1.5x as fast (300 ns -> 200 ns): the literals are double",
        ),
    ],
)
def test_the_gain_stands_first_and_the_problem_can_be_had_alone(
    effect: Effect | None, message: str
) -> None:
    problem = "the literals are double."
    assert finding_message(problem, effect) == message
    place = (Path("main.cu"), Span(1, 0, 1, 5))
    finding = Finding("RL201", "double-literal", Level.WARNING, message, *place, effect)
    assert problem_of(finding) == "the literals are double"
