"""Samples and instruction counts by program counter, pruned to the source lines that matter."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath

from roofline_profiling.measurement import LineHeat

MOST_LINES = 64
LEAST_SHARE = 0.005
"""The least share of a kernel's samples, or of its instructions where there are no samples."""

Place = tuple[str, int]


def hottest(
    samples: Mapping[Place, float], executed: Mapping[Place, float]
) -> tuple[LineHeat, ...]:
    """The lines with the largest shares, the hottest first."""
    lines = [
        LineHeat(path, line, samples.get((path, line), 0.0), executed.get((path, line), 0.0))
        for path, line in dict.fromkeys((*samples, *executed))
    ]
    total = sum(samples.values())
    weights = {id(each): each.samples if total else each.instructions for each in lines}
    total = total or sum(executed.values())
    kept = [each for each in lines if total and weights[id(each)] >= LEAST_SHARE * total]
    kept.sort(key=lambda each: -weights[id(each)])
    return tuple(kept[:MOST_LINES])


def shares(lines: tuple[LineHeat, ...]) -> dict[tuple[str, int], float]:
    """By file name and line, the share of the samples (or instructions) of all these lines."""
    by_samples = any(each.samples for each in lines)
    found: dict[tuple[str, int], float] = {}
    for each in lines:
        key = (file_name(each.path), each.line)
        found[key] = found.get(key, 0.0) + (each.samples if by_samples else each.instructions)
    total = sum(found.values())
    return {key: value / total for key, value in found.items()} if total else {}


def file_name(path: str) -> str:
    """The last component of a POSIX or Windows path."""
    return PureWindowsPath(PurePosixPath(path).name).name
