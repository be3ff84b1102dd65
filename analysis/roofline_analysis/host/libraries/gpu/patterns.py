"""What the parallel patterns of thrust, CUB and rocPRIM cost: bytes and operations.

The bytes are those of the published algorithms, each operand moved as often as its kernels do:
reductions read once and scans read and write once (Merrill and Garland, "Single-pass parallel
prefix scan with decoupled look-back", NVIDIA technical report 2016-002); a radix sort reads its
keys once for all histograms and then reads and writes keys and values once for each 8 bits of the
key (Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs", arXiv
2206.01784); a merge sort reads and writes all once for the tiles and once for each doubling of
their length (CUB's documentation of DeviceMergeSort). Data that depend on one another through
scattered addresses count as if the accesses coalesced. The address arithmetic of the libraries'
kernels is not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.library_call import LibraryWork
from roofline_analysis.host.objects.operands import Operand, element_text, log2_up, precision_of
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_core.algebra.symbolic import ONE, ZERO, Expr, apply, constant
from roofline_core.program.precision import Precision
from roofline_core.program.types import Type

RADIX_BITS: Final = 8
"""Bits of a digit in CUB's and rocPRIM's radix sorts of 32-bit and longer keys."""
RADIX_INT_OPS: Final = 32.0
"""Integer instructions of a pass for one key, an estimate: a ballot and a conditional complement
for each bit of the digit, then the digit's offset and the key's address (the paper's section on
warp-level multisplit)."""
MERGE_TILE: Final = 4096
"""Elements that one block sorts before the merge passes: 256 threads with 16 or 17 each."""


class Kind(Enum):
    """A pattern, with the words for it."""

    COPY = "copy"
    FILL = "fill"
    TRANSFORM = "transform"
    FOR_EACH = "function applied to each"
    REDUCE = "reduction"
    TRANSFORM_REDUCE = "transformation and reduction"
    PRODUCT = "inner product"
    SCAN = "prefix sum"
    SELECT = "selection"
    SORT = "sort"
    MERGE = "merge"
    SEARCH = "binary search"
    HISTOGRAM = "histogram"
    GATHER = "indexed copy"
    SEARCH_FIRST = "search"


@dataclass(slots=True)
class Operands:
    """The operands of one call, by what happens to them."""

    count: Expr | None = None
    second_count: Expr | None = None
    """Elements of a second input sequence."""
    reads: list[Operand] = field(default_factory=list)
    second_reads: list[Operand] = field(default_factory=list)
    writes: list[Operand] = field(default_factory=list)
    kept: list[Operand] = field(default_factory=list)
    """Written as far as elements are kept."""
    functor: Expr | None = None
    """Operations of the function object for each element."""
    key_bits: Expr | None = None
    """Bits of a key that a radix sort looks at, where the call says so."""
    comparator: bool = False
    """Whether an order other than that of numbers is asked for."""

    @property
    def all(self) -> list[Operand]:
        """All operands."""
        return [*self.reads, *self.second_reads, *self.writes, *self.kept]

    @property
    def element(self) -> Type | None:
        """The type of the elements counted: the first that is in memory."""
        real = [o for o in (*self.reads, *self.writes, *self.kept) if o.bytes_each]
        return next((o.element for o in real), None)


def work_of(interpreter: HostInterpreter, kind: Kind, ops: Operands) -> LibraryWork:
    """What one call of a pattern does."""
    if kind is Kind.SORT:
        return _sort(ops)
    element = ops.element
    count = ops.count
    action = kind.value
    if count is None:
        return LibraryWork(
            action, element_text(element), missing="its number of elements is not known"
        )
    outputs = count if ops.second_count is None else count + ops.second_count
    kept = outputs * _kept_share(interpreter) if ops.kept else None
    if kind is Kind.SEARCH and ops.second_count is not None:
        count, outputs = ops.second_count, ops.second_count
    read = _moved(ops.reads, count)
    second = _moved(ops.second_reads, ops.second_count or ZERO)
    written = _moved(ops.writes, outputs)
    if kept is not None:
        kept_bytes = _moved(ops.kept, kept)
        written = None if written is None or kept_bytes is None else written + kept_bytes
    missing = None
    if kind is Kind.FOR_EACH and not any(operand.bytes_each for operand in ops.all):
        read = written = None
        missing = "what the function object reads and writes is not followed"
    elif read is None or second is None or written is None:
        missing = "the size of its elements is not known"
    return LibraryWork(
        action,
        element_text(element),
        ops.count,
        read + second if read is not None and second is not None else None,
        written,
        _operations(kind, ops, element, count),
        missing,
    )


def _kept_share(interpreter: HostInterpreter) -> Expr:
    why = "which elements are kept depends on data"
    return interpreter.unknown("share of elements kept", why, "double", assumed=0.5).value


def _moved(operands: Sequence[Operand], count: Expr) -> Expr | None:
    total = 0
    for operand in operands:
        if operand.bytes_each is None:
            return None
        total += operand.bytes_each
    return count * total


def _operations(
    kind: Kind, ops: Operands, element: Type | None, count: Expr
) -> dict[Precision, Expr]:
    each: Expr = ZERO
    if kind in (Kind.REDUCE, Kind.SCAN, Kind.MERGE):
        each = ONE
    elif kind in (Kind.TRANSFORM, Kind.FOR_EACH):
        each = ops.functor if ops.functor is not None else ZERO
    elif kind is Kind.TRANSFORM_REDUCE:
        each = ONE + (ops.functor if ops.functor is not None else ONE)
    elif kind is Kind.PRODUCT:
        each = constant(2)
    found: dict[Precision, Expr] = {}
    precision = precision_of(element)
    if each != ZERO and precision is not None:
        found[precision] = count * each * width_factor(element)
    integer = ZERO
    if kind in (Kind.SELECT, Kind.SEARCH_FIRST):
        integer = constant(2)  # a flag, and its prefix sum
    elif kind is Kind.SEARCH:
        integer = log2_up(ops.count or ONE) * 3
    elif kind is Kind.HISTOGRAM:
        integer = constant(4)  # the bin, its bounds and an atomic addition
    if integer != ZERO:
        found[Precision.INT] = found.get(Precision.INT, ZERO) + count * integer
    return found


def width_factor(element: Type | None) -> int:
    """32-bit instructions of an integer operation on a type; 1 for floating point."""
    wide = element is not None and (element.pointers or "long" in element.name)
    return 2 if wide and element is not None and element.name != "double" else 1


def _sort(ops: Operands) -> LibraryWork:
    keys = ops.reads[0] if ops.reads else Operand(None, None, BufferSpace.DEVICE)
    element = keys.element
    name = element_text(element)
    width = keys.bytes_each
    moved = _moved(ops.reads, ONE)
    each = moved.constant if moved is not None else None
    if ops.count is None or width is None or each is None:
        what = "number of elements" if ops.count is None else "size of its elements"
        return LibraryWork("sort", name, ops.count, missing=f"the {what} is not known")
    count, each = ops.count, int(each)
    if precision_of(element) is not None and not ops.comparator:
        bits = ops.key_bits if ops.key_bits is not None else constant(8 * width)
        passes = apply("ceil", apply("fdiv", bits, RADIX_BITS))
        traffic = count * each * passes
        operations = {Precision.INT: count * passes * RADIX_INT_OPS}
        shown = passes.constant
        action = f"radix sort in {shown} passes" if shown is not None else "radix sort"
        return LibraryWork(action, name, count, traffic + count * width, traffic, operations)
    tiles = apply("fdiv", apply("max", count, constant(MERGE_TILE)), MERGE_TILE)
    passes = 1 + log2_up(tiles) if tiles.constant != 1 else ONE
    traffic = count * each * passes
    compared = count * log2_up(count)
    operations = {Precision.INT: compared * 4}
    precision = precision_of(element)
    if precision is not None:
        operations[precision] = operations.get(precision, ZERO) + compared
    return LibraryWork("merge sort", name, count, traffic, traffic, operations)
