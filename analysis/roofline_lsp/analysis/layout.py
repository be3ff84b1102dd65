"""Sizes of types and C++'s arithmetic conversions, for an LP64 target as CUDA's."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final, cast

from roofline_lsp.analysis import opencl_types
from roofline_lsp.analysis.symbols import SymbolTable
from roofline_lsp.kernel.expressions import Expression
from roofline_lsp.kernel.precision import Precision
from roofline_lsp.kernel.program import Dialect
from roofline_lsp.kernel.types import Type

_CANONICAL: Final[Mapping[str, str]] = {
    "size_t": "unsigned long",
    "ssize_t": "long",
    "ptrdiff_t": "long",
    "intptr_t": "long",
    "uintptr_t": "unsigned long",
    "int8_t": "signed char",
    "uint8_t": "unsigned char",
    "int16_t": "short",
    "uint16_t": "unsigned short",
    "int32_t": "int",
    "uint32_t": "unsigned int",
    "int64_t": "long",
    "uint64_t": "unsigned long",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned int",
    "ulong": "unsigned long",
    "ulonglong": "unsigned long long",
    "u_int": "unsigned int",
    "u_char": "unsigned char",
    "u_int32_t": "unsigned int",
    "wchar_t": "int",
    "char16_t": "unsigned short",
    "char32_t": "unsigned int",
    "__half": "half",
    "half_t": "half",
    "__nv_bfloat16": "bfloat16",
    "nv_bfloat16": "bfloat16",
    "__nv_bfloat162": "bfloat162",
    "nv_bfloat162": "bfloat162",
    "__half2": "half2",
    "__hip_bfloat16": "bfloat16",
    "hip_bfloat16": "bfloat16",
    "__hip_bfloat162": "bfloat162",
    "_Float16": "half",
    "float16_t": "half",
    "cudaTextureObject_t": "unsigned long long",
    "cudaSurfaceObject_t": "unsigned long long",
    "hipTextureObject_t": "unsigned long long",
    "hipSurfaceObject_t": "unsigned long long",
}

SIZES: Final[Mapping[str, int]] = {
    "void": 1,
    "bool": 1,
    "char": 1,
    "signed char": 1,
    "unsigned char": 1,
    "short": 2,
    "unsigned short": 2,
    "int": 4,
    "unsigned int": 4,
    "long": 8,
    "unsigned long": 8,
    "long long": 8,
    "unsigned long long": 8,
    "__int128": 16,
    "unsigned __int128": 16,
    "float": 4,
    "double": 8,
    "long double": 16,
    "half": 2,
    "bfloat16": 2,
    "half2": 4,
    "bfloat162": 4,
    "string": 8,
    "nullptr": 8,
}
"""Bytes of the types that need no definition."""

_RANKS: Final[Mapping[str, int]] = {
    "bool": 0,
    "char": 1,
    "signed char": 1,
    "unsigned char": 1,
    "short": 2,
    "unsigned short": 2,
    "int": 3,
    "unsigned int": 4,
    "long": 5,
    "unsigned long": 6,
    "long long": 7,
    "unsigned long long": 8,
    "__int128": 9,
    "unsigned __int128": 10,
}
_FLOATS: Final[Mapping[str, int]] = {
    "half": 1,
    "bfloat16": 1,
    "float": 2,
    "double": 3,
    "long double": 4,
}
_VECTOR: Final = re.compile(
    r"(char|uchar|short|ushort|int|uint|long|ulong|longlong|ulonglong|float|double|half)([1-4])$"
)
_VECTOR_ELEMENTS: Final[Mapping[str, str]] = {
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned int",
    "ulong": "unsigned long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
}
_COMPLEX: Final[Mapping[str, str]] = {
    "cuComplex": "float",
    "cuFloatComplex": "float",
    "cuDoubleComplex": "double",
    "cufftComplex": "float",
    "cufftDoubleComplex": "double",
    "hipComplex": "float",
    "hipFloatComplex": "float",
    "hipDoubleComplex": "double",
    "hipfftComplex": "float",
    "hipfftDoubleComplex": "double",
}


def strip_std(name: str) -> str:
    """The name without a leading ``std::`` or ``::``."""
    return name.removeprefix("::").removeprefix("std::")


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """The arithmetic type a well-known name stands for, else the name itself."""
    bare = strip_std(name)
    return _CANONICAL.get(bare, bare)


@lru_cache(maxsize=4096)
def vector_parts(name: str) -> tuple[str, int] | None:
    """``float4`` gives ``("float", 4)``, ``cuDoubleComplex`` ``("double", 2)``; else None."""
    if name in _COMPLEX:
        return _COMPLEX[name], 2
    if name in ("half2", "bfloat162"):
        return None
    if name == "dim3":
        return "unsigned int", 3
    found = _VECTOR.match(name)
    if not found:
        return opencl_types.VECTORS.get(name)
    element = found[1]
    return _VECTOR_ELEMENTS.get(element, element), int(found[2])


def packed_element(type_: Type, name: str) -> str | None:
    """The type of ``x`` or ``y`` of two halves in one register; None for anything else."""
    if type_.pointers or type_.dims or name not in ("x", "y"):
        return None
    return {"half2": "half", "bfloat162": "bfloat16"}.get(type_.name)


def is_integer(name: str) -> bool:
    """Whether this canonical type is integral."""
    return name in _RANKS


def is_float(name: str) -> bool:
    """Whether this canonical type is a floating one."""
    return name in _FLOATS


@lru_cache(maxsize=4096)
def precision_of(name: str) -> Precision | None:
    """The precision in which arithmetic on this canonical type is done."""
    if name == "float":
        return Precision.SP
    if name in ("double", "long double"):
        return Precision.DP
    if name in ("half", "bfloat16", "half2", "bfloat162"):
        return Precision.HP
    return Precision.INT if name in _RANKS else None


@lru_cache(maxsize=4096)
def promoted(name: str) -> str:
    """The integral promotion: types below ``int`` become ``int``."""
    return "int" if name in _RANKS and _RANKS[name] < _RANKS["int"] else name


@lru_cache(maxsize=4096)
def common_type(left: str, right: str) -> str:
    """The usual arithmetic conversions of two canonical types."""
    if left in _FLOATS or right in _FLOATS:
        if left in _FLOATS and right in _FLOATS:
            return left if _FLOATS[left] >= _FLOATS[right] else right
        return left if left in _FLOATS else right
    left, right = promoted(left), promoted(right)
    if left in _RANKS and right in _RANKS:
        return left if _RANKS[left] >= _RANKS[right] else right
    return left if left in _RANKS else right


Fields = dict[str, tuple[int, int | None, Type]]
"""Of each field its offset, its size in bytes if known, and its type."""


SavedTypes = tuple[dict[str, Type], dict[tuple[str, Type], object], dict[int, tuple[Type, Type]]]
"""What ``save`` gives, of the types in force."""


class TypeResolver:
    """Types through aliases and template bindings to canonical ones, and their sizes."""

    def __init__(
        self,
        table: SymbolTable,
        bindings: Mapping[str, Type] | None = None,
        evaluate: Callable[[Expression], int | None] | None = None,
        dialect: Dialect = Dialect.CUDA,
    ) -> None:
        self._table = table
        self._own_names = opencl_types.CANONICAL if dialect is Dialect.OPENCL else {}
        self._bindings: dict[str, Type] = dict(bindings or {})
        self._known: dict[tuple[str, Type], object] = {}
        self._resolved: dict[int, tuple[Type, Type]] = {}
        self._evaluate = evaluate or (lambda _expression: None)

    @property
    def bindings(self) -> Mapping[str, Type]:
        """Template parameters and what they stand for."""
        return self._bindings

    def bind(self, bindings: Mapping[str, Type]) -> None:
        """Add template parameters in force from now on."""
        if any(self._bindings.get(name) != type_ for name, type_ in bindings.items()):
            self._bindings = {**self._bindings, **bindings}
            self._known, self._resolved = {}, {}

    def save(self) -> SavedTypes:
        """The bindings in force, to come back to with ``restore``."""
        return self._bindings, self._known, self._resolved

    def restore(self, saved: SavedTypes) -> None:
        """Come back to the bindings of ``save``."""
        self._bindings, self._known, self._resolved = saved

    def resolve(self, type_: Type, depth: int = 0) -> Type:
        """The type with aliases and template parameters replaced, its name canonical.

        A name that nothing is known of is returned as it is.
        """
        known = self._resolved.get(id(type_))
        if known is not None and known[0] is type_:
            return known[1]
        made = self._resolve(type_, depth)
        self._resolved[id(type_)] = type_, made
        return made

    def _resolve(self, type_: Type, depth: int) -> Type:
        if type_.name in self._own_names:
            return _renamed(type_, self._own_names[type_.name])
        name = canonical(type_.name)
        target = self._bindings.get(name)
        if target is None and name not in SIZES and depth < 16:
            target = self._table.find_alias(name)
        if target is None or target.name == type_.name:
            return type_ if name == type_.name else _renamed(type_, name)
        inner = self.resolve(target, depth + 1)
        return Type(
            inner.name,
            inner.args,
            inner.pointers + type_.pointers,
            type_.reference or inner.reference,
            type_.const or inner.const,
            type_.restrict,
            type_.volatile or inner.volatile,
            type_.dims + inner.dims,
        )

    def size(self, type_: Type, depth: int = 0) -> int | None:
        """Bytes of a value of this type, or None where it is not known."""
        key = ("size", type_)
        if key not in self._known:
            self._known[key] = self._size(type_, depth)
        return cast("int | None", self._known[key])

    def _size(self, type_: Type, depth: int) -> int | None:
        resolved = self.resolve(type_)
        count = 1
        for dim in resolved.dims:
            value = self._evaluate(dim) if dim is not None else None
            if value is None:
                return None
            count *= value
        if resolved.pointers:
            return 8 * count
        single = SIZES.get(resolved.name)
        if single is None:
            single = self._class_size(resolved, depth)
        return None if single is None else single * count

    def alignment(self, type_: Type, depth: int = 0) -> int:
        """Alignment in bytes; 1 where nothing is known."""
        key = ("alignment", type_)
        if key not in self._known:
            self._known[key] = self._alignment(type_, depth)
        return cast("int", self._known[key])

    def _alignment(self, type_: Type, depth: int) -> int:
        resolved = self.resolve(type_)
        if resolved.pointers:
            return 8
        if resolved.name in SIZES:
            return SIZES[resolved.name]
        parts = vector_parts(resolved.name)
        if parts:
            element, width = parts
            if resolved.name in opencl_types.VECTORS:
                return SIZES[element] * opencl_types.slots(width)
            # CUDA aligns vectors of two and four to their size, up to 16 bytes; of three not.
            return SIZES[element] if width == 3 else min(16, SIZES[element] * width)
        struct = self._table.find_struct(resolved.name)
        if struct is None or depth > 8:
            return 1
        declared = self._evaluate(struct.align) if struct.align is not None else None
        members = [self.alignment(f.type, depth + 1) for f in struct.fields]
        bases = [self.alignment(base, depth + 1) for base in struct.bases]
        return max([declared or 1, *members, *bases])

    def leaves(self, type_: Type, depth: int = 0) -> int:
        """Scalars in an object of a class, in the classes within it too; 1 for a scalar."""
        key = ("leaves", type_)
        if key not in self._known:
            inner = self.fields(type_, depth)
            total = 1
            if inner and depth <= 8 and not self.resolve(type_).pointers:
                total = sum(self.leaves(field, depth + 1) for _, _, field in inner.values())
            self._known[key] = total
        return cast("int", self._known[key])

    def _class_size(self, resolved: Type, depth: int) -> int | None:
        parts = vector_parts(resolved.name)
        if parts:
            element, width = parts
            own = resolved.name in opencl_types.VECTORS
            return SIZES[element] * (opencl_types.slots(width) if own else width)
        layout = self.fields(resolved, depth)
        if layout is None:
            return None
        end = max((offset + (size or 0) for offset, size, _ in layout.values()), default=1)
        if any(size is None for _, size, _ in layout.values()):
            return None
        align = self.alignment(resolved, depth)
        return max(1, -(-end // align) * align)

    def fields(self, type_: Type, depth: int = 0) -> Fields | None:
        """Offset, size in bytes and type of each field of a class; None if it is not known."""
        key = ("fields", type_)
        if key not in self._known:
            self._known[key] = self._fields(type_, depth)
        return cast("Fields | None", self._known[key])

    def overlaps(self, type_: Type) -> bool:
        """Whether fields of a class share bytes, as a union's do."""
        key = ("overlaps", type_)
        if key not in self._known:
            places = sorted(
                (offset, offset + (size or 0))
                for offset, size, _ in (self.fields(type_) or {}).values()
            )
            self._known[key] = any(end > start for (_, end), (start, _) in pairwise(places))
        return cast("bool", self._known[key])

    def _fields(self, type_: Type, depth: int) -> Fields | None:
        resolved = self.resolve(type_)
        parts = vector_parts(resolved.name)
        if parts:
            element, width = parts
            each = SIZES[element]
            names = opencl_types.field_names(width)
            return {n: (i * each, each, Type(element)) for i, n in enumerate(names)}
        struct = self._table.find_struct(resolved.name)
        if struct is None or depth > 8:
            return None
        result: dict[str, tuple[int, int | None, Type]] = {}
        position = 0
        for base in struct.bases:
            inherited = self.fields(base, depth + 1) or {}
            result.update(inherited)
            position = max([position, *(o + (s or 0) for o, s, _ in inherited.values())])
        for member in struct.fields:
            if member.qualifiers & {"static", "constexpr"}:
                continue
            size = self.size(member.type, depth + 1)
            if not struct.union:
                align = self.alignment(member.type, depth + 1)
                position = -(-position // align) * align
            result[member.name] = (position, size, member.type)
            if not struct.union:
                position += size or 0
        return result


def _renamed(type_: Type, name: str) -> Type:
    return Type(
        name,
        type_.args,
        type_.pointers,
        type_.reference,
        type_.const,
        type_.restrict,
        type_.volatile,
        type_.dims,
    )
