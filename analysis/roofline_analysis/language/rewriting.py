"""Kernels with some expressions replaced, so that the model can predict the effect."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.units import Function

Rewrite = Callable[[Any, Any], Any]
"""Takes a node, and the node with its parts rewritten; returns its replacement."""

_FIELDS: dict[type, tuple[str, ...]] = {}
_NODES = (ex.Expression, st.Statement, st.Variable, st.Case)


def rewritten(node: Any, rewrite: Rewrite) -> Any:
    """A node with all nodes inside it rewritten, innermost first."""
    names = _FIELDS.get(type(node))
    if names is None:
        names = tuple(f.name for f in dataclasses.fields(node))
        _FIELDS[type(node)] = names
    changes = {}
    before = node
    for name in names:
        value = getattr(node, name)
        if isinstance(value, _NODES):
            new = rewritten(value, rewrite)
        elif isinstance(value, tuple) and value and isinstance(value[0], _NODES):
            new = tuple(rewritten(item, rewrite) for item in value)
            if all(a is b for a, b in zip(new, value, strict=True)):
                new = value
        else:
            continue
        if new is not value:
            changes[name] = new
    if changes:
        values = [changes.get(name, getattr(node, name)) for name in names]
        node = type(node)(*values)
    return rewrite(before, node)


def with_body(function: Function, rewrite: Rewrite) -> Function:
    """A function whose body is rewritten."""
    body = function.body
    return dataclasses.replace(
        function, read_body=lambda: rewritten(body, rewrite) if body is not None else None
    )
