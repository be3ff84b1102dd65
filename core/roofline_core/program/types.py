"""C++ types as source spells them, reduced to what counting and sizing need."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Final

from roofline_core.program.records import record

if TYPE_CHECKING:
    from roofline_core.program.expressions import Expression

MEMBER_POINTER: Final = "pointer to member"
"""The name of the type ``T Class::*``, whose one argument is ``T``, a function's type for methods.
"""


@record(frozen=True, slots=True)
class Type:
    """A type: a base name with template arguments, then pointers, a reference and array bounds.

    ``name`` of an arithmetic type is canonical whatever the source's word order: ``bool``,
    ``char``, ``signed char``, ``unsigned char``, ``short``, ``unsigned short``, ``int``,
    ``unsigned int``, ``long``, ``unsigned long``, ``long long``, ``unsigned long long``,
    ``float``, ``double``, ``long double``, ``void``, ``auto``. Other names (typedefs, classes,
    template parameters, ``half``, ``float4``, ``size_t``) stay as written, qualified with ``::``
    but without a leading ``::`` and without ``typename``, ``struct`` or ``std::``'s inline parts.
    ``std::vector<float>`` is ``Type("std::vector", args=(Type("float"),))``.
    """

    name: str
    args: tuple[Type | Expression, ...] = ()
    """Template arguments, types or values."""
    pointers: int = 0
    """Levels of ``*``; a function pointer is a pointer to ``Type("function")``."""
    reference: bool = False
    const: bool = False
    """The pointee (or the value, where there is no pointer) is ``const``."""
    restrict: bool = False
    """The outermost pointer is ``__restrict__``."""
    volatile: bool = False
    dims: tuple[Expression | None, ...] = ()
    """Array bounds, outermost first; None where the source leaves one out (``x[]``)."""
    scope_args: tuple[Type | Expression, ...] = ()
    """Template arguments of the class in a qualified name: ``Traits<float>::type`` is
    ``Type("Traits::type", scope_args=(Type("float"),))``."""
    rvalue: bool = False
    """The reference is one to a temporary, ``&&``; ``reference`` is set as well."""
    fixed: bool = False
    """Of a template argument: the outermost pointer is ``const`` itself, ``int* const``."""
    enumeration: str = ""
    """The qualified name of the enumeration of which this is the underlying type, once resolved."""
    align: Expression | None = field(default=None, compare=False)
    """The alignment in bytes that a typedef asks for, of its objects: it is the same type."""

    tagged: bool = field(default=False, compare=False)
    """``struct``, ``union``, ``class`` or ``enum`` stands before the name: it is no macro's."""
    _known_hash: int = field(default=0, init=False, repr=False, compare=False)
    _known_parts: int = field(default=0, init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        # What tells most types apart; hashing every field costs three times as much. Types share
        # their arguments: without the kept numbers some would be asked as often as they stand in
        # the type written out, which may be millions of times.
        if not self.args:
            return hash(self.name) + self.pointers
        if self._known_hash == 0:
            object.__setattr__(self, "_known_hash", hash((self.name, self.pointers, self.args)))
        return self._known_hash

    @property
    def parts(self) -> int:
        """How many types the type written out has: itself, and its arguments' ones."""
        if not (self.args or self.scope_args):
            return 1
        if self._known_parts == 0:
            given = (*self.args, *self.scope_args)
            parts = 1 + sum(each.parts if isinstance(each, Type) else 1 for each in given)
            object.__setattr__(self, "_known_parts", parts)
        return self._known_parts

    def __eq__(self, other: object) -> bool:
        # Written out, as types are compared more often than all else: in a third of the time.
        if self is other:
            return True
        if not isinstance(other, Type):
            return NotImplemented
        return (
            self.name == other.name
            and self.pointers == other.pointers
            and self.const == other.const
            and self.reference == other.reference
            and self.args == other.args
            and self.dims == other.dims
            and self.scope_args == other.scope_args
            and self.restrict == other.restrict
            and self.volatile == other.volatile
            and self.rvalue == other.rvalue
            and self.fixed == other.fixed
            and self.enumeration == other.enumeration
        )

    def pointee(self) -> Type:
        """The type that subscripting or dereferencing a value of this type gives."""
        if self.dims:
            return self._plain(self.pointers, self.dims[1:])
        if self.pointers:
            return self._plain(self.pointers - 1, self.dims)
        return self

    def pointer_to(self) -> Type:
        """The type of the address of a value of this type."""
        return self._plain(self.pointers + 1, ())

    def _plain(self, pointers: int, dims: tuple[Expression | None, ...]) -> Type:
        """The type with other pointers and bounds, neither a reference nor ``__restrict__``."""
        args, scope_args = self.args, self.scope_args
        const, volatile = self.const, self.volatile
        return Type(
            self.name,
            args,
            pointers,
            False,
            const,
            False,
            volatile,
            dims,
            scope_args,
            enumeration=self.enumeration,
            tagged=self.tagged,
        )
