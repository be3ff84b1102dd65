"""What a host variable can hold while the host program is executed abstractly.

Numbers are symbolic (``Expr``), so a quantity that the source does not fix stays a named symbol
and still relates a grid to a size to a kernel argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_core.algebra.symbolic import Expr, Symbol
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Function

ARGUMENT_COUNT: Final = "argc"
"""The name of the unknown that is the number of command-line arguments."""


@record(frozen=True, slots=True)
class Origin:
    """Where a value came from: ``argv[1] at main.cu:42``."""

    text: str
    path: Path | None = None
    line: int | None = None
    also: tuple[Origin, ...] = ()
    """Where the other values came from that it was computed with, a few at most."""


@record(frozen=True, slots=True)
class Scalar:
    """A number, character or truth value."""

    value: Expr
    type_name: str
    """Canonical arithmetic type, as in ``program.types.Type.name``."""
    origin: Origin | None = None


@record(frozen=True, slots=True)
class Text:
    """A C string or ``std::string`` whose characters are known."""

    value: str
    origin: Origin | None = None


@dataclass(slots=True, eq=False)
class Buffer:
    """An allocation: ``malloc``, ``cudaMalloc``, an array, ``std::vector``'s storage.

    Compared by identity: two pointers alias if and only if they point into one buffer.
    """

    name: str
    """The variable it was first assigned to, for people."""
    space: BufferSpace
    size_bytes: Expr | None = None
    element: Type | None = None
    origin: Origin | None = None
    elements: dict[int, Value] = field(default_factory=dict)
    """Values stored at known element indices; only small arrays keep them."""
    pitch_bytes: Expr | None = None
    """For memory read by coordinates: bytes from one row to the next; None if unknown."""
    rows: Expr | None = None
    """Likewise: the rows of a slice."""


@record(frozen=True, slots=True)
class Pointer:
    """An address within a buffer; ``buffer`` None is the null pointer."""

    buffer: Buffer | None
    offset_bytes: Expr
    pointee: Type | None = None
    origin: Origin | None = None


def is_null(value: Value | None) -> bool:
    """Whether a value is the null pointer."""
    return isinstance(value, Pointer) and value.buffer is None


@dataclass(slots=True, eq=False)
class Aggregate:
    """An object of class type, or a built-in one such as ``dim3`` (fields x, y, z)."""

    type: Type
    fields: dict[str, Value] = field(default_factory=dict)
    origin: Origin | None = None
    array: Buffer | None = None
    """The array of which it stands for any element; None where it is one object."""


@record(frozen=True, slots=True)
class FunctionValue:
    """A function or kernel, as a name or through a pointer."""

    functions: tuple[Function, ...]
    """The overloads it may mean, best first."""
    template_args: tuple[Type | Expr, ...] | None = None
    alternatives: tuple[FunctionValue, ...] = ()
    """What else it may be, where a condition that is not decided chooses."""


@record(frozen=True, slots=True)
class OpaqueValue:
    """A value nothing is known of but why."""

    name: str
    why: str
    type: Type | None = None
    origin: Origin | None = None


Value = Scalar | Text | Pointer | Aggregate | FunctionValue | OpaqueValue | Buffer


@record(frozen=True, slots=True)
class HostUnknown:
    """A symbol that the host program leaves open, and the number assumed where one is needed."""

    symbol: Symbol
    name: str
    """``argv[1]``, ``n``, ``rows of matrix.mtx``: what a person would call it."""
    why: str
    """``read from a file at run time``, ``argv[1] was not given``."""
    assumed: int | float
    path: Path | None = None
    line: int | None = None
    average: bool = False
    """Whether it is a sum of random numbers, of which the average is known: as good as given."""
    stated: bool = False
    """Whether a person states the number in a comment: as good as given, too."""
    is_default: bool = False
    """Whether the number stands in the source, for where nothing else is set."""


@record(frozen=True, slots=True)
class Spread:
    """Numbers that come evenly from a range, as those of ``rand()`` or of a loop's index do."""

    low: float
    high: float
    """The end of the range; of whole numbers itself not among them."""
    whole: bool
    drawn: tuple[float, ...] | None = None
    """Samples of the numbers; None where all of the range are alike."""


@record(frozen=True, slots=True)
class LaunchContext:
    """One launch of a kernel, with what the host program passes to it."""

    kernel: Function
    template_bindings: Mapping[str, Type | Expr]
    """Template parameters by name, explicit or deduced from the arguments; packs are left out."""
    grid: tuple[Expr, Expr, Expr] | None
    """Blocks in x, y, z; None where nothing is known of it."""
    block: tuple[Expr, Expr, Expr] | None
    """Threads of a block in x, y, z."""
    shared_bytes: Expr | None
    """Dynamic shared memory of a block."""
    args: tuple[Value, ...]
    """One per parameter of the kernel, defaults filled in."""
    path: Path
    line: int
    """Of the launch."""
    order: int
    """How many launches were met before this one."""
    repeat: Expr | None = None
    """How often the host's loops run this launch in all; None where that is unknown."""
    certain: bool = True
    """False where a condition that could not be decided leads here."""
    unknowns: Mapping[Symbol, HostUnknown] = field(default_factory=dict)
    """What the symbols of the fields above and of ``conditions`` stand for."""
    conditions: tuple[Expr, ...] = ()
    """What is true of these numbers where the launch is reached; each is not 0."""
    grid_origin: Origin | None = None
    """Where the number of blocks came from."""
    block_origin: Origin | None = None
    contents: Mapping[str, Mapping[int, Expr]] = field(default_factory=dict)
    """Whole numbers known in the memory behind pointer arguments: by the parameter's name, then
    by the bytes from where it points."""
    draws: Mapping[str, Samples] = field(default_factory=dict)
    """What the numbers behind pointer arguments are like, where the host or a kernel before fills
    them in, by the parameter's name, or its name and a member's."""
    open_types: tuple[str, ...] = ()
    """Type parameters of the host's functions that nothing instantiates: taken for ``float``."""
    open_numbers: Mapping[str, int] = field(default_factory=dict)
    """Their numbers of which classes are made, with the numbers that are taken for them."""
    textures: Mapping[str, Value] = field(default_factory=dict)
    """The memory that texture references are bound to at the launch, by their names."""
    constants: Mapping[str, Value] = field(default_factory=dict)
    """Numbers and objects in constant memory at the launch, by the names of their variables."""
    is_one_of_several: bool = False
    """Whether it goes to one of an array of streams, so that others run beside it."""


@record(frozen=True, slots=True, eq=False)
class WrittenByKernel:
    """Samples that are worked out where they are needed: of an array that a kernel writes."""

    launch: LaunchContext
    parameter: str
    """The kernel's name of the array."""
    before: Samples | None
    """Samples of the array before the launch; None where unknown."""
    depth: int
    """How many launches, one after another, they rest on."""


Samples: TypeAlias = tuple[float, ...] | WrittenByKernel
"""As many numbers as were drawn of an array's, or what they follow from."""
