"""The nodes of host code, visited from the top down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

_CHILDREN: Final[dict[type, tuple[str, ...]]] = {
    ex.Unary: ("operand",),
    ex.Update: ("target",),
    ex.Binary: ("left", "right"),
    ex.Assign: ("target", "value"),
    ex.Conditional: ("condition", "then", "otherwise"),
    ex.Call: ("callee", "args"),
    ex.Index: ("base", "index"),
    ex.Member: ("base",),
    ex.Cast: ("operand",),
    ex.InitList: ("items",),
    ex.Construct: ("args",),
    ex.New: ("count", "args"),
    ex.Lambda: ("params", "body"),
    ex.Launch: (
        *("kernel", "grid", "block", "shared_bytes", "stream", "args", "packed_args", "config"),
    ),
    ex.Assembly: ("outputs", "inputs"),
    ex.Expansion: ("pattern",),
    ex.Fold: ("left", "right"),
    ex.Unknown: ("parts",),
    st.Variable: ("init", "ctor_args"),
    st.Block: ("body",),
    st.Declare: ("variables",),
    st.Evaluate: ("expression",),
    st.If: ("init", "condition", "then", "otherwise"),
    st.For: ("init", "condition", "step", "body"),
    st.ForRange: ("variable", "range", "body"),
    st.While: ("condition", "body"),
    st.Case: ("value", "body"),
    st.Switch: ("value", "cases"),
    st.Return: ("value",),
    st.Label: ("body",),
    st.Opaque: ("parts",),
    st.Directed: ("body",),
    st.Offload: ("args", "teams", "thread_limit", "threads", "trips"),
}

Node = ex.Expression | st.Statement | st.Variable | st.Case


def walk(root: Node | None) -> Iterator[Node]:
    """The node and all below it, in no particular order."""
    stack: list[Node] = [] if root is None else [root]
    children = _CHILDREN
    while stack:
        node = stack.pop()
        yield node
        names = children.get(type(node))
        if names is not None:
            for name in names:
                child = getattr(node, name)
                if child is None:
                    continue
                if type(child) is tuple:
                    stack.extend(child)
                else:
                    stack.append(child)


def parts_of(node: Node) -> list[Node]:
    """The nodes directly below one, in the source's order."""
    found: list[Node] = []
    for name in _CHILDREN.get(type(node), ()):
        child = getattr(node, name)
        if type(child) is tuple:
            found += child
        elif child is not None:
            found.append(child)
    return found
