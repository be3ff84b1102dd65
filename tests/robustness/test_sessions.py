"""A short session of random edits; ``python -m tests.robustness.sessions`` plays longer ones."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from lsprotocol.types import (
    Position,
    PositionEncodingKind,
    Range,
    TextDocumentContentChangeEvent,
    TextDocumentContentChangePartial,
    TextDocumentContentChangeWholeDocument,
)

from roofline_lsp.server.documents.text_buffer import TextBuffer

from .records import append
from .sessions import __main__ as runs
from .sessions import play as session_play
from .sessions.client import item
from .sessions.edits import EditedText, random_edit
from .sessions.play import Length, Played, played
from .sessions.projects import EditedProject, projects

SOURCE = """\
__global__ void scale(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f; // 😀
}
int main() { float *p; cudaMalloc(&p, 1 << 20); scale<<<1024, 256>>>(p, 1 << 18); }
"""


def session(folder: Path, edits: int) -> Played:
    project = folder / "project"
    project.mkdir()
    (project / "scale.cu").write_text(SOURCE)
    length = Length(edits)
    *_, last = played("a", EditedProject(project, ("scale.cu",)), (SOURCE,), folder, length)
    return last.result


def test_an_edited_document_is_as_a_fresh_one(tmp_path: Path) -> None:
    result = session(tmp_path, 40)
    assert (result.wrong_texts, result.unanswered, result.differences) == (0, 0, [])
    assert result.exit_status == 0
    assert result.edits >= 40
    assert result.compared > 15
    assert result.messages == []


def test_what_differs_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks can fail: the fresh server is given another text."""

    def other(uri: str, text: str, version: int) -> Any:
        return item(uri, text.replace("1024", "512"), version)

    monkeypatch.setattr(session_play, "TRIES", 2)
    monkeypatch.setattr(session_play, "item", other)
    monkeypatch.setattr(session_play.Play, "_reload", lambda *_: None)
    result = session(tmp_path, 0)
    assert result.wrong_texts == 1, "until the whole text is sent"
    assert "test/text" in result.differences[0]
    assert any(each.startswith("roofline/report") for each in result.differences)
    assert not result.is_fine


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_edits_are_as_the_server_reads_them(encoding: str) -> None:
    """After random edits the client's text is the server's."""
    chance = random.Random()
    edited, kept = EditedText(SOURCE, encoding), TextBuffer(SOURCE, PositionEncodingKind(encoding))
    for _ in range(300):
        for changes in random_edit(chance, edited, (SOURCE,)):
            for change in changes:
                kept.apply(change_of(change))
        assert kept.text == edited.text


def change_of(change: dict[str, Any]) -> TextDocumentContentChangeEvent:
    if "range" not in change:
        return TextDocumentContentChangeWholeDocument(change["text"])
    start, end = (Position(**change["range"][each]) for each in ("start", "end"))
    return TextDocumentContentChangePartial(Range(start, end), change["text"])


def test_projects_are_folders_of_sources(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "k.cu").write_text(SOURCE)
    (tmp_path / "a" / "plain.cpp").write_text("int main() {}\n")
    (tmp_path / "a" / "b" / "long.cu").write_text(SOURCE + "//" + "x" * 60_000)
    added = [each for each in projects((tmp_path,)) if tmp_path in each.folder.parents]
    assert added == [EditedProject(tmp_path / "a", ("k.cu",))]


def test_sessions_add_up_and_go_on(tmp_path: Path) -> None:
    kept = tmp_path / "record.jsonl"
    for number, result in enumerate(
        (
            Played("a", edits=30, requests=9, compared=4, warm_mb=100.0, end_mb=110.0, took_s=1800),
            Played("b", edits=20, requests=8, unanswered=1, differences=["x"], took_s=1800),
        )
    ):
        assert runs.next_session(kept, "s") == number
        append(kept, runs.row_of("s", number, result))
    assert runs.next_session(kept, "s") == 2
    assert runs.next_session(kept, "other") == 0
    assert runs.totals(kept) == (
        "2 sessions of 1.0 hours in all, 50 edits: 0 wrong texts, 1 of 17 requests unanswered "
        "(0 cancelled), 1 of 4 comparisons different; memory at most +10% from its level after "
        "warm-up in 1 sessions"
    )


def test_a_session_is_over_by_edits_or_by_time() -> None:
    assert Length(100).done(25, 1e9) == 0.25
    assert Length(100, 60.0).done(10, 30.0) == 0.5
    assert Length(100, 60.0).done(100, 3.0) == 1.0


def test_what_edits_did_since_the_text_was_saved_is_not_compared() -> None:
    hover = "**Bandwidth-bound**: 107 µs  \n12.6 µs -> 107 µs since saved\n\nA100 BB"
    lens = {"title": "Bandwidth-bound | 107 µs: DRAM | CB -> BB since saved"}
    assert session_play._lasting([hover, lens, 7, None]) == [
        "**Bandwidth-bound**: 107 µs\n\nA100 BB",
        {"title": "Bandwidth-bound | 107 µs: DRAM"},
        7,
        None,
    ]
