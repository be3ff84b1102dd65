"""Rebuilding of statements and expressions with the names in scope known.

Nodes of the kernel model are frozen; a node is made anew only if something below it changed, so
that what stays the same stays the same object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final, TypeVar

from roofline_core.program.by_node import ByNode
from roofline_core.program.directives import Clause, Directive
from roofline_core.program.expressions import (
    Assign,
    Expression,
    Lambda,
    Literal,
    Name,
    SizeOf,
    Unary,
    Update,
)
from roofline_core.program.statements import (
    Block,
    Case,
    Directed,
    For,
    ForRange,
    If,
    Statement,
    Switch,
    Variable,
    While,
)
from roofline_core.program.types import Type

Node = TypeVar("Node")

Env = dict[str, Variable]
"""The variables in scope that were declared on the way, by name. Changed as declarations pass."""

_SCOPES: Final = (Block, For, If, Switch, While, Case)
_PARTS: Final = (Expression, Statement, Variable, Case, Directive, Clause, Type)
_NO_PARTS: Final = frozenset(("line", "name", "op", "kernel", "span", "device_form", "qualifiers"))


_Kind = int
"""How a value is rewritten. Plain numbers: nothing else is compared as fast."""
_NO_PART: Final = 0
_EXPRESSION: Final = 1
_NAME: Final = 2
_TYPE: Final = 3
_SCOPE: Final = 4
_VARIABLE: Final = 5
_DIRECTED: Final = 6
_RANGE: Final = 7
_PLAIN: Final = 8


class _Kinds(dict[type, _Kind]):
    """The kind of each class met; looking one up is faster than asking for each base class."""

    def __missing__(self, cls: type) -> _Kind:
        kind = _NO_PART
        if issubclass(cls, _PARTS):
            named = {
                Name: _NAME,
                Type: _TYPE,
                Variable: _VARIABLE,
                Directed: _DIRECTED,
                ForRange: _RANGE,
                Lambda: _SCOPE,
                **dict.fromkeys(_SCOPES, _SCOPE),
            }
            plain = _EXPRESSION if issubclass(cls, Expression) else _PLAIN
            kind = next((k for base, k in named.items() if issubclass(cls, base)), plain)
        self[cls] = kind
        return kind


class _Fields(dict[type, tuple[str, ...]]):
    """The fields of each class that can hold parts, a branch's declaration before its condition."""

    def __missing__(self, cls: type) -> tuple[str, ...]:
        plain = [f.name for f in fields(cls) if f.name not in _NO_PARTS]
        in_order = tuple(sorted(plain, key=lambda name: name != "init"))
        self[cls] = found = () if cls is Literal else in_order
        return found


_KINDS: Final = _Kinds()
_FIELDS: Final = _Fields()
_SKIPPED: Final = frozenset((_NO_PART, _EXPRESSION, _NAME))


class ExpressionSummary:
    """What stands in an expression that has no statements in it and no constants in its types."""

    __slots__ = ("addresses", "names", "writes")

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        """The names of variables, functions and types, in order."""
        self.writes = False
        """Whether something is assigned, or its address taken."""
        self.addresses = False
        """Whether the address of what a pointer points to is taken."""


_SUMMARIES: ByNode[ExpressionSummary | None] = ByNode()
_MOST_SUMMARIES: Final = 8192


def summary_of(node: Expression) -> ExpressionSummary | None:
    """The summary of an expression, kept for a while; None for one that has to be walked."""
    known = _SUMMARIES.get(id(node))
    if known is not None and known[0] is node:
        return known[1]
    if len(_SUMMARIES) >= _MOST_SUMMARIES:
        _SUMMARIES.clear()
    made = _summarised(node)
    _SUMMARIES[id(node)] = node, made
    return made


def _summarised(root: Expression) -> ExpressionSummary | None:
    found = ExpressionSummary()
    names, kinds = found.names, _KINDS
    stack: list[Any] = [root]
    while stack:
        node = stack.pop()
        cls = node.__class__
        if cls is tuple:
            stack.extend(reversed(node))
            continue
        kind = kinds[cls]
        if kind == _NO_PART:
            continue
        if kind == _NAME:
            if node.template_args is not None:
                return None
            names[node.name] = None
        elif kind == _TYPE:
            if node.args or node.dims or node.scope_args:
                return None
            names[node.name] = None
        elif kind != _EXPRESSION or cls is SizeOf:
            return None
        else:
            if cls is Assign or cls is Update:
                found.writes = True
            elif cls is Unary and node.op == "&":
                found.writes = True
                inner = node.operand
                found.addresses |= isinstance(inner, Unary) and inner.op == "*"
            stack.extend([getattr(node, name) for name in reversed(_FIELDS[cls])])
    return found


def holds_lambda(root: object) -> bool:
    """Whether statements can stand inside expressions below a node."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(node)
        elif (kind := _KINDS[node.__class__]) != _NO_PART and kind != _NAME:
            if isinstance(node, Lambda):
                return True
            if kind == _EXPRESSION and summary_of(node) is not None:  # type: ignore[arg-type]
                continue
            stack.extend([getattr(node, name) for name in _FIELDS[node.__class__]])
    return False


class Rewriter:
    """Walks a tree in execution order and rebuilds what its methods change."""

    skipped: frozenset[_Kind] = frozenset((_NO_PART,))
    """What the walk does not look into."""

    _inside = False
    """Whether the walk is inside an expression."""

    def passes(self, summary: ExpressionSummary, env: Env) -> bool:
        """Whether an expression with this summary need not be walked: it stays as it is."""
        return False

    def rewrite(self, node: Node, env: Env) -> Node:
        """The node with its parts rewritten; declarations in it are added to ``env``."""
        kind = _KINDS[node.__class__]
        if kind == _EXPRESSION:
            if self._inside:
                return self.parts(node, env)
            summary = summary_of(node)  # type: ignore[arg-type]
            if summary is not None and self.passes(summary, env):
                return node
            self._inside = True
            try:
                return self.parts(node, env)
            finally:
                self._inside = False
        if kind == _NAME:
            return self.name(node, env)  # type: ignore[arg-type, return-value]
        if kind == _TYPE:
            return self.type(node, env)  # type: ignore[arg-type, return-value]
        if kind == _SCOPE:
            return self.parts(node, dict(env))
        if kind == _VARIABLE:
            changed = self.parts(node, env)
            assert isinstance(changed, Variable)
            if changed.name:
                env[changed.name] = changed
            return changed
        if kind == _DIRECTED:
            return self.directed(node, env)  # type: ignore[arg-type, return-value]
        if kind == _RANGE:
            return self._range(node, env)  # type: ignore[arg-type, return-value]
        return self.parts(node, env)

    def name(self, node: Name, env: Env) -> Expression:
        """What a name becomes."""
        return self.parts(node, env)

    def type(self, node: Type, env: Env) -> Type:
        """What a type becomes; its bounds and arguments may mention variables."""
        return self.parts(node, env) if node.args or node.dims or node.scope_args else node

    def directed(self, node: Directed, env: Env) -> Statement:
        """What a statement under a directive becomes."""
        return self.parts(node, dict(env))

    def parts(self, node: Node, env: Env) -> Node:
        """The node with each of its fields rewritten, in the order they are executed in."""
        changes: dict[str, Any] | None = None
        kinds, skipped = _KINDS, self.skipped
        for name in _FIELDS[node.__class__]:
            value = getattr(node, name)
            if value is None:
                continue
            kind = value.__class__
            if kind is tuple:
                if not value:
                    continue
                made: object = self.each(value, env)
            elif kinds[kind] not in skipped:
                made = self.rewrite(value, env)
            else:
                continue
            if made is not value:
                changes = changes or {}
                changes[name] = made
        return replace(node, **changes) if changes else node  # type: ignore[type-var]

    def each(self, values: tuple[Any, ...], env: Env) -> tuple[Any, ...]:
        """The items rewritten in order; the same tuple if none has changed."""
        kinds, skipped = _KINDS, self.skipped
        changed = False
        made = []
        for item in values:
            if kinds[item.__class__] in skipped:
                made.append(item)
                continue
            new = self.rewrite(item, env)
            changed = changed or new is not item
            made.append(new)
        return tuple(made) if changed else values

    def _range(self, node: ForRange, env: Env) -> ForRange:
        """The range is read before the variable is declared."""
        env = dict(env)
        values = self.rewrite(node.range, env)
        variable = self.rewrite(node.variable, env)
        body = self.rewrite(node.body, env)
        if values is node.range and variable is node.variable and body is node.body:
            return node
        return replace(node, range=values, variable=variable, body=body)


class StatementRewriter(Rewriter):
    """A walk over statements; into expressions only where a lambda's statements stand in them."""

    def __init__(self, *, lambdas: bool) -> None:
        if not lambdas:
            self.skipped = _SKIPPED


class _Substitution(Rewriter):
    def __init__(self, values: Mapping[str, Expression], types: Mapping[str, Type]) -> None:
        self.values = values
        self.types = types

    def passes(self, summary: ExpressionSummary, env: Env) -> bool:
        """It stays if none of the names is replaced."""
        return self.values.keys().isdisjoint(summary.names)

    def name(self, node: Name, env: Env) -> Expression:
        """The value given for a free name; template names and local variables stay."""
        value = self.values.get(node.name)
        if value is None or node.name in env or node.template_args is not None:
            return self.parts(node, env)
        return value

    def rewrite(self, node: Node, env: Env) -> Node:
        """As of any rewriter, but ``sizeof(x)`` becomes that of the type given for ``x``."""
        if isinstance(node, SizeOf) and isinstance(node.operand, Type):
            # `sizeof(x)` of a plain name is read as one of a type.
            meant = self.types.get(node.operand.name)
            if meant is not None and node.operand.name not in env:
                return replace(node, operand=meant)
        return super().rewrite(node, env)


def substitute(
    node: Node, values: Mapping[str, Expression], types: Mapping[str, Type] | None = None
) -> Node:
    """``node`` with free variables replaced; ``types``: what ``sizeof`` of a replaced one means."""
    return _Substitution(values, types or {}).rewrite(node, {}) if values else node


class _FreeNames(Rewriter):
    def __init__(self) -> None:
        self.found: dict[str, None] = {}

    def passes(self, summary: ExpressionSummary, env: Env) -> bool:
        """Its names are all there is to find."""
        for name in summary.names:
            if name not in env:
                self.found.setdefault(name)
        return True

    def name(self, node: Name, env: Env) -> Expression:
        """Note the name unless it is declared inside."""
        if node.name not in env:
            self.found.setdefault(node.name)
        return self.parts(node, env)

    def type(self, node: Type, env: Env) -> Type:
        """Note the type's name, which may be that of a variable, and its parts."""
        if node.name not in env:
            # The operand of `sizeof(x)` looks like a type.
            self.found.setdefault(node.name)
        return super().type(node, env)


def free_names(*nodes: Expression | Statement | Type | None) -> tuple[str, ...]:
    """The names that are used in ``nodes`` and not declared in them, in order; types too."""
    collector = _FreeNames()
    collector.each(nodes, {})
    return tuple(collector.found)
