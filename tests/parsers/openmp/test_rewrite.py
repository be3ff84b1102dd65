"""Walks that rebuild: what stays the same is the same object, and lambdas are looked into."""

from __future__ import annotations

from roofline_core.program.directives import Directive
from roofline_core.program.expressions import Binary, Call, Lambda, Literal, Name
from roofline_core.program.statements import Block, Declare, Directed, Evaluate, Statement, Variable
from roofline_core.program.types import Type
from roofline_parsers.openmp.rewrite import (
    Env,
    StatementRewriter,
    free_names,
    holds_lambda,
    substitute,
)


class Counter(StatementRewriter):
    def __init__(self, *, lambdas: bool) -> None:
        super().__init__(lambdas=lambdas)
        self.found = 0

    def directed(self, node: Directed, env: Env) -> Statement:
        self.found += 1
        return super().directed(node, env)


def directed(body: Statement | None = None) -> Directed:
    return Directed(1, Directive(1, ("parallel",), ()), body)


def evaluate(*names: str) -> Evaluate:
    made = Name(1, names[0])
    for name in names[1:]:
        made = Binary(1, "+", made, Name(1, name))  # type: ignore[assignment]
    return Evaluate(1, made)


WITH_LAMBDA = Block(
    1, (Evaluate(1, Call(1, Name(1, "f"), (Lambda(1, (), Block(1, (directed(),)), False),))),)
)


def test_what_does_not_change_is_the_same_object() -> None:
    body = Block(1, (evaluate("a", "b"), evaluate("c")))
    made = substitute(body, {"a": Literal(1, 5, "int")})
    assert made is not body
    assert made.body[1] is body.body[1]
    assert substitute(body, {"z": Literal(1, 5, "int")}) is body


def test_declared_names_are_not_free() -> None:
    declared = Declare(1, (Variable("a", Type("int"), 1, Name(1, "b")),))
    assert free_names(Block(1, (declared, evaluate("a", "c")))) == ("b", "int", "c")


def test_lambdas_in_expressions_are_told() -> None:
    assert holds_lambda(WITH_LAMBDA)
    assert not holds_lambda(Block(1, (evaluate("a", "b"), directed(evaluate("c")))))


def test_statements_are_walked_with_and_without_expressions() -> None:
    plain = Block(1, (directed(evaluate("a")), evaluate("b")))
    for lambdas in (False, True):
        counter = Counter(lambdas=lambdas)
        assert counter.rewrite(plain, {}) is plain
        assert counter.found == 1
    counter = Counter(lambdas=True)
    counter.rewrite(WITH_LAMBDA, {})
    assert counter.found == 1
