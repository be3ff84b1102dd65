"""A data set collected with a profiler that is played by a script; no number was measured."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from roofline_analysis.report.report import Verdict
from roofline_lsp.cli.main import main
from roofline_profiling.collect import Plan, collect
from roofline_profiling.errors import ProfilerError
from roofline_profiling.ncu_command import Options
from roofline_study.dataset import read_dataset

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are scripts"),
    pytest.mark.skipif(shutil.which("make") is None, reason="programs are built with make"),
]

FAKE = Path(__file__).with_name("fake_ncu.py")

MAKEFILE = """\
main: main.cu
\t@printf '#!/bin/sh\\nexit 0\\n' > main
\t@chmod +x main

run: main
\t./main 1000 "two words"
"""


@pytest.fixture
def ncu(tmp_path: Path) -> str:
    path = tmp_path / "ncu"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE} "$@"\n')
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """``good-cuda`` works, ``broken-cuda`` does not build, ``silent-cuda`` cannot be run."""
    root = tmp_path / "programs"
    for name in ("good-cuda", "broken-cuda", "silent-cuda", "include"):
        (root / name).mkdir(parents=True)
    for name in ("good-cuda", "broken-cuda", "silent-cuda"):
        (root / name / "main.cu").write_text("int main() {}\n")
    (root / "good-cuda" / "Makefile").write_text(MAKEFILE)
    (root / "broken-cuda" / "Makefile").write_text(
        "main:\n\t@echo 'main.cu(3): error: expected a ;'; exit 1\n"
    )
    (root / "silent-cuda" / "Makefile").write_text("main:\n\t@true\n")
    return root


@pytest.fixture
def plan(programs: Path, ncu: str, tmp_path: Path) -> Plan:
    return Plan(programs, tmp_path / "out" / "set.csv", Options(ncu=ncu, limit_s=60))


def test_a_data_set_that_evaluate_reads_and_failures_by_name(plan: Plan) -> None:
    told: list[str] = []
    outcomes = collect(plan, tell=told.append)
    assert [(each.program, each.kernels, each.stage) for each in outcomes] == [
        ("broken-cuda", 0, "build"),
        ("good-cuda", 2, None),
        ("silent-cuda", 0, "run"),
    ]
    assert outcomes[0].reason == "it ended with 2: main.cu(3): error: expected a ;"
    assert "no target 'run'" in outcomes[2].reason
    first, second = read_dataset(plan.table)
    assert (first.program, first.args) == ("good-cuda", ("1000", "two words"))
    assert first.kernel == "saxpy(int, float, const float *, float *)"
    assert (first.grid, first.block) == ((3907, 1, 1), (256, 1, 1))
    assert (first.sp_flops, first.int_ops) == (3e6, 7e6)
    assert (first.dram_bytes, first.time_ns) == (12e6, 17310)
    assert first.label is second.label is Verdict.BANDWIDTH_BOUND
    assert told[:2] == ["[1/3] broken-cuda", f"  build failed: {outcomes[0].reason}"]


def test_what_is_done_is_not_done_again(plan: Plan, programs: Path) -> None:
    collect(plan)
    before = plan.table.read_text()
    (programs / "silent-cuda" / "Makefile").write_text(MAKEFILE)
    told: list[str] = []
    outcomes = collect(plan, tell=told.append)
    assert told[0] == "1 of 3 programs are done already"
    assert [(each.program, each.stage) for each in outcomes] == [
        ("broken-cuda", "build"),
        ("silent-cuda", None),
    ]
    after = plan.table.read_text()
    assert after.startswith(before)
    assert len(read_dataset(plan.table)) == 4


def test_a_run_that_was_cut_short_leaves_no_half_program(plan: Plan) -> None:
    collect(plan)
    whole = plan.table.read_text()
    lines = plan.progress.read_text().splitlines(keepends=True)
    # Killed while writing the rows of the last program, and the last line of progress.
    plan.table.write_text(f'{whole}half-cuda,"k(int)",,"(1, 1, 1)","(1')
    plan.progress.write_text(f"{''.join(lines)}{lines[0][:10]}")
    collect(plan)
    assert plan.table.read_text() == whole
    # Killed before its progress was noted: it is measured again, and its rows are not doubled.
    plan.progress.write_text("")
    collect(plan)
    assert plan.table.read_text() == whole


def test_other_commands_and_programs(plan: Plan, programs: Path, ncu: str) -> None:
    (programs / "good-cuda" / "tool").write_text("#!/bin/sh\nexit 0\n")
    (programs / "good-cuda" / "tool").chmod(0o755)
    own = Plan(
        programs, plan.table, plan.options, build="", command="./tool -n 5", only=("good-cuda",)
    )
    shown: list[str] = []
    (outcome,) = collect(own, show=lambda command: shown.append(" ".join(command)))
    assert outcome.kernels == 2
    assert len(shown) == 1
    assert shown[0].endswith("./tool -n 5")
    assert read_dataset(plan.table)[0].args == ("-n", "5")


def test_a_build_that_takes_too_long(plan: Plan, programs: Path) -> None:
    slow = Plan(
        programs, plan.table, plan.options, build="sleep 60", only=("good-cuda",), build_limit_s=0.3
    )
    (outcome,) = collect(slow)
    assert (outcome.stage, outcome.reason) == ("build", "it took longer than 0.3 s")


def test_a_gpu_that_is_not_known(plan: Plan, programs: Path) -> None:
    unknown = Plan(programs, plan.table, plan.options, only=("good-cuda",), gpu="Voodoo 2")
    (outcome,) = collect(unknown)
    assert outcome.stage == "profile"
    assert "Voodoo 2" in outcome.reason
    assert "--gpu" in outcome.reason


def test_a_program_that_crashes_gives_what_was_measured(plan: Plan, programs: Path) -> None:
    makefile = MAKEFILE.replace("exit 0", "exit 3")
    (programs / "good-cuda" / "Makefile").write_text(makefile)
    outcomes = {each.program: each for each in collect(plan)}
    assert outcomes["good-cuda"].kernels == 2
    assert "the program ended with 3" in outcomes["good-cuda"].reason


def test_what_cannot_be_collected(plan: Plan, programs: Path, tmp_path: Path) -> None:
    with pytest.raises(ProfilerError, match="there is no program 'lost-cuda'"):
        collect(Plan(programs, plan.table, plan.options, only=("lost-cuda",)))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ProfilerError, match="no folder in it has a Makefile"):
        collect(Plan(tmp_path / "empty", plan.table, plan.options))
    with pytest.raises(ProfilerError, match="cannot be read"):
        collect(Plan(tmp_path / "nowhere", plan.table, plan.options))
    plan.table.parent.mkdir(exist_ok=True)
    plan.table.write_text("my,notes\n1,2\n")
    with pytest.raises(ProfilerError, match="name another file"):
        collect(plan)
    assert plan.table.read_text() == "my,notes\n1,2\n"


def test_the_command(
    plan: Plan, programs: Path, ncu: str, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["study", "collect", str(programs), "--output", str(plan.table), "--ncu", ncu]
    assert main(argv) == 1
    said = capsys.readouterr()
    assert said.out.splitlines()[0] == f"2 kernels of 1 program added to {plan.table}"
    assert "2 programs failed:" in said.out
    assert "  broken-cuda: build: it ended with 2" in said.out
    assert "  $ cd " in said.err
    progress = [json.loads(line) for line in plan.progress.read_text().splitlines()]
    assert [each["stage"] for each in progress] == ["build", None, "run"]
    assert main([*argv[:-1], "/no/ncu"]) == 2
    assert "'/no/ncu' is no program" in capsys.readouterr().err
