"""Question decomposition: what answers come to, and their tables by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from roofline_advisor.usage import Usage
from roofline_analysis.api import gpu_used
from roofline_core.settings import AdvisorSettings, Settings
from roofline_study.papers.classification import KernelMaterial
from roofline_study.papers.decomposition import (
    CountAnswers,
    KernelCounts,
    about,
    count_questions,
    counts_given,
)
from roofline_study.papers.decomposition_tables import (
    decomposition_svg,
    kernels_table,
    paper_table,
    published_kernels,
    shares_table,
)
from roofline_study.papers.kept_answers import KeptAnswer
from roofline_study.papers.published import published
from roofline_study.papers.scores import RowKind
from roofline_study.papers.table import WithInterval

from .conftest import BB, CB, made_row

GPU = gpu_used(Settings(gpu="RTX 3080", clock="base"))
A = KernelMaterial(made_row("a-cuda", CB), "Kernel: a", GPU)
B = KernelMaterial(made_row("b-cuda", BB), "Kernel: b", GPU)


def kept(value: dict[str, Any] | None) -> KeptAnswer:
    return KeptAnswer("decompose", "x", 0, "m", value, None, None, Usage(1, 1), batch=False)


def operations(sp: float, dp: float, integer: float) -> KeptAnswer:
    return kept({"reason": "", "sp_flops": sp, "dp_flops": dp, "int_ops": integer})


def moved(read: float, written: float) -> KeptAnswer:
    return kept({"reason": "", "read_bytes": read, "written_bytes": written})


def test_operations_and_bytes_are_asked_apart() -> None:
    questions = list(count_questions([A, B], AdvisorSettings(), 2))
    assert [(each.item, each.trial) for each in questions] == [
        ("a-cuda:k(float *): operations", 0),
        ("a-cuda:k(float *): bytes", 0),
        ("a-cuda:k(float *): operations", 1),
        ("a-cuda:k(float *): bytes", 1),
        ("b-cuda:k(float *): operations", 0),
        ("b-cuda:k(float *): bytes", 0),
        ("b-cuda:k(float *): operations", 1),
        ("b-cuda:k(float *): bytes", 1),
    ]
    assert questions[0].request.turns == questions[1].request.turns
    assert "You count what GPU kernels compute" in questions[0].request.system
    assert "You count what GPU kernels move" in questions[1].request.system


def test_answers_come_to_counts_and_a_class() -> None:
    answers = [
        *(operations(100.0, 10.0, 60.0), moved(600.0, 300.0)),
        *(kept(None), moved(1.0, 1.0)),
        *(operations(1.0, 0.0, 0.0), None),
        *(operations(40000.0, 0.0, 0.0), moved(600.0, 400.0)),
    ]
    found = counts_given("m", [A, B], answers, 2, 0.5)
    assert found.given == {
        A.row: [
            KernelCounts(110.0, 60.0, 900.0, BB),
            KernelCounts(None, None, 2.0, None),
        ],
        # 40 operations a byte are above the 32.97 of the GPU
        B.row: [KernelCounts(40000.0, 0.0, 1000.0, CB)],
    }


ANSWERS = CountAnswers(
    "m",
    RowKind.MODEL,
    {
        # 120 floating-point and 50 integer operations and 1000 bytes were measured of each.
        A.row: (KernelCounts(126.0, 50.0, 2000.0, CB), KernelCounts(None, None, 500.0, None)),
        B.row: (KernelCounts(240.0, 500.0, None, CB),),
    },
    0.25,
)


def test_shares_by_hand() -> None:
    table = shares_table([ANSWERS])
    numbers = [
        [each.number if isinstance(each, WithInterval) else each for each in row]
        for row in table.rows
    ]
    assert numbers == [
        # A: 5% off and unknown, B: 100% off. Classes: A half right, B wrong.
        ["m", "model", "floating-point operations", 2.0, 0.25, 0.75, pytest.approx(52.5), 0.25,
         0.25],
        ["m", "model", "integer operations", 2.0, 0.25, 0.25, pytest.approx(450.0), None, None],
        ["m", "model", "DRAM bytes", 2.0, 0.0, 0.5, pytest.approx(75.0), None, None],
    ]  # fmt: skip


def test_a_quantity_that_was_not_there_is_left_out() -> None:
    row = replace(A.row, sp_flops=0.0, dp_flops=0.0)
    table = shares_table([replace(ANSWERS, given={row: (KernelCounts(0.0, 50.0, 1000.0, CB),)})])
    assert [line[3] for line in table.rows] == [0.0, 1.0, 1.0]
    assert table.rows[0][4] == WithInterval(None, None)
    assert table.rows[0][6] is None


def test_the_published_programs_are_found_by_what_was_measured() -> None:
    count = published().decomposed[0]
    near = made_row(
        count.program, kernel="near(int)", sp_flops=count.measured_flops + 1, dp_flops=0.0
    )
    far = made_row(count.program, kernel="far(int)", sp_flops=1.0, dp_flops=2.0)
    given = {
        near: (KernelCounts(count.measured_flops * 1.5, None, None, None),),
        far: (KernelCounts(3.0, None, None, None),),
    }
    table = paper_table([far, near], [CountAnswers("m", RowKind.MODEL, given)])
    program, measured, estimated, off, ours, found, our_off = table.rows[0]
    assert (program, measured, estimated) == ("resize-cuda", 16779307, 16777216)
    assert off == pytest.approx(0.0125, abs=5e-5)
    assert (ours, found) == (16779308, count.measured_flops * 1.5)
    assert our_off == pytest.approx(50, abs=1e-4)
    assert [row[4:] for row in table.rows[1:]] == [(None, None, None)] * 4
    assert published_kernels([far, near]) == (near,)
    assert paper_table([far], []).rows[0][4:] == (None,)


def test_published_differences_are_as_the_paper_says() -> None:
    offs = {each.program: each.off_percent for each in published().decomposed}
    said = [0.012, 0.17, 2.24, 4.44, 0.001]
    for (program, off), paper in zip(offs.items(), said, strict=True):
        # The paper cuts digits off.
        assert paper <= off < paper * 1.6, program


def test_every_kernel_is_listed() -> None:
    table = kernels_table([ANSWERS])
    assert len(table.rows) == 9
    assert list(table.rows[0][:6]) == [
        *("a-cuda", "k(float *)", "floating-point operations", 120.0, "m", 126.0)
    ]
    assert table.rows[0][6] == pytest.approx(5.0)
    assert list(table.rows[3][5:]) == [None, None]


def test_answers_about_some_kernels() -> None:
    assert list(about(ANSWERS, [B.row]).given) == [B.row]


def test_a_drawing_has_a_line_for_each_quantity() -> None:
    assert decomposition_svg([ANSWERS]).count("<circle") == 3
