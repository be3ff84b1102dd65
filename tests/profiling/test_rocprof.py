"""CSV files of AMD's profilers, made by hand; no number in them was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_profiling.errors import ReportError
from roofline_profiling.importing import Format, format_of, read_report, read_reports

HEADER = (
    '"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size",'
    '"Kernel_Id","Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count",'
    '"Accum_VGPR_Count","SGPR_Count","Counter_Name","Counter_Value","Start_Timestamp",'
    '"End_Timestamp"\n'
)


def counter_row(dispatch: int, kernel: str, name: str, value: float) -> str:
    return (
        f'{dispatch},{dispatch},"Agent 1",1,20,20,1048576,9,"{kernel}",256,2048,0,64,0,80,'
        f'"{name}",{value},1000,3500\n'
    )


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_counters_of_rocprofv3(tmp_path: Path) -> None:
    counters = {
        "SQ_INSTS_VALU_ADD_F32": 10,
        "SQ_INSTS_VALU_MUL_F32": 20,
        "SQ_INSTS_VALU_TRANS_F32": 5,
        "SQ_INSTS_VALU_FMA_F32": 100,
        "SQ_INSTS_VALU_ADD_F64": 1,
        "SQ_INSTS_VALU_INT32": 7,
        "SQ_INSTS_VALU_INT64": 3,
        "SQ_INSTS_VALU_MFMA_MOPS_F16": 2,
        "FETCH_SIZE": 8,
        "WRITE_SIZE": 4,
    }
    rows = [counter_row(1, "k(float*)", name, value) for name, value in counters.items()]
    path = write(tmp_path / "c.csv", HEADER + "".join(rows))
    assert format_of(path) is Format.ROCPROF
    (launch,) = read_report(path).measurements
    assert launch.kernel == "k(float*)"
    assert launch.sp_flops == 64 * (10 + 20 + 5 + 2 * 100)
    assert launch.dp_flops is None  # three of its four counters are missing
    assert launch.int_ops == 640
    assert launch.tensor_flops == 1024
    assert (launch.dram_read_bytes, launch.dram_write_bytes) == (8192, 4096)
    assert launch.time_ns == 2500
    assert (launch.registers, launch.block_shared_bytes) == (64, 2048)
    assert (launch.grid, launch.block) == (None, None)  # totals do not tell the shape
    assert launch.origin == "c.csv, dispatch 1"


def test_passes_of_one_run_are_put_together(tmp_path: Path) -> None:
    first = HEADER + counter_row(1, "k", "TCC_EA0_RDREQ_sum", 100)
    second = HEADER + counter_row(1, "k", "TCC_EA0_RDREQ_32B_sum", 40)
    third = HEADER + counter_row(2, "k", "TCC_EA0_RDREQ_sum", 7)
    paths = [write(tmp_path / f"{at}.csv", each) for at, each in enumerate((first, second, third))]
    one, two = read_reports(paths).measurements
    assert one.dram_read_bytes == 32 * 40 + 64 * 60
    assert two.dram_read_bytes is None


def test_a_table_of_rocprof_compute(tmp_path: Path) -> None:
    text = (
        "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,"
        "Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,"
        "End_Timestamp,Correlation_ID,TCC_EA_WRREQ_sum,TCC_EA_WRREQ_64B_sum\n"
        '1,4,1,9,9,4096,64,512,0,8,0,16,64,"vecCopy(double*, int) (.kd)",10,33,0,100.0,60.0\n'
    )
    (launch,) = read_report(write(tmp_path / "pmc_perf.csv", text)).measurements
    assert launch.kernel == "vecCopy(double*, int)"
    assert launch.dram_write_bytes == 64 * 60 + 32 * 40
    assert launch.time_ns == 23
    assert (launch.registers, launch.block_shared_bytes) == (8, 512)


def test_a_kernel_trace_has_the_shape(tmp_path: Path) -> None:
    text = (
        '"Kind","Agent_Id","Queue_Id","Kernel_Id","Kernel_Name","Correlation_Id",'
        '"Start_Timestamp","End_Timestamp","Workgroup_Size_X","Workgroup_Size_Y",'
        '"Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"\n'
        '"KERNEL_DISPATCH",1,1,9,"hot",1,1000,1100,64,2,1,160,8,1\n'
        '"KERNEL_DISPATCH",1,1,9,"hot",2,2000,2300,64,2,1,160,8,1\n'
    )
    one, two = read_report(write(tmp_path / "t.csv", text)).measurements
    assert (one.grid, one.block, one.time_ns) == ((3, 4, 1), (64, 2, 1), 100)
    assert two.time_ns == 300


def test_a_cut_table_and_words_for_numbers(tmp_path: Path) -> None:
    text = HEADER + counter_row(1, "k", "FETCH_SIZE", 8) + '2,2,"Agent 1",1,20'
    found = read_report(write(tmp_path / "c.csv", text))
    assert len(found.measurements) == 1
    assert "line 3 does not have the header's columns" in found.problems[0]
    wrong = HEADER + counter_row(1, "k", "FETCH_SIZE", 8).replace(",8,", ",8z,")
    found = read_report(write(tmp_path / "c.csv", wrong))
    assert found.measurements[0].dram_read_bytes is None
    assert "'FETCH_SIZE' is '8z', which is no number" in found.problems[0]
    with pytest.raises(ReportError, match="no launch in it"):
        read_report(write(tmp_path / "c.csv", HEADER))
