"""What plain C and C++ costs: files without any sign of a kernel, beside a raw parse of them.

    python benchmarks/gate_cost.py FOLDER

The stages, each over all C and C++ files of the folder: reading them; searching them for signs of
kernels, which is all that a plain file costs; the facts that the project index takes; the functions
that it looks up where a program is not complete without; a raw parse by tree-sitter, which a plain
file is spared. Each is the best of several rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import tree_sitter
import tree_sitter_cuda

from roofline_analysis.project.facts import facts_of, names_of
from roofline_core.settings import SOURCE_SUFFIXES
from roofline_parsers.reading.gate import has_kernels

ROUNDS = 5


def sources(folder: Path) -> list[Path]:
    """The source files of a folder tree."""
    found = (path for path in folder.rglob("*") if path.suffix.lower() in SOURCE_SUFFIXES)
    return sorted(path for path in found if path.is_file())


def best_s(work: Callable[[], object]) -> float:
    """The shortest of several runs."""
    taken = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)


def main() -> None:
    """Print the cost of each stage."""
    parser = argparse.ArgumentParser(description="What plain C and C++ costs.")
    parser.add_argument("folder", type=Path)
    paths = sources(parser.parse_args().folder)
    texts = [path.read_bytes() for path in paths]
    size_mb = sum(map(len, texts)) / 1e6
    raw = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))
    stages: dict[str, Callable[[], object]] = {
        "read": lambda: [path.read_bytes() for path in paths],
        "search for signs": lambda: [has_kernels(text) for text in texts],
        "facts for the index": lambda: [
            facts_of(path, text) for path, text in zip(paths, texts, strict=True)
        ],
        "functions": lambda: [names_of(text) for text in texts],
        "raw parse": lambda: [raw.parse(text) for text in texts],
    }
    signed = sum(map(has_kernels, texts))
    print(f"{len(paths)} files, {size_mb:.1f} MB, {signed} with a sign of a kernel")
    times = {name: best_s(work) for name, work in stages.items()}
    for name, taken in times.items():
        share = taken / times["raw parse"]
        print(f"{name:20}{taken * 1e3 / size_mb:9.2f} ms/MB{share:10.3f} x raw parse")


if __name__ == "__main__":
    main()
