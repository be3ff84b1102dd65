"""Arrays of a thread's own: in registers while every index is a constant, else in local memory.

Whether an array is in registers is only known at the end of the walk, so uses are noted as they
come and turned into accesses for the arrays that some index addresses at run time. An array of
constants that nothing writes is one table for all threads, in constant memory, to compilers that
see so; to the others each thread writes it where it is declared, unless it is ``static``.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.device.state.variables import Variables
from roofline_analysis.device.values import (
    LAUNCH,
    THREAD,
    DeviceValue,
    FieldPlace,
    Place,
    StructValue,
    Value,
    VariablePlace,
)
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    Array,
    MemorySpace,
    Region,
    Site,
)
from roofline_core.algebra.symbol_scopes import DATA_OR_CARRIED
from roofline_core.algebra.symbolic import ZERO, Expr, constant, from_atom
from roofline_core.program.records import record
from roofline_core.program.types import Type


@record(frozen=True, slots=True)
class _Use:
    region: Region
    site: Site
    mode: AccessMode
    offset: Expr | None
    """Bytes from the array's start; None where the index depends on data."""
    size_bytes: int


class LocalArrays:
    """The uses of a kernel's local arrays."""

    def __init__(self) -> None:
        self._uses: dict[int, list[_Use]] = {}
        self._types: dict[int, Type] = {}
        self._addressed: set[int] = set()
        self._changing: set[int] = set()
        """Arrays that are written, or hold something else than constants where they are read."""
        self._checked: dict[int, StructValue] = {}
        self._initial: dict[int, tuple[Region, Site]] = {}
        """Where arrays are declared that begin with a list or a string, ``static`` ones left out.
        """
        self._bytes: dict[tuple[int, Type], int] = {}
        """Bytes of an array's elements and rows, by their type: a declaration fixes them."""

    def begin(self, interpreter: Variables, slot: int) -> None:
        """Note that an array is declared here with its elements."""
        self._initial[slot] = interpreter.costs.region, interpreter.costs.site

    def note(self, interpreter: Variables, place: FieldPlace, mode: AccessMode) -> bool:
        """Record a read or write of an array element, and charge the address of one in memory.

        Returns whether its index is known only at run time.
        """
        found = self._locate(interpreter, place)
        if found is None:
            return False
        slot, offset, fixed = found
        size = self._bytes_of(interpreter, slot, place.type)
        costs = interpreter.costs
        self._uses.setdefault(slot, []).append(_Use(costs.region, costs.site, mode, offset, size))
        self._types[slot] = interpreter.slot_types[slot]
        if slot in self._addressed:
            costs.accesses += 1
        elif not fixed:
            self._addressed.add(slot)
            costs.accesses += len(self._uses[slot])
        self._note_contents(interpreter, slot, mode)
        if not fixed:
            for index in _indices(place):
                costs.need(index)
            costs.need_local_address(slot, offset, _varies(place))
        return not fixed

    def _locate(
        self, interpreter: Variables, place: FieldPlace
    ) -> tuple[int, Expr | None, bool] | None:
        """The array's variable, the element's offset in bytes, and whether its index is fixed."""
        indices: list[tuple[Value, Type]] = []
        current: Place = place
        while isinstance(current, FieldPlace):
            if current.index is not None:
                indices.append((current.index, current.type))
            current = current.owner
        if not isinstance(current, VariablePlace) or current.slot not in interpreter.slots:
            return None
        slot = current.slot
        held = interpreter.slots[slot]
        if not isinstance(held, StructValue) or not interpreter.slot_types[slot].dims:
            return None
        offset: Expr | None = ZERO
        fixed = True
        for index, type_ in indices:
            fixed = fixed and _is_fixed(interpreter, index)
            size = self._bytes_of(interpreter, slot, type_)
            offset = offset + index.expr * size if offset is not None and index.expr else None
        return slot, offset, fixed

    def _bytes_of(self, interpreter: Variables, slot: int, type_: Type) -> int:
        known = self._bytes.get((slot, type_))
        if known is None:
            known = self._bytes[slot, type_] = interpreter.bytes_of(type_)
        return known

    def _note_contents(self, interpreter: Variables, slot: int, mode: AccessMode) -> None:
        held = interpreter.slots[slot]
        if mode is not AccessMode.READ or not isinstance(held, StructValue) or not held.fields:
            self._changing.add(slot)
        elif slot not in self._changing and self._checked.get(slot) is not held:
            self._checked[slot] = held
            if not all(map(_is_constant, held.fields.values())):
                self._changing.add(slot)

    def emit(self, interpreter: Variables) -> None:
        """Add the accesses of those arrays that stand in local memory to their regions."""
        thread = _linear_thread()
        for slot in sorted(self._addressed):
            type_ = self._types[slot]
            whole = interpreter.types.size(type_)
            if whole is None:
                continue
            filled = self._initial.get(slot) if interpreter.costs.compiler.fills_tables else None
            if slot not in self._changing and filled is None:
                self._emit_table(slot, type_, whole)
                continue
            array = Array(f"local array at slot {slot}", MemorySpace.LOCAL, type_)
            if slot not in self._changing and filled is not None:
                region, site = filled
                written = Access(array, thread * whole, whole, AccessMode.WRITE, site)
                region.accesses.append(written)
            for use in self._uses[slot]:
                offset, size = use.offset, use.size_bytes
                if offset is None or any(s.scope in DATA_OR_CARRIED for s in offset.symbols()):
                    offset, size = ZERO, whole
                use.region.accesses.append(
                    Access(array, thread * whole + offset, size, use.mode, use.site)
                )

    def _emit_table(self, slot: int, type_: Type, whole: int) -> None:
        name = f"table at slot {slot}"
        array = Array(name, MemorySpace.CONSTANT, type_, read_only=True, size_bytes=constant(whole))
        for use in self._uses[slot]:
            offset = ZERO if use.offset is None else use.offset
            use.region.accesses.append(Access(array, offset, use.size_bytes, use.mode, use.site))


def _indices(place: FieldPlace) -> Iterator[Value]:
    current: Place = place
    while isinstance(current, FieldPlace):
        if current.index is not None:
            yield current.index
        current = current.owner


def _varies(place: FieldPlace) -> int:
    """The loops in which an element's place varies."""
    loops = 0
    for index in _indices(place):
        loops |= index.varies
    return loops


def _is_constant(value: DeviceValue) -> bool:
    if isinstance(value, StructValue):
        return all(map(_is_constant, value.fields.values()))
    return isinstance(value, Value) and value.constant is not None


def _is_fixed(interpreter: Variables, index: Value) -> bool:
    """Whether the index is a constant once the loops around are unrolled."""
    if index.constant is not None:
        return True
    expr, _ = interpreter.costs.without_unrolled(index)
    return expr is not None and expr.constant is not None


def _linear_thread() -> Expr:
    total = ZERO
    scale = constant(1)
    for index, extent in (("threadIdx", "blockDim"), ("blockIdx", "gridDim")):
        for axis in "xyz":
            total = total + scale * from_atom(THREAD[f"{index}.{axis}"])
            scale = scale * from_atom(LAUNCH[f"{extent}.{axis}"])
    return total
