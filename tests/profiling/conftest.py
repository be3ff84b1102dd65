"""Report files in the documented formats, made by hand: no number in them was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from roofline_profiling.measurement import Measurement

SAXPY = "saxpy(int, float, const float *, float *)"

SOURCE = """\
__device__ float twice(float v) { return 2.0f * v; }

__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + twice(y[i]);
}

__global__ void polynomial(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = x[i];
    for (int k = 0; k < 4096; k++) value = value * value + 0.5f;
    x[i] = value;
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
    polynomial<<<64, 256>>>(n, x);
    return 0;
}
"""
"""A program of two kernels, one of either class."""

_IDENTITY = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream",
             "Block Size", "Grid Size", "Device", "CC")  # fmt: skip

Launch = tuple[str, str, str, Mapping[str, str]]
"""Kernel, block, grid, and metric values as printed."""


def thread_metric(op: str) -> str:
    return f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum"


def floats(prefix: str, add: str, multiply: str, fused: str) -> dict[str, str]:
    """The three metrics of a precision: ``f``, ``d`` or ``h``."""
    names = (f"{prefix}add", f"{prefix}mul", f"{prefix}fma")
    return dict(zip(map(thread_metric, names), (add, multiply, fused), strict=True))


def quoted(cells: Sequence[str]) -> str:
    return ",".join('"' + cell.replace('"', '""') + '"' for cell in cells) + "\n"


def identified(number: int, kernel: str, block: str, grid: str) -> list[str]:
    """The cells of ``_IDENTITY`` of one launch of a program on a device of capability 8.6."""
    return [str(number), "42", "app", "127.0.0.1", kernel, "1", "7", block, grid, "0", "8.6"]


def raw_page(launches: Sequence[Launch], units: Mapping[str, str] | None = None) -> str:
    """As ``ncu --csv --page raw`` prints launches, all with the same metrics."""
    metrics = list(launches[0][3])
    lines = [quoted([*_IDENTITY, *metrics])]
    lines.append(
        quoted([*[""] * len(_IDENTITY), *((units or {}).get(name, "") for name in metrics)])
    )
    for number, (kernel, block, grid, values) in enumerate(launches):
        identity = identified(number, kernel, block, grid)
        lines.append(quoted([*identity, *(values[name] for name in metrics)]))
    return "".join(lines)


def details_page(
    launches: Sequence[tuple[str, str, str, Sequence[tuple[str, str, str, str]]]],
) -> str:
    """As ``ncu --csv --page details`` prints: rows of section, name, unit and value."""
    lines = [quoted([*_IDENTITY, "Section Name", "Metric Name", "Metric Unit", "Metric Value"])]
    for number, (kernel, block, grid, rows) in enumerate(launches):
        identity = identified(number, kernel, block, grid)
        lines += [quoted([*identity, *row]) for row in rows]
    return "".join(lines)


FULL = {
    "device__attribute_display_name": "NVIDIA GeForce RTX 3080",
    "dram__bytes_read.sum": "8.01",
    "dram__bytes_write.sum": "3,900.5",
    "gpu__time_duration.sum": "17.31",
    "launch__registers_per_thread": "16",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "75.5",
    "smsp__cycles_elapsed.avg.per_second": "1.44",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": "12.5",
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": "0",
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio": "2.5",
    **floats("f", "0", "1,000,000", "1,000,000"),
    **floats("d", "0", "0", "0"),
    **floats("h", "0", "n/a", "0"),
    thread_metric("integer"): "7,000,192",
}
FULL_UNITS = {
    "dram__bytes_read.sum": "Mbyte",
    "dram__bytes_write.sum": "Kbyte",
    "gpu__time_duration.sum": "usecond",
    "launch__registers_per_thread": "register/thread",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "%",
    "smsp__cycles_elapsed.avg.per_second": "cycle/nsecond",
}


@pytest.fixture
def full_report(tmp_path: Path) -> Path:
    """A raw page with one launch of ``saxpy``, amid the program's own output."""
    path = tmp_path / "full.csv"
    page = raw_page([(SAXPY, "(256, 1, 1)", "(3907, 1, 1)", FULL)], FULL_UNITS)
    path.write_text(f"==PROF== Connected to process 42\nresult: 1,2\n{page}==PROF== Disconnected\n")
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with ``SOURCE``."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "roofline.toml").write_text('gpu = "RTX 3080"\nargs = ["1000000"]\n')
    (root / "src" / "main.cu").write_text(SOURCE)
    return root


Measure = Callable[..., Measurement]


@pytest.fixture
def measurement() -> Measure:
    """Makes a measurement of ``saxpy`` with some values changed."""

    def made(**values: object) -> Measurement:
        held: dict[str, object] = {
            "kernel": SAXPY,
            "gpu": "NVIDIA GeForce RTX 3080",
            "args": ("1000000",),
            "grid": (3907, 1, 1),
            "block": (256, 1, 1),
            "sp_flops": 3e6,
            "dp_flops": 0.0,
            "int_ops": 7e6,
            "dram_read_bytes": 8e6,
            "dram_write_bytes": 4e6,
            "time_ns": 17310.0,
            "origin": "made.csv, ID 0",
        }
        return Measurement(**{**held, **values})  # type: ignore[arg-type]

    return made
