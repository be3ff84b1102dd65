"""Where floating-point operations stand that only one branch uses: in that branch.

Compilers move what is computed before a condition to where all its uses are, so that threads which
do not go there do not compute it. ``slope = (y1 - y0) / (x1 - x0)`` before ``if (a && b < slope)``
is divided only where ``a`` holds. Nothing is moved into a loop, or out of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.device.operations import Operation
from roofline_analysis.regions.kernel_summary import Region, RegionForm, Work

_FLOATS: Final = (Work.SP, Work.DP, Work.HP)
_MOST_FOLDED: Final = 4.0
"""Floating-point operations of the right side of ``&&`` that LLVM computes for all threads.

Its limit for a branch that chooses between two values is 4 instructions; development kernels with 3
operations there agree, and those with a division do not."""


def sink(operations: Sequence[Operation]) -> None:
    """Move used operations, given in the order of the source, to the branches that need them."""
    order = {id(operation): position for position, operation in enumerate(operations)}
    for position in range(len(operations) - 1, -1, -1):
        operation = operations[position]
        if operation.used_in is not None and operation.may_sink:
            operation.home = _reached(operation.home, operation.used_in)
        for source in (*operation.inputs, *operation.needs):
            # What an operation before it uses is carried around a loop.
            before = order.get(id(source), position) < position
            source.use_in(operation.home if before else source.home)


def fold(operations: Sequence[Operation], root: Region) -> None:
    """Make right sides of ``&&`` unconditional that take less than the branch around them."""
    held: dict[int, list[Operation]] = {}
    for operation in operations:
        if operation.home.may_fold:
            held.setdefault(id(operation.home), []).append(operation)
    for region in root.walk():
        if region.may_fold:
            _fold(region, held.get(id(region), ()))


def _fold(region: Region, held: Sequence[Operation]) -> None:
    amount = sum(
        number for operation in held for kind, number in operation.charges if kind in _FLOATS
    )
    if amount <= _MOST_FOLDED and not region.accesses and not region.children:
        region.conditions = ()


def _reached(home: Region, around: Region) -> Region:
    """The innermost region around all uses that an operation can be moved to from its home."""
    path: list[Region] = []
    before = _outside_of_unrolled(home)
    for region in around.ancestors():
        if region is home or region is before:
            break
        path.append(region)
    else:
        return home  # It is used outside of the region that it is computed in.
    found = home
    for region in reversed(path):
        if region.form is not RegionForm.GUARD or region.is_side or region.walked_runs > 1:
            break
        if region.conditions:  # Else the body of an unrolled loop that runs once.
            found = region
    return found


def _outside_of_unrolled(home: Region) -> Region:
    """The region around the bodies of unrolled loops: their operations stand in it one by one."""
    while home.parent is not None and home.form is RegionForm.GUARD and not home.conditions:
        home = home.parent
    return home
