"""Where the fields of classes lie: the Itanium C++ ABI, which GCC, Clang and nvcc follow.

https://itanium-cxx-abi.github.io/cxx-abi/abi.html#class-types
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from roofline_analysis.language.class_layouts import (
    BITS,
    POINTER_BYTES,
    Building,
    ClassLayout,
    Field,
    clash,
    finished,
    moved,
    round_up,
)
from roofline_analysis.language.library_classes import library_class, library_extent
from roofline_analysis.language.opencl_types import field_names
from roofline_analysis.language.queries import TypeQueries
from roofline_analysis.language.scope import Scope
from roofline_analysis.language.types import SCALARS, Extent, vector_extent, vector_parts
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import FieldGroup, Struct

MAX_DEPTH: Final = 16
"""Classes within classes that are laid out."""
ASSUMED_BYTES: Final = 8
"""Of an object whose type is not known: between a number and a small class. It is always named."""
_POINTER: Final = Extent(POINTER_BYTES, POINTER_BYTES)


class Layouts:
    """What ``LayoutMaker`` has laid out so far; apart from it, as that refers to the types."""

    def __init__(self) -> None:
        self.known: dict[Type, ClassLayout | None] = {}
        self.under_way: list[Type] = []


class LayoutMaker:
    """Lays out the classes of a program, each closed type once."""

    __slots__ = ("_found", "_types")

    def __init__(self, types: TypeQueries, found: Layouts) -> None:
        self._types = types
        self._found = found

    def layout(self, closed: Type) -> ClassLayout | None:
        """The layout of a class, vector or library type; None for any other."""
        key = closed
        if closed.pointers or closed.dims or closed.const or closed.reference:
            key = Type(closed.name, closed.args, scope_args=closed.scope_args)
        known = self._found.known.get(key)
        if known is not None or key in self._found.known:
            return known
        if key in self._found.under_way or len(self._found.under_way) > MAX_DEPTH:
            return None
        self._found.under_way.append(key)
        try:
            made = self._found.known[key] = self._layout(key)
        finally:
            self._found.under_way.pop()
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
        building = Building(None)
        for name, type_ in known.fields:
            self._add(building, Variable(name, type_, 0), type_)
        building.align_bytes = max(building.align_bytes, known.align_bytes or 1)
        return finished(building, dynamic=False)

    # ---- Classes of the program

    def _class_layout(self, struct: Struct, scope: Scope) -> ClassLayout:
        building = Building(struct.pack_bytes, struct.union)
        building.plain = _is_plain(struct)
        virtual = any("virtual" in method.qualifiers for method in struct.methods)
        dynamic = self._place_bases(building, struct, scope, virtual=virtual)
        self._place_fields(building, struct, scope)
        if struct.align is not None:
            asked = self._types.alignment_asked(struct.align, scope) or 1
            building.align_bytes = max(building.align_bytes, asked)
        layout = finished(building, dynamic=dynamic)
        virtual_bases = self._virtual_bases(struct, scope)
        if virtual_bases:
            return self._with_virtual_bases(building, layout, virtual_bases)
        if not layout.is_empty:
            return layout
        name = scope.owner.name if scope.owner is not None else struct.qualified_name
        return replace(layout, empty_bases=layout.empty_bases | {(0, name)})

    def _place_bases(
        self, building: Building, struct: Struct, scope: Scope, *, virtual: bool
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
            lender = self._table_lender(self._virtual_bases(struct, scope))
            if lender is not None:
                building.at_the_start.add(lender)
                self._place_base(building, lender, self.layout(lender))
            else:
                building.place(_POINTER)
        for position, base in enumerate(closed):
            if position != primary:
                self._place_base(building, base, layouts[position])
        return dynamic or primary is not None

    def _place_base(self, building: Building, base: Type, layout: ClassLayout | None) -> None:
        if layout is None:
            self._assume(building, base)
            building.place(Extent(ASSUMED_BYTES, ASSUMED_BYTES))
            return
        building.plain = False
        together = layout.together
        building.at_the_start |= together.at_the_start
        offset, _ = building.overlapping(together, together.extent)
        self._inherit(building, together, offset)

    def _inherit(self, building: Building, layout: ClassLayout, offset: int) -> None:
        building.empty |= {(offset + at, name) for at, name in layout.empty_bases}
        building.assumed += layout.assumed
        for name, inner in layout.fields.items():
            building.fields[name] = moved(inner, offset)

    def _virtual_bases(self, struct: Struct, scope: Scope) -> tuple[Type, ...]:
        """The virtual bases of a class and of its bases, each before its own, once."""
        found: list[Type] = []
        for written, base in zip(struct.bases, self._types.classes.bases_of(scope), strict=True):
            layout = self.layout(base)
            found += [base] if written.name in struct.virtual_bases else []
            found += layout.virtual_bases if layout is not None else ()
        return tuple(dict.fromkeys(found))

    def _table_lender(self, virtual_bases: tuple[Type, ...]) -> Type | None:
        """The virtual base whose table serves the class too, where no other base has one."""
        known = [(base, self.layout(base)) for base in virtual_bases]
        lent = {each for _, made in known if made is not None for each in made.at_the_start}
        lenders = [base for base, made in known if made is not None and made.only_table]
        return next((base for base in lenders if base not in lent), next(iter(lenders), None))

    def _with_virtual_bases(
        self, building: Building, together: ClassLayout, virtual_bases: tuple[Type, ...]
    ) -> ClassLayout:
        """The layout of a class once its virtual bases lie behind the part that lies together."""
        building.fields = dict(building.fields)
        for base in virtual_bases:
            if base not in building.at_the_start:
                self._place_base(building, base, self.layout(base))
        return replace(
            finished(building, dynamic=True),
            virtual_bases=virtual_bases,
            without_virtual=together,
        )

    def _place_fields(self, building: Building, struct: Struct, scope: Scope) -> None:
        self._place_range(building, struct, scope, 0, len(struct.fields), list(struct.groups))

    def _place_range(
        self,
        building: Building,
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
            inner = Building(building.pack_bytes, group.union)
            after = position + group.count
            self._place_range(inner, struct, scope, position, after, groups)
            layout = finished(inner, dynamic=False)
            offset = building.place(layout.extent)
            self._inherit(building, layout, offset)
            position = after

    def _place_field(self, building: Building, member: Variable, scope: Scope) -> None:
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
            holder = start // (unit.size_bytes * BITS) * unit.size_bytes
            bit = start - holder * BITS
            building.fields[member.name] = Field(holder, closed, unit.size_bytes, int(width), bit)

    def _add(
        self, building: Building, member: Variable, closed: Type, scope: Scope | None = None
    ) -> None:
        """Place a field that is no bit-field."""
        extent = self._field_extent(building, closed)
        align = extent.align_bytes
        if building.pack_bytes is not None:
            align = min(align, building.pack_bytes)
        if "packed" in member.qualifiers:
            align = 1
        if member.align is not None and scope is not None:
            align = max(align, self._types.alignment_asked(member.align, scope) or 1)
        layout = None if closed.pointers or closed.dims else self.layout(closed)
        if layout is not None:
            building.plain = building.plain and layout.plain
        if layout is not None and "no_unique_address" in member.qualifiers:
            self._add_sharing(building, member, closed, Extent(extent.size_bytes, align), layout)
            return
        if layout is not None and layout.empty_bases and not building.union:
            while clash(building.empty, layout, round_up(building.end_bytes, align)):
                building.end_bits = (round_up(building.end_bytes, align) + align) * BITS
        offset = building.place(Extent(extent.size_bytes, align))
        if layout is not None:
            building.empty |= {(offset + at, name) for at, name in layout.empty_bases}
        if member.name:
            building.fields[member.name] = Field(offset, closed, extent.size_bytes)

    def _add_sharing(
        self,
        building: Building,
        member: Variable,
        closed: Type,
        extent: Extent,
        layout: ClassLayout,
    ) -> None:
        """Place a field of ``[[no_unique_address]]``, whose padding others may use."""
        building.plain = False
        offset, data_bytes = building.overlapping(layout, extent)
        building.empty |= {(offset + at, name) for at, name in layout.empty_bases}
        shared = extent.size_bytes - data_bytes
        if member.name:
            made = Field(offset, closed, extent.size_bytes, shared_bytes=shared)
            building.fields[member.name] = made

    def _field_extent(self, building: Building, closed: Type) -> Extent:
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

    def _assume(self, building: Building, closed: Type, layout: ClassLayout | None = None) -> None:
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


def _vector_layout(name: str, element: str, width: int) -> ClassLayout:
    extent = vector_extent(name)
    assert extent is not None
    each = SCALARS[element]
    fields = {
        component: Field(position * each, Type(element), each)
        for position, component in enumerate(field_names(width))
    }
    return ClassLayout(extent, fields, extent.size_bytes)
