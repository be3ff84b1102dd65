"""A fault of our own costs the kernel that it is met in, and the message names that kernel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_analysis.api import entry, program
from roofline_analysis.device import summary
from roofline_analysis.host.state.invoke import invoke
from roofline_analysis.report.report import FileReport
from roofline_analysis.rules import engine
from roofline_analysis.verdict import analyse
from roofline_core.program.units import Problem, Severity
from roofline_core.settings import Settings
from roofline_lsp import analyze
from roofline_parsers.cuda.problems import syntax_problems
from roofline_parsers.cuda.statements import read_block

PATH = Path("/none/text.cu")
TEXT = b"""
__global__ void first(float *x) { x[threadIdx.x] = 1; }
__global__ void second(float *x) { x[threadIdx.x] += 2; }
__global__ void third(float *x) { x[threadIdx.x] *= 3; }
void other() { puts("x"); }
int main() {
    float *x;
    cudaMalloc(&x, 4096);
    first<<<1, 64>>>(x);
    second<<<1, 64>>>(x);
    third<<<1, 64>>>(x);
}
"""


class _BrokenError(Exception):
    pass


def report() -> FileReport:
    return analyze(TEXT, PATH, Settings(gpu="RTX 3080"), reader=lambda _: None)


def internal(found: FileReport) -> list[Problem]:
    return [each for each in found.problems if each.message.startswith("internal error")]


def names(found: FileReport) -> list[str]:
    return [kernel.base_name for kernel in found.kernels]


def failing(function: Callable[..., object], at: int) -> Callable[..., object]:
    """``function``, which raises the ``at``-th time that it is called."""
    calls = 0

    def called(*args: object, **named: object) -> object:
        nonlocal calls
        calls += 1
        if calls == at:
            raise _BrokenError("a test broke this")
        return function(*args, **named)

    return called


@pytest.mark.parametrize(
    ("module", "function"),
    [
        (summary, "walk"),
        (program, "summarise"),
        (program, "analyse_launch"),
        (analyse, "count_launch"),
        (analyse, "dram_traffic"),
        (analyse, "launch_time"),
        (entry, "signature"),
    ],
    ids=["walk", "summary", "verdict", "counting", "traffic", "timing", "report"],
)
def test_a_stage_that_fails_costs_one_kernel(
    module: object, function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = report()
    assert names(whole) == ["first", "second", "third"]
    assert not internal(whole)
    name = next(n for n in (function, f"_{function}") if hasattr(module, n))
    first = _first_of_second(module, name, monkeypatch)
    monkeypatch.setattr(module, name, failing(getattr(module, name), first))
    found = report()
    (problem,) = internal(found)
    assert "kernel 'second', which is left out" in problem.message
    assert "_BrokenError: a test broke this" in problem.message
    assert (problem.path, problem.line, problem.severity) == (PATH, 3, Severity.ERROR)
    assert names(found) == ["first", "third"]
    assert [k.prediction for k in found.kernels] == [
        k.prediction for k in whole.kernels if k.base_name != "second"
    ]


def _first_of_second(module: object, name: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Which call of a function is the first for the second kernel."""
    calls: list[int] = []
    reached: list[int] = []
    original, make = getattr(module, name), entry._judge

    def counted(*args: object, **named: object) -> object:
        calls.append(1)
        return original(*args, **named)

    def judge(analysis: program.ProgramAnalysis, kernel: object) -> object:
        reached.append(len(calls) + 1)
        return make(analysis, kernel)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(module, name, counted)
        patch.setattr(entry, "_judge", judge)
        report()
    return reached[1]


def test_rules_that_fail_cost_the_findings_of_one_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_is_contradictory", failing(engine._is_contradictory, 2))
    found = report()
    (problem,) = internal(found)
    assert "the rules for kernel 'second', whose findings are left out" in problem.message
    assert names(found) == ["first", "second", "third"]


def test_host_code_that_fails_costs_what_comes_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = failing(invoke, 1)
    monkeypatch.setattr("roofline_analysis.host.from_outside.invoke", broken)
    found = report()
    problem = internal(found)[0]
    assert "host function 'main', whose launches may be missing" in problem.message
    assert names(found) == ["first", "second", "third"]


def test_a_body_that_fails_is_left_out_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = failing(read_block, 2)
    monkeypatch.setattr("roofline_parsers.cuda.bodies.read_block", broken)
    found = report()
    assert len(internal(found)) == 1
    assert ", which is not read" in internal(found)[0].message
    assert len(names(found)) == 3


def test_a_file_that_fails_is_a_problem_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = failing(syntax_problems, 1)
    monkeypatch.setattr("roofline_parsers.cuda.unit.syntax_problems", broken)
    found = report()
    (problem,) = internal(found)
    assert "in this file, which is not read" in problem.message
