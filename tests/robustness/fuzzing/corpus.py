"""The real files that inputs are mutations of: the examples, and those of named folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

EXAMPLES: Final = Path(__file__).parents[3] / "examples"
SUFFIXES: Final = frozenset({".cu", ".cuh", ".hip", ".cl", ".cpp", ".cc", ".c", ".h", ".hpp"})
MOST_BYTES: Final = 40_000
"""The longest file that is taken: a run is to try many inputs."""


@dataclass(frozen=True, slots=True)
class Seed:
    """A real file, and what lies beside it by name."""

    name: str
    text: bytes
    headers: dict[str, bytes]


def corpus(folders: Sequence[Path] = ()) -> tuple[Seed, ...]:
    """The sources below the examples and ``folders``, sorted by path."""
    found = []
    for folder in (EXAMPLES, *folders):
        for path in sorted(folder.rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and path.stat().st_size <= MOST_BYTES:
                found.append(Seed(path.name, path.read_bytes(), _beside(path)))
    return tuple(found)


def _beside(path: Path) -> dict[str, bytes]:
    headers = (each for each in path.parent.iterdir() if each.suffix in {".h", ".cuh", ".hpp"})
    return {
        each.name: each.read_bytes()
        for each in sorted(headers)
        if each.is_file() and each.stat().st_size <= MOST_BYTES
    }
