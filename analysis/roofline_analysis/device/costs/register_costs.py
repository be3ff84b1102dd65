"""Where work is charged: the current region, value numbering, invariant motion, integer costs.

Floating-point work is noted where it is written, once per value number, and charged there at the
end of the walk unless nothing uses it (``operations``). Integer work is charged when a value is
needed in a register, and as the compiler would leave it: multiply-adds fused, invariant parts
before the loop.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from roofline_analysis.device.costs.charged_integers import ChargedInteger
from roofline_analysis.device.costs.compilers import NVCC, CompilerProfile
from roofline_analysis.device.costs.fusion import instructions
from roofline_analysis.device.costs.integer_costs import (
    INTEGER_COSTS,
    UNIFORM,
    is_uniform,
    is_wide,
)
from roofline_analysis.device.operations import Operation, OperationList
from roofline_analysis.device.values import Value
from roofline_analysis.regions.conditions import has_a_trip
from roofline_analysis.regions.kernel_summary import (
    Array,
    Region,
    RegionForm,
    Role,
    Site,
    Work,
)
from roofline_analysis.regions.unseen import Unseen, UnseenKind
from roofline_core.algebra.symbolic import Expr, Symbol, apply

MAX_DEPTH: Final = 150
"""The deepest chain of operands that is charged; of a deeper chain, the rest is left out."""


class RegisterCosts:
    """Regions, value numbers, and the work that brings values into registers."""

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
        if depth > MAX_DEPTH or value.constant is not None:
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
        operands, amount = instructions(
            operation,
            value.type,
            operands,
            lambda one: self._is_free(one, home),
            divides_by_warp=self.compiler.divides_by_warp,
        )
        for operand in operands:
            self.need(operand, depth + 1)
        if operation in UNIFORM and expr is not None and is_uniform(expr):
            amount = amount if is_wide(value.type) and operation != "extend" else 0.0
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


def _products_of(values: tuple[Value, ...]) -> tuple[Operation, ...]:
    return tuple(
        value.made for value in values if value.made is not None and value.made.product is not None
    )
