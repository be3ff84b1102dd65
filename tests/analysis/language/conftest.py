"""The two interpreters asked the same: what the host's and the device's say of an expression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from roofline_analysis.device.summary import new_interpreter
from roofline_analysis.device.values import Value
from roofline_analysis.host.options import HostOptions
from roofline_analysis.host.program import new_interpreter as new_host_interpreter
from roofline_analysis.host.values import Scalar
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_core.program.expressions import Expression, InitList
from roofline_core.program.units import Program
from roofline_parsers.reading.load import load_program

Answers = list[int | float | None]


@dataclass(frozen=True)
class Asked:
    """A program with a global ``questions[] = {...}``, and what is said of each of these."""

    program: Program
    expressions: tuple[Expression, ...]

    @property
    def types(self) -> TypeSystem:
        """The types of the program."""
        return TypeSystem(Symbols(self.program))

    def host(self) -> Answers:
        """What the host's interpreter says; None where it names an unknown."""
        interpreter = new_host_interpreter(self.program, HostOptions())
        interpreter.enter(None, {})
        values = [interpreter.eval(expression) for expression in self.expressions]
        return [v.value.constant if isinstance(v, Scalar) else None for v in values]

    def device(self) -> Answers:
        """What the device's interpreter says; None where it names an unknown."""
        found: Answers = []
        (kernel,) = [f for f in self.types.symbols.all_functions if f.is_kernel]
        for expression in self.expressions:
            interpreter = new_interpreter(kernel, self.types)
            value = interpreter.evaluate(expression)
            number = value.constant if isinstance(value, Value) else None
            found.append(number if not interpreter.unknown_sizes else None)
        return found


Ask = Callable[..., Asked]


@pytest.fixture
def ask() -> Ask:
    """Ask both interpreters: ``ask(declarations, expressions)``."""

    def asked(source: str, expressions: list[str]) -> Asked:
        listed = ",\n".join(expressions)
        text = f"{source}\nlong questions[] = {{{listed}}};\n__global__ void k(float *x) {{}}\n"
        path = Path("/src/asked.cu")
        program = load_program([path], {path: text.encode()}.get)
        (variable,) = [v for v in program.units[0].globals if v.name == "questions"]
        assert isinstance(variable.init, InitList)
        assert len(variable.init.items) == len(expressions)
        return Asked(program, variable.init.items)

    return asked
