"""The executor's records read, and what their counts come to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roofline_hardware_db import find_gpu
from roofline_profiling.emulate.counts import CodeTable
from roofline_profiling.emulate.measurements import Tables, demangled, measurement_of
from roofline_profiling.emulate.opcodes import Space
from roofline_profiling.emulate.records import launch_of, read_code, read_records
from roofline_profiling.emulate.toolchain import find_demangler
from roofline_profiling.errors import ReportError
from roofline_profiling.measurement import Measurement
from tests.profiling.emulate.launch_records import (
    CODE,
    KERNEL,
    NAME,
    SOURCE,
    Json,
    launch,
    write_code,
    write_launches,
)


def measured(tmp_path: Path, **values: object) -> Measurement:
    record = launch_of(json.dumps(launch(write_code(tmp_path), **values)).encode())
    assert record is not None
    return measurement_of(record, Tables().counts(record), find_gpu("RTX 3080"), NAME, ("1000",))


def test_operations_are_those_of_threads_whose_predicate_holds(tmp_path: Path) -> None:
    found = measured(tmp_path)
    assert found.sp_flops == 2 * 250 + 125
    assert found.int_ops == 2 * 256
    assert (found.dp_flops, found.hp_flops, found.tensor_flops) == (0, 0, 0)
    assert found.emulated
    assert found.time_ns is None
    assert (found.kernel, found.args, found.gpu) == (NAME, ("1000",), "GeForce RTX 3080 10GB")


def test_memory(tmp_path: Path) -> None:
    found = measured(tmp_path)
    assert (found.dram_read_bytes, found.dram_write_bytes, found.kept_bytes) == (1000, 500, 1500)
    assert found.l1_bytes == (32 + 64) * 32
    assert found.l2_bytes == 96 * 32
    assert found.shared_bytes == 250 * 16
    assert found.block_shared_bytes == 1280
    assert found.memory == {
        "global_requests": 16, "global_sectors": 96,
        "shared_requests": 8, "shared_passes": 80, "shared_conflicts": 48,
    }  # fmt: skip


def test_counts_by_line_and_memory(tmp_path: Path) -> None:
    record = launch_of(json.dumps(launch(write_code(tmp_path))).encode())
    assert record is not None
    counts = CodeTable(read_code(record.code)).counts(record)
    line = counts.lines[SOURCE, 5]
    assert line.sp_flops == 625
    assert line.warp_instructions == 2 * 8 + 5 * 8
    assert line.thread_instructions == 256 + 6 + 3 * 250 + 125 + 250
    assert counts.work.thread_instructions == sum(
        w.thread_instructions for w in counts.lines.values()
    )
    asked = counts.memory[Space.GLOBAL]
    assert (asked.requests, asked.bytes, asked.atomics) == (16, 250 * 4 + 250 * 8, 0)


def test_the_hottest_lines_come_first(tmp_path: Path) -> None:
    found = measured(tmp_path)
    assert [(each.line, each.samples, each.instructions) for each in found.lines] == [
        (5, 0, 56),
        (4, 0, 16),
        (6, 0, 8),
    ]


def test_a_sample_of_blocks_stands_for_the_grid(tmp_path: Path) -> None:
    found = measured(tmp_path, grid=[400, 1, 1])
    assert found.sp_flops == 100 * 625
    assert found.dram_read_bytes == 100 * 1000
    assert found.memory["shared_conflicts"] == 4800
    assert found.origin == "emulated, launch 1, 4 of 400 blocks"


def test_occupancy_is_what_registers_and_shared_memory_allow(tmp_path: Path) -> None:
    assert measured(tmp_path).occupancy == pytest.approx(32 / 48)  # 16 blocks of 2 warps
    assert measured(tmp_path, block=[256, 1, 1]).occupancy == 1.0
    assert measured(tmp_path, block=[256, 1, 1], registers=128).occupancy == pytest.approx(16 / 48)


def test_without_caches_there_are_no_dram_bytes(tmp_path: Path) -> None:
    found = measured(tmp_path, traffic=None)
    assert (found.moved_bytes, found.l2_bytes, found.kept_bytes) == (None, None, None)
    assert found.sp_flops == 625
    assert found.missing() == ("dram_bytes",)


def test_tensor_operations_are_of_warps(tmp_path: Path) -> None:
    path = tmp_path / "code.json"
    only: Json = {**CODE["instructions"][5], "opcode": "HMMA.16816.F32"}
    path.write_text(json.dumps({**CODE, "instructions": [only]}))
    record = launch_of(json.dumps(launch(path, block_counts=[[8, 256], [8, 256]])).encode())
    assert record is not None
    work = Tables().counts(record).work
    assert (work.tensor_flops, work.hp_flops) == (8 * 4096, 0)


def test_a_record_that_was_cut_short_costs_itself_alone(tmp_path: Path) -> None:
    code = write_code(tmp_path)
    path = write_launches(tmp_path / "launches.jsonl", launch(code), launch(code, launch=1))
    path.write_bytes(path.read_bytes() + json.dumps(launch(code)).encode()[:100])
    read = read_records(path)
    assert [each.launch for each in read.launches] == [0, 1]
    assert read.unreadable == 1
    assert read_records(tmp_path / "none.jsonl").launches == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"grid": [0, 1, 1]},
        {"grid": [1, 1]},
        {"block_counts": [[1]]},
        {"blocks_run": -1},
        {"kernel": 5},
        {"traffic": {}},
        {"sites": "x"},
        {"blocks_run": 2**64},
        {"predicated": [10**400]},
        {"cpu_s": 10**400},
        {"cpu_s": "1"},
    ],
)
def test_what_is_no_record(tmp_path: Path, wrong: Json) -> None:
    assert launch_of(json.dumps(launch(tmp_path, **wrong)).encode()) is None


def test_code_that_does_not_fit_its_launch(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=f"not the code that {KERNEL} ran"):
        measured(tmp_path, block_counts=[[8, 256]])
    with pytest.raises(ReportError, match="cannot be read"):
        read_code(tmp_path / "lost.json")
    (tmp_path / "wrong.json").write_text('{"kernel": 1}')
    with pytest.raises(ReportError, match="not the description of a kernel's code"):
        read_code(tmp_path / "wrong.json")


def test_names_without_a_demangler_stay_as_they_are() -> None:
    assert demangled([KERNEL], None) == {KERNEL: KERNEL}


@pytest.mark.skipif(find_demangler() is None, reason="no c++filt")
def test_names_are_as_profilers_print_them() -> None:
    anonymous = "_ZN32_GLOBAL__N__f7e6991f_4_n_cu_main3bazIdLi3EEEvPT_"
    assert demangled([KERNEL, anonymous, KERNEL], find_demangler()) == {
        KERNEL: NAME,
        anonymous: "void (anonymous namespace)::baz<double, 3>(double*)",
    }
