"""Addresses of one access as a box of strides and extents, for a launch.

Thread indices and loop counters are dimensions where the address is affine in them. Quotients and
remainders of a linear index (``i % width``, ``i / width % height``) are digits of it, and become
dimensions of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from roofline_lsp.analysis.footprint import Box, Dimension
from roofline_lsp.analysis.numeric import Environment
from roofline_lsp.kernel.symbolic import Apply, Expr, Symbol, apply, from_atom

_DATA_SCOPES: Final = frozenset(("data", "carried", "unknown", "name"))


@dataclass(frozen=True, slots=True)
class Addresses:
    """What is known of an access's addresses."""

    box: Box | None
    """None where the addresses are neither affine nor digits of a linear index."""
    random: bool
    """They depend on loaded data."""


class AddressReader:
    """Reads offsets as boxes. One reader serves one launch, and remembers rewritten offsets."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._rewritten: dict[Expr, Expr] = {}

    def read(
        self, offset: Expr, size_bytes: int, extents: Mapping[Symbol, float]
    ) -> Addresses:
        """The addresses of an access whose indices take ``extents`` values each."""
        if any(symbol.scope in _DATA_SCOPES for symbol in offset.symbols()):
            return Addresses(None, random=True)
        expr = self._rewritten.get(offset)
        if expr is None:
            expr = self._rewritten[offset] = without_remainders(offset)
        dimensions: list[Dimension] = []
        rest = expr
        for symbol in sorted(expr.symbols(), key=lambda s: s.serial):
            extent = extents.get(symbol)
            if extent is None:
                continue
            coefficient = _plain_coefficient(expr, symbol)
            if coefficient is None:
                return Addresses(None, random=False)
            rest = rest - coefficient * from_atom(symbol)
            stride = self._environment.evaluate(coefficient)
            if stride is None:
                return Addresses(None, random=False)
            if stride and extent > 1:
                dimensions.append(Dimension(float(stride), float(extent)))
        rest = self._digits(rest, extents, dimensions)
        start = self._environment.evaluate(rest) if rest is not None else None
        if rest is None:
            return Addresses(None, random=False)
        return Addresses(Box(float(start or 0.0), tuple(dimensions), size_bytes), random=False)

    def _digits(
        self, expr: Expr, extents: Mapping[Symbol, float], dimensions: list[Dimension]
    ) -> Expr | None:
        """Take quotients and remainders of indices out of ``expr``; None if others are left."""
        rest = expr
        for monomial, _ in expr.terms.items():
            for atom in monomial:
                if isinstance(atom, Apply) and any(s in extents for s in atom.symbols):
                    coefficient = rest.coefficient(atom)
                    if coefficient is None:
                        return None
                    if not coefficient.terms:
                        continue
                    extent = self._digit_extent(atom, extents)
                    stride = self._environment.evaluate(coefficient)
                    if extent is None or stride is None:
                        return None
                    rest = rest - coefficient * from_atom(atom)
                    if stride and extent > 1:
                        dimensions.append(Dimension(float(stride), extent))
        return rest

    def _digit_extent(self, atom: Apply, extents: Mapping[Symbol, float]) -> float | None:
        """How many values ``a / b`` or ``a % b`` takes, for an index ``a``."""
        if atom.op in ("min", "max"):
            ranges = [self._range(arg, extents) for arg in atom.args]
            known = [r for r in ranges if r is not None and r > 1]
            return min(known, default=None)
        if atom.op not in ("div", "mod"):
            return None
        spread = self._range(atom.args[0], extents)
        divisor = self._environment.evaluate(atom.args[1])
        if spread is None or divisor is None or divisor <= 0:
            return None
        if atom.op == "mod":
            return float(min(spread, divisor))
        return float(max(1.0, -(-spread // float(divisor))))

    def _range(self, expr: Expr, extents: Mapping[Symbol, float]) -> float | None:
        """How many consecutive values an index takes."""
        total = 1.0
        for symbol in expr.symbols():
            extent = extents.get(symbol)
            if extent is None:
                continue
            coefficient = expr.coefficient(symbol)
            if coefficient is None:
                inner = self._nested_range(expr, extents)
                return inner
            stride = self._environment.evaluate(coefficient)
            if stride is None:
                return None
            total += abs(float(stride)) * (extent - 1)
        return total

    def _nested_range(self, expr: Expr, extents: Mapping[Symbol, float]) -> float | None:
        total = 1.0
        for monomial, number in expr.terms.items():
            spread: float = 1.0
            scale = abs(float(number))
            for atom in monomial:
                if isinstance(atom, Symbol):
                    if atom in extents:
                        spread *= extents[atom]
                    else:
                        value = self._environment.values.get(atom)
                        scale *= abs(float(value)) if value is not None else 1.0
                elif isinstance(atom, Apply):
                    inner = self._digit_extent(atom, extents)
                    if inner is None:
                        return None
                    spread *= inner
            total += scale * (spread - 1)
        return total


def _plain_coefficient(expr: Expr, symbol: Symbol) -> Expr | None:
    """The factor of ``symbol`` in the terms where it stands bare; None if it stands squared."""
    result: dict[tuple[object, ...], int | float] = {}
    for monomial, number in expr.terms.items():
        count = sum(1 for atom in monomial if atom is symbol)
        if count == 0:
            continue
        if count > 1:
            return None
        rest = tuple(atom for atom in monomial if atom is not symbol)
        if any(isinstance(atom, Apply) and symbol in atom.symbols for atom in rest):
            return None
        result[rest] = result.get(rest, 0) + number
    return Expr(result)  # type: ignore[arg-type]


def without_remainders(expr: Expr) -> Expr:
    """The expression with each ``a % b`` written ``a - b * (a / b)``, if that makes it shorter.

    ``i % w + w * (i / w)`` is then seen to be ``i``.
    """
    rewritten = expr
    for atom in set(expr.atoms()):
        if isinstance(atom, Apply) and atom.op == "mod":
            dividend, divisor = atom.args
            coefficient = rewritten.coefficient(atom)
            if coefficient is None:
                continue
            quotient = apply("div", dividend, divisor)
            candidate = (
                rewritten
                - coefficient * from_atom(atom)
                + coefficient * (dividend - divisor * quotient)
            )
            if _applies(candidate) < _applies(rewritten):
                rewritten = candidate
    return rewritten


def _applies(expr: Expr) -> int:
    return sum(isinstance(atom, Apply) for atom in expr.atoms())
