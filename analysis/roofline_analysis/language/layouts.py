"""Where the fields of classes lie: the Itanium C++ ABI, which GCC, Clang and nvcc follow.

https://itanium-cxx-abi.github.io/cxx-abi/abi.html#class-types
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final, TypeVar

from roofline_analysis.language.library_classes import library_class, library_extent
from roofline_analysis.language.opencl_types import field_names
from roofline_analysis.language.queries import TypeQueries
from roofline_analysis.language.scope import Scope
from roofline_analysis.language.types import SCALARS, Extent, vector_extent, vector_parts
from roofline_core.program.expressions import Expression, Name, Unknown
from roofline_core.program.records import record
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import FieldGroup, Struct

MAX_DEPTH: Final = 16
"""Classes within classes that are laid out."""
ASSUMED_BYTES: Final = 8
"""Of an object whose type is not known: between a number and a small class. It is always named."""
_POINTER: Final = Extent(8, 8)
_BITS: Final = 8
"""Bits of a byte."""


_Value = TypeVar("_Value")


@record(frozen=True, slots=True)
class Field:
    """A field of a class, those of its bases and anonymous members among them."""

    offset_bytes: int
    type: Type
    """Closed."""
    size_bytes: int
    """Of a bit-field: of the storage unit that it lies in."""
    bits: int | None = None
    """The width of a bit-field."""
    bit_offset: int = 0
    """Of a bit-field: from ``offset_bytes``."""

    @property
    def first_bit(self) -> int:
        """Where the field begins, in bits from the beginning of the object."""
        return self.offset_bytes * _BITS + self.bit_offset


@record(frozen=True, slots=True)
class ClassLayout:
    """The room of a class and the place of each of its fields."""

    extent: Extent
    fields: Mapping[str, Field]
    """In order, those of bases first. Of like names the one of the most derived class."""
    data_end_bytes: int
    """Where the data ends; a class derived from this one may put fields into what follows."""
    empty_bases: frozenset[tuple[int, str]] = frozenset()
    """Subobjects without data: their offset and type."""
    dynamic: bool = False
    """Whether objects begin with a pointer to a table of virtual functions."""
    plain: bool = True
    """Whether it is a C struct, whose padding stays its own."""
    shared: bool = False
    """Whether it has virtual bases, which classes that derive from it place anew."""
    assumed: tuple[str, ...] = ()
    """Types within whose size is not known; ``ASSUMED_BYTES`` stand for each."""

    @property
    def overlaps(self) -> bool:
        """Whether fields share bytes, as a union's do."""
        places = sorted(
            (f.offset_bytes * _BITS + f.bit_offset, f.bits or f.size_bytes * _BITS)
            for f in self.fields.values()
        )
        return any(start + bits > after for (start, bits), (after, _) in pairwise(places))

    def beside(self, name: str) -> frozenset[str]:
        """The fields that share bytes with one, as the others of a union do."""
        own = self.fields.get(name)
        if own is None:
            return frozenset()
        start, bits = own.first_bit, own.bits or own.size_bytes * _BITS
        return frozenset(
            other
            for other, field in self.fields.items()
            if other != name
            and field.first_bit < start + bits
            and start < field.first_bit + (field.bits or field.size_bytes * _BITS)
        )

    def apart_from(self, name: str, values: Mapping[str, _Value]) -> dict[str, _Value]:
        """The values of those fields that share no bytes with one that is written."""
        beside = self.beside(name)
        return {other: value for other, value in values.items() if other not in beside}

    @property
    def is_empty(self) -> bool:
        """Whether objects hold no data."""
        return not self.fields and not self.dynamic and self.data_end_bytes == 0


@dataclass(slots=True)
class _Building:
    """A class while its subobjects are placed."""

    pack_bytes: int | None
    union: bool = False
    end_bits: int = 0
    size_bytes: int = 0
    align_bytes: int = 1
    fields: dict[str, Field] = field(default_factory=dict)
    empty: set[tuple[int, str]] = field(default_factory=set)
    assumed: list[str] = field(default_factory=list)
    plain: bool = True

    @property
    def end_bytes(self) -> int:
        return -(-self.end_bits // _BITS)

    def place(self, extent: Extent, data_bytes: int | None = None) -> int:
        """The offset of the next subobject; ``data_bytes`` of it cannot be used by others."""
        offset = 0 if self.union else _round_up(self.end_bytes, extent.align_bytes)
        end = offset + (extent.size_bytes if data_bytes is None else data_bytes)
        self.end_bits = max(self.end_bits, end * _BITS)
        self.size_bytes = max(self.size_bytes, offset + extent.size_bytes)
        self.align_bytes = max(self.align_bytes, extent.align_bytes)
        return offset

    def bit_field(self, unit: Extent, width: int, *, named: bool, packed: bool) -> int:
        """The bit at which the next bit-field starts."""
        unit_bits = unit.size_bytes * _BITS
        align_bits = unit.align_bytes * _BITS
        start = 0 if self.union else self.end_bits
        if width == 0:
            self.end_bits = _round_up(start, align_bits)
            return self.end_bits
        if not packed and start % align_bits + width > unit_bits:
            start = _round_up(start, align_bits)
        self.end_bits = max(self.end_bits, start + width)
        self.size_bytes = max(self.size_bytes, self.end_bytes)
        if named and not packed:
            self.align_bytes = max(self.align_bytes, unit.align_bytes)
        return start


class LayoutMaker:
    """Lays out the classes of a program, each closed type once."""

    def __init__(self, types: TypeQueries) -> None:
        self._types = types
        self._known: dict[Type, ClassLayout | None] = {}
        self._under_way: list[Type] = []

    def layout(self, closed: Type) -> ClassLayout | None:
        """The layout of a class, vector or library type; None for any other."""
        key = closed
        if closed.pointers or closed.dims or closed.const or closed.reference:
            key = Type(closed.name, closed.args, scope_args=closed.scope_args)
        if key in self._known:
            return self._known[key]
        if key in self._under_way or len(self._under_way) > MAX_DEPTH:
            return None
        self._under_way.append(key)
        try:
            made = self._known[key] = self._layout(key)
        finally:
            self._under_way.pop()
        return made

    def _layout(self, closed: Type) -> ClassLayout | None:
        vector = vector_parts(closed.name)
        if vector is not None:
            return _vector_layout(closed.name, *vector)
        scope = self._types.classes.scope_of(closed)
        if scope is not None and scope.struct is not None:
            return self._class_layout(scope.struct, scope)
        return self._library_layout(closed)

    def library_extent(self, closed: Type) -> Extent | None:
        """The room of a library's class that the program does not define; else None."""
        if self._types.symbols.find_struct(closed.name) is not None:
            return None
        return library_extent(closed)

    def _library_layout(self, closed: Type) -> ClassLayout | None:
        known = library_class(closed)
        if known is None:
            return None
        building = _Building(None)
        for name, type_ in known.fields:
            self._add(building, Variable(name, type_, 0), type_)
        building.align_bytes = max(building.align_bytes, known.align_bytes or 1)
        return _finished(building, dynamic=False)

    # ---- Classes of the program

    def _class_layout(self, struct: Struct, scope: Scope) -> ClassLayout:
        building = _Building(struct.pack_bytes, struct.union)
        building.plain = _is_plain(struct)
        virtual = any("virtual" in method.qualifiers for method in struct.methods)
        dynamic = self._place_bases(building, struct, scope, virtual=virtual)
        self._place_fields(building, struct, scope)
        self._place_virtual_bases(building, struct, scope)
        if struct.align is not None:
            asked = self._asked_alignment(struct.align, scope)
            building.align_bytes = max(building.align_bytes, asked)
        layout = _finished(building, dynamic=dynamic)
        if struct.virtual_bases:
            return replace(layout, shared=True)
        if not layout.is_empty:
            return layout
        name = scope.owner.name if scope.owner is not None else struct.qualified_name
        return replace(layout, empty_bases=layout.empty_bases | {(0, name)})

    def _place_bases(
        self, building: _Building, struct: Struct, scope: Scope, *, virtual: bool
    ) -> bool:
        """Place the bases that are not virtual; whether the class has a table of functions."""
        named = zip(struct.bases, self._types.classes.bases_of(scope), strict=True)
        closed = [base for written, base in named if written.name not in struct.virtual_bases]
        layouts = [self.layout(base) for base in closed]
        primary = next((i for i, made in enumerate(layouts) if made and made.dynamic), None)
        dynamic = virtual or bool(struct.virtual_bases)
        if primary is not None:
            # Its table pointer serves the derived class too, at the very start.
            self._place_base(building, closed[primary], layouts[primary])
        elif dynamic:
            building.place(_POINTER)
        for position, base in enumerate(closed):
            if position != primary:
                self._place_base(building, base, layouts[position])
        return dynamic or primary is not None

    def _place_base(self, building: _Building, base: Type, layout: ClassLayout | None) -> None:
        if layout is None:
            self._assume(building, base)
            building.place(Extent(ASSUMED_BYTES, ASSUMED_BYTES))
            return
        building.plain = False
        if layout.shared:
            building.assumed.append(f"{base.name}, which has a virtual base")
        if layout.is_empty:
            offset = 0
            while _clash(building.empty, layout, offset):
                end = _round_up(building.end_bytes, layout.extent.align_bytes)
                offset = max(offset + layout.extent.align_bytes, end)
            building.size_bytes = max(building.size_bytes, offset + layout.extent.size_bytes)
            building.align_bytes = max(building.align_bytes, layout.extent.align_bytes)
        else:
            end = layout.extent.size_bytes if layout.plain else layout.data_end_bytes
            offset = building.place(layout.extent, end)
        self._inherit(building, layout, offset)

    def _inherit(self, building: _Building, layout: ClassLayout, offset: int) -> None:
        building.empty |= {(offset + at, name) for at, name in layout.empty_bases}
        building.assumed += layout.assumed
        for name, inner in layout.fields.items():
            building.fields[name] = _moved(inner, offset)

    def _place_virtual_bases(self, building: _Building, struct: Struct, scope: Scope) -> None:
        for written, base in zip(struct.bases, self._types.classes.bases_of(scope), strict=True):
            if written.name in struct.virtual_bases:
                self._place_base(building, base, self.layout(base))

    def _place_fields(self, building: _Building, struct: Struct, scope: Scope) -> None:
        self._place_range(building, struct, scope, 0, len(struct.fields), list(struct.groups))

    def _place_range(
        self,
        building: _Building,
        struct: Struct,
        scope: Scope,
        first: int,
        end: int,
        groups: list[FieldGroup],
    ) -> None:
        """Place some of a class's fields, those of anonymous classes among them as one."""
        position = first
        while position < end:
            group = next((g for g in groups if g.first == position and g.count), None)
            if group is None:
                self._place_field(building, struct.fields[position], scope)
                position += 1
                continue
            groups.remove(group)
            inner = _Building(building.pack_bytes, group.union)
            after = position + group.count
            self._place_range(inner, struct, scope, position, after, groups)
            layout = _finished(inner, dynamic=False)
            offset = building.place(layout.extent)
            self._inherit(building, layout, offset)
            position = after

    def _place_field(self, building: _Building, member: Variable, scope: Scope) -> None:
        if _is_static(member):
            return
        closed = self._types.resolve(member.type, scope)
        if member.bits is None:
            self._add(building, member, closed, scope)
            return
        width = self._types.number(member.bits, scope)
        unit = self._types.extent(closed)
        if width is None or unit is None:
            self._assume(building, closed)
            return
        packed = building.pack_bytes == 1
        start = building.bit_field(unit, int(width), named=bool(member.name), packed=packed)
        if member.name:
            holder = start // (unit.size_bytes * _BITS) * unit.size_bytes
            bit = start - holder * _BITS
            building.fields[member.name] = Field(holder, closed, unit.size_bytes, int(width), bit)

    def _add(
        self, building: _Building, member: Variable, closed: Type, scope: Scope | None = None
    ) -> None:
        """Place a field that is no bit-field."""
        extent = self._field_extent(building, closed)
        align = extent.align_bytes
        if building.pack_bytes is not None:
            align = min(align, building.pack_bytes)
        if "packed" in member.qualifiers:
            align = 1
        if member.align is not None and scope is not None:
            align = max(align, self._asked_alignment(member.align, scope))
        layout = None if closed.pointers or closed.dims else self.layout(closed)
        if layout is not None:
            building.plain = building.plain and layout.plain
        if layout is not None and layout.empty_bases and not building.union:
            while _clash(building.empty, layout, _round_up(building.end_bytes, align)):
                building.end_bits = (_round_up(building.end_bytes, align) + align) * _BITS
        offset = building.place(Extent(extent.size_bytes, align))
        if layout is not None:
            building.empty |= {(offset + at, name) for at, name in layout.empty_bases}
        if member.name:
            building.fields[member.name] = Field(offset, closed, extent.size_bytes)

    def _asked_alignment(self, asked: Expression, scope: Scope) -> int:
        """The bytes of ``alignas(16)`` or ``alignas(double)``; 1 where that is not known."""
        number = self._types.number(asked, scope)
        if number is not None:
            return int(number)
        name = asked.name if isinstance(asked, Name) else None
        name = asked.text if isinstance(asked, Unknown) else name
        return (name and self._types.alignment(Type(name), scope)) or 1

    def _field_extent(self, building: _Building, closed: Type) -> Extent:
        if closed.reference:
            return _POINTER
        if closed.dims and closed.dims[0] is None:
            # ``float data[]`` at the end takes no room; ``float (*rows)[4]`` is a pointer.
            if len(closed.dims) > 1:
                return _POINTER
            closed = Type(closed.name, closed.args, closed.pointers)
            element = self._types.extent(closed) or Extent(0, 1)
            return Extent(0, element.align_bytes)
        single = self._types.extent(closed)
        count = self._types.elements(closed)
        if single is None:
            inner = self.layout(closed)
            self._assume(building, closed, inner)
            single = inner.extent if inner is not None else Extent(ASSUMED_BYTES, ASSUMED_BYTES)
        if count is None:
            building.assumed.append(f"{closed.name}[]")
            count = 1
        return Extent(single.size_bytes * count, single.align_bytes)

    def _assume(self, building: _Building, closed: Type, layout: ClassLayout | None = None) -> None:
        building.assumed += layout.assumed if layout is not None else (closed.name,)


def _is_plain(struct: Struct) -> bool:
    """Whether a class is one that C has too, by what it says of itself."""
    special = {struct.name, f"~{struct.name}", "operator="}
    if struct.bases or struct.hides_fields:
        return False
    if any(m.name in special or "virtual" in m.qualifiers for m in struct.methods):
        return False
    return all(f.init is None and f.ctor_args is None for f in struct.fields if not _is_static(f))


def _is_static(member: Variable) -> bool:
    return bool(member.qualifiers & {"static", "constexpr"})


def _clash(empty: set[tuple[int, str]], layout: ClassLayout, offset: int) -> bool:
    """Whether two subobjects of one empty type would have the same address."""
    return any((offset + at, name) in empty for at, name in layout.empty_bases)


def _moved(inner: Field, offset: int) -> Field:
    return Field(
        inner.offset_bytes + offset, inner.type, inner.size_bytes, inner.bits, inner.bit_offset
    )


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step


def _finished(building: _Building, *, dynamic: bool) -> ClassLayout:
    align = building.align_bytes
    size = max(1, _round_up(max(building.size_bytes, building.end_bytes), align))
    return ClassLayout(
        Extent(size, align),
        building.fields,
        building.end_bytes,
        frozenset(building.empty),
        dynamic,
        building.plain,
        assumed=tuple(dict.fromkeys(building.assumed)),
    )


def _vector_layout(name: str, element: str, width: int) -> ClassLayout:
    extent = vector_extent(name)
    assert extent is not None
    each = SCALARS[element]
    fields = {
        component: Field(position * each, Type(element), each)
        for position, component in enumerate(field_names(width))
    }
    return ClassLayout(extent, fields, extent.size_bytes)
