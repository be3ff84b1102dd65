"""Cooperative groups: blocks, grids and tiles of threads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from roofline_analysis.device.functions.collectives import (
    charge_operations,
    constant_argument,
    steps,
)
from roofline_analysis.device.functions.mathematics import Handler
from roofline_analysis.device.functions.memory import barrier, shuffle, vote
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import need_value, offset_by
from roofline_analysis.device.values import (
    LAUNCH,
    THREAD,
    DeviceValue,
    PointerValue,
    StructValue,
    Value,
    number,
)
from roofline_analysis.regions.kernel_summary import AccessMode
from roofline_core.algebra.operations import truncated
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, apply, constant, from_atom
from roofline_core.program.expressions import Call, Name
from roofline_core.program.types import Type

_CLASSES: Final = {
    "thread_block": "block", "grid_group": "grid", "coalesced_group": "tile",
    "thread_block_tile": "tile", "cluster_group": "cluster", "thread_group": "tile",
    "multi_grid_group": "grid",
}  # fmt: skip
_COPIED_BYTES: Final = 16
"""What a thread copies at a time where the size of a copy is not a multiple of its group's."""
_SHARES: Final = (1, 2, 4, 8, 12, 16, 32)
"""Sizes of elements of which each thread may copy one."""


def linear_thread() -> Expr:
    """The thread's index in its block, of all dimensions."""
    x, y, z = (from_atom(THREAD[f"threadIdx.{axis}"]) for axis in "xyz")
    dx, dy = (from_atom(LAUNCH[f"blockDim.{axis}"]) for axis in "xy")
    return x + dx * (y + dy * z)


def _block_size() -> Expr:
    dx, dy, dz = (from_atom(LAUNCH[f"blockDim.{axis}"]) for axis in "xyz")
    return dx * dy * dz


def _linear_block() -> Expr:
    x, y, z = (from_atom(THREAD[f"blockIdx.{axis}"]) for axis in "xyz")
    dx, dy = (from_atom(LAUNCH[f"gridDim.{axis}"]) for axis in "xy")
    return x + dx * (y + dy * z)


def _blocks() -> Expr:
    x, y, z = (from_atom(LAUNCH[f"gridDim.{axis}"]) for axis in "xyz")
    return x * y * z


def group_of(kind: str) -> Handler:
    """A handler that makes a group: ``block``, ``grid`` or ``tile``."""

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The group with its size in threads.

        The size is the template argument, else the second argument, else that of a warp.
        """
        given = node.callee.template_args if isinstance(node.callee, Name) else None
        size = constant_argument(interpreter, given[0]) if given else None
        if size is None and len(args) > 1 and isinstance(args[1], Value):
            size = truncated(args[1].constant)
        size = max(1, size or interpreter.warp_size)
        made = f"tile {size}" if kind == "tile" else kind
        return StructValue(Type(f"group {made}"), {"size": number(size, "int")})

    return handler


def _group(interpreter: DeviceInterpreter, owner: Type) -> tuple[str, int] | None:
    """A group's kind and, for a tile, its lanes; None for a type that is no group."""
    if owner.name.startswith("group "):
        kind, _, lanes = owner.name.removeprefix("group ").partition(" ")
        return kind, max(1, int(lanes or interpreter.warp_size))
    made = _CLASSES.get(owner.name.rpartition("::")[2])
    if made is None or interpreter.symbols.find_struct(owner.name) is not None:
        return None
    size = constant_argument(interpreter, owner.args[0]) if owner.args else None
    return made, max(1, size or interpreter.warp_size)


def builtin_method(
    interpreter: DeviceInterpreter, name: str, owner: Type, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A method of a cooperative group; None if it is not known."""
    group = _group(interpreter, owner)
    if group is None:
        return None
    kind, tile = group
    if name in ("sync", "barrier_arrive", "barrier_wait", "arrive", "wait"):
        return barrier(interpreter, name, args, node)
    if name.startswith("shfl"):
        return shuffle(interpreter, name, args, node)
    if name in ("any", "all", "ballot", "match_any", "match_all"):
        return vote(interpreter, name, args, node)
    if name == "map_shared_rank" and args:
        return args[0]
    return _index(name, kind, tile) or _extent(name, kind, tile)


def _index(name: str, kind: str, tile: int) -> DeviceValue | None:
    """Where a thread is in its group, and the group among its like."""
    if name == "thread_rank":
        rank = linear_thread()
        if kind == "grid":
            rank = rank + _linear_block() * _block_size()
        elif kind == "tile":
            rank = apply("mod", rank, tile)
        return Value("unsigned int", rank, 0, ("+", (number(0, "int"), number(0, "int"))))
    if name == "thread_index":
        return _triple(f"threadIdx.{axis}" for axis in "xyz")
    if name in ("group_index", "block_index"):
        return _triple(f"blockIdx.{axis}" for axis in "xyz")
    if name == "block_rank":
        return Value("unsigned int", _linear_block(), 0)
    if name == "meta_group_rank":
        return Value("unsigned int", apply("div", linear_thread(), tile), 0)
    return None


def _extent(name: str, kind: str, tile: int) -> DeviceValue | None:
    """How many threads, blocks or groups there are."""
    if name in ("size", "num_threads"):
        if kind == "tile":
            return number(tile, "unsigned int")
        size = _block_size() * _blocks() if kind == "grid" else _block_size()
        return Value("unsigned int", size, 0)
    if name == "meta_group_size":
        groups = apply("div", _block_size() + (tile - 1), tile)
        return Value("unsigned int", groups, 0)
    if name == "num_blocks":
        return Value("unsigned int", _blocks(), 0)
    if name == "is_valid":
        return number(1, "bool")
    if name in ("group_dim", "dim_threads"):
        what = "gridDim" if kind == "grid" else "blockDim"
        return _triple(f"{what}.{axis}" for axis in "xyz")
    if name == "dim_blocks":
        return _triple(f"gridDim.{axis}" for axis in "xyz")
    return None


def _triple(names: Iterable[str]) -> StructValue:
    atoms = [THREAD.get(name) or LAUNCH[name] for name in names]
    fields: dict[str, DeviceValue] = {
        axis: Value("unsigned int", from_atom(atom), 0)
        for axis, atom in zip("xyz", atoms, strict=True)
    }
    return StructValue(Type("dim3"), fields)


# -- free functions on groups


def _of(interpreter: DeviceInterpreter, args: list[DeviceValue]) -> tuple[str, int] | None:
    return _group(interpreter, interpreter.type_of(args[0])) if args else None


def _sync(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``cg::sync(group)``, and waiting for asynchronous copies."""
    return barrier(interpreter, name, args, node) if _of(interpreter, args) is not None else None


def _reduce(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A reduction or prefix sum over a group: a butterfly, or one instruction for integers.

    ``cg::reduce`` of 32-bit integers is ``redux.sync`` from compute capability 8.0 on.
    """
    group = _of(interpreter, args)
    if group is None or len(args) < 2:
        return None
    kind, tile = group
    need_value(interpreter, args[1])
    type_ = interpreter.type_of(args[1])
    lanes = tile if kind == "tile" else interpreter.warp_size
    once = name == "reduce" and type_.name in ("int", "unsigned int") and not type_.pointers
    charge_operations(interpreter, type_, 1 if once else steps(lanes))
    return interpreter.opaque(type_, interpreter.costs.loop_bits(), name, SymbolScope.DATA)


def _memcpy_async(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A copy that the threads of a group share, each with its part of the bytes."""
    group = _of(interpreter, args)
    if group is None or len(args) < 4:
        return None
    kind, tile = group
    target, source, size = args[1], args[2], args[3]
    lanes = constant(tile) if kind == "tile" else _block_size()
    each = _COPIED_BYTES
    if isinstance(size, Value) and size.expr is not None:
        whole = (part for part in _SHARES if size.expr == lanes * part)
        each = next(whole, _COPIED_BYTES)
    rank = linear_thread() if kind != "tile" else apply("mod", linear_thread(), tile)
    for pointer, what in ((source, AccessMode.READ), (target, AccessMode.WRITE)):
        if isinstance(pointer, PointerValue):
            moved = offset_by(interpreter, pointer, Value("int", rank * each, 0), Type("char"))
            interpreter.costs.touch(moved, each, what)
            if what is AccessMode.WRITE:
                interpreter.may_change(pointer.array)
    return number(0, "int")


def _partition(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A group of those threads whose values agree, as large as it can be."""
    group = _of(interpreter, args)
    if group is None:
        return None
    vote(interpreter, name, args[1:], node)
    return StructValue(Type(f"group tile {group[1]}"), {"size": number(group[1], "int")})


GROUP_FUNCTIONS: Final[Mapping[str, Handler]] = {
    "sync": _sync,
    "wait": _sync,
    "wait_prior": _sync,
    "reduce": _reduce,
    "inclusive_scan": _reduce,
    "exclusive_scan": _reduce,
    "memcpy_async": _memcpy_async,
    "binary_partition": _partition,
    "labeled_partition": _partition,
}
"""Functions whose first argument is a group; they are for no other arguments."""
