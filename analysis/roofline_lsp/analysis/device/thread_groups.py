"""Cooperative groups: blocks, grids and tiles of threads."""

from __future__ import annotations

from roofline_lsp.analysis.device.math_functions import Handler
from roofline_lsp.analysis.device.memory_functions import barrier, shuffle
from roofline_lsp.analysis.device.values import (
    LAUNCH,
    THREAD,
    DeviceValue,
    StructValue,
    Value,
    number,
)
from roofline_lsp.analysis.device.walker import Walker
from roofline_lsp.kernel.expressions import Call, Name
from roofline_lsp.kernel.symbolic import Expr, apply, from_atom
from roofline_lsp.kernel.types import Type


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


def group_of(kind: str) -> Handler:
    """A handler that makes a group: ``block``, ``grid`` or ``tile``."""

    def handler(
        walker: Walker, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        size = walker.warp_size
        template_args = node.callee.template_args if isinstance(node.callee, Name) else None
        if template_args:
            (first, *_) = template_args
            if not isinstance(first, Type):
                known = walker.evaluate(first)
                if isinstance(known, Value) and known.constant is not None:
                    size = int(known.constant)
            else:
                held = walker.constants.get(first.name)
                if isinstance(held, Value) and held.constant is not None:
                    size = int(held.constant)
        elif len(args) > 1 and isinstance(args[1], Value) and args[1].constant is not None:
            size = int(args[1].constant)
        made = f"tile {size}" if kind == "tile" else kind
        return StructValue(Type(f"group {made}"), {"size": number(size, "int")})

    return handler


def builtin_method(
    walker: Walker, name: str, owner: Type, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A method of a cooperative group, or of a library's class; None if it is not known."""
    if not owner.name.startswith("group "):
        return None
    kind, _, lanes = owner.name.removeprefix("group ").partition(" ")
    tile = max(1, int(lanes or walker.warp_size))
    if name in ("sync", "barrier_arrive", "barrier_wait"):
        return barrier(walker, name, args, node)
    if name in ("thread_rank", "thread_index"):
        rank = linear_thread()
        if kind == "grid":
            rank = rank + _linear_block() * _block_size()
        elif kind == "tile":
            rank = apply("mod", rank, tile)
        return Value("unsigned int", rank, 0, ("+", (number(0, "int"), number(0, "int"))))
    if name in ("size", "num_threads"):
        return number(tile, "unsigned int") if kind == "tile" else _group_size(kind)
    if name in ("group_index", "block_rank"):
        return Value("unsigned int", _linear_block(), 0)
    if name == "meta_group_rank":
        return Value("unsigned int", apply("div", linear_thread(), tile), 0)
    if name.startswith("shfl") or name in ("any", "all", "ballot", "match_any"):
        return shuffle(walker, name, args, node)
    return None


def _group_size(kind: str) -> Value:
    size = _block_size()
    if kind == "grid":
        for axis in "xyz":
            size = size * from_atom(LAUNCH[f"gridDim.{axis}"])
    return Value("unsigned int", size, 0)
