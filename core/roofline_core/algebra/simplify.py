"""What the non-polynomial operations of ``symbolic`` compute, and when they can be simplified."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from roofline_core.algebra.folding import FOLD, MAX_SHIFT
from roofline_core.algebra.operations import Number
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import (
    ONE,
    ZERO,
    Apply,
    Atom,
    Expr,
    Monomial,
    Symbol,
    apply,
    constant,
    from_atom,
    make_apply,
    stays_factored,
)


def simplified(op: str, args: tuple[Expr, ...]) -> Expr | None:
    """The expression that ``op`` over ``args`` equals, or None to keep it as it is."""
    values = [argument.constant for argument in args]
    numbers = [value for value in values if value is not None]
    if len(numbers) == len(values):
        fold: Callable[..., Number] = FOLD[op]
        try:
            return constant(fold(*numbers))
        except (ArithmeticError, ValueError):
            return None
    rule = _RULES.get(op)
    return rule(args, values) if rule else None


def is_nonnegative(expr: Expr) -> bool:
    """Whether the expression is surely at least 0, term by term (a sufficient test)."""
    for monomial, coefficient in expr.terms.items():
        if coefficient < 0:
            return False
        for atom in monomial:
            if isinstance(atom, Symbol):
                if not atom.nonnegative:
                    return False
            elif isinstance(atom, Apply):
                if atom.nonnegative is None:
                    # Remembered: an operand that is shared is met once, not on every path.
                    atom.nonnegative = _nonnegative_apply(atom)
                if not atom.nonnegative:
                    return False
    return True


def _nonnegative_apply(atom: Apply) -> bool:
    if atom.op in ("lt", "le", "eq", "ne", "land", "lor", "abs", "sqrt", "exp"):
        return True
    if atom.op == "mod":
        return is_nonnegative(atom.args[0])
    if atom.op == "max":
        return any(map(is_nonnegative, atom.args))
    if atom.op == "and":
        return any(map(is_nonnegative, atom.args))
    if atom.op == "select":
        return is_nonnegative(atom.args[1]) and is_nonnegative(atom.args[2])
    if atom.op in ("log", "log2", "sin", "cos"):
        return False
    return all(map(is_nonnegative, atom.args))


def _is_integral(expr: Expr) -> bool:
    return all(isinstance(coefficient, int) for coefficient in expr.terms.values())


def _split_multiple(expr: Expr, divisor: int) -> tuple[Expr, Expr]:
    """``(q, r)`` with ``expr == q * divisor + r``, q taking every term that divides evenly."""
    quotient, rest = {}, {}
    for monomial, coefficient in expr.terms.items():
        if coefficient % divisor == 0:
            quotient[monomial] = coefficient // divisor
        else:
            rest[monomial] = coefficient
    return Expr(quotient), Expr(rest)


def _div(args: tuple[Expr, ...], values: list[Number | None]) -> Expr | None:
    dividend, divisor = args
    value = values[1]
    if value == 1:
        return dividend
    if values[0] == 0:
        return ZERO
    if dividend == divisor:
        return ONE
    whole = _with_remainder(dividend, divisor)
    if whole is not None:
        return apply("div", whole, divisor)
    if not isinstance(value, int) or value <= 0 or not _is_integral(dividend):
        return None
    quotient, rest = _split_multiple(dividend, value)
    if not rest.terms:
        return quotient
    small = rest.constant
    if quotient.terms and small is not None and 0 <= small < value and is_nonnegative(quotient):
        return quotient
    return None


def _with_remainder(dividend: Expr, divisor: Expr) -> Expr | None:
    """The number of which a dividend is the multiple below: ``x - x % divisor``; else None."""
    for monomial, factor in dividend.terms.items():
        atom = monomial[0] if factor == -1 and len(monomial) == 1 else None
        if isinstance(atom, Apply) and atom.op == "mod" and atom.args[1] == divisor:
            rest = dividend + from_atom(atom)
            return rest if rest == atom.args[0] else None
    return None


def _mod(args: tuple[Expr, ...], values: list[Number | None]) -> Expr | None:
    dividend, divisor = args
    value = values[1]
    if value == 1 or values[0] == 0 or dividend == divisor:
        return ZERO
    if not isinstance(value, int) or value <= 0 or not _is_integral(dividend):
        return None
    quotient, rest = _split_multiple(dividend, value)
    if not rest.terms:
        return ZERO
    small = rest.constant
    if quotient.terms and small is not None and 0 <= small < value and is_nonnegative(quotient):
        return rest
    return None


def _mul(args: tuple[Expr, ...], values: list[Number | None]) -> Expr | None:
    """Multiplied out where that is small, else the factors in an order of their own."""
    left, right = args
    if not stays_factored(left, right) or values[0] is not None or values[1] is not None:
        return left * right
    return make_apply("mul", (right, left)) if _serials(right) < _serials(left) else None


def _serials(expr: Expr) -> list[tuple[int, ...]]:
    return sorted(tuple(atom.serial for atom in monomial) for monomial in expr.terms)


def _fdiv(args: tuple[Expr, ...], values: list[Number | None]) -> Expr | None:
    if values[1]:
        return args[0] * (1 / values[1])
    return ONE if args[0] == args[1] else None


def _shift_left(args: tuple[Expr, ...], values: list[Number | None]) -> Expr | None:
    shift = values[1]
    if isinstance(shift, int) and 0 <= shift <= MAX_SHIFT:
        return args[0] * (1 << shift)
    return ZERO if values[0] == 0 else None


def _shift_right(args: tuple[Expr, ...], values: list[Number | None]) -> Expr | None:
    shift = values[1]
    if shift == 0:
        return args[0]
    if isinstance(shift, int) and 0 < shift <= MAX_SHIFT and is_nonnegative(args[0]):
        return apply("div", args[0], 1 << shift)
    return ZERO if values[0] == 0 else None


def _and(args: tuple[Expr, ...], values: list[Number | None]) -> Expr | None:
    if args[0] == args[1]:
        return args[0]
    for i in (0, 1):
        mask = values[1 - i]
        if mask == 0:
            return ZERO
        if (
            isinstance(mask, int)
            and mask > 0
            and (mask & (mask + 1)) == 0
            and is_nonnegative(args[i])
        ):
            return apply("mod", args[i], mask + 1)
    return None


def _or_xor(args: tuple[Expr, ...], values: list[Number | None]) -> Expr | None:
    if values[0] == 0:
        return args[1]
    if values[1] == 0:
        return args[0]
    return None


def _min_max(args: tuple[Expr, ...], values: list[Number | None]) -> Expr | None:
    return args[0] if args[0] == args[1] else None


def _compare(args: tuple[Expr, ...], values: list[Number | None], op: str) -> Expr | None:
    difference = args[0]
    if len(difference.terms) <= 2:
        decided = _of_truth(op, difference)
        if decided is None:
            decided = _COMPARED.compared(op, difference)
        if decided is not None:
            return decided
    if op == "lt" and is_nonnegative(difference):
        return ZERO
    if op == "le" and difference.offset > 0 and is_nonnegative(difference):
        return ZERO
    if op == "le" and is_nonnegative(-difference):
        return ONE
    if op == "lt" and difference.offset < 0 and is_nonnegative(-difference):
        return ONE
    return None


def _logical(args: tuple[Expr, ...], values: list[Number | None], absorbing: int) -> Expr | None:
    for i in (0, 1):
        value = values[i]
        if value is not None:
            truth = int(bool(value))
            if truth == absorbing:
                return constant(absorbing)
            other = args[1 - i]
            return other if _is_truth(other) else None
    return args[0] if args[0] == args[1] and _is_truth(args[0]) else None


def _is_truth(expr: Expr) -> bool:
    if len(expr.terms) != 1:
        return False
    (monomial, coefficient), *_ = expr.terms.items()
    return coefficient == 1 and _is_truth_value(monomial)


def _is_truth_value(monomial: Monomial) -> bool:
    if len(monomial) != 1:
        return False
    atom = monomial[0]
    return isinstance(atom, Apply) and atom.op in _OF_TRUTHS


_OF_TRUTHS: Final = frozenset(("lt", "le", "eq", "ne", "land", "lor"))


def _select(args: tuple[Expr, ...], values: list[Number | None]) -> Expr | None:
    if values[0] is not None:
        return args[1] if values[0] else args[2]
    if values[1] == 1 and values[2] == 0 and _is_truth(args[0]):
        return args[0]
    if values[1] == 0 and values[2] == 1:
        return apply("eq", args[0])
    return args[1] if args[1] == args[2] else None


def _of_truth(op: str, difference: Expr) -> Expr | None:
    """A comparison of one truth value with a number, as that truth value or its opposite."""
    monomial: Monomial = ()
    for atoms in difference.terms:
        if atoms:
            if monomial or not _is_truth_value(atoms):
                return None
            monomial = atoms
    if not monomial:
        return None
    offset, factor, test = difference.offset, difference.terms[monomial], FOLD[op]
    held, failed = test(factor + offset), test(offset)
    if held == failed:
        return constant(held)
    return Expr({monomial: 1}) if held else _opposite(monomial[0])


class _ComparedChoices:
    """What comparisons of choices come to, for as long as one of them is being simplified.

    Choices among choices share their sides, and each would be met on every path. Nothing is kept
    for longer: symbols go when nobody uses them.
    """

    def __init__(self) -> None:
        self.known: dict[tuple[str, Expr], Expr | None] = {}
        self.depth = 0
        self.worked_out = 0
        """Comparisons that were not known."""

    def compared(self, op: str, difference: Expr) -> Expr | None:
        """As ``_of_choice``; None for what is no choice."""
        choice = _choice_in(difference)
        if choice is None:
            return None
        key = op, difference
        if key in self.known:
            return self.known[key]
        self.depth += 1
        self.worked_out += 1
        try:
            found = self.known[key] = _of_choice(op, difference, choice)
        finally:
            self.depth -= 1
            if not self.depth:
                self.known.clear()
        return found


_COMPARED: Final = _ComparedChoices()


def _choice_in(difference: Expr) -> Apply | None:
    """The ``select`` of which an expression is a multiple, but for a number; None if it is none."""
    monomial = next((atoms for atoms in difference.terms if atoms), ())
    if len(monomial) != 1 or len(difference.terms) != 1 + bool(difference.offset):
        return None
    (choice,) = monomial
    return choice if isinstance(choice, Apply) and choice.op == "select" else None


def _of_choice(op: str, difference: Expr, choice: Apply) -> Expr | None:
    """A comparison of one ``select`` with a number, if that decides it on one side at least."""
    factor, offset = difference.terms[(choice,)], difference.offset
    condition, then, other = choice.args
    then, other = (apply(op, factor * side + offset) for side in (then, other))
    chosen, passed_over = apply("ne", condition), apply("eq", condition)
    if then.constant is not None and other.constant is not None:
        return apply("select", chosen, then, other)
    if other.constant is not None:
        return apply("lor", passed_over, then) if other.constant else apply("land", chosen, then)
    if then.constant is not None:
        return apply("lor", chosen, other) if then.constant else apply("land", passed_over, other)
    return None


def _opposite(truth: Atom) -> Expr | None:
    """Where a comparison does not hold; None for other truth values."""
    assert isinstance(truth, Apply)
    opposite = {"lt": "le", "le": "lt", "eq": "ne", "ne": "eq"}.get(truth.op)
    if opposite is None:
        return None
    return apply(opposite, truth.args[0] if opposite in ("eq", "ne") else -truth.args[0])


def _rounding(args: tuple[Expr, ...], values: list[Number | None]) -> Expr | None:
    # Only integer coefficients over symbols that stand for integers are surely integral.
    integral = _is_integral(args[0]) and all(
        (isinstance(atom, Symbol) and atom.scope is not SymbolScope.REAL)
        or (isinstance(atom, Apply) and atom.op in _INTEGRAL)
        for atom in args[0].atoms()
    )
    return args[0] if integral else None


_INTEGRAL: Final = frozenset(
    "div mod shl shr and or xor lt le eq ne land lor trunc floor ceil".split()
)

_Rule = Callable[[tuple[Expr, ...], list[Number | None]], Expr | None]
_RULES: Final[Mapping[str, _Rule]] = {
    "div": _div,
    "mod": _mod,
    "fdiv": _fdiv,
    "mul": _mul,
    "shl": _shift_left,
    "shr": _shift_right,
    "and": _and,
    "or": _or_xor,
    "xor": _or_xor,
    "min": _min_max,
    "max": _min_max,
    "lt": lambda args, values: _compare(args, values, "lt"),
    "le": lambda args, values: _compare(args, values, "le"),
    "eq": lambda args, values: _compare(args, values, "eq"),
    "ne": lambda args, values: _compare(args, values, "ne"),
    "land": lambda args, values: _logical(args, values, 0),
    "lor": lambda args, values: _logical(args, values, 1),
    "select": _select,
    "trunc": _rounding,
    "floor": _rounding,
    "ceil": _rounding,
}
