"""Contraction of multiplications into fused multiply-adds: the cost of a product with several uses.

A compiler that may contract turns every ``a * b + c`` into one fused multiply-add, two operations,
even if the product has other uses: each further addition multiplies again. The product costs one
more operation only if something other than an addition uses it. RTX 3080 counters of products used
twice show this; newer compilers keep a product that something else uses. The walk charges one
operation for each product and each addition, which is right for products with one use. This module
corrects the charge of the others.
"""

from __future__ import annotations

from collections.abc import Iterable

from roofline_analysis.device.operations import Operation
from roofline_analysis.regions.kernel_summary import Work


def charge_all(operations: Iterable[Operation]) -> None:
    """Charge operations, in the order of the source, to the regions they stand in."""
    for operation in operations:
        for product in operation.needs:
            _need(product)
        for kind, amount in operation.charges:
            operation.home.charge(operation.site, kind, amount)
        if operation.fusable:
            _fuse(operation)


def _fuse(addition: Operation) -> None:
    """Charge an addition together with the product that it absorbs, if the product has other uses.

    Only a product computed in the same region is absorbed. Of two candidates, the one without
    another use so far is absorbed.
    """
    operands = addition.fusable
    kind, _ = addition.charges[0]
    chosen: Operation | None = None
    for product in operands:
        if product is None or product.home is not addition.home or product.product is not kind:
            continue
        if (
            chosen is None
            or chosen.absorbed
            or chosen.needed
            or not (product.absorbed or product.needed)
        ):
            chosen = product
    for product in operands:
        if product is not None and product is not chosen:
            _need(product)
    if chosen is None:
        return
    if len(operands) > 1 and operands[0] is operands[1]:
        _need(chosen)  # One product is absorbed; the other is added to it.
    amount = chosen.charges[0][1]
    if chosen.absorbed or chosen.needed:
        addition.home.charge(addition.site, kind, amount)
    chosen.absorbed = True
    addition.home.charge(addition.site, Work.FUSED, amount)


def _need(product: Operation) -> None:
    """Charge a product that is needed in a register; additions that absorbed it multiply again."""
    if product.needed:
        return
    product.needed = True
    if product.absorbed:
        kind, amount = product.charges[0]
        product.home.charge(product.site, kind, amount)
