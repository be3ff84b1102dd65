"""Answers kept for questions alike: when they are, and when they must be worked out again."""

from __future__ import annotations

from roofline_analysis.language.kept_answers import AnswersByScope, is_plain
from roofline_analysis.language.scope import NO_NAMES, Binding, Scope
from roofline_core.program.expressions import Name
from roofline_core.program.types import Type

INT, FLOAT = Type("int"), Type("float")


class Asked:
    """Answers, and how often they were worked out."""

    def __init__(self) -> None:
        self.answers: AnswersByScope[str] = AnswersByScope()
        self.times = 0

    def of(self, scope: Scope, *, variable: bool = False) -> str:
        def work_out(inside: Scope) -> str:
            self.times += 1
            if variable and inside.number_of is not None:
                return str(inside.number_of(Name(1, "n")))
            return str(inside.bindings.get("T"))

        return self.answers.answer(work_out, ("size",), scope)


def test_scopes_whose_names_stand_for_the_same_have_one_answer() -> None:
    asked = Asked()
    assert asked.of(Scope({"T": INT})) == asked.of(Scope({"T": Type("int")})) == str(INT)
    assert asked.times == 1
    assert asked.of(Scope({"T": FLOAT})) == str(FLOAT)
    assert asked.of(NO_NAMES) == "None"
    assert asked.of(Scope({"T": INT}, owner=Type("S"))) == str(INT)
    assert asked.times == 4


def test_an_answer_that_a_variable_decides_is_not_kept() -> None:
    asked = Asked()
    values = iter((1, 2, 3))
    scope = Scope(number_of=lambda _: next(values))
    assert [asked.of(scope, variable=True) for _ in range(2)] == ["1", "2"]
    assert asked.of(scope) == "None"
    assert asked.of(scope) == "None"
    assert asked.times == 3
    assert asked.of(scope, variable=True) == "None"  # It is the same question.


def test_equal_values_that_do_not_mean_the_same_keep_nothing() -> None:
    aligned = Type("int", align=Name(1, "N"))
    assert aligned == INT
    values: tuple[Binding | None, ...] = (aligned, 1.0)
    assert [is_plain((value,)) for value in (*values, INT, 1, None)] == [
        False,
        False,
        True,
        True,
        True,
    ]
    asked = Asked()
    for bound in (aligned, aligned):
        asked.of(Scope({"T": bound}))
    assert asked.times == 2


def test_one_scope_keeps_the_answers_of_each_who_answers_apart() -> None:
    scope = Scope({"T": INT})
    first, second = Asked(), Asked()
    assert [first.of(scope), first.of(scope), second.of(scope)] == [str(INT)] * 3
    assert (first.times, second.times) == (1, 1)


def test_a_scope_without_names_holds_no_answers() -> None:
    """It lives as long as the process, and must not hold what a program was made of."""
    Asked().of(NO_NAMES)
    assert not NO_NAMES.answers
