"""OpenCL's functions that touch memory: vector loads and stores, copies, atomics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from roofline_analysis.device.functions import memory as common
from roofline_analysis.device.functions.mathematics import Handler
from roofline_analysis.device.functions.opencl.indices import local_linear_id, work_group_size
from roofline_analysis.device.state.arithmetic import binary, convert
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import load, need_value, offset_by, store
from roofline_analysis.device.state.vectors import build
from roofline_analysis.device.values import (
    DeviceValue,
    MemoryPlace,
    PlacePointer,
    PointerValue,
    StructValue,
    Value,
    number,
)
from roofline_analysis.language.opencl_types import WIDTHS, vector_type
from roofline_analysis.regions.kernel_summary import AccessMode, MemorySpace
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import apply, from_atom, make_symbol
from roofline_core.program.expressions import Call

_ROUNDINGS: Final = ("", "_rte", "_rtz", "_rtp", "_rtn")


# -- vector loads and stores


def _element(interpreter: DeviceInterpreter, pointer: PointerValue, half: bool) -> str:
    return "half" if half else interpreter.types.resolve(pointer.pointee).name


def _group(
    interpreter: DeviceInterpreter,
    pointer: PointerValue,
    index: DeviceValue,
    element: str,
    width: int,
) -> list[PointerValue]:
    """The addresses of the elements that ``vload`` and ``vstore`` move."""
    number_of = index if isinstance(index, Value) else number(0, "int")
    start = binary(interpreter, "*", number_of, number(width, number_of.type))
    type_ = vector_type(element, 1)
    first = offset_by(interpreter, pointer, start, type_)
    return [offset_by(interpreter, first, number(i, "int"), type_) for i in range(width)]


def _vload(width: int, *, half: bool = False, aligned: bool = False) -> Handler:
    """``vload4(i, p)``: elements that are aligned as one only, so a load for each.

    ``vloada_half3`` counts in fours.
    """

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """Load the elements, halves as ``float``; a private array's by its own rules."""
        if len(args) != 2 or not isinstance(args[1], PointerValue):
            return _private_vector(interpreter, width, args)
        pointer = args[1]
        element = _element(interpreter, pointer, half)
        spread = 4 if aligned and width == 3 else width
        places = _group(interpreter, pointer, args[0], element, spread)[:width]
        values = [load(interpreter, place) for place in places]
        if half:
            values = [convert(interpreter, v, "float") for v in values if isinstance(v, Value)]
        result_type = vector_type("float" if half else element, width)
        return values[0] if width == 1 else build(interpreter, result_type, values)

    return handler


def _private_vector(
    interpreter: DeviceInterpreter, width: int, args: list[DeviceValue]
) -> DeviceValue | None:
    """A load from an array in registers."""
    pointer = args[1] if len(args) == 2 else None
    if not isinstance(pointer, PlacePointer):
        return None
    element = interpreter.types.resolve(pointer.pointee).name
    return interpreter.opaque(vector_type(element, width), interpreter.costs.loop_bits(), "vector")


def _vstore(width: int, *, half: bool = False, aligned: bool = False) -> Handler:
    """``vstore4(v, i, p)``."""

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """Store the elements, converted; nothing where the pointer is not known."""
        if len(args) != 3 or not isinstance(args[2], PointerValue):
            return number(0, "int")
        value, pointer = args[0], args[2]
        element = _element(interpreter, pointer, half)
        spread = 4 if aligned and width == 3 else width
        places = _group(interpreter, pointer, args[1], element, spread)[:width]
        values = list(value.fields.values()) if isinstance(value, StructValue) else [value]
        for place, part in zip(places, values, strict=False):
            stored = convert(interpreter, part, element) if isinstance(part, Value) else part
            store(interpreter, place, stored)
        return number(0, "int")

    return handler


# -- copies by a whole work-group


def _copy(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``async_work_group_copy``: the work-items share out the elements."""
    strided = "strided" in name
    if len(args) < 3 or not isinstance(args[2], Value):
        return number(0, "int")
    target, source, count = args[0], args[1], args[2]
    stride = args[3] if strided and len(args) > 3 and isinstance(args[3], Value) else None
    if not isinstance(target, PointerValue) or not isinstance(source, PointerValue):
        return number(0, "int")
    size = work_group_size(interpreter)
    interpreter.costs.need(count)
    loop = interpreter.costs.open_loop()
    interpreter.next_fresh += 1
    loop.counter = make_symbol(f"trip#{interpreter.next_fresh}", SymbolScope.LOOP, nonnegative=True)
    if count.expr is not None:
        loop.trips = apply("div", count.expr + size - 1, size)
    index = Value("long", from_atom(loop.counter) * size + local_linear_id(interpreter), loop.bit)
    rest = None
    if count.expr is not None and index.expr is not None:
        rest = apply("lt", index.expr - count.expr)
    guard = interpreter.costs.open_guard((rest,))
    moved = [index, index]
    if stride is not None:
        moved[int(target.array.space is MemorySpace.SHARED)] = binary(
            interpreter, "*", index, stride
        )
    store(
        interpreter,
        offset_by(interpreter, target, moved[0]),
        load(interpreter, offset_by(interpreter, source, moved[1])),
    )
    interpreter.costs.close(guard)
    interpreter.costs.close(loop)
    return number(0, "int")


# -- atomics


def _atomic_load(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    pointer = args[0] if args else None
    if not isinstance(pointer, PointerValue):
        return None
    type_ = interpreter.types.resolve(pointer.pointee)
    interpreter.costs.touch(pointer, interpreter.bytes_of(type_), AccessMode.READ)
    return interpreter.opaque(
        type_, interpreter.costs.loop_bits(), pointer.array.name, SymbolScope.DATA
    )


def _atomic_store(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    if len(args) >= 2 and isinstance(args[0], PointerValue):
        store(interpreter, args[0], args[1])
    return number(0, "int")


def _compare_exchange(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """What was there is written through the second pointer; true if it was as expected."""
    values = [arg for arg in args[1:] if isinstance(arg, Value)]
    old = common.atomic(interpreter, name, [*args[:1], *values], node)
    expected = args[1] if len(args) > 1 else None
    if isinstance(expected, PlacePointer) and old is not None:
        interpreter.write(expected.place, old)
    elif isinstance(expected, PointerValue) and old is not None:
        interpreter.write(MemoryPlace(expected), old)
    return Value("bool", None, interpreter.costs.loop_bits())


def _wait(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``wait_group_events``: what was copied can be read behind it."""
    return common.barrier(interpreter, name, args, node)


def _prefetch(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    for arg in args:
        need_value(interpreter, arg)
    return number(0, "int")


def _entries() -> Iterator[tuple[str, Handler]]:
    for width in WIDTHS:
        yield f"vload{width}", _vload(width)
        yield f"vstore{width}", _vstore(width)
    for width in (1, *WIDTHS):
        suffix = "" if width == 1 else str(width)
        yield f"vload_half{suffix}", _vload(width, half=True)
        yield f"vloada_half{suffix}", _vload(width, half=True, aligned=True)
        for rounding in _ROUNDINGS:
            yield f"vstore_half{suffix}{rounding}", _vstore(width, half=True)
            yield f"vstorea_half{suffix}{rounding}", _vstore(width, half=True, aligned=True)
    old = "add sub xchg inc dec cmpxchg min max and or xor".split()
    yield from ((f"{kind}_{op}", common.atomic) for kind in ("atomic", "atom") for op in old)
    new = {
        **{f"fetch_{op}": common.atomic for op in "add sub or xor and min max".split()},
        "exchange": common.atomic,
        "flag_test_and_set": common.atomic,
        "flag_clear": common.atomic,
        "load": _atomic_load,
        "store": _atomic_store,
        "compare_exchange_strong": _compare_exchange,
        "compare_exchange_weak": _compare_exchange,
    }
    for name, handler in new.items():
        yield f"atomic_{name}", handler
        yield f"atomic_{name}_explicit", handler


MEMORY: Final[Mapping[str, Handler]] = {
    **dict(_entries()),
    "atomic_init": _atomic_store,
    "async_work_group_copy": _copy,
    "async_work_group_strided_copy": _copy,
    "wait_group_events": _wait,
    "prefetch": _prefetch,
    **dict.fromkeys(("barrier", "work_group_barrier"), common.barrier),
    **dict.fromkeys(
        (
            "mem_fence read_mem_fence write_mem_fence atomic_work_item_fence sub_group_barrier"
            " printf retain_event release_event"
        ).split(),
        common.nothing,
    ),
}
"""OpenCL C 3.0, sections 6.15.7 to 6.15.12."""
