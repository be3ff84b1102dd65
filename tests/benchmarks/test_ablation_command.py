"""The ablation on two small programs: in worker processes, kept in a file, and as a command."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from roofline_core.settings import Settings
from roofline_study.dataset import read_dataset
from roofline_study.judge import Inputs

command: Any = importlib.import_module("ablation")
model: Any = importlib.import_module("ablations.model")
replacing: Any = importlib.import_module("ablations.replacing")
results: Any = importlib.import_module("ablations.results")
running: Any = importlib.import_module("ablations.running")
table: Any = importlib.import_module("ablations.table")

LEFT_EARLY = """
__global__ void k(float *out, const float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 100; j++) { if (a[i + j * n] > 0.f) break; out[i] += 1.f; }
}
int main() {
  const int n = 1 << 20; float *out, *a; cudaMalloc(&out, 4 * n); cudaMalloc(&a, 400 * n);
  k<<<n / 256, 256>>>(out, a, n);
}
"""
PLAIN = LEFT_EARLY.replace("if (a[i + j * n] > 0.f) break; ", "")
HEURISTIC = "execution.exit_share"
"""Exits leave three quarters of the trips, and of these the branch another three quarters."""


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Two programs that were measured, one with an exit; the sources lie beside the table."""
    rows = ["program,kernel,args,grid,block,sp_flops,dp_flops,int_ops,dram_bytes,time_ns,label"]
    for program, source, trips in (("exit-cuda", LEFT_EARLY, 60), ("plain-cuda", PLAIN, 100)):
        (tmp_path / program).mkdir()
        (tmp_path / program / "main.cu").write_text(source)
        rows.append(
            f'{program},"k(float *, const float *, int)",,"(4096, 1, 1)","(256, 1, 1)",'
            f"{trips * 2**20},0,1000,8000000,20000,BB"
        )
    path = tmp_path / "measured.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def judged(dataset: Path, mode: str) -> dict[str, Any]:
    """The outcomes of a mode by program."""
    inputs = Inputs(dataset.parent, Settings(gpu="RTX 3080", clock="base"))
    found = running.judged(read_dataset(dataset), inputs, mode, jobs=2, limit_s=60)
    return {outcome.program: outcome for outcome in found}


def additions(outcome: Any) -> float:
    """The additions of a thread that are predicted for the one kernel of a program."""
    (kernel,) = outcome.kernels.values()
    return float(kernel.counts["sp_flops"]) / 2**20


def test_a_heuristic_is_off_in_the_workers_and_on_here(dataset: Path) -> None:
    place = "roofline_analysis.counting.exits._EXIT_SHARE"
    base = judged(dataset, model.BASELINE)
    off = judged(dataset, HEURISTIC)
    assert additions(base["exit-cuda"]) == pytest.approx(100 * 0.75 * 0.75)
    assert additions(off["exit-cuda"]) == pytest.approx(100 * 0.75)
    assert additions(off["plain-cuda"]) == additions(base["plain-cuda"]) == pytest.approx(100)
    assert off["exit-cuda"].calls[HEURISTIC].made >= 1
    assert base["exit-cuda"].calls == {}
    assert replacing.place_of(place).value == 0.75


def test_a_census_changes_nothing_and_tells_what_a_switch_reaches(dataset: Path) -> None:
    base, census = judged(dataset, model.BASELINE), judged(dataset, model.CENSUS)
    assert {name: each.kernels for name, each in census.items()} == {
        name: each.kernels for name, each in base.items()
    }
    (switch,) = table.chosen([HEURISTIC])
    assert running.reached(switch, census) == {"exit-cuda"}


def test_a_program_that_fails_has_no_predictions_and_is_reached(dataset: Path) -> None:
    failed = judged(dataset, "no such switch")
    (switch,) = table.chosen([HEURISTIC])
    assert running.reached(switch, failed) == {"exit-cuda", "plain-cuda"}
    for outcome in failed.values():
        assert "no such switch" in outcome.failure
        assert [kernel.verdict for kernel in outcome.kernels.values()] == [None]


def test_results_are_read_again_up_to_a_line_cut_off(tmp_path: Path) -> None:
    path, setting = tmp_path / "kept.jsonl", {"gpu": "RTX 3080"}
    kept = results.opened(path, setting)
    outcome = running.ProgramOutcome(
        "p",
        {"p:k": running.Predicted(None, {"sp_flops": 2.5})},
        1.5,
        {HEURISTIC: replacing.Calls(7, 3)},
    )
    kept.add(model.BASELINE, {"p": outcome})
    with path.open("a") as file:
        file.write('{"mode":"census","progr')
    assert results.opened(path, setting).parts == {model.BASELINE: {"p": outcome}}


def test_results_of_another_setting_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    results.opened(path, {"gpu": "RTX 3080"})
    with pytest.raises(results.ResultsError, match="other data, settings or code"):
        results.opened(path, {"gpu": "A100"})


def run(monkeypatch: pytest.MonkeyPatch, dataset: Path, *options: str) -> None:
    """The command with some options."""
    argv = ["ablation.py", "--dataset", str(dataset), "--sources", str(dataset.parent)]
    monkeypatch.setattr("sys.argv", [*argv, "--gpu", "RTX 3080", *options])
    command.main()


def test_the_command_goes_on_from_its_file(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--only", HEURISTIC, "--output", str(dataset.parent / "kept.jsonl"))
    run(monkeypatch, dataset, *options, "--format", "json")
    (row,) = json.loads(capsys.readouterr().out)["switches"]
    assert (row["programs"], row["failed"]) == (1, [])
    assert row["calls"] >= 1
    # 56 additions are within 10% of the 60 that were measured, 75 are not; 100 of 100 are.
    assert row["shares"]["sp_within_10_percent"]["value"] == 0.5
    assert row["balanced_accuracy"]["cuda"]["value"] is None
    monkeypatch.setattr(command, "judged", None)
    run(monkeypatch, dataset, *options)
    assert f"{HEURISTIC}  " in capsys.readouterr().out


def test_the_command_tells_a_wrong_name(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="no switch 'gathered'"):
        run(monkeypatch, dataset, "--only", "gathered")


def test_the_command_lists_what_there_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["ablation.py", "--list"])
    command.main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(table.SWITCHES) + len(table.UNSWITCHED)
