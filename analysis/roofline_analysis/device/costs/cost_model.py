"""The cost model's state during the walk: what is charged, and the accesses to memory."""

from __future__ import annotations

from roofline_analysis.device.costs.address_costs import AddressCosts
from roofline_analysis.device.costs.address_indices import is_addressable
from roofline_analysis.device.values import PointerValue
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    MemorySpace,
    StoredNumber,
)
from roofline_analysis.regions.unseen import UnseenKind
from roofline_core.algebra.symbolic import Symbol


class CostModel(AddressCosts):
    """What a walk charges to regions, and the accesses that it records in them."""

    def touch(
        self,
        pointer: PointerValue,
        size_bytes: int,
        mode: AccessMode,
        yields: Symbol | None = None,
        members: tuple[tuple[str, Symbol], ...] = (),
        *,
        stored: tuple[StoredNumber, ...] = (),
        one_by_one: bool = False,
    ) -> None:
        """Record an access and charge its address."""
        self.need_address(pointer)
        offset = pointer.offset.expr
        if pointer.array.space is MemorySpace.LOCAL:
            return
        if offset is None or not is_addressable(offset):
            self.lose(UnseenKind.ACCESS, pointer.array.name)
            return
        varies = pointer.offset.varies
        self.accesses += 1
        self.region.accesses.append(
            Access(
                pointer.array,
                offset,
                size_bytes,
                mode,
                self.site,
                varies,
                yields,
                stored,
                one_by_one,
                members,
            )
        )
