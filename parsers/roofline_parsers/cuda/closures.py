"""Code inside expressions: lambdas, statement expressions and inline assembly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace

from roofline_core.program.expressions import (
    Assembly,
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    Index,
    Lambda,
    Literal,
    Member,
    Name,
    Unary,
)
from roofline_core.program.statements import Block, Declare, Evaluate, Return, Variable
from roofline_parsers.cuda.grammar import COMPOUND, ERROR, IDENTIFIER, Node, kind, token
from roofline_parsers.cuda.lowering import Lowering, expression, reads_expression
from roofline_parsers.cuda.statements import read_block
from roofline_parsers.cuda.variables import read_parameters

_ATTRIBUTES = kind("attribute_declaration")
_CAPTURES = kind("lambda_capture_specifier")
_DEFAULT_CAPTURE = kind("lambda_default_capture")
_BY_REFERENCE = token("&")
_LAMBDA_DECLARATOR = kind("lambda_declarator")
_OPERANDS = frozenset([kind("gnu_asm_output_operand"), kind("gnu_asm_input_operand")])
_OPERAND_LISTS = (kind("gnu_asm_output_operand_list"), kind("gnu_asm_input_operand_list"))
_QUOTED = re.compile(r'R"\w*\((.*?)\)\w*"|"((?:[^"\\]|\\.)*)"', re.DOTALL)
_SUBSTITUTABLE = (Binary, Call, Cast, Conditional, Index, Literal, Member, Name, Unary)


@reads_expression("lambda_expression")
def _lambda(lo: Lowering, node: Node, depth: int) -> Expression:
    line = lo.line_of(node)
    params: tuple[Variable, ...] = ()
    body = Block(line, ())
    device = False
    copies = frozenset[str]()
    for child in node.children:
        if child.kind_id == _CAPTURES:
            copies = _copies(lo, child)
        elif child.kind_id == _LAMBDA_DECLARATOR:
            params = read_parameters(lo, child, depth)
            device = device or any(
                "device" in lo.text(c) for c in child.children if c.kind_id == _ATTRIBUTES
            )
        elif child.kind_id == COMPOUND:
            body = read_block(lo, child, depth)
        elif child.kind_id in (ERROR, _ATTRIBUTES):
            device = device or "device" in lo.text(child)
    return Lambda(line, params, body, device, copies)


def _copies(lo: Lowering, captures: Node) -> frozenset[str]:
    """The names captured by value, ``=`` where that is the default."""
    found: set[str] = set()
    by_reference = False
    for child in captures.children:
        if child.kind_id == IDENTIFIER and not by_reference:
            found.add(lo.text(child))
        elif child.kind_id == _DEFAULT_CAPTURE and lo.text(child) == "=":
            found.add("=")
        by_reference = child.kind_id == _BY_REFERENCE
    return frozenset(found)


@reads_expression("gnu_asm_expression")
def _asm(lo: Lowering, node: Node, depth: int) -> Expression:
    """Inline assembly: the text of its template, and its operands."""
    found: dict[int, tuple[Expression, ...]] = {}
    before: list[str] = []
    for child in node.children:
        if child.kind_id in _OPERAND_LISTS:
            found[child.kind_id] = tuple(
                expression(lo, operand.named_children[-1], depth)
                for operand in child.children
                if operand.kind_id in _OPERANDS
            )
        elif not found:
            before.append(lo.text(child))
    template = "".join(raw or plain for raw, plain in _QUOTED.findall(" ".join(before)))
    outputs, inputs = (found.get(each, ()) for each in _OPERAND_LISTS)
    return Assembly(lo.line_of(node), template, outputs, inputs)


@reads_expression("compound_statement")
def _statement_expression(lo: Lowering, node: Node, depth: int) -> Expression:
    """GNU's ``({ ... })``: a lambda called where it stands.

    If it only names values for its last expression, as minimum macros do, it is that expression.
    """
    line = lo.line_of(node)
    block = read_block(lo, node, depth)
    last = block.body[-1] if block.body else None
    if not isinstance(last, Evaluate):
        return Call(line, Lambda(line, (), block), ())
    before = block.body[:-1]
    result = last.expression
    known: dict[str, Expression] = {}
    for item in before:
        for variable in item.variables if isinstance(item, Declare) else ():
            value = variable.init if variable.init is not None else None
            if value is not None:
                known[variable.name] = _substituted(value, known) or value
        if not isinstance(item, Declare):
            known = {}
            break
    simple = _substituted(result, known) if known else None
    if simple is not None:
        return simple
    returned = Block(line, (*before, Return(last.line, result)))
    return Call(line, Lambda(line, (), returned), ())


def _substituted(value: Expression, known: Mapping[str, Expression]) -> Expression | None:
    """``value`` with names replaced; None if it may change something or is no plain arithmetic."""
    if isinstance(value, Name):
        return known.get(value.name, value) if value.template_args is None else value
    if not isinstance(value, _SUBSTITUTABLE):
        return None
    changes: dict[str, object] = {}
    for item in fields(value):
        part = getattr(value, item.name)
        if isinstance(part, Expression):
            found = _substituted(part, known)
            if found is None:
                return None
            changes[item.name] = found
        elif item.name == "args":
            found_args = [_substituted(argument, known) for argument in part]
            if None in found_args:
                return None
            changes["args"] = tuple(found_args)
    return replace(value, **changes) if changes else value  # type: ignore[arg-type]
