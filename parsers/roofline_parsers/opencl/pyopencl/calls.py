"""Calls in Python: PyOpenCL's as those of OpenCL's C++ bindings, and those of its own functions."""

from __future__ import annotations

import ast
from typing import Final

from roofline_core.program import expressions as ex
from roofline_core.program.types import Type
from roofline_parsers.opencl.pyopencl.arrays import array_of, simple_name
from roofline_parsers.opencl.pyopencl.expressions import Expressions

_NUMBERS: Final = {
    "int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short",
    "int32": "int", "uint32": "unsigned int", "int64": "long", "uint64": "unsigned long",
    "float32": "float", "float64": "double", "float": "double", "intc": "int",
}  # fmt: skip
"""Functions that give a number of a type."""
_MATH: Final = frozenset(("ceil", "floor", "sqrt", "log2", "log", "exp", "min", "max", "abs"))
_NOT_KERNELS: Final = frozenset(("build", "compile", "get_info", "all_kernels", "get_build_info"))


class Calls(Expressions):
    """Translates expressions with the calls in them."""

    def kernel_attribute(self, node: ast.Attribute) -> ex.Expression | None:
        """``program.name`` as the making of a kernel."""
        if not self._is_kernel(node):
            return None
        return self._kernel(node.value, node.attr, node.lineno)

    def call(self, node: ast.Call) -> ex.Expression | None:
        """A call in terms of the model; None where it has no like there."""
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
            of_class = f"{self.instances.get(name, name)}.__call__"
            made = f"{name}.__init__"
            called = made if made in self.functions else self.function_name(name)
            if name in self.instances and of_class in self.functions:
                called = of_class
            return ex.Call(line, ex.Name(line, called), args)
        if isinstance(node.func, ast.Attribute):
            owner = self.instances.get(self.name_of(node.func.value) or "", "")
            method = f"{owner}.{name}"
            if method not in self.functions:
                method = self.methods.get(name, "")
            return ex.Call(line, ex.Name(line, method), args) if method else None
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
        names = ("context", "flags", "size", "hostbuf")
        given: dict[str, ast.expr] = {k.arg: k.value for k in node.keywords if k.arg is not None}
        given.update(zip(names, node.args, strict=False))
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
        size = self.extent_of(array, ast.Attribute(node, "nbytes", lineno=line))
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
