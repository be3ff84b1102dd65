"""What ``ncu --csv`` prints. The reports are made by hand; no number in them was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_profiling.errors import ReportError
from roofline_profiling.importing import Format, format_of, read_report, read_reports
from roofline_profiling.ncu_csv import read_ncu_csv
from tests.profiling.conftest import (
    FULL,
    FULL_UNITS,
    SAXPY,
    details_page,
    floats,
    raw_page,
    thread_metric,
)

BLOCK, GRID = "(256, 1, 1)", "(4, 2, 1)"


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_text(text, encoding=encoding)
    return path


def test_a_raw_page_with_scaled_units_amid_output(full_report: Path) -> None:
    assert format_of(full_report) is Format.NCU_CSV
    found = read_report(full_report)
    assert found.problems == ()
    (launch,) = found.measurements
    assert launch.kernel == SAXPY
    assert launch.gpu == "NVIDIA GeForce RTX 3080"
    assert (launch.grid, launch.block) == ((3907, 1, 1), (256, 1, 1))
    assert launch.sp_flops == 3_000_000
    assert launch.dp_flops == 0
    assert launch.hp_flops is None  # one of its three metrics is n/a
    assert launch.int_ops == 7_000_192
    assert launch.dram_read_bytes == pytest.approx(8.01e6)
    assert launch.dram_write_bytes == pytest.approx(3.9005e6)
    assert launch.moved_bytes == pytest.approx(11.9105e6)
    assert launch.time_ns == pytest.approx(17310)
    assert launch.sm_clock_mhz == pytest.approx(1440)
    assert launch.occupancy == pytest.approx(0.755)
    assert launch.registers == 16
    assert launch.stalls == {"long_scoreboard": 12.5, "wait": 2.5}
    assert launch.args is None
    assert launch.origin == "full.csv, ID 0"


def test_units_of_base_and_none_at_all(tmp_path: Path) -> None:
    values = {"gpu__time_duration.sum": "17,310", "dram__bytes.sum": "1,048,576"}
    based = raw_page([("k", BLOCK, GRID, values)], {"gpu__time_duration.sum": "nsecond"})
    for name, page in (("based", based), ("bare", raw_page([("k", BLOCK, GRID, values)]))):
        (launch,) = read_ncu_csv(write(tmp_path / name, page)).measurements
        assert launch.time_ns == pytest.approx(17310)
        assert launch.dram_bytes == 1048576


def test_german_numbers(tmp_path: Path) -> None:
    values = {
        "gpu__time_duration.sum": "117.344",
        "dram__bytes.sum": "27.595.520",
        "sm__warps_active.avg.pct_of_peak_sustained_active": "45,31",
    }
    units = {"gpu__time_duration.sum": "ns", "dram__bytes.sum": "byte"}
    (launch,) = read_ncu_csv(
        write(tmp_path / "de.csv", raw_page([("k", BLOCK, GRID, values)], units))
    ).measurements
    assert launch.time_ns == pytest.approx(117344)
    assert launch.dram_bytes == 27595520
    assert launch.occupancy == pytest.approx(0.4531)


def test_a_details_page(tmp_path: Path) -> None:
    rows = (
        ("GPU Speed Of Light Throughput", "Memory Throughput", "%", "88.5"),
        ("GPU Speed Of Light Throughput", "Duration", "us", "20.00"),
        ("GPU Speed Of Light Throughput", "SM Frequency", "Ghz", "1.44"),
        ("Memory Workload Analysis", "Memory Throughput", "Gbyte/s", "600.00"),
        ("Launch Statistics", "Registers Per Thread", "register/thread", "32"),
        ("Launch Statistics", "Static Shared Memory Per Block", "Kbyte/block", "4.10"),
        ("Launch Statistics", "Dynamic Shared Memory Per Block", "byte/block", "512"),
        ("Occupancy", "Achieved Occupancy", "%", "50.00"),
        ("Command line profiler metrics", thread_metric("integer"), "inst", "1,000"),
    )
    page = details_page([("a(int)", BLOCK, GRID, rows), ("b(int)", BLOCK, GRID, rows[1:2])])
    first, second = read_ncu_csv(write(tmp_path / "details.csv", page)).measurements
    assert (first.kernel, second.kernel) == ("a(int)", "b(int)")
    assert first.time_ns == pytest.approx(20000)
    assert first.sm_clock_mhz == pytest.approx(1440)
    assert first.dram_bytes == pytest.approx(600e9 * 20e-6)
    assert first.registers == 32
    assert first.block_shared_bytes == pytest.approx(4612)
    assert first.occupancy == pytest.approx(0.5)
    assert first.int_ops == 1000
    assert (first.grid, first.block) == ((4, 2, 1), (256, 1, 1))
    assert first.sp_flops is None
    assert second.dram_bytes is None


def test_a_share_is_no_rate(tmp_path: Path) -> None:
    rows = (("S", "Duration", "us", "20"), ("S", "Memory Throughput", "%", "88"))
    page = details_page([("k", BLOCK, GRID, rows)])
    (launch,) = read_ncu_csv(write(tmp_path / "r.csv", page)).measurements
    assert launch.moved_bytes is None


def test_launches_of_one_kernel_stay_apart(tmp_path: Path) -> None:
    values = [{"dram__bytes.sum": "10"}, {"dram__bytes.sum": "20"}]
    page = raw_page([("k", BLOCK, GRID, each) for each in values])
    found = read_ncu_csv(write(tmp_path / "r.csv", page)).measurements
    assert [launch.dram_bytes for launch in found] == [10, 20]


def test_matrix_instructions_are_added_without_their_parts(tmp_path: Path) -> None:
    values = {
        "sm__ops_path_tensor_src_fp16_dst_fp32.sum": "1000",
        "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum": "600",
        "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_on.sum": "400",
        "sm__ops_path_tensor_src_int8_sparsity_off.sum": "50",
        "sm__ops_path_tensor_src_fp64.sum": "n/a",
    }
    (launch,) = read_ncu_csv(
        write(tmp_path / "r.csv", raw_page([("k", BLOCK, GRID, values)]))
    ).measurements
    assert launch.tensor_flops == 1050


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_encodings_of_windows(full_report: Path, encoding: str, tmp_path: Path) -> None:
    path = write(tmp_path / "w.csv", full_report.read_text(), encoding)
    (launch,) = read_report(path).measurements
    assert launch.sp_flops == 3_000_000


def test_saved_again_without_quotes_and_with_semicolons(tmp_path: Path) -> None:
    text = (
        "ID;Kernel Name;Grid Size;Block Size;dram__bytes.sum\n"
        ";;;;Mbyte\n"
        "0;k<1,2>(int);(4, 2, 1);(8, 1, 1);1,5\n"
    )
    (launch,) = read_report(write(tmp_path / "r.csv", text)).measurements
    assert launch.kernel == "k<1,2>(int)"
    assert launch.dram_bytes == pytest.approx(1.5e6)
    assert launch.grid == (4, 2, 1)


def test_rules_over_several_lines(tmp_path: Path) -> None:
    header = (
        '"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value",'
        '"Rule Description"\n'
    )
    body = (
        '"0","k","S","Duration","us","3",""\n'
        '"0","k","S","","","","A rule with\n""quotes"", and\nlines."\n'
        '"1","k","S","Duration","us","4",""\n'
    )
    found = read_report(write(tmp_path / "r.csv", header + body))
    assert [each.time_ns for each in found.measurements] == [pytest.approx(3e3), pytest.approx(4e3)]
    assert found.problems == ()


def test_a_cut_report_keeps_what_is_whole(tmp_path: Path) -> None:
    page = raw_page([("a", BLOCK, GRID, FULL), ("b", BLOCK, GRID, FULL)], FULL_UNITS)
    for cut in (20, 80, 200):
        found = read_report(write(tmp_path / "cut.csv", page[:-cut]))
        assert [each.kernel for each in found.measurements] == ["a"]
        assert "line 4 does not have the header's columns" in found.problems[0]


def test_a_cell_that_is_no_number_costs_itself(tmp_path: Path) -> None:
    values = {"dram__bytes.sum": "1x2", "gpu__time_duration.sum": "5"}
    found = read_report(write(tmp_path / "r.csv", raw_page([("k", BLOCK, GRID, values)])))
    assert found.measurements[0].dram_bytes is None
    assert found.measurements[0].time_ns == pytest.approx(5)
    assert found.problems == (
        f"{tmp_path / 'r.csv'}: line 3: 'dram__bytes.sum' is '1x2', which is no number",
    )


def test_negative_counts_are_not_taken(tmp_path: Path) -> None:
    page = raw_page([("k", BLOCK, GRID, {**floats("f", "-5", "0", "0")})])
    assert read_report(write(tmp_path / "r.csv", page)).measurements[0].sp_flops is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "an empty file"),
        ("hello\nworld, again\n", "no report that is known"),
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n", "ERR_NVGPUCTRPERM"),
        ('"ID","Kernel Name","dram__bytes.sum"\n', "no launch in it"),
        ('"ID","Kernel Name","dram__bytes.sum"\n"0","k"\n', "no launch in it: line 2 does not"),
        (
            '"Process ID","Kernel Name","Invocations","Metric Name","Average"\n',
            "without --print-summary",
        ),
        ('"ID","Kernel Name"\n\0\0\0', "binary data"),
    ],
)
def test_files_that_give_nothing(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path / "r.csv", text)
    with pytest.raises(ReportError) as error:
        read_report(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="cannot be read: No such file"):
        read_report(tmp_path / "lost.csv")
    with pytest.raises(ReportError, match="a folder; name a report file"):
        read_report(tmp_path)
    (tmp_path / "base.db").write_bytes(b"SQLite format 3\0" + b"x" * 100)
    with pytest.raises(ReportError, match="--output-format csv"):
        read_report(tmp_path / "base.db")


def test_a_bad_file_does_not_cost_the_others(full_report: Path, tmp_path: Path) -> None:
    found = read_reports([tmp_path / "lost.csv", full_report])
    assert len(found.measurements) == 1
    assert "lost.csv: cannot be read" in found.problems[0]
    with pytest.raises(ReportError, match="no report was named"):
        read_reports([])
