"""What fixes a symbol's value.

Members are compared by identity. Code that runs for each symbol of each expression keeps the
members that it compares with in constants of its module: Python 3.11 takes several times as long
to read a member from its class as to compare it.
"""

from __future__ import annotations

from enum import Enum
from typing import Final


class SymbolScope(Enum):
    """What fixes a symbol's value; ``Symbol.sort_key`` orders scopes by the values."""

    THREAD = "thread"
    """The thread: its coordinates in the block and the block's in the grid."""
    LAUNCH = "launch"
    """The launch: the dimensions of block and grid."""
    PARAM = "param"
    """The launch: an integer argument of the kernel, or an integer in one."""
    REAL = "real"
    """The launch: a floating-point argument of the kernel, or such a number in one."""
    LOOP = "loop"
    """The iteration: the counter of a loop, 0, 1, 2 ..."""
    DATA = "data"
    """Data: the number is loaded from memory, or computed from such numbers."""
    CARRIED = "carried"
    """Earlier iterations of a loop, in a way that has no closed form."""
    NAME = "name"
    """A name of which the source has no declaration."""
    UNKNOWN = "unknown"
    """Nothing is known about it."""
    HOST = "host"
    """The run of the host program, which leaves the number open."""
    DRAWN = "drawn"
    """Chance: the number is sampled from a range."""
    LANE = "lane"
    """The lane of the warp, in a sample of warps."""

    __hash__ = object.__hash__  # Enum's own computes the hash of the name at each call.


DATA_OR_CARRIED: Final = (SymbolScope.DATA, SymbolScope.CARRIED)
"""Scopes of numbers that only a run of the kernel gives."""
DATA_SCOPES: Final = (*DATA_OR_CARRIED, SymbolScope.UNKNOWN, SymbolScope.NAME)
"""Scopes of numbers that neither the source nor the launch gives."""
