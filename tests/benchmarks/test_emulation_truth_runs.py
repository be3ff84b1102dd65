"""Runs of programs for the comparison with measured counts: scripts in the programs' place."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.report.report import Verdict
from roofline_study.dataset import MeasuredKernel

names: Any = importlib.import_module("truth_run.names")
running: Any = importlib.import_module("truth_run.running")

pytestmark = [
    pytest.mark.skipif(shutil.which("c++filt") is None, reason="no c++filt"),
    pytest.mark.skipif(os.name != "posix", reason="process groups"),
]

ROW = MeasuredKernel(
    program="axpy", kernel="axpy(float *)", args=("7",), grid=(2, 1, 1), block=(32, 1, 1),
    sp_flops=128.0, dp_flops=0.0, int_ops=64.0, dram_bytes=900.0, time_ns=1.0,
    label=Verdict.BANDWIDTH_BOUND, line=2,
)  # fmt: skip
RECORD = json.dumps({
    "kernel": "_Z4axpyPf", "code": "", "gpu": "RTX 3080", "grid": [2, 1, 1], "block": [32, 1, 1],
    "dynamic_shared_bytes": 0, "registers": 8, "static_shared_bytes": 0, "local_bytes": 0,
    "launch": 3, "invocation": 1, "blocks_run": 2, "block_counts": [[2, 64]], "predicated": [],
    "sites": [], "traffic": None, "error": "",
})  # fmt: skip


def test_names_of_kernels_of_one_file_are_demangled() -> None:
    local = "_ZL4axpyPf__static__39923cbfd5bd15ee"
    assert names.demangle([local, "main_kernel"]) == {
        local: "axpy(float*)",
        "main_kernel": "main_kernel",
    }


def program(folder: Path, script: str) -> Path:
    path = folder / "main"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def setting(folder: Path, limit_s: float = 20.0) -> Any:
    return running.Setting(folder, "caches=1", folder, limit_s, 1 << 32)


WRITE = f"""
out=$(sed -n 's/^output=//p' "$ROOFLINE_EMULATE")
echo '{RECORD}' >> "$out"
"""


def test_a_program_is_ended_when_all_is_counted(tmp_path: Path) -> None:
    ending = running.run_program(
        setting(tmp_path), program(tmp_path, f"{WRITE}\nsleep 60"), tmp_path, [ROW]
    )
    assert ending.how == "all counted"
    assert ending.seconds < 20
    records = running.Records(tmp_path / "axpy.jsonl")
    assert records.update()
    assert records.has(ROW)
    assert running.read_ending(tmp_path, "axpy") == ending


def test_arguments_folder_and_configuration(tmp_path: Path) -> None:
    script = 'echo "$1 $(pwd) $LD_LIBRARY_PATH"; cat "$ROOFLINE_EMULATE"'
    ending = running.run_program(setting(tmp_path), program(tmp_path, script), tmp_path, [ROW])
    assert ending.how == "ended"
    assert ending.tail.split() == [
        "7", str(tmp_path), str(tmp_path), "caches=1", f"output={tmp_path}/axpy.jsonl",
    ]  # fmt: skip


def test_a_time_limit_ends_the_whole_group(tmp_path: Path) -> None:
    ending = running.run_program(
        setting(tmp_path, 1.0), program(tmp_path, "sleep 60 & sleep 60"), tmp_path, [ROW]
    )
    assert (ending.how, ending.early) == ("time limit", "time limit")


def test_how_a_run_failed(tmp_path: Path) -> None:
    failed = running.run_program(
        setting(tmp_path), program(tmp_path, "echo no file; exit 3"), tmp_path, [ROW]
    )
    assert failed.early == "status 3: no file"
    absent = running.run_program(setting(tmp_path), tmp_path / "absent", tmp_path, [ROW])
    assert absent.early == "not built"
    assert running.read_ending(tmp_path, "other") is None


def test_half_a_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path, line = tmp_path / "some.jsonl", RECORD
    records = running.Records(path)
    assert not records.update()
    path.write_text(line[:40])
    assert not records.update()
    path.write_text(line + "\n" + line[:10])
    assert records.update()
    assert len(records.launches) == 1


def test_of_launches_that_are_alike_the_first_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    first = {**json.loads(RECORD), "launch": 0}
    again, other = {**first, "launch": 1}, {**first, "launch": 2, "grid": [9, 1, 1]}
    path.write_text("".join(_line(each) for each in (first, again, other)))
    records = running.Records(path)
    assert records.update()
    assert [each.launch for each in records.launches] == [0, 2]
    with path.open("a") as file:
        file.write(_line({**again, "launch": 3}))
    assert not records.update()


def _line(record: dict[str, object]) -> str:
    return json.dumps(record, separators=(",", ":")) + "\n"
