"""What finding a GPU costs a cold start.

    python benchmarks/gpu_database_load.py [--repeat 25] [--scale 10]

Each measurement is a fresh process that has loaded the standard modules every run loads; its
processor time is from before the import of ``hardware_db`` to a roofline. The names are a slug,
which opens no index, an alias and a PCI id, which do. With ``--scale`` the index is made so many
times larger first, to show what a larger database would cost. Prints medians in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ("rtx-3080-10gb", "NVIDIA H100 80GB HBM3", "10de:2206", "H100 1g.10gb")

_CHILD = """
import dataclasses, difflib, enum, json, pathlib, re, sys, time, tomllib
import roofline_core.program.errors, roofline_core.program.precision, roofline_core.program.records
start = time.process_time()
from roofline_hardware_db import ClockKind, find_gpu, index
imported = time.process_time()
if sys.argv[2]:
    larger = pathlib.Path(sys.argv[2])
    index.load_index.__wrapped__.__defaults__ = (larger,)
    index.claimed_by.__defaults__ = ("keys", larger)
find_gpu(sys.argv[1]).roofline(ClockKind.BOOST)
print((imported - start) * 1000, (time.process_time() - imported) * 1000)
"""


def _measured(name: str, index: str, repeat: int) -> tuple[float, float]:
    """Medians of the milliseconds that importing and finding took."""
    times = []
    for _ in range(repeat):
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, name, index], capture_output=True, text=True, check=True
        )
        times.append([float(part) for part in done.stdout.split()])
    imports, finds = zip(*times, strict=True)
    return statistics.median(imports), statistics.median(finds)


def _enlarged(scale: int, folder: Path) -> Path:
    """An index so many times as large, with names that nobody looks for."""
    from roofline_hardware_db.index import load_index  # noqa: PLC0415

    index = load_index()
    content = {
        "names": dict(index.names),
        "keys": dict(index.keys),
        "pci_ids": dict(index.pci_ids),
    }
    for table in list(content.values()):
        copies = {f"{key}-{n}": value for key, value in table.items() for n in range(1, scale)}
        table.update(copies)
    path = folder / "index.json"
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=25)
    parser.add_argument("--scale", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        index = str(_enlarged(options.scale, Path(folder))) if options.scale > 1 else ""
        for name in NAMES:
            imported, found = _measured(name, index, options.repeat)
            print(f"{name:24}  import {imported:5.1f}  find {found:5.1f}  {imported + found:5.1f}")


if __name__ == "__main__":
    main()
