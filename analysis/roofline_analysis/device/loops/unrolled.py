"""Fully unrolled loops, walked trip by trip.

The counter is a constant in each trip, so conditions on it are decided, indices of local arrays are
constants and common subexpressions of two trips are computed once, as in the machine code. Long
bodies and many trips are left to the symbolic walk, whose time does not depend on the trip count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from roofline_analysis.device.assigned import BodyFacts, children
from roofline_analysis.device.costs.compilers import CompilerProfile
from roofline_analysis.device.costs.expansions import function_cost
from roofline_analysis.device.costs.integer_costs import is_uniform
from roofline_analysis.device.loops.induction import Step
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_core.algebra.symbolic import Expr
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

_UNROLL_TRIPS: Final = 128
"""The most trips of a loop of constant trip count that is fully unrolled. Assumed, not measured."""
COPIES: Final = 4
"""Copies of the body that the compiler makes in a partially unrolled loop."""
COPIES_OF_ALL: Final = 16
"""Copies with those that the assembler makes, where they have no branches. Both numbers were read
off loops compiled for sm_86: nvcc 13 and clang 18 with ptxas 12 and 13 agree."""
_FEW_TRIPS: Final = 8
"""A loop to a literal as small is unrolled; the loop around it is the innermost. Assumed."""
_MEETING: Final = re.compile(r"_sync$|^__syncthreads|^__syncwarp$|^sync$|^shfl|^__shfl|^barrier$")
_COPIED_SIZE: Final = 300
"""The number of syntax-tree nodes from which clang does not copy a body. Assumed, not measured."""
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


def unrolls_whole(
    known: float,
    facts: Sequence[BodyFacts],
    unroll: int | None,
    compiler: CompilerProfile,
    plain: float | None,
) -> bool:
    """Whether the compiler fully unrolls a loop of this trip count.

    ``plain``: the instructions of a trip, where these are known.
    """
    if unroll == 1:
        return False
    if unroll is not None and (unroll == 0 or unroll >= known):
        return True
    limit = compiler.plain_instructions
    if plain and limit is not None:
        return known * plain <= limit
    nodes = known * sum(fact.size for fact in facts)
    return known <= _UNROLL_TRIPS and nodes <= compiler.unrolled_nodes


def copies_of(
    trips: Expr | None,
    step: Step | None,
    parts: Sequence[st.Statement],
    facts: Sequence[BodyFacts],
    compiler: CompilerProfile,
) -> int:
    """Copies of the body in the machine code of a loop that is not fully unrolled.

    More than 1 only for an innermost loop that its test alone ends and whose trip count can be
    computed: not with an unsigned step that is known only at run time, as in a grid-stride loop,
    which may wrap around, nor with one of 64 bits.
    """
    if trips is None or step is None or step.op != "+":
        return 1
    constant_step = isinstance(step.amount.constant, int)
    if step.amount.constant == 0:
        return 1
    if not constant_step and (step.wraps or step.wide or not compiler.unrolls_unknown_steps):
        return 1
    small = compiler.limits_copies or sum(fact.size for fact in facts) < _COPIED_SIZE
    if not small or (any(fact.has_loop for fact in facts) and any(map(_stays_rolled, parts))):
        return 1
    by_one = (
        step.wide
        or not constant_step
        or (not compiler.unrolls_divergent and not is_uniform(trips))
        or (not compiler.unrolls_convergent and any(map(_meets, parts)))
        or any(map(_branches, parts))
    )
    if by_one:
        return COPIES  # Either the compiler's or the assembler's.
    return compiler.copies_of_known if trips.constant is not None else COPIES_OF_ALL


def _stays_rolled(node: object) -> bool:
    """Whether a body has a loop other than those that a few trips, by their text, unroll whole."""
    if isinstance(node, (st.While, st.ForRange)):
        return True
    if isinstance(node, st.For):
        test = node.condition
        bound = test.right if isinstance(test, ex.Binary) else None
        known = bound.value if isinstance(bound, ex.Literal) else None
        if not isinstance(known, int) or known > _FEW_TRIPS:
            return True
    return any(map(_stays_rolled, children(node)))


def _meets(node: object) -> bool:
    """Whether threads of a warp or block meet in a body, by the names of what it calls."""
    if isinstance(node, ex.Call):
        callee = node.callee
        name = callee.name if isinstance(callee, (ex.Name, ex.Member)) else ""
        if _MEETING.search(name):
            return True
    return any(map(_meets, children(node)))


def _branches(node: object) -> bool:
    """Whether a body divides or calls a library function whose machine code has branches."""
    if isinstance(node, ex.Binary) and node.op == "/" and not isinstance(node.right, ex.Literal):
        return True
    if isinstance(node, ex.Call) and isinstance(node.callee, ex.Name):
        cost = function_cost(node.callee.name)
        if cost is not None and cost.branches:
            return True
    return any(map(_branches, children(node)))


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
