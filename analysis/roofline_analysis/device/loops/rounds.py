"""How many runs of a loop share a round of copies, and what a round costs, told by the body's size.

Read off loops that nvcc 13 and its assembler make for sm_86, where the number of trips is known
only at run time. The compiler makes 4 copies of a body, fewer of a large one, and the assembler
copies these copies 4 times where they are few instructions and it understands what ends the loop.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from roofline_analysis.device.assigned import children
from roofline_analysis.device.costs.compilers import CompilerProfile
from roofline_analysis.device.loops.induction import Step
from roofline_analysis.device.loops.unrolled import COPIES, COPIES_OF_ALL
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    MemorySpace,
    Region,
    RegionForm,
    Rounds,
    Stride,
    Work,
)
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

_ASSEMBLED: Final = 11.0
"""Instructions of one copy up to which the assembler copies, an access of global memory that moves
counted as 2. One fewer where each depends on the one before, from run to run: not told apart."""
_COPIED: Final = 46.0
"""Operations of one copy up to which the compiler makes 4, a multiply-add counted as 2, as is an
access that moves."""
_COPIED_ONCE: Final = 90.0
"""The same for 2 copies."""
_OF_KNOWN: Final = 100.0
"""Instructions, counted in the same way, of all copies where the number of trips is known: the next
power of two below. Loops that store what they add up have more copies, and trips that the copies
divide fewer; neither is told apart."""
_SMALL: Final = 4.0
"""Instructions of one copy up to which there are as many as there may be."""
_FEWEST: Final = 3
"""An index that moves by less in each run makes no difference to the address's own moves."""
_NARROW_ROUND: Final = 5.0
"""IADD3 of the variable, of it and the number of runs, and of the index, once as it is and once as
the first copy has it; ISETP. IMAD.WIDE makes the address of each array."""


def rounds_of(
    interpreter: DeviceInterpreter,
    loop: Region,
    own: float,
    step: Step,
    parts: Sequence[st.Statement],
    name: str,
) -> Rounds | None:
    """What is known of a loop before its body is walked; None where no runs share a round."""
    amount = step.amount.constant
    copied = (COPIES, COPIES_OF_ALL, interpreter.costs.compiler.copies_of_known)
    if loop.trips is None or loop.copies not in copied or not amount or not own:
        return None
    otherwise = any(_uses(part, name) for part in parts)
    return Rounds(interpreter.costs.site, own, float(amount), otherwise)


def settle_rounds(loop: Region, compiler: CompilerProfile) -> None:
    """Set a loop's copies by what its body turned out to be, and charge what that changes."""
    facts, chosen = loop.rounds, loop.copies
    if facts is None or loop.trips is None:
        return
    known = loop.trips.constant is not None
    if known and not compiler.limits_copies:
        return
    moving = [each for each in loop.strides if each.charged]
    before = facts.own / chosen + sum(each.charged for each in moving)
    loop.copies = _copies(loop, chosen, compiler, known=known)
    narrow = not known and moving and all(_is_narrow(each, facts.step) for each in moving)
    if compiler.narrow_strides and narrow and not facts.counted_otherwise:
        # The test is of a sum, by which the assembler does not see how often the loop runs.
        loop.copies = min(loop.copies, COPIES)
        after = (_NARROW_ROUND + len(moving)) / loop.copies
    else:
        after = before * chosen / loop.copies
        if not known and compiler.keeps_index and loop.copies == COPIES_OF_ALL:
            multiplied = any(_is_multiplied(each, facts.step) for each in loop.strides)
            after += multiplied / COPIES_OF_ALL
    if after != before:
        loop.overhead.append((loop, facts.site, after - before))


def _copies(loop: Region, chosen: int, compiler: CompilerProfile, *, known: bool) -> int:
    regions = list(_body(loop))
    row = [sum(each.work[site][kind] for each in regions for site in each.work) for kind in Work]
    floating = row[Work.SP] + row[Work.DP] + row[Work.HP]
    addresses = sum(each.charged or 1.0 for each in loop.strides)
    other = max(0.0, row[Work.INT] - addresses) + row[Work.SPECIAL] + row[Work.CONVERSION]
    accesses = sum(_weight(each, loop) for each in _made(regions))
    size = floating - row[Work.FUSED] + other + accesses
    if known:
        fitting = chosen if size <= _SMALL else max(1.0, _OF_KNOWN / size)
        return min(chosen, 1 << int(math.log2(fitting)))
    if compiler.limits_copies and floating + other + accesses > _COPIED:
        return 1 if floating + other + accesses > _COPIED_ONCE else 2
    if size > _ASSEMBLED:
        return min(chosen, COPIES)
    return chosen


def _weight(access: Access, loop: Region) -> int:
    moves = access.array.space is MemorySpace.GLOBAL and access.varies & loop.bit
    return 2 if moves else 1


def _body(loop: Region) -> Iterator[Region]:
    """A loop's region and those in it, but for inner loops."""
    yield loop
    for child in loop.children:
        if child.form is not RegionForm.LOOP:
            yield from _body(child)


def _made(regions: Sequence[Region]) -> Iterator[Access]:
    """The accesses of a body; what is stored to a place is not loaded from it again."""
    every = [access for region in regions for access in region.accesses]
    stored = {(each.array, each.offset) for each in every if each.mode is AccessMode.WRITE}
    for each in every:
        if each.mode is not AccessMode.READ or (each.array, each.offset) not in stored:
            yield each


def _is_multiplied(stride: Stride, step: float) -> bool:
    """Whether an index is more than a loop's variable, which needs it in a register of threads."""
    return stride.elements is None or abs(stride.elements) != abs(step)


def _is_narrow(stride: Stride, step: float) -> bool:
    return (
        stride.narrow
        and not stride.known
        and stride.elements is not None
        and abs(stride.elements / step) >= _FEWEST
    )


def _uses(node: object, name: str) -> bool:
    """Whether a loop's body uses its variable other than to index arrays and to step it."""
    if isinstance(node, ex.Name):
        return node.name == name
    if isinstance(node, ex.Index):
        return _uses(node.base, name)
    if isinstance(node, (ex.Assign, ex.Update)) and _is_name(node.target, name):
        return False
    return any(_uses(child, name) for child in children(node))


def _is_name(node: object, name: str) -> bool:
    return isinstance(node, ex.Name) and node.name == name
