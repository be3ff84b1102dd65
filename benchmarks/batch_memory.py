"""Peak memory of ``--check`` by the size of the tree that is checked.

    python benchmarks/batch_memory.py FOLDER [--sizes 10,100,1000] [--copies 1]

FOLDER has programs with kernels. A tree is made of so many copies of it, each a folder of its own,
and of host sources without kernels, 50 kB each, until it has the size, in MB. Each tree is checked
twice, in one process and with nothing kept: ``report`` holds all reports until the end, ``records``
writes them as programs are finished. Printed are the peak of the resident memory of the process, as
the system tells it, and its CPU time.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HOST = "int f{number}_{line}(int x) {{ return x * {line} + g(x, {line}); }}\n"
HOST_BYTES = 50_000


def fill(tree: Path, folder: Path, copies: int, size_bytes: int) -> int:
    """Make a tree; returns its bytes."""
    (tree / ".git").mkdir(parents=True)
    for number in range(copies):
        shutil.copytree(folder, tree / f"copy{number}", ignore=shutil.ignore_patterns(".*"))
    total = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file())
    number = 0
    while total < size_bytes:
        lines = (HOST.format(number=number, line=line) for line in range(1000))
        text = "".join(lines)[:HOST_BYTES]
        path = tree / f"host{number // 100}" / f"h{number}.cpp"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        total += len(text)
        number += 1
    return total


def cost(*options: str) -> tuple[float, float]:
    """The peak memory of a check in MB, and its CPU time in seconds."""
    command = [sys.executable, "-m", "roofline_lsp", "--check", *options]
    command += ["--no-cache", "--jobs", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return used.ru_maxrss * unit / 1e6, used.ru_utime + used.ru_stime


def main() -> None:
    """Print a line for each size and kind of output: the peak in MB and the CPU seconds."""
    parser = argparse.ArgumentParser(description="Peak memory of --check by the size of a tree.")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--sizes", default="10,100,1000", metavar="MB,...")
    parser.add_argument("--copies", type=int, default=1, metavar="N")
    options = parser.parse_args()
    for size in map(float, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as name:
            tree = Path(name, "tree")
            total = fill(tree, options.folder, options.copies, int(size * 1e6))
            for kind, out in (("report", "json"), ("records", "ndjson")):
                file = str(Path(name, f"out.{out}"))
                given = ("--format", "json") if kind == "report" else ()
                peak_mb, cpu_s = cost(str(tree), "--output", file, *given)
                print(f"{total / 1e6:8.0f} MB {kind:8}{peak_mb:8.0f} MB peak{cpu_s:8.1f} s CPU")


if __name__ == "__main__":
    main()
