"""CUB's and hipCUB's primitives of a warp or block, which a program uses without their source.

A primitive is an object of a class template (``BlockReduce<float, 256>``) whose methods all
threads call together. Each thread is charged its share of the arithmetic as the default
algorithms do it (CUB's documentation of the block-wide and warp-wide collectives): a warp
reduction or scan takes log2(lanes) steps, in each of which those lanes combine that another hands
a value to. A block's reduction adds one partial result for each warp; in its scan one warp rakes
through the values of all. Shuffles and shared memory are not counted as operations; loads and
stores through the primitives are accesses like any other.

The integer operations of reductions and scans were counted in emulated machine code of nvcc 13.0
and CUB 3 for sm_86: of float, double and int, in blocks of 128, 256 and 1,024 threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from roofline_analysis.device.functions.collectives import (
    charge_operations,
    constant_argument,
    give,
    is_own_operator,
    items_of,
    run_operator,
    steps,
)
from roofline_analysis.device.functions.memory import barrier
from roofline_analysis.device.functions.thread_groups import linear_thread
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import need_value, offset_by
from roofline_analysis.device.values import DeviceValue, PointerValue, StructValue, Value, number
from roofline_analysis.regions.kernel_summary import AccessMode, Work
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program.expressions import Call, Expression, Literal, Name
from roofline_core.program.records import record
from roofline_core.program.types import Type

_RADIX_BITS: Final = 4
"""Bits of a digit in a block's radix sort, CUB's default."""
_RADIX_INT_OPS: Final = 20.0
"""Integer instructions of a pass for one key, an estimate: extracting and packing the digit's
counter, its prefix sum and the key's new address."""
_REDUCE_INT_OPS: Final = 1.0
"""Integer instructions of a reduction for each thread, besides the steps."""
_OPERATOR_INT_OPS: Final = 1.4
"""The same of each step with another operator than a sum: whether a lane has a partner."""
_VALID_INT_OPS: Final = 2.0
"""The same of a reduction over the first threads of a block."""
_SCAN_INT_OPS: Final = (4.0, 12.0, 3.0)
"""The same of a block's scan: for each thread, for each of the raking warp, and for each thread
with another operator than a sum."""
_EXCHANGE_INT_OPS: Final = 2.0
"""Integer instructions that move one item to another thread: the address to write and to read."""
_DEFAULT_THREADS: Final = 128
"""Threads of a block whose number, a template argument, is not known. Assumed, not measured."""


@record(frozen=True, slots=True)
class _Primitive:
    """A primitive with what its template arguments say."""

    name: str
    element: Type
    threads: int
    items: int
    algorithm: str


_CLASSES: Final[Mapping[str, tuple[int | None, int | None]]] = {
    # Where the template arguments have the threads and the items of each.
    "BlockReduce": (1, None), "BlockScan": (1, None), "BlockLoad": (1, 2), "BlockStore": (1, 2),
    "BlockExchange": (1, 2), "BlockRadixSort": (1, 2), "BlockMergeSort": (1, 2),
    "BlockHistogram": (1, 2), "BlockDiscontinuity": (1, None), "BlockShuffle": (1, None),
    "BlockAdjacentDifference": (1, None), "BlockRunLengthDecode": (1, 2),
    "WarpReduce": (1, None), "WarpScan": (1, None), "WarpExchange": (2, 1), "WarpLoad": (2, 1),
    "WarpStore": (2, 1), "WarpMergeSort": (2, 1),
}  # fmt: skip


def is_primitive(interpreter: DeviceInterpreter, type_: Type) -> bool:
    """Whether a type is such a class and none of the program's own."""
    name = type_.name.rpartition("::")[2]
    return (
        name in _CLASSES
        and bool(type_.args)
        and interpreter.symbols.find_struct(type_.name) is None
    )


def primitive_value(interpreter: DeviceInterpreter, type_: Type) -> StructValue | None:
    """An object of such a class, whose memory is the block's; None for any other type."""
    return StructValue(type_) if is_primitive(interpreter, type_) else None


def primitive_method(
    interpreter: DeviceInterpreter, type_: Type, name: str, args: Sequence[Expression], node: Call
) -> DeviceValue | None:
    """A method of a primitive; None if the type is none or the method is not known."""
    if not is_primitive(interpreter, type_):
        return None
    handler = _METHODS.get(name)
    if handler is None:
        return None
    made = _read(interpreter, type_)
    result = handler(interpreter, made, args, name)
    if made.name.startswith("Block"):
        barrier(interpreter, name, [], node)
    return result


def _argument_at(
    interpreter: DeviceInterpreter, given: Sequence[Type | Expression], position: int | None
) -> int | None:
    """The template argument there as a number; None without one that is constant."""
    if position is None or position >= len(given):
        return None
    return constant_argument(interpreter, given[position])


def _read(interpreter: DeviceInterpreter, type_: Type) -> _Primitive:
    name = type_.name.rpartition("::")[2]
    threads_at, items_at = _CLASSES[name]
    given = type_.args
    element = given[0] if isinstance(given[0], Type) else Type("int")
    position = 3 if items_at is not None else 2
    algorithm = given[position] if len(given) > position else None
    word = algorithm.name if isinstance(algorithm, (Type, Name)) else ""
    default = interpreter.warp_size if name.startswith("Warp") else _DEFAULT_THREADS
    return _Primitive(
        name,
        interpreter.types.resolve(element),
        max(1, _argument_at(interpreter, given, threads_at) or default),
        max(1, _argument_at(interpreter, given, items_at) or 1),
        word,
    )


def _arguments(interpreter: DeviceInterpreter, args: Sequence[Expression]) -> None:
    for arg in args:
        need_value(interpreter, interpreter.evaluate(arg))


def _result(interpreter: DeviceInterpreter, type_: Type, name: str) -> DeviceValue:
    return interpreter.opaque(type_, interpreter.costs.loop_bits(), name, SymbolScope.DATA)


def _reduce(
    interpreter: DeviceInterpreter, made: _Primitive, args: Sequence[Expression], name: str
) -> DeviceValue:
    _arguments(interpreter, args[:1])
    items = items_of(interpreter, args[0]) if args else 1
    lanes = min(made.threads, interpreter.warp_size)
    across = made.threads / lanes - 1
    # One thread adds the warps' results.
    _combine(interpreter, made, args[1:2], items - 1 + _in_warp(lanes) + across / made.threads)
    extra = _REDUCE_INT_OPS
    if not _is_sum(name, args[1:2]):
        extra += _OPERATOR_INT_OPS * steps(lanes)
    if len(args) > (2 if name == "Reduce" else 1):
        extra += _VALID_INT_OPS
    interpreter.costs.charge(Work.INT, extra)
    return _result(interpreter, made.element, name)


def _in_warp(lanes: int) -> float:
    """Combinations of a lane in a warp's reduction or scan: a step passes some lanes by."""
    return steps(lanes) - (lanes - 1) / lanes


def _is_sum(name: str, operators: Sequence[Expression]) -> bool:
    """Whether a method adds: machine code has a predicated addition for each of its steps."""
    if name.endswith("Sum"):
        return True
    made = operators[0] if operators else None
    callee = made.callee if isinstance(made, Call) else None
    return isinstance(callee, Name) and callee.name.rpartition("::")[2] in ("Sum", "plus")


def _combine(
    interpreter: DeviceInterpreter, made: _Primitive, given: Sequence[Expression], times: float
) -> None:
    """Charge a thread's combinations: an operator of the program's own is run for each of them."""
    for operator in given:
        if is_own_operator(interpreter, operator):
            run_operator(interpreter, operator, made.element, times)
            return
    charge_operations(interpreter, made.element, times)


def _scan(
    interpreter: DeviceInterpreter, made: _Primitive, args: Sequence[Expression], name: str
) -> DeviceValue:
    if args:
        need_value(interpreter, interpreter.evaluate(args[0]))
    items = items_of(interpreter, args[0]) if args else 1
    lanes = min(made.threads, interpreter.warp_size)
    operators = args[2:] if name.endswith("Scan") else ()
    adds = _is_sum(name, operators)
    # A step with another operator than a sum computes in all lanes, and some drop what it gives.
    in_warp = _in_warp(lanes) if adds else steps(lanes)
    if made.threads <= lanes:
        total = 2 * items - 1 + in_warp
        extra = 0.0 if adds else _OPERATOR_INT_OPS * steps(lanes)
    elif "WARP_SCANS" in made.algorithm:
        # The warps' totals before it, added to each thread's own prefix.
        total = 2 * items + in_warp + (made.threads / lanes) / made.threads
        extra = 0.0 if adds else _OPERATOR_INT_OPS * steps(lanes)
    else:
        # One warp reduces a segment of the values in each lane, scans the sums, and comes back.
        segment = made.threads / lanes
        total = 2 * (items - 1) + (2 * segment - 1 + in_warp) / segment
        each, raking, other = _SCAN_INT_OPS
        extra = each + raking / segment + (0.0 if adds else other)
    _combine(interpreter, made, operators, total)
    interpreter.costs.charge(Work.INT, extra)
    for written in args[1:]:
        if not isinstance(written, Literal):
            give(interpreter, written, name)
    return number(0, "int")


def _move(
    interpreter: DeviceInterpreter, made: _Primitive, args: Sequence[Expression], name: str
) -> DeviceValue:
    """``Load(pointer, items)`` and ``Store(pointer, items)``."""
    pointer = interpreter.evaluate(args[0]) if args else None
    what = AccessMode.READ if name == "Load" else AccessMode.WRITE
    size = interpreter.bytes_of(made.element)
    if isinstance(pointer, PointerValue):
        striped = "STRIPED" in made.algorithm or "TRANSPOSE" in made.algorithm
        for item in range(made.items):
            index = (
                linear_thread() + item * made.threads
                if striped
                else linear_thread() * made.items + item
            )
            moved = offset_by(interpreter, pointer, Value("int", index, 0), made.element)
            interpreter.costs.touch(moved, size, what)
        if what is AccessMode.WRITE:
            interpreter.may_change(pointer.array)
    if "TRANSPOSE" in made.algorithm:
        interpreter.costs.charge(Work.INT, _EXCHANGE_INT_OPS * made.items)
    if len(args) > 1:
        if what is AccessMode.READ:
            give(interpreter, args[1], name)
        else:
            need_value(interpreter, interpreter.evaluate(args[1]))
    return number(0, "int")


def _exchange(
    interpreter: DeviceInterpreter, made: _Primitive, args: Sequence[Expression], name: str
) -> DeviceValue:
    """Items that change hands through shared memory."""
    _arguments(interpreter, args[:1])
    interpreter.costs.charge(Work.INT, _EXCHANGE_INT_OPS * made.items)
    for written in args:
        if not isinstance(written, Literal):
            give(interpreter, written, name)
    return number(0, "int")


def _sort(
    interpreter: DeviceInterpreter, made: _Primitive, args: Sequence[Expression], name: str
) -> DeviceValue:
    _arguments(interpreter, args[:1])
    if made.name.endswith("RadixSort"):
        bits = 8 * interpreter.bytes_of(made.element)
        if len(args) > 2:
            low, high = (constant_argument(interpreter, arg) for arg in args[-2:])
            bits = high - low if low is not None and high is not None and high > low else bits
        amount = _RADIX_INT_OPS * made.items * -(-bits // _RADIX_BITS)
    else:
        # Each doubling of the sorted length compares and moves each item once.
        amount = 4.0 * made.items * steps(made.threads * made.items)
    interpreter.costs.charge(Work.INT, amount)
    for written in args[:2]:
        give(interpreter, written, name)
    return number(0, "int")


def _neighbours(
    interpreter: DeviceInterpreter, made: _Primitive, args: Sequence[Expression], name: str
) -> DeviceValue:
    """Each item against the one beside it: differences, or flags where they differ."""
    _arguments(interpreter, args)
    items = max((items_of(interpreter, arg) for arg in args), default=1)
    if name.startswith("Flag"):
        interpreter.costs.charge(Work.INT, float(items))
    else:
        charge_operations(interpreter, made.element, items)
    for written in args[:2]:
        give(interpreter, written, name)
    return number(0, "int")


def _histogram(
    interpreter: DeviceInterpreter, made: _Primitive, args: Sequence[Expression], name: str
) -> DeviceValue:
    _arguments(interpreter, args[:1])
    if name != "InitHistogram":
        interpreter.costs.charge(Work.INT, 2.0 * made.items)
    return number(0, "int")


_Method = Callable[[DeviceInterpreter, _Primitive, Sequence[Expression], str], DeviceValue]

_METHODS: Final[Mapping[str, _Method]] = {
    name: method
    for method, names in (
        (_reduce, "Sum Reduce Max Min HeadSegmentedSum TailSegmentedSum"),
        (_scan, "ExclusiveSum InclusiveSum ExclusiveScan InclusiveScan"),
        (_move, "Load Store"),
        (
            _exchange,
            (
                "StripedToBlocked BlockedToStriped WarpStripedToBlocked BlockedToWarpStriped"
                " ScatterToBlocked ScatterToStriped Offset Rotate Up Down Broadcast"
            ),
        ),
        (
            _sort,
            "Sort SortDescending StableSort SortBlockedToStriped SortDescendingBlockedToStriped",
        ),
        (_neighbours, "SubtractLeft SubtractRight FlagHeads FlagTails FlagHeadsAndTails"),
        (_histogram, "Histogram InitHistogram Composite"),
    )
    for name in names.split()
}
