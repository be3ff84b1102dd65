"""Contraction of multiplications into fused multiply-adds: the cost of a product with several uses.

A compiler that may contract turns every ``a * b + c`` into one fused multiply-add, two operations,
even if the product has other uses: each further addition multiplies again. The product costs one
more operation only if something other than an addition uses it. RTX 3080 counters of products used
twice show this for Clang; nvcc keeps a product that something else uses, and adds to it. The walk
charges one operation for each product and each addition, which is right for products with one use.
This module corrects the charge of the others.

Of a product from outside a loop the assembler makes multiply-adds too, in each trip, where that
takes no further register. Read off machine code of nvcc 13 and Clang 18.
"""

from __future__ import annotations

from collections.abc import Iterable

from roofline_analysis.device.operations import Operation
from roofline_analysis.regions.kernel_summary import Region, RegionForm, Role, Work
from roofline_core.algebra.symbolic import Expr


def charge_all(operations: Iterable[Operation], *, keeps_needed: bool) -> list[Region]:
    """Charge operations, in the order of the source, to the regions they stand in.

    ``keeps_needed``: the compiler adds to a product that is needed in a register anyway. Returns
    the slow paths of divisions, which are not among the children of their parents yet.
    """
    noted = list(operations)
    for operation in noted:
        for product in operation.needs:
            product.held = True
    if keeps_needed:
        for operation in noted:
            _hold_others(operation)
    slow: dict[tuple[int, Expr], Region] = {}
    for operation in noted:
        for product in operation.needs:
            _need(product)
        for kind, amount in operation.charges:
            operation.home.charge(operation.site, kind, amount)
        if operation.fusable:
            _fuse(operation, keeps_needed=keeps_needed)
        if operation.dividend is not None:
            _charge_slow_path(operation, operation.dividend, slow)
    return list(slow.values())


def _charge_slow_path(
    division: Operation, dividend: Expr, slow: dict[tuple[int, Expr], Region]
) -> None:
    """Charge what a division of 0 costs besides; divisions of one number share a branch."""
    home = division.home
    path = slow.get((id(home), dividend))
    if path is None:
        path = slow[id(home), dividend] = Region(
            RegionForm.GUARD, home, division.site, role=Role.SLOW, dividend=dividend
        )
    for kind, amount in division.when_zero:
        path.charge(division.site, kind, amount)


def _hold_others(addition: Operation) -> None:
    """Of two products that are added, one stays a product."""
    first, *rest = addition.fusable or (None,)
    if first is not None and rest and rest[0] is not None and rest[0] is not first:
        chosen = _chosen(addition, keeps_needed=True)
        for product in addition.fusable:
            if product is not None and product is not chosen:
                product.held = True


def _fuse(addition: Operation, *, keeps_needed: bool) -> None:
    """Charge an addition together with the product that it absorbs, if that has other uses."""
    operands = addition.fusable
    chosen = _chosen(addition, keeps_needed=keeps_needed)
    for product in operands:
        if product is not None and product is not chosen:
            _need(product)
    if chosen is None:
        return
    if len(operands) > 1 and operands[0] is operands[1]:
        _need(chosen)  # One product is absorbed; the other is added to it.
    kind, amount = chosen.charges[0]
    used = chosen.absorbed or chosen.needed
    if chosen.home is not addition.home and not used:
        chosen.home.charge(chosen.site, kind, -amount)
        used = True
    if used:
        addition.home.charge(addition.site, kind, amount)
    chosen.absorbed = True
    addition.home.charge(addition.site, Work.FUSED, amount)


def _chosen(addition: Operation, *, keeps_needed: bool) -> Operation | None:
    """The product that an addition absorbs; None for none.

    Of two candidates, one of the same region goes before one from outside a loop, and one without
    another use so far before others.
    """
    kind, _ = addition.charges[0]
    chosen: Operation | None = None
    for product in addition.fusable:
        if product is None or product.product is not kind or (keeps_needed and product.held):
            continue
        if (
            _in_one_block(product.home, addition.home)
            and (
                chosen is None
                or chosen.absorbed
                or chosen.needed
                or not (product.absorbed or product.needed)
            )
        ) or (chosen is None and _is_repeated(product, addition)):
            chosen = product
    return chosen


def _in_one_block(outer: Region, inner: Region) -> bool:
    """Whether an inner region's code is a part of an outer's: it is the same, or unrolled whole."""
    while inner is not outer and _is_copied(inner) and inner.parent is not None:
        inner = inner.parent
    return inner is outer


def _is_copied(region: Region) -> bool:
    return region.unrolled or (region.form is RegionForm.GUARD and not region.conditions)


def _is_repeated(product: Operation, addition: Operation) -> bool:
    """Whether a product is computed anew in each trip of an addition's loops, which keep it as is.

    So it is where a factor is a literal or an argument of the kernel, which no register holds.
    """
    if not product.repeatable or product.held:
        return False
    return _loops_around(product.home) < _loops_around(addition.home)


def _loops_around(region: Region) -> int:
    return sum(1 for _ in region.loops())


def _need(product: Operation) -> None:
    """Charge a product that is needed in a register; additions that absorbed it multiply again."""
    if product.needed:
        return
    product.needed = True
    if product.absorbed:
        kind, amount = product.charges[0]
        product.home.charge(product.site, kind, amount)
