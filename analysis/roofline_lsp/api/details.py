"""A prediction taken apart: values, regions and arrays, as plain values that travel by pickle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from roofline_lsp.analysis.unknowns import UnknownUsed
from roofline_lsp.kernel.precision import Precision
from roofline_lsp.kernel.records import record


@record(frozen=True, slots=True)
class BoundValue:
    """A number that a kernel's symbol was given."""

    name: str
    """``n``, ``shape.rows``."""
    number: float
    origin: str | None
    assumed: tuple[UnknownUsed, ...]


@record(frozen=True, slots=True)
class RegionDetail:
    """A stretch of the kernel that runs as a whole."""

    depth: int
    """0 for the kernel itself."""
    kind: str
    """``kernel``, ``guard`` or ``loop``."""
    path: Path
    line: int
    text: str
    """The conditions of a guard, the trips of a loop, as the analysis has them."""
    runs: float
    """Over all threads."""
    trips: float
    """Of a loop: mean trips a run of its parent."""
    share: float
    """Of a guard: the share of its parent's runs."""
    assumed: bool
    """Trips or share are a guess."""
    unrolled: bool
    operations: Mapping[Precision, float]
    """Its own over the whole launch, those of the regions inside it left out."""
    accesses: int
    """Loads and stores of its own in the source."""


@record(frozen=True, slots=True)
class AccessDetail:
    """One load, store or atomic to DRAM in the source."""

    path: Path
    line: int
    kind: str
    size_bytes: int
    executions: float
    pattern: str
    """``4 x 1024, 4096 x 64``: strides in bytes times extents; ``data-dependent``."""


@record(frozen=True, slots=True)
class ArrayDetail:
    """The DRAM traffic of one allocation."""

    name: str
    space: str
    size_bytes: float | None
    first_read_bytes: float
    """Distinct bytes that are read."""
    read_bytes: float
    """The same with what is fetched again."""
    written_bytes: float
    """Bytes that L2 is given to write."""
    write_bytes: float
    """Those of them that reach DRAM before the kernel ends."""
    accesses: tuple[AccessDetail, ...]


@record(frozen=True, slots=True)
class KernelDetails:
    """What a prediction was computed from."""

    path: Path
    line: int
    """Of the kernel's name."""
    launch: tuple[Path, int] | None
    """Where the launch stands that was judged; None where none was found."""
    launches: int
    """How many launches of the kernel were found."""
    grid: tuple[str, ...]
    """The blocks of that launch as the host code has them: numbers or what they are computed
    from; empty where nothing is known of them."""
    block: tuple[str, ...]
    values: tuple[BoundValue, ...]
    sizes: Mapping[str, float]
    """Bytes that allocations were taken to have, by array."""
    regions: tuple[RegionDetail, ...]
    """Outer ones first, each followed by those inside it."""
    arrays: tuple[ArrayDetail, ...]
