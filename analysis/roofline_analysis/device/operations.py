"""What is done in floating point, noted as it is walked and charged once it is known what is used.

A compiler removes what nothing uses: the entries of an array that are computed and overwritten, a
sum that no one reads behind its loop. Whether a value is used shows only later, so the walk notes
each operation with those whose results it takes in. Stores, branches, calls and whatever else has
an effect mark what they take as used; so does everything that the walk does not follow to its end.
At the end of the walk the operations behind these are charged in the order of the source, the
others are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roofline_analysis.regions.kernel_summary import Region, Site, Work


class Operation:
    """One operation: where it is charged, what it takes in, and whether something uses it.

    ``product`` says what work it is if it is a product that additions can take in.
    """

    __slots__ = (
        "absorbed",
        "charges",
        "fusable",
        "home",
        "inputs",
        "live",
        "needed",
        "needs",
        "product",
        "site",
        "wanted",
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
        """The operations whose results it uses."""
        self.charges = charges
        self.needs = needs
        """Products that it needs by themselves."""
        self.fusable = fusable
        """Of an addition: its operands, as far as they are products it may take in."""
        self.product = product
        self.live = False
        """Something uses the result."""
        self.wanted = False
        """What needs the product by itself is noted already."""
        self.absorbed = False
        """Of a product: an addition has taken it in."""
        self.needed = False
        """Of a product: something else needs it in a register."""


class Operations:
    """The operations of a walk, in order."""

    def __init__(self) -> None:
        self._noted: list[Operation] = []
        self._roots: list[Operation] = []
        self._all_used = False

    def note(self, operation: Operation) -> Operation:
        """Add an operation."""
        self._noted.append(operation)
        return operation

    def keep(self, operation: Operation) -> None:
        """Mark an operation's result as used."""
        if not operation.live:
            operation.live = True
            self._roots.append(operation)

    def need(self, operation: Operation, home: Region, site: Site) -> None:
        """Mark an operation's result as used by itself: no addition takes it in."""
        self.keep(operation)
        if operation.product is not None and not operation.wanted:
            operation.wanted = True
            need = Operation(home, site, needs=(operation,))
            need.live = True
            self._noted.append(need)

    def keep_all(self) -> None:
        """Drop nothing: something that is not followed may use any value."""
        self._all_used = True

    def used(self) -> Iterable[Operation]:
        """The operations that something uses, in the order of the source."""
        if self._all_used:
            return self._noted
        waiting = self._roots
        while waiting:
            for source in waiting.pop().inputs:
                if not source.live:
                    source.live = True
                    waiting.append(source)
        return [operation for operation in self._noted if operation.live]
