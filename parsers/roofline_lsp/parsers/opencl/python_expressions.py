"""Python expressions as host expressions of the kernel model, PyOpenCL's calls as OpenCL's."""

from __future__ import annotations

import ast
from typing import Final

from roofline_lsp.kernel import expressions as ex
from roofline_lsp.kernel.types import Type
from roofline_lsp.parsers.opencl.python_arrays import Array, array_of, simple_name

_OPERATORS: Final[dict[type, str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "==", ast.IsNot: "!=",
}  # fmt: skip
_NUMBERS: Final = {
    "int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short",
    "int32": "int", "uint32": "unsigned int", "int64": "long", "uint64": "unsigned long",
    "float32": "float", "float64": "double", "float": "double", "intc": "int",
}  # fmt: skip
"""Functions that give a number of a type."""
_MATH: Final = frozenset(("ceil", "floor", "sqrt", "log2", "log", "exp", "min", "max", "abs"))
_AXES: Final = "xyz"
_NOT_KERNELS: Final = frozenset(("build", "compile", "get_info", "all_kernels", "get_build_info"))


class Expressions:
    """Translates the expressions of one Python file."""

    def __init__(self, kernels: frozenset[str]) -> None:
        self.kernels = kernels
        """Names of the kernels in the file's strings."""
        self.arrays: dict[str, Array] = {}
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
            found = self._call(node)
        else:
            found = self._logic(node)
        return found if found is not None else self._unknown(node)

    def _unknown(self, node: ast.expr) -> ex.Expression:
        parts = tuple(
            self.read(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.Call)
        )
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
            return self._extent(array, node)
        if node.attr in ("data", "base_data"):
            return self.read(node.value)
        if self._is_kernel(node):
            return self._kernel(node.value, node.attr, line)
        if node.attr == "argv":
            return ex.Name(line, "argv")
        return None

    def _extent(self, array: Array, node: ast.Attribute) -> ex.Expression | None:
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

    # ---- Calls

    def _call(self, node: ast.Call) -> ex.Expression | None:
        line, name = node.lineno, simple_name(node.func)
        args = node.args
        if name in _NUMBERS and len(args) == 1:
            return ex.Cast(line, Type(_NUMBERS[name]), self._number(args[0]))
        if name == "int" and args:
            return ex.Cast(line, Type("long"), self._number(args[0]))
        if name in _MATH and args:
            given = tuple(self.read(argument) for argument in args)
            return ex.Call(line, ex.Name(line, name), given)
        if name == "len" and len(args) == 1:
            return self._length(args[0], line)
        if name in ("exit", "_exit", "quit"):
            return ex.Call(line, ex.Name(line, "exit"), (ex.Literal(line, 0, "int"),))
        found = self._opencl(node, name)
        return found if found is not None else self._other_call(node, name)

    def _number(self, node: ast.expr) -> ex.Expression:
        found = self.read(node)
        if isinstance(found, ex.Index):
            return ex.Call(node.lineno, ex.Name(node.lineno, "atof"), (found,))
        return found

    def _length(self, node: ast.expr, line: int) -> ex.Expression | None:
        if simple_name(node) == "argv":
            return ex.Name(line, "argc")
        array = array_of(node, self.arrays)
        return self.read(array.shape[0]) if array is not None and array.shape else None

    def _other_call(self, node: ast.Call, name: str) -> ex.Expression | None:
        line = node.lineno
        args = tuple(self.read(argument) for argument in node.args)
        if isinstance(node.func, ast.Name):
            made = f"{name}.__init__"
            called = made if made in self.functions else self.function_name(name)
            return ex.Call(line, ex.Name(line, called), args)
        if isinstance(node.func, ast.Attribute) and name in self.methods:
            return ex.Call(line, ex.Name(line, self.methods[name]), args)
        return None

    def _opencl(self, node: ast.Call, name: str) -> ex.Expression | None:
        line, args = node.lineno, node.args
        function = node.func
        if name == "Program" and len(args) >= 2:
            return self._made("cl::Program", (self.read(args[1]),), line)
        if name == "build" and isinstance(function, ast.Attribute):
            return self.read(function.value)
        if name == "Kernel" and len(args) == 2:
            return self._made("cl::Kernel", (self.read(args[0]), self.read(args[1])), line)
        if name == "Buffer":
            return self._buffer(node)
        if name in ("create_some_context", "Context"):
            return self._made("cl::Context", (), line)
        if name == "CommandQueue":
            return self._made("cl::CommandQueue", (), line)
        if name == "LocalMemory" and args:
            return self._made("cl::Local", (self.read(args[0]),), line)
        if name in ("set_args", "set_arg") and isinstance(function, ast.Attribute):
            method = "setArgs" if name == "set_args" else "setArg"
            callee = ex.Member(line, self.read(function.value), method)
            return ex.Call(line, callee, tuple(self.read(argument) for argument in args))
        if name == "enqueue_nd_range_kernel" and len(args) >= 3:
            sizes = [args[2], args[3] if len(args) > 3 else None]
            callee = ex.Member(line, self.read(args[0]), "enqueueNDRangeKernel")
            ranges = tuple(self._range(size, line) for size in sizes)
            null = ex.Name(line, "cl::NullRange")
            return ex.Call(line, callee, (self.read(args[1]), null, *ranges))
        if name in ("to_device", "zeros", "empty", "ones", "zeros_like", "empty_like"):
            return self._array_buffer(node)
        return self._launch(node)

    def _made(self, name: str, args: tuple[ex.Expression, ...], line: int) -> ex.Expression:
        return ex.Call(line, ex.Name(line, name), args)

    def _buffer(self, node: ast.Call) -> ex.Expression:
        """``cl.Buffer(ctx, flags, size=0, hostbuf=None)``."""
        line = node.lineno
        given = dict(zip(("context", "flags", "size", "hostbuf"), node.args, strict=False))
        given.update({k.arg: k.value for k in node.keywords if k.arg is not None})
        size = given.get("size")
        if size is None or (isinstance(size, ast.Constant) and size.value == 0):
            host = given.get("hostbuf")
            size = ast.Attribute(host, "nbytes", lineno=line) if host is not None else None
        flags = ex.Literal(line, 1, "int")
        amount = self.read(size) if size is not None else ex.Unknown(line, "size")
        return self._made("cl::Buffer", (flags, amount), line)

    def _array_buffer(self, node: ast.Call) -> ex.Expression | None:
        """PyOpenCL's arrays stand for their buffers; NumPy's for nothing."""
        queue = node.args and "queue" in simple_name(node.args[0]).lower()
        array = array_of(node, self.arrays) if queue else None
        if array is None:
            return None
        line = node.lineno
        size = self._extent(array, ast.Attribute(node, "nbytes", lineno=line))
        flags = ex.Literal(line, 1, "int")
        return self._made("cl::Buffer", (flags, size or ex.Unknown(line, "size")), line)

    def _is_kernel(self, node: ast.Attribute) -> bool:
        if node.attr in _NOT_KERNELS:
            return False
        inner = node.value
        if isinstance(inner, ast.Call) and simple_name(inner.func) in ("build", "Program"):
            return True
        return node.attr in self.kernels or self.name_of(inner) in self.programs

    def _kernel(self, program: ast.expr, name: str, line: int) -> ex.Expression:
        text = ex.Literal(line, name, "string")
        return self._made("cl::Kernel", (self.read(program), text), line)

    def _launch(self, node: ast.Call) -> ex.Expression | None:
        """``kernel(queue, global_size, local_size, *args)``, the kernel by any name."""
        line, args = node.lineno, node.args
        function = node.func
        if len(args) < 2 or not ("queue" in simple_name(args[0]).lower() or len(args) > 2):
            return None
        if isinstance(function, ast.Attribute) and self._is_kernel(function):
            kernel = self._kernel(function.value, function.attr, line)
        else:
            name = self.name_of(function)
            if name is None or not (name in self.holders or self._seems_launch(name, args)):
                return None
            kernel = ex.Name(line, name)
        sizes = (args[1], args[2] if len(args) > 2 else None)
        null = ex.Name(line, "cl::NullRange")
        ranges = tuple(self._range(size, line) for size in sizes)
        given = (self.read(args[0]), null, *ranges)
        enqueued = self._made("cl::EnqueueArgs", given, line)
        rest = tuple(self.read(argument) for argument in args[3:])
        return ex.Call(line, kernel, (enqueued, *rest))

    def _seems_launch(self, name: str, args: list[ast.expr]) -> bool:
        """Whether a call of a variable starts as a kernel's does: a queue, then a tuple."""
        sized = isinstance(args[1], (ast.Tuple, ast.List)) or simple_name(args[1]) == "shape"
        return name not in self.functions and "queue" in simple_name(args[0]).lower() and sized

    def _range(self, node: ast.expr | None, line: int) -> ex.Expression:
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return ex.Name(line, "cl::NullRange")
        return self.read(node)


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
