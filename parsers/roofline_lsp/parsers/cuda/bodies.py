"""Function bodies, read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from roofline_lsp.kernel.program import Problem, Severity
from roofline_lsp.kernel.statements import Block, Opaque
from roofline_lsp.parsers.cuda import (
    calls,
    closures,
    construction,
    control_flow,
    literals,
    operators,
)
from roofline_lsp.parsers.cuda.grammar import COMPOUND, Node
from roofline_lsp.parsers.cuda.lowering import statement
from roofline_lsp.parsers.cuda.scopes import KnownNames, Scope, lowering_for
from roofline_lsp.parsers.cuda.source import SourceText
from roofline_lsp.parsers.cuda.statements import read_block

READERS = (calls, closures, construction, control_flow, literals, operators)
"""Modules that a body needs and that nothing imports: they register what they read."""


def body_reader(
    source: SourceText,
    known: KnownNames,
    node: Node,
    scope: Scope,
    qualified_name: str,
    problems: list[Problem],
) -> Callable[[], Block | None]:
    """A function that reads a body; it keeps the syntax tree alive through ``node``."""
    return partial(_read_body, source, known, node, scope, qualified_name, problems)


def _read_body(
    source: SourceText,
    known: KnownNames,
    node: Node,
    scope: Scope,
    qualified_name: str,
    problems: list[Problem],
) -> Block:
    lo = lowering_for(source, known, scope, f"{qualified_name}::")
    lo.problems = problems
    try:
        if node.kind_id == COMPOUND:
            return read_block(lo, node, 0)
        read = statement(lo, node, 0)
    except RecursionError:
        # The caller's own stack left too little room.
        line = lo.seek(node.start_byte)
        message = f"the body of '{qualified_name}' was asked for too deep in a recursion"
        problems.append(Problem(Severity.ERROR, message, source.path, line))
        return Block(line, (Opaque(line, lo.excerpt(node)),))
    return read if isinstance(read, Block) else Block(lo.line_of(node), (read,) if read else ())
