"""Types in force at a point of the execution: resolved names, sizes, layouts."""

from __future__ import annotations

from typing import Final

from roofline_lsp.analysis.host.libraries.opencl.names import OPENCL_SIZES, OPENCL_TYPES
from roofline_lsp.analysis.host.machine import SCALARS, Machine
from roofline_lsp.analysis.host.memory import Frame
from roofline_lsp.analysis.host.values import Aggregate, Scalar
from roofline_lsp.kernel.expressions import Expression, Literal, Name
from roofline_lsp.kernel.program import Struct
from roofline_lsp.kernel.statements import Variable
from roofline_lsp.kernel.symbolic import Expr, constant
from roofline_lsp.kernel.types import Type

SIZES: Final[dict[str, int]] = {
    "bool": 1, "char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2,
    "int": 4, "unsigned int": 4, "long": 8, "unsigned long": 8, "long long": 8,
    "unsigned long long": 8, "float": 4, "double": 8, "long double": 16, "void": 1, "half": 2,
    "__half": 2, "nv_bfloat16": 2, "__nv_bfloat16": 2, "half2": 4, "__half2": 4,
    "nv_bfloat162": 4, "__nv_bfloat162": 4, "dim3": 12, "cuComplex": 8, "cuFloatComplex": 8,
    "cuDoubleComplex": 16, "cufftComplex": 8, "cufftDoubleComplex": 16, "cudaEvent_t": 8,
    "cudaStream_t": 8, "curandState": 48, "cudaTextureObject_t": 8, "std::string": 32,
    "__nv_fp8_e4m3": 1, "__nv_fp8_e5m2": 1, "__int128": 16, **OPENCL_SIZES,
}  # fmt: skip
"""Bytes of the types of the LP64 ABI and of CUDA's headers."""

ALIASES: Final[dict[str, str]] = {
    "size_t": "unsigned long", "ssize_t": "long", "ptrdiff_t": "long", "intptr_t": "long",
    "uintptr_t": "unsigned long", "off_t": "long", "time_t": "long", "clock_t": "long",
    "int8_t": "signed char", "uint8_t": "unsigned char", "int16_t": "short",
    "uint16_t": "unsigned short", "int32_t": "int", "uint32_t": "unsigned int",
    "int64_t": "long", "uint64_t": "unsigned long", "uint": "unsigned int",
    "uchar": "unsigned char", "ushort": "unsigned short", "ulong": "unsigned long",
    "u_int32_t": "unsigned int", "u_int8_t": "unsigned char", "u_char": "unsigned char",
    "unsigned": "unsigned int", "cudaError_t": "int", "hipError_t": "int", "cudaError": "int",
    "cufftReal": "float", "cufftDoubleReal": "double", "wchar_t": "int", "char8_t": "char",
    "string": "std::string", "uint_fast32_t": "unsigned long", "int_fast32_t": "long",
    "uintmax_t": "unsigned long",
}  # fmt: skip
"""Type names of the system headers."""

_VECTOR_BASES: Final[dict[str, str]] = {
    "char": "char", "uchar": "unsigned char", "short": "short", "ushort": "unsigned short",
    "int": "int", "uint": "unsigned int", "long": "long", "ulong": "unsigned long",
    "longlong": "long long", "ulonglong": "unsigned long long", "float": "float",
    "double": "double",
}  # fmt: skip
_COMPONENTS: Final = "xyzw"


def vector_component(name: str) -> tuple[str, int] | None:
    """``("float", 4)`` for ``float4``; None for any other type."""
    if name == "dim3":
        return "unsigned int", 3
    base = _VECTOR_BASES.get(name[:-1])
    if base is not None and name[-1] in "1234":
        return base, int(name[-1])
    return None


def component_names(count: int) -> str:
    """The fields of a CUDA vector type of that many components."""
    return _COMPONENTS[:count]


def resolve(m: Machine, type: Type) -> Type:
    """The type with template parameters, aliases and system names replaced."""
    if type.name in SCALARS or type.name == "void":
        return type
    cache = m.resolved
    if m.frames:
        frame = m.frames[-1]
        if frame.bindings or frame.owner is not None:
            cache = frame.resolved
    found = cache.get(type)
    if found is None:
        found = cache[type] = _resolve(m, type)
    return found


def _resolve(m: Machine, type: Type) -> Type:
    for _ in range(8):
        target = _target(m, type)
        if target is None or target.name == type.name:
            break
        type = Type(
            target.name,
            target.args,
            type.pointers + target.pointers,
            type.reference or target.reference,
            type.const or target.const,
            dims=type.dims + target.dims,
        )
    if type.args:
        args = tuple(_resolve_argument(m, argument) for argument in type.args)
        if args != type.args:
            return Type(type.name, args, type.pointers, type.reference, type.const, dims=type.dims)
    return type


def _target(m: Machine, type: Type) -> Type | None:
    name = type.name
    if m.frames:
        bound = m.frame.bindings.get(name)
        if isinstance(bound, Type):
            return bound
        owner = m.frame.owner
        if owner is not None and name in owner.aliases:
            return owner.aliases[name]
    system = ALIASES.get(name.removeprefix("std::"))
    if system is not None and name not in m.index.structs:
        return Type(system)
    if name in OPENCL_TYPES:
        return OPENCL_TYPES[name]
    if "::" in name:
        prefix, _, member = name.rpartition("::")
        holder = resolve(m, Type(prefix, type.scope_args or type.args))
        struct = m.index.find_struct(holder.name)
        if struct is not None and member in struct.aliases:
            found = struct.aliases[member]
            bound = class_bindings(struct, holder).get(found.name)
            return bound if isinstance(bound, Type) else found
        if member == "value_type" and holder.args:
            first = holder.args[0]
            return first if isinstance(first, Type) else None
    if m.index.find_struct(name) is not None and not _is_self_alias(m, name):
        return None
    return m.index.find_alias(name)


def _is_self_alias(m: Machine, name: str) -> bool:
    alias = m.index.find_alias(name)
    return alias is not None and alias.name != name


def _resolve_argument(m: Machine, argument: Type | Expression) -> Type | Expression:
    if isinstance(argument, Type):
        bound = m.frame.bindings.get(argument.name) if m.frames else None
        if isinstance(bound, Expr):
            value = bound.constant
            if value is not None:
                return Literal(0, value, "int")
            return Name(0, argument.name)
        return resolve(m, argument)
    if isinstance(argument, Literal):
        return argument
    value_of = m.eval(argument)
    if isinstance(value_of, Scalar):
        number = value_of.value.constant
        if number is not None:
            return Literal(argument.line, number, value_of.type_name)
    return argument


def class_bindings(struct: Struct, type: Type) -> dict[str, Type | Expr]:
    """The template parameters of a class by name, as the type's arguments give them."""
    bindings: dict[str, Type | Expr] = {}
    for position, parameter in enumerate(struct.template_params):
        if parameter.pack:
            break
        argument = type.args[position] if position < len(type.args) else parameter.default
        if isinstance(argument, Type):
            bindings[parameter.name] = argument
        elif isinstance(argument, Literal) and isinstance(argument.value, (int, float)):
            bindings[parameter.name] = constant(argument.value)
    return bindings


def sizeof(m: Machine, type: Type) -> Expr | None:
    """The size of a type in bytes, None where it is not known."""
    type = resolve(m, type)
    if type.dims:
        total = sizeof(m, Type(type.name, type.args, type.pointers))
        for dim in type.dims:
            extent = m.number(m.eval(dim)) if dim is not None else None
            if total is None or extent is None:
                return None
            total = total * extent.value
        return total
    size = size_and_align(m, type)
    return constant(size[0]) if size is not None else None


def size_and_align(m: Machine, type: Type, depth: int = 0) -> tuple[int, int] | None:
    """Size and alignment in bytes of a type without array bounds."""
    if type.pointers or type.reference:
        return 8, 8
    known = SIZES.get(type.name)
    if known is not None:
        return known, 8 if type.name == "std::string" else 4 if type.name == "dim3" else known
    vector = vector_component(type.name)
    if vector is not None:
        base, count = vector
        size = SIZES[base] * count
        return size, SIZES[base] if count == 3 else min(size, 16)
    key = (type.name, type.args)
    if key in m.sizes:
        return m.sizes[key]
    short = type.name.removeprefix("std::").removeprefix("thrust::").removeprefix("cuda::")
    if short in ("vector", "deque", "list"):
        return 24, 8
    if short in ("complex", "pair") and type.args and isinstance(type.args[0], Type):
        inner = [sizeof(m, t) for t in type.args if isinstance(t, Type)]
        sizes = [int(e.constant) for e in inner if e is not None and e.constant is not None]
        each = max(sizes, default=4)
        made = m.sizes[key] = (2 * each, each if short == "pair" else 2 * each)
        return made
    struct = m.index.find_struct(type.name)
    if struct is not None and depth < 16:
        found = m.sizes[key] = _struct_size(m, struct, type, depth)
        return found
    if m.index.find_enumerator(type.name) is None and _is_enum(m, type.name):
        return 4, 4
    return None


def _is_enum(m: Machine, name: str) -> bool:
    prefix = name + "::"
    return any(
        qualified.startswith(prefix) or ("::" + prefix) in qualified
        for entries in m.index.enumerators.values()
        for qualified, _ in entries
    )


def _struct_size(m: Machine, struct: Struct, type: Type, depth: int) -> tuple[int, int] | None:
    size, align = 0, 1
    m.frames.append(class_frame(struct, type))
    try:
        for base in struct.bases:
            inner = size_and_align(m, resolve(m, base), depth + 1)
            if inner is not None:
                size, align = size + inner[0], max(align, inner[1])
        for field in struct.fields:
            if "static" in field.qualifiers or "constexpr" in field.qualifiers:
                continue
            measured = _field_size(m, field, depth)
            if measured is None:
                return None
            bytes_, field_align = measured
            align = max(align, field_align)
            if struct.union:
                size = max(size, bytes_)
            else:
                size = -(-size // field_align) * field_align + bytes_
        if struct.align is not None:
            asked = m.number(m.eval(struct.align))
            if asked is not None and asked.value.constant is not None:
                align = max(align, int(asked.value.constant))
    finally:
        m.frames.pop()
    size = max(size, 1)
    return -(-size // align) * align, align


def _field_size(m: Machine, field: Variable, depth: int) -> tuple[int, int] | None:
    type = resolve(m, field.type)
    single = size_and_align(m, Type(type.name, type.args, type.pointers), depth + 1)
    if single is None:
        return None
    total = single[0]
    for dim in type.dims:
        extent = m.number(m.eval(dim)) if dim is not None else None
        number = extent.value.constant if extent is not None else None
        if number is None:
            return None
        total *= int(number)
    return total, max(single[1], 1)


def class_frame(struct: Struct, type: Type, this: Aggregate | None = None) -> Frame:
    """A frame as methods of the class see it: its template arguments and members in force."""
    return Frame(None, class_bindings(struct, type), [{}], this, struct)


def field_type(m: Machine, type: Type, name: str, depth: int = 0) -> Type | None:
    """The declared type of a member, None where the class or member is not known."""
    vector = vector_component(type.name)
    if vector is not None:
        return Type(vector[0]) if name in _COMPONENTS[: vector[1]] else None
    struct = m.index.find_struct(type.name)
    if struct is None or depth > 8:
        return None
    for field in struct.fields:
        if field.name == name:
            m.frames.append(class_frame(struct, type))
            try:
                return resolve(m, field.type)
            finally:
                m.frames.pop()
    for base in struct.bases:
        found = field_type(m, base, name, depth + 1)
        if found is not None:
            return found
    return None
