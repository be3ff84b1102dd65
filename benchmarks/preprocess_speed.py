"""Speed of the preprocessor over a folder of sources, beside a raw tree-sitter parse.

    python benchmarks/preprocess_speed.py FOLDER [--suffix .cu] [--repeat 3] [--slowest 5]

Prints megabytes a second over the files and the headers that they include and find, and the ratio
of the time to that of parsing the same bytes with tree-sitter-cuda. Every file starts with an
empty cache; the fastest of the repetitions counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import tree_sitter
import tree_sitter_cuda

from roofline_parsers.preprocess import PreprocessedFile, PreprocessOptions, preprocess


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _units(unit: PreprocessedFile) -> Iterator[PreprocessedFile]:
    """A unit and those it includes, each once."""
    seen: set[int] = set()
    waiting = [unit]
    while waiting:
        unit = waiting.pop()
        if id(unit) not in seen:
            seen.add(id(unit))
            waiting += unit.includes
            yield unit


def _fastest(repeat: int, action: Callable[[], object]) -> float:
    """Seconds of the fastest of several calls."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the speed of the preprocessor and of a raw parse, in all and of the slowest files."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--suffix", default=".cu")
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--slowest", type=int, default=5, help="how many files to name")
    asked = arguments.parse_args()
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))
    options = PreprocessOptions()
    rows: list[tuple[float, float, int, int, Path]] = []
    for path in sorted(asked.folder.rglob(f"*{asked.suffix}")):
        source = path.read_bytes()
        unit = preprocess(path, source, options, _read)
        sources = [part.source for part in _units(unit)]
        texts = [part.text for part in _units(unit)]
        seconds = _fastest(asked.repeat, lambda: preprocess(path, source, options, _read))  # noqa: B023
        raw = _fastest(asked.repeat, lambda: [parser.parse(text) for text in sources])  # noqa: B023
        rows.append((seconds, raw, sum(map(len, sources)), sum(map(len, texts)), path))
    if not rows:
        print(f"no *{asked.suffix} under {asked.folder}")
        return
    seconds, raw = sum(row[0] for row in rows), sum(row[1] for row in rows)
    bytes_in, bytes_out = sum(row[2] for row in rows), sum(row[3] for row in rows)
    speeds = sorted(row[2] / row[0] / 1e6 for row in rows)
    print(f"{len(rows)} files, {bytes_in / 1e6:.1f} MB with headers, {bytes_out / 1e6:.1f} MB out")
    print(f"preprocess: {bytes_in / seconds / 1e6:.2f} MB/s; median {speeds[len(speeds) // 2]:.2f}")
    print(f"raw parse:  {bytes_in / raw / 1e6:.2f} MB/s; preprocess / raw {seconds / raw:.2f}")
    for seconds, raw, bytes_in, bytes_out, path in sorted(rows, reverse=True)[: asked.slowest]:
        print(f"{seconds:.3f} s, raw {raw:.3f} s, {bytes_in} B in, {bytes_out} B out: {path}")


if __name__ == "__main__":
    main()
