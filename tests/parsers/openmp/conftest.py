"""Fixtures that make kernels of OpenMP sources and spell them, so that tests compare text."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from roofline_core.program.directives import Clause, Section
from roofline_core.program.expressions import Expression
from roofline_core.program.statements import Block, Directed, Offload, Statement
from roofline_core.program.units import Dialect, Function, TranslationUnit
from roofline_parsers.cuda import parse_unit
from roofline_parsers.preprocess import PreprocessOptions, preprocess
from roofline_parsers.reading.extensions import EXTENSIONS
from tests.parsers.cuda.conftest import statement_text, text, variable_text

PATH = Path("/p/a.cpp")


def item_text(item: Expression) -> str:
    if isinstance(item, Section):
        bounds = ["" if part is None else text(part) for part in (item.first, item.length)]
        return f"{item_text(item.base)}[{':'.join(bounds)}]"
    return text(item)


def clause_text(clause: Clause) -> str:
    """``map(always tofrom: x[0:n])``; modifiers stand before a colon, separated by spaces."""
    if not clause.modifiers and not clause.items:
        return clause.name
    modifiers = " ".join(clause.modifiers) + ": " if clause.modifiers else ""
    return f"{clause.name}({modifiers}{', '.join(map(item_text, clause.items))})"


def offloads(node: object) -> list[Offload]:
    """The launches in a statement, however deep."""
    found: list[Offload] = []
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, Offload):
            found.append(current)
        elif isinstance(current, tuple):
            pending += reversed(current)
        elif is_dataclass(current):
            pending += [getattr(current, field.name) for field in fields(current)][::-1]
    return found


class Regions:
    """Reads OpenMP sources."""

    expression = staticmethod(text)
    statement = staticmethod(statement_text)
    clause = staticmethod(clause_text)

    def unit(self, source: str, **headers: str) -> TranslationUnit:
        """The unit of a source; ``headers`` are included files by name, without ``.h``."""
        files = {PATH.parent / f"{name}.h": body.encode() for name, body in headers.items()}
        options = PreprocessOptions(dialect=Dialect.OPENMP)
        return parse_unit(
            preprocess(PATH, source.encode(), options, files.get), extensions=EXTENSIONS
        )

    def kernels(self, source: str, **headers: str) -> list[Function]:
        return [f for f in self.unit(source, **headers).functions if f.is_kernel]

    def kernel(self, source: str) -> Function:
        (kernel,) = self.kernels(source)
        return kernel

    def code(self, source: str) -> list[str]:
        """The statements of the only kernel."""
        return self.lines(self.kernel(source).body)

    def lines(self, body: Statement | None) -> list[str]:
        """Statements, those of a block that is the only one without it."""
        while isinstance(body, Block) and len(body.body) == 1 and isinstance(body.body[0], Block):
            body = body.body[0]
        assert isinstance(body, Block)
        return [statement_text(item) for item in body.body]

    def inside(self, region: str, before: str = "") -> list[str]:
        """The kernel of a region in a function that has what most regions need."""
        return self.code(f"{before}\nvoid f(int n, int m, float *a, float *b) {{\n{region}\n}}")

    def offload(self, source: str) -> Offload:
        """The only launch of a source's functions."""
        (found,) = [
            launch
            for function in self.unit(source).functions
            if not function.is_kernel
            for launch in offloads(function.body)
        ]
        return found

    def params(self, kernel: Function) -> list[str]:
        return [variable_text(param) for param in kernel.params]

    def args(self, launch: Offload) -> list[str]:
        return [text(arg) for arg in launch.args]

    def device_form(self, body: str) -> list[str]:
        """What a kernel that calls a function does at its first statement."""
        unit = self.unit(f"void f(int n, float *a, float *b) {{\n{body}\n}}")
        function = unit.functions[0]
        assert function.body is not None
        directed = function.body.body[0]
        assert isinstance(directed, Directed)
        assert directed.device_form is not None
        form = directed.device_form()
        assert form is not None
        assert directed.device_form() is form
        return self.lines(form if isinstance(form, Block) else Block(0, (form,)))


@pytest.fixture(scope="session")
def regions() -> Regions:
    return Regions()
