"""Speed of ``--check`` beside clang-tidy and ``nvcc -ptx`` on the same CUDA files, as ratios.

    python benchmarks/batch_race.py PATH... [--sample 40] [--rounds 2] [--clang-tidy PROGRAM]
                                    [--cuda FOLDER] [--include FOLDER...]

A path is a file, a folder or a glob pattern; of the ``.cu`` files found, ``--sample`` ones are
drawn, equal ones with the same ``--seed``. Each tool is raced on those that it reads without an
error, as one that meets an error stops early. What is compared runs in turns, in one process at a
time, and the fastest round of each counts: CPU time with children, start-up included, and the time
on the wall.

- the check has nothing kept: one command for all files;
- clang-tidy: one command for all files, the checks ``performance-*``, both sides of CUDA;
- nvcc: one command for each file, ``-ptx -O3 -arch=sm_80``, as it takes no more.

What is not installed is left out, and a sentence says so: ``pip install clang-tidy``, and a CUDA
toolkit (``--cuda``; by default that of the nvcc on PATH). ``--include`` adds folders of headers
that it lacks, such as cuRAND's.
"""

from __future__ import annotations

import argparse
import glob
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from batch_speed import COMMAND, Took, took
from editor_race import clang_flags, found_program, found_toolkit

Run = Callable[[Sequence[str]], list[list[str]]]
"""The commands that have a tool read files."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that is raced."""

    name: str
    commands: Run
    has_error: Callable[[subprocess.CompletedProcess[str]], bool] = field(
        default=lambda ran: ran.returncode != 0
    )

    def reads(self, file: str) -> bool:
        """Whether it reads a file without an error."""
        runs = [
            subprocess.run(command, capture_output=True, text=True, check=False)
            for command in self.commands([file])
        ]
        return not any(map(self.has_error, runs))

    def took(self, files: Sequence[str]) -> Took:
        """The sum of what its commands take."""
        all_of_them = [took(command) for command in self.commands(files)]
        cpu_s, wall_s = sum(x.cpu_s for x in all_of_them), sum(x.wall_s for x in all_of_them)
        return Took(cpu_s, wall_s, b"")


def check(files: Sequence[str]) -> list[list[str]]:
    """Our own command."""
    plain = ["--format", "json", "--no-progress", "--no-cache", "--jobs", "1"]
    return [[*COMMAND, "--check", *files, *plain]]


def clang_tidy(program: str, flags: Sequence[str]) -> Tool:
    """clang-tidy; a warning is no error."""

    def commands(files: Sequence[str]) -> list[list[str]]:
        """One for all files."""
        return [[program, "--quiet", "--checks=-*,performance-*", *files, "--", *flags]]

    return Tool("clang-tidy", commands, lambda ran: " error: " in ran.stdout + ran.stderr)


def nvcc(program: str, include: Sequence[Path], out: Path) -> Tool:
    """Nvcc as far as PTX."""
    folders = [word for folder in include for word in ("-isystem", str(folder.resolve()))]
    options = ["-ptx", "-std=c++17", "-O3", "-arch=sm_80", *folders, "-o", str(out)]

    def commands(files: Sequence[str]) -> list[list[str]]:
        """One for each file."""
        return [[program, *options, file] for file in files]

    return Tool("nvcc -ptx", commands)


def race(tool: Tool, files: Sequence[str], rounds: int) -> None:
    """Print what both take, and how much faster the check is."""
    own = Tool("--check", check)
    runs: dict[str, list[Took]] = {own.name: [], tool.name: []}
    for _ in range(rounds):
        for each in (own, tool):
            runs[each.name].append(each.took(files))
    cpu = {name: min(x.cpu_s for x in found) for name, found in runs.items()}
    wall = {name: min(x.wall_s for x in found) for name, found in runs.items()}
    print(
        f"{tool.name:10} {len(files):4} files{cpu[own.name]:8.2f} s{cpu[tool.name]:9.2f} s CPU"
        f"{cpu[tool.name] / cpu[own.name]:7.1f} x faster"
        f"{wall[own.name]:9.2f} s{wall[tool.name]:9.2f} s wall"
        f"{wall[tool.name] / wall[own.name]:7.1f} x faster",
        flush=True,
    )


def sources(paths: Sequence[str], sample: int, seed: int) -> list[str]:
    """CUDA files below paths, a sample of them, in order."""
    found: set[Path] = set()
    for given in paths:
        for each in sorted(glob.glob(given)) or [given]:  # noqa: PTH207 - as a shell does
            path = Path(each)
            found.update(path.rglob("*.cu") if path.is_dir() else (path,))
    files = sorted(map(str, found))
    return sorted(random.Random(seed).sample(files, min(sample, len(files))))


def main() -> None:
    """Race each tool that is there."""
    parser = argparse.ArgumentParser(description="--check beside clang-tidy and nvcc.")
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--clang-tidy", help="the program, if it is not on PATH")
    parser.add_argument("--cuda", type=Path, help="a CUDA toolkit")
    parser.add_argument("--include", type=Path, nargs="*", default=[], help="folders of headers")
    options = parser.parse_args()
    files = sources(options.paths, options.sample, options.seed)
    toolkit, tidy = found_toolkit(options.cuda), found_program("clang-tidy", options.clang_tidy)
    if toolkit is None:
        sys.exit("nothing is raced: CUDA is not installed")
    with tempfile.TemporaryDirectory() as folder:
        compiler = nvcc(str(toolkit / "bin" / "nvcc"), options.include, Path(folder) / "out.ptx")
        tools = [compiler]
        if tidy is None:
            print("clang-tidy is not raced: it is not installed")
        else:
            tools.append(clang_tidy(tidy, clang_flags(toolkit, options.include)))
        print(f"{'':21}   --check     other")
        for tool in tools:
            read = [file for file in files if tool.reads(file)]
            race(tool, read, options.rounds)


if __name__ == "__main__":
    main()
