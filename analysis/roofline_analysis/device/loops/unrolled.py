"""Fully unrolled loops, walked trip by trip.

The counter is a constant in each trip, so conditions on it are decided, indices of local arrays are
constants and common subexpressions of two trips are computed once, as in the machine code. Long
bodies and many trips are left to the symbolic walk, whose time does not depend on the trip count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from roofline_analysis.device.assigned import BodyFacts, body_facts, children
from roofline_analysis.device.costs.compilers import CompilerProfile
from roofline_analysis.device.costs.expansions import function_cost
from roofline_analysis.device.loops.induction import Step
from roofline_analysis.device.state.conversions import scalar
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import LAUNCH, Value
from roofline_core.algebra.symbolic import Apply, Expr, from_atom
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.records import record

_UNROLL_TRIPS: Final = 128
"""The most trips of a loop of constant trip count that is fully unrolled. Assumed, not measured."""
KNOWN_AND_BRANCHED: Final = 4
"""Copies of a body with branches where the number of trips is known."""
ASSEMBLED: Final = 4
"""How many times the assembler copies what the compiler made of a body without branches. Read off
loops compiled for sm_86: nvcc 13 and clang 18 with ptxas 12 and 13 agree."""
_FEW_TRIPS: Final = 8
"""A loop to a literal as small is unrolled; the loop around it is the innermost. Assumed."""
_MEETING: Final = re.compile(r"_sync$|^__syncthreads|^__syncwarp$|^sync$|^shfl|^__shfl|^barrier$")
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
    *,
    around_open: bool,
    called: int = 0,
) -> bool:
    """Whether the compiler fully unrolls a loop of this trip count.

    ``plain``: the instructions of a trip, where these are known. ``around_open``: there is a loop
    in it whose trips are not known before this one is unrolled (``has_open_loop``). ``called`` are
    the nodes of what a trip calls.
    """
    if unroll == 1:
        return False
    if unroll is not None and (unroll == 0 or unroll >= known):
        return True
    limit = compiler.plain_instructions
    if plain and limit is not None:
        return known * plain <= limit
    nodes = known * (called + sum(fact.size for fact in facts))
    most = compiler.nodes_around_loops if around_open else compiler.unrolled_nodes
    return known <= _UNROLL_TRIPS and nodes <= most


def has_open_loop(
    interpreter: DeviceInterpreter, parts: Sequence[st.Statement], facts: Sequence[BodyFacts]
) -> bool:
    """Whether a body has a loop whose trips are not known before the loop around it is unrolled.

    Such is one that ends where the outer loop's variable says, or by a number of run time.
    """
    if not any(fact.has_loop for fact in facts):
        return False
    changed = {change.name for fact in facts for change in fact.changes}
    changed.update(name for fact in facts for name in fact.declared)

    return any(_ends_openly(interpreter, part, changed) for part in parts)


def _ends_openly(interpreter: DeviceInterpreter, node: object, changed: set[str]) -> bool:
    """Whether there is a loop in a node whose trips are not known.

    ``changed`` are the variables that do not have one value for all runs.
    """
    if isinstance(node, (st.While, st.ForRange)):
        return True
    if isinstance(node, st.For):
        test = node.condition
        own = _counters(node)
        bounds = (test.left, test.right) if isinstance(test, ex.Binary) else (test,)
        if not all(_is_known(interpreter, bound, own, changed) for bound in bounds):
            return True
    return any(_ends_openly(interpreter, child, changed) for child in children(node))


def _is_known(
    interpreter: DeviceInterpreter, node: object, own: frozenset[str], changed: set[str]
) -> bool:
    """Whether a part of a loop's test is its ``own`` counter or has one value for all runs."""
    if isinstance(node, ex.Name):
        if node.name in own:
            return True
        return node.name not in changed and scalar(interpreter, node).constant is not None
    if isinstance(node, ex.Binary):
        return _is_known(interpreter, node.left, own, changed) and _is_known(
            interpreter, node.right, own, changed
        )
    if isinstance(node, (ex.Cast, ex.Unary)):
        return _is_known(interpreter, node.operand, own, changed)
    return isinstance(node, (ex.Literal, ex.SizeOf))


def _counters(node: st.For) -> frozenset[str]:
    """The variables that a loop's own step changes."""
    if node.step is None:
        return frozenset()
    return frozenset(
        change.name for change in body_facts(st.Evaluate(node.line, node.step)).changes
    )


@record(frozen=True, slots=True)
class Copies:
    """Copies of a body in the machine code of a loop that stays one."""

    compiled: int = 1
    """Those that the compiler makes."""
    assembled: int = 1
    """How many times the assembler copies these."""

    @property
    def all(self) -> int:
        """Runs that share one test."""
        return self.compiled * self.assembled


def copies_of(
    trips: Expr | None,
    step: Step | None,
    parts: Sequence[st.Statement],
    facts: Sequence[BodyFacts],
    compiler: CompilerProfile,
    start: Expr | None,
) -> Copies:
    """Copies of a small body in a loop that is not fully unrolled.

    More than 1 only for an innermost loop that its test alone ends and whose trip count can be
    computed: not with an unsigned step that is known only at run time, as in a grid-stride loop,
    which may wrap around. ``start`` is the variable's value before the loop, None if unknown.
    """
    if trips is None or step is None or step.op != "+" or step.amount.constant == 0:
        return Copies()
    if any(fact.has_loop for fact in facts) and any(map(_stays_rolled, parts)):
        return Copies()
    amount = step.amount.constant
    if not isinstance(amount, int):
        may_wrap = step.wraps or (step.wide and _is_dimension(step.amount))
        return (
            Copies(compiler.copies) if compiler.unrolls_unknown_steps and not may_wrap else Copies()
        )
    again = not any(map(_branches, parts))
    if trips.constant is not None:
        again = again and not step.wide
        return Copies(compiler.copies_of_known if again else KNOWN_AND_BRANCHED)
    together = compiler.unrolls_convergent or not any(map(_meets, parts))
    longer = abs(amount) == 1 or compiler.unrolls_longer_steps
    if not longer and not step.wide and start is not None and start.constant is not None:
        longer, again = True, False
    if step.wraps and abs(amount) != 1 and compiler.widens_unsigned:
        again = False
    cheap = compiler.unrolls_costly_trips or not _are_costly(trips, amount, start)
    compiled = compiler.copies if together and longer and cheap else 1
    # Of 64 bits, the assembler understands only what ends a loop that the compiler left alone, or
    # whose signed variable moves by more than 1.
    if step.wide and compiled > 1 and (step.wraps or abs(amount) == 1):
        again = False
    return Copies(compiled, ASSEMBLED if again else 1)


def _are_costly(trips: Expr, amount: int, start: Expr | None) -> bool:
    """Whether LLVM takes a number of trips for too many instructions to compute.

    Read off loops of clang 18: where what starts the loop is a sum, as a thread's global index is,
    and where the end is the start and something else. Numbers that the code has cost nothing.
    """
    distance = _without_floor(trips)
    if start is None or start.constant is not None:
        return sum(factor < 0 for factor in distance.terms.values()) > 1
    left = set(start.terms) & set(distance.terms)
    return not left or (amount > 0 and len(left) > 1)


def _without_floor(trips: Expr) -> Expr:
    """``x`` of ``max(x, 0)``."""
    (monomial, *others) = trips.terms or [()]
    if others or len(monomial) != 1 or trips.terms[monomial] != 1:
        return trips
    atom = monomial[0]
    if isinstance(atom, Apply) and atom.op == "max" and atom.args[1].constant == 0:
        return atom.args[0]
    return trips


def _is_dimension(amount: Value) -> bool:
    """Whether a step is a size of blocks or of the grid as it is, without a sign."""
    return amount.type != "int" and any(amount.expr == from_atom(size) for size in LAUNCH.values())


def _stays_rolled(node: object) -> bool:
    """Whether a body has a loop other than those that a few trips, by their text, unroll whole."""
    if isinstance(node, (st.While, st.ForRange)):
        return True
    if isinstance(node, st.For) and (node.unroll is None or node.unroll == 1):
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
