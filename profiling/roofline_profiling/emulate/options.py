"""What a person asks of an emulation."""

from __future__ import annotations

from dataclasses import dataclass

from roofline_hardware_db.model import Gpu
from roofline_profiling.emulate.configuration import EmulationLimits


@dataclass(frozen=True, slots=True)
class EmulationOptions:
    """What is emulated, and how."""

    gpu: Gpu
    kernel: str | None = None
    """A regular expression for kernel names, without namespaces; None for all kernels."""
    launches: int | None = 1
    """The number of launches of each kernel to count, from the first; None for all."""
    limit_s: float = 600.0
    """The most seconds that the program may run, and the most for its build."""
    caches: bool = True
    """Whether caches are simulated, without which there are no DRAM bytes and no class."""
    blocks: int | None = None
    """At most so many blocks of a launch run, which spoils the program's results; None for all."""
    skip_after: int | None = None
    """Later launches of a kernel with the same shape are not run; None: all are."""
    tolerate: bool = False
    """Whether kernels go on after an access outside memory, as they often do on a GPU."""
    nvcc: str | None = None
    """The path of NVIDIA's compiler; None to look for it."""
    build_flags: tuple[str, ...] = ()
    """What sources that are named are compiled with."""

    @property
    def limits(self) -> EmulationLimits:
        """What the executor is told."""
        return EmulationLimits(
            caches=self.caches,
            launches_per_kernel=self.launches or 0,
            blocks_per_launch=self.blocks or 0,
            skip_after=self.skip_after or 0,
            tolerate=self.tolerate,
            limit_s=self.limit_s,
        )
