"""Nsight Compute's own files through NVIDIA's reader; made by hand, no number was measured."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from roofline_profiling import ncu_rep
from roofline_profiling.errors import ReportError
from roofline_profiling.importing import Format, format_of, read_report
from roofline_profiling.measurement import LineHeat
from roofline_profiling.ncu_metrics import DEVICE_NAME
from roofline_profiling.ncu_rep_reader import launch_of
from roofline_profiling.pc_samples import hottest, shares
from tests.profiling.conftest import SAXPY, thread_metric
from tests.profiling.report_file import FakeLaunch, Instances, report_file

METRICS: Mapping[str, float | str | Instances] = {
    DEVICE_NAME: "NVIDIA GeForce RTX 3080",
    "gpu__time_duration.sum": 17310.0,
    "dram__bytes_read.sum": 8_000_000,
    "dram__bytes_write.sum": 4_000_000,
    thread_metric("fadd"): 0,
    thread_metric("fmul"): 1_000_000,
    thread_metric("ffma"): 1_000_000,
    thread_metric("integer"): 7_000_192,
    "launch__grid_dim_x": 3907,
    "launch__grid_dim_y": 1,
    "launch__grid_dim_z": 1,
    "launch__block_dim_x": 256,
    "launch__block_dim_y": 1,
    "launch__block_dim_z": 1,
    "something__else.sum": 3.5,
    "group:smsp__pcsamp_warp_stall_reasons": Instances(10.0, {4096: 3, 4112: 7}),
}


@pytest.fixture
def report(tmp_path: Path) -> Path:
    pytest.importorskip("ncu_report")
    path = tmp_path / "made.ncu-rep"
    launches = [
        FakeLaunch(SAXPY, (3907, 1, 1), (256, 1, 1), METRICS),
        FakeLaunch("other(int)", (1, 1, 1), (32, 1, 1), {"gpu__time_duration.sum": 5.0}),
    ]
    path.write_bytes(report_file(launches))
    return path


def test_launches_of_a_report(report: Path) -> None:
    assert format_of(report) is Format.NCU_REPORT
    found = read_report(report)
    assert found.problems == ()
    launch, other = found.measurements
    assert launch.kernel == SAXPY
    assert launch.gpu == "NVIDIA GeForce RTX 3080"
    assert (launch.grid, launch.block) == ((3907, 1, 1), (256, 1, 1))
    assert launch.sp_flops == 3_000_000
    assert launch.int_ops == 7_000_192
    assert launch.moved_bytes == 12_000_000
    assert launch.time_ns == pytest.approx(17310)
    assert launch.dp_flops is None
    assert launch.lines == ()  # no debug information in it
    assert launch.origin == "made.ncu-rep, launch 0"
    assert other.kernel == "other(int)"
    assert other.time_ns == pytest.approx(5)


@pytest.mark.parametrize("length", [4, 5, 12, 60, 200, 400])
def test_a_cut_report(report: Path, length: int) -> None:
    report.write_bytes(report.read_bytes()[:length])
    with pytest.raises(ReportError, match=r"made\.ncu-rep: (no launch in it|NVIDIA's reader)"):
        read_report(report)


def test_foreign_content_under_the_suffix(report: Path) -> None:
    for content in (b"ID,Kernel Name\n", b"NVR\0" + b"\xff" * 5000, b"PK\3\4" * 100):
        report.write_bytes(content)
        with pytest.raises(ReportError, match=r"made\.ncu-rep: "):
            read_report(report)


@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_report(report: Path, seed: int) -> None:
    content = bytearray(report.read_bytes())
    chance = random.Random(seed)
    for _ in range(8):
        content[chance.randrange(4, len(content))] = chance.randrange(256)
    report.write_bytes(content)
    try:
        found = read_report(report)
    except ReportError:
        return
    assert 1 <= len(found.measurements) <= 2
    assert all(each.kernel for each in found.measurements)


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "ncu_report.py").write_text("raise ImportError\n")
    monkeypatch.setenv("PYTHONPATH", str(blocked), prepend=":")
    path = tmp_path / "a.ncu-rep"
    path.write_bytes(report_file([]))
    with pytest.raises(ReportError, match=r"pip install 'roofline-lsp\[ncu\]'; or export it"):
        read_report(path)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "was ended by signal 11"),
        ("raise RuntimeError('bad block')", "failed: RuntimeError: bad block"),
    ],
)
def test_a_reader_that_crashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str
) -> None:
    (tmp_path / "ncu_report.py").write_text(f"def load_report(path):\n    {code}\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    path = tmp_path / "a.ncu-rep"
    path.write_bytes(report_file([]))
    with pytest.raises(ReportError) as error:
        read_report(path)
    assert said in str(error.value)
    assert "Traceback" not in str(error.value)


def test_a_reader_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ncu_report.py").write_text("import time\ntime.sleep(600)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    path = tmp_path / "a.ncu-rep"
    path.write_bytes(report_file([]))
    with pytest.raises(ReportError, match=r"took longer than 0\.5 s"):
        ncu_rep.read_ncu_report(path, limit_s=0.5)


# ---- Source lines. The cubin that they need is none to make by hand, so the reader is played.


@dataclass
class PlayedMetric:
    number: float
    counts: Mapping[int, int]

    def has_value(self) -> bool:
        return True

    def value(self) -> float:
        return self.number

    def unit(self) -> str:
        return ""

    def has_correlation_ids(self) -> bool:
        return bool(self.counts)

    def num_instances(self) -> int:
        return len(self.counts)

    def correlation_ids(self) -> PlayedMetric:
        return PlayedMetric(0, dict(enumerate(self.counts)))

    def as_uint64(self, at: int) -> int:
        return list(self.counts.values())[at]

    def as_double(self, at: int) -> float:
        return float(list(self.counts.values())[at])


@dataclass
class PlayedSource:
    at: int

    def file_name(self) -> str:
        return "/build/src/main.cu"

    def line(self) -> int:
        return self.at


class PlayedAction:
    metrics: Mapping[str, PlayedMetric] = {
        "smsp__pcsamp_warps_issue_stalled_wait": PlayedMetric(4, {16: 1, 32: 3}),
        "smsp__pcsamp_warps_issue_stalled_barrier": PlayedMetric(6, {32: 5, 48: 1}),
        "smsp__pcsamp_warps_issue_stalled_wait_not_issued": PlayedMetric(9, {16: 9}),
        "inst_executed": PlayedMetric(30, {16: 10, 32: 10, 48: 10}),
    }

    def metric_names(self) -> tuple[str, ...]:
        return tuple(self.metrics)

    def metric_by_name(self, name: str) -> PlayedMetric:
        return self.metrics[name]

    def name(self, base: int = 0) -> str:
        return "k(int)"

    def source_info(self, address: int) -> PlayedSource | None:
        return {16: PlayedSource(7), 32: PlayedSource(9)}.get(address)


def test_samples_become_heat_on_lines() -> None:
    launch = json.loads(json.dumps(launch_of(PlayedAction(), 2)))
    assert launch["kernel"] == "k(int)"
    assert launch["lines"] == [
        ["/build/src/main.cu", 9, 8.0, 10.0],
        ["/build/src/main.cu", 7, 1.0, 10.0],
    ]


def test_lines_without_weight_are_pruned() -> None:
    samples = {("a.cu", line): 1000.0 / line**3 for line in range(1, 50)}
    lines = hottest(samples, {("a.cu", 60): 5.0})
    assert [each.line for each in lines] == [1, 2, 3, 4, 5]
    assert hottest({}, {("a.cu", 3): 2.0, ("a.cu", 4): 8.0}) == (
        LineHeat("a.cu", 4, 0.0, 8.0),
        LineHeat("a.cu", 3, 0.0, 2.0),
    )
    assert hottest({}, {}) == ()


def test_shares_are_by_file_name() -> None:
    lines = (LineHeat("C:\\src\\a.cu", 3, 6.0, 1.0), LineHeat("/src/b.cuh", 9, 2.0, 1.0))
    assert shares(lines) == {("a.cu", 3): 0.75, ("b.cuh", 9): 0.25}
    assert shares(()) == {}
