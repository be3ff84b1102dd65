"""Expressions other than binary operators, literals, launches and lambdas."""

from __future__ import annotations

from roofline_lsp.kernel.expressions import (
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Construct,
    Expression,
    Index,
    InitList,
    Literal,
    Member,
    Name,
    New,
    SizeOf,
    Unary,
    Unknown,
    Update,
)
from roofline_lsp.kernel.types import Type
from roofline_lsp.parsers.cuda.declarators import read_declarator
from roofline_lsp.parsers.cuda.grammar import (
    ARGUMENTS,
    CLOSE_PAREN,
    COMMA_TOKEN,
    COMMENT,
    ERROR,
    FIELD_IDENTIFIER,
    IDENTIFIER,
    INITIALIZER_LIST,
    KERNEL_CALL,
    OPEN_PAREN,
    PARENTHESIZED,
    PRIMITIVE_TYPE,
    QUALIFIED_IDENTIFIER,
    TEMPLATE_FUNCTION,
    TEMPLATE_METHOD,
    TYPE_DESCRIPTOR,
    Node,
    kind,
    token,
)
from roofline_lsp.parsers.cuda.launches import LAUNCH_CALLS, read_launch
from roofline_lsp.parsers.cuda.lowering import (
    EXPRESSIONS,
    MAX_DEPTH,
    Lowering,
    expression,
    reads_expression,
    unknown_expression,
    without_comments,
)
from roofline_lsp.parsers.cuda.operators import read_misread_call, read_misread_cast
from roofline_lsp.parsers.cuda.type_names import (
    plain_type,
    qualified_parts,
    template_parts,
    type_of,
)

_PUNCTUATION = frozenset([OPEN_PAREN, CLOSE_PAREN, COMMA_TOKEN, COMMENT])
_ARROW = token("->")
_DOT = token(".")
_CASTS = frozenset(["static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "bit_cast"])
_SIZE_WORDS = frozenset(["unsigned", "signed", "long", "short"])
_PREFIX_WORDS = {"not": "!", "compl": "~"}
_TYPE_TEMPLATES = frozenset(
    # Class templates of the standard library, thrust and cooperative groups: `T<...>(...)` makes
    # a value.
    "vector array pair tuple complex map unordered_map set unordered_set deque list queue span "
    "unique_ptr shared_ptr function optional variant basic_string initializer_list bitset "
    "plus minus multiplies divides modulus negate maximum minimum less less_equal greater "
    "greater_equal equal_to not_equal_to logical_and logical_or bit_and bit_or bit_xor identity "
    "integral_constant uniform_int_distribution uniform_real_distribution normal_distribution "
    "device_vector host_vector device_ptr counting_iterator constant_iterator reverse_iterator "
    "transform_iterator zip_iterator".split()
)
_NEW_DECLARATOR = kind("new_declarator")
_PACK = kind("parameter_pack_expansion")


def arguments(lo: Lowering, node: Node, depth: int) -> tuple[Expression, ...]:
    """The expressions of an argument or initializer list."""
    found = []
    for child in node.children:
        kind_id = child.kind_id
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
    return Name(line, *qualified_parts(lo, node, depth))


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


@reads_expression("call_expression")
def _call(lo: Lowering, node: Node, depth: int) -> Expression:
    if depth >= MAX_DEPTH:
        return lo.too_deep(node)
    depth += 1
    children = node.children
    function = children[0]
    kind_id = function.kind_id
    start = function.start_byte
    line = lo.line if lo.low <= start < lo.high else lo.seek(start)
    if len(children) != 2 or children[1].kind_id != ARGUMENTS:
        return _unusual_call(lo, node, depth)
    given = children[1]
    if kind_id == IDENTIFIER:
        name = lo.names[start : function.end_byte]
        if name in LAUNCH_CALLS:
            return read_launch(line, name, arguments(lo, given, depth))
        if name not in _SIZE_WORDS:
            return Call(line, Name(line, name), arguments(lo, given, depth))
        return _cast_of(line, type_of(lo, function, depth), arguments(lo, given, depth))
    if kind_id == PRIMITIVE_TYPE:
        return _cast_of(line, type_of(lo, function, depth), arguments(lo, given, depth))
    if kind_id == PARENTHESIZED:
        return _call_of_parenthesis(lo, function, given, depth)
    if kind_id in (TEMPLATE_FUNCTION, QUALIFIED_IDENTIFIER):
        return read_misread_call(lo, node, depth) or _templated_call(lo, function, given, depth)
    return Call(line, EXPRESSIONS[kind_id](lo, function, depth), arguments(lo, given, depth))


def _cast_of(line: int, target: Type, args: tuple[Expression, ...]) -> Expression:
    """``float(x)``; ``int()`` is zero."""
    if not args:
        return Cast(line, target, Literal(line, 0, "int"))
    return Cast(line, target, args[0]) if len(args) == 1 else Construct(line, target, args)


def _templated_call(lo: Lowering, function: Node, given: Node, depth: int) -> Expression:
    callee = EXPRESSIONS[function.kind_id](lo, function, depth)
    args = arguments(lo, given, depth)
    if not isinstance(callee, Name):
        return Call(callee.line, callee, args)
    name = callee.name.rpartition("::")[2]
    targets = callee.template_args
    if name in LAUNCH_CALLS:
        return read_launch(callee.line, name, args)
    if name in _CASTS and targets and len(args) == 1 and isinstance(targets[0], Type):
        return Cast(callee.line, targets[0], args[0], name in ("reinterpret_cast", "bit_cast"))
    if targets is not None and (name in _TYPE_TEMPLATES or lo.is_type(name)):
        target = Type(callee.name, targets, scope_args=callee.scope_args)
        return Construct(callee.line, target, args)
    return Call(callee.line, callee, args)


def _call_of_parenthesis(lo: Lowering, function: Node, given: Node, depth: int) -> Expression:
    """``(real)(x)`` is a cast if nothing says otherwise, ``(std::max)(a, b)`` a call."""
    args = arguments(lo, given, depth)
    callee = expression(lo, function, depth)
    if isinstance(callee, Name) and len(args) == 1:
        name = callee.name.rpartition("::")[2]
        if lo.is_type(name) or not lo.is_value(name):
            inner = without_comments(function.children)[1]
            return Cast(callee.line, type_of(lo, inner, depth), args[0])
    return Call(callee.line, callee, args)


def _unusual_call(lo: Lowering, node: Node, depth: int) -> Expression:
    """A launch, or a call with a comment between its parts."""
    children = [c for c in node.children if c.kind_id not in (COMMENT, ERROR)]
    function = children[0]
    callee = expression(lo, function, depth)
    configuration: tuple[Expression, ...] | None = None
    args: tuple[Expression, ...] = ()
    for child in children[1:]:
        if child.kind_id == KERNEL_CALL:
            configuration = arguments(lo, child, depth)
        elif child.kind_id in (ARGUMENTS, INITIALIZER_LIST):
            args = arguments(lo, child, depth)
    if configuration is None:
        return Call(callee.line, callee, args)
    return read_launch(callee.line, "<<<", (callee, *configuration), args)


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
    children = without_comments(node.children)
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
        children = [c for c in children if c.kind_id not in (COMMENT, ERROR)]
        if len(children) != 3:
            return unknown_expression(lo, node, depth)
    target, operator, value = children
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
    return Cast(line, type_of(lo, children[1], depth), expression(lo, children[3], depth))


@reads_expression("type_descriptor", "primitive_type", "sized_type_specifier")
def _type(lo: Lowering, node: Node, depth: int) -> Expression:
    """A type where a value is expected: an argument of a macro, say."""
    line = lo.line_of(node)
    found = type_of(lo, node, depth)
    plain = not (found.pointers or found.dims or found.reference)
    return Name(line, found.name, found.args or None) if plain else Unknown(line, lo.excerpt(node))


@reads_expression("sizeof_expression", "alignof_expression")
def _sizeof(lo: Lowering, node: Node, depth: int) -> Expression:
    children = [c for c in node.children if c.is_named and c.kind_id not in (COMMENT, ERROR)]
    line = lo.line_of(node)
    text = lo.names[node.start_byte : node.start_byte + 8]
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


@reads_expression("initializer_list")
def _initializer_list(lo: Lowering, node: Node, depth: int) -> Expression:
    if depth >= MAX_DEPTH:
        return lo.too_deep(node)
    line = lo.line_of(node)
    return InitList(line, arguments(lo, node, depth + 1))


@reads_expression("initializer_pair")
def _initializer_pair(lo: Lowering, node: Node, depth: int) -> Expression:
    return expression(lo, node.children[-1], depth)


@reads_expression("compound_literal_expression")
def _compound_literal(lo: Lowering, node: Node, depth: int) -> Expression:
    """``dim3{1, 2}``, ``(float4){...}``; without a type it is a list."""
    line = lo.line_of(node)
    children = [c for c in node.children if c.is_named and c.kind_id not in (COMMENT, ERROR)]
    given = arguments(lo, children[-1], depth + 1) if depth < MAX_DEPTH else ()
    if len(children) < 2 or children[0].start_byte == children[0].end_byte:
        return InitList(line, given)
    return Construct(line, type_of(lo, children[0], depth), given)


@reads_expression("new_expression")
def _new(lo: Lowering, node: Node, depth: int) -> Expression:
    line = lo.line_of(node)
    target: Type | None = None
    count: Expression | None = None
    args: tuple[Expression, ...] = ()
    for child in node.children:
        kind_id = child.kind_id
        if kind_id == _NEW_DECLARATOR:
            lengths = [c for c in child.named_children if c.kind_id not in (COMMENT, ERROR)]
            count = expression(lo, lengths[0], depth) if lengths else None
        elif kind_id in (ARGUMENTS, INITIALIZER_LIST):
            if target is not None:  # before the type it is the placement
                args = arguments(lo, child, depth + 1) if depth < MAX_DEPTH else ()
        elif child.is_named and kind_id not in (COMMENT, ERROR):
            if target is None:
                target = type_of(lo, child, depth)
            else:
                target = read_declarator(lo, child, target, depth).type
    return New(line, target or plain_type("auto"), count, args)


@reads_expression("parameter_pack_expansion")
def _pack(lo: Lowering, node: Node, depth: int) -> Expression:
    """``args...`` is read as its pattern, once."""
    return expression(lo, node.children[0], depth)


@reads_expression("condition_clause")
def _condition(lo: Lowering, node: Node, depth: int) -> Expression:
    return expression(lo, node.named_children[-1], depth)


@reads_expression("extension_expression", "co_await_expression", "reflect_expression")
def _wrapped(lo: Lowering, node: Node, depth: int) -> Expression:
    return expression(lo, node.children[-1], depth)
