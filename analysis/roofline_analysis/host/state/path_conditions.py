"""Path conditions: what is true where the execution has come to, of numbers that are not known.

``if (n == 64) k<<<...>>>()`` launches for this n alone, and after ``if (n > 1024) return;`` n is at
most 1024. A launch is judged with numbers for which its conditions hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.values import Scalar, Value
from roofline_core.algebra.symbolic import Expr, Symbol, apply

_MOST: Final = 48
"""The most conditions that are kept of one launch, the innermost."""
_ROUNDS: Final = 3
"""How far conditions are related by what they have in common with others."""


@contextmanager
def under(interpreter: HostInterpreter, condition: Expr | None) -> Iterator[None]:
    """Execute what is within under a condition; None for one that says nothing of numbers."""
    conditions = interpreter.frame.path_conditions
    known = len(conditions)
    if condition is not None:
        conditions.append(condition)
    try:
        yield
    finally:
        del conditions[known:]


def hold(interpreter: HostInterpreter, condition: Expr | None) -> None:
    """Take a condition to be true up to the end of the innermost block."""
    if condition is not None:
        interpreter.frame.path_conditions.append(condition)


def condition_of(value: Value) -> Expr | None:
    """The truth of a value that is not decided; None where no number decides it."""
    return value.value if isinstance(value, Scalar) and value.value.constant is None else None


def opposite(condition: Expr | None) -> Expr | None:
    """The condition that holds where this one does not."""
    return apply("eq", condition) if condition is not None else None


def conditions_on(
    interpreter: HostInterpreter, symbols: Collection[Symbol]
) -> tuple[tuple[Expr, ...], frozenset[Symbol]]:
    """The path conditions of the place that have to do with symbols, and all symbols in them."""
    found = [each for frame in interpreter.frames for each in frame.path_conditions][-_MOST:]
    related = frozenset(symbols)
    kept: set[int] = set()
    for _ in range(_ROUNDS):
        more = {
            at
            for at, condition in enumerate(found)
            if at not in kept and not related.isdisjoint(condition.symbols())
        }
        if not more:
            break
        kept |= more
        related = related.union(*(found[at].symbols() for at in more))
    return tuple(dict.fromkeys(found[at] for at in sorted(kept))), related
