"""CSV files of AMD's profilers: rocprofv3's counters and kernel traces, rocprof-compute's tables.

Formulas are those of ROCm Compute Profiler's pipeline and L2 metrics; a vector instruction counts
for every lane of a wavefront, active or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from roofline_profiling.bounded_reader import text_lines
from roofline_profiling.errors import ReportError
from roofline_profiling.measurement import Dim3, Imported, Measurement, name_of
from roofline_profiling.notes import Notes
from roofline_profiling.numbers import MOST_THREADS, number_of
from roofline_profiling.tables import Table, find_table

MARKS: Final = (
    frozenset({"Kernel_Name", "Counter_Name", "Counter_Value"}),
    frozenset({"Kernel_Name", "Start_Timestamp", "End_Timestamp"}),
    frozenset({"KernelName", "BeginNs", "EndNs"}),
)
"""Columns of rocprofv3's counters, of its traces and rocprof-compute's tables, of rocprof."""

MAX_LAUNCHES: Final = 50_000
MAX_COUNTERS: Final = 4096
"""The most counters of one launch; a GPU has some hundreds."""
_WAVE: Final = 64
"""Lanes of a wavefront on the GPUs that have these counters."""
_MFMA_OPERATIONS: Final = 512
"""Operations per count of an ``MFMA_MOPS`` counter."""
_PRECISIONS: Final = {"sp_flops": "F32", "dp_flops": "F64", "hp_flops": "F16"}
_OTHER_COLUMNS: Final = frozenset(
    """Correlation_Id Correlation_ID Dispatch_Id Dispatch_ID Agent_Id GPU_ID Queue_Id Queue_ID
    Queue_Index Process_Id PID Thread_Id TID Kernel_Id Kernel_ID Kernel_Name KernelName Kind
    Start_Timestamp End_Timestamp BeginNs EndNs DispatchNs CompleteNs Counter_Name Counter_Value
    SIG OBJ Index gpu-id queue-id queue-index pid tid sig obj Node Context_ID Stream_Id""".split()
)


@dataclass(slots=True)
class _RocprofLaunch:
    kernel: str
    dispatch: str
    counters: dict[str, float] = field(default_factory=dict)
    cells: dict[str, float] = field(default_factory=dict)
    """Cells that describe the launch, such as ``Grid_Size``."""
    time_ns: float | None = None


def read_rocprof(paths: Sequence[Path]) -> Imported:
    """The launches of the files of one run, whose passes counted different things.

    Raises ReportError where a file has no table of these profilers, or there is no launch at all.
    """
    launches: dict[tuple[str, str], _RocprofLaunch] = {}
    sentences: list[str] = []
    for path in paths:
        table = find_table(text_lines(path), MARKS)
        if table is None or not table.header:
            raise ReportError(f"{path}: no table of rocprofv3 or rocprof-compute in it")
        notes = Notes(path)
        _read(table, launches, notes)
        sentences += notes.sentences()
    if not launches:
        raise ReportError(f"{paths[0]}: no launch in it")
    name = paths[0].name
    return Imported(tuple(_measurement(each, name) for each in launches.values()), tuple(sentences))


def _read(table: Table, launches: dict[tuple[str, str], _RocprofLaunch], notes: Notes) -> None:
    at = {name: number for number, name in enumerate(table.header)}
    kernel_at = at["Kernel_Name"] if "Kernel_Name" in at else at["KernelName"]
    dispatch_at = next(
        (at[name] for name in ("Dispatch_Id", "Dispatch_ID", "Index") if name in at), None
    )
    row = 0
    for line, cells in table.records:
        if len(cells) != len(table.header):
            notes.cut(line)
            continue
        row += 1
        dispatch = cells[dispatch_at].strip() if dispatch_at is not None else str(row)
        kernel = cells[kernel_at].strip().removesuffix(".kd").removesuffix("(.kd)").strip()
        key = (dispatch, kernel)
        if key not in launches:
            if len(launches) == MAX_LAUNCHES:
                notes.say(f"only the first {MAX_LAUNCHES} launches are taken")
                return
            launches[key] = _RocprofLaunch(name_of(kernel) or "?", name_of(dispatch))
        _take(launches[key], at, cells, line, notes)


def _take(
    launch: _RocprofLaunch, at: Mapping[str, int], cells: Sequence[str], line: int, notes: Notes
) -> None:
    for begin, end in (("Start_Timestamp", "End_Timestamp"), ("BeginNs", "EndNs")):
        if begin in at and end in at and launch.time_ns is None:
            started, ended = number_of(cells[at[begin]]), number_of(cells[at[end]])
            if started is not None and ended is not None and ended > started:
                launch.time_ns = ended - started
    if "Counter_Name" in at and "Counter_Value" in at:
        name, text = cells[at["Counter_Name"]].strip(), cells[at["Counter_Value"]]
        number = number_of(text)
        if number is None:
            notes.not_a_number(line, name, text)
        elif name in launch.counters or len(launch.counters) < MAX_COUNTERS:
            launch.counters[name] = launch.counters.get(name, 0.0) + number
    for name, column in at.items():
        if name not in _OTHER_COLUMNS:
            number = number_of(cells[column])
            if number is not None:
                launch.cells[name] = number


def _measurement(launch: _RocprofLaunch, name: str) -> Measurement:
    counted = {**launch.cells, **launch.counters}
    block = _dimensions(counted, "Workgroup_Size")
    threads = _dimensions(counted, "Grid_Size")
    grid = None
    if block is not None and threads is not None:
        x, y, z = (-(-total // size) for total, size in zip(threads, block, strict=True))
        grid = (x, y, z)
    counts = _operations(counted) | _traffic(counted)
    lds = _first(counted, "LDS_Block_Size", "LDS_Per_Workgroup", "LDS", "lds")
    return Measurement(
        kernel=launch.kernel,
        grid=grid,
        block=block,
        time_ns=launch.time_ns,
        registers=_first(counted, "VGPR_Count", "Arch_VGPR", "arch_vgpr"),
        block_shared_bytes=lds,
        origin=f"{name}, dispatch {launch.dispatch}",
        **counts,  # type: ignore[arg-type]
    )


def _operations(counted: Mapping[str, float]) -> dict[str, float]:
    wave = _first(counted, "Wave_Size", "wave_size") or _WAVE
    counts: dict[str, float] = {}
    for name, kind in _PRECISIONS.items():
        parts = [counted.get(f"SQ_INSTS_VALU_{op}_{kind}") for op in ("ADD", "MUL", "TRANS", "FMA")]
        known = [part for part in parts if part is not None]
        if len(known) == len(parts):
            counts[name] = wave * (sum(known) + known[-1])  # a fused multiply-add is two
    integer = [counted.get(f"SQ_INSTS_VALU_INT{bits}") for bits in (32, 64)]
    if None not in integer:
        counts["int_ops"] = wave * sum(part for part in integer if part is not None)
    matrix = [value for name, value in counted.items() if "_MFMA_MOPS_" in name]
    if matrix:
        counts["tensor_flops"] = _MFMA_OPERATIONS * sum(matrix)
    return counts


def _traffic(counted: Mapping[str, float]) -> dict[str, float]:
    """DRAM bytes: the derived sizes in KiB, or the L2's requests by their sizes."""
    counts: dict[str, float] = {}
    fetched, written = counted.get("FETCH_SIZE"), counted.get("WRITE_SIZE")
    reads, small = (_requests(counted, each) for each in ("RDREQ", "RDREQ_32B"))
    large = _first(counted, "TCC_BUBBLE_sum") or 0.0
    writes, full = (_requests(counted, each) for each in ("WRREQ", "WRREQ_64B"))
    if fetched is not None:
        counts["dram_read_bytes"] = 1024 * fetched
    elif reads is not None and small is not None:
        counts["dram_read_bytes"] = 32 * small + 64 * (reads - small - large) + 128 * large
    if written is not None:
        counts["dram_write_bytes"] = 1024 * written
    elif writes is not None and full is not None:
        counts["dram_write_bytes"] = 64 * full + 32 * (writes - full)
    return {name: number for name, number in counts.items() if number >= 0}


def _requests(counted: Mapping[str, float], what: str) -> float | None:
    return _first(counted, f"TCC_EA0_{what}_sum", f"TCC_EA_{what}_sum")


def _first(counted: Mapping[str, float], *names: str) -> float | None:
    return next((counted[name] for name in names if name in counted), None)


def _dimensions(counted: Mapping[str, float], what: str) -> Dim3 | None:
    parts = [counted.get(f"{what}_{axis}") for axis in "XYZ"]
    known = [int(part) for part in parts if part is not None and 1 <= part <= MOST_THREADS]
    return (known[0], known[1], known[2]) if len(known) == 3 else None
