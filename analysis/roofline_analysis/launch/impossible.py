"""Launches that no GPU takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.host.launches.sizes_by_role import MOST_THREADS
from roofline_analysis.host.values import LaunchContext
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.dims import Dim3

MOST_BLOCKS: Final = 1 << 44
"""The most blocks that are counted; with 1,024 threads each they would run for months."""
MOST_SHARED_BYTES: Final = 232_448
"""The same guide's table: the most shared memory of a block of any GPU, that of H100 and B200."""
_MOST_BLOCKS: Final = ((1 << 31) - 1, 65_535, 65_535)
"""CUDA C++ programming guide, table of technical specifications: x, y and z of a grid."""
_ENORMOUS: Final = 10**15


def launch_fault(context: LaunchContext) -> str | None:
    """Why a launch fails whose grid or block is known and cannot be; None for all others.

    One that is perhaps not reached does not fail: the program may not launch with such numbers.
    """
    return dimensions_fault(context) if context.certain else None


def dimensions_fault(context: LaunchContext) -> str | None:
    """Why no GPU takes the known grid or block of a launch, were it reached; else None."""
    block, grid = _numbers(context.block), _numbers(context.grid)
    if block is not None:
        x, y, z = block
        if min(block) <= 0:
            return f"its block is ({x:g}, {y:g}, {z:g})"
        if x * y * z > MOST_THREADS:
            return f"its block has {x * y * z:.7g} threads, and none may have over {MOST_THREADS}"
    shared = context.shared_bytes.constant if context.shared_bytes is not None else None
    if shared is not None and shared > MOST_SHARED_BYTES:
        most = MOST_SHARED_BYTES
        return f"its blocks ask for {shared:.7g} bytes of shared memory, and none has over {most}"
    if grid is not None:
        shown = f"its grid is ({', '.join(map(_shown, grid))})"
        if min(grid) <= 0:
            return shown
        for axis, number, most in zip("xyz", grid, _MOST_BLOCKS, strict=True):
            if number > most:
                return f"{shown}, and none may have over {most} blocks in {axis}"
        if grid[0] * grid[1] * grid[2] > MOST_BLOCKS:
            return f"{shown}, more blocks than can ever run"
    return None


def is_block(block: Dim3) -> bool:
    """Whether a GPU has room for such a block."""
    return min(block) > 0 and block[0] * block[1] * block[2] <= MOST_THREADS


def _shown(number: float) -> str:
    """Every digit of a whole number that is not enormous: ``4294967281``."""
    whole = abs(number) < _ENORMOUS and number % 1 == 0
    return str(int(number)) if whole else f"{number:.7g}"


def _numbers(dims: Sequence[Expr] | None) -> tuple[int | float, ...] | None:
    """Three numbers; None where one of them is not known."""
    if dims is None:
        return None
    numbers = tuple(dim.constant for dim in dims)
    return tuple(each for each in numbers if each is not None) if None not in numbers else None
