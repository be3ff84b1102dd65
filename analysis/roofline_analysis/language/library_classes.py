"""Classes of the standard library, thrust and CUDA whose headers are not read: size and fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from roofline_analysis.language.scope import as_number
from roofline_analysis.language.templates import TemplateArgument
from roofline_analysis.language.types import Extent
from roofline_core.program.records import record
from roofline_core.program.types import Type

_OF_FIXED_SIZE: Final[Mapping[str, Extent]] = {
    "std::string": Extent(32, 8),
    "string_view": Extent(16, 8),
    "vector": Extent(24, 8),
    "deque": Extent(80, 8),
    "list": Extent(24, 8),
    "forward_list": Extent(8, 8),
    "map": Extent(48, 8),
    "multimap": Extent(48, 8),
    "set": Extent(48, 8),
    "multiset": Extent(48, 8),
    "unordered_map": Extent(56, 8),
    "unordered_set": Extent(56, 8),
    "queue": Extent(80, 8),
    "stack": Extent(80, 8),
    "priority_queue": Extent(32, 8),
    "shared_ptr": Extent(16, 8),
    "weak_ptr": Extent(16, 8),
    "unique_ptr": Extent(8, 8),
    "function": Extent(32, 8),
    "mutex": Extent(40, 8),
    "thread": Extent(8, 8),
    "initializer_list": Extent(16, 8),
    "device_ptr": Extent(8, 8),
    "true_type": Extent(1, 1),
    "false_type": Extent(1, 1),
}
"""libstdc++ on x86-64; a container's size does not depend on its elements."""

_BITS: Final = Extent(40, 8)
"""``std::vector<bool>``."""

_PREFIXES: Final = ("std::", "thrust::", "cuda::std::", "cuda::", "cub::", "nvstd::")


def library_name(name: str) -> str:
    """A class's name without the namespace of the library that has it."""
    for prefix in _PREFIXES:
        if name.startswith(prefix) and name != "std::string":
            return name.removeprefix(prefix)
    return name


@record(frozen=True, slots=True)
class LibraryClass:
    """A library's class as objects of it lie in memory."""

    fields: tuple[tuple[str, Type], ...]
    align_bytes: int | None = None
    """More than its fields need; None: as they do."""


_Maker = Callable[[str, Sequence[TemplateArgument]], LibraryClass | None]


def _complex(name: str, args: Sequence[TemplateArgument]) -> LibraryClass | None:
    # thrust and libcu++ align a complex number to its whole size, libstdc++ to a part.
    element = args[0] if args and isinstance(args[0], Type) else None
    if element is None:
        return None
    whole = {"float": 8, "double": 16, "half": 4}.get(element.name)
    align = None if name.startswith("std::") or "::" not in name else whole
    return LibraryClass((("x", element), ("y", element)), align)


def _pair(name: str, args: Sequence[TemplateArgument]) -> LibraryClass | None:
    types = [argument for argument in args if isinstance(argument, Type)]
    if len(types) != 2:
        return None
    return LibraryClass((("first", types[0]), ("second", types[1])))


def _tuple(name: str, args: Sequence[TemplateArgument]) -> LibraryClass | None:
    types = [argument for argument in args if isinstance(argument, Type)]
    fields = [(f"_{position}", type_) for position, type_ in enumerate(types)]
    if name.startswith("std::"):
        fields.reverse()  # libstdc++ derives each element from those after it.
    return LibraryClass(tuple(fields))


def _array(name: str, args: Sequence[TemplateArgument]) -> LibraryClass | None:
    if len(args) != 2:
        return None
    element, bound = args
    if not isinstance(element, Type) or isinstance(bound, Type) or not as_number(bound):
        return None
    dims = (bound, *element.dims)
    made = Type(element.name, element.args, element.pointers, const=element.const, dims=dims)
    return LibraryClass((("_M_elems", made),))


def _atomic(name: str, args: Sequence[TemplateArgument]) -> LibraryClass | None:
    if not args or not isinstance(args[0], Type):
        return None
    return LibraryClass((("value", args[0]),))


def _span(name: str, args: Sequence[TemplateArgument]) -> LibraryClass | None:
    if len(args) != 1 or not isinstance(args[0], Type):
        return None
    fields = (("data", args[0].pointer_to()), ("size", Type("unsigned long")))
    return LibraryClass(fields)


_MADE_OF: Final[Mapping[str, _Maker]] = {
    "complex": _complex,
    "pair": _pair,
    "tuple": _tuple,
    "array": _array,
    "atomic": _atomic,
    "span": _span,
}


def library_class(type_: Type) -> LibraryClass | None:
    """The fields of a library's class with resolved template arguments; None for any other."""
    maker = _MADE_OF.get(library_name(type_.name))
    return maker(type_.name, type_.args) if maker is not None else None


def library_extent(type_: Type) -> Extent | None:
    """The room of a library's class whose fields nobody asks for; None for any other."""
    name = library_name(type_.name)
    if name == "unique_ptr" and len(type_.args) > 1:
        return None  # Its deleter may take room.
    if name == "vector" and type_.args and type_.args[0] == Type("bool"):
        return _BITS
    return _OF_FIXED_SIZE.get(name)


_POINTERS: Final = frozenset(("thrust::device_ptr", "device_ptr"))
"""Classes of one pointer that device code uses as the pointer itself."""


def pointer_class(closed: Type) -> Type:
    """The pointer that an object of a library's pointer class is to device code, or the type."""
    if closed.name not in _POINTERS or len(closed.args) != 1 or closed.pointers or closed.dims:
        return closed
    element = closed.args[0]
    return element.pointer_to() if isinstance(element, Type) else closed
