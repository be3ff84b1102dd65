"""What a launch's time is spent on."""

from enum import Enum


class Limiter(Enum):
    """The resource whose time is longest."""

    SP = "sp"
    DP = "dp"
    HP = "hp"
    INT = "int"
    TENSOR = "tensor"
    BANDWIDTH = "bandwidth"
    LATENCY = "latency"
