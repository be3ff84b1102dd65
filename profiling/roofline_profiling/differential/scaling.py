"""Command lines that ask for less work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

FACTORS: Final = (8, 64)
"""Numbers of the command line are divided by these in turn, until a run ends in time."""
_LEAST: Final = 16
"""Smaller numbers are kept: they choose variants more often than they are sizes."""


def scaled(args: Sequence[str], factor: int) -> tuple[str, ...]:
    """The arguments with each whole number above 16 divided, to no less than 16 or what is left.

    A power of 2 stays one, and a multiple of a power of 2 up to 32 stays a multiple of it where
    the quotient is larger than that.
    """
    return tuple(_divided(each, factor) for each in args)


def _divided(text: str, factor: int) -> str:
    if not text.isascii() or not text.isdigit() or int(text) <= _LEAST:
        return text
    number = int(text)
    made = max(number // factor, _LEAST)
    step = min(number & -number, 32)
    return str(made - made % step if made > step else made)
