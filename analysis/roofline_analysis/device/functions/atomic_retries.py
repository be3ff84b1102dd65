"""Floating-point atomics on shared memory: a loop of compare-and-swap in the machine code.

NVIDIA GPUs add integers in shared memory by one instruction. Of floats, each attempt loads, adds
and swaps, and fails where another thread was faster, so that threads that meet at one address add
again and again.
"""

from __future__ import annotations

import math
from typing import Final

from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import LAUNCH, THREAD, PointerValue
from roofline_analysis.regions.conditions import single_apply
from roofline_analysis.regions.kernel_summary import MemorySpace, Work
from roofline_core.algebra.symbol_scopes import DATA_OR_CARRIED, SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, apply, constant, from_atom, make_symbol
from roofline_core.program.types import Type

_NOT_FOLLOWED: Final = (*DATA_OR_CARRIED, SymbolScope.UNKNOWN)
"""Scopes of numbers that may differ from thread to thread in ways the source does not tell."""
_COLUMN: Final = THREAD["threadIdx.x"]
_KINDS: Final = {"float": Work.SP, "double": Work.DP}
_INT_OPS: Final = {"float": 1.0, "double": 2.0}
"""ISETP for each word of the old value."""
_MEETING: Final = 0.62
"""The share of a block's threads that are at the loop at the same time where other blocks run on
the SM, whose warps come between.

With n there, threads add (n + 1) / 2 times each. Fitted to RTX 3080 counters of blocks that add to
one double: 128 threads 64 times where a block is alone on its SM and 43 times where it is not, 256
threads 76 times where it is not.
"""
_ALONE: Final = 64
"""Blocks of a launch up to which each is taken to have an SM for itself, as on most GPUs."""
_PASSING: Final = 0.25
"""Further attempts for each thread of another warp that adds to the same address. Fitted to RTX
3080 counters: blocks of 8 warps whose lanes have addresses of their own make 2.75 attempts."""


def charge_retries(interpreter: DeviceInterpreter, target: PointerValue, type_: Type) -> None:
    """Charge an addition to memory with the attempts it takes; integers and DRAM take none."""
    kind = _KINDS.get(type_.name)
    expr = target.offset.expr
    if kind is None or expr is None or target.array.space is not MemorySpace.SHARED:
        return
    if not interpreter.costs.compiler.swaps_shared_floats:
        return
    trips = _attempts(interpreter, expr)
    costs = interpreter.costs
    if trips is None:
        costs.charge(kind, 1.0)
        costs.charge(Work.INT, _INT_OPS[type_.name])
        return
    loop = costs.open_loop()
    loop.trips = trips
    interpreter.next_fresh += 1
    loop.counter = make_symbol(
        f"attempt#{interpreter.next_fresh}", SymbolScope.LOOP, nonnegative=True
    )
    loop.charge(costs.site, kind, 1.0)
    loop.charge(costs.site, Work.INT, _INT_OPS[type_.name])
    costs.close(loop)


def _attempts(interpreter: DeviceInterpreter, offset: Expr) -> Expr | None:
    """How often a thread adds, by how many of its block share the address; None for once."""
    symbols = offset.symbols()
    if any(symbol.scope in _NOT_FOLLOWED for symbol in symbols):
        return None
    indices = {symbol for symbol in symbols if symbol.name.startswith("threadIdx.")}
    if not indices:
        lanes = _lanes_let_through(interpreter)
        if lanes is None:
            return (_meeting(interpreter.warp_size) + 1) * 0.5
        return (lanes - 1) * _PASSING + 1
    if len(indices) == 1 and (several := _sharing(offset)) is not None:
        return (several - 1) * _PASSING + 1
    return None


def _lanes_let_through(interpreter: DeviceInterpreter) -> Expr | None:
    """Threads of a block under a condition that holds for one lane of a warp; None without one."""
    for region in interpreter.costs.region.ancestors():
        for condition in region.conditions:
            test = single_apply(condition) if condition is not None else None
            if test is None or test.op != "eq":
                continue
            compared = test.args[0] - test.args[0].terms.get((), 0)
            if compared == from_atom(_COLUMN):
                return from_atom(LAUNCH["blockDim.y"]) * from_atom(LAUNCH["blockDim.z"])
            index = single_apply(compared)
            if index is None or index.op != "mod" or _COLUMN not in index.args[0].symbols():
                continue
            every = index.args[1].constant
            if every is not None and every >= interpreter.warp_size:
                return apply("max", apply("fdiv", _product("blockDim"), every), 1)
    return None


def _sharing(offset: Expr) -> Expr | None:
    """Threads of a block at one address of ``index % m`` or ``index & m``; None for others."""
    atoms = [atom for monomial in offset.terms for atom in monomial]
    for atom in atoms:
        if not isinstance(atom, Apply) or atom.op not in ("mod", "and"):
            continue
        known = atom.args[1].constant
        if known is None or known < 1:
            return None
        places = known + 1 if atom.op == "and" else known
        return apply("max", apply("fdiv", _product("blockDim"), places), 1)
    return None


def _meeting(warp: int) -> Expr:
    """Threads of a block that are at one loop at a time: at least a warp, of ``warp`` threads."""
    threads = _product("blockDim")
    shared = apply("lt", constant(_ALONE) - _product("gridDim"))
    there = apply("select", shared, threads * _MEETING, threads)
    return apply("max", there, apply("min", threads, warp))


def _product(name: str) -> Expr:
    return math.prod((from_atom(LAUNCH[f"{name}.{axis}"]) for axis in "xyz"), start=constant(1))
