"""Arithmetic on constants that a condition chooses: ``(c ? 100 : 0) + (c ? 0 : 200)``.

Compilers compute both results and choose one of them.
"""

from __future__ import annotations

from roofline_analysis.language.arithmetic import fold
from roofline_core.algebra.symbolic import Apply, Expr, apply, constant

_Arms = tuple[Expr | None, int | float, int | float]
"""What chooses, None for a constant; what is chosen where it holds, and where it does not."""


def chosen_number(op: str, left: Expr | None, right: Expr | None, type_: str) -> Expr | None:
    """The result of an operation on numbers that one condition chooses; None for others."""
    first, second = _arms(left), _arms(right)
    if first is None or second is None:
        return None
    condition = first[0] if first[0] is not None else second[0]
    if condition is None or second[0] not in (None, condition):
        return None
    then, otherwise = fold(op, first[1], second[1], type_), fold(op, first[2], second[2], type_)
    if then is None or otherwise is None:
        return None
    return apply("select", condition, constant(then), constant(otherwise))


def _arms(expr: Expr | None) -> _Arms | None:
    if expr is None:
        return None
    known = expr.constant
    if known is not None:
        return None, known, known
    atoms = list(expr.atoms())
    if len(atoms) != 1 or expr.coefficient(atoms[0]) != constant(1) or expr.offset:
        return None
    atom = atoms[0]
    if not isinstance(atom, Apply) or atom.op != "select":
        return None
    then, otherwise = atom.args[1].constant, atom.args[2].constant
    return None if then is None or otherwise is None else (atom.args[0], then, otherwise)
