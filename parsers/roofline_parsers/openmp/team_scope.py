"""The sequential part of a team: what stands outside ``parallel``.

The compiler has all threads of a team execute it where it can: plain computations are repeated by
each thread, and only what changes memory is left to one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from roofline_core.program.directives import Directive
from roofline_core.program.expressions import (
    Assign,
    Call,
    Cast,
    Expression,
    Index,
    Member,
    Name,
    Unary,
    Update,
)
from roofline_core.program.records import record
from roofline_core.program.statements import (
    Block,
    Case,
    Declare,
    Directed,
    Evaluate,
    For,
    ForRange,
    If,
    Label,
    Statement,
    Switch,
    Variable,
    While,
)
from roofline_parsers.openmp.build import INT, assign, barrier, block, only, statements
from roofline_parsers.openmp.rewrite import Env, ExpressionSummary, Node, Rewriter, free_names

_PRIVATE: Final = frozenset(("private", "firstprivate", "lastprivate", "reduction", "linear"))
_HARMLESS: Final = frozenset(("__syncthreads", "printf", "assert"))


@record(frozen=True, slots=True)
class TeamNames:
    """The variables that the parallel parts of a region use."""

    used: frozenset[str] = frozenset()
    assigned: frozenset[str] = frozenset()
    """Those that are assigned, or whose address is taken."""
    changed: frozenset[str] = frozenset()
    """Those of which an element or a field is."""


class _Uses(Rewriter):
    """Collects what stands under ``parallel``."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.assigned: set[str] = set()
        self.changed: set[str] = set()

    def passes(self, summary: ExpressionSummary, env: Env) -> bool:
        """No directive stands in an expression without statements."""
        return True

    def directed(self, node: Directed, env: Env) -> Statement:
        """Note what a ``parallel`` construct uses and writes of the variables outside it."""
        if not is_parallel(node):
            return super().directed(node, env)
        body = node.body
        if body is not None:
            self.used.update(free_names(body))
            writes = _Writes()
            writes.rewrite(body, {})
            self.assigned |= writes.assigned - private_names(node.directive)
            self.changed |= writes.changed - private_names(node.directive)
        self.used |= private_names(node.directive)
        return node


def is_parallel(node: Directed) -> bool:
    """Whether the threads of a team share the work of a directive."""
    constructs = node.directive.constructs
    return "parallel" in constructs or "loop" in constructs


def team_names(body: Statement) -> TeamNames:
    """What the parallel parts of a region use and change."""
    uses = _Uses()
    uses.rewrite(body, {})
    return TeamNames(*map(frozenset, (uses.used, uses.assigned, uses.changed)))


def private_names(directive: Directive) -> set[str]:
    """The variables that each thread has for itself under a directive."""
    return {
        item.name
        for clause in directive.clauses
        if clause.name in _PRIVATE
        for item in clause.items
        if isinstance(item, Name)
    }


class _Writes(Rewriter):
    def __init__(self) -> None:
        self.assigned: set[str] = set()
        self.changed: set[str] = set()

    def passes(self, summary: ExpressionSummary, env: Env) -> bool:
        """Only what is written is of interest."""
        return not summary.writes

    def parts(self, node: Node, env: Env) -> Node:
        """Note the variable that the node assigns, changes a part of, or takes the address of."""
        target: Expression | None = None
        if isinstance(node, (Assign, Update)):
            target = node.target
        elif isinstance(node, Unary) and node.op == "&":
            target = node.operand
        name = root(target) if target is not None else None
        if name is not None and name not in env:
            (self.assigned if isinstance(target, Name) else self.changed).add(name)
        return super().parts(node, env)

    def directed(self, node: Directed, env: Env) -> Statement:
        """Look inside; variables private to the directive count as declared there."""
        line = node.line
        private = {name: Variable(name, INT, line) for name in private_names(node.directive)}
        return super().directed(node, env | private)


def root(target: Expression) -> str | None:
    """The variable that an assignment changes in place; None if it goes through an address."""
    while True:
        match target:
            case Name(name=name):
                return name
            case Member(base=base, arrow=False) | Index(base=base) | Cast(operand=base):
                target = base
            case _:
                return None


@record(frozen=True, slots=True)
class TeamScope:
    """Turns the sequential statements of a team into those of one of its threads."""

    names: TeamNames
    memory: frozenset[str]
    """Captured variables that live in memory."""
    lower: Callable[[Directed, Env], list[Statement]]
    """Lowers a statement under a directive."""
    keep: Callable[[Statement, Env], Statement]
    """Rewrites a statement that holds none."""

    def body(self, given: Iterable[Statement], env: Env) -> list[Statement]:
        """Statements in order; neighbours that change memory share one guard."""
        made: list[Statement] = []
        guarded: list[Statement] = []
        for node in given:
            if isinstance(node, Declare):
                declared, first = self._declare(node, env)
                self._flush(made, guarded)
                made.append(declared)
                guarded += first
            elif self._is_guarded(node, env):
                guarded += self._kept(node, env)
            else:
                self._flush(made, guarded)
                made += self._statement(node, env)
        self._flush(made, guarded)
        return made

    def _flush(self, made: list[Statement], guarded: list[Statement]) -> None:
        if guarded:
            line = guarded[0].line
            made += [only(line, 0, tuple(guarded)), barrier(line)]
            guarded.clear()

    def _kept(self, node: Statement, env: Env) -> list[Statement]:
        if isinstance(node, Directed):
            return self.lower(node, env)
        return [self.keep(node, env)]

    def _declare(self, node: Declare, env: Env) -> tuple[Declare, list[Statement]]:
        """Arrays that the team's threads use and scalars that they change lie in shared memory."""
        variables: list[Variable] = []
        first: list[Statement] = []
        for variable in node.variables:
            name = variable.name
            if self._is_shared(variable):
                qualifiers = (variable.qualifiers - {"static"}) | {"__shared__"}
                init = variable.init
                made = replace(variable, qualifiers=qualifiers, init=None)
                if init is not None and not variable.type.dims:
                    first.append(assign(variable.line, Name(variable.line, name), init))
            else:
                made = variable
            variables.append(made)
        declared = self.keep(Declare(node.line, tuple(variables)), env)
        assert isinstance(declared, Declare)
        return declared, first

    def _is_shared(self, variable: Variable) -> bool:
        name, type_ = variable.name, variable.type
        if type_.reference:
            return False
        if type_.dims:
            return name in self.names.used
        # What is changed through a pointer is not the pointer.
        in_place = not type_.pointers and type_.name != "auto"
        return name in self.names.assigned or (in_place and name in self.names.changed)

    def _is_guarded(self, node: Statement, env: Env) -> bool:
        if isinstance(node, Directed):
            return node.directive.constructs[0] == "atomic"
        return isinstance(node, Evaluate) and self._changes_memory(node.expression, env)

    def _changes_memory(self, node: Expression, env: Env) -> bool:
        if isinstance(node, (Assign, Update)):
            name = root(node.target)
            variable = env.get(name) if name is not None else None
            if name is None or name in self.memory:
                return True
            if variable is None or "__shared__" in variable.qualifiers:
                return True
            return variable.type.pointers > 0 and not isinstance(node.target, Name)
        if isinstance(node, Call):
            callee = node.callee
            if not isinstance(callee, Name):
                return True
            return callee.name not in _HARMLESS and not callee.name.startswith("omp_")
        return False

    def _statement(self, node: Statement, env: Env) -> list[Statement]:
        match node:
            case Directed():
                return self.lower(node, env)
            case Block():
                return [Block(node.line, tuple(self.body(node.body, dict(env))))]
            case If():
                return [self._if(node, dict(env))]
            case For() | While() | ForRange():
                return [self._loop(node, dict(env))]
            case Switch():
                env = dict(env)
                cases = tuple(
                    Case(case.value, tuple(self.body(case.body, env))) for case in node.cases
                )
                return [Switch(node.line, node.value, cases)]
            case Label() if node.body is not None:
                return [replace(node, body=self._nested(node.body, env))]
        return [self.keep(node, env)]

    def _nested(self, node: Statement, env: Env) -> Statement:
        return block(node.line, self.body(statements(node), dict(env)))

    def _if(self, node: If, env: Env) -> If:
        init = None if node.init is None else self.keep(node.init, env)
        then = self._nested(node.then, env)
        otherwise = None if node.otherwise is None else self._nested(node.otherwise, env)
        return replace(node, init=init, then=then, otherwise=otherwise)

    def _loop(self, node: For | While | ForRange, env: Env) -> Statement:
        if isinstance(node, For) and node.init is not None:
            node = replace(node, init=self.keep(node.init, env))
        elif isinstance(node, ForRange):
            env[node.variable.name] = node.variable
        return replace(node, body=self._nested(node.body, env))
