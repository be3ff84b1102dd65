"""How far loaded numbers spread the addresses of an access: ``table[index % 10]`` has 10 places.

A number that picks an element of a declared array is one of its indices; a remainder is less than
its divisor, a masked number at most its mask, and a loaded byte one of 256.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roofline_analysis.regions.index_sources import IndexSources
from roofline_analysis.regions.kernel_summary import Access, Array
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbol_scopes import DATA_SCOPES
from roofline_core.algebra.symbolic import Apply, Atom, Expr, Symbol, from_atom

_BITS_OF_A_BYTE: Final = 8
_MOST_SHIFTED: Final = 64.0
"""Bits by which a number is shifted that leave nothing of it."""
_WIDEST_BYTES: Final = 2
"""The most bytes of a loaded number whose type alone bounds the addresses."""


class Spans:
    """The reach of data-dependent addresses in one launch."""

    def __init__(
        self,
        environment: Environment,
        sources: IndexSources,
        value_counts: Mapping[tuple[Array, Symbol], int],
    ) -> None:
        self._environment = environment
        self._sources = sources
        self._value_counts = value_counts

    def span_bytes(self, access: Access, extents: Mapping[Symbol, float]) -> float | None:
        """Bytes from the first to behind the last one that an access can touch; None if open.

        ``extents`` has the number of values of each thread index and loop counter.
        """
        try:
            return self._span_bytes(access, extents)
        except OverflowError:
            return None  # A number beyond all doubles bounds nothing.

    def _span_bytes(self, access: Access, extents: Mapping[Symbol, float]) -> float | None:
        moving = {
            atoms: factor
            for atoms, factor in access.offset.terms.items()
            if any(_moves(atom, extents) for atom in atoms)
        }
        reach = self._largest_of(Expr(moving), access.array, extents)
        return None if reach is None else access.size_bytes + reach

    def _largest(self, atom: Atom, array: Array, extents: Mapping[Symbol, float]) -> float | None:
        """The largest value of a factor of an address; None if nothing bounds it."""
        if not _moves(atom, extents):
            value = self._environment.evaluate(from_atom(atom))
            return abs(float(value)) if isinstance(value, (int, float)) else None
        if isinstance(atom, Apply):
            return self._of_operation(atom, array, extents)
        assert isinstance(atom, Symbol)
        values = extents[atom] if atom in extents else self._count(array, atom)
        return None if values is None else max(0.0, values - 1)

    def _of_operation(
        self, atom: Apply, array: Array, extents: Mapping[Symbol, float]
    ) -> float | None:
        if atom.op in ("and", "min"):
            bounds = map(self._bound, atom.args)
            return min((each for each in bounds if each is not None), default=None)
        bound = self._bound(atom.args[-1])
        if atom.op == "mod" and bound:
            return bound - 1
        if atom.op in ("div", "shr") and bound:
            whole = self._largest_of(atom.args[0], array, extents)
            divisor = bound if atom.op == "div" else 2.0 ** min(bound, _MOST_SHIFTED)
            return None if whole is None else whole // divisor
        return None

    def _bound(self, expr: Expr) -> float | None:
        """A number that is known and not negative: the mask ``~3`` bounds nothing."""
        value = self._environment.evaluate(expr)
        return float(value) if isinstance(value, (int, float)) and value >= 0 else None

    def _largest_of(
        self, expr: Expr, array: Array, extents: Mapping[Symbol, float]
    ) -> float | None:
        total = 0.0
        for monomial, factor in expr.terms.items():
            reach = abs(float(factor))
            for atom in monomial:
                most = self._largest(atom, array, extents)
                if most is None:
                    return None
                reach *= most
            total += reach
        return total

    def _count(self, array: Array, symbol: Symbol) -> float | None:
        found = self._value_counts.get((array, symbol))
        if found is not None:
            return float(found)
        load = self._sources.load_of(symbol)
        if load is None or load.size_bytes > _WIDEST_BYTES:
            return None
        return float(2 ** (_BITS_OF_A_BYTE * load.size_bytes))


def _moves(atom: Atom, extents: Mapping[Symbol, float]) -> bool:
    """Whether a factor differs between threads or trips."""
    symbols = from_atom(atom).symbols()
    return any(symbol in extents or symbol.scope in DATA_SCOPES for symbol in symbols)
