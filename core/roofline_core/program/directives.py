"""OpenMP directives, as the statements of host and device code carry them."""

from __future__ import annotations

from pathlib import Path

from roofline_core.program.expressions import Expression
from roofline_core.program.records import record


@record(frozen=True, slots=True, eq=False)
class Clause:
    """A clause of a directive: ``num_teams(n)``, ``map(to: x[0:n])``, ``reduction(+: sum)``."""

    name: str
    modifiers: tuple[str, ...] = ()
    """Words before the colon, ``to``, ``+``, ``always``; the kind of ``schedule(static, 4)``."""
    items: tuple[Expression, ...] = ()
    """What the clause lists, array sections as ``Section``."""


@record(frozen=True, slots=True, eq=False)
class Section(Expression):
    """An array section ``base[first:length]``; a bound that is left out is None."""

    base: Expression
    first: Expression | None
    length: Expression | None


@record(frozen=True, slots=True, eq=False)
class Directive:
    """``#pragma omp target teams distribute parallel for collapse(2)``, taken apart."""

    line: int
    constructs: tuple[str, ...]
    """The constructs it combines, in order: ``("target", "teams", "distribute", "parallel",
    "for")``. Several words that name one construct are one: ``("target data",)``."""
    clauses: tuple[Clause, ...]
    included_line: int | None = None
    """The line of the header it is written on, where that is included inside a function: ``line``
    is that of the ``#include`` then."""
    included_file: Path | None = None
    """That header."""

    def clause(self, name: str) -> Clause | None:
        """The first clause of a name."""
        return next((clause for clause in self.clauses if clause.name == name), None)

    def all_clauses(self, name: str) -> tuple[Clause, ...]:
        """Every clause of a name, in order."""
        return tuple(clause for clause in self.clauses if clause.name == name)
