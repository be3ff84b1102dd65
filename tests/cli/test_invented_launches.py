"""A verdict on a launch that no source has says so in the first line that is read of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import SAXPY

CALLED = f"""\
{SAXPY}void go(int n, int b, const float *x, float *y) {{
    saxpy<<<(n + b - 1) / b, b>>>(n, 2.0f, x, y);
}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "alone.cu").write_text(SAXPY)
    (tmp_path / "called.cu").write_text(CALLED)
    return tmp_path


def test_the_line_of_a_kernel_says_what_its_verdict_rests_on(
    run: Callable[..., Any], folder: Path
) -> None:
    lines = run("check", "--format", "concise", ".").out.splitlines()
    assert lines[:2] == [
        "alone.cu:1: saxpy: BB 97% for an invented launch: DRAM, 11.9 MB; time depends on n",
        "called.cu:1: saxpy: BB 98% for assumed n, b: DRAM, 11.9 MB",
    ]


def test_the_first_line_of_a_block_says_so(run: Callable[..., Any], folder: Path) -> None:
    lines = run("check", "--format", "full", ".").out.splitlines()
    assert [line for line in lines if "  saxpy  " in line] == [
        "alone.cu:1  saxpy  BB  97% for an invented launch  time: DRAM, 11.9 MB at 760.3 GB/s",
        "called.cu:1  saxpy  BB  98% for assumed n, b  time: DRAM, 11.9 MB at 760.3 GB/s",
    ]


def test_the_table_has_a_column_where_a_launch_is_invented(
    run: Callable[..., Any], folder: Path
) -> None:
    table = run("check", ".").out.split("\n\n")[1].splitlines()
    assert [line.split()[:5] for line in table] == [
        ["time", "class", "sure", "launch", "kernel"],
        ["~19.5", "µs", "BB", "97%", "invented"],
        ["~19.5", "µs", "BB", "98%", "saxpy"],
    ]
    table = run("check", "called.cu").out.split("\n\n")[1].splitlines()
    assert table[0].split()[:4] == ["time", "class", "sure", "kernel"]


def test_a_narrow_terminal_keeps_the_column(
    run: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    table = run("check", "alone.cu").out.split("\n\n")[1].splitlines()
    assert table[0].split() == ["time", "class", "launch", "kernel"]
    assert table[1].split() == ["~19.5", "µs", "BB", "invented", "saxpy"]


def test_the_page_has_it_in_the_row_of_its_table(run: Callable[..., Any], folder: Path) -> None:
    rows = [
        row for row in run("check", "--format", "html", ".").out.splitlines() if "#kernel-" in row
    ]
    assert [row.count(">97%, launch invented") for row in rows] == [1, 0]
    assert [row.count(">98%") for row in rows] == [0, 1]


def test_explain_and_the_comment_on_a_pull_request_say_so(
    run: Callable[..., Any], folder: Path
) -> None:
    explained = run("explain", "alone.cu:saxpy").out.split("\n\n")[1].splitlines()
    assert (
        explained[1]
        == "   BB, 97% sure, for an invented launch; time depends on n, most of it DRAM"
    )
    rows = run("check", "--format", "markdown", ".").out
    assert "| `saxpy` | `alone.cu:1` | `BB 97% for an invented launch` |" in rows
    assert "| `saxpy` | `called.cu:1` | `BB 98% for assumed n, b` |" in rows
