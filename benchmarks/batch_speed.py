"""Speed of whole ``--check`` commands beside a raw tree-sitter parse of the same files.

    python benchmarks/batch_speed.py PATH... [--rounds 3] [--jobs 2]

A path is a file, a folder or a glob pattern, ``'src/a*-cuda'``. What is compared runs in turns, so
that what else the machine does hits all of it, and the fastest round of each counts: the CPU time
of a process with its children, start-up included, and the time on the wall.

- ``parse``: the files that the check reports on, each parsed once, in a process that has them;
- ``cold``: nothing kept; ``reports``: all reports kept but not the whole answer, as after an edit
  of a file that no program uses; ``warm``: the same request again; each in one process;
- ``jobs``: cold, in several processes;
- ``pass``: ``python -c pass``; ``version``: ``--version``; ``one``: the smallest of the files
  checked alone, nothing kept.

Every report is compared with the first one; one that differs ends the run.
"""

from __future__ import annotations

import argparse
import glob
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PARSE = """\
import sys, time, tree_sitter, tree_sitter_cuda
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))
sources = [open(path, "rb").read() for path in sys.stdin.read().splitlines()]
begun = time.process_time()
for source in sources:
    parser.parse(source)
print(time.process_time() - begun)
"""
COMMAND = (sys.executable, "-m", "roofline_lsp")


@dataclass(frozen=True, slots=True)
class Took:
    """What a command took, and wrote."""

    cpu_s: float
    wall_s: float
    out: bytes


def took(command: Sequence[str]) -> Took:
    """Run a command; its CPU seconds are those of all processes it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    wall_s = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Took(cpu_s, wall_s, out.stdout)


def parsed(files: Sequence[str]) -> Took:
    """The CPU time of parsing alone."""
    listing = "\n".join(files).encode()
    out = subprocess.run(
        [sys.executable, "-c", PARSE], input=listing, capture_output=True, check=True
    )
    cpu_s = float(out.stdout)
    return Took(cpu_s, cpu_s, b"")


def rounds(paths: Sequence[str], jobs: int, count: int) -> dict[str, list[Took]]:
    """Each thing's times, in turns."""
    from roofline_lsp.cli.files import collect  # noqa: PLC0415
    from roofline_parsers.reading.gate import has_kernels  # noqa: PLC0415

    files = [str(path) for path in collect(paths, exclude=(), gate=has_kernels).files]
    smallest = min(files, key=lambda path: (Path(path).stat().st_size, path))
    check = [*COMMAND, "--check", *paths, "--format", "json", "--no-progress"]
    found: defaultdict[str, list[Took]] = defaultdict(list)
    for _ in range(count):
        with tempfile.TemporaryDirectory() as kept:
            cached = [*check, "--jobs", "1", "--cache-dir", f"{kept}/reports"]
            found["pass"].append(took([sys.executable, "-c", "pass"]))
            found["version"].append(took([*COMMAND, "--version"]))
            alone = [*COMMAND, "--check", smallest, "--format", "json", "--no-progress"]
            found["one"].append(took([*alone, "--no-cache"]))
            found["parse"].append(parsed(files))
            found["cold"].append(took(cached))
            # Another option of the same meaning is another request for the same reports.
            found["reports"].append(took([*cached, "--exclude", "no such file"]))
            found["warm"].append(took(cached))
            found["jobs"].append(took([*check, "--no-cache", "--jobs", str(jobs)]))
    size = sum(Path(path).stat().st_size for path in files)
    print(f"{len(files)} files, {size / 1e6:.2f} MB; {os.cpu_count()} processors")
    return found


def main() -> None:
    """Print the best CPU and wall seconds of each way to run, and their ratio to a raw parse.

    Ends with a message if the reports of two runs differ.
    """
    parser = argparse.ArgumentParser(description="Speed of --check commands beside a raw parse.")
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    paths = []
    for path in options.paths:
        paths += sorted(glob.glob(path)) or [path]  # noqa: PTH207 - as a shell does
    found = rounds(paths, options.jobs, options.rounds)
    reports = {each.out for name in ("cold", "reports", "warm", "jobs") for each in found[name]}
    if len(reports) > 1:
        sys.exit("reports differ from run to run")
    best = {name: min(each.cpu_s for each in runs) for name, runs in found.items()}
    wall = {name: min(each.wall_s for each in runs) for name, runs in found.items()}
    for name in ("parse", "cold", "reports", "warm", "jobs", "pass", "version", "one"):
        ratio = best[name] / best["parse"]
        print(f"{name:8}{best[name]:10.3f} s CPU{wall[name]:10.3f} s wall{ratio:10.2f} x parse")
    print(f"{options.jobs} processes: {wall['cold'] / wall['jobs']:.2f} x as fast as one")
    for name, command in (("version", "--version"), ("one", "--check of one file")):
        print(f"{command}: {best[name] / best['pass']:.2f} x python -c pass")


if __name__ == "__main__":
    main()
