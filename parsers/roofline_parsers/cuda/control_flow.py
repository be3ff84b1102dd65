"""Conditions, loops and switches."""

from __future__ import annotations

from roofline_core.program.expressions import Expression, Literal, Name, Unary, Unknown
from roofline_core.program.statements import (
    Block,
    Break,
    Case,
    Declare,
    Evaluate,
    For,
    ForRange,
    If,
    Opaque,
    Statement,
    Switch,
    Variable,
    While,
)
from roofline_parsers.cuda import directed
from roofline_parsers.cuda.grammar import (
    CASE,
    CLOSE_PAREN,
    COLON,
    COMMENT,
    COMPOUND,
    DECLARATION,
    ERROR,
    OPEN_PAREN,
    SEMICOLON,
    Node,
    kind,
    token,
)
from roofline_parsers.cuda.local_declarations import read_declaration
from roofline_parsers.cuda.lowering import (
    LOOPS,
    MAX_DEPTH,
    Lowering,
    expression,
    reads_statement,
    statement,
)
from roofline_parsers.cuda.pragmas import Unroll, attribute_unroll
from roofline_parsers.cuda.statements import block_body, nested
from roofline_parsers.cuda.type_names import plain_type
from roofline_parsers.cuda.variables import read_variables

_CONDITION = kind("condition_clause")
_INIT_STATEMENT = kind("init_statement")
_ELSE = kind("else_clause")
_ATTRIBUTES = kind("attribute_declaration")
_DEFAULT = token("default")
_DO = token("do")


@reads_statement("if_statement")
def _if(lo: Lowering, node: Node, depth: int) -> Statement:
    """Reads ``else if`` chains from the front, so that their length costs no stack."""
    links: list[tuple[int, Expression, Statement | None, Statement]] = []
    otherwise: Statement | None = None
    current: Node | None = node
    while current is not None:
        if depth >= MAX_DEPTH:
            whole = lo.too_deep(current)
            otherwise = Opaque(whole.line, whole.text)
            break
        depth += 1
        line = lo.line_of(current)
        condition: Expression | None = None
        init: Statement | None = None
        then: Statement | None = None
        following: Node | None = None
        for child in current.children:
            kind_id = child.kind_id
            if kind_id == _CONDITION:
                init, condition = _read_condition(lo, child, depth)
            elif kind_id == _ELSE:
                following = _else_of(child)
            elif child.is_named and kind_id not in (COMMENT, ERROR) and then is None:
                then = nested(lo, child, depth)
        links.append((line, condition or Unknown(line, ""), init, then or Block(line, ())))
        if following is not None and following.kind_id != node.kind_id:
            otherwise = nested(lo, following, depth)
            break
        current = following
    for line, test, init, then in reversed(links):
        otherwise = If(line, test, then, otherwise, init)
    assert otherwise is not None
    return otherwise


def _else_of(node: Node) -> Node | None:
    for child in node.children[1:]:
        if child.is_named and child.kind_id not in (COMMENT, ERROR):
            return child
    return None


def _read_condition(
    lo: Lowering, node: Node, depth: int
) -> tuple[Statement | None, Expression | None]:
    """The condition in the parentheses of ``if``, ``while`` and ``switch``."""
    init: Statement | None = None
    condition: Expression | None = None
    for child in node.children:
        kind_id = child.kind_id
        if not child.is_named or kind_id in (COMMENT, ERROR):
            continue
        if kind_id == _INIT_STATEMENT:
            init = _joined(init, statement(lo, child.children[0], depth))
        elif kind_id == DECLARATION:
            declared = read_declaration(lo, child, depth)
            init = _joined(init, declared)
            if isinstance(declared, Declare):
                condition = Name(declared.line, declared.variables[-1].name)
        else:
            condition = expression(lo, child, depth)
    return init, condition


def _joined(first: Statement | None, second: Statement | None) -> Statement | None:
    if first is None or second is None:
        return second if first is None else first
    return Block(first.line, (first, second))


def _for(lo: Lowering, node: Node, depth: int, unroll: Unroll) -> Statement:
    """``for (init; condition; step) body``; the semicolons delimit its parts."""
    line = lo.line_of(node)
    init: Statement | None = None
    condition: Expression | None = None
    step: Expression | None = None
    body: Statement | None = None
    part = -1  # 0 init, 1 condition, 2 step, 3 body
    for child in node.children:
        kind_id = child.kind_id
        if kind_id == OPEN_PAREN and part < 0:
            part = 0
        elif kind_id == SEMICOLON:
            part += 1
        elif kind_id == CLOSE_PAREN:
            part = 3
        elif not child.is_named or kind_id in (COMMENT, ERROR):
            continue
        elif part == 0:
            if kind_id in _INIT_KINDS:
                init = statement(lo, child, depth)
                part = 1
            else:
                init = Evaluate(line, expression(lo, child, depth))
        elif part == 1:
            condition = expression(lo, child, depth)
        elif part == 2:
            step = expression(lo, child, depth)
        else:
            body = nested(lo, child, depth)
    return For(line, init, condition, step, body or Block(line, ()), unroll)


@reads_statement("for_statement")
def _plain_for(lo: Lowering, node: Node, depth: int) -> Statement:
    return _for(lo, node, depth, None)


def _for_range(lo: Lowering, node: Node, depth: int, unroll: Unroll) -> Statement:
    """``for (init; declaration : range) body``; the init goes before the loop."""
    line = lo.line_of(node)
    children = node.children
    colon = next((i for i, c in enumerate(children) if c.kind_id == COLON), len(children))
    init: Statement | None = None
    before = []
    for child in children[2:colon]:
        if child.kind_id == _INIT_STATEMENT:
            init = statement(lo, child.children[0], depth)
        else:
            before.append(child)
    _, variables, _ = read_variables(lo, before, depth, in_body=True)
    after = [c for c in children[colon + 1 :] if c.is_named and c.kind_id not in (COMMENT, ERROR)]
    values = expression(lo, after[0], depth) if after else Unknown(line, "")
    body = nested(lo, after[1] if len(after) > 1 else None, depth)
    if len(variables) > 1:
        body = Block(line, (Declare(line, tuple(variables)), body))
    variable = variables[0] if len(variables) == 1 else Variable("", plain_type("auto"), line)
    loop = ForRange(line, variable, values, body)
    return loop if init is None else Block(line, (init, loop))


@reads_statement("for_range_loop")
def _plain_for_range(lo: Lowering, node: Node, depth: int) -> Statement:
    return _for_range(lo, node, depth, None)


def _while(lo: Lowering, node: Node, depth: int, unroll: Unroll) -> Statement:
    """``while`` and ``do``; a variable declared as the condition is tested inside the loop."""
    line = lo.line_of(node)
    do_first = node.children[0].kind_id == _DO
    init: Statement | None = None
    condition: Expression | None = None
    body: Statement | None = None
    for child in node.children:
        kind_id = child.kind_id
        if not child.is_named or kind_id in (COMMENT, ERROR):
            continue
        if kind_id == _CONDITION:
            init, condition = _read_condition(lo, child, depth)
        elif do_first and body is not None:
            condition = expression(lo, child, depth)
        elif body is None:
            body = nested(lo, child, depth)
    condition = condition or Unknown(line, "")
    body = body or Block(line, ())
    if init is not None:
        leave = If(line, Unary(line, "!", condition), Break(line))
        body = Block(line, (init, leave, body))
        condition = Literal(line, 1, "bool")
    return While(line, condition, body, do_first, unroll)


@reads_statement("while_statement", "do_statement")
def _plain_while(lo: Lowering, node: Node, depth: int) -> Statement:
    return _while(lo, node, depth, None)


_INIT_KINDS = frozenset(
    [DECLARATION, kind("expression_statement"), kind("alias_declaration"), kind("type_definition")]
)


@reads_statement("attributed_statement")
def _attributed(lo: Lowering, node: Node, depth: int) -> Statement | None:
    """``[[unroll(4)]] for ...``: where a pragma had no room, it became an attribute."""
    unroll: Unroll = None
    waiting: list[directed.Waiting] = []
    for child in node.children:
        if child.kind_id == _ATTRIBUTES:
            asked = attribute_unroll(lo, child, depth)
            unroll = asked if asked is not None else unroll
            waiting += directed.attribute_directives(lo, child)
        elif child.is_named and child.kind_id != COMMENT:
            reader = LOOPS.get(child.kind_id)
            if reader is not None and unroll is not None:
                read: Statement | None = reader(lo, child, depth, unroll)
            else:
                read = statement(lo, child, depth)
            return directed.attached(lo, waiting, child, read)
    return None


@reads_statement("switch_statement")
def _switch(lo: Lowering, node: Node, depth: int) -> Statement:
    line = lo.line_of(node)
    init: Statement | None = None
    value: Expression | None = None
    cases: list[Case] = []
    before: tuple[Statement, ...] = ()
    for child in node.children:
        if child.kind_id == _CONDITION:
            init, value = _read_condition(lo, child, depth)
        elif child.kind_id == COMPOUND:
            others = [c for c in child.children if c.kind_id != CASE]
            before = block_body(lo, others, depth + 1) if depth < MAX_DEPTH else ()
            cases = [_case(lo, c, depth) for c in child.children if c.kind_id == CASE]
    switch = Switch(line, value or Unknown(line, ""), tuple(cases))
    declared = tuple(item for item in (init, *before) if item is not None)
    return Block(line, (*declared, switch)) if declared else switch


def _case(lo: Lowering, node: Node, depth: int) -> Case:
    children = node.children
    colon = next((i for i, c in enumerate(children) if c.kind_id == COLON), 0)
    value: Expression | None = None
    if children[0].kind_id != _DEFAULT:
        parts = [c for c in children[1:colon] if c.kind_id != COMMENT]
        if len(parts) == 1:
            value = expression(lo, parts[0], depth)
        elif parts:
            # GNU's `case 1 ... 5`, which the grammar does not know.
            text = lo.names[parts[0].start_byte : parts[-1].end_byte]
            value = Unknown(lo.line_of(node), text)
        else:
            value = Unknown(lo.line_of(node), "")
    if depth >= MAX_DEPTH:
        whole = lo.too_deep(node)
        return Case(value, (Opaque(whole.line, whole.text),))
    return Case(value, block_body(lo, children[colon + 1 :], depth + 1))


@reads_statement("case_statement")
def _stray_case(lo: Lowering, node: Node, depth: int) -> Statement:
    """A case label inside a block of its switch: its statements alone."""
    return Block(lo.line_of(node), _case(lo, node, depth).body)


LOOPS.update(
    {
        kind("for_statement"): _for,
        kind("for_range_loop"): _for_range,
        kind("while_statement"): _while,
        kind("do_statement"): _while,
    }
)
