"""What addresses cost.

Constant parts go into the offset fields of loads and stores, what the threads of a block share of a
64-bit index into the uniform datapath, and an address that advances by a fixed stride is
incremented rather than computed anew.
"""

from __future__ import annotations

from typing import Final

from roofline_analysis.device.costs.address_indices import (
    any_wraps_by_constant,
    index_of,
    is_counter,
    is_unsigned_counter,
    is_widened,
    may_exceed,
    may_wrap,
    moves_by_product,
    shared_offset,
    stride_of,
    wraps_by_constant,
)
from roofline_analysis.device.costs.integer_costs import (
    INTEGER_COSTS,
    is_nonnegative,
    is_uniform,
    is_wide,
)
from roofline_analysis.device.costs.register_costs import MAX_DEPTH, RegisterCosts
from roofline_analysis.device.costs.wide_integers import (
    is_same_in_block,
    is_widening_product,
    summands,
)
from roofline_analysis.device.values import PointerValue, Value
from roofline_analysis.regions.kernel_summary import (
    Array,
    MemorySpace,
    Region,
    Rounds,
    Work,
)
from roofline_core.algebra.symbol_scopes import DATA_OR_CARRIED
from roofline_core.algebra.symbolic import Expr

_MAX_OFFSET_BYTES: Final = 1 << 23
"""The offset field of loads and stores has 24 bits with its sign."""
_NARROW: Final = (MemorySpace.SHARED, MemorySpace.LOCAL)
"""Memory that is addressed in 32 bits."""


class AddressCosts(RegisterCosts):
    """Work that brings addresses into registers."""

    def need_address(self, pointer: PointerValue) -> None:
        """Charge the address computation, except a constant that the offset field holds."""
        offset = pointer.offset
        if offset.expr is None or offset.constant is not None:
            if offset.expr is None:
                self.need(offset)
            else:
                self._same_address(pointer)
            return
        expr, varies = self.without_unrolled(offset)
        assert expr is not None
        wide = pointer.array.space not in _NARROW
        # A constant that an unsigned sum may wrap around with cannot go into the offset field.
        far = 0 if self._keeps_constant(offset, wide=wide) else expr.offset
        expr = expr - far
        if expr.constant is not None:
            return
        loop = self._advancing_loop(expr, varies)
        if loop is not None and loop.counter is not None:
            step = expr.coefficient(loop.counter)
            assert step is not None
            base = expr - step * Expr({(loop.counter,): 1})
            key = (_start_of(pointer.array), base, step)
            if wide and self._adds_to_offset(pointer, base, step, loop):
                self._need_index(offset, loop, wide=wide, rows=False)
                return
            if self.find(key, loop) is None:
                loop.available[key] = True
                charged = self._charge_step(offset, base, step, loop, wide=wide)
                known = not wide or self.find((_start_of(pointer.array), base), loop) is not None
                loop.strides.append(stride_of(offset, loop, known=known, charged=charged))
            self._address_base(pointer, base, varies & ~loop.bit, wide=wide, moving=loop)
            return
        self._address_base(pointer, expr, varies, wide=wide)
        if wide and abs(far) >= _MAX_OFFSET_BYTES:
            self._far_address(pointer, expr, far, varies)

    def need_null_test(self, array: Array) -> None:
        """Charge the two comparisons whether a kernel's pointer is null, once for all threads."""
        home, key = self.home(0), ("null test", array)
        if array.space is MemorySpace.GLOBAL and not array.indirect:
            if self.find(key, home) is None:
                home.available[key] = True
                home.charge(self.site, Work.INT, INTEGER_COSTS["null test"])

    def need_local_address(self, slot: int, offset: Expr | None, varies: int) -> None:
        """Charge the address of an element of a thread's own array, picked at run time.

        ``slot``: the array's variable; ``offset``: in bytes, None where it depends on data.
        """
        home = self.home(varies)
        key = ("local address", slot, offset)
        if offset is None or self.find(key, home) is None:
            home.available[key] = True
            home.charge(self.site, Work.INT, INTEGER_COSTS["address"])

    def _keeps_constant(self, offset: Value, *, wide: bool) -> bool:
        bounded = self.compiler.bounds_thread_indices
        if wide:
            return wraps_by_constant(offset, bounded=bounded)
        return not bounded and any_wraps_by_constant(offset, bounded=bounded)

    def _same_address(self, pointer: PointerValue) -> None:
        """Charge the two moves that bring a pointer into registers; one of them is counted.

        Addresses that differ between threads take the pointer from constant memory as an operand.
        In kernels of double precision the moves are such that none is counted.
        """
        key = ("in registers", pointer.array)
        home = self.home(0)
        moved = pointer.array.space is MemorySpace.GLOBAL and pointer.array.element.name != "double"
        if moved and self.find(key, home) is None:
            home.available[key] = True
            home.charge(self.site, Work.INT, 1.0)

    def _charge_step(
        self, offset: Value, base: Expr, step: Expr, loop: Region, *, wide: bool
    ) -> float:
        """Charge what moves an address in each trip of a loop; what a constant stride costs.

        0 for another stride.
        """
        wraps = wide and may_wrap(offset, loop)
        facts = loop.rounds
        widened = wide and self.compiler.widens_unsigned and is_unsigned_counter(offset, loop)
        if step.constant is not None and widened and facts is not None:
            self._charge_widened(base, step, loop, facts)
            return 0.0
        if step.constant is not None and not wraps:
            # Unrolled copies share an address that advances by a constant.
            amount = INTEGER_COSTS["address step wide" if wide else "address step"]
            loop.charge(self.site, Work.INT, amount / loop.copies)
            return amount / loop.copies
        if wide and self.compiler.shares_offsets and moves_by_product(offset, loop):
            loop.charge(self.site, Work.INT, INTEGER_COSTS["address wide"])
            return 0.0
        self._charge_base(offset, base, loop, wide=wide, moves=True)
        index = ("index", base, step)
        if not wide or is_counter(offset, loop) or self.find(index, loop) is not None:
            return 0.0
        if self.compiler.shares_offsets and shared_offset(offset, loop) is not None:
            return 0.0
        loop.available[index] = True
        # An unsigned sum may wrap around, so it is the index that moves.
        loop.charge(self.site, Work.INT, 1.0 if wraps else self.compiler.index_int_ops)
        return 0.0

    def _charge_widened(self, base: Expr, step: Expr, loop: Region, facts: Rounds) -> None:
        """Charge an address of an unsigned variable, and once for all of them their index."""
        copies = facts.compiled
        together = copies if abs(facts.step) == 1 else 1
        loop.charge(self.site, Work.INT, INTEGER_COSTS["address wide"] / together)
        key = ("widened", base, step)
        if self.find(key, loop) is None:
            loop.available[key] = True
            # The loop's own step makes that of one copy, if each copy has its own.
            indices = 1 / together if together > 1 else (copies - 1) / copies
            loop.charge(self.site, Work.INT, INTEGER_COSTS["address step"] * indices)

    def _far_address(self, pointer: PointerValue, expr: Expr, far: float, varies: int) -> None:
        """Charge an addition for a constant that exceeds the instruction's offset field."""
        home = self.home(varies)
        key = (pointer.array, expr, far // _MAX_OFFSET_BYTES)
        if self.find(key, home) is None:
            home.available[key] = True
            home.charge(self.site, Work.INT, INTEGER_COSTS["address step wide"])

    def _adds_to_offset(self, pointer: PointerValue, base: Expr, step: Expr, loop: Region) -> bool:
        """Charge an address that is made of an offset which another array moves in a loop.

        Clang keeps one offset for all arrays that an index moves by a step known only at run time.
        A single array has an address that moves; of several each takes two additions.
        """
        same = shared_offset(pointer.offset, loop) if self.compiler.shares_offsets else None
        if same is None or step.constant is not None:
            return False
        key = ("offset", step, same)
        users = loop.available.setdefault(key, {})
        assert isinstance(users, dict)
        user = (_start_of(pointer.array), base)
        if user not in users:
            users[user] = len(users)
            if len(users) > 1:
                amount = INTEGER_COSTS["address step wide"]
                # The first one's address does not move any more either.
                loop.charge(self.site, Work.INT, amount * 2 if len(users) == 2 else amount)
        return bool(users[user])

    def _advancing_loop(self, expr: Expr, varies: int) -> Region | None:
        """The innermost loop if the address advances in it by an invariant stride; else None."""
        loop = self.region.innermost_loop
        if loop is None or loop.unrolled or loop.counter is None or not varies & loop.bit:
            return None
        step = expr.coefficient(loop.counter)
        if step is None or not step.terms:
            return None
        inner = any(symbol.scope in DATA_OR_CARRIED for symbol in expr.symbols())
        return None if inner else loop

    def _address_base(
        self,
        pointer: PointerValue,
        expr: Expr,
        varies: int,
        *,
        wide: bool,
        moving: Region | None = None,
    ) -> None:
        home = self.home(varies)
        key = (_start_of(pointer.array), expr)
        if self.find(key, home) is not None:
            return
        home.available[key] = True
        self._charge_base(pointer.offset, expr, home, wide=wide, moves=moving is not None)
        rows = moving is None and (wide or self._keeps_constant(pointer.offset, wide=False))
        self._need_index(pointer.offset, moving, wide=wide, rows=rows)

    def _charge_base(
        self,
        offset: Value,
        expr: Expr,
        home: Region,
        *,
        wide: bool,
        inner: bool = False,
        moves: bool = False,
    ) -> None:
        """Charge what adds an index to an address: one IMAD.WIDE of most 32-bit indices.

        ``inner``: another index is added to that address; ``moves``: it moves with a loop.
        """
        if not wide:
            home.charge(self.site, Work.INT, INTEGER_COSTS["address"])
            return
        if is_uniform(expr) and self.region.parent is None:
            home.charge(self.site, Work.INT, self.compiler.uniform_address_int_ops)
            return
        index = index_of(offset)
        if index is not None and is_wide(index.type) and not self._is_widened_here(index):
            of_threads = self._not_uniform(index, inner=inner)
            if of_threads == (index,) and not (inner or moves):
                self._charge_shifted(expr, home)
                return
            name = "address wide" if _is_widened_alone(of_threads) else "address of wide index"
            home.charge(self.site, Work.INT, INTEGER_COSTS[name] if of_threads else 0.0)
            return
        if any(abs(factor) % 2 for factor in expr.terms.values()):
            home.charge(self.site, Work.INT, INTEGER_COSTS["address of bytes"])
            key = ("sign", index.key()) if index is not None else None
            if index is None or is_nonnegative(index) or self.find(key, home) is not None:
                return
            home.available[key] = True
            home.charge(self.site, Work.INT, 1.0)  # SHF, which fills the upper half
            return
        home.charge(self.site, Work.INT, INTEGER_COSTS["address wide"])

    def _charge_shifted(self, expr: Expr, home: Region) -> None:
        """Charge an address by a 64-bit index: of several arrays, a shift once and each a sum."""
        amount = INTEGER_COSTS["address of wide index"]
        key = ("shifted", expr)
        users = self.find(key, home) or 0
        assert isinstance(users, int)
        home.available[key] = users + 1
        home.charge(self.site, Work.INT, 2 * amount if users == 1 else amount)

    def _is_widened_here(self, index: Value) -> bool:
        """Whether a 64-bit index is one of 32 bits that IMAD.WIDE widens on the way.

        What nvcc has widened for something else before, it takes from there.
        """
        if not is_widened(index):
            return False
        if self.compiler.splits_wide_indices or index.expr is None:
            return True
        expr, varies = self.without_unrolled(index)
        return self.find(("extend", expr), self.home(varies)) is None

    def _need_index(
        self,
        offset: Value,
        moving: Region | None,
        *,
        wide: bool,
        rows: bool,
        inner: bool = False,
    ) -> None:
        """Charge the index of an address; the address's multiply-add absorbs the index's last one.

        For an address that advances with a loop, charge only the loop-invariant part of the index.
        ``rows``: of an address with several indices, that before the last index is needed, too.
        ``inner``: another index is added to this address.
        """
        if offset.node is None:
            return
        operation, operands = offset.node
        if operation != "address":
            self.need(offset)
            return
        base, index = operands
        if base.node is not None and base.constant is None:
            if index.constant is None and rows:
                self._need_row(base, wide=wide)
            self._need_index(
                base, moving, wide=wide, rows=rows, inner=inner or index.constant is None
            )
        if index.constant is None:
            if moving is not None:
                self._need_fixed(index, moving)
            else:
                self._need_without_constant(index, inner=inner)

    def _need_row(self, base: Value, *, wide: bool) -> None:
        """Charge the address that another index is added to, such as that of a row of an array."""
        expr, varies = self.without_unrolled(base)
        home = self.home(varies)
        if expr is not None and self.find(("row", expr), home) is None:
            home.available["row", expr] = True
            self._charge_base(base, expr, home, wide=wide, inner=True)

    def _need_fixed(self, index: Value, loop: Region, depth: int = 0) -> None:
        """Charge the loop-invariant parts of an index."""
        if not index.varies & loop.bit:
            self.need(index)
        elif index.node is not None and depth < MAX_DEPTH:
            for operand in index.node[1]:
                self._need_fixed(operand, loop, depth + 1)

    def _need_without_constant(self, index: Value, *, inner: bool = False) -> None:
        """Charge an index without its constant summand, which goes into the address's offset field.

        The address's multiply-add widens the index to 64 bits. What all threads of a block add to
        the address is computed by the uniform datapath.
        """
        if is_wide(index.type) and not is_widened(index):
            of_threads = self._not_uniform(index, inner=inner)
            if of_threads != (index,):
                for each in of_threads:
                    self._need_without_constant(each)
                return
        if index.node is not None and index.node[0] == "extend":
            index = index.node[1][0]
        if (
            index.node is not None
            and index.node[0] in ("+", "-")
            and not may_exceed(index, bounded=self.compiler.bounds_thread_indices)
        ):
            left, right = index.node[1]
            if right.constant is not None:
                self._need_without_constant(left)
                return
            if left.constant is not None and index.node[0] == "+":
                self._need_without_constant(right)
                return
        self.need(index)

    def _not_uniform(self, index: Value, *, inner: bool) -> tuple[Value, ...]:
        """The summands of a 64-bit index that the uniform datapath does not add to its address.

        The index itself where the compiler leaves none to it, or where it was computed before.
        ``inner``: another index is added to that address.
        """
        expr, varies = self.without_unrolled(index)
        if expr is not None and self.find(expr, self.home(varies)) is not None:
            return (index,)
        parts = summands(index)
        if any(is_widening_product(each) for each in parts if is_same_in_block(each)):
            return (index,)  # One instruction multiplies and adds the rest.
        found = tuple(each for each in parts if not is_same_in_block(each))
        rest_is_wide = bool(found) and not _is_widened_alone(found)
        splits = self.compiler.splits_wide_indices or rest_is_wide or not (found or inner)
        return found if splits else (index,)


def _start_of(array: Array) -> Array | MemorySpace:
    """What an address starts from: shared arrays lie at constants, which go into its offset."""
    return array.space if array.space is MemorySpace.SHARED else array


def _is_widened_alone(parts: tuple[Value, ...]) -> bool:
    """Whether all that is left of an index is a number of 32 bits."""
    return len(parts) == 1 and (not is_wide(parts[0].type) or is_widened(parts[0]))
