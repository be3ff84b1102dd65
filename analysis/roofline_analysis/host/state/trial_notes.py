"""Notes of a loop body that is executed once and undone: see ``loops.loop_probe``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from roofline_analysis.host.state.memory import Storage
from roofline_analysis.host.values import Scalar
from roofline_core.algebra.symbolic import Expr, Symbol
from roofline_core.program.records import record


@record(frozen=True, slots=True)
class NotedStore:
    """A store to some element of a buffer, or an addition to one, in a loop that is tried out."""

    times: float
    """How often the loops around run it."""
    number: Expr | None
    """What is stored or added; None where unknown."""
    conditions: tuple[Expr, ...] = ()
    """Where it stands under conditions: those that are known of the place, each not 0."""
    guessed: bool = False
    """Whether ``times`` rests on trips that are assumed."""


@dataclass(slots=True)
class TrialNotes:
    """What is noted while the body of a loop is tried out: see ``loops.loop_probe``."""

    stored: dict[Storage, list[NotedStore]] | None = None
    """What is stored to elements of buffers; None while nothing is tried out."""
    grown: dict[Storage, list[NotedStore]] = field(default_factory=dict)
    """Likewise what is added to elements."""
    conditional: set[Storage] = field(default_factory=set)
    """Buffers of which only some trips store to an element, for all that is known."""
    journals: int = 0
    """Journals open when the outermost loop was begun to be tried out."""
    trips: list[float] = field(default_factory=list)
    """Trips of the loops around that are tried out."""
    guessed: int = 0
    """How many of these loops have trips that are assumed."""
    bounds: set[Symbol] = field(default_factory=set)
    """What ends of loops' ranges are made of that is not known but assumed, as sizes are."""
    indices: set[Symbol] = field(default_factory=set)
    """The indices of loops that are or were tried out."""
    changing: set[Storage] = field(default_factory=set)
    """Buffers that the loop changes through variables of its own function."""
    loaded: dict[tuple[Storage, Expr], Scalar] = field(default_factory=dict)
    """Elements that were read in the trial, by where they are, in bytes."""
    sources: dict[Symbol, Storage] = field(default_factory=dict)
    """The arrays that symbols are elements of."""
    fruitless: Counter[int] = field(default_factory=Counter)
    """How often loops were tried out for nothing, by their identity."""
