"""Launches that kernels make themselves (dynamic parallelism).

The body of such a kernel is executed like a host function, once for each of its launches, with
unknown ``threadIdx`` and ``blockIdx``. Values that are equal for all threads are then known to the
launches inside; all others are named unknowns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from roofline_analysis.host.effects.node_effects import function_effects
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import AUTO, Cell, HostPlace
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.state.threads import KernelThreads
from roofline_analysis.host.values import Aggregate, LaunchContext, Scalar, Value
from roofline_analysis.language.symbols import last_component
from roofline_core.algebra.symbolic import Expr, Symbol
from roofline_core.program.types import Type
from roofline_core.program.units import Function

_MAX_PARENTS: Final = 64
"""The most launches whose kernels are executed to find launches inside."""
_STATEMENTS: Final = 5_000
"""The most statements executed for one such kernel."""

Protected = Callable[
    [HostInterpreter, Function, "list[HostPlace]", "dict[str, Type | Expr]", "Aggregate | None"],
    None,
]
Standalone = Callable[[HostInterpreter, Function, "dict[str, Type | Expr]"], None]


def follow_device_launches(
    interpreter: HostInterpreter, run: Protected, run_alone: Standalone
) -> None:
    """Add the launches that kernels make, those of kernels launched so included.

    ``run`` executes a function with arguments, ``run_alone`` one that nothing calls.
    """
    launching = _launching(interpreter)
    if not launching:
        return
    interpreter.reach.launching.update(launching)
    parents = [f for f in interpreter.symbols.all_functions if f.is_kernel and f.has_body]
    parents = [f for f in parents if not launching.isdisjoint({f.name})]
    done = 0
    while done < min(len(interpreter.launches), _MAX_PARENTS):
        context = list(interpreter.launches.values())[done]
        done += 1
        if context.kernel in parents:
            _follow(interpreter, context, run)
    launched = [context.kernel for context in interpreter.launches.values()]
    for kernel in parents:
        if kernel not in launched:
            _extend(interpreter)
            interpreter.threads = _threads(interpreter, None)
            run_alone(interpreter, kernel, {})
            interpreter.threads = None


def _launching(interpreter: HostInterpreter) -> set[str]:
    """Names of kernels and device functions that lead to a launch."""
    found = {f.name for f in interpreter.symbols.all_functions if f.launches}
    if not found:
        return found
    device = [
        f
        for f in interpreter.symbols.all_functions
        if f.qualifiers & {"__global__", "__device__"} and f.body
    ]
    grown = True
    while grown:
        grown = False
        for function in device:
            if function.name in found:
                continue
            mentions = {last_component(n) for n in function_effects(function).mentions}
            if not mentions.isdisjoint(found):
                found.add(function.name)
                grown = True
    return found


def _extend(interpreter: HostInterpreter) -> None:
    budget = max(interpreter.options.statement_budget, interpreter.steps + _STATEMENTS)
    interpreter.options = replace(interpreter.options, statement_budget=budget)
    interpreter.limit = interpreter.steps + _STATEMENTS


def _follow(interpreter: HostInterpreter, context: LaunchContext, run: Protected) -> None:
    _extend(interpreter)
    interpreter.threads = _threads(interpreter, context)
    args: list[HostPlace] = [
        Cell(formal.name, AUTO, value)
        for formal, value in zip(context.kernel.params, context.args, strict=False)
    ]
    run(interpreter, context.kernel, args, dict(context.template_bindings), None)
    interpreter.threads = None


def _threads(interpreter: HostInterpreter, context: LaunchContext | None) -> KernelThreads:
    thread = _indices(interpreter, "threadIdx", "it differs between the threads of a block")
    block = _indices(interpreter, "blockIdx", "it differs between blocks")
    _dimensions(interpreter, "blockDim", context.block if context is not None else None)
    _dimensions(interpreter, "gridDim", context.grid if context is not None else None)
    interpreter.builtins["warpSize"] = Cell("warpSize", Type("int"), integer(32))
    return KernelThreads(context, thread, block, base_doubt=0 if context is not None else 1)


def _indices(interpreter: HostInterpreter, name: str, why: str) -> tuple[Symbol, Symbol, Symbol]:
    fields: dict[str, Value] = {}
    symbols: list[Symbol] = []
    for axis in "xyz":
        made = interpreter.unknown(f"{name}.{axis}", why, "unsigned int", assumed=0)
        fields[axis] = made
        symbols += made.value.symbols()
    interpreter.builtins[name] = Cell(name, Type("uint3"), Aggregate(Type("uint3"), fields))
    x, y, z = symbols
    return x, y, z


def _dimensions(
    interpreter: HostInterpreter, name: str, extents: tuple[Expr, Expr, Expr] | None
) -> None:
    fields: dict[str, Value] = {}
    for position, axis in enumerate("xyz"):
        if extents is not None:
            fields[axis] = Scalar(extents[position], "unsigned int")
        else:
            assumed = 128 if axis == "x" else 1
            why = "no launch of the kernel around it was found"
            fields[axis] = interpreter.unknown(
                f"{name}.{axis}", why, "unsigned int", assumed=assumed
            )
    interpreter.builtins[name] = Cell(name, Type("dim3"), Aggregate(Type("dim3"), fields))
