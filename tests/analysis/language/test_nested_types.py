"""Types within types: what they cost, and where they end."""

from __future__ import annotations

from roofline_analysis.language.scope import Scope, literal
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import MOST_PARTS, TypeSystem
from roofline_core.program.types import Type
from roofline_core.program.units import Program

ONE, OTHER = Type("float"), Type("int")


def conditional(first: Type) -> Type:
    return Type("std::conditional_t", (literal(1), first, OTHER))


def test_types_within_a_type_are_looked_at_once_each() -> None:
    types = TypeSystem(Symbols(Program(())))
    asked = ONE
    for _ in range(15):
        asked = conditional(asked)
    assert types.resolve(asked) == ONE
    assert types._steps < 200  # 2 to the 15th and more, if each level asks twice


def test_a_type_that_grows_with_each_call_has_an_end() -> None:
    """What nothing is known of stays as written; an argument of itself, it would double."""
    types = TypeSystem(Symbols(Program(())))
    pair = Type("Unseen", (Type("T"), Type("T")))
    grown = ONE
    largest = 0
    for _ in range(200):
        grown = types.resolve(pair, Scope({"T": grown}))
        largest = max(largest, grown.parts)
    assert MOST_PARTS / 4 < largest <= MOST_PARTS + 1
