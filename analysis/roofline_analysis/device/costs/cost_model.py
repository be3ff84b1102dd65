"""Where work is charged: the current region, value numbering, invariant motion, integer costs.

Floating-point work is noted where it is written, once per value number, and charged there at the
end of the walk unless nothing uses it (``operations``). Integer work is charged
when a value is needed in a register, and as the compiler would leave it: multiply-adds fused,
invariant parts before the loop, constant offsets folded into addresses, addresses that advance by a
fixed stride incremented rather than computed anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from roofline_analysis.device.costs.address_indices import (
    any_wraps_by_constant,
    index_of,
    is_addressable,
    is_counter,
    is_unsigned_counter,
    is_widened,
    may_exceed,
    may_wrap,
    stride_of,
    wraps_by_constant,
)
from roofline_analysis.device.costs.charged_integers import ChargedInteger
from roofline_analysis.device.costs.compilers import NVCC, CompilerProfile
from roofline_analysis.device.costs.fusion import taken_in
from roofline_analysis.device.costs.integer_costs import (
    INTEGER_COSTS,
    UNIFORM,
    integer_cost,
    is_nonnegative,
    is_uniform,
    is_wide,
)
from roofline_analysis.device.operations import Operation, OperationList
from roofline_analysis.device.values import PointerValue, Value
from roofline_analysis.regions.conditions import has_a_trip
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    Array,
    MemorySpace,
    Region,
    RegionForm,
    Role,
    Rounds,
    Site,
    Work,
)
from roofline_analysis.regions.unseen import Unseen, UnseenKind
from roofline_core.algebra.symbol_scopes import DATA_OR_CARRIED
from roofline_core.algebra.symbolic import Expr, Symbol, apply

_MAX_DEPTH = 150
"""The deepest chain of operands that is charged; of a deeper chain, the rest is left out."""
_MAX_OFFSET_BYTES = 1 << 23
"""The offset field of loads and stores has 24 bits with its sign."""

_NARROW: Final = (MemorySpace.SHARED, MemorySpace.LOCAL)
"""Memory that is addressed in 32 bits."""


class CostModel:
    """The cost model's state during the walk: regions, value numbers, charged work."""

    def __init__(self, path: Path, line: int, compiler: CompilerProfile = NVCC) -> None:
        self.compiler = compiler
        self.root = Region(RegionForm.KERNEL, None, (path, line))
        self.region = self.root
        self.site: Site = (path, line)
        self.next_bit = 1
        self.operations = OperationList()
        self._charged: dict[object, ChargedInteger] = {}
        """Integers by value number: where the instructions that make them were charged last."""
        self.accesses = 0
        """Accesses that were recorded so far, each as often as it stands in the walked code."""
        self.value_counts: dict[tuple[Array, Symbol], int] = {}
        """How many values loaded numbers can have that pick elements of declared arrays."""

    # -- regions

    def open_guard(
        self,
        conditions: tuple[Expr | None, ...],
        odds: float | None = None,
        role: Role = Role.TAKEN,
    ) -> Region:
        """Enter a guard; leave it with ``close``."""
        guard = Region(
            RegionForm.GUARD, self.region, self.site, conditions=conditions, odds=odds, role=role
        )
        self.region.children.append(guard)
        self.region = guard
        return guard

    def open_loop(self) -> Region:
        """Enter a loop; leave it with ``close``."""
        loop = Region(RegionForm.LOOP, self.region, self.site, bit=self.next_bit)
        self.next_bit <<= 1
        self.region.children.append(loop)
        self.region = loop
        return loop

    def close(self, region: Region) -> None:
        """Leave a region that was opened."""
        if region.parent is not None:
            self.region = region.parent

    def home(self, varies: int) -> Region:
        """The outermost region to which a value that varies in the loops ``varies`` is hoisted."""
        here = self.region
        found = here.hoist_regions.get(varies)
        if found is None:
            found = here.hoist_regions[varies] = self._home(here, varies)
        return found

    @staticmethod
    def _home(here: Region, varies: int) -> Region:
        outermost: Region | None = None
        for loop in here.loops():
            if varies & loop.bit or loop.parent is None:
                break
            outermost = loop
        return here if outermost is None else entry_of(outermost)

    def loop_bits(self) -> int:
        """The bit set of all enclosing loops."""
        bits = 0
        for region in self.region.ancestors():
            bits |= region.bit
        return bits

    def conditions_within(self, loop: Region) -> tuple[Expr | None, ...]:
        """The conditions under which control reaches this point in a trip of ``loop``."""
        found: tuple[Expr | None, ...] = ()
        for region in self.region.within(loop):
            found = region.conditions + found
        return found

    def find(self, key: object, home: Region) -> object | None:
        """The value numbered by ``key`` in ``home`` or a region around it; None without one."""
        return home.available_value(key)

    def lose(self, kind: UnseenKind, name: str) -> None:
        """Record that what the current line does here is missing from the counts."""
        path, line = self.site
        self.region.unseen.append(Unseen(kind, name, path, line))

    # -- charging

    def charge(self, kind: Work, amount: float, varies: int | None = None) -> None:
        """Charge work to the current line, hoisted out of the loops in which it is invariant."""
        if amount:
            home = self.region if varies is None else self.home(varies)
            home.charge(self.site, kind, amount)

    def note(
        self,
        operands: tuple[Value, ...],
        charges: tuple[tuple[Work, float], ...],
        varies: int,
        *,
        needs: tuple[Value, ...] = (),
        fusable: tuple[Value, ...] = (),
        product: Work | None = None,
    ) -> Operation:
        """Record a floating-point operation, which is charged only if its result is used.

        The operation belongs to the current line, hoisted out of loops in which it is invariant.
        ``needs`` are operands needed in registers; ``fusable`` are operands that a multiply-add can
        absorb if they are products; ``product``: a multiply-add can absorb this operation.
        """
        return self.operations.note(
            Operation(
                self.home(varies),
                self.site,
                [operand.made for operand in operands if operand.made is not None],
                charges=charges,
                needs=_products_of(needs),
                fusable=tuple(
                    None if o.made is None or o.made.product is None else o.made for o in fusable
                ),
                product=product,
            )
        )

    def passed_on(self, operands: tuple[Value, ...]) -> Operation | None:
        """The operations whose result a value forwards unchanged, once something uses that value.

        The operands then count as needed. None if no floating-point operation made an operand.
        """
        inputs = [operand.made for operand in operands if operand.made is not None]
        if not inputs:
            return None
        if len(inputs) == 1 and inputs[0].product is None:
            return inputs[0]
        needs = _products_of(operands)
        return self.operations.note(Operation(self.region, self.site, inputs, needs=needs))

    def needed_by_run(self, value: Value) -> Operation:
        """The operation that carries a value into the loop's next trip."""
        return self.note((value,), (), value.varies, needs=(value,))

    def without_unrolled(self, value: Value) -> tuple[Expr | None, int]:
        """The value's expression and loop bits, as seen from outside fully unrolled loops."""
        expr, varies = value.expr, value.varies
        if not varies or expr is None:
            return expr, varies
        for region in self.region.ancestors():
            if region.unrolled and varies & region.bit and region.counter is not None:
                coefficient = expr.coefficient(region.counter)
                # Without the counter, the value varies for another reason.
                if coefficient is not None and coefficient.constant:
                    expr = expr - coefficient * Expr({(region.counter,): 1})
                    varies &= ~region.bit
        return expr, varies

    def need(self, value: Value, depth: int = 0) -> None:
        """Charge the instructions that bring the value into a register."""
        node = value.node
        if node is None:
            if value.made is not None:
                self.operations.need(value.made, self.region, self.site)
            return
        if depth > _MAX_DEPTH or value.constant is not None:
            return
        expr, varies = self.without_unrolled(value)
        home = self.home(varies)
        operation, operands = node
        key: object = expr if expr is not None else value
        if operation == "extend":
            key = ("extend", key)  # The expression alone also identifies the operand.
        if self.find(key, home) is not None:
            return
        if self._is_shared(key, value, home, depth):
            return
        home.available[key] = True
        if operation == "/" and self.find(("by remainder", expr), home) is not None:
            home.charge(self.site, Work.INT, INTEGER_COSTS["quotient of remainder"])
            return
        if operation == "%" and self._has_quotient(operands, home):
            operation = "*"
        elif operation == "%":
            self._note_remainder(operands, home)
        operands = (
            taken_in(operation, value.type, operands, lambda one: self._is_free(one, home))
            or operands
        )
        for operand in operands:
            self.need(operand, depth + 1)
        amount = 0.0
        if operation not in UNIFORM or expr is None or not is_uniform(expr):
            amount = integer_cost(
                operation, value.type, operands, divides_by_warp=self.compiler.divides_by_warp
            )
            home.charge(self.site, Work.INT, amount)
        self._charged[key] = ChargedInteger(value, operands, home, self.site, amount)

    def _is_shared(self, key: object, value: Value, home: Region, depth: int) -> bool:
        """Whether another branch needed a value before; it is then charged before both."""
        earlier = self._charged.get(key)
        if earlier is None or earlier.value is not value:
            return False
        common = earlier.move_to_common(home)
        if common is None:
            return False
        common.available[key] = True
        for operand in earlier.operands:
            self.need(operand, depth + 1)
        return True

    def _is_free(self, value: Value, home: Region) -> bool:
        """Whether a value that belongs in ``home`` has not been computed yet."""
        expr, varies = self.without_unrolled(value)
        if self.home(varies) is not home:
            return False
        return self.find(expr if expr is not None else value, home) is None

    def _has_quotient(self, operands: tuple[Value, ...], home: Region) -> bool:
        """Whether ``a / b`` was computed before: ``a % b`` is then a multiply-subtract."""
        dividend, divisor = operands
        if dividend.expr is None or divisor.expr is None or divisor.constant == 0:
            return False
        return self.find(apply("div", dividend.expr, divisor.expr), home) is not None

    def _note_remainder(self, operands: tuple[Value, ...], home: Region) -> None:
        """``a % b`` computes most of ``a / b`` on its way."""
        dividend, divisor = operands
        if dividend.expr is not None and divisor.expr is not None and divisor.constant != 0:
            home.available["by remainder", apply("div", dividend.expr, divisor.expr)] = True

    # -- addresses

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
        self._charge_base(offset, base, loop, wide=wide)
        index = ("index", base, step)
        if not wide or is_counter(offset, loop) or self.find(index, loop) is not None:
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
        self._charge_base(pointer.offset, expr, home, wide=wide)
        rows = moving is None and (wide or self._keeps_constant(pointer.offset, wide=False))
        self._need_index(pointer.offset, moving, wide=wide, rows=rows)

    def _charge_base(self, offset: Value, expr: Expr, home: Region, *, wide: bool) -> None:
        """Charge what adds an index to an address: one IMAD.WIDE of most 32-bit indices."""
        if not wide:
            home.charge(self.site, Work.INT, INTEGER_COSTS["address"])
            return
        if is_uniform(expr) and self.region.parent is None:
            home.charge(self.site, Work.INT, self.compiler.uniform_address_int_ops)
            return
        index = index_of(offset)
        if index is not None and is_wide(index.type) and not is_widened(index):
            home.charge(self.site, Work.INT, INTEGER_COSTS["address of wide index"])
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

    def _need_index(self, offset: Value, moving: Region | None, *, wide: bool, rows: bool) -> None:
        """Charge the index of an address; the address's multiply-add absorbs the index's last one.

        For an address that advances with a loop, charge only the loop-invariant part of the index.
        ``rows``: of an address with several indices, that before the last index is needed, too.
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
            self._need_index(base, moving, wide=wide, rows=rows)
        if index.constant is None:
            if moving is not None:
                self._need_fixed(index, moving)
            else:
                self._need_without_constant(index)

    def _need_row(self, base: Value, *, wide: bool) -> None:
        """Charge the address that another index is added to, such as that of a row of an array."""
        expr, varies = self.without_unrolled(base)
        home = self.home(varies)
        if expr is not None and self.find(("row", expr), home) is None:
            home.available["row", expr] = True
            self._charge_base(base, expr, home, wide=wide)

    def _need_fixed(self, index: Value, loop: Region, depth: int = 0) -> None:
        """Charge the loop-invariant parts of an index."""
        if not index.varies & loop.bit:
            self.need(index)
        elif index.node is not None and depth < _MAX_DEPTH:
            for operand in index.node[1]:
                self._need_fixed(operand, loop, depth + 1)

    def _need_without_constant(self, index: Value) -> None:
        """Charge an index without its constant summand, which goes into the address's offset field.

        The address's multiply-add widens the index to 64 bits.
        """
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

    # -- memory

    def touch(
        self, pointer: PointerValue, size_bytes: int, mode: AccessMode, yields: Symbol | None = None
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
            Access(pointer.array, offset, size_bytes, mode, self.site, varies, yields)
        )


def entry_of(loop: Region) -> Region:
    """Where a loop's invariants are computed: by the threads that have a trip, if that is known."""
    around = loop.parent
    assert around is not None
    if loop.entry is None:
        condition = has_a_trip(loop.trips) if loop.trips is not None and not loop.unrolled else None
        if condition is None or condition.constant is not None:
            return around
        loop.entry = Region(
            RegionForm.GUARD, around, loop.site, conditions=(condition,), role=Role.ENTERS
        )
        loop.entry.available = around.available  # What it computes is there after the loop too.
        # From the end: the loop is the newest child, or nearly.
        children = around.children
        place = next(at for at in reversed(range(len(children))) if children[at] is loop)
        children.insert(place, loop.entry)
    return loop.entry


def _start_of(array: Array) -> Array | MemorySpace:
    """What an address starts from: shared arrays lie at constants, which go into its offset."""
    return array.space if array.space is MemorySpace.SHARED else array


def _products_of(values: tuple[Value, ...]) -> tuple[Operation, ...]:
    return tuple(
        value.made for value in values if value.made is not None and value.made.product is not None
    )
