"""Accesses whose addresses data decides: how many sectors they touch, and what L2 holds of them.

An index that stands plainly in the address (a neighbour's number, a row's start, a coordinate) is
taken to lie near those of neighbouring threads, as in meshes, sparse matrices and pictures: what
is touched is touched about once. Taken to be random are places read by an index that a loop carries
from run to run (a search, a walk), places written one by one by an index from memory (a sort), and
indices that are masked or taken modulo (a hash).
"""

from __future__ import annotations

import math
from collections.abc import Container
from typing import Final

from roofline_analysis.regions.kernel_summary import Access
from roofline_analysis.traffic.addresses import DATA_SCOPES
from roofline_core.algebra.symbolic import Apply, Atom, Expr, Symbol

_KEEPING_ORDER: Final = frozenset(("min", "max", "select", "trunc", "floor", "ceil", "abs", "div"))
"""Operations after which neighbouring indices are neighbours still."""


def has_locality(access: Access, loaded: Container[Symbol]) -> bool:
    """Whether threads side by side find their data side by side.

    ``loaded`` are the numbers that come from global memory.
    """
    if _scatters(access.offset):
        return False
    symbols = [atom for atom in _plain_atoms(access.offset) if isinstance(atom, Symbol)]
    indices = [symbol for symbol in symbols if symbol.scope in DATA_SCOPES]
    if access.kind != "read":
        together = any(symbol.scope == "thread" for symbol in symbols)
        return together or not any(index in loaded for index in indices)
    return not indices or not all(map(_is_carried, indices))


def _is_carried(symbol: Symbol) -> bool:
    """Whether a loop carries it; the number that a loop leaves behind is a result."""
    return symbol.scope == "carried" and not symbol.name.startswith("result#")


def _plain_atoms(expr: Expr) -> list[Atom]:
    """The factors of an expression, those within operations that keep the order included."""
    found: list[Atom] = []
    for monomial in expr.terms:
        for atom in monomial:
            if isinstance(atom, Apply):
                if atom.op in _KEEPING_ORDER:
                    for argument in atom.args:
                        found += _plain_atoms(argument)
            else:
                found.append(atom)
    return found


def _scatters(expr: Expr) -> bool:
    """Whether data stands in an operation that tears neighbours apart."""
    for monomial in expr.terms:
        for atom in monomial:
            if not isinstance(atom, Apply):
                continue
            if atom.op not in _KEEPING_ORDER and _on_data(atom.args[0]):
                return True
            if any(map(_scatters, atom.args)):
                return True
    return False


def _on_data(expr: Expr) -> bool:
    return any(symbol.scope in DATA_SCOPES for symbol in expr.symbols())


def distinct_bytes(picked: float, size: float | None, guess: float) -> float:
    """Distinct bytes of ``picked`` bytes of sectors picked from an allocation of ``size`` bytes.

    Of unknown size, it is taken to be ``guess`` bytes.
    """
    whole = max(guess if size is None else size, 1.0)
    return whole * -math.expm1(-picked / whole)


def missed_bytes(picked: float, size: float | None, guess: float, l2_bytes: float) -> float:
    """Bytes fetched for random picks: those of which L2 does not hold the sector."""
    whole = max(guess if size is None else size, 1.0)
    return picked * max(0.0, 1.0 - l2_bytes / whole)
