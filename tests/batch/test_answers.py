"""Answers of whole runs: given again only where nothing has changed that the run looked at."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_core.program.asked import ANYTHING
from roofline_lsp.batch import answers as module
from roofline_lsp.batch.answers import Answers, RunAnswer
from roofline_lsp.cli import check
from roofline_lsp.cli.main import main

KERNEL = "__global__ void work(int n, float *x) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }\n"
LATER_NS = 60_000_000_000
KEY = b"key"
ANSWER = RunAnswer("what was \x1b[31mwritten\n", "told\n", 1)


class Requests:
    """Runs in a folder whose clock stands a minute after everything that was written."""

    def __init__(self, capsys: pytest.CaptureFixture[str], kept: Path) -> None:
        self.checks = 0
        """The runs that were not answered at once."""
        self._capsys = capsys
        self._kept = kept

    def run(self, *options: str) -> tuple[int, str, str]:
        self._capsys.readouterr()
        # A slow machine has a progress bar to draw, which is none of the answer.
        code = main(["--check", *options, "--no-progress", "--cache-dir", str(self._kept)])
        captured = self._capsys.readouterr()
        return code, captured.out, captured.err

    def checked(self, *options: str) -> tuple[int, str, str]:
        """A run that is not answered at once, and the same as without a cache."""
        before = self.checks
        found = self.run(*options)
        assert self.checks == before + 1
        assert self.run(*options, "--no-cache") == found
        return found

    def answered(self, *options: str) -> tuple[int, str, str]:
        """A run that is, and the same as without a cache."""
        before = self.checks
        found = self.run(*options)
        assert self.checks == before
        assert self.run(*options, "--no-cache") == found
        return found


@pytest.fixture
def requests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Requests:
    made = Requests(capsys, tmp_path / "kept")
    real_check, real_now = check.run, module.now_ns

    def noting(options: Any) -> int:
        made.checks += 1
        return real_check(options)

    monkeypatch.setattr(check, "run", noting)
    monkeypatch.setattr("roofline_lsp.cli.answered.now_ns", lambda: real_now() + LATER_NS)
    (tmp_path / "project" / "src").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    Path("roofline.toml").write_text('gpu = "A100"\n')
    Path("src/work.cu").write_text(KERNEL)
    return made


def test_the_same_request_is_answered_at_once(requests: Requests) -> None:
    first = requests.checked("src")
    assert "1 kernel: 0 CB, 1 BB" in first[1]
    assert requests.answered("src") == first
    assert requests.answered("src", "--jobs", "3", "--no-progress") == first
    as_json = requests.checked("src", "--format", "json")
    assert requests.answered("src", "--format", "json") == as_json
    assert requests.answered("src") == first


def test_exit_codes_and_messages_are_given_again(requests: Requests) -> None:
    Path("src/bad.cu").write_bytes(b"\x00\x01")
    Path("roofline.toml").write_text('gpu = "A100"\n[advisor]\nenabled = true\n')
    assert requests.checked("src", "--fail-on", "bb")[0] == 1
    code, _, err = requests.answered("src", "--fail-on", "bb")
    assert code == 1
    assert "warning" in err
    assert requests.checked("src", "--fail-on", "cb", "--quiet")[1] == ""
    assert "bad.cu" in requests.answered("src", "--fail-on", "cb", "--quiet")[2]


def header_appears() -> None:
    Path("src/more.cu").write_text(KERNEL.replace("work", "more"))


def file_goes() -> None:
    Path("src/other.cu").unlink()


def folder_becomes_a_link() -> None:
    shutil.move("src/deep", "moved")
    Path("src/deep").symlink_to(Path("moved").absolute())


def root_is_marked() -> None:
    Path("src/.git").mkdir()


def measurements_appear() -> None:
    Path(".roofline").mkdir()
    Path(".roofline/measurements.jsonl").write_text("")


def settings_file_comes_nearer() -> None:
    Path("src/roofline.toml").write_text('gpu = "MI300X"\n')


def edited_at_the_same_time() -> None:
    """As many bytes, and the time of change that the file had; only the system's stamp differs."""
    file = Path("src/work.cu")
    status = file.stat()
    file.write_text(KERNEL.replace("*= 2", "+= 2"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def replaced() -> None:
    """By another file of the same size and time."""
    status = Path("src/work.cu").stat()
    Path("src/new.cu").write_text(KERNEL.replace("*= 2", "+= 2"))
    Path("src/new.cu").replace("src/work.cu")
    os.utime("src/work.cu", ns=(status.st_atime_ns, status.st_mtime_ns))


def clock_set_back() -> None:
    """Edited when the clock showed an earlier time than at the first run."""
    Path("src/work.cu").write_text(KERNEL.replace("*= 2", "+= 2"))
    os.utime("src/work.cu", ns=(1, 1))


@pytest.mark.parametrize(
    "change",
    [
        header_appears,
        file_goes,
        folder_becomes_a_link,
        root_is_marked,
        measurements_appear,
        settings_file_comes_nearer,
        edited_at_the_same_time,
        replaced,
        clock_set_back,
    ],
)
def test_a_change_is_seen(requests: Requests, change: Callable[[], None]) -> None:
    Path("src/deep").mkdir()
    Path("src/deep/k.cu").write_text(KERNEL)
    Path("src/other.cu").write_text(KERNEL)
    requests.checked("src")
    requests.answered("src")
    change()
    requests.checked("src")


def test_touched_files_are_looked_into(requests: Requests) -> None:
    first = requests.checked("src")
    os.utime("src/work.cu")
    Path("src/work.cu").write_text(KERNEL)
    assert requests.answered("src") == first


@pytest.mark.parametrize(
    "options",
    [
        ("--gpu", "H100"),
        ("--args", "5"),
        ("--clock", "base"),
        ("--select", "RL101"),
        ("--exclude", "*.h"),
        ("--what-if", "H100"),
        ("--format", "json"),
        ("--fail-on", "cb"),
    ],
)
def test_other_options_are_another_request(requests: Requests, options: tuple[str, ...]) -> None:
    requests.checked("src")
    requests.checked("src", *options)
    requests.answered("src", *options)
    requests.answered("src")


def test_colours_are_another_request(requests: Requests, monkeypatch: pytest.MonkeyPatch) -> None:
    requests.checked("src")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    requests.checked("src")


@pytest.mark.parametrize("options", [("--statistics",), ("--output", "report.txt"), ("gone*.cu",)])
def test_what_needs_more_than_an_answer_is_checked(
    requests: Requests, options: tuple[str, ...]
) -> None:
    for count in (1, 2):
        requests.run("src", *options)
        assert requests.checks == count


def test_an_option_that_is_not_known_here_is_checked(
    requests: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever adds one to the command need not think of answers."""
    monkeypatch.setattr(
        "roofline_lsp.cli.answered._TAKEN_IN", frozenset({"check", "format", "quiet"})
    )
    requests.checked("src", "--gpu", "H100")
    requests.checked("src", "--gpu", "H100")


def test_a_run_during_which_something_changes_is_not_kept(
    requests: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roofline_lsp.cli.answered.now_ns", module.now_ns)
    requests.checked("src")
    requests.checked("src")


@pytest.fixture
def answers(tmp_path: Path) -> Answers:
    return Answers(tmp_path / "kept", pytest.fail)


def test_an_answer_comes_back(answers: Answers, tmp_path: Path) -> None:
    assert answers.known(KEY) is None
    answers.keep(KEY, ANSWER, [str(tmp_path / "nothing")], module.now_ns())
    assert answers.known(KEY) == ANSWER
    (tmp_path / "nothing").write_text("")
    assert answers.known(KEY) is None


def test_what_rests_on_more_than_paths_is_not_kept(answers: Answers, tmp_path: Path) -> None:
    answers.keep(KEY, ANSWER, [str(tmp_path / "nothing"), ANYTHING], module.now_ns())
    assert answers.known(KEY) is None


def test_a_fresh_file_is_told_by_what_it_holds(answers: Answers, tmp_path: Path) -> None:
    """Its times would be the same after a change within the tick of a file system's clock."""
    file = tmp_path / "fresh"
    file.write_text("a")
    changed_ns = file.stat().st_mtime_ns
    answers.keep(KEY, ANSWER, [str(file)], changed_ns + 1_000_000_000)
    assert answers.known(KEY) == ANSWER
    file.write_text("b")
    assert answers.known(KEY) is None


def test_what_changed_after_the_beginning_is_not_kept(answers: Answers, tmp_path: Path) -> None:
    file = tmp_path / "late"
    file.write_text("a")
    answers.keep(KEY, ANSWER, [str(file)], file.stat().st_mtime_ns - 1)
    assert answers.known(KEY) is None


def test_devices_and_pipes_are_not_opened(answers: Answers, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    answers.keep(KEY, ANSWER, [str(pipe), "/proc/cpuinfo", "/dev/zero"], module.now_ns())
    assert answers.known(KEY) == ANSWER
    pipe.unlink()
    pipe.write_text("")
    assert answers.known(KEY) is None
