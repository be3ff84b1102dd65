"""The kinds of arithmetic that have a roof of their own."""

from enum import Enum
from typing import Protocol, TypeVar

Count_co = TypeVar("Count_co", covariant=True)
"""``float``, or ``float | None`` where a number may be unknown."""


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

    @property
    def title(self) -> str:
        """What reports call it: ``SP``, ``INT``; ``tensor``."""
        return "tensor" if self is Precision.TENSOR else str(self.value).upper()


class OperationCounts(Protocol[Count_co]):
    """Numbers of operations, a field for each precision."""

    @property
    def sp_flops(self) -> Count_co:
        """Single-precision operations; a multiply-add is two, here as below."""
        ...

    @property
    def dp_flops(self) -> Count_co:
        """Double-precision operations."""
        ...

    @property
    def hp_flops(self) -> Count_co:
        """16-bit operations outside the tensor cores."""
        ...

    @property
    def int_ops(self) -> Count_co:
        """Integer instructions."""
        ...

    @property
    def tensor_flops(self) -> Count_co:
        """Operations of tensor cores."""
        ...


def operations_of(counts: OperationCounts[Count_co], precision: Precision) -> Count_co:
    """The operations of a precision; None only where the counts have None for unknown numbers."""
    return {
        Precision.SP: counts.sp_flops,
        Precision.DP: counts.dp_flops,
        Precision.HP: counts.hp_flops,
        Precision.INT: counts.int_ops,
        Precision.TENSOR: counts.tensor_flops,
    }[precision]
