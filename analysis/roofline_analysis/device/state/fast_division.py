"""Division by multiplication: a host hands a kernel a divisor with the numbers that replace it.

``(__umulhi(n, d.multiplier) + n) >> d.shift`` is ``n / d.divisor``, for an object of three whole
numbers that the host computes of one (Granlund and Montgomery, "Division by invariant integers
using multiplication", PLDI 1994). It costs what is written; what it is, is a quotient.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, Value
from roofline_analysis.language.types import is_integer
from roofline_core.algebra.symbolic import ZERO, Expr, apply, from_atom

_MEMBERS = 3


def note_divider(interpreter: DeviceInterpreter, members: Mapping[str, DeviceValue]) -> None:
    """Remember a part of the arguments that may be a divisor with what replaces it."""
    numbers = [m.expr for m in members.values() if isinstance(m, Value) and is_integer(m.type)]
    known = [number for number in numbers if number is not None]
    if len(known) == len(members) == _MEMBERS:
        interpreter.divisions.members += [(number, known) for number in known]


def note_high_word(interpreter: DeviceInterpreter, word: Expr, args: Sequence[DeviceValue]) -> None:
    """Remember of which two numbers a symbol is the upper half of the product."""
    factors = [each.expr for each in args if isinstance(each, Value)]
    if interpreter.divisions.members and len(factors) == len(args) == 2:
        (symbol,) = word.symbols()
        interpreter.divisions.high_words[symbol] = factors


def fast_quotient(interpreter: DeviceInterpreter, shifted: Expr, by: Expr) -> Expr | None:
    """The quotient that a shifted number is; None for any other number."""
    known = interpreter.divisions.high_words
    words = shifted.symbols().intersection(known) if known else ()
    for symbol in sorted(words, key=lambda each: each.sort_key):
        for shift, members in interpreter.divisions.members:
            if shift == by:
                rest = shifted - from_atom(symbol)
                found = _quotient(known[symbol], rest, by, members)
                if found is not None:
                    return found
    return None


def _quotient(
    factors: Sequence[Expr | None], added: Expr, shift: Expr, members: Sequence[Expr]
) -> Expr | None:
    """What the upper word of a product, with what is added to it, becomes by the shift."""
    one, other = factors
    for number, multiplier in ((one, other), (other, one)):
        if number is None or multiplier not in members or multiplier == shift:
            continue
        if added in {number, ZERO}:
            (divisor,) = (each for each in members if each not in {multiplier, shift})
            return apply("div", number, divisor)
    return None
