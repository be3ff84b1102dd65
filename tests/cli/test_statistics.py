"""``--statistics``: every stage that a check goes through, with what was counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from roofline_core.program.stages import Stage, StageClock
from roofline_lsp.cli.statistics import statistics

from .conftest import HOST, SAXPY


def test_the_table() -> None:
    clock = StageClock()
    clock.seconds[Stage.HOST], clock.calls[Stage.HOST] = 1.5, 2
    clock.seconds[Stage.WALK], clock.calls[Stage.WALK] = 0.5, 10
    clock.counts["kernels"] = 12
    clock.total_s = 4.0
    assert statistics(clock) == (
        "stage             seconds   share     calls\n"
        "host                1.500   37.5%         2\n"
        "walk                0.500   12.5%        10\n"
        "the rest            2.000   50.0%\n"
        "total               4.000  100.0%\n"
        "\n"
        "kernels                           12\n"
    )


def test_a_check_tells_what_it_did(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "kernel.cu").write_text(SAXPY)
    (tmp_path / "main.cu").write_text(HOST)
    plain = run("--check", str(tmp_path), "--no-progress")
    ran = run("--check", str(tmp_path), "--no-progress", "--statistics", "--no-cache")
    assert ran.code == plain.code
    assert ran.out == plain.out
    lines = ran.err.splitlines()
    stages = [line.split()[0] for line in lines[1 : lines.index("")]]
    expected = [item.value for item in Stage]
    assert stages == [*expected, "the", "total"]
    counts = {line[:24].strip(): int(line[24:]) for line in lines[lines.index("") + 1 :]}
    assert counts["programs"] == counts["kernels"] == counts["kernels walked"] == 1
    assert counts["launches judged"] == 1
    assert counts["files parsed"] == 2
    assert counts["functions lowered"] == 2


def test_nothing_is_told_without_it(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "kernel.cu").write_text(SAXPY)
    assert "seconds" not in run("--check", str(tmp_path), "--no-progress").err
