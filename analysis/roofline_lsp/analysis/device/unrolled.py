"""Loops that the compiler unrolls whole, walked run by run.

With the counter a constant in each run, conditions on it are decided, indices of local arrays are
constants and what two runs share is computed once, as in the machine code. Long bodies and many
runs are left to the symbolic walk, which takes the same time for any number of runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_lsp.analysis.device.assigned import children
from roofline_lsp.analysis.device.walker import Walker
from roofline_lsp.kernel import expressions as ex
from roofline_lsp.kernel import statements as st

_NODES_OF_A_LOOP: Final = 2500
"""Nodes of the syntax tree that the runs of one loop have together."""
_NODES_OF_A_KERNEL: Final = 20_000


def affordable(walker: Walker, parts: Sequence[st.Statement], trips: float, nodes: int) -> bool:
    """Whether a loop with this many nodes in its body can be walked run by run."""
    total = int(trips * nodes)
    if total > min(_NODES_OF_A_LOOP, _NODES_OF_A_KERNEL - walker.unrolled_nodes):
        return False
    if any(_leaves(part) for part in parts):
        return False
    walker.unrolled_nodes += total
    return True


def _leaves(node: object) -> bool:
    """Whether a body can end its loop before the test does."""
    if isinstance(node, (st.Break, st.Return, st.Goto)):
        return True
    if isinstance(node, ex.Expression):
        return False
    inner = any(_leaves(child) for child in children(node))
    if inner and isinstance(node, (st.Switch, st.For, st.While, st.ForRange)):
        return _returns(node)
    return inner


def _returns(node: object) -> bool:
    if isinstance(node, (st.Return, st.Goto)):
        return True
    return not isinstance(node, ex.Expression) and any(map(_returns, children(node)))


def walk_runs(walker: Walker, parts: Sequence[st.Statement], trips: int) -> None:
    """Walk the body once for each run; the variables change as they do in the runs."""
    machine = walker.machine
    region = machine.open_guard(())
    region.walked_runs = trips
    for _ in range(trips):
        for part in parts:
            walker.execute(part)
    machine.close(region)
    if region.parent is not None:
        # No condition stands before it: what it computed is there afterwards.
        region.parent.available.update(region.available)
