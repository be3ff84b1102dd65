"""Expressions of the kernel model, for host and device code alike.

Every node carries ``line``, the 1-based line of the source file it stands in (after macro
expansion: the line of the outermost macro's use). Nodes compare by identity, so they can key
dictionaries cheaply. Parentheses are not kept. What no front end understands becomes
``Unknown``, so that an analysis meets a name for its ignorance rather than a gap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofline_core.program.records import record
from roofline_core.program.types import Type

if TYPE_CHECKING:
    # The kernel model is one recursive type: types hold expressions (bounds), expressions hold
    # statements (lambdas), statements functions (offloaded kernels), functions all of them. Its
    # modules stand in this order; what points upward is there for annotations alone.
    from roofline_core.program.statements import Block, Variable


@record(frozen=True, slots=True, eq=False)
class Expression:
    """Base of all expressions."""

    line: int


@record(frozen=True, slots=True, eq=False)
class Literal(Expression):
    """A number, character, string, ``true``/``false`` or ``nullptr`` (value None).

    ``type_name`` is the literal's C++ type, canonical as in ``Type.name`` (``int``,
    ``unsigned int``, ``float``, ``double``, ``char``, ``bool``, ``string``, ``nullptr``).
    A character's value is its code; adjacent strings are joined and escapes resolved.
    """

    value: int | float | str | None
    type_name: str


@record(frozen=True, slots=True, eq=False)
class Name(Expression):
    """A variable, function or constant: ``n``, ``std::max``, ``kernel<float, 256>``, ``this``."""

    name: str
    """As written, qualified with ``::``, without a leading ``::``."""
    template_args: tuple[Type | Expression, ...] | None = None
    """None where the source writes no ``<...>``."""
    scope_args: tuple[Type | Expression, ...] = ()
    """Template arguments of the class in a qualified name: ``Traits<float>::size`` is
    ``Name(line, "Traits::size", scope_args=(Type("float"),))``."""
    absolute: bool = False
    """Whether the source writes a leading ``::``."""


@record(frozen=True, slots=True, eq=False)
class Unary(Expression):
    """``op`` is one of ``+ - ! ~ * &``."""

    op: str
    operand: Expression


@record(frozen=True, slots=True, eq=False)
class Update(Expression):
    """``++x``, ``x--`` ...: ``op`` is ``++`` or ``--``."""

    op: str
    target: Expression
    prefix: bool


@record(frozen=True, slots=True, eq=False)
class Binary(Expression):
    """``op`` is one of ``+ - * / % << >> & | ^ && || == != < <= > >= <=> ,``."""

    op: str
    left: Expression
    right: Expression


@record(frozen=True, slots=True, eq=False)
class Assign(Expression):
    """``op`` is ``=`` or a compound one such as ``+=``."""

    op: str
    target: Expression
    value: Expression


@record(frozen=True, slots=True, eq=False)
class Conditional(Expression):
    """``condition ? then : otherwise``."""

    condition: Expression
    then: Expression
    otherwise: Expression


@record(frozen=True, slots=True, eq=False)
class Call(Expression):
    """A call ``callee(args)``; a method call's callee is a ``Member``.

    A functional cast of a built-in type (``float(x)``) is a ``Cast``; of any other name it stays a
    call, as only an analysis that knows the types can tell (``dim3(16, 16)``).
    """

    callee: Expression
    args: tuple[Expression, ...]


@record(frozen=True, slots=True, eq=False)
class Index(Expression):
    """``base[index]``."""

    base: Expression
    index: Expression


@record(frozen=True, slots=True, eq=False)
class Member(Expression):
    """``base.name`` or, if ``arrow``, ``base->name``."""

    base: Expression
    name: str
    arrow: bool = False
    template_args: tuple[Type | Expression, ...] | None = None


@record(frozen=True, slots=True, eq=False)
class Cast(Expression):
    """``(type)operand``, ``static_cast<type>(operand)`` and the like, ``float(operand)``."""

    type: Type
    operand: Expression
    reinterpret: bool = False


@record(frozen=True, slots=True, eq=False)
class SizeOf(Expression):
    """``sizeof(type)`` or ``sizeof expression``; a parenthesised plain name is a ``Type``."""

    operand: Type | Expression


@record(frozen=True, slots=True, eq=False)
class InitList(Expression):
    """``{a, b, c}``, with designators dropped."""

    items: tuple[Expression, ...]


@record(frozen=True, slots=True, eq=False)
class Construct(Expression):
    """A value of a named type: ``dim3{16, 16}``, ``std::vector<float>(n)``."""

    type: Type
    args: tuple[Expression, ...]


@record(frozen=True, slots=True, eq=False)
class New(Expression):
    """``new type(args)`` or ``new type[count]``."""

    type: Type
    count: Expression | None
    args: tuple[Expression, ...] = ()


@record(frozen=True, slots=True, eq=False)
class Lambda(Expression):
    """A lambda; a body sees the scope around it, but for what it has copies of."""

    params: tuple[Variable, ...]
    body: Block
    device: bool = False
    copies: frozenset[str] = frozenset()
    """The variables captured by value; ``=`` among them stands for all that the body names."""


@record(frozen=True, slots=True, eq=False)
class Launch(Expression):
    """A kernel launch: ``kernel<<<grid, block, shared_bytes, stream>>>(args)`` or its API form.

    ``kernel`` is a ``Name`` or any expression that gives a kernel. For API forms that pass the
    arguments as an array (``cudaLaunchKernel``), ``args`` is None and ``packed_args`` is that
    array's expression. ``config`` gives an object that holds the dimensions, or a pointer to it:
    a ``cudaLaunchConfig_t``, the parameters of a graph's kernel node.
    """

    kernel: Expression
    grid: Expression | None
    block: Expression | None
    shared_bytes: Expression | None
    stream: Expression | None
    args: tuple[Expression, ...] | None
    packed_args: Expression | None = None
    config: Expression | None = None


@record(frozen=True, slots=True, eq=False)
class Assembly(Expression):
    """Inline assembly: in the code of NVIDIA's GPUs, PTX.

    Its operands are numbered from 0, the outputs first.
    """

    text: str
    """The template: its string literals as one, without quotes, escapes as they are written."""
    outputs: tuple[Expression, ...]
    inputs: tuple[Expression, ...]


@record(frozen=True, slots=True, eq=False)
class Expansion(Expression):
    """``pattern...`` among arguments: the pattern once for each element of the packs it names."""

    pattern: Expression


@record(frozen=True, slots=True, eq=False)
class Fold(Expression):
    """``(left op ... op right)``: the operand that names a pack once for each of its elements.

    All are joined by ``op``, the other operand, where there is one, at its end.
    """

    op: str
    left: Expression | None
    right: Expression | None


@record(frozen=True, slots=True, eq=False)
class Unknown(Expression):
    """Source that no front end understands, kept as text; its parts still count.

    ``parts`` are the sub-expressions that could be read.
    """

    text: str
    parts: tuple[Expression, ...] = ()
