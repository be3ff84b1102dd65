"""Hosts in Python that launch OpenCL kernels with PyOpenCL.

The file becomes host code of the kernel model, with OpenCL's C++ bindings in the place of
PyOpenCL, so that it is executed as hosts in C++ are; the kernels in its strings are a unit of
OpenCL C. What is read: assignments, calls, ``if``, ``for`` over ``range``, functions and methods,
and shapes of arrays whose making says them.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Final

from roofline_core.program.statements import Block, Statement, Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Dialect, Function, Problem, Severity, Span, TranslationUnit
from roofline_parsers.opencl.canvas import Canvas
from roofline_parsers.opencl.embedded import unit_of, wanted_runs
from roofline_parsers.opencl.pyopencl.arrays import simple_name
from roofline_parsers.opencl.pyopencl.statements import Statements
from roofline_parsers.opencl.pyopencl.text import constants_of, runs_of
from roofline_parsers.preprocess import PreprocessedFile, PreprocessOptions, Reader

_GENERATED: Final = frozenset(("ElementwiseKernel", "ReductionKernel", "GenericScanKernel"))
_AUTO: Final = Type("auto")
_INT: Final = Type("int")
_HOST: Final = re.compile(rb"\bpyopencl\b")


def is_host(source: bytes) -> bool:
    """Whether a Python source uses PyOpenCL; cheap, and never wrongly False."""
    return b"pyopencl" in source and _HOST.search(source) is not None


def python_units(
    path: Path, source: bytes, options: PreprocessOptions, reader: Reader
) -> tuple[TranslationUnit, ...]:
    """A Python host as units of the kernel model: its code, and the kernels in its strings.

    A file that Python cannot read gives its kernels alone, and a problem.
    """
    text = source.decode("utf-8", "replace")
    problems: list[Problem] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Odd escapes and the like are the user's business.
            tree: ast.Module | None = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        # A parser of Python that runs out of its own stack says that memory is short.
        tree, line = None, getattr(error, "lineno", None)
        problems.append(Problem(Severity.ERROR, "this is not valid Python", path, line))
    canvas = Canvas(source.count(b"\n") + 1)
    runs = wanted_runs(runs_of(text, constants_of(tree) if tree is not None else {}))
    for run in runs:
        canvas.put_chars(run.chars)
    pre = PreprocessedFile(path, source, source, dialect=Dialect.OPENCL)
    kernels = unit_of(pre, canvas, options, reader) if runs else None
    if tree is not None:
        problems.extend(_limits(tree, path))
        host = _host_unit(tree, path, kernels, tuple(problems))
    else:
        host = TranslationUnit(path, problems=tuple(problems))
    return (host,) if kernels is None else (host, kernels)


def _limits(tree: ast.Module, path: Path) -> list[Problem]:
    return [
        Problem(
            Severity.WARNING,
            f"{simple_name(node.func)} makes its kernel when the program runs; it is not analysed",
            path,
            node.lineno,
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and simple_name(node.func) in _GENERATED
    ]


def _host_unit(
    tree: ast.Module, path: Path, kernels: TranslationUnit | None, problems: tuple[Problem, ...]
) -> TranslationUnit:
    names = frozenset(f.name for f in kernels.functions if f.is_kernel) if kernels else frozenset()
    reader = Statements(tree, names)
    functions = []
    body = reader.block(tree.body)
    arguments = (
        Variable("argc", _INT, 1),
        Variable("argv", Type("char", pointers=2), 1),
    )
    functions.append(_function("main", "main", path, tree, arguments, body))
    for qualified, node in reader.functions:
        params = tuple(
            Variable(argument.arg, _AUTO, argument.lineno)
            for argument in node.args.args
            if argument.arg != "self"
        )
        owner = qualified.rpartition(".")[0]
        block = reader.function_body(node, owner)
        functions.append(_function(qualified, node.name, path, node, params, block))
    unit = TranslationUnit(
        path,
        functions=tuple(functions),
        globals=tuple(Variable(name, _AUTO, 1) for name in sorted(reader.globals)),
        problems=problems,
    )
    return replace(unit)


def _function(
    name: str,
    simple: str,
    path: Path,
    node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef,
    params: tuple[Variable, ...],
    body: Statement,
) -> Function:
    line = getattr(node, "lineno", 1)
    last = getattr(node, "end_lineno", None) or line
    column = getattr(node, "col_offset", 0)
    span = Span(line, column, last, getattr(node, "end_col_offset", 0) or 0)
    block = body if isinstance(body, Block) else Block(line, (body,))
    return Function(
        name=name,
        qualified_name=name,
        path=path,
        span=span,
        name_span=Span(line, column, line, column + len(simple)),
        return_type=_AUTO,
        params=params,
        template_params=(),
        qualifiers=frozenset(),
        dialect=Dialect.OPENCL,
        read_body=lambda: block,
    )
