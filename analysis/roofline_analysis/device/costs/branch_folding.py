"""Small branches that compilers make choices of: both values are computed, and one is chosen.

``if (c) r += (x + y) * z;`` becomes ``r = c ? r + (x + y) * z : r``. All threads compute what is
chosen from. Of a branch with one side the assembler makes the last step a predicated instruction,
which only the threads that pass execute: the addition to ``r``, fused with its product.

Read off PTX of nvcc 13.0 and Clang 19 (how many operations are folded) and off emulated counts of
their machine code (which of them all threads execute).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.device.costs.compilers import CompilerProfile
from roofline_analysis.device.operations import Operation
from roofline_analysis.regions.kernel_summary import Region, RegionForm, Role, Work

_MOST_CHOICES: Final = 3
"""The most variables that a branch may change: LLVM folds no more than these."""
_SIMPLE: Final = 2.0
"""The most that one instruction charges: the two lanes of a pair of halves."""
_FLOATS: Final = (Work.SP, Work.DP, Work.HP)


def fold_branches(operations: Sequence[Operation], root: Region, compiler: CompilerProfile) -> None:
    """Move the operations of small branches, given in the order of the source, before these."""
    held: dict[int, list[Operation]] = {}
    users: dict[int, list[Operation]] = {}
    for operation in operations:
        if operation.home.form is RegionForm.GUARD:
            held.setdefault(id(operation.home), []).append(operation)
        for source in {id(each): each for each in (*operation.inputs, *operation.needs)}.values():
            users.setdefault(id(source), []).append(operation)
    seen: set[int] = set()
    for side in [region for region in root.walk() if id(region) in held]:
        other = side.other_side
        seen.add(id(side))
        if other is None:
            _fold_one(side, held[id(side)], users, compiler.folded_side)
        elif id(other) not in seen:
            sides = [side, other]
            both = [held.get(id(each), []) for each in sides]
            _fold_two(sides, both, users, compiler.folded_sides)


def _fold_one(
    side: Region, own: Sequence[Operation], users: dict[int, list[Operation]], most: int
) -> None:
    chosen = _chosen(side, own, users)
    if not _is_small(side, own) or _amount(side, own) > most or len(chosen) > _MOST_CHOICES:
        return
    stay = {id(each) for each in chosen} | {id(each) for each in map(_fused, chosen)}
    _move([each for each in own if id(each) not in stay])


def _fold_two(
    sides: Sequence[Region],
    held: Sequence[Sequence[Operation]],
    users: dict[int, list[Operation]],
    most: int,
) -> None:
    pairs = list(zip(sides, held, strict=True))
    if not all(_is_small(side, own) for side, own in pairs):
        return
    if max(len(_chosen(side, own, users)) for side, own in pairs) > _MOST_CHOICES:
        return
    if sum(_amount(side, own) for side, own in pairs) <= most:
        first, second = (_chosen(side, own, users) for side, own in pairs)
        for own in held:
            _move(own)
        if len(first) == len(second) == 1:
            _join(first[0], second[0])


def _join(one: Operation, other: Operation) -> None:
    """Add once what is chosen, where both sides add something to the same number."""
    shared = {id(each) for each in one.inputs} & {id(each) for each in other.inputs}
    if one.fusable and other.fusable and shared:
        other.charges, other.fusable = (), ()


def _move(operations: Sequence[Operation]) -> None:
    for operation in operations:
        if operation.home.parent is not None:
            operation.home = operation.home.parent


def _is_small(side: Region, own: Sequence[Operation]) -> bool:
    """Whether nothing is in the side but instructions that may be executed for nothing."""
    if side.role is not Role.TAKEN or not side.conditions or side.is_side or side.may_fold:
        return False
    if side.accesses or side.children or side.unseen or side.barriers or side.grid_reductions:
        return False
    return all(amount <= _SIMPLE for each in own for _, amount in each.charges)


def _amount(side: Region, own: Sequence[Operation]) -> float:
    """The instructions of a side, before products are fused with sums."""
    whole = sum(row[Work.INT] for row in side.work.values())
    return whole + sum(1 for each in own if any(kind in _FLOATS for kind, _ in each.charges))


def _chosen(
    side: Region, own: Sequence[Operation], users: dict[int, list[Operation]]
) -> list[Operation]:
    """The operations whose results are needed after the branch."""
    return [each for each in own if each.charges and _is_used_after(side, each, users)]


def _is_used_after(side: Region, operation: Operation, users: dict[int, list[Operation]]) -> bool:
    waiting = list(users.get(id(operation), ()))
    if not waiting:
        return True
    while waiting:
        user = waiting.pop()
        if user.home is not side:
            return True
        if not user.charges:  # It passes the value on.
            following = users.get(id(user), ())
            if not following:
                return True
            waiting += following
    return False


def _fused(operation: Operation) -> Operation | None:
    """The product of the same side that an addition is fused with; None without one."""
    for each in operation.fusable:
        if each is not None and each.home is operation.home:
            return each
    return None
