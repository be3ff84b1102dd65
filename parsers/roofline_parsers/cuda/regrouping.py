"""Expressions that the grammar may have misread, put in a row and grouped again.

The grammar cannot tell ``(n) - 1`` from ``(real) - 1``, nor ``i < n && j > (m)`` from a call of a
template, nor ``(i < n && j >= 0)`` from an assignment to one: that takes knowing which names are
types. ``(a = b, c)`` it does not know at all. Where it may have erred, operands and operators are
put in the source's order again and grouped by precedence.
"""

from __future__ import annotations

from itertools import chain

from roofline_core.program.expressions import (
    Binary,
    Cast,
    Conditional,
    Expression,
    Unary,
    Unknown,
)
from roofline_parsers.cuda.grammar import (
    ARGUMENTS,
    ASSIGNMENT,
    BINARY,
    CALL,
    CAST,
    COMMA_TOKEN,
    COMMENT,
    CONDITIONAL,
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
    kind,
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
_COMMA = kind("comma_expression")
_ASSIGNING = frozenset(
    map(token, ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="))
)
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
_ASSIGN = token("=")
DOUBTFUL = frozenset([PARENTHESIZED, CAST, CALL, UNARY, TEMPLATE_FUNCTION])
_NOT = {token(text): _WORDS.get(text, text) for text in ("!", "~", "not", "compl")}
_MORE = token(">")
_ABSTRACT_ARRAY = kind("abstract_array_declarator")
_JOINED = {
    (_AND, _AND): "&&",  # Of ``(a) && b``, taken for the address of an address.
    (_MORE, _ASSIGN): ">=",
    (_MORE, _MORE): ">>",
}
_OPERATIONS = frozenset([BINARY, UNARY, POINTER])
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
    """Whether ``(name) - x``, taken for a cast, is a difference: ``name`` is a variable.

    So is ``name`` in ``(name[i]) - x``, as nothing can be cast to an array.
    """
    children = node.children
    if len(children) != 4 or children[3].kind_id not in (UNARY, POINTER):
        return False
    if lo.text(children[3].children[0]) not in _MAYBE_UNARY:
        return False
    described = children[1].children if children[1].kind_id == TYPE_DESCRIPTOR else []
    if len(described) == 2 and described[1].kind_id == _ABSTRACT_ARRAY:
        described = described[:1]
    if len(described) != 1 or described[0].kind_id != TYPE_IDENTIFIER:
        return False
    return not lo.is_type(lo.text(described[0]))


def _is_comparison(node: Node) -> bool:
    """Whether ``i < n && j > (m)`` was taken for a call of ``i<n && j>``."""
    return _is_no_template(node.children[0])


def _is_no_template(node: Node) -> bool:
    """Whether ``i < n && j >``, the begin of two comparisons, was taken for a template's name."""
    bound = _compared(node)
    return bound is not None and any(child.kind_id in _LOGICAL for child in bound.children)


def _compared(node: Node) -> Node | None:
    """The operation that is the only argument of what was taken for a template; else None."""
    if node.kind_id != TEMPLATE_FUNCTION:
        return None
    for arguments in node.children:
        if arguments.kind_id == TEMPLATE_ARGUMENTS:
            given = [child for child in arguments.children if child.is_named]
            return given[0] if len(given) == 1 and given[0].kind_id == BINARY else None
    return None


def _is_at_least(node: Node) -> bool:
    """Whether ``i < n && j >= 0`` was taken for an assignment to ``i<n && j>``."""
    target, operator = node.children[0], node.children[1]
    if operator.kind_id != _ASSIGN or operator.start_byte != target.end_byte:
        return False
    while target.kind_id in _OPERATIONS:
        target = target.children[-1]
    return _compared(target) is not None


def is_doubtful(lo: Lowering, node: Node) -> bool:
    """Whether a node, of a kind in ``DOUBTFUL``, is not what the grammar took it for."""
    kind_id = node.kind_id
    if kind_id == PARENTHESIZED:
        return _type_in_parentheses(lo, node) is not None
    if kind_id == CAST:
        return _is_value_cast(lo, node)
    if kind_id == UNARY:
        return _is_no_template(node.children[-1])
    return _is_no_template(node) if kind_id == TEMPLATE_FUNCTION else _is_comparison(node)


def read_misread_call(lo: Lowering, node: Node, depth: int) -> Expression | None:
    """A call that is two comparisons, read as these; None if it is a call."""
    return regrouped(lo, [node], depth) if _is_comparison(node) else None


def read_misread_assignment(lo: Lowering, node: Node, depth: int) -> Expression | None:
    """An assignment that is a comparison by ``>=``, read as this; None if it is an assignment."""
    if not _is_at_least(node):
        return None
    nodes = list(node.children)
    while nodes[-1].kind_id == ASSIGNMENT and _is_at_least(nodes[-1]):
        nodes[-1:] = nodes[-1].children
    choice = without_comments(nodes[-1].children) if nodes[-1].kind_id == CONDITIONAL else []
    if len(choice) != 5:
        return regrouped(lo, nodes, depth)
    # ``i < n && j >= 0 ? a : b`` is a choice by both comparisons.
    nodes[-1] = choice[0]
    condition = regrouped(lo, nodes, depth)
    chosen, other = (expression(lo, each, depth) for each in (choice[2], choice[4]))
    return Conditional(condition.line, condition, chosen, other)


def assigned_first(node: Node) -> tuple[Node, Node, Node, Node] | None:
    """Target, operator, value and rest of ``(a = b, c)``; None for any other node.

    In parentheses the grammar knows no assignment before a comma, and makes an error of a part.
    """
    row = without_comments(node.children)
    if len(row) != 4:
        return None
    error = row[2] if node.kind_id == ASSIGNMENT else row[1]
    if error.kind_id != ERROR or len(error.children) != 2:
        return None
    one, other = error.children
    if node.kind_id == ASSIGNMENT:
        return (row[0], row[1], one, row[3]) if other.kind_id == COMMA_TOKEN else None
    if node.kind_id == _COMMA and one.kind_id in _ASSIGNING:
        return row[0], one, other, row[3]
    return None


def read_misread_cast(lo: Lowering, node: Node, depth: int) -> Expression | None:
    """A cast that is a binary operation, read as this; None if it is a cast."""
    return regrouped(lo, [node], depth) if _is_value_cast(lo, node) else None


def regrouped(lo: Lowering, nodes: list[Node], depth: int) -> Expression:
    """Reads an expression, in one node or in several, from its row of operands by precedence."""
    operands, operators = _row(lo, nodes, depth)
    if len(operators) + depth > MAX_DEPTH:
        return Unknown(operands[0].line, lo.excerpt(nodes[0]), tuple(operands))
    values = [operands[0]]
    waiting: list[str] = []

    def combine() -> None:
        """Join the last two values by the last operator that waits."""
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


def _row(lo: Lowering, nodes: list[Node], depth: int) -> Row:
    """An expression as operands and operators in source order, casts settled."""
    operands: list[Expression] = []
    operators: list[str] = []
    prefixes: list[Node] = []
    stack = nodes[::-1]
    last_was_operand = False
    while stack:
        item = stack.pop()
        kind_id = item.kind_id
        if kind_id in OPERATORS or kind_id == _ASSIGN or kind_id in _NOT:
            whole = _joined(item, stack[-1]) if stack else None
            if whole is not None:
                stack.pop()
                operators.append(whole)
            elif not last_was_operand:
                # `(type) - x`, `n > -x`: the operator belongs to the operand that follows.
                prefixes.append(item)
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
            prefixes.append(target)
            last_was_operand = False
            continue
        operand = expression(lo, item, depth)
        while prefixes:
            operand = _applied(lo, prefixes.pop(), operand, depth)
        operands.append(operand)
        last_was_operand = True
    if len(operands) != len(operators) + 1:
        line = lo.line_of(nodes[0])
        return [Unknown(line, lo.excerpt(nodes[0]), tuple(operands))], []
    return operands, operators


def _joined(first: Node, second: Node) -> str | None:
    """The operator that two tokens side by side are; None if they are two."""
    if first.end_byte != second.start_byte:
        return None
    return _JOINED.get((first.kind_id, second.kind_id))


def _applied(lo: Lowering, prefix: Node, operand: Expression, depth: int) -> Expression:
    """An operand under one prefix: a unary operator or a cast."""
    operator = OPERATORS.get(prefix.kind_id) or _NOT.get(prefix.kind_id)
    if operator is not None:
        return Unary(lo.line_of(prefix), operator, operand)
    return Cast(lo.line_of(prefix), type_of(lo, prefix, depth), operand)


def _parts(lo: Lowering, node: Node) -> list[Node] | None:
    """The nodes that ``node`` falls into when it is put in a row; None for an operand."""
    kind_id = node.kind_id
    if kind_id == BINARY:
        children = node.children
        return children if len(children) == 3 else mended(children)
    if kind_id == CAST and _is_value_cast(lo, node):
        sign, *rest = node.children[3].children
        if len(rest) == 1 and rest[0].kind_id == POINTER and _joined(sign, rest[0].children[0]):
            rest = rest[0].children
        return [node.children[1], sign, *rest]
    if kind_id in (UNARY, POINTER) and _compared(node.children[-1]) is not None:
        return node.children
    if kind_id == TEMPLATE_FUNCTION and _compared(node) is not None:
        return _opened(node)
    if kind_id == CALL and _is_comparison(node):
        function, *rest = without_comments(node.children)
        # `(m)` reads as a parenthesis once it is no argument list.
        given = (child.named_children if child.kind_id == ARGUMENTS else [child] for child in rest)
        return [*_opened(function), *chain.from_iterable(given)]
    return None


def _opened(node: Node) -> list[Node]:
    """The name, the brackets and what is between them of what was taken for a template."""
    parts: list[Node] = []
    for child in without_comments(node.children):
        opened = child.kind_id == TEMPLATE_ARGUMENTS
        parts += without_comments(child.children) if opened else [child]
    return parts
