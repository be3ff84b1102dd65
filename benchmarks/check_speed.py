"""Speed of ``roofline-lsp --check``, beside a raw tree-sitter parse of the files it checks.

    python benchmarks/check_speed.py PATH... [--rounds 3] [--format json]

A path is a file, a folder or a glob pattern, ``'src/*-cuda/**/*.cu'``, as the check takes them.
Both are run in turns in one process, so that what else the machine does hits both, and the fastest
round of each counts; it is CPU time. The check starts with empty caches every time. Printed are the
ratio of the two, and where the check's time goes, as ``--statistics`` tells it. The format is the
command's usual one, text, unless another is asked for: JSON and the full text tell the sizes at
which classes change, too, for which launches are counted again.
"""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import tree_sitter
import tree_sitter_cuda

from roofline_analysis.api import gpu_used
from roofline_analysis.report.report import Report
from roofline_core.program.stages import Stage, StageClock, measured, stage
from roofline_core.settings import Settings
from roofline_lsp.cli import batch
from roofline_lsp.cli.files import collect
from roofline_lsp.cli.statistics import statistics
from roofline_lsp.formats.registry import FORMATS, WITH_SIZES, renderer
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.result import CheckResult
from roofline_parsers.reading.gate import has_kernels


def check(paths: list[str], name: str = "text") -> StageClock:
    """What ``--check --format NAME`` does, without start-up."""
    settings = replace(Settings(), size_ranges=name in WITH_SIZES)
    with measured() as clock:
        found = collect(paths, exclude=(), gate=has_kernels)
        reports = batch.analyse(found, settings, lambda *_: None)
        stage(Stage.REPORT)(renderer(name))(
            CheckResult(Report(gpu_used(settings), tuple(reports))), ColourStyle()
        )
    return clock


def parse(sources: list[bytes]) -> None:
    """Parse every file and throw the trees away."""
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))
    for source in sources:
        parser.parse(source)


def seconds(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """CPU time and result of a call."""
    started = time.process_time()
    result = work(*arguments)
    return time.process_time() - started, result


def whole_command(paths: list[str], name: str) -> float:
    """Seconds of the command from start to end."""
    entry = "import sys; from roofline_lsp.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", entry, "--check", *paths, "--jobs", "1"]
    command += ["--format", name]
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - started


def main() -> None:
    """Print how long the check, a raw parse and the whole command take, the best of the rounds."""
    gc.set_threshold(1_000_000, 20, 100)  # as the command does
    parser = argparse.ArgumentParser(description="Speed of --check beside a raw parse.")
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--format", choices=tuple(FORMATS), default="text")
    options = parser.parse_args()
    found = collect(options.paths, exclude=(), gate=has_kernels)
    sources = [path.read_bytes() for path in found.files]
    size = sum(map(len, sources))
    rounds = []
    parses = []
    for _ in range(options.rounds):
        parses.append(seconds(parse, sources)[0])
        rounds.append(seconds(check, options.paths, options.format))
    (best, clock), raw = min(rounds, key=lambda one: one[0]), min(parses)
    print(f"{len(sources)} files, {size / 1e6:.2f} MB")
    print(f"{'check':16}{best * 1e3:10.0f} ms{best / raw:10.1f} x parse")
    print(f"{'raw parse':16}{raw * 1e3:10.0f} ms{size / raw / 1e6:10.1f} MB/s")
    print(
        f"{'whole command':16}{whole_command(options.paths, options.format) * 1e3:10.0f} ms wall\n"
    )
    print(statistics(clock), end="")


if __name__ == "__main__":
    main()
