"""Python expressions as host expressions of the kernel model; calls are in ``python_calls``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from roofline_core.program import expressions as ex
from roofline_core.program.types import Type
from roofline_parsers.opencl.pyopencl.arrays import HostArray, array_of, simple_name

_OPERATORS: Final[dict[type, str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "==", ast.IsNot: "!=",
}  # fmt: skip
_AXES: Final = "xyz"


class Expressions:
    """Translates the expressions of one Python file."""

    def __init__(self, kernels: frozenset[str]) -> None:
        self.kernels = kernels
        """Names of the kernels in the file's strings."""
        self.arrays: dict[str, HostArray] = {}
        self.programs: set[str] = set()
        """Variables that hold an OpenCL program."""
        self.holders: set[str] = set()
        """Variables that hold a kernel."""
        self.tuples: set[str] = set()
        """Variables that hold a tuple of at most three."""
        self.owner = ""
        """The class whose methods are being read."""
        self.functions: set[str] = set()
        """Functions and methods of the file, by qualified name."""
        self.instances: dict[str, str] = {}
        """The class of variables that one of the file's classes makes."""
        self.methods: dict[str, str] = {}
        """The qualified name of each method whose name only one class has."""

    @staticmethod
    def function_name(name: str) -> str:
        """The model's name of a function: the module itself is what ``main`` stands for there."""
        return "__main__.main" if name == "main" else name

    def name_of(self, node: ast.expr) -> str | None:
        """The variable of the model that a name or an attribute of ``self`` is."""
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "self" and self.owner:
                return f"{self.owner}.{node.attr}"
        return None

    def read(self, node: ast.expr | None) -> ex.Expression:
        """The expression; what has no like in the model is an unknown of its text."""
        if node is None:
            return ex.Name(0, "cl::NullRange")
        line = node.lineno
        found: ex.Expression | None = None
        if isinstance(node, ast.Constant):
            found = _constant(node)
        elif isinstance(node, ast.Name):
            found = ex.Name(line, node.id)
        elif isinstance(node, ast.Attribute):
            found = self._attribute(node)
        elif isinstance(node, ast.BinOp):
            found = self._binary(node)
        elif isinstance(node, (ast.Tuple, ast.List)) and 0 < len(node.elts) <= 3:
            items = tuple(self.read(item) for item in node.elts)
            found = ex.Call(line, ex.Name(line, "cl::NDRange"), items)
        elif isinstance(node, ast.Subscript):
            found = self._subscript(node)
        elif isinstance(node, ast.Call):
            found = self.call(node)
        else:
            found = self._logic(node)
        return found if found is not None else self._unknown(node)

    def _unknown(self, node: ast.expr) -> ex.Expression:
        parts = tuple(self.read(inner) for inner in _outermost_calls(node))
        return ex.Unknown(node.lineno, ast.unparse(node)[:80], parts)

    def _binary(self, node: ast.BinOp) -> ex.Expression | None:
        line = node.lineno
        left, right = self.read(node.left), self.read(node.right)
        op = _OPERATORS.get(type(node.op))
        if op is not None:
            return ex.Binary(line, op, left, right)
        if isinstance(node.op, ast.Div):
            return ex.Binary(line, "/", ex.Cast(line, Type("double"), left), right)
        if isinstance(node.op, ast.Pow):
            if isinstance(node.left, ast.Constant) and node.left.value == 2:
                return ex.Binary(line, "<<", ex.Literal(line, 1, "long"), right)
            power = ex.Call(line, ex.Name(line, "pow"), (left, right))
            return ex.Cast(line, Type("long"), power)
        return None

    def _logic(self, node: ast.expr) -> ex.Expression | None:
        line = node.lineno
        if isinstance(node, ast.UnaryOp):
            ops: dict[type, str] = {ast.USub: "-", ast.Not: "!", ast.UAdd: "+", ast.Invert: "~"}
            return ex.Unary(line, ops[type(node.op)], self.read(node.operand))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            op = _OPERATORS.get(type(node.ops[0]))
            left, right = self.read(node.left), self.read(node.comparators[0])
            return ex.Binary(line, op, left, right) if op is not None else None
        if isinstance(node, ast.BoolOp):
            op = "&&" if isinstance(node.op, ast.And) else "||"
            found = self.read(node.values[0])
            for value in node.values[1:]:
                found = ex.Binary(line, op, found, self.read(value))
            return found
        if isinstance(node, ast.IfExp):
            parts = (self.read(part) for part in (node.test, node.body, node.orelse))
            return ex.Conditional(line, *parts)
        return None

    def _attribute(self, node: ast.Attribute) -> ex.Expression | None:
        line, name = node.lineno, self.name_of(node)
        if name is not None:
            return ex.Name(line, name)
        array = array_of(node.value, self.arrays)
        if array is not None and node.attr in ("shape", "size", "nbytes"):
            return self.extent_of(array, node)
        if node.attr in ("data", "base_data"):
            return self.read(node.value)
        kernel = self.kernel_attribute(node)
        if kernel is not None:
            return kernel
        if node.attr == "argv":
            return ex.Name(line, "argv")
        return None

    def extent_of(self, array: HostArray, node: ast.Attribute) -> ex.Expression | None:
        """``shape``, ``size`` or ``nbytes`` of an array; None where its shape is not known."""
        line = node.lineno
        if array.shape is None:
            return None
        extents = tuple(self.read(extent) for extent in array.shape)
        if node.attr == "shape":
            return ex.Call(line, ex.Name(line, "cl::NDRange"), extents)
        if len(extents) == 1 and isinstance(extents[0], ex.Call):
            return None
        size: ex.Expression = ex.Literal(line, 1, "long")
        for extent in extents:
            size = ex.Binary(line, "*", size, extent)
        if node.attr == "size":
            return size
        if array.item_bytes is None:
            return None
        return ex.Binary(line, "*", size, ex.Literal(line, array.item_bytes, "long"))

    def _subscript(self, node: ast.Subscript) -> ex.Expression | None:
        line, base, index = node.lineno, node.value, node.slice
        number = index.value if isinstance(index, ast.Constant) else None
        is_range = self.name_of(base) in self.tuples
        if isinstance(base, ast.Attribute) and base.attr == "shape":
            array = array_of(base.value, self.arrays)
            if array is None or array.shape is None or not isinstance(number, int):
                return None
            inside = -len(array.shape) <= number < len(array.shape)
            return self.read(array.shape[number]) if inside else None
        if is_range and isinstance(number, int) and 0 <= number < 3:
            return ex.Member(line, self.read(base), _AXES[number])
        if simple_name(base) == "argv":
            return ex.Index(line, ex.Name(line, "argv"), self.read(index))
        return None

    def call(self, node: ast.Call) -> ex.Expression | None:
        """A call; the classes below say what is made of it."""
        return None

    def kernel_attribute(self, node: ast.Attribute) -> ex.Expression | None:
        """An attribute that is a kernel of a program."""
        return None


def _outermost_calls(node: ast.expr) -> Iterator[ast.Call]:
    """Calls below an expression that no other call is around; those in lambdas are none."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield child
        elif isinstance(child, ast.expr) and not isinstance(child, ast.Lambda):
            yield from _outermost_calls(child)


def _constant(node: ast.Constant) -> ex.Expression | None:
    value, line = node.value, node.lineno
    if value is None:
        return ex.Literal(line, None, "nullptr")
    if isinstance(value, bool):
        return ex.Literal(line, int(value), "bool")
    if isinstance(value, int):
        return ex.Literal(line, value, "long")
    if isinstance(value, float):
        return ex.Literal(line, value, "double")
    return ex.Literal(line, value, "string") if isinstance(value, str) else None
