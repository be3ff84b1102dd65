"""What loops in rounds of copies cost besides their counter and the addresses that move.

Read off loops that nvcc 13 and its assembler make for sm_86, where the number of trips is known
only at run time. The compiler copies a body 4 times, and the assembler copies the copies 4 times if it
understands what ends the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Final

from roofline_analysis.device.assigned import children
from roofline_analysis.device.loops.induction import Step
from roofline_analysis.device.loops.unrolled import COPIES, COPIES_OF_ALL
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.regions.kernel_summary import Region, Stride
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

_FEWEST: Final = 3
"""An index that moves by less in each run makes no difference to the address's own moves."""
_NARROW_ROUND: Final = 5.0
"""IADD3 of the variable, of it and the number of runs, and of the index, once as it is and once as
the first copy has it; ISETP. IMAD.WIDE makes the address of each array."""
_LEFT_TO_COUNT: Final = 2.0
"""What a loop's own test and step were charged as, of one round."""


def charge_rounds(
    interpreter: DeviceInterpreter, loop: Region, step: Step, counted_otherwise: bool
) -> None:
    """Charge what a loop costs besides, after its body was walked.

    ``counted_otherwise``: its variable is used for more than indices.
    """
    amount = step.amount.constant
    fixed = loop.trips is None or loop.trips.constant is not None
    if fixed or loop.copies != COPIES_OF_ALL or not amount:
        return
    compiler = interpreter.costs.compiler
    moving = [each for each in loop.strides if each.charged]
    narrow = moving and all(_is_narrow(each, amount) for each in moving)
    site = interpreter.costs.site
    if compiler.narrow_strides and narrow and not counted_otherwise:
        # The test is of a sum, by which the assembler does not see how often the loop runs.
        loop.copies = COPIES
        before = _LEFT_TO_COUNT / COPIES_OF_ALL + sum(each.charged for each in moving)
        after = (_NARROW_ROUND + len(moving)) / COPIES
        loop.overhead.append((loop, site, after - before))
    elif compiler.keeps_index and any(map(_is_multiplied, loop.strides, repeat(amount))):
        loop.overhead.append((loop, site, 1.0 / COPIES_OF_ALL))


def _is_multiplied(stride: Stride, amount: float) -> bool:
    """Whether an index is more than a loop's variable, which needs it in a register of threads."""
    return stride.elements is None or abs(stride.elements) != abs(amount)


def _is_narrow(stride: Stride, amount: float) -> bool:
    return (
        stride.narrow
        and not stride.known
        and stride.elements is not None
        and abs(stride.elements / amount) >= _FEWEST
    )


def used_beside_indices(parts: Sequence[st.Statement], name: str) -> bool:
    """Whether a loop's body uses its variable other than to index arrays and to step it."""
    return any(_uses(part, name) for part in parts)


def _uses(node: object, name: str) -> bool:
    if isinstance(node, ex.Name):
        return node.name == name
    if isinstance(node, ex.Index):
        return _uses(node.base, name)
    if isinstance(node, (ex.Assign, ex.Update)) and _is_name(node.target, name):
        return False
    return any(_uses(child, name) for child in children(node))


def _is_name(node: object, name: str) -> bool:
    return isinstance(node, ex.Name) and node.name == name
