"""The state of one lowering pass, and the tables that send a node to the function that reads it.

A handler takes ``(lowering, node, depth)``. ``depth`` counts how far the tree has been descended:
past ``MAX_DEPTH`` nothing is read any more, so that no input can exhaust the stack, here or in an
analysis that walks the result.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias, TypeVar

from roofline_core.program.expressions import Expression, Unknown
from roofline_core.program.statements import Statement
from roofline_core.program.types import Type
from roofline_core.program.units import Problem, Severity
from roofline_parsers.cuda.grammar import COMMENT, Node, all_kinds, kind
from roofline_parsers.cuda.source import ParserInput

Reads = TypeVar("Reads", bound=Callable[..., object])

MAX_DEPTH = 140
"""Levels of nesting read, statements and expressions together: each costs at most two frames."""

TEXT_LIMIT = 400
"""Characters of source kept in an ``Unknown`` or ``Opaque``."""

ExpressionHandler: TypeAlias = "Callable[[Lowering, Node, int], Expression]"
StatementHandler: TypeAlias = "Callable[[Lowering, Node, int], Statement | None]"
LoopHandler: TypeAlias = "Callable[[Lowering, Node, int, Expression | int | None], Statement]"
TypeHandler: TypeAlias = "Callable[[Lowering, Node, int], Type]"

_TYPE_NAME = re.compile(
    r"\w+_t|(?:u?(?:char|short|int|long|longlong)|float|double|half|__half|bfloat16|__nv_bfloat16)"
    r"(?:[1-4]|[24]_(?:16|32)a)?|u(?:char|short|int|long)|unsigned|signed|dim3|bool|void|auto"
    r"|half[248]?|__nv_bfloat162|bfloat162|__nv_fp8\w*|string"
)


class Lowering:
    """What handlers share while they read one function body, class or file.

    ``names`` gives a piece of text by byte range; ``types`` and ``values`` are the names known to
    be types and variables, which settle what the grammar cannot (``(n) - 1``, ``k<N>``).
    """

    __slots__ = (
        "_starts",
        "define_class",
        "high",
        "line",
        "local_types",
        "local_values",
        "low",
        "names",
        "prefix",
        "problems",
        "source",
        "statements",
        "template_args",
        "types",
        "values",
    )

    def __init__(
        self, source: ParserInput, types: set[str], values: set[str], prefix: str = ""
    ) -> None:
        """``prefix`` qualifies classes met on the way (``function::``)."""
        self.source = source
        self.names = source.names
        self.types = types
        self.values = values
        self.prefix = prefix
        self.local_types: dict[str, Type | None] = {}
        """Types of this body: typedefs with what they stand for, template parameters with None."""
        self.local_values: set[str] = set()
        self.problems: list[Problem] = []
        self.statements = 0
        """Statements met so far; see ``statements.MAX_BODY_STATEMENTS``."""
        self.template_args: tuple[Type | Expression, ...] = ()
        """The parameters of the templates around, as arguments of a class in this body."""
        self.define_class: Callable[[Node, int], Type] | None = None
        """The reader of class definitions; None inside a body, where only the name is recorded."""
        self._starts = source.line_starts
        self.line = 0
        self.low = 0
        self.high = -1

    def seek(self, byte: int) -> int:
        """The 1-based line of ``byte``, remembered so that neighbours cost two comparisons."""
        starts = self._starts
        index = bisect_right(starts, byte)
        self.low = starts[index - 1] if index else 0
        self.high = starts[index] if index < len(starts) else 1 << 62
        self.line = index - 1 + self.source.first_line
        return self.line

    def line_of(self, node: Node) -> int:
        """The line on which ``node`` starts."""
        byte = node.start_byte
        return self.line if self.low <= byte < self.high else self.seek(byte)

    def text(self, node: Node) -> str:
        """The node's text, however long."""
        return self.names[node.start_byte : node.end_byte]

    def excerpt(self, node: Node) -> str:
        """The node's text on one line, cut at ``TEXT_LIMIT``."""
        text = self.names[node.start_byte : min(node.end_byte, node.start_byte + TEXT_LIMIT)]
        return " ".join(text.split())

    def is_type(self, name: str) -> bool:
        """Whether ``name``, unqualified, is known to be a type here."""
        if name in self.local_types:
            return True
        if name in self.local_values:
            return False
        return name in self.types or _TYPE_NAME.fullmatch(name) is not None

    def is_value(self, name: str) -> bool:
        """Whether ``name``, unqualified, is known to be a variable or constant here."""
        return name in self.local_values or (name in self.values and name not in self.local_types)

    def too_deep(self, node: Node) -> Unknown:
        """The placeholder of a node nested too deeply to be read; reports a problem."""
        line = self.line_of(node)
        message = f"nested more than {MAX_DEPTH} levels deep and not read: '{self.brief(node)}'"
        self.problems.append(Problem(Severity.WARNING, message, self.source.path, line))
        return Unknown(line, self.excerpt(node))

    def brief(self, node: Node) -> str:
        """The start of the node's text, short enough for a message."""
        text = self.excerpt(node)
        return text if len(text) <= 60 else text[:57] + "..."


def unknown_expression(lo: Lowering, node: Node, depth: int) -> Unknown:
    """Keeps a node's text, and the expressions among its children."""
    parts: list[Expression] = []
    if depth < MAX_DEPTH:
        for child in node.named_children:
            handler = EXPRESSIONS[child.kind_id]
            if handler is not unknown_expression or child.named_child_count:
                parts.append(handler(lo, child, depth + 1))
    return Unknown(lo.line_of(node), lo.excerpt(node), tuple(parts))


def _unknown_statement(lo: Lowering, node: Node, depth: int) -> Statement | None:
    raise NotImplementedError  # replaced by `statements` when it is imported


EXPRESSIONS: dict[int, ExpressionHandler] = dict.fromkeys(all_kinds(), unknown_expression)
STATEMENTS: dict[int, StatementHandler] = dict.fromkeys(all_kinds(), _unknown_statement)
TYPES: dict[int, TypeHandler] = {}
LOOPS: dict[int, LoopHandler] = {}
"""Readers of loops, which take the factor that an unroll pragma asks for."""


def reads_expression(*kinds: str) -> Callable[[Reads], Reads]:
    """Registers a function as the reader of expressions of these kinds."""
    return partial(_register, EXPRESSIONS, kinds)


def reads_statement(*kinds: str) -> Callable[[Reads], Reads]:
    """Registers a function as the reader of statements of these kinds."""
    return partial(_register, STATEMENTS, kinds)


def reads_type(*kinds: str) -> Callable[[Reads], Reads]:
    """Registers a function as the reader of types of these kinds."""
    return partial(_register, TYPES, kinds)


def _register(table: dict[int, Any], kinds: tuple[str, ...], reader: Reads) -> Reads:
    table.update(dict.fromkeys(map(kind, kinds), reader))
    return reader


def expression(lo: Lowering, node: Node, depth: int) -> Expression:
    """Reads any expression; ``depth`` is the caller's."""
    if depth >= MAX_DEPTH:
        return lo.too_deep(node)
    return EXPRESSIONS[node.kind_id](lo, node, depth + 1)


def statement(lo: Lowering, node: Node, depth: int) -> Statement | None:
    """Reads any statement; None for one that does nothing."""
    return STATEMENTS[node.kind_id](lo, node, depth + 1)


def without_comments(children: list[Node]) -> list[Node]:
    """The children that are not comments."""
    return [child for child in children if child.kind_id != COMMENT]
