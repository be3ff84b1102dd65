"""Work shared out to processes: the same reports byte for byte, and what breaks costs itself."""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import pickle
import resource
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.api.tasks import task_reports
from roofline_analysis.project.file_states import ReadLog
from roofline_analysis.project.files import read_file
from roofline_analysis.project.tasks import ProgramTask
from roofline_analysis.report.report import FileReport
from roofline_core.algebra.symbolic import forget_unused_atoms
from roofline_core.program.stages import StageClock, measured
from roofline_core.settings import Settings
from roofline_lsp.batch import workers
from roofline_lsp.batch.options import BatchOptions, processors
from roofline_lsp.batch.workers import TaskAnalyser, analysed
from roofline_lsp.cli.main import main
from roofline_lsp.cli.options import jobs as jobs_given

ROOT = Path(__file__).parents[2]
SOURCES = ("examples/opencl", "examples/softmax.cu")


def task(path: Path, *more: Path) -> ProgramTask:
    return ProgramTask((path, *more), (path, *more), (), path.parent)


def checked(*options: str) -> tuple[int, bytes, bytes]:
    """A run of the command on many files of this repository."""
    command = [sys.executable, "-m", "roofline_lsp", "--check", *SOURCES, "--format", "json"]
    ran = subprocess.run(
        [*command, "--no-progress", *options],
        cwd=ROOT,
        capture_output=True,
        timeout=600,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


def test_reports_are_the_same_with_cache_and_jobs(tmp_path: Path) -> None:
    plain = checked("--no-cache", "--jobs", "1")
    assert len(json.loads(plain[1])["files"]) > 2
    kept = ("--cache-dir", str(tmp_path / "kept"))
    assert checked("--no-cache", "--jobs", "2") == plain
    assert checked("--no-cache", "--jobs", "4") == plain
    assert checked(*kept, "--jobs", "2") == plain
    assert checked(*kept) == plain
    assert checked(*kept, "--jobs", "4") == plain


def test_two_runs_share_a_cache(tmp_path: Path) -> None:
    plain = checked("--no-cache")
    command = [sys.executable, "-m", "roofline_lsp", "--check", *SOURCES, "--format", "json"]
    command += ["--no-progress", "--cache-dir", str(tmp_path / "kept")]
    both = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    for each in both:
        out, err = each.communicate(timeout=600)
        assert (each.returncode, out, err) == plain


@pytest.fixture
def programs(tmp_path: Path) -> list[ProgramTask]:
    """Programs of one, two and three files, the largest last."""
    found = []
    for number in range(3):
        paths = []
        for part in range(number + 1):
            path = tmp_path / f"p{number}" / f"k{part}.cu"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"__global__ void k{part}(float *x) {{ x[threadIdx.x] = {part}; }}\n")
            paths.append(path)
        found.append(task(*paths))
    return found


def names(reports: tuple[FileReport, ...]) -> list[str]:
    return [f"{report.path.parent.name}/{report.path.name}" for report in reports]


def breaking(monkeypatch: pytest.MonkeyPatch, how: Callable[[], Any], name: str) -> None:
    """Have the analysis of every program break that has a file of a name among its members."""
    real = task_reports

    def broken(given: ProgramTask, *rest: Any) -> Any:
        if any(str(path).endswith(name) for path in given.members):
            how()
        return real(given, *rest)

    monkeypatch.setattr(workers, "task_reports", broken)


def run_all(programs: list[ProgramTask], jobs: int) -> list[tuple[FileReport, ...]]:
    analyser = TaskAnalyser(Settings(), ReadLog(read_file))
    made = dict(analysed(programs, analyser, BatchOptions(jobs)))
    return [made[index].reports for index in range(len(programs))]


def test_the_largest_program_is_begun_first(
    programs: list[ProgramTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[ProgramTask] = []

    def noted(_: object, items: list[ProgramTask], **options: Any) -> list[Any]:
        assert options["jobs"] == 2
        given.extend(items)
        return []

    monkeypatch.setattr("roofline_study.workers.in_processes", noted)
    small, middle, large = programs
    analyser = TaskAnalyser(Settings(), ReadLog(read_file))
    assert not [*analysed([small, middle, small, large], analyser, BatchOptions(2))]
    assert given == [large, middle, small, small]


@pytest.mark.parametrize(
    ("jobs", "programs", "processes"),
    [(None, 7, 1), (None, 8, 6), (None, 1000, 6), (1, 1000, 1), (3, 1, 3)],
)
def test_as_many_processes_as_suit(
    jobs: int | None, programs: int, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roofline_lsp.batch.options.processors", lambda: 6)
    assert BatchOptions(jobs).processes_for(programs) == processes


def test_many_processors_are_not_all_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofline_lsp.batch.options.processors", lambda: 192)
    assert BatchOptions(None).processes_for(1000) == 8
    assert jobs_given("auto") == processors()


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def crashed() -> None:
    faulthandler.disable()
    os.kill(os.getpid(), signal.SIGSEGV)


def left() -> None:
    os._exit(3)


@pytest.mark.parametrize(
    ("how", "told"), [(killed, "SIGKILL"), (crashed, "SIGSEGV"), (left, "exit status 3")]
)
def test_a_file_that_ends_its_process_costs_itself(
    programs: list[ProgramTask],
    monkeypatch: pytest.MonkeyPatch,
    how: Callable[[], None],
    told: str,
) -> None:
    good = run_all(programs, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    breaking(monkeypatch, how, "p2/k1.cu")
    found = run_all(programs, 2)
    assert found[:2] == good[:2]
    assert names(found[2]) == ["p2/k0.cu", "p2/k1.cu", "p2/k2.cu"]
    assert (found[2][0], found[2][2]) == (good[2][0], good[2][2])
    assert found[2][1].kernels == ()
    (problem,) = found[2][1].problems
    assert f"not analysed: the process ended by itself ({told})" in problem.message
    assert "--jobs 1" in problem.message


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_costs_its_file(
    programs: list[ProgramTask], monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    def raising() -> None:
        raise RecursionError("too deep")

    good = run_all(programs, jobs)
    breaking(monkeypatch, raising, "p2/k1.cu")
    found = run_all(programs, jobs)
    assert found[:2] == good[:2]
    assert (found[2][0], found[2][2]) == (good[2][0], good[2][2])
    (problem,) = found[2][1].problems
    assert problem.message.startswith("internal error, please report it: RecursionError: too deep")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux alone")
def test_a_worker_may_not_take_all_memory(
    programs: list[ProgramTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy() -> None:
        held = []
        while True:
            held.append(bytes(1 << 28))

    good = run_all(programs, 2)
    breaking(monkeypatch, greedy, "p2/k1.cu")
    found = run_all(programs, 2)
    assert found[:2] == good[:2]
    assert (found[2][0], found[2][2]) == (good[2][0], good[2][2])
    (problem,) = found[2][1].problems
    assert "MemoryError" in problem.message


def test_unusable_settings_end_the_run(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "compile_commands.json").write_text("{")
    (project / "roofline.toml").write_text('compile-commands = "compile_commands.json"\n')
    (project / "other").mkdir()
    (project / "other" / "k.cu").write_text("__global__ void k(float *x) { x[0] = 1; }\n")
    said = []
    for jobs in ("1", "2"):
        code = main(["--check", "src", "other", "--no-cache", "--jobs", jobs])
        said.append((code, capsys.readouterr().err))
    assert said[0] == said[1]
    assert said[0][0] == 2
    assert "no valid JSON" in said[0][1]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "k.cu").write_text("__global__ void k(float *x) { x[0] = 1; }\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_processes_spend_is_told(programs: list[ProgramTask]) -> None:
    counts = []
    for jobs in (1, 2):
        with measured() as clock:
            run_all(programs, jobs)
        counts.append(clock.counts)
        assert all(seconds >= 0 for seconds in clock.seconds.values())
    assert counts[0]["kernels"] == counts[1]["kernels"] == 6
    assert counts[0]["programs"] == counts[1]["programs"] == 3


def test_clocks_add_up() -> None:
    one, other = StageClock(), StageClock()
    other.counts["kernels"] = 2
    one.add(other)
    one.add(other)
    assert one.counts["kernels"] == 4


def test_an_analyser_travels_to_a_process_that_is_no_copy() -> None:
    analyser = TaskAnalyser(Settings(), ReadLog(read_file))
    made = pickle.loads(pickle.dumps(analyser))
    assert made.settings == analyser.settings


def test_reading_leaves_little_behind(programs: list[ProgramTask]) -> None:
    """What other programs than the last one read is dropped, which bounds a process's memory."""
    analyser = TaskAnalyser(Settings(), ReadLog(read_file))
    list(analysed(programs, analyser, BatchOptions()))
    small, middle, large = ({*each.units} for each in programs)
    assert analyser.cache.load.units.keys() == small | middle | large
    programs[0].units[0].write_bytes(b"// long\n" * 200_000)
    list(analysed(programs[:1], analyser, BatchOptions()))
    assert analyser.cache.load.units.keys() == large | small


class Ring:
    """What no count of references frees."""

    def __init__(self) -> None:
        self.itself = self


def test_what_was_dropped_goes_once_much_more_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What outlives a collection is passed over until as much has come as a run may keep."""
    monkeypatch.setattr(workers, "_MOST_NEW_OBJECTS", 10_000)
    analyser = TaskAnalyser(Settings(), ReadLog(read_file))
    forget_unused_atoms()  # of other tests, which a collection would let go, too
    try:
        analyser._freeze()
        at_once = weakref.ref(Ring())
        ring = Ring()
        later = weakref.ref(ring)
        analyser._collect()
        assert at_once() is None
        del ring
        analyser._collect()
        assert later() is not None
        kept = [Ring() for _ in range(20_000)]
        analyser._collect()
        assert later() is not None
        analyser._collect()
        assert later() is None
        assert len(kept) == 20_000
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("keeping", [True, False])
def test_states_are_made_for_those_who_keep_reports(
    programs: list[ProgramTask], *, keeping: bool
) -> None:
    analyser = TaskAnalyser(Settings(), ReadLog(read_file), keeping=keeping)
    (made,) = (each for _, each in analysed(programs[:1], analyser, BatchOptions()))
    assert [report.path for report in made.reports] == list(programs[0].members)
    assert (made.states is not None) == keeping


def test_files_that_are_kept_take_no_further_room(programs: list[ProgramTask]) -> None:
    """A program of many files that others share does not have all of them looked through."""
    programs[0].units[0].write_bytes(b"// long\n" * 20_000)
    analyser = TaskAnalyser(Settings(), ReadLog(read_file))
    small, middle = ({*each.units} for each in programs[:2])
    for index in (1, 0, 0, 0):
        list(analysed([programs[index]], analyser, BatchOptions()))
    assert analyser.cache.load.units.keys() == small | middle
