"""Binary operators, and the few readings of them that need to know which names are types.

The grammar cannot tell ``(n) - 1`` from ``(real) - 1``, nor ``i < n && j > (m)`` from a call of a
template. Where it may have erred, the operands and operators are put in a row again and grouped
by precedence.
"""

from __future__ import annotations

from roofline_lsp.kernel.expressions import Binary, Cast, Expression, Unary, Unknown
from roofline_lsp.parsers.cuda.grammar import (
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
from roofline_lsp.parsers.cuda.lowering import (
    EXPRESSIONS,
    MAX_DEPTH,
    Lowering,
    expression,
    reads_expression,
    unknown_expression,
    without_comments,
)
from roofline_lsp.parsers.cuda.type_names import type_of

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
_OPERATORS = {
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
_DOUBTFUL = frozenset([PARENTHESIZED, CAST, CALL])
_LOGICAL = frozenset([token("&&"), token("||"), token("and"), token("or")])

LONG_CHAIN = 48
"""Operators in a row above which a chain is built as a balanced tree where that means the same."""

Row = tuple[list[Expression], list[str]]
"""Operands, and the operators between them: one fewer."""


@reads_expression("binary_expression")
def _binary(lo: Lowering, node: Node, depth: int) -> Expression:
    """Walks down the left operands first, so that a long chain costs no stack."""
    if depth >= MAX_DEPTH:
        return lo.too_deep(node)
    depth += 1
    pending: list[tuple[int, Node]] = []
    left = node
    doubtful = False
    while True:
        children = left.children
        if len(children) != 3:
            children = _mended(children)
            if children is None:
                if left is not node:
                    break
                return unknown_expression(lo, node, depth)
        right = children[2]
        if right.kind_id in _DOUBTFUL and _is_doubtful(lo, right):
            doubtful = True
        pending.append((children[1].kind_id, right))
        left = children[0]
        if left.kind_id != BINARY:
            break
    if doubtful or (left.kind_id in _DOUBTFUL and _is_doubtful(lo, left)):
        return _regrouped(lo, node, depth)
    start = left.start_byte
    line = lo.line if lo.low <= start < lo.high else lo.seek(start)
    if len(pending) > LONG_CHAIN:
        return _long_chain(lo, left, pending, depth)
    depth += len(pending)
    result = EXPRESSIONS[left.kind_id](lo, left, depth)
    while pending:
        operator, right = pending.pop()
        value = EXPRESSIONS[right.kind_id](lo, right, depth)
        result = Binary(line, _OPERATORS[operator], result, value)
        depth -= 1
    return result


def _mended(children: list[Node]) -> list[Node] | None:
    """Operand, operator, operand without comments and errors; None if they are not there."""
    children = [child for child in children if child.kind_id not in (COMMENT, ERROR)]
    return children if len(children) == 3 and children[1].kind_id in _OPERATORS else None


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
    return any(
        argument.kind_id == BINARY
        and any(child.kind_id in _LOGICAL for child in argument.children)
        for arguments in function.children
        if arguments.kind_id == TEMPLATE_ARGUMENTS
        for argument in arguments.children
    )


def _is_doubtful(lo: Lowering, node: Node) -> bool:
    kind_id = node.kind_id
    if kind_id == PARENTHESIZED:
        return _type_in_parentheses(lo, node) is not None
    if kind_id == CAST:
        return _is_value_cast(lo, node)
    return _is_comparison(node)


def read_misread_call(lo: Lowering, node: Node, depth: int) -> Expression | None:
    """A call that is two comparisons, read as these; None if it is a call."""
    return _regrouped(lo, node, depth) if _is_comparison(node) else None


def read_misread_cast(lo: Lowering, node: Node, depth: int) -> Expression | None:
    """A cast that is a binary operation, read as this; None if it is a cast."""
    return _regrouped(lo, node, depth) if _is_value_cast(lo, node) else None


def _regrouped(lo: Lowering, node: Node, depth: int) -> Expression:
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
        if kind_id in _OPERATORS:
            if cast_to and not last_was_operand:
                # `(type) - x`: the operator belongs to the operand that follows.
                cast_to.append(item)
            else:
                operators.append(_OPERATORS[kind_id])
            last_was_operand = False
            continue
        parts = _parts(lo, item)
        if parts is not None:
            stack.extend(reversed(parts))
            continue
        target = _type_in_parentheses(lo, item)
        following = stack[-1].kind_id if stack else 0
        if target is not None and _OPERATORS.get(following) in _MAYBE_UNARY:
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


def _applied(lo: Lowering, prefix: Node, operand: Expression, depth: int) -> Expression:
    """An operand under one prefix: a unary operator or a cast."""
    if prefix.kind_id in _OPERATORS:
        return Unary(lo.line_of(prefix), _OPERATORS[prefix.kind_id], operand)
    return Cast(lo.line_of(prefix), type_of(lo, prefix, depth), operand)


def _parts(lo: Lowering, node: Node) -> list[Node] | None:
    """The nodes that ``node`` falls into when it is put in a row; None for an operand."""
    kind_id = node.kind_id
    if kind_id == BINARY:
        children = node.children
        return children if len(children) == 3 else _mended(children)
    if kind_id == CAST and _is_value_cast(lo, node):
        return [node.children[1].children[0], *node.children[3].children]
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


def _long_chain(
    lo: Lowering, left: Node, pending: list[tuple[int, Node]], depth: int
) -> Expression:
    """A chain of many operators: balanced if they are sums, products or logic, else left as text.

    A balanced tree has the same operations as the chain, and a depth that an analysis can walk.
    """
    line = lo.line_of(left)
    first = EXPRESSIONS[left.kind_id](lo, left, depth)
    operators = [_OPERATORS[operator] for operator, _ in reversed(pending)]
    operands = [EXPRESSIONS[right.kind_id](lo, right, depth) for _, right in reversed(pending)]
    kinds = set(operators)
    if kinds <= {"+", "-"}:
        added = [first]
        taken: list[Expression] = []
        for operator, operand in zip(operators, operands, strict=True):
            (added if operator == "+" else taken).append(operand)
        total = _balanced(line, "+", added)
        return Binary(line, "-", total, _balanced(line, "+", taken)) if taken else total
    if len(kinds) == 1 and kinds <= {"*", "&", "|", "^", "&&", "||"}:
        return _balanced(line, operators[0], [first, *operands])
    if len(operators) + depth > MAX_DEPTH:
        whole = lo.too_deep(left)
        return Unknown(line, f"{whole.text} {operators[0]} ...", (first, *operands))
    result = first
    for operator, operand in zip(operators, operands, strict=True):
        result = Binary(line, operator, result, operand)
    return result


def _balanced(line: int, operator: str, operands: list[Expression]) -> Expression:
    while len(operands) > 1:
        paired: list[Expression] = [
            Binary(line, operator, left, right)
            for left, right in zip(operands[::2], operands[1::2], strict=False)
        ]
        if len(operands) % 2:
            paired.append(operands[-1])
        operands = paired
    return operands[0]
