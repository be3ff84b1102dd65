"""Multiplications that additions take in: what a product with several uses costs.

A compiler that may contract turns every ``a * b + c`` into one fused multiply-add, two operations,
also where the product has other uses: each further addition multiplies again. The product is one
operation more only if something else than additions needs it. That is what RTX 3080 counters show
of products used twice; newer compilers keep a product that something else needs. One operation is
charged for each product and each addition, which is right as long as a product has one use. This
module keeps the books on the others.
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
    """Charge an addition with the product it takes in, if that has another use.

    A product is taken in only where it is computed, not from before a loop; of two, the one that
    has no other use so far.
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
        _need(chosen)  # One is taken in, the other added to it.
    amount = chosen.charges[0][1]
    if chosen.absorbed or chosen.needed:
        addition.home.charge(addition.site, kind, amount)
    chosen.absorbed = True
    addition.home.charge(addition.site, Work.FUSED, amount)


def _need(product: Operation) -> None:
    """A product is needed by itself: the additions that took it in multiply again."""
    if product.needed:
        return
    product.needed = True
    if product.absorbed:
        kind, amount = product.charges[0]
        product.home.charge(product.site, kind, amount)
