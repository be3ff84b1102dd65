from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.report.report import Verdict
from roofline_study.dataset import DatasetError, read_dataset

HEADER = "program,kernel,args,grid,block,sp_flops,dp_flops,int_ops,dram_bytes,time_ns,sp_ai,label\n"
ROW = (
    'saxpy-cuda,"saxpy(int, float *)",-n 8 \'a b\',"(4, 1, 1)","(256, 2, 1)",'
    "2048,0,1e3,8192,2816,0.25,BB\n"
)


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "data.csv"
    path.write_text(text)
    return path


def failure(tmp_path: Path, text: str) -> str:
    path = write(tmp_path, text)
    with pytest.raises(DatasetError) as caught:
        read_dataset(path)
    return str(caught.value).removeprefix(str(path))


def test_a_row_is_typed(tmp_path: Path) -> None:
    (row,) = read_dataset(write(tmp_path, HEADER + ROW))
    assert (row.program, row.kernel) == ("saxpy-cuda", "saxpy(int, float *)")
    assert row.name == "saxpy-cuda:saxpy(int, float *)"
    assert row.args == ("-n", "8", "a b")
    assert (row.grid, row.block) == ((4, 1, 1), (256, 2, 1))
    assert (row.sp_flops, row.dp_flops, row.int_ops) == (2048, 0, 1000)
    assert (row.dram_bytes, row.time_ns) == (8192, 2816)
    assert row.label is Verdict.BANDWIDTH_BOUND
    assert row.language == "cuda"
    assert row.line == 2


def test_openmp_kernels_are_told_by_their_name(tmp_path: Path) -> None:
    kernel = "__omp_offloading_10302_1a2b_main_l42"
    (row,) = read_dataset(write(tmp_path, HEADER + ROW.replace('"saxpy(int, float *)"', kernel)))
    assert row.language == "omp"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"(4, 1, 1)"', "4", ":2: column 'grid' must be three numbers such as (4, 1, 1), not '4'"),
        (
            '"(256, 2, 1)"',
            '"(0, 1, 1)"',
            ":2: column 'block' must be three numbers of at least 1, not '(0, 1, 1)'",
        ),
        (",2048,", ",many,", ":2: column 'sp_flops' must be a number, not 'many'"),
        (
            ",8192,",
            ",-1,",
            ":2: column 'dram_bytes' must be a finite number of at least 0, not '-1'",
        ),
        (
            ",8192,",
            ",nan,",
            ":2: column 'dram_bytes' must be a finite number of at least 0, not 'nan'",
        ),
        (",BB\n", ",XB\n", ":2: column 'label' must be CB or BB, not 'XB'"),
        ("saxpy-cuda,", " ,", ":2: column 'program' must be a name, not ''"),
        (
            "'a b'",
            "'a b",
            ":2: column 'args' must be a command line that a shell can read, not '-n 8 'a b'",
        ),
        (",BB\n", "\n", ":2: no value for column 'label'"),
        (",BB\n", ",BB,1\n", ":2: more values than the header has columns"),
    ],
)
def test_a_wrong_value_names_line_and_column(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert failure(tmp_path, HEADER + ROW.replace(old, new, 1)) == message


def test_missing_columns_are_named(tmp_path: Path) -> None:
    text = HEADER.replace("args,", "").replace(",dram_bytes", "") + ROW
    assert failure(tmp_path, text) == ":1: the header lacks the columns 'args', 'dram_bytes'"


def test_what_was_not_measured_is_not_known(tmp_path: Path) -> None:
    text = "program,kernel,args,grid,block,sp_flops,dp_flops,dram_bytes\n"
    text += 'a-cuda,k,,"(4, 1, 1)","(256, 1, 1)",10,0,5\n'
    (row,) = read_dataset(write(tmp_path, text))
    assert (row.int_ops, row.time_ns, row.label, row.gpu, row.group) == (None,) * 5
    assert (row.sp_flops, row.dram_bytes) == (10, 5)


def test_rows_have_gpus_and_groups(tmp_path: Path) -> None:
    header = HEADER.replace("program,", "program,gpu,part,")
    rows = [ROW.replace("saxpy-cuda,", f"saxpy-cuda,{gpu},dev,", 1) for gpu in ("A10", "H100")]
    path = write(tmp_path, header + "".join(rows))
    assert [(row.gpu, row.group) for row in read_dataset(path)] == [("A10", None), ("H100", None)]
    assert {row.group for row in read_dataset(path, "part")} == {"dev"}
    assert {row.group for row in read_dataset(path, "dataset")} == {"data"}
    with pytest.raises(DatasetError, match=":1: the header has no column 'split' to group by"):
        read_dataset(path, "split")


def test_several_launches_of_a_kernel(tmp_path: Path) -> None:
    found = read_dataset(write(tmp_path, HEADER + ROW + ROW.replace("-n 8", "-n 9")))
    assert [row.args for row in found] == [("-n", "8", "a b"), ("-n", "9", "a b")]


def test_a_launch_must_stand_there_once(tmp_path: Path) -> None:
    message = ":3: this launch of 'saxpy-cuda:saxpy(int, float *)' is in line 2 already"
    assert failure(tmp_path, HEADER + ROW + ROW) == message


def test_an_empty_or_missing_or_binary_file_is_refused(tmp_path: Path) -> None:
    assert failure(tmp_path, HEADER) == ": no row below the header"
    with pytest.raises(DatasetError, match="cannot be read: No such file"):
        read_dataset(tmp_path / "gone.csv")
    path = tmp_path / "data.csv"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(DatasetError, match="not UTF-8 text at byte 0"):
        read_dataset(path)


def test_a_broken_quote_names_the_line(tmp_path: Path) -> None:
    assert failure(tmp_path, HEADER + ROW + '"open').startswith(":3: not valid CSV")


def test_a_path_that_is_a_folder_is_refused() -> None:
    with pytest.raises(DatasetError, match="cannot be read"):
        read_dataset(Path("/"))


def test_macros_of_the_build_tell_rows_apart(tmp_path: Path) -> None:
    header = HEADER.replace("args,", "define,args,")
    first = ROW.replace(",-n 8 'a b',", ",TILE=8 'TEXT=a b',-n 8,")
    found = read_dataset(write(tmp_path, header + first + first.replace("TILE=8", "TILE=16")))
    assert [row.defines for row in found] == [("TILE=8", "TEXT=a b"), ("TILE=16", "TEXT=a b")]
    (plain,) = read_dataset(write(tmp_path, HEADER + ROW))
    assert plain.defines == ()


def test_traffic_may_be_read_and_written_apart(tmp_path: Path) -> None:
    header = HEADER.replace("dram_bytes", "dram_read_bytes,dram_write_bytes")
    (row,) = read_dataset(write(tmp_path, header + ROW.replace(",8192,", ",8000,192,")))
    assert row.dram_bytes == 8192
    lacking = HEADER.replace("dram_bytes", "dram_read_bytes")
    assert failure(tmp_path, lacking + ROW) == ":1: the header lacks the column 'dram_bytes'"


def test_what_is_empty_was_not_measured(tmp_path: Path) -> None:
    text = HEADER + ROW.replace("2048,0,1e3,8192,2816", ",,,8192,")
    (row,) = read_dataset(write(tmp_path, text))
    assert (row.sp_flops, row.dp_flops, row.int_ops, row.time_ns) == (None, None, None, None)
    empty = HEADER + ROW.replace(",8192,", ",,")
    assert failure(tmp_path, empty) == ":2: column 'dram_bytes' must be a number, not ''"


def test_dimensions_may_be_written_as_a_product(tmp_path: Path) -> None:
    text = HEADER + ROW.replace('"(4, 1, 1)"', "4x2x1")
    (row,) = read_dataset(write(tmp_path, text))
    assert row.grid == (4, 2, 1)
