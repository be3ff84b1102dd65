"""What the walk of a kernel could not follow, kept where it would have run."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from roofline_core.program.records import record


class UnseenKind(Enum):
    """The kinds of code that the walk cannot follow; the values are the words of reports."""

    CALL = "call"
    """A function whose body is not known."""
    RECURSION = "recursion"
    """A function that calls itself, or too deep a chain of calls: not followed to the end."""
    ACCESS = "memory access"
    """A load or store through something that is not known to be a pointer or an array."""
    TYPE = "type"
    """An element read or written whose type is not known: neither its size, nor which arithmetic it
    takes part in."""
    ADDRESS = "address"
    """A load or store in a loop that moves its address in a way that is not followed."""
    CODE = "code"
    """Text that no parser understands, inline assembly, or the rest of too long a kernel."""
    DIRECTIVE = "#error"
    """An ``#error`` directive: the code for this case is not there."""


@record(frozen=True, slots=True)
class Unseen:
    """One place in a kernel whose work and bytes are missing from all counts."""

    kind: UnseenKind
    name: str
    """The function, array, variable or type, the directive, or the text that is not understood;
    empty if none."""
    path: Path
    line: int
