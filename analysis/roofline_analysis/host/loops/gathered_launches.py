"""Launches of what several trips of a loop have gathered: their grids grow from trip to trip."""

from __future__ import annotations

from roofline_analysis.host.state.havoc import forget_value
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.names import find_variable
from roofline_core.program import statements as st

WHY = "a loop that was not followed to its end counts it up to a launch"


def forget_gathered(interpreter: HostInterpreter, body: st.Statement) -> None:
    """Make unknown what a loop counts up, trip by trip, to the dimensions of a launch.

    So it is where a trip launches only if enough has come together: ``if (blocks == 320)``. In the
    first trip the count is 1, with which such a launch is hardly made.
    """
    for name in interpreter.reach.gathered(body):
        place = find_variable(interpreter, name)
        if place is not None:
            forget_value(interpreter, place, WHY)
