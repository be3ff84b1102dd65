"""Launches of what several trips of a loop have gathered: their grids grow from trip to trip."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.host.effects.node_effects import effects_of
from roofline_analysis.host.effects.traversal import walk
from roofline_analysis.host.state.havoc import forget_value
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.names import find_variable
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

WHY = "a loop that was not followed to its end counts it up to a launch"


def forget_gathered(interpreter: HostInterpreter, body: st.Statement) -> None:
    """Make unknown what a loop counts up, trip by trip, to the dimensions of a launch.

    So it is where a trip launches only if enough has come together: ``if (blocks == 320)``. In the
    first trip the count is 1, with which such a launch is hardly made.
    """
    for name in sorted(_gathered(interpreter, body)):
        place = find_variable(interpreter, name)
        if place is not None:
            forget_value(interpreter, place, WHY)


def _gathered(interpreter: HostInterpreter, body: st.Statement) -> set[str]:
    effects = interpreter.reach.effects(body)
    changed = effects.names | effects.declared
    found: set[str] = set()
    for launch in _conditional_launches(body, changed):
        for dimension in (launch.grid, launch.block):
            found |= effects_of(dimension).mentions
    return found & set(_counted(body)) - effects.declared


def _conditional_launches(body: st.Statement, changed: set[str]) -> Iterator[ex.Launch]:
    """The launches on conditions that depend on what the loop changes."""
    for node in walk(body):
        if isinstance(node, st.If) and not changed.isdisjoint(effects_of(node.condition).mentions):
            yield from (each for each in walk(node) if isinstance(each, ex.Launch))


def _counted(body: st.Statement) -> Iterator[str]:
    """The variables that a loop's body counts up."""
    for node in walk(body):
        if isinstance(node, ex.Update) or (isinstance(node, ex.Assign) and node.op == "+="):
            if isinstance(node.target, ex.Name):
                yield node.target.name
