#!/usr/bin/env python3
"""How fast the emulation executes kernels, in million thread instructions a second of one core.

    python benchmarks/emulation_speed.py [--gpu NAME]

Compiles and runs ``emulation_speed.cu`` with and without simulated caches, and prints for each of
its kernels the instructions of its threads over the processor time that the launch took. Needs what
``--profile --emulate`` needs: g++, nvcc, nvdisasm.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from roofline_hardware_db.lookup import find_gpu
from roofline_profiling.emulate.building import Around
from roofline_profiling.emulate.counts import CodeTable
from roofline_profiling.emulate.options import EmulationOptions
from roofline_profiling.emulate.records import read_code, read_records
from roofline_profiling.emulate.run import emulate

SOURCE = Path(__file__).with_suffix(".cu")


def speeds(gpu: str, *, caches: bool) -> dict[str, float]:
    """Thread instructions a second, in millions, by kernel."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        shutil.copy(SOURCE, folder)
        kept = folder / "launches.jsonl"
        options = EmulationOptions(find_gpu(gpu), launches=None, caches=caches)
        emulate((SOURCE.name,), options, Around(folder), keep_records=kept)
        for record in read_records(kept).launches:
            executed = CodeTable(read_code(record.code)).counts(record).work.thread_instructions
            found[record.kernel] = executed / record.cpu_s / 1e6
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpu", default="RTX 3080", help="the GPU that is emulated")
    gpu = parser.parse_args().gpu
    counted, cached = (speeds(gpu, caches=each) for each in (False, True))
    print(f"{'kernel':<40}{'counting':>12}{'with caches':>14}   million thread instructions/s")
    for kernel, speed in counted.items():
        print(f"{kernel:<40}{speed:>12.0f}{cached[kernel]:>14.0f}")


if __name__ == "__main__":
    main()
