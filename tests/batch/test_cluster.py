"""The same check on a Dask cluster of processes: runs and workers are killed, nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.project.file_states import ReadLog
from roofline_analysis.project.tasks import ProgramTask
from roofline_core.program.errors import RooflineError
from roofline_core.settings import Settings
from roofline_lsp.batch import cluster
from roofline_lsp.batch.cluster import ClusterError, on_cluster
from roofline_lsp.batch.options import BatchOptions
from roofline_lsp.batch.workers import TaskAnalyser, analysed
from roofline_lsp.cli.files import read_regular

distributed = pytest.importorskip(
    "distributed", reason="the extra `distributed` is not installed: pip install -e '.[dev]'"
)

COMMAND = (sys.executable, "-m", "roofline_lsp", "--check")
KERNEL = """\
__global__ void k{number}(int n, float *x) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * {number}.0f;
}}
int main() {{
    float *x;
    cudaMalloc(&x, {number} << 20);
    k{number}<<<4096, 256>>>({number} << 18, x);
}}
"""
PROGRAMS = 12
LARGEST = "// the largest is begun first\n" * 20


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which workers say that they hold a program, until it has a file ``go``."""
    return tmp_path_factory.mktemp("held")


@pytest.fixture(scope="module")
def client(held: Path) -> Iterator[Any]:
    """A client of a cluster of two processes, whose workers hold programs called ``held.cu``."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}
    with (
        distributed.LocalCluster(**options, dashboard_address="127.0.0.1:0") as made,
        distributed.Client(made, set_as_default=False) as found,
    ):
        found.register_plugin(Held(str(held)))
        yield found


class Held(distributed.WorkerPlugin):  # type: ignore[misc, name-defined]
    """What a worker does when it starts."""

    name = "held"

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def setup(self, worker: object) -> None:
        hold_programs(self.folder)


def hold_programs(folder: str) -> None:
    """Wait from now on for ``go`` with programs that are to be held; end at those that kill."""
    from roofline_analysis.api.tasks import task_reports
    from roofline_lsp.batch import workers

    def held_back(task: Any, *rest: Any) -> Any:
        if any(path.name == "held.cu" for path in task.members):
            mine = Path(folder, f"by-{os.getpid()}")
            mine.touch()
            while not Path(folder, "go").exists():
                time.sleep(0.01)
            mine.unlink()
        if any(path.name == "killer.cu" for path in task.members):
            os.kill(os.getpid(), signal.SIGKILL)
        return task_reports(task, *rest)

    module: Any = workers
    module.task_reports = held_back


def holding(held: Path) -> list[int]:
    """The processes that hold a program."""
    return [int(path.name.removeprefix("by-")) for path in held.glob("by-*")]


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Many programs, one of which is held."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / ".git").mkdir()
    for number in range(1, PROGRAMS):
        (folder / f"p{number}.cu").write_text(KERNEL.format(number=number))
    (folder / "held.cu").write_text(LARGEST + KERNEL.format(number=PROGRAMS))
    return folder


def address(client: Any) -> str:
    return str(client.cluster.scheduler_address)


def wait_for(what: Callable[[], Any], process: subprocess.Popen[str]) -> Any:
    """What there is once there is something, as long as a process runs that brings it about."""
    since = time.monotonic()
    while not (found := what()):
        assert time.monotonic() - since < 600
        if process.poll() is not None:
            pytest.fail(f"it ended before: {process.communicate()}")
        time.sleep(0.02)
    return found


def records(path: Path) -> Counter[str]:
    """How often each record stands in an output, but for those of programs."""
    texts = path.read_text(encoding="utf-8").splitlines()
    return Counter(text for text in texts if not text.startswith('{"program"'))


def started(programs: Path, out: Path, *options: str) -> subprocess.Popen[str]:
    command = [*COMMAND, str(programs), "--output", str(out), "--no-cache", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, err = process.communicate(timeout=600)
    return process.returncode, err


def test_a_killed_run_and_a_killed_worker_lose_and_double_nothing(
    client: Any, held: Path, programs: Path, tmp_path: Path
) -> None:
    whole = subprocess.run(
        [*COMMAND, str(programs), "--format", "ndjson", "--no-cache"],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    ).stdout
    out = tmp_path / "out.ndjson"
    options = ("--scheduler", address(client))

    # A run is killed that has most records, but none of the program that a worker holds.
    run = started(programs, out, *options)
    wait_for(lambda: out.exists() and out.read_text().count('{"program"') > PROGRAMS // 2, run)
    (_,) = wait_for(lambda: holding(held), run)  # A busy machine may start that worker last.
    run.kill()
    run.communicate()
    assert run.returncode == -signal.SIGKILL
    known = out.read_text().count('{"program"')
    assert PROGRAMS // 2 < known < PROGRAMS
    (held / "go").touch()
    while holding(held):
        time.sleep(0.02)
    (held / "go").unlink()

    # It goes on. The worker that holds the program now is killed, while it does.
    run = started(programs, out, *options, "--resume")
    (pid,) = wait_for(lambda: holding(held), run)
    assert pid in client.run(os.getpid).values()
    os.kill(pid, signal.SIGKILL)
    (held / "go").touch()
    code, err = ended(run)
    assert code == 0, err
    assert f"{PROGRAMS} programs, {known} of them taken over, {PROGRAMS} files" in err
    assert records(out) == Counter(whole.splitlines())
    assert [path.name for path in tmp_path.glob("out*")] == ["out.ndjson"]

    # The cluster starts another worker.
    client.wait_for_workers(2, timeout=600)


def test_a_program_that_ends_its_workers_costs_itself(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)
    for name in ("killer", "other"):
        (tmp_path / f"{name}.cu").write_text(KERNEL.format(number=1))
    (tmp_path / ".git").mkdir()
    options = ("--scheduler", address(client))
    ran = subprocess.run(
        [*COMMAND, str(tmp_path), "--format", "json", "--no-cache", *options],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 1
    killer, other = json.loads(ran.stdout)["files"]
    (problem,) = killer["problems"]
    assert problem["message"].startswith(
        "not analysed: the process ended by itself, on several workers; the memory may not have"
    )
    assert killer["kernels"] == []
    assert [kernel["base_name"] for kernel in other["kernels"]] == ["k1"]
    assert other["problems"] == []
    client.wait_for_workers(2, timeout=600)


class Doubling:
    """Work that is not the analyser's."""

    def begun(self) -> Callable[[int], int]:
        return self.doubled

    def doubled(self, number: int) -> int:
        if number == 7:
            raise ValueError("seven")
        return 2 * number


def test_each_item_comes_to_one_outcome(client: Any) -> None:
    """More items than are given out at a time."""
    items = range(100)
    done = {each.index: each for each in on_cluster(Doubling(), items, address(client))}
    assert len(done) == len(items)
    failed = done.pop(7)
    assert (failed.result, str(failed.failure)[:17]) == (None, "ValueError: seven")
    assert all(each.result == 2 * index for index, each in done.items())


def test_another_version_is_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "code_digest", lambda: "another")
    with pytest.raises(ClusterError, match="a worker has another version of roofline-lsp"):
        list(on_cluster(Doubling(), [1], address(client)))


def test_no_scheduler_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_ANSWER_S", "1s")
    for wrong in ("tcp://127.0.0.1:1", "nonsense"):
        with pytest.raises(ClusterError, match=f"{wrong}: no scheduler answers"):
            list(on_cluster(Doubling(), [1], wrong))


def test_settings_that_mean_something_else_elsewhere_are_refused(tmp_path: Path) -> None:
    for settings, told in (
        (Settings(gpu="auto"), "name one, such as --gpu A100"),
        (Settings(ceilings="measured"), "leave it out with --scheduler"),
    ):
        analyser = TaskAnalyser(settings, ReadLog(read_regular))
        task = ProgramTask((tmp_path,), (tmp_path,), (), tmp_path)
        with pytest.raises(RooflineError, match=told):
            list(analysed([task], analyser, BatchOptions(scheduler="tcp://127.0.0.1:1")))
