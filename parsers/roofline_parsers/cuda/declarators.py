"""Declarators, which build a type from a declaration's base type: ``*p[4]``, ``(*f)(int)``."""

from __future__ import annotations

from dataclasses import dataclass, replace

from roofline_core.program.expressions import Expression
from roofline_core.program.types import MEMBER_POINTER, Type
from roofline_parsers.cuda.attributes import aligned
from roofline_parsers.cuda.grammar import (
    COMMENT,
    DECLARATOR_NAMES,
    DECLARATORS,
    ERROR,
    FUNCTION_DECLARATOR,
    PARAMETERS,
    REQUIRES,
    TYPE_QUALIFIER,
    Node,
    kind,
    token,
)
from roofline_parsers.cuda.lowering import MAX_DEPTH, Lowering, expression, reads_type
from roofline_parsers.cuda.repair import OF_MEMBER
from roofline_parsers.cuda.specifiers import Specifiers, read_specifiers
from roofline_parsers.cuda.type_names import plain_type, type_of

_POINTERS = frozenset([kind("pointer_declarator"), kind("abstract_pointer_declarator")])
_REFERENCES = frozenset([kind("reference_declarator"), kind("abstract_reference_declarator")])
_ARRAYS = frozenset([kind("array_declarator"), kind("abstract_array_declarator")])
_ABSTRACT_FUNCTION = kind("abstract_function_declarator")
_FUNCTIONS = frozenset([FUNCTION_DECLARATOR, _ABSTRACT_FUNCTION])
_POINTER_MODIFIERS = frozenset([TYPE_QUALIFIER, kind("ms_pointer_modifier")])
_TRAILING_RETURN = kind("trailing_return_type")
_BRACKET = token("[")
_RVALUE = token("&&")
_AFTER_PARAMETERS = frozenset([TYPE_QUALIFIER, kind("ref_qualifier"), kind("virtual_specifier")])
_PLACEHOLDER = kind("placeholder_type_specifier")
_ELLIPSIS = token("...")
_RESTRICT = frozenset(["__restrict__", "__restrict", "restrict"])


@dataclass(slots=True)
class Declared:
    """A declarator read: its name, its type and, for a function, where its parameters are."""

    type: Type
    name: Node | None = None
    """The node of the name, perhaps qualified; None in an abstract declarator."""
    function: Node | None = None
    """The function declarator, if this declares a function rather than a pointer to one."""


class _Shape:
    """A type while declarators are put around it, the outermost first."""

    def __init__(self, base: Type) -> None:
        self.base = base
        self.pointers = base.pointers
        self.reference = base.reference
        self.rvalue = base.rvalue
        self.restrict = base.restrict
        self.dims: list[Expression | None] = []
        """Bounds met so far, the innermost first."""

    def add_pointer(self, lo: Lowering, node: Node) -> None:
        """Take in a pointer declarator; its qualifiers say whether the type is ``restrict``."""
        if self.dims:
            # A pointer to an array is sized like a parameter `x[][n]`.
            self.dims.append(None)
        else:
            self.pointers += 1
        self.restrict = any(
            child.kind_id in _POINTER_MODIFIERS and lo.text(child) in _RESTRICT
            for child in node.children
        )

    def type(self) -> Type:
        """The type made so far; bounds, met innermost first, stand outermost first in it."""
        base = self.base
        return Type(
            base.name,
            base.args,
            self.pointers,
            self.reference,
            base.const,
            self.restrict,
            base.volatile,
            (*reversed(self.dims), *base.dims),
            base.scope_args,
            self.rvalue,
            tagged=base.tagged,
        )


def read_declarator(lo: Lowering, node: Node | None, base: Type, depth: int) -> Declared:
    """Reads a declarator from the outside in, adding what it says to ``base``."""
    if node is None:
        return Declared(base)
    if node.kind_id not in DECLARATORS:
        return Declared(base, node)
    if depth >= MAX_DEPTH:
        lo.too_deep(node)
        return Declared(base)
    shape = _Shape(base)
    function: Node | None = None
    current: Node | None = node
    while current is not None and current.kind_id in DECLARATORS:
        kind_id = current.kind_id
        if kind_id in _POINTERS:
            if function is not None:
                # `(*f)(int)`: what comes from here on is made of a function.
                shape = _Shape(_function_type(lo, function, shape.type(), depth))
                function = None
            if _is_of_member(lo, current):
                shape = _Shape(Type(MEMBER_POINTER, (shape.type(),)))
            else:
                shape.add_pointer(lo, current)
        elif kind_id in _REFERENCES:
            shape.reference = True
            shape.rvalue = current.children[0].kind_id == _RVALUE
        elif kind_id in _ARRAYS:
            shape.dims.append(_bound(lo, current, depth))
        elif kind_id in _FUNCTIONS:
            function = current
        current = _inner(current)
    if function is not None and current is None:
        return Declared(_function_type(lo, function, shape.type(), depth))
    return Declared(shape.type(), current, function)


def _is_of_member(lo: Lowering, pointer: Node) -> bool:
    """Whether a ``*`` is that of ``Class::*``."""
    star = pointer.start_byte
    return lo.source.text[max(0, star - 1) : star] == OF_MEMBER


def _function_type(lo: Lowering, function: Node, result: Type, depth: int) -> Type:
    return Type("function", _signature(lo, function, result, depth))


def _signature(lo: Lowering, function: Node, result: Type, depth: int) -> tuple[Type, ...]:
    """The result and parameter types of a function type."""
    types = [result]
    for child in function.children:
        if child.kind_id == PARAMETERS:
            for parameter in child.named_children:
                if parameter.kind_id in (COMMENT, ERROR) or not parameter.child_count:
                    continue
                specifiers = read_specifiers(lo, parameter.children, depth + 2)
                if specifiers.type is not None:
                    types.append(_parameter_type(lo, parameter, specifiers, depth + 2))
    return tuple(types)


def _parameter_type(lo: Lowering, node: Node, specifiers: Specifiers, depth: int) -> Type:
    assert specifiers.type is not None
    children = node.children
    rest = children[specifiers.rest] if specifiers.rest < len(children) else None
    if rest is not None and rest.kind_id not in DECLARATORS:
        rest = None
    return read_declarator(lo, rest, specifiers.type, depth).type


def _inner(node: Node) -> Node | None:
    """The declarator or name that a declarator wraps."""
    for child in node.children:
        kind_id = child.kind_id
        if kind_id in DECLARATORS or kind_id in DECLARATOR_NAMES:
            return child
        if kind_id in (_BRACKET, PARAMETERS):
            return None
    return None


def _bound(lo: Lowering, node: Node, depth: int) -> Expression | None:
    """The size between the brackets of an array declarator."""
    inside = False
    for child in node.children:
        if child.kind_id == _BRACKET:
            inside = True
        elif inside and child.is_named and child.kind_id not in (COMMENT, TYPE_QUALIFIER):
            return expression(lo, child, depth)
    return None


def trailing_return(lo: Lowering, function: Node, depth: int) -> Type | None:
    """The type after ``->`` of a function declarator."""
    for child in function.children:
        if child.kind_id == _TRAILING_RETURN:
            return type_of(lo, child.children[-1], depth)
    return None


def function_qualifiers(lo: Lowering, function: Node) -> set[str]:
    """``const``, ``&&`` and their like after the parameters; ``...`` and ``requires``."""
    found: set[str] = set()
    for child in function.children:
        if child.kind_id in _AFTER_PARAMETERS:
            found.add(lo.text(child))
        elif child.kind_id == REQUIRES:
            found.add("requires")
        elif child.kind_id == PARAMETERS:
            found |= _of_parameters(child)
    return found


def _of_parameters(listed: Node) -> set[str]:
    """``...`` of ``(int, ...)``, ``requires`` of ``(Small auto x)``."""
    found: set[str] = set()
    for child in listed.children:
        if child.kind_id == _ELLIPSIS:
            found.add("...")
        for part in child.children:
            if part.kind_id == _PLACEHOLDER and part.child_count > 1:
                found.add("requires")
    return found


@reads_type("type_descriptor")
def _type_descriptor(lo: Lowering, node: Node, depth: int) -> Type:
    """A type as a cast or a template argument writes it, with an abstract declarator."""
    children = node.children
    if len(children) == 1:
        return type_of(lo, children[0], depth)
    specifiers = read_specifiers(lo, children, depth)
    base = aligned(specifiers.type or Type(lo.excerpt(node)), specifiers.align)
    for child in children:
        if child.kind_id in DECLARATORS:
            found = read_declarator(lo, child, base, depth).type
            fixed = child.kind_id in _POINTERS and lo.text(child).endswith("const")
            return replace(found, fixed=True) if fixed else found
    return base


def read_operator_cast(lo: Lowering, node: Node, depth: int) -> Declared:
    """``operator const T*()``: the type it converts to is the type it returns."""
    children = node.children[1:]
    specifiers = read_specifiers(lo, children, depth)
    base = specifiers.type or plain_type("auto")
    pointers, reference = base.pointers, base.reference
    rest = children[specifiers.rest :]
    current: Node | None = rest[0] if rest else None
    rvalue = False
    while current is not None and current.kind_id != _ABSTRACT_FUNCTION:
        rvalue = rvalue or current.children[0].kind_id == _RVALUE
        pointers += current.kind_id in _POINTERS
        reference = reference or current.kind_id in _REFERENCES
        current = _inner(current)
    target = Type(base.name, base.args, pointers, reference, base.const, rvalue=rvalue)
    target = replace(target, tagged=True) if base.tagged else target
    return Declared(target, node, current)


def spelled(target: Type) -> str:
    """A type as it names a conversion operator: ``T*``."""
    const = "const " if target.const else ""
    return const + target.name + "*" * target.pointers + "&" * target.reference
