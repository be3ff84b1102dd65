"""Answers of the type system kept for questions alike, as far as they rest on no variable."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Final, Generic, TypeVar, cast

from roofline_analysis.language.scope import Binding, Number, Scope
from roofline_core.program.expressions import Expression
from roofline_core.program.types import Type

_Answer = TypeVar("_Answer")
_NOT_ASKED: Final[Any] = object()


class AnswersByScope(Generic[_Answer]):
    """Answers that depend on a question and on the names in force, each worked out once.

    Scopes are alike if their names stand for the same. An answer for which a scope was asked for
    a variable's number is not kept.
    """

    def __init__(self) -> None:
        self._by_names: dict[Hashable, dict[Hashable, _Answer]] = {}
        """The answers for the names in force, by question."""
        self._of_no_names: dict[Hashable, _Answer] = {}

    def answer(
        self,
        work_out: Callable[[Scope], _Answer],
        question: tuple[Hashable, ...],
        scope: Scope,
        is_whole: Callable[[], bool] = lambda: True,
    ) -> _Answer:
        """The answer to a question, as ``work_out`` gives it for a scope like this one.

        Types in the question are told apart by all that comparing tells; a type that is aligned
        otherwise is equal, so let ``question`` have none, see ``is_plain``. The answer is kept if
        ``is_whole``, asked after it was worked out, says so.
        """
        if scope.bindings or scope.owner is not None or scope.struct is not None:
            answers = scope.answers.get(self, _NOT_ASKED)
            if answers is _NOT_ASKED:
                answers = scope.answers[self] = self._for_names(scope)
            if answers is None:
                return work_out(scope)
        else:
            answers = self._of_no_names
        known = answers.get(question, _NOT_ASKED)
        if known is not _NOT_ASKED:
            return cast("_Answer", known)
        number_of = scope.number_of
        if number_of is None:
            found = work_out(scope)
            if is_whole():
                answers[question] = found
            return found
        asked = False

        def number(node: Expression) -> Number | None:
            """Ask the scope for a number, and note that the answer rests on it."""
            nonlocal asked
            asked = True
            return number_of(node)

        found = work_out(Scope(scope.bindings, scope.owner, scope.struct, number))
        if not asked and is_whole():
            answers[question] = found
        return found

    def _for_names(self, scope: Scope) -> dict[Hashable, _Answer] | None:
        """The answers for the names of a scope; None where equal names may mean another thing."""
        if not is_plain(scope.bindings.values()):
            return None
        names = (scope.owner, scope.struct, tuple(scope.bindings.items()))
        return self._by_names.setdefault(names, {})


def is_plain(values: Iterable[Binding | None]) -> bool:
    """Whether values that are equal to these mean the same: no alignment, no ``1.0`` beside 1."""
    return all(
        value.align is None if isinstance(value, Type) else not isinstance(value, float)
        for value in values
        if value is not None
    )
