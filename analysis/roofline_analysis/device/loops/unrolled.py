"""Fully unrolled loops, walked trip by trip.

The counter is a constant in each trip, so conditions on it are decided, indices of local arrays are
constants and common subexpressions of two trips are computed once, as in the machine code. Long
bodies and many trips are left to the symbolic walk, whose time does not depend on the trip count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.device.assigned import BodyFacts, children
from roofline_analysis.device.loops.induction import Step
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_core.algebra.symbolic import Expr
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

_UNROLL_TRIPS: Final = 128
_UNROLL_SIZE: Final = 6000
"""A loop of constant trip count is fully unrolled up to this many trips, and nodes in all.

Assumed, chosen without measurement."""
_COPIES: Final = 4
"""Copies of the body in a partially unrolled loop. Assumed: the table of expansions, measured with
nvcc 13, has loops of 4 copies and, more often, of 16."""
_COPIED_SIZE: Final = 300
"""The number of syntax-tree nodes from which a body is not copied. Assumed, not measured."""
_NODES_OF_A_LOOP: Final = 2500
"""The most syntax-tree nodes walked for all trips of one loop."""
_NODES_OF_A_KERNEL: Final = 40_000
"""The same for all loops of one kernel; both limit the work of an analysis."""
_NODES_OF_A_STATEMENT: Final = 7
"""Nodes counted towards these limits for each statement of an inlined function."""


def affordable(
    interpreter: DeviceInterpreter, parts: Sequence[st.Statement], trips: float, nodes: int
) -> bool:
    """Whether a loop with this many nodes in its body can be walked run by run."""
    total = int(trips * nodes)
    if total > min(_NODES_OF_A_LOOP, _NODES_OF_A_KERNEL - interpreter.unrolled_nodes):
        return False
    if any(leaves(part) for part in parts):
        return False
    interpreter.unrolled_nodes += total
    return True


def unrolls_whole(known: float, facts: Sequence[BodyFacts], unroll: int | None) -> bool:
    """Whether the compiler fully unrolls a loop of this trip count."""
    if unroll == 1:
        return False
    if unroll is not None and (unroll == 0 or unroll >= known):
        return True
    return known <= _UNROLL_TRIPS and known * sum(fact.size for fact in facts) <= _UNROLL_SIZE


def copies_of(trips: Expr | None, step: Step | None, facts: Sequence[BodyFacts]) -> int:
    """Copies of the body that nvcc makes for a loop that it does not fully unroll.

    More than 1 only for an innermost loop that its test alone ends and whose trip count can be
    computed: not with an unsigned step that is known only at run time, as in a grid-stride loop,
    which may wrap around. So nvcc 13 does with constant steps and with signed ones.
    """
    if trips is None or step is None or step.op != "+":
        return 1
    constant_step = isinstance(step.amount.constant, int)
    if step.amount.constant == 0 or (step.wraps and not constant_step):
        return 1
    small = sum(fact.size for fact in facts) < _COPIED_SIZE
    return _COPIES if small and not any(fact.has_loop for fact in facts) else 1


def leaves(node: object) -> bool:
    """Whether a body can end its loop before the test does."""
    if isinstance(node, (st.Break, st.Return, st.Goto)):
        return True
    if isinstance(node, ex.Expression):
        return False
    inner = any(leaves(child) for child in children(node))
    if inner and isinstance(node, (st.Switch, st.For, st.While, st.ForRange)):
        return _returns(node)
    return inner


def _returns(node: object) -> bool:
    if isinstance(node, (st.Return, st.Goto)):
        return True
    return not isinstance(node, ex.Expression) and any(map(_returns, children(node)))


def walk_runs(interpreter: DeviceInterpreter, parts: Sequence[st.Statement], trips: int) -> None:
    """Walk the body once for each trip, with the variables' values of that trip."""
    costs = interpreter.costs
    region = costs.open_guard(())
    region.walked_runs = trips
    before = interpreter.statements
    interpreter.entries.append(interpreter.next_slot)
    for _ in range(trips):
        for part in parts:
            interpreter.execute(part)
    interpreter.entries.pop()
    # Inlined functions were not counted beforehand.
    interpreter.unrolled_nodes += _NODES_OF_A_STATEMENT * (interpreter.statements - before)
    costs.close(region)
    if region.parent is not None:
        # The region is unconditional: its values are available afterwards.
        region.parent.available.update(region.available)
