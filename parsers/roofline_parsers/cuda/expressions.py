"""Expressions other than binary operators, literals, launches and lambdas."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_core.program.expressions import (
    Assign,
    Binary,
    Cast,
    Conditional,
    Expansion,
    Expression,
    Fold,
    Index,
    Member,
    Name,
    SizeOf,
    Unary,
    Unknown,
    Update,
)
from roofline_parsers.cuda.grammar import (
    CLOSE_PAREN,
    COMMA_TOKEN,
    COMMENT,
    ERROR,
    FIELD_IDENTIFIER,
    IDENTIFIER,
    OPEN_PAREN,
    PARENTHESIZED,
    QUALIFIED_IDENTIFIER,
    TEMPLATE_FUNCTION,
    TEMPLATE_METHOD,
    TYPE_DESCRIPTOR,
    Node,
    kind,
    token,
)
from roofline_parsers.cuda.lowering import (
    EXPRESSIONS,
    MAX_DEPTH,
    Lowering,
    expression,
    reads_expression,
    unknown_expression,
)
from roofline_parsers.cuda.regrouping import (
    assigned_first,
    read_misread_assignment,
    read_misread_cast,
)
from roofline_parsers.cuda.type_names import (
    in_place_of_local,
    qualified_parts,
    template_parts,
    type_of,
)

_PUNCTUATION = frozenset([OPEN_PAREN, CLOSE_PAREN, COMMA_TOKEN, COMMENT])
_WORDS_BEFORE_TYPES = frozenset(("typename", "struct", "class"))
_ARROW = token("->")
_SCOPE = token("::")
_DOT = token(".")
_NOT_GROUPED = frozenset((kind("assignment_expression"), kind("cast_expression")))
"""Kinds of expressions around which no parentheses stand."""
_PREFIX_WORDS = {"not": "!", "compl": "~"}


def arguments(lo: Lowering, node: Node, depth: int) -> tuple[Expression, ...]:
    """The expressions of an argument or initializer list."""
    found = []
    for child in node.children:
        kind_id = child.kind_id
        if kind_id == ERROR and lo.text(child) in _WORDS_BEFORE_TYPES:
            continue  # ``f(typename T::tag())``: the grammar knows the word in types alone.
        if kind_id not in _PUNCTUATION and (child.is_named or kind_id == ERROR):
            found.append(EXPRESSIONS[kind_id](lo, child, depth))
    return tuple(found)


@reads_expression("identifier", "this", "field_identifier", "type_identifier")
def _name(lo: Lowering, node: Node, depth: int) -> Expression:
    start = node.start_byte
    line = lo.line if lo.low <= start < lo.high else lo.seek(start)
    return Name(line, lo.names[start : node.end_byte])


@reads_expression("qualified_identifier", "dependent_name", "splice_expression")
def _qualified(lo: Lowering, node: Node, depth: int) -> Expression:
    line = lo.line_of(node)
    absolute = node.children[0].kind_id == _SCOPE
    parts = qualified_parts(lo, node, depth)
    return Name(line, *(parts if absolute else in_place_of_local(lo, parts)), absolute)


@reads_expression("template_function", "template_type")
def _template(lo: Lowering, node: Node, depth: int) -> Expression:
    line = lo.line_of(node)
    return Name(line, *template_parts(lo, node, depth))


@reads_expression("parenthesized_expression")
def _parenthesized(lo: Lowering, node: Node, depth: int) -> Expression:
    while True:
        inner = node.children
        if len(inner) != 3:
            inner = [c for c in inner if c.kind_id not in (COMMENT, ERROR)]
            if len(inner) != 3:
                return unknown_expression(lo, node, depth)
        node = inner[1]
        if node.kind_id != PARENTHESIZED:
            return expression(lo, node, depth)


@reads_expression("field_expression")
def _field(lo: Lowering, node: Node, depth: int) -> Expression:
    if depth >= MAX_DEPTH:
        return lo.too_deep(node)
    children = node.children
    if len(children) != 3:
        children = [c for c in children if c.kind_id not in (COMMENT, ERROR)]
    if len(children) != 3 or children[1].kind_id not in (_DOT, _ARROW):
        return unknown_expression(lo, node, depth)
    base, operator, field = children
    start = base.start_byte
    line = lo.line if lo.low <= start < lo.high else lo.seek(start)
    value = EXPRESSIONS[base.kind_id](lo, base, depth + 1)
    arrow = operator.kind_id == _ARROW
    if field.kind_id == FIELD_IDENTIFIER:
        return Member(line, value, lo.names[field.start_byte : field.end_byte], arrow)
    if field.kind_id == TEMPLATE_METHOD:
        name, args = template_parts(lo, field, depth)
    else:
        name, args, _ = qualified_parts(lo, field, depth)
    return Member(line, value, name, arrow, args)


@reads_expression("subscript_expression")
def _subscript(lo: Lowering, node: Node, depth: int) -> Expression:
    if depth >= MAX_DEPTH:
        return lo.too_deep(node)
    depth += 1
    children = node.children
    base = children[0]
    start = base.start_byte
    line = lo.line if lo.low <= start < lo.high else lo.seek(start)
    value = EXPRESSIONS[base.kind_id](lo, base, depth)
    inside = children[-1].children
    if len(inside) == 3:
        index = inside[1]
        return Index(line, value, EXPRESSIONS[index.kind_id](lo, index, depth))
    indices = [
        EXPRESSIONS[child.kind_id](lo, child, depth)
        for child in inside
        if child.is_named and child.kind_id != COMMENT
    ]
    if not indices:
        return Unknown(line, lo.excerpt(node), (value,))
    result = indices[0]
    for index_value in indices[1:]:
        result = Binary(line, ",", result, index_value)
    return Index(line, value, result)


@reads_expression("unary_expression", "pointer_expression")
def _unary(lo: Lowering, node: Node, depth: int) -> Expression:
    if depth >= MAX_DEPTH:
        return lo.too_deep(node)
    children = node.children
    if len(children) != 2:
        children = [c for c in children if c.kind_id not in (COMMENT, ERROR)]
        if len(children) != 2:
            return unknown_expression(lo, node, depth)
    line = lo.line_of(node)
    operator = lo.text(children[0])
    operand = children[1]
    value = EXPRESSIONS[operand.kind_id](lo, operand, depth + 1)
    return Unary(line, _PREFIX_WORDS.get(operator, operator), value)


@reads_expression("update_expression")
def _update(lo: Lowering, node: Node, depth: int) -> Expression:
    children = [c for c in node.children if c.kind_id not in (COMMENT, ERROR)]
    if len(children) != 2:
        return unknown_expression(lo, node, depth)
    prefix = not children[0].is_named
    operator, target = children if prefix else reversed(children)
    return Update(lo.line_of(node), lo.text(operator), expression(lo, target, depth), prefix)


@reads_expression("assignment_expression")
def _assign(lo: Lowering, node: Node, depth: int) -> Expression:
    if depth >= MAX_DEPTH:
        return lo.too_deep(node)
    depth += 1
    children = node.children
    if len(children) != 3:
        split = assigned_first(node)
        if split is not None:
            first = _assigned(lo, split[:3], depth)
            return Binary(first.line, ",", first, expression(lo, split[3], depth))
        children = [c for c in children if c.kind_id not in (COMMENT, ERROR)]
        if len(children) != 3:
            return unknown_expression(lo, node, depth)
    misread = read_misread_assignment(lo, node, depth)
    if misread is not None:
        return misread
    return _assigned(lo, children, depth)


def _assigned(lo: Lowering, row: Sequence[Node], depth: int) -> Assign:
    """An assignment from its target, operator and value."""
    target, operator, value = row
    start = target.start_byte
    line = lo.line if lo.low <= start < lo.high else lo.seek(start)
    return Assign(
        line,
        lo.names[operator.start_byte : operator.end_byte],
        EXPRESSIONS[target.kind_id](lo, target, depth),
        EXPRESSIONS[value.kind_id](lo, value, depth),
    )


@reads_expression("conditional_expression")
def _conditional(lo: Lowering, node: Node, depth: int) -> Expression:
    parts = [c for c in node.children if c.is_named and c.kind_id not in (COMMENT, ERROR)]
    line = lo.line_of(node)
    if len(parts) == 2:  # GNU's `a ?: b`
        parts.insert(1, parts[0])
    if len(parts) != 3:
        return unknown_expression(lo, node, depth)
    return Conditional(line, *(expression(lo, part, depth) for part in parts))


@reads_expression("comma_expression")
def _comma(lo: Lowering, node: Node, depth: int) -> Expression:
    """``a, b, c``: the grammar nests to the right, C++ to the left; the order is the same."""
    line = lo.line_of(node)
    found: list[Expression] = []
    while True:
        split = assigned_first(node)
        if split is not None:
            found.append(_assigned(lo, split[:3], depth))
            if split[3].kind_id == node.kind_id and len(found) < MAX_DEPTH:
                node = split[3]
                continue
            found.append(expression(lo, split[3], depth))
            break
        children = [c for c in node.children if c.is_named and c.kind_id not in (COMMENT, ERROR)]
        if len(children) == 2 and children[1].kind_id == node.kind_id and len(found) < MAX_DEPTH:
            found.append(expression(lo, children[0], depth))
            node = children[1]
            continue
        found += [expression(lo, child, depth) for child in children]
        break
    if not found:
        return Unknown(line, lo.excerpt(node))
    result = found[0]
    for value in found[1:]:
        result = Binary(line, ",", result, value)
    return result


@reads_expression("cast_expression")
def _cast(lo: Lowering, node: Node, depth: int) -> Expression:
    children = [c for c in node.children if c.kind_id not in (COMMENT, ERROR)]
    line = lo.line_of(node)
    if len(children) != 4:
        return unknown_expression(lo, node, depth)
    misread = read_misread_cast(lo, node, depth)
    if misread is not None:
        return misread
    type_ = type_of(lo, children[1], depth)
    operand = expression(lo, children[3], depth)
    if isinstance(operand, Assign) and children[3].kind_id in _NOT_GROUPED:
        # The grammar takes ``(T &)x = v`` for a cast of what is assigned.
        return Assign(line, operand.op, Cast(line, type_, operand.target), operand.value)
    return Cast(line, type_, operand)


@reads_expression("type_descriptor", "primitive_type", "sized_type_specifier")
def _type(lo: Lowering, node: Node, depth: int) -> Expression:
    """A type where a value is expected: an argument of a macro, say.

    An array that is no type's is an element of a variable, which was taken for one.
    """
    line = lo.line_of(node)
    found = type_of(lo, node, depth)
    indices = [index for index in found.dims if index is not None]
    if indices and len(indices) == len(found.dims) and not lo.is_type(found.name):
        element: Expression = Name(line, found.name, found.args or None)
        for index in indices:
            element = Index(line, element, index)
        return element
    plain = not (found.pointers or found.dims or found.reference)
    return Name(line, found.name, found.args or None) if plain else Unknown(line, lo.excerpt(node))


@reads_expression("sizeof_expression", "alignof_expression")
def _sizeof(lo: Lowering, node: Node, depth: int) -> Expression:
    children = [c for c in node.children if c.is_named and c.kind_id not in (COMMENT, ERROR)]
    line = lo.line_of(node)
    text = lo.names[node.start_byte : node.start_byte + 9]
    if len(children) != 1 or not text.startswith("sizeof") or text.startswith("sizeof..."):
        return Unknown(line, lo.excerpt(node))
    child = children[0]
    if child.kind_id == TYPE_DESCRIPTOR:
        return SizeOf(line, type_of(lo, child, depth))
    if child.kind_id == PARENTHESIZED and child.child_count == 3:
        inner = child.children[1]
        if inner.kind_id in (IDENTIFIER, QUALIFIED_IDENTIFIER, TEMPLATE_FUNCTION):
            return SizeOf(line, type_of(lo, inner, depth))
    return SizeOf(line, expression(lo, child, depth))


@reads_expression("parameter_pack_expansion")
def _pack(lo: Lowering, node: Node, depth: int) -> Expression:
    return Expansion(lo.line_of(node), expression(lo, node.children[0], depth))


@reads_expression("fold_expression")
def _fold(lo: Lowering, node: Node, depth: int) -> Expression:
    operator = node.child_by_field_name("operator")
    sides = [node.child_by_field_name(name) for name in ("left", "right")]
    left, right = (
        expression(lo, each, depth) if each is not None and each.is_named else None
        for each in sides
    )
    if operator is None:
        return Unknown(lo.line_of(node), lo.excerpt(node), tuple(filter(None, (left, right))))
    return Fold(lo.line_of(node), lo.text(operator), left, right)


@reads_expression("condition_clause")
def _condition(lo: Lowering, node: Node, depth: int) -> Expression:
    return expression(lo, node.named_children[-1], depth)


@reads_expression("extension_expression", "co_await_expression", "reflect_expression")
def _wrapped(lo: Lowering, node: Node, depth: int) -> Expression:
    return expression(lo, node.children[-1], depth)
