"""What the executor is told: the GPU, and what is run and counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from roofline_profiling.emulate.machine import Machine
from roofline_profiling.errors import ProfilerError

VARIABLE = "ROOFLINE_EMULATE"
"""The environment variable that names the file."""


@dataclass(frozen=True, slots=True)
class EmulationLimits:
    """What is run and counted of a program; the names are those of the configuration file."""

    caches: bool = True
    """Whether global accesses go through simulated caches, which gives DRAM bytes."""
    launches_per_kernel: int = 0
    """Later launches run, but are not counted; 0: all are."""
    blocks_per_launch: int = 0
    """At most so many blocks run, spread over the grid; 0: all."""
    skip_after: int = 0
    """Later launches of a kernel with the same shape are not run; 0: all are."""
    tolerate: bool = False
    """Whether kernels go on after an access outside memory: loads give zeros, stores nothing."""
    limit_s: float = 0.0
    """0: none."""
    kernel_filter: str = ""
    """A part of the names of kernels that are counted."""


def configuration_text(
    machine: Machine,
    limits: EmulationLimits,
    *,
    output: Path,
    translator: str,
    cache: Path,
    opencl_compiler: str = "",
) -> str:
    """The file that the executor reads, a ``key=value`` a line."""
    values: dict[str, object] = {
        "output": output,
        "translator": translator,
        "opencl_compiler": opencl_compiler,
        "cache": cache,
        **_values(machine),
        **_values(limits),
    }
    return "".join(f"{key}={_text(value)}\n" for key, value in values.items())


def _values(held: Machine | EmulationLimits) -> Mapping[str, object]:
    return {each.name: getattr(held, each.name) for each in fields(held)}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    text = str(value)
    if any(mark in text for mark in "\r\n"):
        raise ProfilerError(f"{text!r}: a line break cannot be in a setting of the executor")
    return text
