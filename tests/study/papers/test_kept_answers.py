"""Answers on disk: whole or not at all, and one for each question."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_advisor.request import Request, Turn
from roofline_advisor.usage import Usage
from roofline_core.settings import AdvisorSettings
from roofline_study.papers.classification import ONE_WORD
from roofline_study.papers.errors import StudyError
from roofline_study.papers.kept_answers import AnswerStore, KeptAnswer, answers_csv

REQUEST = Request.of(AdvisorSettings(), "system", (Turn("user", "Which?"),), ONE_WORD)
ANSWER = KeptAnswer(
    *("rq2", "a-cuda:ns::k(int)", 0, "claude-test", {"answer": "Compute"}, None, None),
    *(Usage(1, 2, 3, 4), True),
)


def test_what_is_put_comes_back(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path)
    assert store.get(REQUEST) is None
    store.put(REQUEST, ANSWER)
    assert store.get(REQUEST) == ANSWER
    assert AnswerStore(tmp_path).get(REQUEST) == ANSWER


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, sample=1),
        replace(REQUEST, model="another"),
        replace(REQUEST, system="System"),
        replace(REQUEST, endpoint="http://127.0.0.1:1"),
        replace(REQUEST, max_tokens=1),
    ],
)
def test_another_question_has_no_answer(tmp_path: Path, other: Request) -> None:
    store = AnswerStore(tmp_path)
    store.put(REQUEST, ANSWER)
    assert store.get(other) is None


def test_a_write_that_is_broken_off_leaves_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = AnswerStore(tmp_path)

    def killed(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        store.put(REQUEST, ANSWER)
    monkeypatch.undo()
    assert store.get(REQUEST) is None
    store.put(REQUEST, ANSWER)
    assert store.get(REQUEST) == ANSWER


def test_a_spoiled_answer_is_named(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path)
    store.put(REQUEST, ANSWER)
    (path,) = store.folder.iterdir()
    path.write_text('{"study": "rq2"')
    with pytest.raises(StudyError, match=rf"{path.name}: this kept answer cannot be read .*delete"):
        store.get(REQUEST)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("a file")
    with pytest.raises(StudyError, match=r"cannot be kept: .*; see '--results'"):
        AnswerStore(tmp_path).put(REQUEST, ANSWER)


def test_the_answers_of_a_study(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path)
    others = [replace(REQUEST, sample=at) for at in (1, 2, 3)]
    answers = [replace(ANSWER, trial=at, study=study) for at, study in ((1, "rq2"), (2, "rq3"))]
    store.put(REQUEST, ANSWER)
    for request, answer in zip(others, answers, strict=False):
        store.put(request, answer)
    assert store.of_study("rq2", []) == [ANSWER, answers[0]]
    assert store.of_study("rq4", others) == answers
    assert AnswerStore(tmp_path / "none").of_study("rq2", others) == []


def test_raw_answers_as_csv() -> None:
    refused = replace(ANSWER, value=None, fault="refused", said="No.\nNever", batch=False, trial=2)
    counts = replace(ANSWER, item="b: bytes", value={"reason": "r", "read_bytes": 3})
    assert answers_csv([ANSWER, refused, counts]) == (
        "program,kernel,answer,model,trial,fault,input_tokens,output_tokens\n"
        "a-cuda,ns::k(int),Compute,claude-test,0,,8,2\n"
        'a-cuda,ns::k(int),"No.\nNever",claude-test,2,refused,8,2\n'
        'b,bytes,"{""reason"": ""r"", ""read_bytes"": 3}",claude-test,0,,8,2\n'
    )
