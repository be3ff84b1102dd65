"""Rebuilding of statements and expressions with the names in scope known.

Nodes of the kernel model are frozen; a node is made anew only if something below it changed, so
that what stays the same stays the same object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final, TypeVar

from roofline_lsp.kernel.directives import Clause, Directive
from roofline_lsp.kernel.expressions import Expression, Lambda, Name, SizeOf
from roofline_lsp.kernel.statements import (
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
from roofline_lsp.kernel.types import Type

Node = TypeVar("Node")

Env = dict[str, Variable]
"""The variables in scope that were declared on the way, by name. Changed as declarations pass."""

_SCOPES: Final = (Block, For, If, Switch, While, Case)
_PARTS: Final = (Expression, Statement, Variable, Case, Directive, Clause, Type)
_FIELDS: dict[type, tuple[str, ...]] = {}


class Rewriter:
    """Walks a tree in execution order and rebuilds what its methods change."""

    def rewrite(self, node: Node, env: Env) -> Node:
        """The node with its parts rewritten; declarations in it are added to ``env``."""
        if isinstance(node, Name):
            return self.name(node, env)  # type: ignore[return-value]
        if isinstance(node, Type):
            return self.type(node, env)  # type: ignore[return-value]
        if isinstance(node, Variable):
            changed = self.parts(node, env)
            if changed.name:
                env[changed.name] = changed
            return changed
        if isinstance(node, Directed):
            return self.directed(node, env)  # type: ignore[return-value]
        if isinstance(node, ForRange):
            return self._range(node, env)  # type: ignore[return-value]
        if isinstance(node, (*_SCOPES, Lambda)):
            return self.parts(node, dict(env))
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
        changes: dict[str, Any] = {}
        for name in _fields(type(node)):
            value = getattr(node, name)
            if isinstance(value, _PARTS):
                made: object = self.rewrite(value, env)
            elif isinstance(value, tuple) and value:
                made = self.each(value, env)
            else:
                continue
            if made is not value:
                changes[name] = made
        return replace(node, **changes) if changes else node  # type: ignore[type-var]

    def each(self, values: tuple[Any, ...], env: Env) -> tuple[Any, ...]:
        """The items rewritten in order; the same tuple if none has changed."""
        made = []
        for item in values:
            made.append(self.rewrite(item, env) if isinstance(item, _PARTS) else item)
        if any(new is not old for new, old in zip(made, values, strict=True)):
            return tuple(made)
        return values

    def _range(self, node: ForRange, env: Env) -> ForRange:
        """The range is read before the variable is declared."""
        env = dict(env)
        values = self.rewrite(node.range, env)
        variable = self.rewrite(node.variable, env)
        body = self.rewrite(node.body, env)
        if values is node.range and variable is node.variable and body is node.body:
            return node
        return replace(node, range=values, variable=variable, body=body)


def _fields(kind: type) -> tuple[str, ...]:
    """The fields of a node, a branch's declaration before its condition."""
    names = _FIELDS.get(kind)
    if names is None:
        plain = [f.name for f in fields(kind) if f.name not in _NO_PARTS]
        names = _FIELDS[kind] = tuple(sorted(plain, key=lambda name: name != "init"))
    return names


_NO_PARTS: Final = frozenset(("line", "name", "op", "kernel", "span", "device_form", "qualifiers"))


class _Substitution(Rewriter):
    def __init__(self, values: Mapping[str, Expression], types: Mapping[str, Type]) -> None:
        self.values = values
        self.types = types

    def name(self, node: Name, env: Env) -> Expression:
        value = self.values.get(node.name)
        if value is None or node.name in env or node.template_args is not None:
            return self.parts(node, env)
        return value

    def rewrite(self, node: Node, env: Env) -> Node:
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

    def name(self, node: Name, env: Env) -> Expression:
        if node.name not in env:
            self.found.setdefault(node.name)
        return self.parts(node, env)

    def type(self, node: Type, env: Env) -> Type:
        if node.name not in env:
            # The operand of `sizeof(x)` looks like a type.
            self.found.setdefault(node.name)
        return super().type(node, env)


def free_names(*nodes: Expression | Statement | Type | None) -> tuple[str, ...]:
    """The names that are used in ``nodes`` and not declared in them, in order; types too."""
    collector = _FreeNames()
    collector.each(nodes, {})
    return tuple(collector.found)
