"""Statements of the kernel model. Like expressions, they compare by identity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from roofline_lsp.kernel.expressions import Expression

if TYPE_CHECKING:
    from roofline_lsp.kernel.types import Type


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A declared variable, parameter or field."""

    name: str
    """Empty for an unnamed parameter."""
    type: Type
    line: int
    init: Expression | None = None
    """The initializer after ``=`` or a parameter's default."""
    ctor_args: tuple[Expression, ...] | None = None
    """Arguments of ``T x(a, b)`` or ``T x{a, b}``; None where there are none to see."""
    qualifiers: frozenset[str] = frozenset()
    """Storage and address space: ``__shared__``, ``__constant__``, ``__device__``,
    ``__managed__``, ``extern``, ``static``, ``constexpr``, ``register``."""


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """Base of all statements."""

    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Block(Statement):
    """``{ ... }``; a single statement where one is expected is not wrapped."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Declare(Statement):
    """Declares variables, in order."""

    variables: tuple[Variable, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Evaluate(Statement):
    """An expression for its effect."""

    expression: Expression


@dataclass(frozen=True, slots=True, eq=False)
class If(Statement):
    """``if``; ``init`` of C++17 and a declaration as condition come first in ``init``."""

    condition: Expression
    then: Statement
    otherwise: Statement | None = None
    init: Statement | None = None


@dataclass(frozen=True, slots=True, eq=False)
class For(Statement):
    """A ``for`` loop; ``unroll`` is ``#pragma unroll``'s factor (0: whole, None: not asked)."""

    init: Statement | None
    condition: Expression | None
    step: Expression | None
    body: Statement
    unroll: Expression | int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ForRange(Statement):
    """``for (variable : range)``."""

    variable: Variable
    range: Expression
    body: Statement


@dataclass(frozen=True, slots=True, eq=False)
class While(Statement):
    """``while`` or, if ``do_first``, ``do ... while``."""

    condition: Expression
    body: Statement
    do_first: bool = False
    unroll: Expression | int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """The statements from one ``case`` label to the next; ``value`` None is ``default``."""

    value: Expression | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Switch(Statement):
    """``switch``; cases fall through as in C."""

    value: Expression
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Return(Statement):
    """``return``."""

    value: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Break(Statement):
    """``break``."""


@dataclass(frozen=True, slots=True, eq=False)
class Continue(Statement):
    """``continue``."""


@dataclass(frozen=True, slots=True, eq=False)
class Goto(Statement):
    """``goto label``."""

    label: str


@dataclass(frozen=True, slots=True, eq=False)
class Label(Statement):
    """``label: statement``."""

    label: str
    body: Statement | None


@dataclass(frozen=True, slots=True, eq=False)
class Opaque(Statement):
    """A statement no front end understands (syntax errors, inline assembly), kept as text.

    ``parts`` are the expressions that could be read out of it.
    """

    text: str
    parts: tuple[Expression, ...] = ()
