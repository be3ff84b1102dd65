"""Answers in words."""

from __future__ import annotations

import pytest

from roofline_analysis.report.report import Verdict
from roofline_study.papers.class_words import class_of, word_of

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("Compute", CB),
        ("compute-bound.", CB),
        ("**Compute**", CB),
        ("CB", CB),
        ("The kernel is computation bound", CB),
        ("Bandwidth", BB),
        (" bandwidth_bound ", BB),
        ("memory-bound", BB),
        ("bb", BB),
        ("", None),
        ("I cannot tell.", None),
        ("Compute, not Bandwidth", None),
        ("either compute or memory", None),
        ("It computes a lot", None),
        ("rubble", None),
    ],
)
def test_an_answer_names_one_class(answer: str, verdict: Verdict | None) -> None:
    assert class_of(answer) is verdict


def test_the_words_asked_for_are_read_back() -> None:
    assert [class_of(word_of(verdict)) for verdict in (CB, BB)] == [CB, BB]
