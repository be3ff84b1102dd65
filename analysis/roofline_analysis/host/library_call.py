"""One call of a GPU library, as the host execution meets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from roofline_analysis.host.values import HostUnknown
from roofline_core.algebra.symbolic import Expr, Symbol
from roofline_core.program.precision import Precision
from roofline_core.program.records import record


@record(frozen=True, slots=True)
class LibraryWork:
    """What a call does: bytes of DRAM traffic at the least, and operations; None if unknown."""

    action: str
    """In words: ``radix sort in 4 passes``."""
    element: str | None = None
    """The type of what is counted."""
    count: Expr | None = None
    """How many elements the call is given."""
    read_bytes: Expr | None = None
    write_bytes: Expr | None = None
    operations: Mapping[Precision, Expr] = field(default_factory=dict)
    """Of precisions that it has operations of; a multiply-add counts as 2."""
    missing: str | None = None
    """Why the bytes are not known."""


@record(frozen=True, slots=True)
class LibraryCall:
    """One call of a GPU library with the sizes that the host program gives it."""

    name: str
    """As the source qualifies it: ``thrust::sort_by_key``, ``cublasSgemm``."""
    path: Path
    line: int
    work: LibraryWork
    order: int
    """How many calls were met before this one."""
    repeat: Expr | None = None
    """How often the host's loops make this call in all; None where that is unknown."""
    certain: bool = True
    """False where a condition that could not be decided leads here."""
    unknowns: Mapping[Symbol, HostUnknown] = field(default_factory=dict)
    """What the symbols of ``work`` stand for."""
