"""What the grammar could not place, as problems that name line and text."""

from __future__ import annotations

from roofline_core.program.units import Problem, Severity
from roofline_parsers.cuda.classes import CLASS_KINDS
from roofline_parsers.cuda.grammar import (
    COMPOUND,
    ERROR,
    TYPE_IDENTIFIER,
    Node,
    Tree,
    kind,
)
from roofline_parsers.cuda.regrouping import assigned_first
from roofline_parsers.cuda.source import ParserInput
from roofline_parsers.cuda.specifiers import is_behind_macro

MAX_PROBLEMS = 20
"""Syntax problems reported for one file."""

_EXCERPT = 60
_INSTANTIATION = kind("template_instantiation")


def syntax_problems(source: ParserInput, tree: Tree) -> list[Problem]:
    """The errors of a tree in order: warnings inside bodies, errors outside. At most 20.

    A type that is missing is none: so the grammar reads ``= {}`` as a default argument; and so it
    does a name in ``template class C<int>;``.
    """
    if not tree.root_node.has_error:
        return []
    found: list[Problem] = []
    stack: list[tuple[Node, Node | None, bool]] = [(tree.root_node, None, False)]
    while stack and len(found) < MAX_PROBLEMS:
        node, before, in_body = stack.pop()
        if node.kind_id == ERROR and (node.parent is None or assigned_first(node.parent) is None):
            if not is_behind_macro(source, node, before):
                found.append(_problem(source, node, in_body))
            continue
        if node.is_missing:
            if node.kind_id != TYPE_IDENTIFIER and not _is_class_instantiation(node.parent):
                found.append(_missing(source, node))
            continue
        in_body = in_body or node.kind_id == COMPOUND
        pairs = list(zip(node.children, (None, *node.children), strict=False))
        stack.extend((child, last, in_body) for child, last in reversed(pairs) if child.has_error)
    return found


def _problem(source: ParserInput, node: Node, in_body: bool) -> Problem:
    text = " ".join(source.names[node.start_byte : node.start_byte + 2 * _EXCERPT].split())
    length = len(" ".join(source.names[node.start_byte : node.end_byte].split()))
    text = text[: min(length, _EXCERPT)] + ("..." if length > _EXCERPT else "")
    severity = Severity.WARNING if in_body else Severity.ERROR
    line = node.start_point[0] + source.first_line
    return Problem(severity, f"syntax error, not read: '{text}'", source.path, line)


def _missing(source: ParserInput, node: Node) -> Problem:
    line = node.start_point[0] + source.first_line
    return Problem(Severity.WARNING, f"'{node.type}' is missing", source.path, line)


def _is_class_instantiation(node: Node | None) -> bool:
    return (
        node is not None
        and node.kind_id == _INSTANTIATION
        and any(child.kind_id in CLASS_KINDS for child in node.children)
    )
