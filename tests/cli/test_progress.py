from __future__ import annotations

from io import StringIO

import pytest

from roofline_lsp.cli.progress import ProgressBar


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, to be set."""
    now = [0.0]
    monkeypatch.setattr("roofline_lsp.cli.progress.time.monotonic", lambda: now[0])
    monkeypatch.setenv("COLUMNS", "40")
    return now


def test_a_long_run_draws_on_one_line_and_wipes_it(clock: list[float]) -> None:
    terminal = Terminal()
    with ProgressBar(terminal) as bar:
        bar.show(1, 4, "early.cu")
        assert terminal.getvalue() == ""
        clock[0] = 1.0
        bar.show(2, 4, "middle.cu")
        bar.show(3, 4, "too-soon.cu")
    assert terminal.getvalue() == (
        "\r\x1b[K[############            ] 2/4 middle.cu"[: 4 + 39] + "\r\x1b[K"
    )


def test_lines_are_cut_at_the_terminals_width(clock: list[float]) -> None:
    terminal = Terminal()
    clock[0] = 0.0
    bar = ProgressBar(terminal)
    clock[0] = 1.0
    bar.show(1, 1, "a_very_long_name_that_does_not_fit.cu")
    assert len(terminal.getvalue().removeprefix("\r\x1b[K")) == 39


def test_nothing_is_drawn_off_a_terminal_or_when_unwanted(clock: list[float]) -> None:
    plain, unwanted = StringIO(), Terminal()
    for bar in (ProgressBar(plain), ProgressBar(unwanted, enabled=False)):
        with bar:
            clock[0] += 1.0
            bar.show(1, 2, "k.cu")
    assert plain.getvalue() == unwanted.getvalue() == ""
