"""Expressions that the grammar may have misread, put in a row and grouped again.

The grammar cannot tell ``(n) - 1`` from ``(real) - 1``, nor ``i < n && j > (m)`` from a call of a
template: that takes knowing which names are types. Where it may have erred, operands and operators
are put in the source's order again and grouped by precedence.
"""

from __future__ import annotations

from roofline_core.program.expressions import Binary, Cast, Expression, Unary, Unknown
from roofline_parsers.cuda.grammar import (
    ARGUMENTS,
    BINARY,
    CALL,
    CAST,
    COMMENT,
    ERROR,
    IDENTIFIER,
    PARENTHESIZED,
    POINTER,
    QUALIFIED_IDENTIFIER,
    TEMPLATE_ARGUMENTS,
    TEMPLATE_FUNCTION,
    TYPE_DESCRIPTOR,
    TYPE_IDENTIFIER,
    UNARY,
    Node,
    token,
)
from roofline_parsers.cuda.lowering import MAX_DEPTH, Lowering, expression, without_comments
from roofline_parsers.cuda.type_names import type_of

_WORDS = {
    "and": "&&",
    "or": "||",
    "not": "!",
    "bitand": "&",
    "bitor": "|",
    "xor": "^",
    "compl": "~",
    "not_eq": "!=",
}
OPERATORS = {
    token(text): _WORDS.get(text, text)
    for text in (
        *("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||"),
        *("==", "!=", "<", "<=", ">", ">=", "<=>", "and", "or", "bitand", "bitor", "xor"),
        "not_eq",
    )
}
_PRECEDENCE = {
    # The C++ standard, [expr]: a higher number binds tighter.
    **dict.fromkeys(("*", "/", "%"), 10),
    **dict.fromkeys(("+", "-"), 9),
    **dict.fromkeys(("<<", ">>"), 8),
    "<=>": 7,
    **dict.fromkeys(("<", "<=", ">", ">="), 6),
    **dict.fromkeys(("==", "!="), 5),
    "&": 4,
    "^": 3,
    "|": 2,
    "&&": 1,
    "||": 0,
}
_MAYBE_UNARY = frozenset("+-*&")
_AND = token("&")
DOUBTFUL = frozenset([PARENTHESIZED, CAST, CALL])
_LOGICAL = frozenset([token("&&"), token("||"), token("and"), token("or")])

Row = tuple[list[Expression], list[str]]
"""Operands, and the operators between them: one fewer."""


def mended(children: list[Node]) -> list[Node] | None:
    """Operand, operator, operand without comments and errors; None if they are not there."""
    children = [child for child in children if child.kind_id not in (COMMENT, ERROR)]
    return children if len(children) == 3 and children[1].kind_id in OPERATORS else None


def _type_in_parentheses(lo: Lowering, node: Node) -> Node | None:
    """The name in ``(name)`` if it is known to be a type."""
    if node.kind_id != PARENTHESIZED or node.child_count != 3:
        return None
    inner = node.children[1]
    if inner.kind_id == IDENTIFIER:
        return inner if lo.is_type(lo.text(inner)) else None
    if inner.kind_id in (QUALIFIED_IDENTIFIER, TEMPLATE_FUNCTION):
        name = lo.text(inner).partition("<")[0].rpartition("::")[2]
        return inner if lo.is_type(name.strip()) else None
    return None


def _is_value_cast(lo: Lowering, node: Node) -> bool:
    """Whether ``(name) - x``, taken for a cast, is a difference: ``name`` is a variable."""
    children = node.children
    if len(children) != 4 or children[3].kind_id not in (UNARY, POINTER):
        return False
    if lo.text(children[3].children[0]) not in _MAYBE_UNARY:
        return False
    described = children[1].children if children[1].kind_id == TYPE_DESCRIPTOR else []
    if len(described) != 1 or described[0].kind_id != TYPE_IDENTIFIER:
        return False
    return not lo.is_type(lo.text(described[0]))


def _is_comparison(node: Node) -> bool:
    """Whether ``i < n && j > (m)`` was taken for a call of ``i<n && j>``."""
    function = node.children[0]
    if function.kind_id != TEMPLATE_FUNCTION:
        return False
    for arguments in function.children:
        if arguments.kind_id == TEMPLATE_ARGUMENTS:
            given = [child for child in arguments.children if child.is_named]
            return (
                len(given) == 1
                and given[0].kind_id == BINARY
                and any(child.kind_id in _LOGICAL for child in given[0].children)
            )
    return False


def is_doubtful(lo: Lowering, node: Node) -> bool:
    """Whether a node, of a kind in ``DOUBTFUL``, is not what the grammar took it for."""
    kind_id = node.kind_id
    if kind_id == PARENTHESIZED:
        return _type_in_parentheses(lo, node) is not None
    if kind_id == CAST:
        return _is_value_cast(lo, node)
    return _is_comparison(node)


def read_misread_call(lo: Lowering, node: Node, depth: int) -> Expression | None:
    """A call that is two comparisons, read as these; None if it is a call."""
    return regrouped(lo, node, depth) if _is_comparison(node) else None


def read_misread_cast(lo: Lowering, node: Node, depth: int) -> Expression | None:
    """A cast that is a binary operation, read as this; None if it is a cast."""
    return regrouped(lo, node, depth) if _is_value_cast(lo, node) else None


def regrouped(lo: Lowering, node: Node, depth: int) -> Expression:
    """Reads an expression from its row of operands, grouping by precedence."""
    operands, operators = _row(lo, node, depth)
    if len(operators) + depth > MAX_DEPTH:
        return Unknown(operands[0].line, lo.excerpt(node), tuple(operands))
    values = [operands[0]]
    waiting: list[str] = []

    def combine() -> None:
        right, left = values.pop(), values.pop()
        values.append(Binary(left.line, waiting.pop(), left, right))

    for operator, operand in zip(operators, operands[1:], strict=True):
        while waiting and _PRECEDENCE[waiting[-1]] >= _PRECEDENCE[operator]:
            combine()
        waiting.append(operator)
        values.append(operand)
    while waiting:
        combine()
    return values[0]


def _row(lo: Lowering, node: Node, depth: int) -> Row:
    """An expression as operands and operators in source order, casts settled."""
    operands: list[Expression] = []
    operators: list[str] = []
    cast_to: list[Node] = []
    stack: list[Node] = [node]
    last_was_operand = False
    while stack:
        item = stack.pop()
        kind_id = item.kind_id
        if kind_id in OPERATORS:
            if stack and _are_one(item, stack[-1]):
                stack.pop()
                operators.append("&&")
            elif cast_to and not last_was_operand:
                # `(type) - x`: the operator belongs to the operand that follows.
                cast_to.append(item)
            else:
                operators.append(OPERATORS[kind_id])
            last_was_operand = False
            continue
        parts = _parts(lo, item)
        if parts is not None:
            stack.extend(reversed(parts))
            continue
        target = _type_in_parentheses(lo, item)
        following = stack[-1].kind_id if stack else 0
        if target is not None and OPERATORS.get(following) in _MAYBE_UNARY:
            cast_to.append(target)
            last_was_operand = False
            continue
        operand = expression(lo, item, depth)
        while cast_to:
            operand = _applied(lo, cast_to.pop(), operand, depth)
        operands.append(operand)
        last_was_operand = True
    if len(operands) != len(operators) + 1:
        line = lo.line_of(node)
        return [Unknown(line, lo.excerpt(node), tuple(operands))], []
    return operands, operators


def _are_one(first: Node, second: Node) -> bool:
    """Whether two tokens are the ``&&`` of ``(a) && b``, taken for the address of an address."""
    both = first.kind_id == second.kind_id == _AND
    return both and first.end_byte == second.start_byte


def _applied(lo: Lowering, prefix: Node, operand: Expression, depth: int) -> Expression:
    """An operand under one prefix: a unary operator or a cast."""
    if prefix.kind_id in OPERATORS:
        return Unary(lo.line_of(prefix), OPERATORS[prefix.kind_id], operand)
    return Cast(lo.line_of(prefix), type_of(lo, prefix, depth), operand)


def _parts(lo: Lowering, node: Node) -> list[Node] | None:
    """The nodes that ``node`` falls into when it is put in a row; None for an operand."""
    kind_id = node.kind_id
    if kind_id == BINARY:
        children = node.children
        return children if len(children) == 3 else mended(children)
    if kind_id == CAST and _is_value_cast(lo, node):
        sign, *rest = node.children[3].children
        if len(rest) == 1 and rest[0].kind_id == POINTER and _are_one(sign, rest[0].children[0]):
            rest = rest[0].children
        return [node.children[1].children[0], sign, *rest]
    if kind_id == CALL and _is_comparison(node):
        function, *rest = without_comments(node.children)
        parts = []
        for child in function.children:
            if child.kind_id == TEMPLATE_ARGUMENTS:
                parts += without_comments(child.children)
            else:
                parts.append(child)
        for child in rest:
            # `(m)` reads as a parenthesis once it is no argument list.
            parts += child.named_children if child.kind_id == ARGUMENTS else [child]
        return parts
    return None
