"""Loads, atomics, textures, barriers and what passes between the threads of a warp."""

from __future__ import annotations

from typing import Final

from roofline_analysis.device.costs.integer_costs import is_uniform
from roofline_analysis.device.functions.atomic_retries import charge_retries
from roofline_analysis.device.state.arithmetic import truth
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import load, need_value, store
from roofline_analysis.device.values import DeviceValue, PlacePointer, PointerValue, Value, number
from roofline_analysis.language.type_system import MOST_BYTES
from roofline_analysis.language.types import is_integer
from roofline_analysis.regions.kernel_summary import AccessMode, MemorySpace, Ticket, Work
from roofline_analysis.regions.unseen import UnseenKind
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program.expressions import Call
from roofline_core.program.types import Type

_SWAPS: Final = ("atomicExch", "atomicCAS")
_ONE_BY_ONE: Final = (*_SWAPS, "atomicInc", "atomicDec")
"""Atomics of which those of a warp's lanes are not joined to one."""
_COUNTS: Final = ("atomicAdd", "atomicInc", "atomic_add", "atomic_inc", "atomicSub", "atomicDec")
_BY_ONE: Final = ("atomicInc", "atomic_inc", "atomicDec")
_FROM_ONE_LANE: Final = ("__shfl", "__shfl_sync", "shfl")
_FIXED: Final = (SymbolScope.THREAD, SymbolScope.LAUNCH, SymbolScope.PARAM)
_VOTES: Final = ("_count", "_and", "_or")


def same_pointer(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``thrust::raw_pointer_cast`` and its reverse: the address stays."""
    return args[0] if len(args) == 1 else None


def first(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A function that gives its first argument, such as ``__builtin_expect``."""
    return args[0] if args else None


def load_through(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A load with a cache hint."""
    pointer = args[0] if args else None
    if isinstance(pointer, PointerValue):
        return load(interpreter, pointer)
    if isinstance(pointer, PlacePointer):
        return interpreter.read(pointer.place)
    return None


def store_through(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A store with a cache hint."""
    if len(args) != 2:
        return None
    pointer, value = args
    if isinstance(pointer, PointerValue):
        store(interpreter, pointer, value)
    elif isinstance(pointer, PlacePointer):
        interpreter.write(pointer.place, value)
    else:
        return None
    return number(0, "int")


def copy_bytes(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``memcpy``: its bytes are read and written; what a variable holds then is not known."""
    if len(args) != 3:
        return None
    _move(interpreter, args[1], args[2], AccessMode.READ)
    _move(interpreter, args[0], args[2], AccessMode.WRITE)
    return args[0]


def fill_bytes(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``memset``."""
    if len(args) != 3:
        return None
    _move(interpreter, args[0], args[2], AccessMode.WRITE)
    return args[0]


def _move(
    interpreter: DeviceInterpreter, pointer: DeviceValue, size: DeviceValue, mode: AccessMode
) -> None:
    """One side of a copy of ``size`` bytes."""
    known = size.whole if isinstance(size, Value) else None
    if isinstance(pointer, PointerValue):
        if known is not None and 0 < known <= MOST_BYTES:
            interpreter.costs.touch(pointer, known, mode)
        elif known is None or known > 0:
            interpreter.costs.lose(UnseenKind.ACCESS, pointer.array.name)
        if mode is AccessMode.WRITE:
            interpreter.may_change(pointer.array, others=False)
    elif isinstance(pointer, PlacePointer):
        keep(interpreter, interpreter.read(pointer.place))
        if mode is AccessMode.WRITE:
            type_ = interpreter.place_type(pointer.place)
            bits = interpreter.costs.loop_bits()
            interpreter.write(pointer.place, interpreter.opaque(type_, bits, "", SymbolScope.DATA))


def atomic(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A read-modify-write of memory."""
    if not args:
        return None
    for arg in args[1:]:
        need_value(interpreter, arg)
    target = args[0]
    if isinstance(target, PointerValue):
        type_ = interpreter.types.resolve(target.pointee)
        apart = name.startswith(_ONE_BY_ONE)
        size = interpreter.bytes_of(type_)
        interpreter.costs.touch(target, size, AccessMode.ATOMIC, one_by_one=apart)
        if is_integer(type_.name) and not name.startswith(_SWAPS):
            _elect(interpreter, target)
        if name.startswith("atomicAdd"):
            charge_retries(interpreter, target, type_)
        interpreter.may_change(target.array, others=False)
        given = interpreter.opaque(
            type_, interpreter.costs.loop_bits(), target.array.name, SymbolScope.DATA
        )
        if name.startswith(_COUNTS) and isinstance(given, Value):
            _note_ticket(interpreter, target, given, _step(name, args))
        return given
    return interpreter.opaque(Type("int"), interpreter.costs.loop_bits(), name, SymbolScope.DATA)


def _step(name: str, args: list[DeviceValue]) -> float:
    """How far an atomic counts; 1 where that is not known."""
    amount = args[1] if len(args) > 1 and not name.startswith(_BY_ONE) else None
    known = amount.constant if isinstance(amount, Value) else None
    return abs(float(known)) if known else 1.0


def _note_ticket(
    interpreter: DeviceInterpreter, target: PointerValue, given: Value, step: float
) -> None:
    """Note which executions of an atomic count on one number, if its address tells."""
    place, space = target.offset.expr, target.array.space
    if place is None or given.expr is None or space not in _ELECTION:
        return
    blocks = frozenset(each for each in place.symbols() if each.scope is SymbolScope.THREAD)
    fixed = all(each.scope in _FIXED for each in place.symbols())
    if fixed and all(each.name.startswith("blockIdx.") for each in blocks):
        (symbol,) = given.expr.symbols()
        per_block = space is MemorySpace.SHARED
        region = interpreter.costs.region
        interpreter.handed.tickets[symbol] = Ticket(region, blocks, per_block, step)


_ELECTION: Final = {MemorySpace.GLOBAL: 2.0, MemorySpace.SHARED: 1.0}
"""Integer operations that choose one lane of a warp to change a number for all, by memory space.

Read off machine code of nvcc 13 and clang 18 for sm_86; several such atomics share them."""


def _elect(interpreter: DeviceInterpreter, target: PointerValue) -> None:
    """Charge what compilers put before an atomic of integers whose address all threads share."""
    expr = target.offset.expr
    amount = _ELECTION.get(target.array.space)
    if amount is None or expr is None or target.offset.varies or not is_uniform(expr):
        return
    costs = interpreter.costs
    home = costs.home(0)
    if costs.find("elected", home) is None:
        home.available["elected"] = True
        home.charge(costs.site, Work.INT, amount)


def print_text(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``printf``: its arguments are stored on the stack."""
    for arg in args[1:]:
        need_value(interpreter, arg)
    costs = interpreter.costs
    costs.charge(Work.INT, costs.compiler.printf_int_ops[len(args) > 1])
    return number(0, "int")


def barrier(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A barrier: what other threads stored may be seen behind it.

    ``__syncthreads_count``, ``_and`` and ``_or`` tell what the threads of the block brought to it.
    """
    interpreter.handed.barriers += 1
    interpreter.costs.region.barriers += 1
    interpreter.epochs[MemorySpace.SHARED] = interpreter.epochs.get(MemorySpace.SHARED, 0) + 1
    interpreter.epochs[MemorySpace.GLOBAL] = interpreter.epochs.get(MemorySpace.GLOBAL, 0) + 1
    if name.endswith(_VOTES):
        for arg in args[-1:]:
            need_truth(interpreter, arg)
        return interpreter.opaque(
            Type("int"), interpreter.costs.loop_bits(), name, SymbolScope.DATA
        )
    return number(0, "int")


def nothing(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A call without work of its own."""
    return number(0, "int")


def shuffle(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A value from another lane of the warp: of the same type, else unknown."""
    values = [arg for arg in args if isinstance(arg, Value)]
    masked = name.endswith("_sync") and len(values) > 1
    carried = values[int(masked)] if values else None
    for arg in args:
        need_value(interpreter, arg)
    interpreter.costs.region.exchanges += 1.0
    type_ = carried.type if carried is not None else "int"
    loops = interpreter.costs.loop_bits()
    given = interpreter.opaque(Type(type_), loops, name, SymbolScope.DATA)
    if name in _FROM_ONE_LANE and carried is not None and isinstance(given, Value):
        interpreter.handed.pass_on(carried, given)
    return given


def vote(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A mask or truth value over the lanes of the warp.

    Lanes vote by a predicate, and a truth value is one: only a number that is voted on is compared
    first, and only a result that is used as a number is made one.
    """
    matches = "match" in name
    for arg in args[: None if matches else -1]:
        need_value(interpreter, arg)
    if not matches and args:
        need_truth(interpreter, args[-1])
    interpreter.costs.region.exchanges += 1.0
    truths = not matches and not {"any", "all"}.isdisjoint(name.split("_"))
    outcome, varies = interpreter.fresh(name, SymbolScope.DATA), interpreter.costs.loop_bits()
    if not truths:
        return Value("unsigned int", outcome, varies)
    return Value("int", outcome, varies, ("from bool", (Value("bool", outcome, varies),)))


def need_truth(interpreter: DeviceInterpreter, value: DeviceValue) -> None:
    """Charge the instructions that bring a condition into a predicate."""
    if isinstance(value, Value):
        interpreter.costs.need(truth(interpreter, value))
    else:
        need_value(interpreter, value)
