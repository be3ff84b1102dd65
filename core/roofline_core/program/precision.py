"""The kinds of arithmetic that have a roof of their own."""

from enum import Enum


class Precision(Enum):
    """A class of operations with its own peak rate, hence its own ridge point."""

    SP = "sp"
    """32-bit floating point."""
    DP = "dp"
    """64-bit floating point."""
    HP = "hp"
    """16-bit floating point (half and bfloat16) outside the tensor cores."""
    INT = "int"
    """Integer instructions, 32 bits wide; a 64-bit operation counts as the several it becomes."""
    TENSOR = "tensor"
    """Multiply-adds done by tensor cores, whatever their element type."""
