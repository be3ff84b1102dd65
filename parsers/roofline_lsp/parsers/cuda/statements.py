"""Statements, lambdas and inline assembly."""

from __future__ import annotations

import re

from roofline_lsp.kernel.expressions import Expression, Lambda, Literal, Name, Unary, Unknown
from roofline_lsp.kernel.statements import (
    Block,
    Break,
    Case,
    Continue,
    Declare,
    Evaluate,
    For,
    ForRange,
    Goto,
    If,
    Label,
    Opaque,
    Return,
    Statement,
    Switch,
    Variable,
    While,
)
from roofline_lsp.parsers.cuda.declarators import read_declarator, read_specifiers
from roofline_lsp.parsers.cuda.grammar import (
    CASE,
    CLOSE_PAREN,
    COLON,
    COMMENT,
    COMPOUND,
    DECLARATION,
    ERROR,
    FUNCTION_DECLARATOR,
    OPEN_PAREN,
    SEMICOLON,
    STATEMENT_IDENTIFIER,
    Node,
    kind,
    token,
)
from roofline_lsp.parsers.cuda.literals import parse_number
from roofline_lsp.parsers.cuda.lowering import (
    EXPRESSIONS,
    MAX_DEPTH,
    STATEMENTS,
    Lowering,
    expression,
    reads_expression,
    reads_statement,
    statement,
    unknown_expression,
)
from roofline_lsp.parsers.cuda.type_names import plain_type, type_of
from roofline_lsp.parsers.cuda.variables import (
    read_parameters,
    read_variables,
    register_values,
)

_PRAGMA_CALL = kind("preproc_call")
_CONDITION = kind("condition_clause")
_INIT_STATEMENT = kind("init_statement")
_ELSE = kind("else_clause")
_ATTRIBUTES = kind("attribute_declaration")
_ATTRIBUTE = kind("attribute")
_ARGUMENTS = kind("argument_list")
_LAMBDA_DECLARATOR = kind("lambda_declarator")
_OPERANDS = frozenset([kind("gnu_asm_output_operand"), kind("gnu_asm_input_operand")])
_OPERAND_LISTS = frozenset(
    [kind("gnu_asm_output_operand_list"), kind("gnu_asm_input_operand_list")]
)
_DEFAULT = token("default")
_DO = token("do")
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
_UNROLL = re.compile(
    r"(?:#\s*pragma\s+)?(?:GCC\s+|clang\s+loop\s+)?(no)?unroll(?:_and_jam)?\b\s*(.*)", re.DOTALL
)

Unroll = Expression | int | None


def block_body(lo: Lowering, children: list[Node], depth: int) -> tuple[Statement, ...]:
    """Statements in order; an unroll pragma goes to the loop after it."""
    found: list[Statement] = []
    unroll: Unroll = None
    for child in children:
        kind_id = child.kind_id
        if kind_id == _PRAGMA_CALL:
            asked = _pragma_unroll(lo, child)
            unroll = asked if asked is not None else unroll
            continue
        if not child.is_named and kind_id != ERROR or kind_id == COMMENT:
            continue
        if unroll is not None:
            reader = LOOPS.get(kind_id)
            if reader is not None:
                found.append(reader(lo, child, depth, unroll))
                unroll = None
                continue
            unroll = None
        read = STATEMENTS[kind_id](lo, child, depth)
        if read is not None:
            found.append(read)
    return tuple(found)


def _pragma_unroll(lo: Lowering, node: Node) -> Unroll:
    return parse_unroll(lo.text(node), lo.line_of(node))


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
    children = node.children
    value = children[0]
    if not value.is_named or value.kind_id == COMMENT:
        return None
    line = lo.line_of(node)
    return Evaluate(line, expression(lo, value, depth))


@reads_statement("declaration")
def read_declaration(lo: Lowering, node: Node, depth: int) -> Statement | None:
    """Variables; a function prototype is nothing to execute."""
    line = lo.line_of(node)
    _, variables, _ = read_variables(lo, node.children, depth, in_body=True)
    if not variables:
        return None
    register_values(lo, variables)
    return Declare(line, tuple(variables))


@reads_statement("type_definition")
def _typedef(lo: Lowering, node: Node, depth: int) -> Statement | None:
    """A typedef inside a body is replaced by its meaning wherever it is used."""
    children = node.children[1:]
    specifiers = read_specifiers(lo, children, depth)
    if specifiers.type is not None:
        for child in children[specifiers.rest :]:
            declared = read_declarator(lo, child, specifiers.type, depth) if child.is_named else None
            if declared is not None and declared.name is not None:
                lo.local_types[lo.text(declared.name)] = declared.type
    return None


@reads_statement("alias_declaration")
def _alias(lo: Lowering, node: Node, depth: int) -> Statement | None:
    named = [child for child in node.named_children if child.kind_id != COMMENT]
    if len(named) >= 2:
        lo.local_types[lo.text(named[0])] = type_of(lo, named[-1], depth)
    return None


@reads_statement("struct_specifier", "class_specifier", "union_specifier", "enum_specifier")
def _local_class(lo: Lowering, node: Node, depth: int) -> Statement | None:
    """A class inside a body: only its name matters here, the file's scan has read it."""
    type_of(lo, node, depth)
    return None


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
    if node.kind_id in _EXPRESSION_KINDS:
        return Evaluate(lo.line_of(node), expression(lo, node, depth))
    line = lo.line_of(node)
    found = block_body(lo, node.children, depth + 1) if node.kind_id in _CONTAINERS else ()
    if node.kind_id in _CONTAINERS and node.kind_id != ERROR:
        return Block(line, found)
    whole = unknown_expression(lo, node, depth)
    opaque = Opaque(line, lo.excerpt(node), whole.parts if isinstance(whole, Unknown) else ())
    statements = [item for item in found if not isinstance(item, Opaque | Evaluate)]
    return Block(line, (opaque, *statements)) if statements else opaque


_CONTAINERS = frozenset(
    map(
        kind,
        (
            "preproc_if",
            "preproc_ifdef",
            "preproc_else",
            "preproc_elif",
            "linkage_specification",
        ),
    )
) | {ERROR}


def _complete_tables() -> None:
    """Statements of kinds without a reader: skipped, kept as text, or expressions in their place."""
    for kind_id, reader in STATEMENTS.items():
        if reader.__name__ == "_unknown_statement":
            STATEMENTS[kind_id] = _skip if kind_id in _SKIPPED else _opaque


_complete_tables()
_EXPRESSION_KINDS = frozenset(
    kind_id for kind_id, reader in EXPRESSIONS.items() if reader is not unknown_expression
) - _CONTAINERS

