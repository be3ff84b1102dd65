"""A program run under a profiler that is played by a script; no number was measured."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from roofline_lsp.cli.main import main
from roofline_profiling import process
from roofline_profiling.errors import ProfilerError
from roofline_profiling.ncu_command import Options, command_line, find_ncu
from roofline_profiling.profile import PERMISSION, Profiled, profile
from roofline_profiling.store import load
from roofline_profiling.store_path import store_path
from tests.profiling.report_file import FakeLaunch, report_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are scripts")

FAKE = Path(__file__).with_name("fake_ncu.py")

Ran = tuple[int, str, str]
Mode = Callable[[str], None]


@pytest.fixture
def ncu(tmp_path: Path) -> str:
    path = tmp_path / "bin" / "ncu"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE} "$@"\n')
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def app(tmp_path: Path) -> str:
    """Prints its arguments, and ends with the number that it is given."""
    path = tmp_path / "app"
    path.write_text('#!/bin/sh\necho "running $@"\nexit ${2:-0}\n')
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def mode(monkeypatch: pytest.MonkeyPatch) -> Mode:
    return lambda name: monkeypatch.setenv("FAKE_NCU", name)


@pytest.fixture
def quiet() -> int:
    """Where the program prints."""
    return os.open(os.devnull, os.O_WRONLY)


def names(found: Profiled) -> list[str]:
    return [each.kernel.partition("(")[0] for each in found.measurements]


def test_what_is_asked_of_ncu() -> None:
    command = command_line("/opt/ncu", ["./app", "7"], Options(), "log.csv")
    assert command[0] == "/opt/ncu"
    assert command[-4:] == ["--log-file", "log.csv", "./app", "7"]
    pairs = dict(pairwise(command))
    assert pairs["--cache-control"] == "all"
    assert pairs["--clock-control"] == "base"
    assert pairs["--replay-mode"] == "kernel"
    assert pairs["--page"] == "raw"
    assert pairs["--print-units"] == "base"
    assert pairs["--kernel-id"] == ":::1"
    metrics = pairs["--metrics"].split(",")
    assert len(metrics) == len(set(metrics))
    for needed in ("op_ffma_pred_on", "op_dfma_pred_on", "op_hfma_pred_on", "op_integer_pred_on"):
        assert any(needed in metric for metric in metrics)
    assert {"dram__bytes_read.sum", "lts__t_bytes.sum", "gpu__time_duration.sum"} <= set(metrics)


@pytest.mark.parametrize(
    ("options", "selection"),
    [
        (Options(launches=3), ["--kernel-id", ":::1|2|3"]),
        (Options(kernel="sax.*"), ["--kernel-id", "::regex:sax.*:1"]),
        (Options(kernel="sax.*", launches=None), ["--kernel-name", "regex:sax.*"]),
    ],
)
def test_which_launches_are_asked_for(options: Options, selection: list[str]) -> None:
    command = command_line("ncu", ["./app"], options, "log")
    at = command.index(selection[0])
    assert command[at : at + 2] == selection


def test_all_launches_need_no_selection() -> None:
    command = command_line("ncu", ["./app"], Options(launches=None), "log")
    assert not {"--kernel-id", "--kernel-name"} & set(command)


def test_a_colon_cannot_be_in_the_filter() -> None:
    with pytest.raises(ProfilerError, match="without its namespaces"):
        command_line("ncu", ["./app"], Options(kernel="a::b"), "log")


def test_a_whole_run(ncu: str, app: str, quiet: int) -> None:
    shown: list[list[str]] = []
    seen: list[tuple[int, str]] = []
    found = profile(
        [app, "1000000"],
        Options(ncu=ncu),
        show=lambda command: shown.append(list(command)),
        progress=lambda number, name: seen.append((number, name)),
        output=quiet,
    )
    assert found.problems == ()
    assert names(found) == ["saxpy", "polynomial"]
    first = found.measurements[0]
    assert first.args == ("1000000",)
    assert first.gpu == "NVIDIA GeForce RTX 3080"
    assert first.sp_flops == 3e6
    assert first.moved_bytes == 12e6
    assert first.time_ns == pytest.approx(17310)
    assert shown[0][-2:] == [app, "1000000"]
    assert seen == [(1, "saxpy"), (2, "polynomial")]


def test_no_permission(ncu: str, app: str, mode: Mode, quiet: int) -> None:
    mode("permission")
    with pytest.raises(ProfilerError) as error:
        profile([app], Options(ncu=ncu), output=quiet)
    assert str(error.value) == PERMISSION


def test_a_metric_that_the_gpu_lacks_is_left_out(
    ncu: str, app: str, mode: Mode, quiet: int
) -> None:
    mode("metric")
    found = profile([app], Options(ncu=ncu), output=quiet)
    assert found.problems == ()
    assert found.measurements[0].sm_clock_mhz is None
    assert found.measurements[0].sp_flops == 3e6


def test_a_program_that_crashes_leaves_what_was_measured(ncu: str, app: str, quiet: int) -> None:
    found = profile([app, "x", "139"], Options(ncu=ncu), output=quiet)
    assert names(found) == ["saxpy", "polynomial"]
    assert found.problems == (
        f"{app}: the program was ended by signal 11; launches before that are kept",
    )
    found = profile([app, "x", "3"], Options(ncu=ncu), output=quiet)
    assert "the program ended with 3" in found.problems[0]


@pytest.mark.parametrize("how", ["hang", "stubborn"])
def test_time_is_up(
    ncu: str, app: str, mode: Mode, quiet: int, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode(how)
    monkeypatch.setattr(
        process.run, "__kwdefaults__", {**(process.run.__kwdefaults__ or {}), "grace_s": 0.5}
    )
    found = profile([app], Options(ncu=ncu, limit_s=1.5), output=quiet)
    assert names(found) == ["saxpy"]
    assert "stopped after 1.5 s; what was measured by then is kept" in found.problems[0]
    assert "--time-limit" in found.problems[0]


def test_a_profiler_that_is_killed(ncu: str, app: str, mode: Mode, quiet: int) -> None:
    mode("killed")
    found = profile([app], Options(ncu=ncu), output=quiet)
    assert names(found) == ["saxpy"]
    assert found.problems == (f"{app}: the profiler was ended by signal 9",)


def test_nothing_was_launched(ncu: str, app: str, mode: Mode, quiet: int) -> None:
    mode("none")
    with pytest.raises(ProfilerError, match="nothing was measured: no launch on a GPU was seen"):
        profile([app], Options(ncu=ncu), output=quiet)
    with pytest.raises(ProfilerError, match="no kernel's name matches 'zz'"):
        profile([app], Options(ncu=ncu, kernel="zz"), output=quiet)


def test_an_error_of_the_profiler_itself(ncu: str, app: str, mode: Mode, quiet: int) -> None:
    mode("error")
    with pytest.raises(ProfilerError, match="ended with 9: Cuda driver is not compatible"):
        profile([app], Options(ncu=ncu), output=quiet)


def test_what_is_not_there(
    app: str, ncu: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ProfilerError, match="'/no/ncu' is no program"):
        find_ncu("/no/ncu")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("roofline_profiling.ncu_command._PLACES", ())
    with pytest.raises(ProfilerError, match=r"\(ncu\) is not installed: .* --ncu PATH"):
        profile([app], Options())
    with pytest.raises(ProfilerError, match="no such program; build it first"):
        profile(["./lost"], Options(ncu=ncu))
    (tmp_path / "notes.txt").write_text("not a program")
    with pytest.raises(ProfilerError, match="not an executable file"):
        profile(["notes.txt"], Options(ncu=ncu), folder=tmp_path)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C works: a process started in the background inherits that it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_keeps_what_was_measured(ncu: str, app: str, mode: Mode, quiet: int) -> None:
    mode("hang")
    timer = threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    found = profile([app], Options(ncu=ncu), output=quiet)
    assert found.interrupted
    assert names(found) == ["saxpy"]
    assert "interrupted; what was measured by then is kept" in found.problems[0]


def test_a_run_ends_all_that_it_started(tmp_path: Path, quiet: int) -> None:
    script = tmp_path / "parent"
    script.write_text(f"#!/bin/sh\nsleep 600 &\necho $! > {tmp_path}/child\nwait\n")
    script.chmod(0o755)
    ended = process.run([str(script)], limit_s=0.7, output=quiet, grace_s=0.5)
    assert ended.timed_out
    child = int((tmp_path / "child").read_text())
    for _ in range(50):
        if not _runs(child):
            break
        time.sleep(0.1)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    # One that has ended may wait for its parent to notice.
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_report_is_written_and_read(
    ncu: str, app: str, quiet: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = report_file([FakeLaunch("k(int)", (1, 1, 1), (32, 1, 1), {"dram__bytes.sum": 64})])
    monkeypatch.setenv("FAKE_REPORT", made.hex())
    report = tmp_path / "kept.ncu-rep"
    shown: list[str] = []
    options = Options(ncu=ncu, report=report)
    real = importlib.util.find_spec("ncu_report") is not None
    for there in (True, False) if real else (False,):
        if not there:
            monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        found = profile([app], options, show=shown.extend, output=quiet)
        assert report.read_bytes() == made
        kernels = [each.kernel for each in found.measurements]
        # The profiler's own table is the stand-in's, which has another kernel.
        assert kernels == (["k(int)"] if there else ["saxpy(int, float, const float *, float *)"])
    assert {"--export", "--section", "SourceCounters", "--force-overwrite"} <= set(shown)


# ---- The command


def run(capsys: pytest.CaptureFixture[str], *argv: str | Path) -> Ran:
    capsys.readouterr()
    code = main([str(each) for each in argv])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_the_command_keeps_and_compares(
    capsys: pytest.CaptureFixture[str], ncu: str, app: str, project: Path
) -> None:
    code, out, err = run(
        capsys, "--profile", "--ncu", ncu, "--sources", project, "--", app, "1000000"
    )
    assert code == 0
    assert err.startswith(f"$ {ncu} --csv")
    assert "profiling launch 1: saxpy\n" in err
    assert "2 launches of 2 kernels" in out
    assert out.splitlines()[-1].startswith("kept in ")
    records = load(store_path(project)).records
    assert [each.measurement.kernel.partition("(")[0] for each in records] == [
        "saxpy",
        "polynomial",
    ]
    assert {each.source for each in records} == {"src/main.cu"}
    assert all(each.body for each in records)
    assert {each.gpu for each in records} == {"GeForce RTX 3080 10GB"}
    code, out, err = run(capsys, "--validate", "--sources", project)
    assert code == 0
    assert "2 launches of 2 kernels" in out


def test_the_command_with_a_crash_ends_with_1(
    capsys: pytest.CaptureFixture[str], ncu: str, app: str, project: Path
) -> None:
    code, out, err = run(
        capsys, "--profile", "--ncu", ncu, "--sources", project, "--no-store", "--", app, "1", "139"
    )
    assert code == 1
    assert "ended by signal 11" in err
    assert "saxpy" in out
    assert not store_path(project).exists()


def test_the_command_runs_nothing_when_dry(capsys: pytest.CaptureFixture[str], app: str) -> None:
    code, out, err = run(capsys, "--profile", "--dry-run", "--launches", "all", "--", app, "a b")
    assert (code, err) == (0, "")
    assert out.startswith("ncu --csv --page raw")
    assert out.endswith(f"--log-file measured.csv {app} 'a b'\n")


def test_the_command_without_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "--profile")
    assert code == 2
    assert "name the program to profile: roofline-lsp --profile -- ./app args" in err


def test_options_of_the_program_are_its_own(capsys: pytest.CaptureFixture[str], app: str) -> None:
    code, out, _ = run(capsys, "--profile", "--dry-run", "--", app, "--validate", "--version")
    assert code == 0
    assert out.endswith(f"{app} --validate --version\n")
