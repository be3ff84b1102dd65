"""Binary operators."""

from __future__ import annotations

from roofline_core.program.expressions import Binary, Expression, Name, Unknown
from roofline_parsers.cuda.grammar import BINARY, COMMENT, TEMPLATE_FUNCTION, TYPE_DESCRIPTOR, Node
from roofline_parsers.cuda.lowering import (
    EXPRESSIONS,
    MAX_DEPTH,
    Lowering,
    reads_expression,
    unknown_expression,
)
from roofline_parsers.cuda.regrouping import DOUBTFUL, OPERATORS, is_doubtful, mended, regrouped

LONG_CHAIN = 48
"""The most operators of a chain that is not rebuilt as a balanced tree of the same meaning."""


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
            whole = mended(children)
            if whole is None:
                if left is not node:
                    break
                return unknown_expression(lo, node, depth)
            children = whole
        right = children[2]
        if right.kind_id in DOUBTFUL and is_doubtful(lo, right):
            doubtful = True
        pending.append((children[1].kind_id, right))
        left = children[0]
        if left.kind_id != BINARY:
            break
    if doubtful or (left.kind_id in DOUBTFUL and is_doubtful(lo, left)):
        return regrouped(lo, [node], depth)
    start = left.start_byte
    line = lo.line if lo.low <= start < lo.high else lo.seek(start)
    if len(pending) > LONG_CHAIN:
        return _long_chain(lo, left, pending, depth)
    depth += len(pending)
    shifted = _shifted_bound(lo, left, pending, depth)
    result = shifted or EXPRESSIONS[left.kind_id](lo, left, depth)
    while pending:
        operator, right = pending.pop()
        value = EXPRESSIONS[right.kind_id](lo, right, depth)
        result = Binary(line, OPERATORS[operator], result, value)
        depth -= 1
    return result


def _shifted_bound(
    lo: Lowering, left: Node, pending: list[tuple[int, Node]], depth: int
) -> Expression | None:
    """``i < n >> 1``, which the grammar takes for a comparison of ``i<n>`` with 1.

    None if it is something else; else its operator is taken off the pending ones.
    """
    if left.kind_id != TEMPLATE_FUNCTION or OPERATORS[pending[-1][0]] != ">":
        return None
    operator = left.next_sibling
    name, arguments = left.child(0), left.child(left.child_count - 1)
    if operator is None or operator.start_byte != left.end_byte:
        return None
    given = [child for child in arguments.named_children if child.kind_id != COMMENT]
    if len(given) != 1:
        return None
    line, text = lo.line_of(left), lo.text(given[0])
    plain = given[0].kind_id == TYPE_DESCRIPTOR and text.isidentifier()
    bound = Name(line, text) if plain else EXPRESSIONS[given[0].kind_id](lo, given[0], depth)
    _, right = pending.pop()
    by = EXPRESSIONS[right.kind_id](lo, right, depth)
    return Binary(line, "<", Name(line, lo.text(name)), Binary(line, ">>", bound, by))


def _long_chain(
    lo: Lowering, left: Node, pending: list[tuple[int, Node]], depth: int
) -> Expression:
    """A chain of many operators: balanced if they are sums, products or logic, else left as text.

    A balanced tree has the same operations as the chain, and a depth that an analysis can walk.
    """
    line = lo.line_of(left)
    first = EXPRESSIONS[left.kind_id](lo, left, depth)
    operators = [OPERATORS[operator] for operator, _ in reversed(pending)]
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
