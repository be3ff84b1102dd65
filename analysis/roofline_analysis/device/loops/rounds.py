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
from roofline_analysis.device.costs.integer_costs import INTEGER_COSTS
from roofline_analysis.device.costs.register_costs import entry_of
from roofline_analysis.device.loops.induction import Step
from roofline_analysis.device.loops.unrolled import ASSEMBLED, Copies
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

_ASSEMBLED: Final = 44.0
"""Instructions of the compiler's copies together, or of 4 where it made fewer, up to which the
assembler copies them; an access of global memory that moves is counted as 2. A few less where each
depends on the one before, from run to run: not told apart."""
_COPIED: Final = 46.0
"""Operations of one copy up to which the compiler makes 4, a multiply-add counted as 2, as is an
access that moves."""
_COPIED_ONCE: Final = 90.0
"""The same for 2 copies."""
_OF_KNOWN: Final = 100.0
"""Instructions, counted in the same way, of all copies where the number of trips is known: the next
power of two below. Loops that store what they add up have more copies, and trips that the copies
divide fewer; neither is told apart."""
_WRITTEN: Final = 3.0
"""LLVM's instructions of a loop's step, test and branch."""
_ENDS: Final = 2.0
"""Of these, those that all copies share."""
_OF_NARROW_SUM: Final = 3
"""LLVM's instructions of an index of 32 bits that is a sum; of those read off, one too many."""
_ALONE: Final = 2.0
"""Integer operations of a run left over, besides what moves addresses: its step and its test."""
_SMALL: Final = 4.0
"""Instructions of one copy up to which there are as many as there may be."""
_FEWEST: Final = 3
"""An index that moves by less in each run makes no difference to the address's own moves."""
_REGROUPED: Final = 2
"""The same of Clang's groups of copies."""
_NARROW_ROUND: Final = 5.0
"""IADD3 of the variable, of it and the number of runs, and of the index, once as it is and once as
the first copy has it; ISETP. IMAD.WIDE makes the address of each array."""


def rounds_of(
    interpreter: DeviceInterpreter,
    loop: Region,
    own: float,
    step: Step,
    copies: Copies,
    *,
    counted_otherwise: bool,
) -> Rounds | None:
    """What is known of a loop before its body is walked; None where no runs share a round."""
    amount = step.amount.constant
    if loop.trips is None or copies.all == 1 or not amount or not own:
        return None
    site = interpreter.costs.site
    return Rounds(site, own, float(amount), counted_otherwise, copies.compiled, copies.assembled)


def counts_otherwise(parts: Sequence[st.Statement], name: str) -> bool:
    """Whether a loop's body uses its variable for more than to index arrays and to step it."""
    return any(_uses(part, name) for part in parts)


def settle_rounds(loop: Region, compiler: CompilerProfile) -> None:
    """Set a loop's copies by what its body turned out to be, and charge what that changes."""
    facts, chosen = loop.rounds, loop.copies
    if facts is None or loop.trips is None:
        return
    known = loop.trips.constant is not None
    moving = [each for each in loop.strides if each.charged]
    before = facts.own / chosen + sum(each.charged for each in moving)
    compiled, assembled = _copies(loop, facts, compiler, known=known)
    fewest = _FEWEST if compiler.narrow_strides else _REGROUPED
    narrow = [] if known else [each for each in moving if _is_narrow(each, facts.step, fewest)]
    if compiler.regrouped_int_ops:
        loop.copies = compiled * assembled
        others = sum(each.charged for each in moving if each not in narrow)
        after = (facts.own + others * chosen) / loop.copies
        after += len(narrow) * compiler.regrouped_int_ops / compiled
    elif len(narrow) == len(moving) > 0 and compiler.narrow_strides and not facts.counted_otherwise:
        # The test is of a sum, by which the assembler does not see how often the loop runs.
        loop.copies = compiled
        after = (_NARROW_ROUND + len(moving)) / loop.copies
    else:
        loop.copies = compiled * assembled
        after = before * chosen / loop.copies
        if not known and compiler.keeps_index and assembled > 1:
            multiplied = any(_is_multiplied(each, facts.step) for each in loop.strides)
            after += multiplied / loop.copies
    if after != before:
        loop.overhead.append((loop, facts.site, after - before))
    if not known and compiled > 1:
        alone = _ALONE + sum(each.charged for each in moving) * chosen
        extra = (compiled - 1) / 2 * (alone - after) - INTEGER_COSTS["runs left over"]
        loop.overhead.append((entry_of(loop), facts.site, max(0.0, extra)))


def _copies(
    loop: Region, facts: Rounds, compiler: CompilerProfile, *, known: bool
) -> tuple[int, int]:
    """The compiler's copies of a body of this size, and how often the assembler copies these."""
    regions = list(_body(loop))
    row = [sum(each.work[site][kind] for each in regions for site in each.work) for kind in Work]
    floating = row[Work.SP] + row[Work.DP] + row[Work.HP]
    addresses = sum(each.charged or 1.0 for each in loop.strides)
    other = max(0.0, row[Work.INT] - addresses) + row[Work.SPECIAL] + row[Work.CONVERSION]
    made = [access for each in regions for access in each.accesses]
    if compiler.copied_instructions is None:
        made = _without_reloads(made)
    accesses = sum(_weight(access, loop) for access in made)
    size = floating - row[Work.FUSED] + other + accesses
    compiled = facts.compiled
    if compiler.copied_instructions is not None:
        branches = sum(each.form is RegionForm.GUARD for each in regions)
        moved = sum(2 if access.varies & loop.bit else 1 for access in made)
        moved += sum(_of_sum(each) for each in loop.strides)
        written = floating + other + 2 * (row[Work.SPECIAL] + branches) + moved + _WRITTEN - _ENDS
        fitting = (compiler.copied_instructions - _ENDS) / written
        if known:
            assert loop.trips is not None
            return _largest_divisor(loop.trips.constant or 1, min(fitting, compiled)), 1
        while compiled > max(1.0, fitting):
            compiled //= 2
        if any(each.accesses for each in regions if each.form is RegionForm.GUARD):
            return compiled, 1
    elif known:
        fitting = compiled if size <= _SMALL else max(1.0, _OF_KNOWN / size)
        return min(compiled, 1 << int(math.log2(fitting))), 1
    elif floating + other + accesses > _COPIED:
        return (1 if floating + other + accesses > _COPIED_ONCE else min(compiled, 2)), 1
    few = size * max(compiled, ASSEMBLED) <= _ASSEMBLED
    return compiled, facts.assembled if few else 1


def _of_sum(stride: Stride) -> int:
    """LLVM's instructions of a sum that is an index: the sum, and what makes it 64 bits wide."""
    if not stride.summed:
        return 0
    return _OF_NARROW_SUM if stride.narrow else 1


def _largest_divisor(trips: float, most: float) -> int:
    return next((n for n in range(int(most), 1, -1) if trips % n == 0), 1)


def _weight(access: Access, loop: Region) -> int:
    moves = access.array.space is MemorySpace.GLOBAL and access.varies & loop.bit
    return 2 if moves else 1


def _body(loop: Region) -> Iterator[Region]:
    """A loop's region and those in it, but for inner loops."""
    yield loop
    for child in loop.children:
        if child.form is not RegionForm.LOOP:
            yield from _body(child)


def _without_reloads(every: Sequence[Access]) -> list[Access]:
    """What is stored to a place is not loaded from it again."""
    stored = {(each.array, each.offset) for each in every if each.mode is AccessMode.WRITE}
    return [
        each
        for each in every
        if each.mode is not AccessMode.READ or (each.array, each.offset) not in stored
    ]


def _is_multiplied(stride: Stride, step: float) -> bool:
    """Whether an index is more than a loop's variable, which needs it in a register of threads."""
    return stride.elements is None or abs(stride.elements) != abs(step)


def _is_narrow(stride: Stride, step: float, fewest: int) -> bool:
    """Whether an address is made of an index of 32 bits that moves by ``fewest`` steps at least."""
    return (
        stride.narrow
        and not stride.known
        and stride.elements is not None
        and abs(stride.elements / step) >= fewest
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
