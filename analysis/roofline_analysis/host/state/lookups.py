"""What one execution has looked up of types and functions, each once for like names in force."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from roofline_core.algebra.symbolic import Expr
from roofline_core.program.types import Type
from roofline_core.program.units import Function


@dataclass(slots=True, eq=False)
class HostLookups:
    """Answers that hold as long as the execution; they rest on no variable."""

    resolved: dict[int, tuple[Type, Type]] = field(default_factory=dict)
    """Types outside templates and classes by their identity, with what they are resolved to."""
    alike: dict[Hashable, dict[Type, Type]] = field(default_factory=dict)
    """What types are resolved to, by the names in force."""
    sizes: dict[Type, Expr] = field(default_factory=dict)
    """The sizes of resolved types without bounds."""
    functions: dict[Hashable, list[Function]] = field(default_factory=dict)
    """The functions that names may mean, by all that this depends on."""
    numbers_asked: int = 0
    """How often a variable's number was asked for while a type was resolved."""
