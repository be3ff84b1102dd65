"""Which kernel a handle holds, read from the source where the execution did not set it.

A launch may be reached only by executing the function around it alone; handles made elsewhere are
then empty. The program's text still says what is assigned to a handle of that name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.effects.reach import runs_on_host
from roofline_analysis.host.effects.traversal import Node, parts_of, walk
from roofline_analysis.host.libraries.opencl.objects import (
    KernelObject,
    kernel_of,
    kernels_named,
)
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.values import OpaqueValue, Value
from roofline_analysis.language.symbols import last_component
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.by_function import by_function
from roofline_core.program.units import Function

_KEY: Final = "kernels assigned to handles"
_OBJECTS: Final = "kernels of handles that were not set"
_MOST_IN_PLACE: Final = 16
"""The most kernels that one variable is taken to hold. A limit on the work."""


def kernel_behind(interpreter: HostInterpreter, value: Value | None) -> KernelObject | None:
    """The kernels that a handle may refer to; those assigned to one of its name if it was not set.

    ``context->kernel_scale`` is not set where the function around it is executed by itself. Of
    ``kernel = half ? context->scale_half : context->scale`` nobody knows which it is: the kernel
    has the functions of both, if they take as many arguments.
    """
    found = kernel_of(interpreter, value)
    if found is not None or not isinstance(value, OpaqueValue):
        return found
    handle = last_component(value.name).rpartition(".")[2]
    functions = _kernels_in_place_of(interpreter, handle)
    if not functions:
        return None
    objects: dict[Function, KernelObject] = interpreter.parsed_options.setdefault(_OBJECTS, {})
    first = functions[0]
    if first not in objects:
        objects[first] = KernelObject(first.name, BufferSpace.HOST, kind="kernel", by_name=True)
    objects[first].functions = tuple(functions)
    return objects[first]


def _kernels_in_place_of(interpreter: HostInterpreter, handle: str) -> list[Function]:
    """The kernel of a handle, and those of the handles of which it is one, as the frames tell."""
    handles = [handle]
    for frame in reversed(interpreter.frames):
        groups = _held(frame.function) if frame.function is not None else ()
        among = [name for group in groups if handle in group for name in group]
        if among:
            handles += among
            break
    kernels = (_only_kernel(interpreter, each) for each in dict.fromkeys(handles))
    found = [kernel for kernel in kernels if kernel is not None]
    alike = [kernel for kernel in found if len(kernel.params) == len(found[0].params)]
    return alike[:_MOST_IN_PLACE]


@by_function
def _held(function: Function) -> tuple[tuple[str, ...], ...]:
    """For each variable of a function: the last names of what is assigned to it."""
    everything: list[dict[str, None]] = []
    waiting: list[tuple[Node, dict[str, dict[str, None]]]] = []
    if function.body is not None:
        waiting.append((function.body, {}))
    while waiting:
        node, scope = waiting.pop()
        if isinstance(node, st.Statement) and not isinstance(node, st.Declare):
            scope = dict(scope)
        elif isinstance(node, st.Variable):
            scope[node.name] = _chosen_among(node.init)
            everything.append(scope[node.name])
        elif isinstance(node, ex.Assign) and isinstance(node.target, ex.Name):
            scope.get(node.target.name, {}).update(_chosen_among(node.value))
        waiting += [(part, scope) for part in reversed(parts_of(node))]
    return tuple(tuple(names) for names in everything if len(names) > 1)


def _chosen_among(value: ex.Expression | None) -> dict[str, None]:
    """The last names of a value, or of all that a condition chooses from."""
    found: dict[str, None] = {}
    choices = [] if value is None else [value]
    while choices:
        choice = choices.pop()
        if isinstance(choice, ex.Conditional):
            choices += [choice.otherwise, choice.then]
        elif isinstance(choice, (ex.Name, ex.Member)) and (last := _last_name(choice)):
            found[last] = None
    return found


def handles_of(interpreter: HostInterpreter, kernels: Collection[str]) -> set[str]:
    """The last names of handles to which one of these kernels, and no other, is assigned."""
    assigned = _assigned(interpreter).items()
    return {
        handle for handle, names in assigned if len(names) == 1 and not names.isdisjoint(kernels)
    }


def assigned_kernel(interpreter: HostInterpreter, site: ex.Expression) -> Function | None:
    """The one kernel ever assigned to the handle that a launch names; None if there is no such."""
    if not isinstance(site, ex.Call):
        return None
    callee = last_component(site.callee.name) if isinstance(site.callee, ex.Name) else ""
    position = 1 if callee.startswith("cl") else 0
    handle = _last_name(site.args[position]) if len(site.args) > position else None
    return _only_kernel(interpreter, handle) if handle is not None else None


def _only_kernel(interpreter: HostInterpreter, handle: str) -> Function | None:
    """The one kernel ever assigned to a handle of that last name."""
    names = _assigned(interpreter).get(handle, set())
    return kernels_named(interpreter, next(iter(names)))[0] if len(names) == 1 else None


def _assigned(interpreter: HostInterpreter) -> dict[str, set[str]]:
    """Names of kernels by the last name of the handle that they are assigned to."""
    known = interpreter.parsed_options.get(_KEY)
    if known is None:
        known = interpreter.parsed_options[_KEY] = {}
        for function in interpreter.symbols.all_functions:
            if runs_on_host(function) and function.body is not None:
                for handle, name in _assigned_texts(function):
                    if kernels_named(interpreter, name):
                        known.setdefault(handle, set()).add(name)
    found: dict[str, set[str]] = known
    return found


@by_function
def _assigned_texts(function: Function) -> tuple[tuple[str, str], ...]:
    """The last names of what a function assigns to, with each string among what is assigned."""
    return tuple(_assignments(function))


def _assignments(function: Function) -> Iterator[tuple[str, str]]:
    for node in walk(function.body):
        if isinstance(node, ex.Assign):
            target = _last_name(node.target)
            values: tuple[ex.Expression, ...] = (node.value,)
        elif isinstance(node, st.Variable):
            target = node.name
            values = (node.init,) if node.init is not None else node.ctor_args or ()
        else:
            continue
        if target is not None:
            yield from ((target, text) for value in values for text in _texts(value))
    for field, args in function.initializers:
        yield from ((field, text) for value in args for text in _texts(value))


def _texts(value: Node) -> Iterator[str]:
    """The strings in an expression."""
    for part in walk(value):
        if isinstance(part, ex.Literal) and isinstance(part.value, str):
            yield part.value


def _last_name(node: ex.Expression) -> str | None:
    while True:
        if isinstance(node, ex.Name):
            return last_component(node.name)
        if isinstance(node, ex.Member):
            return node.name
        if isinstance(node, ex.Index):
            node = node.base
        elif isinstance(node, (ex.Unary, ex.Cast)):
            node = node.operand
        else:
            return None
