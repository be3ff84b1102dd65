"""The resources that can limit a launch's time."""

from enum import Enum

from roofline_core.program.records import record


class Limiter(Enum):
    """The resource with the longest time, in classes: caches count as bandwidth."""

    SP = "sp"
    DP = "dp"
    HP = "hp"
    INT = "int"
    TENSOR = "tensor"
    BANDWIDTH = "bandwidth"
    BUS = "bus"
    """The bus to the memory of the host."""
    LATENCY = "latency"


class Resource(Enum):
    """What a launch's time goes to."""

    DRAM = "dram"
    BUS = "bus"
    """The bus to the memory of the host."""
    L2 = "l2"
    L1 = "l1"
    """First cache and shared memory."""
    SP = "sp"
    DP = "dp"
    HP = "hp"
    INT = "int"
    SPECIAL = "special"
    """Special functions and conversions."""
    TENSOR = "tensor"
    ISSUE = "issue"
    """The schedulers, which issue every instruction."""
    LATENCY = "latency"
    """A warp's dependent instructions and memory round trips."""
    ATOMICS = "atomics"
    """Atomic operations that wait for each other."""
    LAUNCH = "launch"
    """Starting the kernel."""


@record(frozen=True, slots=True)
class TimeLimit:
    """The resource that decides a launch's time, with what is asked of it."""

    resource: Resource
    time_ns: float
    """The time that this resource alone takes."""
    amount: float | None
    """In ``unit``; None for the launch itself."""
    unit: str
    """``bytes``, ``operations``, ``instructions`` (of warps), ``clocks`` or ``atomics``; empty
    without an amount."""
    per_second: float | None
    """The rate in ``unit``: of DRAM, L2 and the bus the bandwidth, of pipes, schedulers and L1 that
    of the SMs that the launch keeps busy; None without an amount, and of a bus that is not known.
    """
