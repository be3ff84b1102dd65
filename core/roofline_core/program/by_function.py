"""What is worked out of a function alone, once for all programs that share it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from roofline_core.program.units import Function

_Answer = TypeVar("_Answer")


def by_function(work: Callable[[Function], _Answer]) -> Callable[[Function], _Answer]:
    """Has ``work`` done once for each function, which keeps the answer as long as it lives.

    ``work`` looks at nothing but the function and what is in it, so that the function is all that
    the answer depends on. Nobody may change an answer.
    """

    @wraps(work)
    def answer(function: Function) -> _Answer:
        """What ``work`` gives for the function, worked out at the first call."""
        known = function.answers
        if work not in known:
            known[work] = work(function)
        return cast("_Answer", known[work])

    return answer
