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
from roofline_lsp.kernel.symbolic import (
    ZERO,
    Apply,
    Atom,
    Expr,
    Symbol,
    apply,
    constant,
    from_atom,
)

_DATA_SCOPES: Final = frozenset(("data", "carried", "unknown", "name"))


@dataclass(frozen=True, slots=True)
class Addresses:
    """What is known of an access's addresses."""

    box: Box | None
    """None where the addresses are neither affine nor digits of a linear index."""
    random: bool
    """They depend on loaded data in more than a small displacement."""
    finest_stride: float | None = None
    """Of random addresses: the smallest stride in bytes between neighbours, where there is one."""


class AddressReader:
    """Reads offsets as boxes. One reader serves one launch, and remembers rewritten offsets."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._rewritten: dict[Expr, Expr] = {}

    def read(self, offset: Expr, size_bytes: int, extents: Mapping[Symbol, float]) -> Addresses:
        """The addresses of an access whose indices take ``extents`` values each."""
        if offset not in self._rewritten:
            self._rewritten[offset] = without_remainders(self._typical(offset, extents))
        expr = self._rewritten[offset]
        displaced = any(symbol.scope in _DATA_SCOPES for symbol in expr.symbols())
        if displaced:
            expr = _without_data(expr)
        dimensions: list[Dimension] = []
        rest = expr
        for symbol in sorted(expr.symbols(), key=lambda s: s.serial):
            extent = extents.get(symbol)
            if extent is None:
                continue
            coefficient = _plain_coefficient(expr, symbol)
            if coefficient is None:
                return Addresses(None, random=displaced)
            rest = rest - coefficient * from_atom(symbol)
            stride = self._environment.evaluate(coefficient)
            if stride is None:
                return Addresses(None, random=displaced)
            if stride and extent > 1:
                dimensions.append(Dimension(float(stride), float(extent)))
        base = self._digits(rest, extents, dimensions)
        if base is None:
            return Addresses(None, random=displaced)
        start = self._environment.evaluate(base)
        box = Box(float(start or 0.0), tuple(dimensions), size_bytes)
        if displaced and not self._covers_threads(expr, extents):
            finest = min((abs(d.stride) for d in dimensions), default=None)
            return Addresses(None, random=True, finest_stride=finest)
        return Addresses(box, random=False)

    def _covers_threads(self, expr: Expr, extents: Mapping[Symbol, float]) -> bool:
        """Whether each thread has its own place, which data moves a little: a neighbourhood.

        Where only some of the thread indices stand in the address (a lane's index in a row that
        data chooses), the data decides what is touched.
        """
        symbols = expr.symbols()
        return all(
            symbol in symbols
            for symbol, extent in extents.items()
            if symbol.scope == "thread" and extent > 1
        )

    def _typical(self, expr: Expr, extents: Mapping[Symbol, float]) -> Expr:
        """The expression as most threads compute it: clamps and choices at borders decided."""
        result = ZERO
        for monomial, number in expr.terms.items():
            product = constant(number)
            for atom in monomial:
                product = product * self._typical_atom(atom, extents)
            result = result + product
        return result

    def _typical_atom(self, atom: Atom, extents: Mapping[Symbol, float]) -> Expr:
        if not isinstance(atom, Apply):
            return from_atom(atom)
        if atom.op == "select":
            chosen = atom.args[1 if self._mostly(atom.args[0], extents) else 2]
            return self._typical(chosen, extents)
        args = [self._typical(arg, extents) for arg in atom.args]
        if atom.op in ("min", "max"):
            moving = [arg for arg in args if any(s in extents for s in arg.symbols())]
            if len(moving) == 1:
                return moving[0]
        if atom.op == "abs":
            return args[0]
        return apply(atom.op, *args)

    def _mostly(self, condition: Expr, extents: Mapping[Symbol, float]) -> bool:
        """Whether the condition holds in the middle of every index's range."""
        values = dict(self._environment.values)
        values.update({symbol: int(extent // 2) for symbol, extent in extents.items()})
        found = Environment(values).evaluate(condition)
        return True if found is None else bool(found)

    def _digits(
        self, expr: Expr, extents: Mapping[Symbol, float], dimensions: list[Dimension]
    ) -> Expr | None:
        """Take quotients and remainders of indices out of ``expr``; None if others are left."""
        rest = expr
        for monomial in expr.terms:
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
                    if not stride:
                        continue
                    for step, count in self._clusters(atom, extents) or [(1.0, extent)]:
                        if count > 1:
                            dimensions.append(Dimension(float(stride) * step, count))
        return rest

    def _clusters(
        self, atom: Apply, extents: Mapping[Symbol, float]
    ) -> list[tuple[float, float]] | None:
        """The steps and counts of ``a / b`` where its values lie in clusters far apart.

        So they do in a loop whose threads go on by more than the resident threads cover. None
        where the values are one range.
        """
        if atom.op != "div":
            return None
        dividend, divisor = atom.args[0], self._environment.evaluate(atom.args[1])
        strides: list[tuple[float, float]] = []
        for symbol in dividend.symbols():
            if symbol not in extents:
                continue
            coefficient = dividend.coefficient(symbol)
            value = self._environment.evaluate(coefficient) if coefficient is not None else None
            if value is None:
                return None
            if value and extents[symbol] > 1:
                strides.append((abs(float(value)), extents[symbol]))
        if divisor is None or divisor <= 0 or len(strides) < 2:
            return None
        *inner, (far, count) = sorted(strides)
        covered = 1.0 + sum(stride * (extent - 1) for stride, extent in inner)
        if far < 2 * max(covered, float(divisor)):
            return None
        near = max(1.0, -(-covered // float(divisor)))
        return [(1.0, near), (far / float(divisor), count)]

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
                return self._nested_range(expr, extents)
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


def _without_data(expr: Expr) -> Expr:
    """The part of an address that does not depend on data: where the neighbourhood lies."""
    return Expr(
        {
            monomial: number
            for monomial, number in expr.terms.items()
            if not any(_mentions_data(atom) for atom in monomial)
        }
    )


def _mentions_data(atom: Atom) -> bool:
    symbols = atom.symbols if isinstance(atom, Apply) else (atom,)
    return any(isinstance(s, Symbol) and s.scope in _DATA_SCOPES for s in symbols)


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
    """The expression with ``a % b`` written ``a - b * (a / b)`` where no quotient is then left.

    ``i % w + w * (i / w)`` is seen to be ``i``; with another factor of ``i / w``, as in rows that
    are padded, quotient and remainder are digits.
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
            if not any(factor in candidate.atoms() for factor in quotient.atoms()):
                rewritten = candidate
    return rewritten
