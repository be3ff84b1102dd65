"""Declarators and the specifiers before them: ``static const float *p[4]``."""

from __future__ import annotations

from dataclasses import dataclass, field

from roofline_lsp.kernel.expressions import Expression
from roofline_lsp.kernel.types import Type
from roofline_lsp.parsers.cuda.grammar import (
    COMMA_TOKEN,
    COMMENT,
    ERROR,
    FIELD_IDENTIFIER,
    FUNCTION_DECLARATOR,
    IDENTIFIER,
    PARAMETERS,
    TYPE_DESCRIPTOR,
    TYPE_IDENTIFIER,
    Node,
    kind,
    token,
)
from roofline_lsp.parsers.cuda.lowering import TYPES, Lowering, expression, reads_type
from roofline_lsp.parsers.cuda.type_names import plain_type, type_of

_POINTERS = frozenset([kind("pointer_declarator"), kind("abstract_pointer_declarator")])
_REFERENCES = frozenset([kind("reference_declarator"), kind("abstract_reference_declarator")])
_ARRAYS = frozenset([kind("array_declarator"), kind("abstract_array_declarator")])
_FUNCTIONS = frozenset([FUNCTION_DECLARATOR, kind("abstract_function_declarator")])
_WRAPPERS = frozenset(
    [
        kind("parenthesized_declarator"),
        kind("abstract_parenthesized_declarator"),
        kind("attributed_declarator"),
        kind("variadic_declarator"),
    ]
)
DECLARATORS = _POINTERS | _REFERENCES | _ARRAYS | _FUNCTIONS | _WRAPPERS
"""Kinds that wrap a declarator around a name."""

_STORAGE = kind("storage_class_specifier")
_QUALIFIER = kind("type_qualifier")
_ATTRIBUTE = frozenset(
    [kind("attribute_specifier"), kind("attribute_declaration"), kind("ms_declspec_modifier")]
)
_POINTER_MODIFIERS = frozenset([_QUALIFIER, kind("ms_pointer_modifier")])
_ALIGNAS = kind("alignas_qualifier")
_VARIADIC = kind("variadic_declarator")
_TRAILING_RETURN = kind("trailing_return_type")
_BRACKET = token("[")
_RESTRICT = frozenset(["__restrict__", "__restrict", "restrict"])

_WORD_QUALIFIERS = {
    token(word): word
    for word in (
        "__global__",
        "__device__",
        "__host__",
        "__forceinline__",
        "__noinline__",
        "virtual",
    )
}
_LAUNCH_BOUNDS = kind("launch_bounds")


@dataclass(slots=True)
class Specifiers:
    """What stands before the declarators of a declaration."""

    type: Type | None = None
    """The base type; None for a constructor or conversion operator."""
    type_node: Node | None = None
    qualifiers: set[str] = field(default_factory=set)
    launch_bounds: tuple[Expression, ...] = ()
    align: Expression | None = None
    const: bool = False
    volatile: bool = False
    auto_type: bool = False
    rest: int = 0
    """Index of the first child that is no specifier."""


def read_specifiers(lo: Lowering, children: list[Node], depth: int) -> Specifiers:
    """Reads the specifiers at the start of a declaration's children, in any order."""
    out = Specifiers()
    for index, child in enumerate(children):
        kind_id = child.kind_id
        if kind_id == _QUALIFIER:
            _qualifier(lo, child, out, depth)
        elif kind_id == _STORAGE:
            out.qualifiers.add(lo.text(child))
        elif kind_id in _WORD_QUALIFIERS:
            out.qualifiers.add(_WORD_QUALIFIERS[kind_id])
        elif out.type_node is None and kind_id in TYPES and kind_id not in _BARE_NAMES:
            out.type_node = child
            out.type = type_of(lo, child, depth)
        elif kind_id == _LAUNCH_BOUNDS:
            out.launch_bounds = tuple(
                expression(lo, item, depth)
                for item in child.named_children
                if item.kind_id != COMMENT
            )
        elif kind_id == ERROR and child.named_child_count:
            _misplaced(lo, child, out, depth)
        elif kind_id in DECLARATORS or kind_id in _STOPS or kind_id in _NAMES:
            out.rest = index
            break
    else:
        out.rest = len(children)
    if out.type is not None and (out.const or out.volatile):
        out.type = _qualified(out.type, out.const, out.volatile)
    return out


def _qualified(base: Type, const: bool, volatile: bool) -> Type:
    return Type(
        base.name,
        base.args,
        base.pointers,
        base.reference,
        const or base.const,
        base.restrict,
        volatile or base.volatile,
        base.dims,
        base.scope_args,
    )


def _qualifier(lo: Lowering, node: Node, out: Specifiers, depth: int) -> None:
    inner = node.children[0] if node.child_count else node
    if inner.kind_id == _ALIGNAS:
        values = [child for child in inner.named_children if child.kind_id != COMMENT]
        out.align = expression(lo, values[0], depth) if values else None
        return
    word = lo.text(node)
    if word == "const":
        out.const = True
    elif word == "volatile":
        out.volatile = True
    else:
        out.const = out.const or word == "constexpr"
        out.qualifiers.add(word)


def _misplaced(lo: Lowering, error: Node, out: Specifiers, depth: int) -> None:
    """Mends ``HOST_DEVICE float f()``: a macro nobody defined was taken for the type."""
    child = error.named_children[-1]
    if out.type_node is None or child.kind_id not in TYPES:
        return
    if out.type_node.kind_id == TYPE_IDENTIFIER:
        out.qualifiers.add(lo.text(out.type_node))
    out.type_node = child
    out.type = type_of(lo, child, depth)


@dataclass(slots=True)
class Declared:
    """A declarator read: its name, its type and, for a function, where its parameters are."""

    type: Type
    name: Node | None = None
    """The node of the name, perhaps qualified; None in an abstract declarator."""
    function: Node | None = None
    """The function declarator, if this declares a function rather than a pointer to one."""
    pack: bool = False


def read_declarator(lo: Lowering, node: Node | None, base: Type, depth: int) -> Declared:
    """Reads a declarator from the outside in, adding what it says to ``base``."""
    if node is None:
        return Declared(base)
    if node.kind_id not in DECLARATORS:
        return Declared(base, node)
    pointers, reference, restrict = base.pointers, base.reference, base.restrict
    dims: list[Expression | None] = []
    name, args, scope_args = base.name, base.args, base.scope_args
    const, volatile = base.const, base.volatile
    after: tuple[Expression | None, ...] = base.dims
    pack = False
    function: Node | None = None
    current: Node | None = node
    while current is not None and current.kind_id in DECLARATORS:
        kind_id = current.kind_id
        if kind_id in _POINTERS:
            if function is not None:
                result = Type(name, args, pointers, reference, const, False, volatile)
                name, args, scope_args = "function", _signature(lo, function, result, depth), ()
                pointers, reference, const, volatile, after = 0, False, False, False, ()
                function, dims = None, []
            elif dims:
                # A pointer to an array is sized like a parameter `x[][n]`.
                dims.append(None)
                pointers -= 1
            pointers += 1
            restrict = any(
                child.kind_id in _POINTER_MODIFIERS and lo.text(child) in _RESTRICT
                for child in current.children
            )
        elif kind_id in _REFERENCES:
            reference = True
        elif kind_id in _ARRAYS:
            dims.append(_bound(lo, current, depth))
        elif kind_id in _FUNCTIONS:
            function = current
        elif kind_id == _VARIADIC:
            pack = True
        current = _inner(current)
    full = Type(
        name,
        args,
        pointers,
        reference,
        const,
        restrict,
        volatile,
        (*reversed(dims), *after),
        scope_args,
    )
    if function is not None and current is None:
        return Declared(Type("function", _signature(lo, function, full, depth)))
    return Declared(full, current, function, pack)


def _signature(lo: Lowering, function: Node, result: Type, depth: int) -> tuple[Type, ...]:
    """The result and parameter types of a function type."""
    types = [result]
    for child in function.children:
        if child.kind_id == PARAMETERS:
            for parameter in child.named_children:
                if parameter.kind_id in (COMMENT, ERROR) or not parameter.child_count:
                    continue
                specifiers = read_specifiers(lo, parameter.children, depth)
                if specifiers.type is not None:
                    types.append(_parameter_type(lo, parameter, specifiers, depth))
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
        if kind_id in DECLARATORS or kind_id in _NAMES:
            return child
        if kind_id == _BRACKET or kind_id == PARAMETERS:
            return None
    return None


def _bound(lo: Lowering, node: Node, depth: int) -> Expression | None:
    """The size between the brackets of an array declarator."""
    inside = False
    for child in node.children:
        if child.kind_id == _BRACKET:
            inside = True
        elif inside and child.is_named and child.kind_id not in (COMMENT, _QUALIFIER):
            return expression(lo, child, depth)
    return None


def trailing_return(lo: Lowering, function: Node, depth: int) -> Type | None:
    """The type after ``->`` of a function declarator."""
    for child in function.children:
        if child.kind_id == _TRAILING_RETURN:
            return type_of(lo, child.children[-1], depth)
    return None


@reads_type("type_descriptor")
def _type_descriptor(lo: Lowering, node: Node, depth: int) -> Type:
    """A type as a cast or a template argument writes it, with an abstract declarator."""
    children = node.children
    if len(children) == 1:
        return type_of(lo, children[0], depth)
    specifiers = read_specifiers(lo, children, depth)
    base = specifiers.type or Type(lo.excerpt(node))
    for child in children:
        if child.kind_id in DECLARATORS:
            return read_declarator(lo, child, base, depth).type
    return base


_NAMES = frozenset(
    map(
        kind,
        (
            "identifier",
            "field_identifier",
            "type_identifier",
            "qualified_identifier",
            "template_function",
            "template_method",
            "dependent_name",
            "operator_name",
            "destructor_name",
            "structured_binding_declarator",
            "splice_expression",
        ),
    )
)
_BARE_NAMES = frozenset([IDENTIFIER, FIELD_IDENTIFIER])
_STOPS = frozenset(
    [
        kind("init_declarator"),
        kind("operator_cast"),
        COMMA_TOKEN,
        token(";"),
        token("="),
        token(":"),
    ]
)

__all__ = [
    "DECLARATORS",
    "Declared",
    "Specifiers",
    "plain_type",
    "read_declarator",
    "read_specifiers",
    "trailing_return",
]
