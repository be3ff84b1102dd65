"""Kernels run for real, on PoCL or whatever OpenCL device there is first."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from roofline_lsp.cli import study
from roofline_study.llmperf.kernels import PlannedKernel
from roofline_study.llmperf.records import Results
from roofline_study.llmperf.regimes import Regime
from roofline_study.llmperf.study import read_study

pytest.importorskip("pyopencl", reason="the extra `study` is not installed")

KERNELS = """
__kernel void scale(__global float *x, float by, int n)
{ int i = get_global_id(0); if (i < n) x[i] *= by; }
__kernel void sum(__global const double *x, __global double *out, __local double *t)
{
    int l = get_local_id(0);
    t[l] = x[get_global_id(0)];
    for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) t[l] += t[l + s];
    }
    if (l == 0) out[get_group_id(0)] = t[0];
}
__kernel void crash(__global float *x) { x[get_global_id(0)] = *(__global float *)8; }
__kernel void plane(__global float *x, __global uchar4 *y, int w)
{ int i = get_global_id(1) * w + get_global_id(0); y[i] = (uchar4)(x[i]); }
"""
BROKEN = "__kernel void broken(__global float *x) { x[get_global_id(0)] = no_such_function(1); }"
SMALL = ["--iqr", "6", "--uniform", "1", "--importance", "1", "--simple", "2", "--units", "4"]


@pytest.fixture
def device() -> None:
    """An OpenCL device that builds kernels: an older PoCL builds none for a newer processor."""
    code = (
        "import pyopencl as cl; c = cl.Context(cl.get_platforms()[0].get_devices()[:1]);"
        "cl.Program(c, '__kernel void k(__global int *x) { *x = 1; }').build()"
    )
    built = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    if built.returncode:
        pytest.skip(f"no kernel builds on the OpenCL device: {built.stderr[-300:]}")


@pytest.mark.usefixtures("device")
def test_kernels_are_planned_run_and_run_no_second_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "good.cl").write_text(KERNELS)
    (tree / "broken.cl").write_text(BROKEN)
    results = Results(tmp_path / "results")
    command = ["llmperf", "run", str(tree), "--results", str(results.folder), *SMALL]
    command += ["--most-items", "8192", "--most-mib", "8", "--time-limit", "60"]
    assert study.run(command) == 0
    first = capsys.readouterr()
    found = read_study(results)
    kernels = {kernel.name: kernel for kernel in found.kernels}
    for name in ("scale", "sum", "plane"):
        _check_timed(kernels[name], found.timed.keys())
    assert "not built" in found.failed[kernels["broken"].key].reason
    assert "SIG" in found.failed[kernels["crash"].key].reason
    assert all(t.low_ns <= t.median_ns <= t.high_ns and t.runs >= 3 for t in found.timed.values())
    assert f"{len(found.timed)} launches timed" in first.err
    assert study.run(command) == 0
    assert "0 launches timed" in capsys.readouterr().err
    prompts = tmp_path / "prompts.jsonl"
    assert (
        study.run(
            ["llmperf", "prompts", "--results", str(results.folder), "--output", str(prompts)]
        )
        == 0
    )
    lines = [json.loads(line) for line in prompts.read_text().splitlines()]
    assert len(lines) == len(found.timed)


def _check_timed(kernel: PlannedKernel, timed: Collection[str]) -> None:
    assert all(launch.key in timed for launch in kernel.launches)
    assert {launch.regime for launch in kernel.launches} == set(Regime)


def test_a_device_that_is_not_there_is_named(tmp_path: Path) -> None:
    from roofline_study.llmperf.running import RunError

    (tmp_path / "a.cl").write_text(KERNELS)
    with pytest.raises(RunError, match="'no such device'"):
        study.run(
            ["llmperf", "run", str(tmp_path), "--results", str(tmp_path / "r"), "--device",
             "no such device"]
        )  # fmt: skip
