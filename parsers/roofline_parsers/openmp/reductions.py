"""Reductions: a private accumulator for each thread, and what is done with it at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roofline_core.program.directives import Directive, Section
from roofline_core.program.expressions import Binary, Expression, Index, Literal, Name
from roofline_core.program.records import record
from roofline_core.program.statements import Evaluate, Statement, Variable
from roofline_core.program.types import Type
from roofline_parsers.openmp.build import (
    INT,
    address,
    assign,
    block,
    call,
    chosen,
    counted,
    literal,
    plus,
)

_CLAUSES: Final = ("reduction", "in_reduction")
_ASSIGNING: Final = {"+": "+=", "-": "+=", "*": "*=", "&": "&=", "|": "|=", "^": "^="}
_FLOATS: Final = frozenset(("float", "double", "long double"))
_LIMITS: Final[dict[str, int | float]] = {
    "float": 3.4028234663852886e38,
    "double": 1.7976931348623157e308,
    "long": 2**63 - 1,
    "long long": 2**63 - 1,
    "unsigned int": 2**32 - 1,
    "unsigned long": 2**64 - 1,
}


@record(frozen=True, slots=True)
class Reduction:
    """One variable or array section that a clause lists."""

    line: int
    op: str
    name: str
    """The variable in the source."""
    accumulator: str
    element: Type
    """What is accumulated: the variable's type, or that of the section's elements."""
    section: Section | None = None

    def declaration(self) -> tuple[Variable, list[Statement]]:
        """The accumulator, and what gives an array its first values."""
        line = self.line
        first = identity(self.op, self.element, line)
        if self.element.name == "auto":
            # Not declared in the function: a field or a global, whose type its value tells.
            first = Name(line, self.name)
        if self.section is None:
            return Variable(self.accumulator, self.element, line, first), []
        length = self.section.length
        type_ = Type(self.element.name, self.element.args, dims=(length, *self.element.dims))
        declared = Variable(self.accumulator, type_, line)
        if first is None or length is None:
            return declared, []
        run = Name(line, f"{self.accumulator}_i")
        store = assign(line, Index(line, Name(line, self.accumulator), run), first)
        return declared, [self._each(run, length, store)]

    def _each(self, run: Name, length: Expression, body: Statement) -> Statement:
        zero, one = literal(self.line, 0), literal(self.line, 1)
        return counted(self.line, (run.name, INT), (zero, length, one), body)

    def over_grid(self) -> Statement:
        """Joins what all threads of the grid have accumulated."""
        line, value = self.line, Name(self.line, self.accumulator)
        target = Name(line, self.name)
        if self.section is None:
            return Evaluate(line, call(line, "__kmpc_reduce", address(target), value))
        run = Name(line, f"{self.accumulator}_i")
        first = self.section.first
        place = Index(line, target, run if first is None else plus(first, run))
        joined = call(line, "__kmpc_reduce", address(place), Index(line, value, run))
        length = self.section.length or literal(line, 1)
        return self._each(run, length, Evaluate(line, joined))

    def over_team(self) -> list[Statement]:
        """Joins what the threads of a team have accumulated; all see the result."""
        line, value = self.line, Name(self.line, self.accumulator)
        target = Name(line, self.name)
        if self.section is None:
            return _joined(self.op, target, value, line)
        run = Name(line, f"{self.accumulator}_i")
        first = self.section.first
        place = Index(line, target, run if first is None else plus(first, run))
        joined = _joined(self.op, place, Index(line, value, run), line)
        length = self.section.length or literal(line, 1)
        return [self._each(run, length, block(line, joined))]


def read_reductions(directive: Directive, scope: Mapping[str, Variable]) -> list[Reduction]:
    """The reductions that a directive asks for."""
    found = []
    for clause in directive.clauses:
        if clause.name not in _CLAUSES:
            continue
        op = clause.modifiers[-1] if clause.modifiers else "+"
        for item in clause.items:
            section = item if isinstance(item, Section) else None
            if isinstance(item, Index):  # An element is a section of one.
                section = Section(item.line, item.base, item.index, literal(item.line, 1))
            base = section.base if section is not None else item
            if not isinstance(base, Name):
                continue
            variable = scope.get(base.name)
            type_ = Type("auto") if variable is None else variable.type
            if section is None and type_.dims:
                section = Section(item.line, item, None, type_.dims[0])
            if section is not None and (type_.pointers or type_.dims):
                type_ = type_.pointee()
            element = Type(type_.name, type_.args, type_.pointers, dims=type_.dims)
            private = f"{base.name}_private"
            found.append(Reduction(item.line, op, base.name, private, element, section))
    return found


def identity(op: str, type_: Type, line: int) -> Expression | None:
    """The value that changes nothing; None for an operator of the program's own."""
    name = type_.name if type_.name in _FLOATS else "int"
    if op in ("max", "min"):
        limit = _LIMITS.get(type_.name, 2**31 - 1)
        if op == "min":
            return Literal(line, limit, type_.name if type_.name in _LIMITS else "int")
        lowest = 0 if type_.name.startswith("unsigned") else -limit
        return Literal(line, lowest, type_.name if type_.name in _LIMITS else "int")
    value = {"*": 1, "&&": 1, "&": -1}.get(op, 0 if op in "+-|^" or op == "||" else None)
    if value is None:
        return None
    return Literal(line, float(value) if name != "int" else value, name)


def _joined(op: str, target: Expression, value: Expression, line: int) -> list[Statement]:
    """``target`` joined with what the team has accumulated in ``value``."""
    result = call(line, "__kmpc_reduce_block", value)
    if op in _ASSIGNING:
        return [assign(line, target, result, _ASSIGNING[op])]
    if op in ("&&", "||"):
        return [assign(line, target, Binary(line, op, target, result))]
    kept = assign(line, value, result)
    if op in ("max", "min"):
        picked = chosen(line, ">" if op == "max" else "<", target, value)
        return [kept, assign(line, target, picked)]
    return [kept, assign(line, target, value)]
