"""Loops that read files: how far they are followed, and what is unknown where they are not."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.effects.node_effects import Effects
from roofline_analysis.host.effects.reach import READING_CALLS
from roofline_analysis.host.effects.traversal import walk
from roofline_analysis.host.state.havoc import forget_reachable, forget_value
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import Storage
from roofline_analysis.host.state.names import find_variable
from roofline_analysis.host.state.open_file import file_of
from roofline_analysis.host.state.open_files import cursor_of, lose_all
from roofline_analysis.host.values import Aggregate, Pointer, Scalar, Text
from roofline_analysis.language.symbols import last_component
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

_MOST_NAMED: Final = 2
"""The most files that one reason names."""

Loop = st.For | st.While | st.ForRange


def reading_budget(interpreter: HostInterpreter, node: Loop) -> int:
    """The statements that a loop may execute because it reads a known file; 0 for others."""
    known = any(cursor_of(opened) is not None for opened in interpreter.reading.open_files)
    return interpreter.reading.left if known and interpreter.reach.may_read(node) else 0


def why_assigned(interpreter: HostInterpreter, node: Loop) -> str:
    """Why a variable is not known that a loop assigns."""
    files = interpreter.reading.open_files
    if not files or not interpreter.reach.may_read(node):
        return "a loop that was not followed to its end assigns it"
    missing = dict.fromkeys(opened.source for opened in files if opened.file.missing)
    if missing:
        return f"a loop that depends on {' and on '.join([*missing][:_MOST_NAMED])} assigns it"
    names = ", ".join([*dict.fromkeys(opened.name for opened in files)][:_MOST_NAMED])
    return f"a loop that reads {names} is too long to be followed to its end, and assigns it"


def forget_position(interpreter: HostInterpreter, node: Loop) -> None:
    """A loop that may read leaves files at places that are not known."""
    if interpreter.reading.open_files and interpreter.reach.may_read(node):
        lose_all(interpreter, "behind a loop that is too long to be followed")


def forget_what_is_read(interpreter: HostInterpreter, effects: Effects) -> None:
    """Make unknown what the reading calls of a loop fill, which is not assigned by name."""
    for call in effects.calls:
        callee = call.callee
        name = callee.name if isinstance(callee, (ex.Name, ex.Member)) else ""
        if last_component(name) in READING_CALLS:
            for argument in call.args:
                _forget_filled(interpreter, argument, effects, isinstance(callee, ex.Member))


def _forget_filled(
    interpreter: HostInterpreter, argument: ex.Expression, effects: Effects, method: bool
) -> None:
    for node in walk(argument):
        if not isinstance(node, ex.Name) or node.name in effects.declared:
            continue
        place = find_variable(interpreter, node.name)
        value = place.get() if place is not None else None
        if place is None or file_of(value) is not None:
            continue
        if isinstance(value, Text) or (method and isinstance(value, Scalar) and node is argument):
            forget_value(interpreter, place, "a loop that was not followed to its end reads it")
        elif isinstance(value, (Pointer, Storage, Aggregate)):
            forget_reachable(interpreter, value)
