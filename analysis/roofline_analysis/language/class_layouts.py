"""What a class's layout says, and a class while its parts are placed one after another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final, TypeVar

from roofline_analysis.language.types import Extent
from roofline_core.program.records import record
from roofline_core.program.types import Type

BITS: Final = 8
"""Of a byte."""
POINTER_BYTES: Final = 8
"""Of an address, on hosts and GPUs of 64 bits."""

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
    shared_bytes: int = 0
    """At its end, which others may use: of ``[[no_unique_address]]``, all where it is empty."""

    @property
    def first_bit(self) -> int:
        """Where the field begins, in bits from the beginning of the object."""
        return self.offset_bytes * BITS + self.bit_offset

    @property
    def own_bits(self) -> int:
        """The bits that hold its data."""
        return self.bits or (self.size_bytes - self.shared_bytes) * BITS


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
    virtual_bases: tuple[Type, ...] = ()
    """Its virtual bases and theirs, closed, in the order in which classes place them anew."""
    without_virtual: ClassLayout | None = None
    """Of a class with virtual bases: the part that lies together, them left out."""
    at_the_start: frozenset[Type] = frozenset()
    """Those virtual bases that lend their table to a class, and lie where it starts."""
    assumed: tuple[str, ...] = ()
    """Types within whose size is not known; ``ASSUMED_BYTES`` stand for each."""

    @property
    def together(self) -> ClassLayout:
        """The part that lies together whatever derives from the class."""
        return self.without_virtual or self

    @property
    def only_table(self) -> bool:
        """Whether objects hold nothing but the pointer to a table, virtual bases apart."""
        own = self.together
        return own.dynamic and own.extent.size_bytes == own.extent.align_bytes == POINTER_BYTES

    @property
    def overlaps(self) -> bool:
        """Whether fields share bytes, as a union's do."""
        places = sorted((f.first_bit, f.own_bits) for f in self.fields.values() if f.own_bits)
        return any(start + bits > after for (start, bits), (after, _) in pairwise(places))

    def beside(self, name: str) -> frozenset[str]:
        """The fields that share bytes with one, as the others of a union do."""
        own = self.fields.get(name)
        if own is None:
            return frozenset()
        start, bits = own.first_bit, own.own_bits
        return frozenset(
            other
            for other, field in self.fields.items()
            if other != name
            and field.first_bit < start + bits
            and start < field.first_bit + field.own_bits
        )

    def apart_from(self, name: str, values: Mapping[str, _Value]) -> dict[str, _Value]:
        """The values of those fields that share no bytes with one that is written."""
        beside = self.beside(name)
        return {other: value for other, value in values.items() if other not in beside}

    @property
    def is_empty(self) -> bool:
        """Whether objects hold no data."""
        if self.dynamic or self.data_end_bytes:
            return False
        return all(field.shared_bytes == field.size_bytes > 0 for field in self.fields.values())


@dataclass(slots=True)
class Building:
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
    at_the_start: set[Type] = field(default_factory=set)

    @property
    def end_bytes(self) -> int:
        """The bytes in use, the last perhaps in part."""
        return -(-self.end_bits // BITS)

    def place(self, extent: Extent, data_bytes: int | None = None) -> int:
        """The offset of the next subobject; ``data_bytes`` of it cannot be used by others."""
        offset = 0 if self.union else round_up(self.end_bytes, extent.align_bytes)
        end = offset + (extent.size_bytes if data_bytes is None else data_bytes)
        self.end_bits = max(self.end_bits, end * BITS)
        self.size_bytes = max(self.size_bytes, offset + extent.size_bytes)
        self.align_bytes = max(self.align_bytes, extent.align_bytes)
        return offset

    def overlapping(self, layout: ClassLayout, extent: Extent) -> tuple[int, int]:
        """Place an object that others may share bytes with: its offset, the bytes of its own."""
        if not layout.is_empty:
            data_bytes = layout.extent.size_bytes if layout.plain else layout.data_end_bytes
            return self.place(extent, data_bytes), data_bytes
        offset = 0
        while not self.union and clash(self.empty, layout, offset):
            end = round_up(self.end_bytes, extent.align_bytes)
            offset = max(offset + extent.align_bytes, end)
        self.size_bytes = max(self.size_bytes, offset + extent.size_bytes)
        self.align_bytes = max(self.align_bytes, extent.align_bytes)
        return offset, 0

    def bit_field(self, unit: Extent, width: int, *, named: bool, packed: bool) -> int:
        """The bit at which the next bit-field starts."""
        unit_bits = unit.size_bytes * BITS
        align_bits = unit.align_bytes * BITS
        start = 0 if self.union else self.end_bits
        if width == 0:
            self.end_bits = round_up(start, align_bits)
            return self.end_bits
        if not packed and start % align_bits + width > unit_bits:
            start = round_up(start, align_bits)
        self.end_bits = max(self.end_bits, start + width)
        self.size_bytes = max(self.size_bytes, self.end_bytes)
        if named and not packed:
            self.align_bytes = max(self.align_bytes, unit.align_bytes)
        return start


def clash(empty: set[tuple[int, str]], layout: ClassLayout, offset: int) -> bool:
    """Whether two subobjects of one empty type would have the same address."""
    return any((offset + at, name) in empty for at, name in layout.empty_bases)


def moved(inner: Field, offset: int) -> Field:
    """A field of an object that lies ``offset`` bytes from the start of another."""
    return replace(inner, offset_bytes=inner.offset_bytes + offset)


def round_up(value: int, step: int) -> int:
    """The next multiple of ``step``."""
    return -(-value // step) * step


def finished(building: Building, *, dynamic: bool) -> ClassLayout:
    """The layout of a class whose parts are all placed; ``dynamic``: it has virtual functions."""
    align = building.align_bytes
    size = max(1, round_up(max(building.size_bytes, building.end_bytes), align))
    return ClassLayout(
        Extent(size, align),
        building.fields,
        building.end_bytes,
        frozenset(building.empty),
        dynamic,
        building.plain,
        at_the_start=frozenset(building.at_the_start),
        assumed=tuple(dict.fromkeys(building.assumed)),
    )
