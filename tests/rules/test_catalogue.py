"""Every rule of the catalogue, by its own examples."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_analysis.report.report import FileReport, Finding
from roofline_analysis.rules import RULES, Rule, catalogue
from roofline_analysis.rules.source_text import applied

Analyse = Callable[..., FileReport]
each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)


def only(report: FileReport, rule: Rule) -> Finding:
    found = report.all_findings()
    assert [finding.code for finding in found] == [rule.code]
    return found[0]


@each_rule
def test_the_bad_example_has_exactly_this_problem(rule: Rule, analyse: Analyse) -> None:
    report = analyse(rule.bad)
    finding = only(report, rule)
    assert report.problems == ()
    assert (finding.rule, finding.level) == (rule.name, rule.level)
    lines = rule.bad.splitlines()
    assert 1 <= finding.span.line <= finding.span.end_line <= len(lines)
    assert lines[finding.span.line - 1].strip()


@each_rule
def test_the_good_example_has_none(rule: Rule, analyse: Analyse) -> None:
    report = analyse(rule.good)
    assert report.all_findings() == ()
    assert report.problems == ()
    assert len(report.kernels) == len(analyse(rule.bad).kernels) or rule.check is None


@each_rule
def test_the_effect_is_a_gain_by_the_model(rule: Rule, analyse: Analyse) -> None:
    effect = only(analyse(rule.bad), rule).effect
    if effect is not None:
        assert 0 < effect.new_time_ns < effect.time_ns
        assert effect.speedup > 1.05 or effect.changes_class


@each_rule
def test_the_fix_is_read_again_and_scored_again(rule: Rule, analyse: Analyse) -> None:
    before = analyse(rule.bad)
    finding = only(before, rule)
    assert (finding.fix is not None) == rule.fixes
    if finding.fix is None:
        return
    text = applied(rule.bad.encode(), finding.fix.edits).decode()
    after = analyse(text)
    assert rule.code not in [each.code for each in after.all_findings()]
    assert after.problems == ()
    assert [k.name.replace("__restrict__ ", "") for k in after.kernels] == [
        k.name for k in before.kernels
    ]
    if finding.effect is not None and rule.check is not None:
        (kernel,) = after.kernels
        assert kernel.prediction.time_ns is not None
        assert kernel.prediction.time_ns == pytest.approx(finding.effect.new_time_ns, rel=0.15)
        assert kernel.prediction.verdict is finding.effect.new_verdict


@each_rule
def test_the_entry_is_complete(rule: Rule) -> None:
    assert re.fullmatch(r"RL\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    title, _, text = rule.text.strip().partition("\n")
    assert title.endswith(".")
    assert len(title) <= 90
    assert len(text.split()) >= 25
    assert (rule.check is None) or (rule.check_host is None)
    assert rule.bad != rule.good


def test_modules_are_named_by_their_rules() -> None:
    folder = Path(inspect.getfile(catalogue)).parent
    names = sorted(p.stem for p in folder.rglob("rl*.py"))
    expected = sorted(
        f"{rule.code.lower()}_{rule.name.replace('-', '_')}" for rule in RULES.values()
    )
    assert names == expected


def test_names_are_unique() -> None:
    assert len({rule.name for rule in RULES.values()}) == len(RULES)
