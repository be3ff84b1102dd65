"""The template numbers of a function of which it makes classes: ``Traits<T, N>`` needs its ``N``.

A number that only stands in sums may stay a symbol until a launch is judged. The members of a class
are known only with the numbers that it is made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline_analysis.host.effects.traversal import Node, walk
from roofline_analysis.language.conversion_ranks import mentions
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.by_function import by_function
from roofline_core.program.types import Type
from roofline_core.program.units import Function


@by_function
def class_numbers(function: Function) -> frozenset[str]:
    """The names of the function's own template numbers that are arguments of classes in it."""
    own = [p.name for p in function.template_params if p.type is not None and not p.pack]
    if not own:
        return frozenset()
    nodes = list(walk(function.body))
    classes = [each for node in nodes for each in _classes(node)]
    constants = [each for each in nodes if isinstance(each, st.Variable) and _is_constant(each)]
    constants.sort(key=lambda each: each.line)
    return frozenset(
        name for name in own if any(mentions(each, _made_of(name, constants)) for each in classes)
    )


def _is_constant(variable: st.Variable) -> bool:
    return "constexpr" in variable.qualifiers or variable.type.const


def _made_of(name: str, constants: Sequence[st.Variable]) -> set[str]:
    """A number and the constants that are computed of it; ``constants`` are in the body's order."""
    found = {name}
    for variable in constants:
        if any(isinstance(n, ex.Name) and n.name in found for n in walk(variable.init)):
            found.add(variable.name)
    return found


def _classes(node: Node) -> Iterator[Type]:
    """The class templates with arguments that a node names."""
    if isinstance(node, st.Variable):
        if node.type.args:
            yield node.type
    elif isinstance(node, ex.Name):
        if node.scope_args:
            yield Type(node.name, node.scope_args)
        for argument in node.template_args or ():
            if isinstance(argument, Type) and argument.args:
                yield argument
