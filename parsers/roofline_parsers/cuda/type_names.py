"""Types without their declarators: ``const unsigned long``, ``std::vector<float>``."""

from __future__ import annotations

import re
from functools import lru_cache

from roofline_core.program.expressions import Expression, Index, Member, Name
from roofline_core.program.types import Type
from roofline_parsers.cuda.grammar import (
    COMMENT,
    DEPENDENT_NAME,
    ERROR,
    IDENTIFIER,
    NAMESPACE_IDENTIFIER,
    PARENTHESIZED,
    QUALIFIED_IDENTIFIER,
    TEMPLATE_ARGUMENTS,
    TEMPLATE_FUNCTION,
    TEMPLATE_METHOD,
    TEMPLATE_TYPE,
    TYPE_DESCRIPTOR,
    TYPE_IDENTIFIER,
    Node,
    kind,
)
from roofline_parsers.cuda.lowering import MAX_DEPTH, TYPES, Lowering, expression, reads_type

TemplateArgs = tuple[Type | Expression, ...]
QualifiedParts = tuple[str, TemplateArgs | None, TemplateArgs]
"""A name without arguments, its own template arguments, and those of the class around it."""

_SIZE_WORDS = frozenset(["unsigned", "signed", "long", "short", "int", "char", "double"])
_QUALIFIED_INLINE = re.compile(r"^std::__\w+::")
_AUTO = kind("auto")
_PACK = kind("parameter_pack_expansion")
_DECLTYPE = kind("decltype")
_TEMPLATES = frozenset([TEMPLATE_FUNCTION, TEMPLATE_METHOD, TEMPLATE_TYPE])


@lru_cache(maxsize=256)
def canonical(words: str) -> str:
    """The one spelling of an arithmetic type: ``long unsigned`` is ``unsigned long``."""
    parts = words.split()
    if not _SIZE_WORDS.intersection(parts):
        return " ".join(parts)
    unsigned = "unsigned" in parts
    longs = parts.count("long")
    rest = [word for word in parts if word not in _SIZE_WORDS]
    if rest:
        return " ".join(rest)
    if "double" in parts:
        return "long double" if longs else "double"
    if "char" in parts:
        return "unsigned char" if unsigned else "signed char" if "signed" in parts else "char"
    base = "short" if "short" in parts else ("int", "long", "long long")[min(longs, 2)]
    return f"unsigned {base}" if unsigned else base


@lru_cache(maxsize=4096)
def plain_type(name: str) -> Type:
    """The type of that name, nothing added."""
    return Type(name)


def type_of(lo: Lowering, node: Node, depth: int) -> Type:
    """Reads a type's node, a name or a specifier; what is none becomes a type named by its text."""
    handler = TYPES.get(node.kind_id)
    if handler is None or depth >= MAX_DEPTH:
        return Type(lo.excerpt(node))
    return handler(lo, node, depth + 1)


def named_type(lo: Lowering, name: str) -> Type:
    """The type ``name`` stands for: a typedef of this body is replaced by its meaning."""
    meaning = lo.local_types.get(name)
    return plain_type(name) if meaning is None else meaning


@reads_type("primitive_type")
def _primitive(lo: Lowering, node: Node, depth: int) -> Type:
    return plain_type(lo.names[node.start_byte : node.end_byte])


@reads_type("type_identifier", "identifier", "namespace_identifier", "field_identifier")
def _named(lo: Lowering, node: Node, depth: int) -> Type:
    name = lo.names[node.start_byte : node.end_byte]
    if name in lo.local_types:
        return named_type(lo, name)
    return plain_type(canonical(name) if name in _SIZE_WORDS else name)


@reads_type("sized_type_specifier")
def _sized(lo: Lowering, node: Node, depth: int) -> Type:
    return plain_type(canonical(lo.text(node)))


@reads_type("placeholder_type_specifier", "auto")
def _placeholder(lo: Lowering, node: Node, depth: int) -> Type:
    return plain_type("auto")


@reads_type("decltype")
def _decltype(lo: Lowering, node: Node, depth: int) -> Type:
    inner = [child for child in node.named_children if child.kind_id != COMMENT]
    if not inner or inner[0].kind_id == _AUTO:
        return plain_type("auto")
    grouped = inner[0].kind_id == PARENTHESIZED
    args = tuple(expression(lo, child, depth) for child in inner)
    return Type("decltype", args, reference=grouped and isinstance(args[0], (Name, Member, Index)))


@reads_type("dependent_type")
def _dependent(lo: Lowering, node: Node, depth: int) -> Type:
    return type_of(lo, node.children[-1], depth)


@reads_type("template_type", "template_function", "template_method")
def _template(lo: Lowering, node: Node, depth: int) -> Type:
    name, args = template_parts(lo, node, depth)
    return Type(name, args or ())


@reads_type("qualified_identifier", "dependent_name")
def _qualified(lo: Lowering, node: Node, depth: int) -> Type:
    name, args, scope_args = in_place_of_local(lo, qualified_parts(lo, node, depth))
    return Type(name, args or (), scope_args=scope_args)


def in_place_of_local(lo: Lowering, parts: QualifiedParts) -> QualifiedParts:
    """The parts of ``R::member`` with what a typedef of the body says of ``R`` in its place."""
    name, args, scope_args = parts
    head, _, rest = name.partition("::")
    meaning = lo.local_types.get(head)
    if meaning is None or scope_args or not rest:
        return parts
    return f"{meaning.name}::{rest}", args, meaning.args


def template_parts(lo: Lowering, node: Node, depth: int) -> tuple[str, TemplateArgs | None]:
    """The name and arguments of ``name<...>``."""
    name = ""
    args: TemplateArgs | None = None
    for child in node.children:
        if child.kind_id == TEMPLATE_ARGUMENTS:
            args = template_args(lo, child, depth)
        elif child.is_named and child.kind_id != COMMENT:
            name = lo.text(child)
    return name, args


def template_args(lo: Lowering, node: Node, depth: int) -> TemplateArgs:
    """The arguments between ``<`` and ``>``: types, and values where that is known."""
    args: list[Type | Expression] = []
    for child in node.children:
        if child.is_named and child.kind_id not in (COMMENT, ERROR):
            # Template arguments take more of the stack than other nesting: they count threefold.
            args.append(_template_arg(lo, child, depth + 2))
    return tuple(args)


def _template_arg(lo: Lowering, node: Node, depth: int) -> Type | Expression:
    if node.kind_id == _PACK:
        node = node.children[0]
    if node.kind_id != TYPE_DESCRIPTOR:
        if node.kind_id == IDENTIFIER and lo.is_type(lo.text(node)):
            return type_of(lo, node, depth)
        return expression(lo, node, depth)
    children = node.children
    if len(children) == 1 and children[0].kind_id == TYPE_IDENTIFIER:
        name = lo.text(node)
        if lo.is_value(name):
            return Name(lo.line_of(node), name)
    return type_of(lo, node, depth)


def qualified_parts(lo: Lowering, node: Node, depth: int) -> QualifiedParts:
    """The name, own template arguments and scope's template arguments of ``a::B<T>::c<int>``.

    The name is ``a::B::c``: without a leading ``::`` and without arguments.
    """
    parts: list[str] = []
    scope_args: TemplateArgs = ()
    args: TemplateArgs | None = None
    while True:
        tail: Node | None = None
        for child in node.children:
            kind_id = child.kind_id
            if kind_id in (QUALIFIED_IDENTIFIER, DEPENDENT_NAME):
                tail = child
            elif kind_id in _TEMPLATES:
                scope_args = scope_args if args is None else args
                name, args = template_parts(lo, child, depth)
                parts.append(name)
            elif kind_id == _DECLTYPE:
                args = type_of(lo, child, depth).args
                parts.append("decltype")
            elif child.is_named and kind_id not in (COMMENT, ERROR):
                if args is not None:
                    scope_args, args = args, None
                parts.append(
                    lo.names[child.start_byte : child.end_byte]
                    if kind_id in (IDENTIFIER, TYPE_IDENTIFIER, NAMESPACE_IDENTIFIER)
                    else lo.excerpt(child)
                )
        if tail is None:
            break
        node = tail
    name = "::".join(parts)
    if name.startswith("std::__"):
        name = _QUALIFIED_INLINE.sub("std::", name)
    return name, args, scope_args
