"""What a loop counts up, trip by trip, to the dimensions of a launch that not each trip makes."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.host.effects.node_effects import Effects, effects_of
from roofline_analysis.host.effects.traversal import walk
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st


def gathered(body: st.Statement, effects: Effects) -> set[str]:
    """The variables that a loop's body, of these effects, counts up to such a launch."""
    changed = effects.names | effects.declared
    found: set[str] = set()
    for launch in _conditional_launches(body, changed):
        for dimension in (launch.grid, launch.block):
            found |= effects_of(dimension).mentions
    return found & set(_counted(body)) - effects.declared if found else found


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
