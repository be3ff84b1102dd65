"""Declarations inside bodies."""

from __future__ import annotations

from dataclasses import replace

from roofline_core.program.expressions import Assign, Binary, Expression, Literal, Name
from roofline_core.program.statements import Declare, Statement, Variable
from roofline_core.program.types import Type
from roofline_parsers.cuda.attributes import aligned, read_alignment
from roofline_parsers.cuda.declarators import read_declarator
from roofline_parsers.cuda.enums import enumerators_of, is_scoped
from roofline_parsers.cuda.grammar import (
    ASSIGNMENT,
    ATTRIBUTE,
    CALL,
    COMMENT,
    ENUM,
    IDENTIFIER,
    POINTER,
    PRIMITIVE_TYPE,
    SUBSCRIPT,
    Node,
)
from roofline_parsers.cuda.lowering import Lowering, expression, reads_statement
from roofline_parsers.cuda.specifiers import read_specifiers
from roofline_parsers.cuda.type_names import plain_type, type_of
from roofline_parsers.cuda.variables import read_variables


def read_pointer_to_array(lo: Lowering, node: Node, depth: int) -> Variable | None:
    """``float (&rows)[4] = x``, which the grammar takes for a subscript of a cast."""
    init: Node | None = None
    if node.kind_id == ASSIGNMENT:
        init = node.children[-1]
        node = node.children[0]
    subscripts: list[Node] = []
    while node.kind_id == SUBSCRIPT:
        subscripts.append(node.children[-1])
        node = node.children[0]
    if not subscripts or node.kind_id != CALL:
        return None
    function, given = node.children[0], node.children[-1].children
    if function.kind_id != PRIMITIVE_TYPE and not lo.is_type(lo.text(function)):
        return None
    if len(given) != 3 or given[1].kind_id != POINTER:
        return None
    operator, name = given[1].children[0], given[1].children[-1]
    if given[1].child_count != 2 or name.kind_id != IDENTIFIER:
        return None
    base = type_of(lo, function, depth)
    dims: list[Expression | None] = [
        expression(lo, item.children[1], depth) if item.child_count > 2 else None
        for item in reversed(subscripts)
    ]
    reference = lo.text(operator) == "&"
    declared = Type(
        base.name,
        base.args,
        base.pointers,
        reference,
        dims=tuple(dims if reference else [None, *dims]),
        scope_args=base.scope_args,
    )
    value = None if init is None else expression(lo, init, depth)
    return Variable(lo.text(name), declared, lo.line_of(name), value)


def misread_declaration(read: Expression) -> Variable | None:
    """``ns::T<8> x = y``, which the grammar may take for comparisons; None for an expression.

    Nothing else compares with an assignment that stands without parentheses and drops the result.
    """
    if not (isinstance(read, Binary) and read.op == ">" and isinstance(read.right, Assign)):
        return None
    left, assigned = read.left, read.right
    if not (isinstance(left, Binary) and left.op == "<" and isinstance(left.left, Name)):
        return None
    if assigned.op != "=" or not isinstance(assigned.target, Name):
        return None
    declared = Type(left.left.name, (left.right,))
    return Variable(assigned.target.name, declared, read.line, assigned.value)


@reads_statement("declaration")
def read_declaration(lo: Lowering, node: Node, depth: int) -> Statement | None:
    """Variables; a function prototype is nothing to execute."""
    line = lo.line_of(node)
    _, variables, _ = read_variables(lo, node.children, depth, in_body=True)
    if not variables:
        return None
    return Declare(line, tuple(variables))


@reads_statement("type_definition")
def _typedef(lo: Lowering, node: Node, depth: int) -> Statement | None:
    """A typedef inside a body is replaced by its meaning wherever it is used."""
    children = node.children[1:]
    specifiers = read_specifiers(lo, children, depth)
    if specifiers.type is None:
        return None
    align = read_alignment(lo, children, depth) or specifiers.align
    for child in children[specifiers.rest :]:
        if not child.is_named or child.kind_id == ATTRIBUTE:
            continue
        declared = read_declarator(lo, child, specifiers.type, depth)
        if declared.name is not None:
            lo.local_types[lo.text(declared.name)] = aligned(declared.type, align)
    return None


@reads_statement("alias_declaration")
def _alias(lo: Lowering, node: Node, depth: int) -> Statement | None:
    named = [child for child in node.named_children if child.kind_id != COMMENT]
    if len(named) >= 2:
        lo.local_types[lo.text(named[0])] = type_of(lo, named[-1], depth)
    return None


@reads_statement("struct_specifier", "class_specifier", "union_specifier", "enum_specifier")
def _local_class(lo: Lowering, node: Node, depth: int) -> Statement | None:
    """A class inside a body: only its name matters here, the file's scan has read it.

    The names of an enumeration without one of its own are constants of the body.
    """
    type_of(lo, node, depth)
    if node.kind_id != ENUM or is_scoped(node) or node.child_by_field_name("name") is not None:
        return None
    line = lo.line_of(node)
    constants = tuple(
        Variable(
            name,
            replace(plain_type("int"), const=True),
            line,
            init=value if isinstance(value, Expression) else Literal(line, value, "int"),
            qualifiers=frozenset(("constexpr",)),
        )
        for name, value in enumerators_of(lo, node, depth)
    )
    lo.local_values.update(constant.name for constant in constants)
    return Declare(line, constants) if constants else None
