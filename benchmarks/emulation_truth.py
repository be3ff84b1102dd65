"""Holds emulated counts against measured ones, kernel by kernel.

    python benchmarks/emulation_truth.py run --data measured.csv --programs DIR --sources DIR \
        --library DIR --configuration FILE --results DIR
    python benchmarks/emulation_truth.py compare --data measured.csv --results DIR [--csv FILE]

``run`` runs each program of the data set that was built (``PROGRAMS/<program>/main``) in its source
folder (``SOURCES/<program>``) with the arguments of its rows, and ends it as soon as each row's
kernel was counted with the row's grid and block. ``compare`` prints how many counts agree, why the
other rows have none, and the rows that deviate most; ``--csv`` writes all rows.

Counts agree only where the machine code is the same, so a program has to be built as it was built
for the measurement: with the same compiler, flags and defines. ``toolchain`` makes clang 18 with
CUDA 12.2 for that out of registry packages:

    pip install --target WHEELS ziglang==0.13.0 nvidia-cuda-nvcc-cu12==12.2.140 \
        nvidia-cuda-runtime-cu12==12.2.140 nvidia-cuda-cccl-cu12==12.2.140 \
        nvidia-curand-cu12==10.3.3.141
    pip install --target CCCL nvidia-cuda-cccl-cu12==12.5.39.post1
    python benchmarks/emulation_truth.py toolchain --wheels WHEELS --cccl CCCL \
        --fatbinary PROGRAM --nvlink PROGRAM --output DIR

``zig clang`` of ziglang 0.13.0 is clang 18.1.6. The headers of libcu++, which the older package
lacks, come from the newer one; fatbinary and nvlink from any CUDA toolkit. Then
``DIR/bin/clang++ -x cuda --cuda-gpu-arch=sm_86 -O3 ...`` compiles, and as ``CMAKE_CUDA_COMPILER``
with ``CUDAToolkit_ROOT=DIR/cuda`` CMake takes it, too.

``--language omp`` takes the rows of OpenMP instead. Their programs are built by a Clang with
OpenMP's library for NVIDIA's GPUs; ``LIBRARY`` has that library for the host as well, and a link to
the emulator's named ``libcuda.so``, which it loads.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from truth_run.comparison import COUNTS, Compared, Comparer, summary, write_csv
from truth_run.running import Records, Setting, read_ending, run_program
from truth_run.toolchain import ToolchainError, make_toolchain

from roofline_study.dataset import MeasuredKernel, read_dataset

_SHOWN = 15


def main() -> int:
    """Do what the command line asks; return the exit status."""
    options = _parser().parse_args()
    if options.what == "toolchain":
        try:
            make_toolchain(
                options.wheels, options.cccl, options.fatbinary, options.nvlink, options.output
            )
        except ToolchainError as error:
            print(error, file=sys.stderr)
            return 2
        return 0
    programs = _programs(options.data, options.language, options.only)
    return _run(options, programs) if options.what == "run" else _compare(options, programs)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="what", required=True)
    run = commands.add_parser("run", help="run the programs under the emulator")
    run.add_argument("--programs", type=Path, required=True, help="folder of built programs")
    run.add_argument("--sources", type=Path, required=True, help="folder of source folders")
    run.add_argument("--library", type=Path, required=True, help="folder of the runtime library")
    run.add_argument("--configuration", type=Path, required=True, help="the emulator's")
    run.add_argument("--limit", type=float, default=120, help="seconds for each program")
    run.add_argument("--memory", type=float, default=8, help="GiB for each program")
    run.add_argument("--missing", action="store_true", help="only programs without records")
    compare = commands.add_parser("compare", help="hold the counts against the measured ones")
    compare.add_argument("--csv", type=Path, help="write all rows")
    for command in (run, compare):
        command.add_argument("--data", type=Path, required=True, help="measured kernels")
        command.add_argument("--results", type=Path, required=True, help="folder of the records")
        command.add_argument("--language", choices=("cuda", "omp"), default="cuda")
        command.add_argument("--only", nargs="*", default=[], help="programs, by name")
    toolchain = commands.add_parser("toolchain", help="put clang 18 with CUDA 12.2 together")
    for folder in ("wheels", "cccl", "fatbinary", "nvlink", "output"):
        toolchain.add_argument(f"--{folder}", type=Path, required=True)
    return parser


def _programs(data: Path, language: str, only: Sequence[str]) -> list[list[MeasuredKernel]]:
    """The rows of each program in a language."""
    rows = [row for row in read_dataset(data) if row.language == language]
    rows.sort(key=lambda row: (row.program, row.line))
    grouped = [list(held) for _, held in groupby(rows, lambda row: row.program)]
    return [held for held in grouped if not only or held[0].program in only]


def _run(options: argparse.Namespace, programs: Sequence[list[MeasuredKernel]]) -> int:
    options.results.mkdir(parents=True, exist_ok=True)
    setting = Setting(
        options.library.resolve(),
        options.configuration.read_text(),
        options.results.resolve(),
        options.limit,
        int(options.memory * 1024**3),
    )
    for rows in programs:
        name = rows[0].program
        if options.missing and (options.results / f"{name}.jsonl").exists():
            continue
        program = (options.programs / name / "main").resolve()
        ending = run_program(setting, program, options.sources / name, rows)
        print(f"{ending.seconds:8.1f} s  {name}: {ending.early or ending.how}", flush=True)
    return 0


def _compare(options: argparse.Namespace, programs: Sequence[list[MeasuredKernel]]) -> int:
    comparer, compared = Comparer(), []
    for rows in programs:
        name = rows[0].program
        ending = read_ending(options.results, name)
        records = Records(options.results / f"{name}.jsonl")
        records.update()
        early = ending.early if ending else "not run"
        compared += [comparer.compare(row, records.launches, records.names, early) for row in rows]
    print("\n".join(summary(compared)))
    for count in COUNTS:
        print("\n".join(_worst(compared, count)))
    if options.csv:
        write_csv(options.csv, compared)
    return 0


def _worst(compared: Sequence[Compared], count: str) -> list[str]:
    """The rows whose count does not agree, the farthest first."""
    wrong = [each for each in compared if each.agrees(count) is False]
    wrong.sort(key=lambda each: _factor(each.ratio(count)), reverse=True)
    lines = [f"{count}: {len(wrong)} do not agree"]
    for each in wrong[:_SHOWN]:
        ratio = each.ratio(count)
        shown = "from 0" if ratio is None else f"{ratio:8.3f}"
        lines.append(f"  {shown}  {each.row.program}: {each.row.kernel[:80]}")
    return lines


def _factor(ratio: float | None) -> float:
    """How many times too large or too small."""
    return max(ratio, 1 / ratio) if ratio else math.inf


if __name__ == "__main__":
    sys.exit(main())
