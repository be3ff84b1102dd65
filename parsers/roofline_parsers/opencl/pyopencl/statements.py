"""Python statements as host statements of the kernel model."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.types import Type
from roofline_parsers.opencl.pyopencl.arrays import array_of, simple_name
from roofline_parsers.opencl.pyopencl.calls import Calls

_AUTO = Type("auto")
Definition = ast.FunctionDef | ast.AsyncFunctionDef


class Statements:
    """Translates the statements of one Python file, and gathers its functions and variables."""

    def __init__(self, tree: ast.Module, kernels: frozenset[str]) -> None:
        self.functions: list[tuple[str, Definition]] = []
        """Functions and methods by qualified name."""
        self.globals: set[str] = set()
        """Variables of the module, and attributes of objects as ``Class.name``."""
        self.expressions = Calls(kernels)
        self._locals: set[str] | None = None
        self._find_definitions(tree)
        for node in ast.walk(tree):
            # Definitions may stand behind the functions that use them.
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                for target, value in _pairs(node.targets[0], node.value):
                    self._learn_holder(target, value)

    def _find_definitions(self, tree: ast.Module) -> None:
        methods: dict[str, list[str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                for inner in node.body:
                    if isinstance(inner, Definition):
                        name = f"{node.name}.{inner.name}"
                        self.functions.append((name, inner))
                        methods.setdefault(inner.name, []).append(name)
        own = {id(node) for _, node in self.functions}
        for node in ast.walk(tree):
            if isinstance(node, Definition) and id(node) not in own:
                self.functions.append((self.expressions.function_name(node.name), node))
        self.expressions.functions = {name for name, _ in self.functions}
        one = {name: found[0] for name, found in methods.items() if len(found) == 1}
        self.expressions.methods = one

    def function_body(self, node: Definition, owner: str) -> st.Statement:
        """The body of a function; its variables are declared first, as Python needs none."""
        self.expressions.owner = owner
        declared: set[str] = set()
        self._locals = declared
        body = self.block(node.body)
        self._locals = None
        self.expressions.owner = ""
        declared -= {argument.arg for argument in node.args.args}
        line = node.lineno
        variables = tuple(st.Variable(name, _AUTO, line) for name in sorted(declared))
        return st.Block(line, (st.Declare(line, variables), *body.body))

    def block(self, body: Sequence[ast.stmt]) -> st.Block:
        """Statements in order; definitions are left out."""
        line = body[0].lineno if body else 1
        return st.Block(line, tuple(s for node in body for s in self._statement(node)))

    def _statement(self, node: ast.stmt) -> Iterator[st.Statement]:
        handler = _HANDLERS.get(type(node))
        return handler(self, node) if handler is not None else iter(())

    def _expression(self, node: ast.Expr) -> Iterator[st.Statement]:
        if not isinstance(node.value, ast.Constant):
            yield st.Evaluate(node.lineno, self.expressions.read(node.value))

    def _assignment(self, node: ast.Assign) -> Iterator[st.Statement]:
        for target in node.targets:
            yield from self._assign(target, node.value, node.lineno)

    def _annotated(self, node: ast.AnnAssign) -> Iterator[st.Statement]:
        if node.value is not None:
            yield from self._assign(node.target, node.value, node.lineno)

    def _while(self, node: ast.While) -> Iterator[st.Statement]:
        yield st.While(node.lineno, self.expressions.read(node.test), self.block(node.body))

    def _return(self, node: ast.Return) -> Iterator[st.Statement]:
        value = self.expressions.read(node.value) if node.value is not None else None
        yield st.Return(node.lineno, value)

    def _with(self, node: ast.With | ast.AsyncWith) -> Iterator[st.Statement]:
        yield from self.block(node.body).body

    def _try(self, node: ast.Try) -> Iterator[st.Statement]:
        """What happens where nothing goes wrong."""
        body = [part for part in node.body if not isinstance(part, ast.Raise)]
        yield from self.block([*body, *node.orelse, *node.finalbody]).body

    def _leave(self, node: ast.Break | ast.Continue | ast.Raise) -> Iterator[st.Statement]:
        if isinstance(node, ast.Raise):
            yield st.Opaque(node.lineno, "throw")
        else:
            yield (st.Break if isinstance(node, ast.Break) else st.Continue)(node.lineno)

    def _if(self, node: ast.If) -> Iterator[st.Statement]:
        line, test = node.lineno, node.test
        if isinstance(test, ast.Compare) and simple_name(test.left) == "__name__":
            yield from self.block(node.body).body
            return
        otherwise = self.block(node.orelse) if node.orelse else None
        yield st.If(line, self.expressions.read(test), self.block(node.body), otherwise)

    def _for(self, node: ast.For | ast.AsyncFor) -> Iterator[st.Statement]:
        line, count = node.lineno, node.iter
        body = self.block(node.body)
        target = node.target
        is_range = isinstance(count, ast.Call) and simple_name(count.func) in ("range", "xrange")
        if not (is_range and isinstance(count, ast.Call) and isinstance(target, ast.Name)):
            yield st.While(line, ex.Unknown(line, ast.unparse(count)[:80]), body)
            return
        self._declare(target.id)
        args = [self.expressions.read(argument) for argument in count.args]
        start = args[0] if len(args) > 1 else ex.Literal(line, 0, "long")
        stop = args[1] if len(args) > 1 else args[0]
        step = args[2] if len(args) > 2 else ex.Literal(line, 1, "long")
        down = isinstance(step, ex.Unary) and step.op == "-"
        name = ex.Name(line, target.id)
        yield st.For(
            line,
            st.Evaluate(line, ex.Assign(line, "=", name, start)),
            ex.Binary(line, ">" if down else "<", name, stop),
            ex.Assign(line, "+=", name, step),
            body,
        )

    def _update(self, node: ast.AugAssign) -> Iterator[st.Statement]:
        """``x += 1`` as ``x = x + 1``: the operators are Python's."""
        name = self.expressions.name_of(node.target)
        if name is None:
            return
        self._declare(name)
        operand: ast.expr = ast.Name(name, lineno=node.lineno)
        if isinstance(node.target, ast.Attribute):
            operand = node.target
        whole = ast.BinOp(operand, node.op, node.value, lineno=node.lineno)
        value = self.expressions.read(whole)
        target = ex.Name(node.lineno, name)
        yield st.Evaluate(node.lineno, ex.Assign(node.lineno, "=", target, value))

    def _assign(self, target: ast.expr, value: ast.expr, line: int) -> Iterator[st.Statement]:
        for one, given in _pairs(target, value):
            name = self.expressions.name_of(one)
            if name is None:
                continue
            self._declare(name)
            found = self.expressions.read(given)
            self._learn(name, given)
            yield st.Evaluate(line, ex.Assign(line, "=", ex.Name(line, name), found))
        if isinstance(target, (ast.Tuple, ast.List)) and not _pairs(target, value):
            for one in target.elts:
                name = self.expressions.name_of(one)
                if name is not None:
                    self._declare(name)
            yield st.Evaluate(line, self.expressions.read(value))

    def _declare(self, name: str) -> None:
        if self._locals is None or "." in name:
            self.globals.add(name)
        else:
            self._locals.add(name)

    def _learn(self, name: str, value: ast.expr) -> None:
        """What a variable's new value says of later uses: arrays, tuples."""
        known = self.expressions
        array = array_of(value, known.arrays)
        shown = name if "." not in name else "self." + name.partition(".")[2]
        if array is not None:
            known.arrays[shown] = array
        else:
            known.arrays.pop(shown, None)
        if isinstance(value, (ast.Tuple, ast.List)) or simple_name(value) == "shape":
            known.tuples.add(name)
        else:
            known.tuples.discard(name)

    def _learn_holder(self, target: ast.expr, value: ast.expr) -> None:
        """Note variables that hold a program or a kernel, wherever they are used."""
        known = self.expressions
        names = [known.name_of(target)]
        if isinstance(target, ast.Attribute):
            owners = {qualified.rpartition(".")[0] for qualified, _ in self.functions}
            names = [f"{owner}.{target.attr}" for owner in owners if owner]
        for name in names:
            if name is None:
                continue
            if isinstance(value, ast.Call):
                made = simple_name(value.func)
                if made in ("Program", "build"):
                    known.programs.add(name)
                elif made == "Kernel":
                    known.holders.add(name)
                elif f"{made}.__init__" in known.functions:
                    known.instances[name] = made
            elif isinstance(value, ast.Attribute):
                program = known.name_of(value.value)
                is_program = program in known.programs or isinstance(value.value, ast.Attribute)
                if value.attr in known.kernels or (program is not None and is_program):
                    known.holders.add(name)


_HANDLERS: Final[dict[type[ast.stmt], Callable[[Statements, Any], Iterator[st.Statement]]]] = {
    ast.Expr: Statements._expression,
    ast.Assign: Statements._assignment,
    ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._update,
    ast.If: Statements._if,
    ast.For: Statements._for,
    ast.AsyncFor: Statements._for,
    ast.While: Statements._while,
    ast.Return: Statements._return,
    ast.With: Statements._with,
    ast.AsyncWith: Statements._with,
    ast.Try: Statements._try,
    ast.Break: Statements._leave,
    ast.Continue: Statements._leave,
    ast.Raise: Statements._leave,
}


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Targets with their values; none where a tuple's parts cannot be told."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return [(target, value)]
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return []
