"""Speed of ``roofline-lsp --check`` over a folder, beside a raw tree-sitter parse of its files.

    python benchmarks/check_speed.py FOLDER [--rounds 3]

Both are run in turns, so that what else the machine does hits both, and the fastest round of each
counts. The check starts with empty caches every time. Printed are the ratio of the two, and where
the check's time goes; a stage's time is its own, without the stages that it calls. Function bodies
are read when a stage first needs them, and count for it.
"""

from __future__ import annotations

import argparse
import functools
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tree_sitter
import tree_sitter_cuda

from roofline_lsp.api import gpu_used, program
from roofline_lsp.api.report import Report
from roofline_lsp.cli import batch
from roofline_lsp.cli.files import collect
from roofline_lsp.parsers import load
from roofline_lsp.parsers.gate import has_kernels
from roofline_lsp.reports.json import render
from roofline_lsp.reports.style import Style
from roofline_lsp.settings import Settings

STAGES: dict[str, tuple[Any, str]] = {
    "preprocess": (load, "preprocess"),
    "parse": (load, "parse_unit"),
    "symbol table": (program, "build_symbol_table"),
    "host program": (program, "execute_host"),
    "kernel summary": (program, "summarise"),
    "bind launch": (program, "bind"),
    "predict": (program, "predict"),
}
"""Where each stage is called by which name."""


class Clock:
    """The time of each stage without that of the stages within it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inner = [0.0]

    def timed(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, its time kept."""

        @functools.wraps(work)
        def run(*arguments: Any, **named: Any) -> Any:
            self._inner.append(0.0)
            started = time.perf_counter()
            try:
                return work(*arguments, **named)
            finally:
                taken = time.perf_counter() - started
                own = taken - self._inner.pop()
                self.seconds[name] = self.seconds.get(name, 0.0) + own
                self._inner[-1] += taken

        return run


def check(folder: Path, clock: Clock) -> tuple[int, int]:
    """What ``--check --format json`` does, without start-up; the numbers of files and kernels."""
    settings = Settings()
    found = clock.timed("find files", collect)([str(folder)], exclude=(), gate=has_kernels)
    reports = clock.timed("the rest", batch.analyse)(found, settings, lambda *_: None)
    report = Report(gpu_used(settings), tuple(reports))
    clock.timed("write report", render)(report, Style())
    return len(found.files), sum(len(file.kernels) for file in reports)


def parse(sources: list[bytes]) -> None:
    """Parse every file and throw the trees away."""
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))
    for source in sources:
        parser.parse(source)


def seconds(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Time and result of a call."""
    started = time.perf_counter()
    result = work(*arguments)
    return time.perf_counter() - started, result


def whole_command(folder: Path) -> float:
    """Seconds of the command from start to end."""
    entry = "import sys; from roofline_lsp.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", entry, "--check", str(folder), "--format", "json"]
    taken, _ = seconds(
        functools.partial(subprocess.run, command, stdout=subprocess.DEVNULL, check=False)
    )
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of --check beside a raw parse.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    clock = Clock()
    for name, (module, function) in STAGES.items():
        setattr(module, function, clock.timed(name, getattr(module, function)))
    found = collect([str(options.folder)], exclude=(), gate=has_kernels)
    sources = [path.read_bytes() for path in found.files]
    size = sum(map(len, sources))
    rounds = []
    parses = []
    for _ in range(options.rounds):
        clock.seconds = {}
        taken, counts = seconds(check, options.folder, clock)
        rounds.append((taken, clock.seconds, counts))
        parses.append(seconds(parse, sources)[0])
    (best, stages, (files, kernels)), raw = min(rounds, key=lambda one: one[0]), min(parses)
    print(f"{files} files, {kernels} kernels, {size / 1e6:.2f} MB")
    print(f"{'check':16}{best * 1e3:10.0f} ms{best / raw:10.1f} x parse")
    print(f"{'raw parse':16}{raw * 1e3:10.0f} ms{size / raw / 1e6:10.1f} MB/s")
    print(f"{'whole command':16}{whole_command(options.folder) * 1e3:10.0f} ms")
    print("\nStages of the check")
    for name, taken in sorted(stages.items(), key=lambda item: -item[1]):
        print(f"  {name:16}{taken * 1e3:8.0f} ms{taken / raw:10.1f} x parse{taken / best:8.0%}")


if __name__ == "__main__":
    main()
