"""Multiplications that additions take in: what a product with several uses costs.

A compiler that may contract turns every ``a * b + c`` into one fused multiply-add, two operations,
also where the product has other uses: each further addition multiplies again. The product is one
operation more only if something else than additions needs it. That is what RTX 3080 counters show
of products used twice; newer compilers keep a product that something else needs. The walk charges
one operation for each product and each addition as it comes, which is right as long as a product
has one use. This module keeps the books on the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from roofline_lsp.analysis.device.regions import Work

if TYPE_CHECKING:
    from roofline_lsp.analysis.device.machine import Machine
    from roofline_lsp.analysis.device.regions import Region, Site
    from roofline_lsp.analysis.device.values import Value


@dataclass(slots=True)
class _Product:
    home: Region
    """Where it was charged."""
    site: Site
    kind: Work
    amount: float
    absorbed: bool = False
    """An addition has taken it in."""
    needed: bool = False
    """Something else needs it in a register."""


class Products:
    """The products of a walk."""

    def __init__(self) -> None:
        self._found: dict[Value, _Product] = {}

    def add(self, value: Value, home: Region, site: Site, kind: Work, amount: float) -> None:
        """Note a product that was charged in ``home``."""
        self._found[value] = _Product(home, site, kind, amount)

    def same(self, value: Value, negated: Value) -> None:
        """Note that a value is a product with its sign changed, which costs nothing."""
        product = self._found.get(value)
        if product is not None:
            self._found[negated] = product

    def fuse(self, operands: tuple[Value, ...], home: Region, site: Site, kind: Work) -> None:
        """Charge an addition in ``home`` with the product it takes in, if that has another use.

        A product is taken in only where it is computed, not from before a loop; of two, the one
        that has no other use so far.
        """
        chosen: _Product | None = None
        for operand in operands:
            product = self._found.get(operand)
            if product is None or product.home is not home or product.kind is not kind:
                continue
            if (
                chosen is None
                or chosen.absorbed
                or chosen.needed
                or not (product.absorbed or product.needed)
            ):
                chosen = product
        for operand in operands:
            if self._found.get(operand) is not chosen:
                self.need(operand)
        if chosen is None:
            return
        if len(operands) > 1 and self._found.get(operands[0]) is self._found.get(operands[1]):
            self.need(operands[0])  # One is taken in, the other added to it.
        if chosen.absorbed or chosen.needed:
            home.charge(site, kind, chosen.amount)
        chosen.absorbed = True
        home.charge(site, Work.FUSED, chosen.amount)

    def need(self, value: Value) -> None:
        """Note that a value is needed by itself: the additions of a product do not take it in."""
        product = self._found.get(value)
        if product is None or product.needed:
            return
        product.needed = True
        if product.absorbed:
            product.home.charge(product.site, product.kind, product.amount)


def need_all(machine: Machine, values: tuple[Value, ...]) -> None:
    """Note that each of the values is needed by itself."""
    for value in values:
        machine.products.need(value)
