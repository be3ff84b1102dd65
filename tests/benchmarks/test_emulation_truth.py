"""The comparison of emulated counts with measured ones, with records made by hand."""

from __future__ import annotations

import csv
import importlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.report.report import Verdict
from roofline_profiling.emulate.records import CacheTraffic, LaunchRecord, launch_of
from roofline_study.dataset import MeasuredKernel

names: Any = importlib.import_module("truth_run.names")
matching: Any = importlib.import_module("truth_run.matching")
comparison: Any = importlib.import_module("truth_run.comparison")
read_name, find_launch = names.read_name, matching.find_launch

ROW = MeasuredKernel(
    program="axpy", kernel="void axpy<float>(int, T1, const T1 *, T1 *)", args=("7",),
    grid=(2, 1, 1), block=(32, 1, 1), sp_flops=128.0, dp_flops=0.0, int_ops=64.0,
    dram_bytes=900.0, time_ns=1.0, label=Verdict.BANDWIDTH_BOUND, line=2,
)  # fmt: skip
MANGLED = "_Z4axpyIfEviT_PKS0_PS0_"
NAMES = {MANGLED: read_name("void axpy<float>(int, float, float const*, float*)")}
CODE = {
    "kernel": MANGLED, "arch": "sm_86", "files": [],
    "instructions": [
        {"at": 16 * n, "opcode": opcode, "block": 0, "predicated": -1, "site": -1,
         "file": None, "line": None}
        for n, opcode in enumerate(("IMAD", "FFMA", "EXIT"))
    ],
}  # fmt: skip


def record(code: str = "", **changed: object) -> dict[str, object]:
    return {
        "kernel": MANGLED, "code": code, "gpu": "RTX 3080", "grid": [2, 1, 1],
        "block": [32, 1, 1], "dynamic_shared_bytes": 0, "registers": 8, "static_shared_bytes": 0,
        "local_bytes": 0, "launch": 3, "invocation": 1, "blocks_run": 2,
        "block_counts": [[2, 64]], "predicated": [], "sites": [], "traffic": None, "error": "",
    } | changed  # fmt: skip


def launch(**changed: object) -> LaunchRecord:
    found = launch_of(json.dumps(record()).encode())
    assert found is not None
    return replace(found, **changed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("profiled", "demangled"),
    [
        ("scale(const float *, int)", "scale(float const*, int)"),
        ("void fill<1, float>(int, T2 *)", "void ns::fill<true, float>(int, float*)"),
        ("void quant<256, 8>(char *)", "void (anonymous namespace)::quant<256u, (short)8>(char*)"),
        ("f(pair<unsigned long, long> *)", "f(std::pair<unsigned long, long>*)"),
        ("g(Array<float, 2>)", "g(at::Array<float, 2ul>)"),
        ("void h<CSR<double, int>>(const ScalarType *)", "void h<CSR<double, int> >(double*)"),
    ],
)
def test_spellings_of_one_name(profiled: str, demangled: str) -> None:
    one, two = read_name(profiled), read_name(demangled)
    assert one.base == two.base
    assert one.same_arguments(two)
    assert one.same_parameters(two)


@pytest.mark.parametrize(
    ("profiled", "demangled"),
    [
        ("void fill<1>(int)", "void fill<2>(int)"),
        ("void fill<float>(int)", "void fill<double>(int)"),
        ("void fill<float>(int)", "void fill<float*>(int)"),
        ("scale(float *)", "scale(double*)"),
        ("scale(float *)", "scale(float*, int)"),
    ],
)
def test_other_kernels(profiled: str, demangled: str) -> None:
    one, two = read_name(profiled), read_name(demangled)
    assert one.base == two.base
    assert not (one.same_arguments(two) and one.same_parameters(two))


def test_lambdas_are_known_by_their_base_only() -> None:
    one = read_name("void run<4, void f<int>(T1 *)::[lambda(int) (instance 1)]>(int, T2)")
    two = read_name("void run<4, void f<int>(int*)::{lambda(int)#1}>(int, {lambda(int)#1})")
    assert one == two == names.KernelName("run", None, None)


def test_the_first_launch_with_grid_and_block_is_taken() -> None:
    other = launch(grid=(4, 1, 1), launch=1)
    first, later = launch(launch=2), launch(launch=5)
    assert find_launch(ROW, [other, later, first], NAMES).launch is first


def test_causes_of_rows_without_a_launch() -> None:
    others = {MANGLED: read_name("void axpy<double>(int, double, double const*, double*)")}
    assert find_launch(ROW, [], {}).cause == "kernel not launched"
    shape = find_launch(ROW, [launch(grid=(4, 1, 1))], NAMES)
    assert shape.cause == "not launched with this grid and block"
    assert "other instances" in find_launch(ROW, [launch()], others).cause


def test_overloads_are_told_apart() -> None:
    row = replace(ROW, kernel="scale(float *)")
    known = {"one": read_name("scale(double*)"), "two": read_name("scale(float*)")}
    launches = [launch(kernel="one", launch=1), launch(kernel="two", launch=2)]
    assert find_launch(row, launches, known).launch is launches[1]


@pytest.mark.parametrize(
    ("name", "measured", "emulated", "expected"),
    [
        ("sp_flops", 1000, 1020, True),
        ("sp_flops", 1000, 979, False),
        ("dp_flops", 0, 0, True),
        ("dp_flops", 0, 1, False),
        ("dp_flops", 1, 0, False),
        ("int_ops", 1000, 900, True),
        ("int_ops", 1000, 1101, False),
        ("dram_bytes", 1000, 1500, True),
        ("dram_bytes", 1500, 1000, True),
        ("dram_bytes", 1000, 1501, False),
    ],
)
def test_limits(name: str, measured: float, emulated: float, expected: bool) -> None:
    assert comparison.agrees(name, measured, emulated) is expected


def compare(folder: Path, **changed: object) -> Any:
    code = folder / "code.json"
    code.write_text(json.dumps(CODE))
    return comparison.Comparer().compare(ROW, [launch(code=code, **changed)], NAMES, "")


def test_counts_of_a_launch(tmp_path: Path) -> None:
    found = compare(tmp_path)
    assert found.counts == {
        "sp_flops": 128.0, "dp_flops": 0.0, "int_ops": 64.0, "dram_bytes": None,
    }  # fmt: skip
    assert found.share == 1.0
    assert (found.agrees("sp_flops"), found.agrees("dram_bytes")) == (True, None)
    assert (found.ratio("int_ops"), found.ratio("dp_flops")) == (1.0, None)


def test_a_sample_of_blocks_stands_for_the_grid(tmp_path: Path) -> None:
    traffic = CacheTraffic(0, 0, 0, 0, 300, 150, 40)
    found = compare(tmp_path, grid=(2, 1, 1), blocks_run=1, traffic=traffic)
    assert found.share == 0.5
    assert found.counts["sp_flops"] == 256.0
    assert found.counts["dram_bytes"] == 900.0


def test_failed_launches_and_absent_code_are_causes(tmp_path: Path) -> None:
    assert compare(tmp_path, error="HMMA.0").cause == "launch failed: HMMA.0"
    absent = comparison.Comparer().compare(ROW, [launch(code=tmp_path / "none.json")], NAMES, "")
    assert "none.json" in absent.cause
    early = comparison.Comparer().compare(ROW, [], NAMES, "time limit")
    assert early.cause == "kernel not launched; time limit"


def test_summary_and_table(tmp_path: Path) -> None:
    right, wrong = compare(tmp_path), compare(tmp_path, block_counts=launch().block_counts * 1)
    wrong = replace(wrong, counts={**wrong.counts, "int_ops": 32.0, "dram_bytes": 1800.0})
    lines = comparison.summary([right, wrong, comparison.Compared(ROW, "kernel not launched", {})])
    assert lines[0] == "2 of 3 rows have an emulated launch"
    assert lines[1].startswith("sp_flops       2 of    2 agree: 100.0%")
    assert lines[3].startswith("int_ops        1 of    2 agree:  50.0%")
    assert lines[4].startswith("dram_bytes     0 of    1 agree:   0.0%")
    assert lines[5].split() == ["1", "kernel", "not", "launched"]
    comparison.write_csv(tmp_path / "rows.csv", [right, wrong])
    with (tmp_path / "rows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["int_ops_ratio"] for row in rows] == ["1.0000", "0.5000"]
    assert [row["int_ops_agrees"] for row in rows] == ["True", "False"]
    assert [row["dram_bytes_emulated"] for row in rows] == ["", "1800.0"]
