"""Dead-code elimination of floating-point operations: recorded in the walk, charged if used.

A compiler removes unused operations: array elements that are computed and overwritten, a sum that
nothing reads after its loop. Whether a value is used shows only later, so the walk records each
operation with the operations of its operands. Stores, branches, calls and other effects mark their
operands as used; so does everything that the walk does not follow. At the end of the walk all
operations that a used one depends on are charged in source order; the others are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from roofline_analysis.regions.kernel_summary import Region, Site, Work
from roofline_core.algebra.symbolic import Expr


class Operation:
    """One operation: where it is charged, its operands' operations, and whether it is used.

    ``product`` is the kind of work of a product that a multiply-add can absorb; else None.
    """

    __slots__ = (
        "absorbed",
        "charges",
        "dividend",
        "fusable",
        "held",
        "home",
        "inputs",
        "live",
        "may_sink",
        "needed",
        "needs",
        "product",
        "repeatable",
        "site",
        "used_in",
        "wanted",
        "when_zero",
    )

    def __init__(
        self,
        home: Region,
        site: Site,
        inputs: Iterable[Operation] = (),
        *,
        charges: tuple[tuple[Work, float], ...] = (),
        needs: tuple[Operation, ...] = (),
        fusable: tuple[Operation | None, ...] = (),
        product: Work | None = None,
    ) -> None:
        self.home = home
        self.site = site
        self.inputs = list(inputs)
        """The operations whose results are operands of this one."""
        self.charges = charges
        self.needs = needs
        """Products that this operation needs in registers."""
        self.fusable = fusable
        """For an addition: its operands that are products and that it may absorb."""
        self.product = product
        self.repeatable = False
        """For a product: a factor is an operand that no register holds, so that additions within
        loops absorb the product although its value stays the same there."""
        self.live = False
        """Something uses the result."""
        self.used_in: Region | None = None
        """The innermost region around all uses that were recorded."""
        self.may_sink = True
        """A compiler may compute it later, in the only branch that uses it."""
        self.wanted = False
        """The use of this product in a register has been recorded."""
        self.absorbed = False
        """For a product: an addition has absorbed it into a multiply-add."""
        self.held = False
        """For a product: known, before anything is charged, to be needed in a register."""
        self.needed = False
        """For a product: a use other than an absorbing addition needs it in a register."""
        self.dividend: Expr | None = None
        """For a division: what is divided, over loaded values; None where that is not known."""
        self.when_zero: tuple[tuple[Work, float], ...] = ()
        """What it charges besides where ``dividend`` is 0."""

    def use_in(self, region: Region) -> None:
        """Record a use in a region."""
        known = self.used_in
        if known is None or known is region:
            self.used_in = region
            return
        around = {id(each) for each in known.ancestors()}
        self.used_in = next(each for each in region.ancestors() if id(each) in around)


class OperationList:
    """The operations of a walk, in order."""

    def __init__(self) -> None:
        self._noted: list[Operation] = []
        self._roots: list[Operation] = []
        self.all_used = False
        """Whether code that is not followed may use any value."""

    def note(self, operation: Operation) -> Operation:
        """Add an operation."""
        self._noted.append(operation)
        return operation

    def keep(self, operation: Operation, region: Region) -> None:
        """Mark an operation's result as used in a region."""
        operation.use_in(region)
        if not operation.live:
            operation.live = True
            self._roots.append(operation)

    def need(self, operation: Operation, home: Region, site: Site) -> None:
        """Mark an operation's result as needed in a register, not absorbed by an addition."""
        self.keep(operation, home)
        if operation.product is not None and not operation.wanted:
            operation.wanted = True
            need = Operation(home, site, needs=(operation,))
            need.live = True
            self._noted.append(need)

    def keep_all(self) -> None:
        """Mark all operations as used, because code that is not followed may use any value."""
        self.all_used = True

    def forget(self) -> None:
        """Let go of the operations, of which some are operands of themselves, once charged."""
        for operation in self._noted:
            operation.inputs = []
        self._noted, self._roots = [], []

    def used(self) -> Sequence[Operation]:
        """The operations that something uses, in the order of the source."""
        if self.all_used:
            return self._noted
        waiting = self._roots
        while waiting:
            for source in waiting.pop().inputs:
                if not source.live:
                    source.live = True
                    waiting.append(source)
        return [operation for operation in self._noted if operation.live]
