"""The tables, rows and prompts of a study whose times follow a law."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_lsp.cli import study as command
from roofline_study.llmperf.analysis import StudyTables, analyse, points_of
from roofline_study.llmperf.kernels import PlannedKernel
from roofline_study.llmperf.prompts import Part, prompt_lines, prompt_of
from roofline_study.llmperf.records import (
    DeviceFacts,
    Results,
    Timed,
    append,
    write_device,
    write_plan,
)
from roofline_study.llmperf.study import Study
from roofline_study.llmperf.text import rows_csv
from tests.study.llmperf.conftest import Plan

pytest.importorskip("sklearn", reason="the extra `study` is not installed")

_BODY = "{{ int i = get_global_id(0); float v = x[i]; {} y[i] = v; }}"


def studied(plan: Plan) -> Study:
    """Ten kernels of more and more operations; each launch takes 10 ns an operation."""
    text = "\n".join(
        f"__kernel void k{n}(__global float *x, __global float *y, int n)"
        + _BODY.format("v = v * x[i] + 1.0f; " * n)
        for n in range(1, 11)
    )
    kernels = tuple(each for each in plan(text) if isinstance(each, PlannedKernel))
    timed = {
        launch.key: Timed(launch.key, time := _law(launch.features), time, time, 5)
        for kernel in kernels
        for launch in kernel.launches
    }
    return Study(kernels, (), timed, {})


def _law(features: Mapping[str, float]) -> float:
    return 5000.0 + 10 * features["model.sp"] + features["sizes.items"]


@pytest.fixture
def ten_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kernel counts as a program of its own."""
    monkeypatch.setattr(PlannedKernel, "program", property(lambda kernel: kernel.name))


@pytest.mark.usefixtures("ten_folders")
def test_the_tables_count_every_launch_once(plan: Plan) -> None:
    made = studied(plan)
    found = analyse(made, experiments=False)
    total = len(made.timed)
    by_title = {table.title: table.rows for table in found.tables}
    assert by_title["all launches"][0].error is not None
    assert by_title["all launches"][0].error.mape < 0.1
    for title in ("by regime", "by class of kernel", "by dimensions", "size of the work"):
        counts = [row.error.count for row in by_title[title] if row.error is not None]
        assert sum(counts) == total, title


@pytest.mark.usefixtures("ten_folders")
def test_the_experiments_have_all_their_rows(plan: Plan) -> None:
    found = analyse(studied(plan))
    by_title = {table.title: table.rows for table in found.tables}
    ablation = {row.name: row.error for row in by_title["ablation: what the regression is told"]}
    full = ablation["source, arguments, sizes and the static model"]
    blind = ablation["neither model nor source"]
    assert full is not None
    assert blind is not None
    # Operations are seen by the model and in the source, nowhere else.
    assert full.mape < blind.mape
    assert len(by_title["sampling: as many launches of each strategy"]) == 3
    assert len(by_title["argument sizes: as many launches of each"]) == 5


def test_kernels_of_one_name_are_held_out_together(plan: Plan) -> None:
    made = studied(plan)
    points = points_of(made)
    assert len({point.group for point in points}) == 10
    renamed = replace(made.kernels[1], name="k1")
    made = replace(made, kernels=(made.kernels[0], renamed, *made.kernels[2:]))
    assert len({point.group for point in points_of(made)}) == 9


def test_a_kernel_that_would_take_seconds_is_not_believed(plan: Plan) -> None:
    made = studied(plan)
    first = made.kernels[0]
    absurd = replace(first.launches[0], features={"model.time": 2e9, "sizes.items": 7.0})
    kernel = replace(first, launches=(absurd, *first.launches[1:]))
    points = points_of(replace(made, kernels=(kernel, *made.kernels[1:])))
    of_first = [point for point in points if point.kernel is kernel]
    assert of_first[0].sample.features == {"sizes.items": 7.0, "model.not believed": 1.0}
    assert not any("model.sp" in point.features for point in of_first)
    assert all("model.sp" in point.features for point in points if point.kernel is not kernel)


@pytest.mark.usefixtures("ten_folders")
def test_a_row_for_each_launch(plan: Plan) -> None:
    made = studied(plan)
    found: StudyTables = analyse(made, experiments=False)
    rows = list(csv.DictReader(io.StringIO(rows_csv(found))))
    assert len(rows) == len(made.timed)
    for row in rows:
        assert float(row["predicted_ns"]) == pytest.approx(float(row["measured_ns"]), rel=0.6)
        assert row["regime"] in ("idle SMs", "under-utilised", "fully utilised")


def test_a_prompt_has_source_arguments_and_sizes(plan: Plan) -> None:
    made = studied(plan)
    kernel, launch = made.kernels[0], made.kernels[0].launches[0]
    shape = launch.configuration
    items, group = shape.items, shape.group_items
    expected = (
        "Kernel source:\n"
        + kernel.source
        + f"\n\nArguments:\n- x: global float, {4 * items} bytes\n"
        + f"- y: global float, {4 * items} bytes\n- n: int {_value(launch.arguments[2])}"
        + f"\n\nSizes:\n- global size: {items}x1x1\n- local size: {group}x1x1\n"
        + f"- work-groups: {items // group}x1x1"
        + "\n\nLog2 of the time of k1 in ns:"
    )
    assert prompt_of(kernel, launch) == expected
    assert kernel.source.startswith("__kernel void k1")
    without = prompt_of(kernel, launch, [Part.SOURCE, Part.ARGUMENTS])
    assert without.startswith("Sizes:")
    assert "Arguments" not in without


def _value(argument: object) -> object:
    return getattr(argument, "value", None)


def test_prompts_are_json_with_the_logarithm_as_completion(plan: Plan) -> None:
    made = studied(plan)
    lines = list(prompt_lines(made.kernels, made.timed))
    assert len(lines) == len(made.timed)
    for line in lines:
        record = json.loads(line or "")
        assert float(record["completion"]) == pytest.approx(math.log2(record["time_ns"]), abs=0.001)
        assert record["class"] == "straight-line"
    assert set(prompt_lines(made.kernels, made.timed, most_tokens=10)) == {None}


def test_the_commands_show_and_write(
    plan: Plan, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, results = studied(plan), Results(tmp_path)
    # A folder for each, so that there is something to hold out.
    for index, kernel in enumerate(made.kernels):
        object.__setattr__(kernel.file, "tree", tmp_path)
        (tmp_path / f"{index}").mkdir()
    write_plan(results.plan, made.kernels)
    text = results.plan.read_text().splitlines()
    moved = []
    for index, line in enumerate(text):
        record = json.loads(line)
        record["path"] = str(tmp_path / str(index) / "kernels.cl")
        moved.append(json.dumps(record))
    results.plan.write_text("\n".join(moved) + "\n")
    for each in made.timed.values():
        append(results.times, each)
    write_device(results.device, DeviceFacts("a device", 4, "1"))
    where = ["--results", str(tmp_path)]
    assert command.run(["llmperf", "show", *where, "--no-experiments"]) == 0
    shown = capsys.readouterr().out
    assert "a device" in shown
    assert "24.25%" in shown
    assert "10 kernels" in shown
    markdown = tmp_path / "tables.md"
    options = ["--no-experiments", "--format", "markdown", "--output", str(markdown)]
    assert command.run(["llmperf", "show", *where, *options, "--csv", str(tmp_path / "r.csv")]) == 0
    assert "| by regime | launches |" in markdown.read_text()
    assert len((tmp_path / "r.csv").read_text().splitlines()) == 1 + len(made.timed)
    prompts = tmp_path / "p.jsonl"
    options = ["--output", str(prompts), "--without", "source"]
    assert command.run(["llmperf", "prompts", *where, *options]) == 0
    assert "Kernel source" not in prompts.read_text()
    assert f"{len(made.timed)} prompts" in capsys.readouterr().out
