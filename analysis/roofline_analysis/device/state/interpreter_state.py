"""The state of the walk over one kernel: variables, scopes, the entry points of its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from roofline_analysis.device.costs.compilers import NVCC, CompilerProfile
from roofline_analysis.device.costs.cost_model import CostModel
from roofline_analysis.device.state.byte_vectors import ByteVectors
from roofline_analysis.device.state.dead_code import keep, keep_place
from roofline_analysis.device.state.flow import Flow
from roofline_analysis.device.state.frames import BlockScope, DeviceFrame, Entered, Names
from roofline_analysis.device.state.handed_values import HandedValues
from roofline_analysis.device.state.local_arrays import LocalArrays
from roofline_analysis.device.state.sizes import MAX_LEAVES, MAX_NESTED_FIELDS, assumed_bytes
from roofline_analysis.device.values import (
    WARP_SIZE,
    DeviceValue,
    FieldPlace,
    Place,
    PlacePointer,
    PointerValue,
    StructValue,
    SwizzlePlace,
    Value,
    VariablePlace,
    number,
)
from roofline_analysis.language import scope as language
from roofline_analysis.language.constant_expressions import Typed, evaluate
from roofline_analysis.language.scope import Number
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.language.types import is_float, is_integer, is_unsigned
from roofline_analysis.language.types_in_force import TypesInForce
from roofline_analysis.regions.kernel_summary import (
    UNKNOWN_FACTOR,
    AccessMode,
    Array,
    AssumedSymbol,
    LoopNumber,
    MemorySpace,
)
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol, constant, from_atom, make_symbol
from roofline_core.program.expressions import Call, Expression, Name, SizeOf
from roofline_core.program.records import record
from roofline_core.program.statements import Statement
from roofline_core.program.types import Type
from roofline_core.program.units import Dialect, Function, Problem, Severity, is_stand_in

_GLOBAL: Final = MemorySpace.GLOBAL
_UNKNOWN: Final = SymbolScope.UNKNOWN
MAX_INLINE_DEPTH = 40  # calls within one another that are walked: a limit on the work
MAX_STATEMENTS = 7_000  # statements of one kernel that are walked: a limit on the work
MAX_ACCESSES = 4_000  # accesses of one kernel to memory: likewise
MAX_EXPRESSIONS = 100_000  # expressions of one kernel that are evaluated: likewise


@record(frozen=True, slots=True)
class DeviceParts:
    """The functions that walk each kind of node: they call the interpreter, and it calls them."""

    evaluate: Callable[[DeviceInterpreter, Expression], DeviceValue]
    execute: Callable[[DeviceInterpreter, Statement], Flow]
    call: Callable[[DeviceInterpreter, Call], DeviceValue | Place]
    place_of: Callable[[DeviceInterpreter, Expression], Place | None]
    field_place: Callable[[DeviceInterpreter, Place, str], Place | None]
    dereference: Callable[[DeviceInterpreter, DeviceValue], Place | None]
    coerce: Callable[[DeviceInterpreter, DeviceValue, Type], DeviceValue]
    converted: Callable[[DeviceInterpreter, StructValue, Type | None], DeviceValue | None]
    constant_of: Callable[[DeviceInterpreter, Expression], int | None]
    load: Callable[[DeviceInterpreter, PointerValue], DeviceValue]
    store: Callable[[DeviceInterpreter, PointerValue, DeviceValue], None]


@dataclass(slots=True)
class Divisions:
    """What tells a division that is written as a multiplication (``fast_division.py``)."""

    members: list[tuple[Expr, list[Expr]]] = field(default_factory=list)
    """Members of arguments that may be a divisor with what replaces it, each with all three."""
    high_words: dict[Symbol, list[Expr | None]] = field(default_factory=dict)
    """Symbols that are the upper half of a product, with its factors."""


@dataclass(slots=True)
class LoopNotes:
    """What was seen of the numbers that loops change."""

    numbers: dict[Symbol, LoopNumber] = field(default_factory=dict)
    at_exits: dict[int, list[DeviceValue]] = field(default_factory=dict)
    """The values that variables have where a loop or call is left early, by slot."""
    sums: dict[Expr, Expr] = field(default_factory=dict)
    """What floats that a loop changes are before it, by what stands for them in a trip."""


class DeviceInterpreter:
    """State of the walk.

    The work is done by the functions of ``expressions``, ``statements`` and ``calls``, which take
    the interpreter as their first argument.
    """

    expressions = 0
    """Expressions evaluated."""
    statements = 0
    """Statements walked."""
    unrolled_nodes = 0
    """Nodes of loops that were walked run by run."""
    shared_bytes = 0
    """Of the shared arrays that were declared."""
    gave_up = False
    """Whether the rest of the kernel is left out because it is too long."""
    null_arguments: frozenset[str] = frozenset()
    """Pointers in arguments that the launch passes as null, by path."""
    changed: Place | None = None
    """What the assignment or increment that was evaluated last has changed."""
    static_types: dict[int, Type | None] | None = None
    """The types found while one is determined, by the identities of their nodes."""

    def __init__(
        self,
        system: TypeSystem,
        kernel: Function,
        bindings: Mapping[str, Type | int],
        parts: DeviceParts,
        warp_size: int = WARP_SIZE,
        compiler: CompilerProfile = NVCC,
    ) -> None:
        self.parts = parts
        self._warp_size = warp_size
        self.asks_warp_size = False
        """Whether something that was walked depends on how many threads a warp has."""
        self.symbols = system.symbols
        self.kernel = kernel
        self.costs = CostModel(kernel.path, kernel.span.line, compiler)
        self.constants: dict[str, DeviceValue] = {}
        """Template parameters in force whose numbers are not known."""
        self.globals: dict[str, DeviceValue] = {}
        """Global variables read so far, by qualified name."""
        self.opencl = kernel.dialect is Dialect.OPENCL
        self.contracts_all = kernel.dialect is not Dialect.OPENMP
        """Any product is fused with a sum, as nvcc does. Clang for OpenMP does so by default only
        where one expression has both."""
        self.written_products: tuple[bool, bool] = (False, False)
        """Which operands of the operator to be computed are written as products."""
        names = system.scope_with({**system.names_near(kernel), **bindings})
        self.types = TypesInForce(system, names, self._number_of)
        self.scope = BlockScope({})
        self.frames = [DeviceFrame(kernel)]
        self.path: Path = kernel.path
        self._looked_at: Path | None = None
        self._stands_in = False
        self.slots: dict[int, DeviceValue] = {}
        self.slot_types: dict[int, Type] = {}
        self.never_set: dict[int, DeviceValue] = {}
        """What variables hold that were declared without a value, by ``id``."""
        self.next_slot = 0
        self.entries: list[int] = []
        """For each enclosing loop or switch, the first slot of the variables local to a trip."""
        self.next_fresh = 0
        self.first_channels: set[Expression] = set()
        """Calls whose result is used only in its first element."""
        self.arrays: dict[str, Array] = {}
        self.local_arrays = LocalArrays()
        self.byte_vectors = ByteVectors()
        self.array_varies: dict[int, int] = {}
        """For each local array's slot, the bit set of loops that change its elements."""
        self.epochs: dict[object, int] = {}
        self.handed = HandedValues()
        self.assumptions: list[AssumedSymbol] = []
        self.arguments: dict[int, str] = {}
        """The names of the kernel's parameters, by their slots."""
        self.meanings: dict[Symbol, Expr] = {}
        """Symbols created by ``fresh`` as exact expressions over loaded values."""
        self.divisions = Divisions()
        self.loop_notes = LoopNotes()
        self.problems: list[Problem] = []
        self.unknown_sizes: dict[str, int] = {}
        """Types of unknown size, with the bytes assumed for each."""

    @property
    def warp_size(self) -> int:
        """Threads of a warp; sets ``asks_warp_size``."""
        self.asks_warp_size = True
        return self._warp_size

    def close(self) -> None:
        """Let go of names and values, which refer back to this, once the walk has ended.

        What nothing refers to is then freed at once, and not by the collector of garbage.
        """
        self.types.close()
        self.costs.operations.forget()
        self.costs.root.end_walk()
        self.scope = BlockScope({})
        self.slots, self.never_set = {}, {}
        self.constants = {}
        self.globals = {}

    # -- names

    def names(self) -> Names:
        """The present name bindings, for a lambda that is called elsewhere."""
        return Names({}, self.types.scope, self.constants, self.scope)

    def enter(self, names: Names) -> Entered:
        """Use other names from now on, those of a function to be walked."""
        before = self.scope, self.types.enter(names.types), self.constants
        self.scope = BlockScope(dict(names.local), names.parent)
        self.constants = names.constants
        return before

    def leave(self, before: Entered) -> None:
        """Come back to the names that were in force before ``enter``."""
        self.scope, types, self.constants = before
        self.types.leave(types)

    def _number_of(self, node: Expression) -> Number | None:
        """The number of a name, ``sizeof`` or call that only the walk knows, without effects."""
        if isinstance(node, Name):
            place = self.scope.find(node.name)
            held = self.slots.get(place.slot) if isinstance(place, VariablePlace) else None
            value = held if held is not None else self.constants.get(node.name)
            return value.constant if isinstance(value, Value) else None
        if isinstance(node, SizeOf) and isinstance(node.operand, Type):
            place = self.scope.find(node.operand.name)
            return None if place is None else self.types.size(self.place_type(place))
        return self.parts.constant_of(self, node) if isinstance(node, Call) else None

    def typed_constant(self, node: Expression) -> Typed | None:
        """The number that a constant expression has outside this function, with its type."""
        outside = language.without_variables(self.types.scope)
        return evaluate(self.types.system, node, outside)

    # -- sizes

    def bytes_of(self, type_: Type) -> int:
        """Bytes of a value; of a type whose size is not known a number that the summary names."""
        return assumed_bytes(self.types, type_, self.unknown_sizes)

    # -- the other parts of the walk

    def evaluate(self, node: Expression) -> DeviceValue:
        """The value of an expression."""
        return self.parts.evaluate(self, node)

    def call(self, node: Call) -> DeviceValue | Place:
        """What a call gives: of a function that returns a reference the place, not read yet."""
        return self.parts.call(self, node)

    def execute(self, node: Statement) -> Flow:
        """Walk a statement."""
        return self.parts.execute(self, node)

    def forget_change(self) -> None:
        """Before something is evaluated of which ``changed`` is to tell."""
        self.changed = None

    def place_of(self, node: Expression) -> Place | None:
        """Where an expression's value is stored."""
        return self.parts.place_of(self, node)

    def field_place(self, owner: Place, name: str) -> Place | None:
        """The place of a member."""
        return self.parts.field_place(self, owner, name)

    def dereference(self, value: DeviceValue) -> Place | None:
        """The place an address names."""
        return self.parts.dereference(self, value)

    def coerce(self, value: DeviceValue, type_: Type) -> DeviceValue:
        """The value as stored in a variable of this type."""
        return self.parts.coerce(self, value, type_)

    def type_of(self, value: DeviceValue) -> Type:
        """The type of a value."""
        if isinstance(value, Value):
            return Type(value.type)
        if isinstance(value, (PointerValue, PlacePointer)):
            return value.pointee.pointer_to()
        if isinstance(value, StructValue):
            return value.type
        return Type("function")

    def place_type(self, place: Place) -> Type:
        """The type of the variable, field or location at a place."""
        if isinstance(place, VariablePlace):
            return self.slot_types.get(place.slot, Type("int"))
        if isinstance(place, (FieldPlace, SwizzlePlace)):
            return place.type
        return place.pointer.pointee

    # -- variables

    def fresh(self, name: str, scope: SymbolScope, *, nonnegative: bool = False) -> Expr:
        """A new symbol for a number the source does not give."""
        self.next_fresh += 1
        made = make_symbol(f"{name or 'value'}#{self.next_fresh}", scope, nonnegative=nonnegative)
        self.assumptions.append(AssumedSymbol(made, name or "value"))
        return from_atom(made)

    def unknown_factor(self) -> Expr:
        """A number of which nothing is known, and which no launch gives."""
        self.next_fresh += 1
        return from_atom(make_symbol(f"{UNKNOWN_FACTOR}#{self.next_fresh}", SymbolScope.UNKNOWN))

    def means(self, number: Expr, estimate: Expr | None) -> None:
        """Record the exact expression of a symbol that ``fresh`` created."""
        if estimate is not None:
            (made,) = number.symbols()
            self.meanings[made] = estimate

    def declare(self, name: str, type_: Type, value: DeviceValue) -> VariablePlace:
        """A new variable in the current scope."""
        slot = self.next_slot
        self.next_slot += 1
        self.slots[slot] = value
        self.slot_types[slot] = type_
        place = VariablePlace(slot)
        if name:
            self.scope.names[name] = place
        return place

    def constant_place(self, key: str, type_: Type, value: StructValue) -> VariablePlace:
        """The place of an object in constant memory, of which ``globals`` has the value by ``key``.

        Its slot is below those of variables: it ends with no scope.
        """
        slot = -1 - list(self.globals).index(key)
        self.slots.setdefault(slot, value)
        self.slot_types[slot] = type_
        self.arguments[slot] = key.rpartition("::")[2]
        return VariablePlace(slot)

    def drop_slots(self, first: int) -> None:
        """Forget the variables declared since ``first``: their scope has ended."""
        for slot in range(first, self.next_slot):
            self.slots.pop(slot, None)
            self.slot_types.pop(slot, None)

    def opaque(
        self, type_: Type, varies: int, name: str = "", scope: SymbolScope = _UNKNOWN
    ) -> DeviceValue:
        """An unknown value of this type."""
        resolved = self.types.resolve(type_)
        if resolved.dims:
            return StructValue(resolved)
        if resolved.pointers:
            pointee = Type(
                resolved.name, resolved.args, resolved.pointers - 1, const=resolved.const
            )
            array = Array(name or "pointer", _GLOBAL, pointee, indirect=True)
            return PointerValue(array, number(0, "long"), pointee)
        layout = self.types.fields(resolved) if not is_integer(resolved.name) else None
        nested = name.count(".") > MAX_NESTED_FIELDS
        if layout is not None and self.types.leaves(resolved) > MAX_LEAVES:
            return StructValue(resolved)  # Its fields are made when they are read.
        if layout is not None and not is_float(resolved.name) and not nested:
            fields = {
                key: self.opaque(inner.type, varies, f"{name}.{key}", scope)
                for key, inner in layout.items()
            }
            return StructValue(resolved, fields)
        if is_integer(resolved.name) or resolved.name == "auto":
            type_name = "int" if resolved.name == "auto" else resolved.name
            nonnegative = is_unsigned(type_name)
            return Value(type_name, self.fresh(name, scope, nonnegative=nonnegative), varies)
        return Value(resolved.name, None, varies)

    def read(self, place: Place) -> DeviceValue:
        """The value at a place; a load from memory is recorded."""
        if isinstance(place, VariablePlace):
            held = self.slots.get(place.slot)
            # A lambda that was returned may name variables of a function that has ended.
            return self.opaque(Type("int"), self.costs.loop_bits()) if held is None else held
        if isinstance(place, FieldPlace):
            owner = self.read_owner(place.owner)
            if place.index is not None:
                self.local_arrays.note(self, place, AccessMode.READ)
            if isinstance(owner, StructValue):
                found = owner.fields.get(place.name) if place.name is not None else None
                if found is not None:
                    return found
                keep_place(self, place)
                return self.opaque(place.type, self._field_variation(owner, place))
            if isinstance(owner, PlacePointer):
                return self.read(FieldPlace(owner.place, place.name, place.type))
            keep_place(self, place)
            return self.opaque(place.type, self.costs.loop_bits())
        if isinstance(place, SwizzlePlace):
            return self._read_swizzle(place)
        return self.parts.load(self, place.pointer)

    def _read_swizzle(self, place: SwizzlePlace) -> DeviceValue:
        owner = self.read(place.owner)
        held = owner.fields if isinstance(owner, StructValue) else {}
        fields = self.types.fields(place.type) or {}
        parts = {
            name: held[source] if source in held else self.opaque(fields[name].type, 0)
            for name, source in zip(fields, place.names, strict=True)
        }
        return StructValue(place.type, parts)

    def read_owner(self, place: Place) -> DeviceValue:
        """The object that a field or element is part of; reading it whole is not an access."""
        if isinstance(place, FieldPlace):
            owner = self.read_owner(place.owner)
            if isinstance(owner, PlacePointer):
                owner = self.read_owner(owner.place)
            if isinstance(owner, StructValue) and place.name is not None:
                found = owner.fields.get(place.name)
                if found is not None:
                    return found
            if place.name is None:
                keep_place(self, place)
            return self.opaque(place.type, self.costs.loop_bits(), self._path_of(place))
        return self.read(place)

    def _path_of(self, place: Place) -> str:
        """The path of a part of an argument, as ``p.table.size`` without indices; else empty."""
        if isinstance(place, VariablePlace):
            return self.arguments.get(place.slot, "")
        if not isinstance(place, FieldPlace):
            return ""
        owner = self._path_of(place.owner)
        named = place.name is not None and place.index is None
        return f"{owner}.{place.name}" if owner and named else owner

    def _write_owner(self, place: Place, value: StructValue) -> None:
        if isinstance(place, VariablePlace):
            self.slots[place.slot] = value
        elif isinstance(place, FieldPlace):
            owner = self.read_owner(place.owner)
            if isinstance(owner, StructValue):
                self._write_owner(place.owner, self._with(owner, place, value))
            elif isinstance(owner, PlacePointer):
                self._write_owner(owner.place, value)
            else:
                keep(self, owner, value)
        else:
            keep(self, value)

    def _with(self, owner: StructValue, place: FieldPlace, value: DeviceValue) -> StructValue:
        """The object with a field changed; of an element at an unknown index, any may be."""
        if place.name is None:
            keep(self, owner, value)
            return StructValue(owner.type)
        layout = self.types.layout(owner.type)
        if layout is None or not layout.overlaps:
            return StructValue(owner.type, {**owner.fields, place.name: value})
        keep(self, value)  # It may be read by another name.
        kept = layout.apart_from(place.name, owner.fields)
        return StructValue(owner.type, {**kept, place.name: value})

    def _field_variation(self, owner: StructValue, place: FieldPlace) -> int:
        layout = self.types.layout(owner.type)
        if layout is not None and layout.overlaps:
            return self.costs.loop_bits()  # It is what was stored by another name.
        varies = place.index.varies if place.index is not None else 0
        root: Place = place
        while isinstance(root, FieldPlace):
            root = root.owner
        if isinstance(root, VariablePlace):
            varies |= self.array_varies.get(root.slot, 0)
        for value in (v for v in owner.fields.values() if isinstance(v, Value)):
            varies |= value.varies
        return varies or self.costs.loop_bits()

    def write(self, place: Place, value: DeviceValue) -> None:
        """Assign; a store to memory is recorded."""
        if isinstance(place, VariablePlace):
            self.slots[place.slot] = value
        elif isinstance(place, FieldPlace):
            owner = self.read_owner(place.owner)
            if place.index is not None:
                moved = self.local_arrays.note(self, place, AccessMode.WRITE)
                if moved and isinstance(value, Value):
                    self.costs.need(value)
            if isinstance(owner, PlacePointer):
                self.write(FieldPlace(owner.place, place.name, place.type, place.index), value)
            elif isinstance(owner, StructValue):
                self._write_owner(place.owner, self._with(owner, place, value))
            else:
                keep(self, owner, value)
        elif isinstance(place, SwizzlePlace):
            self._write_swizzle(place, value)
        else:
            self.parts.store(self, place.pointer, value)

    def _write_swizzle(self, place: SwizzlePlace, value: DeviceValue) -> None:
        elements = list(value.fields.values()) if isinstance(value, StructValue) else []
        for position, name in enumerate(place.names):
            target = self.field_place(place.owner, name)
            if target is not None:
                self.write(target, elements[position] if position < len(elements) else value)

    def array(
        self,
        name: str,
        element: Type,
        space: MemorySpace = _GLOBAL,
        *,
        indirect: bool = False,
        apart: bool = False,
        declared: bool = False,
    ) -> Array:
        """The array of this name, made once."""
        found = self.arrays.get(name)
        if found is None:
            size = self.types.size(element) if element.dims else None
            bytes_ = constant(size) if size else None
            found = Array(
                name,
                space,
                element,
                size_bytes=bytes_,
                indirect=indirect,
                apart=apart,
                declared=declared,
            )
            self.arrays[name] = found
        return found

    def may_change(self, array: Array, *, others: bool = True) -> None:
        """Note that memory changes; ``others``: so may what other pointers name."""
        changed: object = array.space if others and not array.restrict else array
        self.epochs[changed] = self.epochs.get(changed, 0) + 1
        self.handed.forget(array)

    def note(self, message: str, line: int, function: str | None = None) -> None:
        """Record once what could not be followed; ``function``: one whose body is not known."""
        if all(message != problem.message for problem in self.problems):
            self.problems.append(Problem(Severity.WARNING, message, self.path, line, function))

    def at(self, node: Expression | int) -> None:
        """Move the current line; in a text that stands for a header, the call of it stays."""
        if self.path is not self._looked_at:
            self._looked_at, self._stands_in = self.path, is_stand_in(self.path)
        if not self._stands_in:
            self.costs.site = (self.path, node if isinstance(node, int) else node.line)
