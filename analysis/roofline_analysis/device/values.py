"""The values of device variables during the walk."""

from __future__ import annotations

from dataclasses import field
from typing import Final

from roofline_analysis.device.operations import Operation
from roofline_analysis.regions.kernel_summary import Array
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, constant, make_symbol, symbol
from roofline_core.program.expressions import Expression, Lambda
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Function

_LARGEST_WHOLE: Final = (1 << 64) - 1

DIMENSIONS: Final = ("x", "y", "z")
WARP_SIZE: Final = 32
"""Threads of a warp on every NVIDIA GPU; the default if no GPU is named."""


class Value:
    """A scalar: its type, its expression (None if unknown), and the operation that computes it.

    ``varies`` is the bit set of loops between whose trips the value can differ; a value without the
    current loop's bit is loop-invariant. ``node`` is an integer's operator and operands; its cost
    is charged when the value is first needed. ``made`` is the floating-point operation of the
    value; its cost is charged if the value is used. ``estimate`` is a value without ``expr`` as an
    exact expression over loaded values: it serves for the odds of conditions, never for value
    numbering. ``single`` is what a double is made of, if as a float it is the same: the number it
    was as a float, with ``"float"``, or one operation on such numbers. ``negated``: it is the
    negation of a floating-point number, which costs nothing as an operand; ``magnitude``: the
    absolute value, alike. ``never_minus_zero``: a floating-point number that cannot be -0.
    """

    __slots__ = (
        "estimate",
        "expr",
        "made",
        "magnitude",
        "negated",
        "never_minus_zero",
        "node",
        "single",
        "type",
        "varies",
    )

    def __init__(
        self,
        type_: str,
        expr: Expr | None = None,
        varies: int = 0,
        node: tuple[str, tuple[Value, ...]] | None = None,
        made: Operation | None = None,
        estimate: Expr | None = None,
    ) -> None:
        self.type = type_
        self.estimate = estimate
        self.expr = expr
        self.varies = varies
        self.node = node
        self.made = made
        self.single: tuple[str, tuple[Value, ...]] | None = None
        self.negated = False
        self.magnitude = False
        self.never_minus_zero = False

    @property
    def whole(self) -> int | None:
        """The constant as an integer, cut towards zero; None for what 64 bits do not hold."""
        known = self.constant
        return int(known) if known is not None and abs(known) <= _LARGEST_WHOLE else None

    @property
    def nearly(self) -> Expr | None:
        """``expr``, or else ``estimate``; None without either."""
        return self.expr if self.expr is not None else self.estimate

    @property
    def constant(self) -> int | float | None:
        """The value if it is a constant; else None."""
        return self.expr.constant if self.expr is not None else None

    def key(self) -> object:
        """The value number: equal for values that are known to be equal."""
        return self.expr if self.expr is not None else self


def number(value: int | float, type_: str) -> Value:
    """A constant."""
    return Value(type_, constant(value))


@record(frozen=True, slots=True, eq=False)
class PointerValue:
    """An address: an array and a byte offset (``offset`` carries the address arithmetic)."""

    array: Array
    offset: Value
    pointee: Type
    elements: int | None = None
    """How many elements the array has whose first one it names; None if that is not known."""


@record(frozen=True, slots=True, eq=False)
class StructValue:
    """An object held in registers, by field; an array in registers, by index as text.

    Never changed in place: an assignment to a field makes a new object.
    """

    type: Type
    fields: dict[str, DeviceValue] = field(default_factory=dict)


@record(frozen=True, slots=True, eq=False)
class CodeValue:
    """A function or lambda that can be called."""

    function: Function | None = None
    lambda_: Lambda | None = None
    around: object = None
    """For a lambda: the name bindings at its definition (``frames.Names``)."""
    template_args: tuple[Type | Expression, ...] | None = None
    """Of a function: the arguments written with its name."""


@record(frozen=True, slots=True, eq=False)
class VariablePlace:
    """A variable, by the slot that holds its value."""

    slot: int


@record(frozen=True, slots=True, eq=False)
class FieldPlace:
    """A field or element of an object held in registers."""

    owner: Place
    name: str | None
    """A field's name or an element's index as text; None where the index is not a constant."""
    type: Type
    index: Value | None = None


@record(frozen=True, slots=True, eq=False)
class MemoryPlace:
    """A location in memory."""

    pointer: PointerValue


@record(frozen=True, slots=True, eq=False)
class SwizzlePlace:
    """Several elements of a vector, in any order: OpenCL's ``v.xz``."""

    owner: Place
    names: tuple[str, ...]
    """The fields of ``owner``, one for each field of ``type`` in order."""
    type: Type


@record(frozen=True, slots=True, eq=False)
class PlacePointer:
    """The address of something held in registers: ``&x``, or a local array passed on."""

    place: Place
    pointee: Type
    index: Value | None = None
    """For an array: the element pointed to, None for the first."""


Place = VariablePlace | FieldPlace | MemoryPlace | SwizzlePlace
DeviceValue = Value | PointerValue | StructValue | CodeValue | PlacePointer

THREAD: Final = {
    f"{name}.{axis}": make_symbol(f"{name}.{axis}", SymbolScope.THREAD, nonnegative=True)
    for name in ("threadIdx", "blockIdx")
    for axis in DIMENSIONS
}
"""The indices that differ between the threads of a launch."""
LAUNCH: Final = {
    f"{name}.{axis}": make_symbol(f"{name}.{axis}", SymbolScope.LAUNCH, nonnegative=True)
    for name in ("blockDim", "gridDim")
    for axis in DIMENSIONS
}
"""The dimensions that a launch fixes."""


def param_symbol(path: str, *, nonnegative: bool = False) -> Expr:
    """The symbol of a kernel's scalar argument, or of a field of a struct argument."""
    return symbol(path, SymbolScope.PARAM, nonnegative=nonnegative)
