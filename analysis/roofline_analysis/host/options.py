"""Options and result of the abstract execution of a host program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from roofline_analysis.host.inputs.workspace import InputFiles
from roofline_analysis.host.library_call import LibraryCall
from roofline_analysis.host.values import LaunchContext
from roofline_core.program.records import record
from roofline_core.program.units import Problem, Struct

DEFAULT_DEVICE_PROPERTIES: Final[Mapping[str, int]] = {
    "multiProcessorCount": 68,
    "warpSize": 32,
    "maxThreadsPerBlock": 1024,
    "maxThreadsPerMultiProcessor": 1536,
    "maxBlocksPerMultiProcessor": 16,
    "sharedMemPerBlock": 49152,
    "sharedMemPerBlockOptin": 101376,
    "sharedMemPerMultiprocessor": 102400,
    "regsPerBlock": 65536,
    "regsPerMultiprocessor": 65536,
    "totalGlobalMem": 10 * 1024**3,
    "totalConstMem": 65536,
    "l2CacheSize": 5 * 1024**2,
    "clockRate": 1710000,
    "memoryClockRate": 9501000,
    "memoryBusWidth": 320,
    "major": 8,
    "minor": 6,
    "concurrentKernels": 1,
    "asyncEngineCount": 2,
    "canMapHostMemory": 1,
    "managedMemory": 1,
    "concurrentManagedAccess": 1,
    "pageableMemoryAccess": 0,
    "unifiedAddressing": 1,
    "cooperativeLaunch": 1,
    "integrated": 0,
}
"""``cudaDeviceProp`` of a GeForce RTX 3080 10 GB (CUDA C++ programming guide, compute capability
8.6, for limits; the product's data sheet for clocks, memory and multiprocessors)."""


class AskedProperties(dict[str, int]):
    """Properties that remember whether a program asked for any."""

    asked = False

    def __getitem__(self, key: str) -> int:
        """One property, which is noted."""
        self.asked = True
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """One property or ``default``, which is noted."""
        self.asked = True
        return super().get(key, default)

    def items(self) -> Any:
        """All properties, which is noted."""
        self.asked = True
        return super().items()


@record(frozen=True, slots=True)
class HostOptions:
    """Limits of an abstract execution, and the device that the program would find."""

    device_properties: Mapping[str, int] = field(
        default_factory=lambda: dict(DEFAULT_DEVICE_PROPERTIES)
    )
    """Fields of ``cudaDeviceProp`` by name."""
    device_count: int = 1
    statement_budget: int = 50_000
    """Statements executed from ``main`` before the rest of it is given up."""
    again_budget: int = 30_000
    """Further ones when it is followed past the conditions that kept it from launch sites."""
    root_budget: int = 2_000
    """Statements executed in one function that nothing calls."""
    rest_budget: int = 4_000
    """Statements executed in all such functions; then in those around launch sites alone.

    One instance of each function is executed before the second of any. Where many functions are
    around launch sites, as in a large library, each adds its share."""
    call_budget: int = 3_000
    """Statements executed in one call of a function that cannot launch."""
    loop_budget: int = 1_500
    """Statements executed in one outermost loop that cannot launch, before it is summarised."""
    reading_budget: int = 30_000
    """Further statements that loops and calls may execute in all because they read known files."""
    members: frozenset[Path] | None = None
    """The files whose kernels are asked for; None: all of the program's.

    Functions that ``main`` leaves out and that lead to none of them are not executed."""
    inputs: InputFiles | None = None
    """Finds the data files that the program opens; None: none is looked for."""
    loop_trips: int = 64
    """Iterations of one loop that are executed one by one."""
    max_launches: int = 512
    """Distinct launches kept."""
    default_size: int = 1024
    """The value of an unknown integer without a better estimate."""


@record(frozen=True, slots=True)
class Stop:
    """Where a limit on the work ended the execution of a function."""

    function: str
    statements: int
    """Those executed in it and in what it calls."""
    path: Path | None
    line: int
    """That of the first statement which was not executed."""


@record(frozen=True, slots=True)
class HostResult:
    """The launches of a host program in the order they are met, and what went wrong."""

    launches: tuple[LaunchContext, ...]
    problems: tuple[Problem, ...]
    library_calls: tuple[LibraryCall, ...] = ()
    """Calls of GPU libraries in the order they are met."""
    closures: tuple[Struct, ...] = ()
    """The classes of lambdas that are passed to kernels; no file declares them."""
    faults: tuple[Problem, ...] = ()
    """Internal errors, each with the function that was not executed to its end."""
    stops: tuple[Stop, ...] = ()
    """The functions that were not executed to their end because of a limit, in order."""
    asks_device: bool = True
    """Whether the result depends on the device's properties."""
