"""Shapes of NumPy and PyOpenCL arrays, as far as the expressions that make them say."""

from __future__ import annotations

import ast
from typing import Final

from roofline_core.program.records import record

ITEM_BYTES: Final = {
    "float16": 2, "half": 2, "float32": 4, "single": 4, "float64": 8, "double": 8, "float": 8,
    "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "intc": 4,
    "int64": 8, "uint64": 8, "int": 8, "intp": 8, "complex64": 8, "complex128": 16, "bool": 1,
    "bool_": 1,
}  # fmt: skip
"""Bytes of NumPy's scalar types on 64-bit Linux."""
_SHAPED: Final = frozenset("zeros ones empty full random random_sample uniform normal".split())
_LIKE: Final = frozenset("zeros_like ones_like empty_like full_like copy array asarray".split())
_COUNTED: Final = frozenset(("arange", "linspace", "range", "fromiter"))
_SPREAD: Final = frozenset(("rand", "randn"))
_KEPT: Final = frozenset(("astype", "copy", "get", "with_queue"))


@record(frozen=True, slots=True)
class HostArray:
    """An array: its extents and the bytes of an element, None where they are not known."""

    shape: tuple[ast.expr, ...] | None
    item_bytes: int | None


def simple_name(node: ast.expr) -> str:
    """The last name of a dotted expression."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def array_of(node: ast.expr, known: dict[str, HostArray]) -> HostArray | None:
    """The array that an expression makes, given those of variables; None for anything else."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        return known.get(ast.unparse(node))
    if isinstance(node, ast.BinOp):
        return array_of(node.left, known) or array_of(node.right, known)
    if not isinstance(node, ast.Call):
        return None
    name = simple_name(node.func)
    if name in ITEM_BYTES and len(node.args) == 1:
        inner = array_of(node.args[0], known)
        return HostArray(inner.shape, ITEM_BYTES[name]) if inner is not None else None
    if isinstance(node.func, ast.Attribute):
        base = array_of(node.func.value, known)
        if base is not None and name in _KEPT:
            return HostArray(base.shape, _dtype(node) or base.item_bytes)
        if base is not None and name == "reshape":
            shape = _extents(node.args[0]) if len(node.args) == 1 else tuple(node.args)
            return HostArray(shape, base.item_bytes)
    return _made(name, node, known)


def _made(name: str, node: ast.Call, known: dict[str, HostArray]) -> HostArray | None:
    args, item = list(node.args), _dtype(node)
    if name in _SHAPED:
        # PyOpenCL's own arrays take the queue first; NumPy's samples their range.
        given = [arg for arg in args if not _is_queue(arg)]
        shape = _keyword(node, "shape") or _keyword(node, "size")
        position = 2 if name in ("uniform", "normal") else 0
        if shape is None and len(given) > position:
            shape = given[position]
        return HostArray(_extents(shape), item or 8) if shape is not None else None
    if name in _SPREAD and args:
        return HostArray(tuple(args), 8)
    if name in _COUNTED and args:
        whole = args[0] if len(args) == 1 else None
        if name == "linspace":
            whole = args[2] if len(args) > 2 else None
        return HostArray((whole,) if whole is not None else None, item or 8)
    if name == "randint":
        shape = _keyword(node, "size") or (args[2] if len(args) > 2 else None)
        return HostArray(_extents(shape), item or 8) if shape is not None else None
    if name in _LIKE or name == "to_device":
        for argument in reversed(args):
            inner = array_of(argument, known)
            if inner is not None:
                return HostArray(inner.shape, item or inner.item_bytes)
    return None


def _is_queue(node: ast.expr) -> bool:
    return "queue" in simple_name(node).lower()


def _keyword(node: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in node.keywords if keyword.arg == name), None)


def _dtype(node: ast.Call) -> int | None:
    for given in (*node.args, *(k.value for k in node.keywords if k.arg == "dtype")):
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            name = given.value
        else:
            name = simple_name(given)
        if name in ITEM_BYTES:
            return ITEM_BYTES[name]
    return None


def _extents(node: ast.expr | None) -> tuple[ast.expr, ...] | None:
    if isinstance(node, (ast.Tuple, ast.List)):
        return tuple(node.elts)
    return (node,) if node is not None else None
