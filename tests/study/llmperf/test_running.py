"""Launches are timed once, whatever ends a run; a crash or a hang costs its kernel."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from roofline_study.llmperf.kernels import PlannedKernel
from roofline_study.llmperf.records import (
    DeviceFacts,
    NotTimed,
    Results,
    ResultsError,
    Timed,
    append,
    read_device,
    read_outcomes,
    write_device,
    write_plan,
)
from roofline_study.llmperf.running import KernelLimits, RunError, device_facts, run_launches
from tests.study.llmperf.conftest import Plan
from tests.study.llmperf.fake_device import FakeDevice

TWO = """
__kernel void first(__global float *x) { x[get_global_id(0)] = 1; }
__kernel void second(__global float *x) { x[get_global_id(0)] = 2; }
"""


def planned(plan: Plan, text: str = TWO) -> list[PlannedKernel]:
    return [each for each in plan(text) if isinstance(each, PlannedKernel)]


def keys(kernels: list[PlannedKernel]) -> set[str]:
    return {launch.key for kernel in kernels for launch in kernel.launches}


def test_a_second_run_times_nothing_twice(plan: Plan, tmp_path: Path) -> None:
    kernels, times, log = planned(plan), tmp_path / "times.jsonl", tmp_path / "log"
    find = partial(FakeDevice, log)
    told: list[str] = []
    half = [replace(kernels[0], launches=kernels[0].launches[:2])]
    assert run_launches(half, times, find, KernelLimits()).timed == 2
    tally = run_launches(kernels, times, find, KernelLimits(), lambda *each: told.append(each[2]))
    assert (tally.timed, tally.known) == (len(keys(kernels)) - 2, 2)
    assert told == ["first", "second"]
    assert run_launches(kernels, times, find, KernelLimits()).timed == 0
    assert Counter(log.read_text().split()) == dict.fromkeys(keys(kernels), 1)


def test_a_run_that_is_killed_goes_on_where_it_was(plan: Plan, tmp_path: Path) -> None:
    kernels, results, log = planned(plan), Results(tmp_path), tmp_path / "log"
    write_plan(results.plan, kernels)
    program = tmp_path / "run.py"
    program.write_text(
        "import sys, time\n"
        "from functools import partial\n"
        "from pathlib import Path\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from fake_device import FakeDevice\n"
        "from roofline_study.llmperf.records import Results, read_plan\n"
        "from roofline_study.llmperf.running import KernelLimits, run_launches\n"
        "class Slow(FakeDevice):\n"
        "    def time(self, kernel, launch):\n"
        "        time.sleep(0.3)\n"
        "        return super().time(kernel, launch)\n"
        "folder = Path(sys.argv[1])\n"
        "results = Results(folder)\n"
        "kernels, _ = read_plan(results.plan)\n"
        "run_launches(kernels, results.times, partial(Slow, folder / 'log'), KernelLimits())\n"
    )
    run = subprocess.Popen([sys.executable, program, tmp_path], start_new_session=True)
    deadline = time.monotonic() + 60
    while len(read_outcomes(results.times)[0]) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    before = read_outcomes(results.times)[0]
    assert 3 <= len(before) < len(keys(kernels))
    run_launches(kernels, results.times, partial(FakeDevice, log), KernelLimits())
    assert set(read_outcomes(results.times)[0]) == keys(kernels)
    runs = Counter(log.read_text().split())
    assert all(runs[key] == 1 for key in before)
    # The launch that was running when the kill came may have been begun twice, no other.
    assert sum(runs.values()) <= len(keys(kernels)) + 1


def test_a_crash_costs_its_kernel_and_is_not_tried_again(plan: Plan, tmp_path: Path) -> None:
    kernels, times = planned(plan), tmp_path / "times.jsonl"
    find = partial(FakeDevice, tmp_path / "log", crashing="first")
    tally = run_launches(kernels, times, find, KernelLimits())
    assert tally.timed == 1 + len(kernels[1].launches)
    (failure,) = tally.failures
    assert failure.key == kernels[0].key
    assert "SIGSEGV" in failure.reason
    assert run_launches(kernels, times, find, KernelLimits()).timed == 0


def test_what_failed_is_tried_again_where_that_is_asked_for(plan: Plan, tmp_path: Path) -> None:
    kernels, times = planned(plan), tmp_path / "times.jsonl"
    run_launches(
        kernels, times, partial(FakeDevice, tmp_path / "log", crashing="first"), KernelLimits()
    )
    tally = run_launches(
        kernels, times, partial(FakeDevice, tmp_path / "log"), KernelLimits(), again=True
    )
    assert tally.failures == ()
    assert set(read_outcomes(times)[0]) == keys(kernels)


def test_a_kernel_that_hangs_is_ended(plan: Plan, tmp_path: Path) -> None:
    kernels, times = planned(plan), tmp_path / "times.jsonl"
    find = partial(FakeDevice, tmp_path / "log", hanging="first")
    tally = run_launches(kernels, times, find, KernelLimits(kernel_s=1.0))
    assert tally.timed == len(kernels[1].launches)
    assert [each.reason for each in tally.failures] == ["no result within 1 s"]


def test_what_the_device_does_not_take_costs_a_launch_or_a_kernel(
    plan: Plan, tmp_path: Path
) -> None:
    text = TWO + "__kernel void unbuilt(__global float *x) { x[get_global_id(0)] = 3; }"
    kernels, times = planned(plan, text), tmp_path / "times.jsonl"
    refused = kernels[0].launches[0].key
    find = partial(FakeDevice, tmp_path / "log", refused=refused)
    tally = run_launches(kernels, times, find, KernelLimits())
    assert {each.key for each in tally.failures} == {refused, kernels[2].key}
    assert tally.timed == len(keys(kernels[:2])) - 1


def test_a_line_that_was_torn_off_is_left_out_and_the_next_one_is_whole(tmp_path: Path) -> None:
    times = tmp_path / "times.jsonl"
    append(times, Timed("a", 5.0, 4.0, 7.0, 9))
    with times.open("a") as file:
        file.write('{"launch": "b", "medi')
    append(times, NotTimed("c", "why"))
    timed, failed = read_outcomes(times)
    assert timed == {"a": Timed("a", 5.0, 4.0, 7.0, 9)}
    assert failed == {"c": NotTimed("c", "why")}
    assert timed["a"].spread == pytest.approx(0.6)


def test_times_of_two_devices_do_not_mix(tmp_path: Path) -> None:
    path = Results(tmp_path).device
    assert read_device(path) is None
    write_device(path, DeviceFacts("one", 2, "1"))
    write_device(path, DeviceFacts("one", 2, "1"))
    assert read_device(path) == DeviceFacts("one", 2, "1")
    with pytest.raises(ResultsError, match="times of one, not of two"):
        write_device(path, DeviceFacts("two", 2, "1"))


def test_a_device_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    assert device_facts(partial(FakeDevice, tmp_path / "log")).units == 16
    with pytest.raises(RunError, match="cannot be used"):
        device_facts(_no_device)


def _no_device() -> FakeDevice:
    raise ResultsError("there is none")
