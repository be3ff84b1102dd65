"""The resources that can limit a launch's time."""

from enum import Enum


class Limiter(Enum):
    """The resource with the longest time."""

    SP = "sp"
    DP = "dp"
    HP = "hp"
    INT = "int"
    TENSOR = "tensor"
    BANDWIDTH = "bandwidth"
    BUS = "bus"
    """The bus to the memory of the host."""
    LATENCY = "latency"
