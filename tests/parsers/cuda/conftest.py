"""Fixtures that read a piece of CUDA and spell the model back, so that tests compare text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from roofline_core.program import expressions as e
from roofline_core.program import statements as s
from roofline_core.program.types import Type
from roofline_core.program.units import Function, TranslationUnit
from roofline_parsers.cuda import parse_unit
from roofline_parsers.preprocess import PreprocessedFile
from roofline_parsers.reading.extensions import EXTENSIONS

PATH = Path("/p/test.cu")


def type_text(given: Type) -> str:
    words = [word for word, on in (("const", given.const), ("volatile", given.volatile)) if on]
    name = given.name
    if given.scope_args:
        name = f"{name}@{args_text(given.scope_args)}"
    if given.args:
        name += args_text(given.args)
    name += "*" * given.pointers + "&" * given.reference
    tail = "".join(f"[{'' if dim is None else text(dim)}]" for dim in given.dims)
    return " ".join([*words, name + tail, *(["restrict"] if given.restrict else [])])


def args_text(args: tuple[Type | e.Expression, ...]) -> str:
    return "<" + ", ".join(type_text(a) if isinstance(a, Type) else text(a) for a in args) + ">"


def listed(values: tuple[e.Expression, ...]) -> str:
    return ", ".join(map(text, values))


def literal_text(node: e.Literal) -> str:
    value = repr(node.value) if isinstance(node.value, str) else str(node.value)
    return value if node.type_name in ("int", "string") else f"{value}:{node.type_name}"


def text(node: e.Expression | None) -> str:
    """An expression with all its parentheses; types of literals follow a colon."""
    match node:
        case None:
            return "-"
        case e.Literal():
            return literal_text(node)
        case e.Name():
            scope = f"@{args_text(node.scope_args)}" if node.scope_args else ""
            args = "" if node.template_args is None else args_text(node.template_args)
            return node.name + scope + args
        case e.Unary():
            return f"({node.op}{text(node.operand)})"
        case e.Update():
            target = text(node.target)
            return f"{node.op}{target}" if node.prefix else f"{target}{node.op}"
        case e.Binary():
            return f"({text(node.left)} {node.op} {text(node.right)})"
        case e.Assign():
            return f"{text(node.target)} {node.op} {text(node.value)}"
        case e.Conditional():
            return f"({text(node.condition)} ? {text(node.then)} : {text(node.otherwise)})"
        case e.Call():
            return f"{text(node.callee)}({listed(node.args)})"
        case e.Index():
            return f"{text(node.base)}[{text(node.index)}]"
        case e.Member():
            args = "" if node.template_args is None else args_text(node.template_args)
            return f"{text(node.base)}{'->' if node.arrow else '.'}{node.name}{args}"
        case _:
            return rarer_text(node)


def rarer_text(node: e.Expression) -> str:
    match node:
        case e.Cast():
            mark = "!" if node.reinterpret else ""
            return f"({type_text(node.type)}){mark}{text(node.operand)}"
        case e.SizeOf():
            of = node.operand
            return f"sizeof({type_text(of) if isinstance(of, Type) else 'expr ' + text(of)})"
        case e.InitList():
            return "{" + listed(node.items) + "}"
        case e.Construct():
            return type_text(node.type) + "{" + listed(node.args) + "}"
        case e.New():
            count = "" if node.count is None else f" count {text(node.count)}"
            return f"new {type_text(node.type)}({listed(node.args)}){count}"
        case e.Lambda():
            params = ", ".join(map(variable_text, node.params))
            return f"[{'device' if node.device else ''}]({params}) {statement_text(node.body)}"
        case e.Launch():
            return launch_text(node)
        case e.Expansion():
            return f"{text(node.pattern)}..."
        case e.Fold():
            sides = [text(each) for each in (node.left, node.right) if each is not None]
            dots = [*sides, "..."] if node.right is None else [*sides[:-1], "...", sides[-1]]
            return "(" + f" {node.op} ".join(dots) + ")"
        case e.Unknown():
            parts = f" [{listed(node.parts)}]" if node.parts else ""
            return f"?{node.text}?{parts}"
    raise AssertionError(node)


def launch_text(node: e.Launch) -> str:
    config = ", ".join(map(text, (node.grid, node.block, node.shared_bytes, node.stream)))
    args = "-" if node.args is None else listed(node.args)
    packed = "" if node.packed_args is None else f" packed {text(node.packed_args)}"
    held = "" if node.config is None else f" config {text(node.config)}"
    return f"launch {text(node.kernel)} <<<{config}>>> ({args}){packed}{held}"


def variable_text(given: s.Variable) -> str:
    before = "".join(word + " " for word in sorted(given.qualifiers))
    init = "" if given.init is None else f" = {text(given.init)}"
    args = "" if given.ctor_args is None else f"({listed(given.ctor_args)})"
    return f"{before}{type_text(given.type)} {given.name}".rstrip() + args + init


def unroll_text(unroll: e.Expression | int | None) -> str:
    if unroll is None:
        return ""
    return f"@unroll({unroll if isinstance(unroll, int) else text(unroll)}) "


def statement_text(node: s.Statement | None) -> str:
    """A statement on one line."""
    match node:
        case None:
            return ""
        case s.Block():
            return "{" + "; ".join(map(statement_text, node.body)) + "}"
        case s.Declare():
            return ", ".join(map(variable_text, node.variables))
        case s.Evaluate():
            return text(node.expression)
        case s.If():
            init = "" if node.init is None else statement_text(node.init) + "; "
            other = "" if node.otherwise is None else f" else {statement_text(node.otherwise)}"
            return f"if ({init}{text(node.condition)}) {statement_text(node.then)}{other}"
        case s.Return():
            return "return" if node.value is None else f"return {text(node.value)}"
        case s.Break():
            return "break"
        case s.Continue():
            return "continue"
        case s.Goto():
            return f"goto {node.label}"
        case s.Label():
            return f"{node.label}: {statement_text(node.body)}"
        case s.Opaque():
            return text(e.Unknown(node.line, node.text, node.parts))
        case _:
            return loop_text(node)


def loop_text(node: s.Statement) -> str:
    match node:
        case s.For():
            init = statement_text(node.init)
            head = f"{init}; {text(node.condition)}; {text(node.step)}"
            return f"{unroll_text(node.unroll)}for ({head}) {statement_text(node.body)}"
        case s.ForRange():
            head = f"{variable_text(node.variable)} : {text(node.range)}"
            return f"for ({head}) {statement_text(node.body)}"
        case s.While():
            word = "do-while" if node.do_first else "while"
            head = f"{unroll_text(node.unroll)}{word} ({text(node.condition)})"
            return f"{head} {statement_text(node.body)}"
        case s.Switch():
            cases = "; ".join(
                f"case {'default' if case.value is None else text(case.value)}: "
                + "; ".join(map(statement_text, case.body))
                for case in node.cases
            )
            return f"switch ({text(node.value)}) [{cases}]"
        case s.Directed():
            body = "" if node.body is None else f" {statement_text(node.body)}"
            return f"@omp({' '.join(node.directive.constructs)}){body}"
    raise AssertionError(node)


def evaluated(function: Function, index: int = 0) -> Any:
    """The expression of one of a body's statements."""
    assert function.body is not None
    statement = function.body.body[index]
    assert isinstance(statement, s.Evaluate)
    return statement.expression


def argument_text(given: Type | e.Expression | None) -> str:
    return type_text(given) if isinstance(given, Type) else text(given)


class Reading:
    """Reads source text and spells what came of it."""

    type = staticmethod(type_text)
    expression = staticmethod(text)
    statement = staticmethod(statement_text)
    variable = staticmethod(variable_text)
    argument = staticmethod(argument_text)

    def unit(self, source: str | bytes) -> TranslationUnit:
        raw = source.encode() if isinstance(source, str) else source
        return parse_unit(PreprocessedFile(PATH, raw, raw), extensions=EXTENSIONS)

    def function(self, source: str, name: str | None = None) -> Function:
        """The function of that name, or the only one."""
        unit = self.unit(source)
        every = [*unit.functions, *(m for struct in unit.structs for m in struct.methods)]
        found = [f for f in every if name is None or f.qualified_name == name]
        assert len(found) == 1, [f.qualified_name for f in every]
        return found[0]

    def body(self, body: str, before: str = "") -> str:
        """The statements of a function's body, without its braces."""
        function = self.function(f"{before}\nvoid tested() {{\n{body}\n}}", "tested")
        spelled = statement_text(function.body)
        return spelled[1:-1]


@pytest.fixture(scope="session")
def reading() -> Reading:
    return Reading()
