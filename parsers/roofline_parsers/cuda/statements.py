"""Blocks and simple statements."""

from __future__ import annotations

from typing import Final

from roofline_core.program.expressions import Expression, Unknown
from roofline_core.program.statements import (
    ERROR_DIRECTIVE,
    Block,
    Break,
    Continue,
    Declare,
    Evaluate,
    Goto,
    Label,
    Opaque,
    Return,
    Statement,
)
from roofline_core.program.units import Problem, Severity
from roofline_parsers.cuda import directed
from roofline_parsers.cuda.grammar import (
    ASSIGNMENT,
    COMMENT,
    COMPOUND,
    ERROR,
    FUNCTION_DECLARATOR,
    SEMICOLON,
    STATEMENT_IDENTIFIER,
    SUBSCRIPT,
    Node,
    kind,
)
from roofline_parsers.cuda.local_declarations import misread_declaration, read_pointer_to_array
from roofline_parsers.cuda.lowering import (
    EXPRESSIONS,
    LOOPS,
    MAX_DEPTH,
    STATEMENTS,
    Lowering,
    expression,
    reads_statement,
    unknown_expression,
)
from roofline_parsers.cuda.pragmas import Unroll, parse_unroll

_PRAGMA_CALL = kind("preproc_call")
_MAYBE_ARRAY = frozenset([ASSIGNMENT, SUBSCRIPT])
MAX_BODY_STATEMENTS: Final = 10_000
"""Statements of one function's body that are read: a limit on the work."""
_SKIPPED = frozenset(
    map(
        kind,
        (
            "comment",
            "using_declaration",
            "static_assert_declaration",
            "preproc_include",
            "preproc_def",
            "preproc_function_def",
            "template_declaration",
            "namespace_alias_definition",
            "attribute_declaration",
            "attribute_specifier",
        ),
    )
) | {SEMICOLON}


def block_body(lo: Lowering, children: list[Node], depth: int) -> tuple[Statement, ...]:
    """Statements in order; pragmas go to the statement after them."""
    found: list[Statement] = []
    unroll: Unroll = None
    waiting: list[directed.Waiting] = []
    for child in children:
        kind_id = child.kind_id
        if kind_id == _PRAGMA_CALL and lo.text(child).startswith(ERROR_DIRECTIVE):
            found.append(Opaque(lo.line_of(child), lo.text(child).strip()))
            continue
        if kind_id == _PRAGMA_CALL:
            asked = parse_unroll(lo.text(child), lo.line_of(child))
            unroll = asked if asked is not None else unroll
            directive = directed.pragma_directive(lo, child) if asked is None else None
            if directive is not None and directive.stands_alone and not waiting:
                found.append(directed.alone(lo, directive))
            elif directive is not None:
                waiting.append(directive)
            continue
        if (not child.is_named and kind_id != ERROR) or kind_id == COMMENT:
            continue
        if not _within_limit(lo, child, found):
            break
        reader = LOOPS.get(kind_id) if unroll is not None else None
        if reader is not None:
            read: Statement | None = reader(lo, child, depth, unroll)
        else:
            read = STATEMENTS[kind_id](lo, child, depth)
        unroll = None
        if waiting:
            read = directed.attached(lo, waiting, child, read)
            waiting = []
        if read is not None:
            found.append(read)
    return tuple(found)


def _within_limit(lo: Lowering, node: Node, found: list[Statement]) -> bool:
    """Count a statement; whether it is to be read. Of the first that is not, a problem tells."""
    lo.statements += 1
    if lo.statements <= MAX_BODY_STATEMENTS:
        return True
    if lo.statements == MAX_BODY_STATEMENTS + 1:
        line = lo.line_of(node)
        message = (
            f"more than {MAX_BODY_STATEMENTS} statements in one function: from here on none is read"
        )
        lo.problems.append(Problem(Severity.WARNING, message, lo.source.path, line))
        found.append(Opaque(line, lo.excerpt(node)))
    return False


@reads_statement("compound_statement", "declaration_list", "field_declaration_list")
def read_block(lo: Lowering, node: Node, depth: int) -> Block:
    """``{ ... }``."""
    line = lo.line_of(node)
    if depth >= MAX_DEPTH:
        whole = lo.too_deep(node)
        return Block(line, (Opaque(line, whole.text),))
    return Block(line, block_body(lo, node.children, depth + 1))


def nested(lo: Lowering, node: Node | None, depth: int) -> Statement:
    """The statement under a condition or loop; an empty one is an empty block."""
    if node is None:
        return Block(lo.line, ())
    if depth >= MAX_DEPTH:
        whole = lo.too_deep(node)
        return Opaque(whole.line, whole.text)
    read = STATEMENTS[node.kind_id](lo, node, depth + 1)
    return Block(lo.line_of(node), ()) if read is None else read


@reads_statement("expression_statement")
def _expression_statement(lo: Lowering, node: Node, depth: int) -> Statement | None:
    value = node.children[0]
    if not value.is_named or value.kind_id == COMMENT:
        return None
    line = lo.line_of(node)
    if value.kind_id in _MAYBE_ARRAY:
        declared = read_pointer_to_array(lo, value, depth)
        if declared is not None:
            return Declare(line, (declared,))
    read = expression(lo, value, depth)
    declared = misread_declaration(read)
    return Evaluate(line, read) if declared is None else Declare(line, (declared,))


@reads_statement("return_statement", "co_return_statement")
def _return(lo: Lowering, node: Node, depth: int) -> Statement:
    line = lo.line_of(node)
    for child in node.children[1:]:
        if child.is_named and child.kind_id not in (COMMENT, ERROR):
            return Return(line, expression(lo, child, depth))
    return Return(line, None)


@reads_statement("break_statement")
def _break(lo: Lowering, node: Node, depth: int) -> Statement:
    return Break(lo.line_of(node))


@reads_statement("continue_statement")
def _continue(lo: Lowering, node: Node, depth: int) -> Statement:
    return Continue(lo.line_of(node))


@reads_statement("goto_statement")
def _goto(lo: Lowering, node: Node, depth: int) -> Statement:
    labels = [c for c in node.children if c.kind_id == STATEMENT_IDENTIFIER]
    return Goto(lo.line_of(node), lo.text(labels[0]) if labels else "")


@reads_statement("labeled_statement")
def _label(lo: Lowering, node: Node, depth: int) -> Statement:
    line = lo.line_of(node)
    children = [c for c in node.children if c.is_named and c.kind_id not in (COMMENT, ERROR)]
    body = nested(lo, children[-1], depth) if len(children) > 1 else None
    return Label(line, lo.text(children[0]), body)


@reads_statement("try_statement", "seh_try_statement")
def _try(lo: Lowering, node: Node, depth: int) -> Statement:
    """The block that is tried: what happens after an exception is not counted."""
    for child in node.children:
        if child.kind_id == COMPOUND:
            return read_block(lo, child, depth)
    return Block(lo.line_of(node), ())


@reads_statement("throw_statement", "co_yield_statement")
def _throw(lo: Lowering, node: Node, depth: int) -> Statement:
    return Evaluate(lo.line_of(node), unknown_expression(lo, node, depth))


@reads_statement("function_definition")
def _function_in_body(lo: Lowering, node: Node, depth: int) -> Statement | None:
    """``LOOP(i, n) { ... }``: a macro nobody defined, kept as text with its block read.

    A function with a type was swallowed by a missing brace; the file's scan finds it.
    """
    head = node.children[0]
    line = lo.line_of(node)
    if head.kind_id != FUNCTION_DECLARATOR:
        return None
    parts = []
    for child in head.children[-1].named_children:
        if child.kind_id not in (COMMENT, ERROR) and child.named_child_count:
            parts.append(_macro_argument(lo, child, depth))
    text = lo.excerpt(head)
    bodies = [child for child in node.children if child.kind_id == COMPOUND]
    macro = Opaque(line, text, tuple(parts))
    if not bodies or depth >= MAX_DEPTH:
        return macro
    return Block(line, (macro, read_block(lo, bodies[0], depth)))


def _macro_argument(lo: Lowering, node: Node, depth: int) -> Expression:
    if node.named_child_count == 1 and node.child_count == 1:
        return expression(lo, node.children[0], depth)
    return Unknown(lo.line_of(node), lo.excerpt(node))


def _skip(lo: Lowering, node: Node, depth: int) -> Statement | None:
    return None


def _opaque(lo: Lowering, node: Node, depth: int) -> Statement | None:
    """Keeps a statement as text, with the expressions among its children."""
    if depth >= MAX_DEPTH:
        whole = lo.too_deep(node)
        return Opaque(whole.line, whole.text)
    if EXPRESSIONS[node.kind_id] is not unknown_expression:
        return Evaluate(lo.line_of(node), expression(lo, node, depth))
    line = lo.line_of(node)
    found: tuple[Statement, ...] = ()
    if node.kind_id in _CONTAINERS:
        # A directive's first two children are its word and its condition.
        children = node.children[2:] if node.kind_id in _DIRECTIVES else node.children
        found = block_body(lo, children, depth + 1)
    if node.kind_id in _CONTAINERS and node.kind_id != ERROR:
        return Block(line, found)
    opaque = Opaque(line, lo.excerpt(node), unknown_expression(lo, node, depth).parts)
    statements = [item for item in found if not isinstance(item, Opaque | Evaluate)]
    return Block(line, (opaque, *statements)) if statements else opaque


_DIRECTIVES = frozenset(
    map(kind, ("preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef"))
)
_CONTAINERS = _DIRECTIVES | {kind("preproc_else"), kind("linkage_specification"), ERROR}


def _complete_tables() -> None:
    """Statements of kinds without a reader: skipped, or kept as text."""
    for kind_id, reader in STATEMENTS.items():
        if reader.__name__ == "_unknown_statement":
            STATEMENTS[kind_id] = _skip if kind_id in _SKIPPED else _opaque


_complete_tables()
