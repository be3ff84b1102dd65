"""Which kernel a handle holds, read from the source where the execution did not set it.

A launch may be reached only by executing the function around it alone; handles made elsewhere are
then empty. The program's text still says what is assigned to a handle of that name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from roofline_analysis.host.effects.reach import runs_on_host
from roofline_analysis.host.effects.traversal import Node, walk
from roofline_analysis.host.libraries.opencl.objects import kernels_named
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.language.symbols import last_component
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.by_function import by_function
from roofline_core.program.units import Function

_KEY: Final = "kernels assigned to handles"


def assigned_kernel(interpreter: HostInterpreter, site: ex.Expression) -> Function | None:
    """The one kernel ever assigned to the handle that a launch names; None if there is no such."""
    if not isinstance(site, ex.Call):
        return None
    callee = last_component(site.callee.name) if isinstance(site.callee, ex.Name) else ""
    position = 1 if callee.startswith("cl") else 0
    handle = _last_name(site.args[position]) if len(site.args) > position else None
    names = _assigned(interpreter).get(handle, set()) if handle is not None else set()
    if len(names) != 1:
        return None
    return kernels_named(interpreter, next(iter(names)))[0]


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
