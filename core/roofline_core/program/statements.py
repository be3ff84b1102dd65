"""Statements of the kernel model. Like expressions, they compare by identity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING, Final

from roofline_core.program.directives import Directive
from roofline_core.program.expressions import Expression
from roofline_core.program.records import record
from roofline_core.program.types import Type

if TYPE_CHECKING:
    from roofline_core.program.units import Function, Span


@record(frozen=True, slots=True, eq=False)
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
    ``__managed__``, ``extern``, ``static``, ``constexpr``, ``register``; ``packed`` of a field."""
    bits: Expression | None = None
    """Of a bit-field: its width. An unnamed one of width 0 closes the storage unit before it."""
    align: Expression | None = None
    """The alignment in bytes that ``alignas`` or ``__align__`` asks for."""


@record(frozen=True, slots=True, eq=False)
class Statement:
    """Base of all statements."""

    line: int


@record(frozen=True, slots=True, eq=False)
class Block(Statement):
    """``{ ... }``; a single statement where one is expected is not wrapped."""

    body: tuple[Statement, ...]


@record(frozen=True, slots=True, eq=False)
class Declare(Statement):
    """Declares variables, in order."""

    variables: tuple[Variable, ...]


@record(frozen=True, slots=True, eq=False)
class Evaluate(Statement):
    """An expression for its effect."""

    expression: Expression


@record(frozen=True, slots=True, eq=False)
class If(Statement):
    """``if``; ``init`` of C++17 and a declaration as condition come first in ``init``."""

    condition: Expression
    then: Statement
    otherwise: Statement | None = None
    init: Statement | None = None


@record(frozen=True, slots=True, eq=False)
class For(Statement):
    """A ``for`` loop; ``unroll`` is ``#pragma unroll``'s factor (0: whole, None: not asked)."""

    init: Statement | None
    condition: Expression | None
    step: Expression | None
    body: Statement
    unroll: Expression | int | None = None


@record(frozen=True, slots=True, eq=False)
class ForRange(Statement):
    """``for (variable : range)``."""

    variable: Variable
    range: Expression
    body: Statement


@record(frozen=True, slots=True, eq=False)
class While(Statement):
    """``while`` or, if ``do_first``, ``do ... while``."""

    condition: Expression
    body: Statement
    do_first: bool = False
    unroll: Expression | int | None = None


@record(frozen=True, slots=True, eq=False)
class Case:
    """The statements from one ``case`` label to the next; ``value`` None is ``default``."""

    value: Expression | None
    body: tuple[Statement, ...]


@record(frozen=True, slots=True, eq=False)
class Switch(Statement):
    """``switch``; cases fall through as in C."""

    value: Expression
    cases: tuple[Case, ...]


@record(frozen=True, slots=True, eq=False)
class Return(Statement):
    """``return``."""

    value: Expression | None


@record(frozen=True, slots=True, eq=False)
class Break(Statement):
    """``break``."""


@record(frozen=True, slots=True, eq=False)
class Continue(Statement):
    """``continue``."""


@record(frozen=True, slots=True, eq=False)
class Goto(Statement):
    """``goto label``."""

    label: str


@record(frozen=True, slots=True, eq=False)
class Label(Statement):
    """``label: statement``."""

    label: str
    body: Statement | None


ERROR_DIRECTIVE: Final = "#error"
"""How the text of an ``Opaque`` begins that stands for such a directive."""


@record(frozen=True, slots=True, eq=False)
class Opaque(Statement):
    """A statement no front end understands (syntax errors, inline assembly), kept as text.

    Also an ``#error`` directive, in place of the code that would be there if it were not reached.
    ``parts`` are the expressions that could be read out of it.
    """

    text: str
    parts: tuple[Expression, ...] = ()


@record(frozen=True, slots=True, eq=False)
class Directed(Statement):
    """A statement under an OpenMP directive that starts no kernel: ``target data``, ``simd``.

    ``body`` is None for directives that stand alone (``target update``, ``taskwait``).
    """

    directive: Directive
    body: Statement | None
    span: Span | None = None
    """From the directive to the end of its statement."""
    device_form: Callable[[], Statement | None] | None = field(default=None, repr=False)
    """Gives what one GPU thread does here, work-sharing spelled out, when a function that holds
    the directive is called from a kernel; the same statement each time. None: what ``body`` says.
    """


class OffloadMode(Enum):
    """How an offloaded region uses the threads of a team."""

    SPMD = "spmd"
    """All threads of a team execute the region: ``teams distribute parallel for``."""
    GENERIC = "generic"
    """One thread of a team executes what stands outside ``parallel``."""


@record(frozen=True, slots=True, eq=False)
class Offload(Statement):
    """A target region in host code: the launch of the kernel that was made of it.

    The kernel is written for one GPU thread: work-sharing is spelled out with ``threadIdx.x``,
    ``blockIdx.x``, ``blockDim.x`` and ``gridDim.x``, teams being blocks.
    """

    kernel: Function
    args: tuple[Expression, ...]
    """What the region captures, one for each parameter of ``kernel``."""
    directive: Directive
    mode: OffloadMode
    teams: Expression | None
    """``num_teams``; None where the runtime chooses. A literal 1 without a ``teams`` construct."""
    thread_limit: Expression | None
    """``thread_limit``; None without the clause."""
    threads: Expression | None
    """``num_threads`` of the (outermost) ``parallel``; None without the clause."""
    trips: Expression | None
    """Iterations of the loop that is shared out over the teams, nested loops that are collapsed
    multiplied, in terms of the host's variables; None where no loop is shared out."""
    body: Statement
    """The region as written, for what the host may assume after it."""
