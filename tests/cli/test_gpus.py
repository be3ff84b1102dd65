from __future__ import annotations

from collections.abc import Callable
from typing import Any

from roofline_lsp.hardware_db import gpu_names


def test_all_gpus_are_listed(run: Callable[..., Any]) -> None:
    ran = run("gpus")
    assert ran.code == 0
    header, *rows = ran.out.splitlines()
    assert header.split()[:4] == ["name", "SMs", "clock", "MHz"]
    assert len(rows) == len(gpu_names())
    assert all(row.startswith(name) for row, name in zip(rows, gpu_names(), strict=True))


def test_a_part_of_a_name_selects(run: Callable[..., Any]) -> None:
    ran = run("gpus", "3080 10", "--clock", "base")
    _, row = ran.out.splitlines()
    # 68 SMs at 1440 MHz: SP 128, DP 2 and INT 64 instructions a clock, each counted twice.
    assert row.split() == (
        "GeForce RTX 3080 10GB 68 base 1440 760.3 25068 392 12534 32.97 0.5152 16.49".split()
    )


def test_the_clock_that_is_used_is_told(run: Callable[..., Any]) -> None:
    rows = run("gpus", "H100 SXM", "--clock", "base").out.splitlines()[1:]
    # Its base clock is not published.
    assert [row.split()[3] for row in rows] == ["boost"]


def test_another_name_selects_its_gpu(run: Callable[..., Any]) -> None:
    ran = run("gpus", "NVIDIA GeForce RTX 3080")
    assert ran.code == 0
    assert "GeForce RTX 3080 10GB" in ran.out


def test_an_unknown_gpu_names_near_ones(run: Callable[..., Any]) -> None:
    ran = run("gpus", "RTX 3081")
    assert (ran.code, ran.out) == (2, "")
    assert 'unknown GPU "RTX 3081": the nearest names are' in ran.err
