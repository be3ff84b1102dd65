"""Symbolic numbers: polynomials over atoms, in a normal form that makes equality cheap.

An ``Expr`` is a sum of coefficient times monomial; a monomial is a product of atoms: ``Symbol``s
(launch dimensions, kernel arguments, loop counters, named unknowns) and ``Apply``s (operations that
are not polynomial, such as a C division) over further expressions. Atoms are interned, so equal
polynomials compare equal, and an unknown that stands in two places cancels in a ratio.

Integer division and remainder follow C: they truncate towards zero. Widths are not modelled.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from sys import getrefcount
from typing import Final

from roofline_core.algebra.operations import Number
from roofline_core.algebra.symbol_scopes import SymbolScope

Monomial = tuple["Atom", ...]
_Arithmetic = Callable[[Number, Number], Number]

MAX_PRODUCT_TERMS: Final = 64
"""A product that would have more terms stays factored, as one atom."""

MAX_DEGREE: Final = 32
"""A product with more factors in one term stays factored likewise: squares of squares double it."""

_MAX_SHOWN_DEPTH: Final = 6
"""Operations nested deeper are shown by number alone."""

_MAX_SIZE: Final = 1_000_000

_FEW_ATOMS: Final = 20_000
"""So many are kept, used or not: some 10 MB."""

_serial = itertools.count()


class _Interned:
    """The atoms in use, by what they are built from, and some that nothing uses any more.

    Those are let go whenever the table has doubled: the entries that nothing else refers to. Weak
    references would let each go at once, at several times the cost, and compiled objects have none.
    """

    __slots__ = ("_atoms", "_most")

    def __init__(self) -> None:
        self._atoms: dict[tuple[object, ...], Atom] = {}
        self._most = _FEW_ATOMS

    def get(self, key: tuple[object, ...]) -> Atom | None:
        """The atom under ``key``; None if there is none."""
        return self._atoms.get(key)

    def put(self, key: tuple[object, ...], atom: Atom) -> None:
        """Enter an atom."""
        self._atoms[key] = atom
        if len(self._atoms) > self._most:
            self.let_go()
            self._most = max(_FEW_ATOMS, 2 * len(self._atoms))

    def let_go(self) -> None:
        """Drop what nothing refers to, the newest first: operands are older than what has them."""
        atoms = self._atoms
        keys = list(atoms)
        while keys:
            key = keys.pop()
            if key in atoms and getrefcount(atoms[key]) <= _REFERENCES_OF_TABLE:
                atoms.pop(key, None)


def _references_of_table() -> int:
    """What ``getrefcount`` tells of an object that a dictionary alone refers to."""
    held: dict[tuple[object, ...], object] = {(): object()}
    found = 0
    for key in list(held):  # a loop, as in ``let_go``: compiled code drops what it has used last
        found = getrefcount(held[key])
    return found


_REFERENCES_OF_TABLE: Final = _references_of_table()
_interned = _Interned()


def forget_unused_atoms() -> None:
    """Let go of the symbols and operations that nothing refers to; what is made anew is new."""
    _interned.let_go()


class Atom:
    """A factor that the algebra does not look into."""

    __slots__ = ("serial",)
    serial: int
    """Counts the atoms made; it orders the factors of a product."""


_by_serial = operator.attrgetter("serial")


class Symbol(Atom):
    """A named quantity. Two symbols are the same if name, scope, sign and index are."""

    __slots__ = ("index", "name", "nonnegative", "scope")
    name: str
    scope: SymbolScope
    nonnegative: bool
    index: int
    """Tells apart quantities of one name; 0 where a name has one quantity."""

    @property
    def sort_key(self) -> tuple[str, str, str]:
        """Orders symbols by what they are, not by when they were made."""
        return self.scope.value, str(self.index), self.name

    def __repr__(self) -> str:
        return self.name


class Apply(Atom):
    """A named operation on expressions; see ``operations.OPERATIONS`` for names and meanings."""

    __slots__ = ("args", "depth", "nonnegative", "op", "size", "symbols", "written")
    op: str
    args: tuple[Expr, ...]
    symbols: frozenset[Symbol]
    nonnegative: bool | None
    """Whether it is surely at least 0; None until someone has asked."""
    depth: int
    """Applications within one another, this one counted."""
    size: int
    """Applications in it, written out; counted up to a bound. A ``whole`` counts as one."""
    written: int
    """Likewise, with what is in a ``whole``: what it costs to walk the expression."""

    def __repr__(self) -> str:
        if self.depth > _MAX_SHOWN_DEPTH:
            # Operands that are shared would be spelt out again and again.
            return f"{self.op}#{self.serial}"
        return f"{self.op}({', '.join(map(str, self.args))})"


class Expr:
    """An immutable polynomial; build it from numbers, ``symbol`` and the functions below."""

    __slots__ = ("_hash", "_parts", "_size", "_symbols", "constant", "terms")
    terms: dict[Monomial, Number]
    constant: Number | None
    """The value of an expression without symbols, else None."""
    _hash: int | None
    _size: int | None
    _symbols: frozenset[Symbol] | None
    _parts: dict[Atom, tuple[Expr | None, Expr]]
    """By factor what it multiplies and the terms without it; not set until someone has asked."""

    def __init__(self, terms: dict[Monomial, Number]) -> None:
        self.terms = terms
        self._hash = self._size = self._symbols = None
        self.constant = (terms.get(()) if len(terms) == 1 else None) if terms else 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Expr):
            return self is other or self.terms == other.terms
        if isinstance(other, (int, float)):
            return self.terms == ({(): other} if other else {})
        return NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            # A constant equals its number, so it must hash like it.
            known = self.constant
            self._hash = hash(frozenset(self.terms.items()) if known is None else known)
        return self._hash

    @property
    def offset(self) -> Number:
        """The constant term."""
        return self.terms.get((), 0)

    def __add__(self, other: Expr | Number) -> Expr:
        if not isinstance(other, Expr):
            other = constant(other)
        small, large = (
            (self.terms, other.terms)
            if len(self.terms) < len(other.terms)
            else (other.terms, self.terms)
        )
        if not small:
            return Expr(large)
        result = dict(large)
        for monomial, coefficient in small.items():
            known = result.get(monomial)
            if known is None:
                if coefficient:
                    result[monomial] = coefficient
                continue
            try:
                total = known + coefficient
            except OverflowError:
                total = _sum(known, coefficient)
            if total:
                result[monomial] = total
            else:
                result.pop(monomial, None)
        return Expr(result)

    def __radd__(self, other: Number) -> Expr:
        return self + other

    def __neg__(self) -> Expr:
        return Expr({monomial: -coefficient for monomial, coefficient in self.terms.items()})

    def __sub__(self, other: Expr | Number) -> Expr:
        return self + (-wrap(other))

    def __rsub__(self, other: Number) -> Expr:
        return wrap(other) + (-self)

    def __mul__(self, other: Expr | Number) -> Expr:
        if not isinstance(other, Expr):
            other = constant(other)
        factor = other.constant
        if factor is not None:
            return self._scaled(factor)
        factor = self.constant
        if factor is not None:
            return other._scaled(factor)
        if stays_factored(self, other):
            return apply("mul", self, other)
        try:
            return self._multiplied(other, operator.add, operator.mul)
        except OverflowError:
            return self._multiplied(other, _sum, _product)

    def __rmul__(self, other: Number) -> Expr:
        return self * other

    def _multiplied(self, other: Expr, add: _Arithmetic, multiply: _Arithmetic) -> Expr:
        result: dict[Monomial, Number] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                if not left:
                    product = right
                elif not right or left[-1].serial <= right[0].serial:
                    product = left + right
                else:
                    product = tuple(sorted(left + right, key=_by_serial))
                known = result.get(product)
                value = multiply(a, b)
                result[product] = value if known is None else add(known, value)
        return Expr({m: c for m, c in result.items() if c})

    def _scaled(self, factor: Number) -> Expr:
        if factor == 0:
            return ZERO
        if factor == 1:
            return self
        try:
            return Expr({m: c * factor for m, c in self.terms.items()})
        except OverflowError:
            return Expr({m: _product(c, factor) for m, c in self.terms.items()})

    @property
    def size(self) -> int:
        """Applications in it, written out, plus terms: what evaluating it costs at most."""
        if self._size is None:
            total = len(self.terms)
            for monomial in self.terms:
                for atom in monomial:
                    if isinstance(atom, Apply):
                        total += atom.size
            self._size = total
        return self._size

    def atoms(self) -> Iterator[Atom]:
        """The atoms of the terms, without looking into applications; may repeat."""
        for monomial in self.terms:
            yield from monomial

    @property
    def written(self) -> int:
        """Like ``size``, with what is inside a ``whole``: what walking every path costs at most."""
        total = len(self.terms)
        for atom in self.atoms():
            if isinstance(atom, Apply):
                total += atom.written
        return total

    def symbols(self) -> frozenset[Symbol]:
        """All symbols, those inside applications too."""
        if self._symbols is None:
            found: set[Symbol] = set()
            for monomial in self.terms:
                for atom in monomial:
                    if isinstance(atom, Symbol):
                        found.add(atom)
                    elif isinstance(atom, Apply):
                        found |= atom.symbols
            self._symbols = frozenset(found)
        return self._symbols

    def coefficient(self, atom: Atom) -> Expr | None:
        """The factor of ``atom`` where the expression is affine in it, else None.

        An ``Apply`` over the atom, or a higher power of it, makes the expression not affine.
        """
        return self._split(atom)[0]

    def without(self, atom: Atom) -> Expr:
        """The terms of which ``atom`` is no factor."""
        return self._split(atom)[1]

    def _split(self, atom: Atom) -> tuple[Expr | None, Expr]:
        """What ``atom`` multiplies, as ``coefficient`` has it, and the terms without it.

        Kept where there are such terms: launches ask the same again.
        """
        try:
            known = self._parts.get(atom)
        except AttributeError:
            known = None
        if known is not None:
            return known
        if isinstance(atom, Symbol) and atom not in self.symbols():
            return ZERO, self
        affine, result, rest = True, dict[Monomial, Number](), dict[Monomial, Number]()
        for monomial, number in self.terms.items():
            if atom in monomial:
                affine = affine and monomial.count(atom) == 1
                others = tuple([f for f in monomial if f is not atom])
                result[others] = result.get(others, 0) + number
            else:
                rest[monomial] = number
            if any(isinstance(f, Apply) and atom in f.symbols for f in monomial):
                affine = False
        found = Expr(result) if affine else None, Expr(rest) if result else self
        if result or not affine:
            try:
                self._parts[atom] = found
            except AttributeError:
                self._parts = {atom: found}
        return found

    def substitute(self, values: Mapping[Symbol, Expr]) -> Expr:
        """The expression with symbols replaced, normalised again.

        What stands in it several times is replaced once.
        """
        return _substitute(self, values, {})

    def __repr__(self) -> str:
        if not self.terms:
            return "0"
        parts = []
        for monomial, number in self.terms.items():
            text = "*".join(map(repr, monomial))
            if not monomial:
                parts.append(f"{number}")
            elif number == 1:
                parts.append(text)
            else:
                parts.append(f"{number}*{text}")
        return " + ".join(parts).replace("+ -", "- ")


def stays_factored(left: Expr, right: Expr) -> bool:
    """Whether a product is not multiplied out, because that would have too much in it."""
    a, b = left.terms, right.terms
    if len(a) * len(b) > MAX_PRODUCT_TERMS:
        return True
    return max(map(len, a), default=0) + max(map(len, b), default=0) > MAX_DEGREE


def _sum(a: Number, b: Number) -> Number:
    try:
        return a + b
    except OverflowError:
        return _real(a) + _real(b)


def _product(a: Number, b: Number) -> Number:
    try:
        return a * b
    except OverflowError:
        return _real(a) * _real(b)


def _real(value: Number) -> float:
    """The number as a float; an integer beyond the range of floats becomes infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _substitute(expr: Expr, values: Mapping[Symbol, Expr], known: dict[Atom, Expr]) -> Expr:
    if not any(symbol in values for symbol in expr.symbols()):
        return expr
    result = ZERO
    for monomial, number in expr.terms.items():
        product = constant(number)
        for factor in monomial:
            product = _within_range(product * _substitute_atom(factor, values, known))
        result = result + product
    return result


def _within_range(expr: Expr) -> Expr:
    """The expression; an integer that no float holds is infinite: its squares would only grow."""
    value = expr.constant
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return constant(_real(value))
    return expr


def _substitute_atom(atom: Atom, values: Mapping[Symbol, Expr], known: dict[Atom, Expr]) -> Expr:
    if isinstance(atom, Symbol):
        return values[atom] if atom in values else from_atom(atom)
    found = known.get(atom)
    if found is None:
        if isinstance(atom, Apply) and any(symbol in values for symbol in atom.symbols):
            operands = (_substitute(argument, values, known) for argument in atom.args)
            found = apply(atom.op, *operands)
        else:
            found = from_atom(atom)
        known[atom] = found
    return found


_MOST_BITS: Final = 1024
"""Of an integer; one with more is beyond the range of floats."""
ZERO: Final = Expr({})
ONE: Final = Expr({(): 1})


_SMALL: Final[dict[Number, Expr]] = {n: Expr({(): n}) if n else ZERO for n in range(-16, 257)}
"""Numbers that most constants are."""


def constant(value: Number) -> Expr:
    """The expression of a number."""
    if value.__class__ is int:
        found = _SMALL.get(value)
        if found is not None:
            return found
    return Expr({(): value}) if value else ZERO


def wrap(value: Expr | Number) -> Expr:
    """An expression, from one or from a number."""
    return value if isinstance(value, Expr) else constant(value)


def from_atom(atom: Atom) -> Expr:
    """The expression of one atom."""
    return Expr({(atom,): 1})


def make_symbol(
    name: str,
    scope: SymbolScope = SymbolScope.UNKNOWN,
    *,
    nonnegative: bool = False,
    index: int = 0,
) -> Symbol:
    """The symbol of this name and scope, made once."""
    key = ("symbol", name, scope, nonnegative, index)
    found = _interned.get(key)
    if isinstance(found, Symbol):
        return found
    made = Symbol()
    made.name, made.scope, made.nonnegative, made.index = name, scope, nonnegative, index
    made.serial = next(_serial)
    _interned.put(key, made)
    return made


def symbol(
    name: str, scope: SymbolScope = SymbolScope.UNKNOWN, *, nonnegative: bool = False
) -> Expr:
    """The expression of a symbol."""
    return from_atom(make_symbol(name, scope, nonnegative=nonnegative))


def make_apply(op: str, args: Iterable[Expr]) -> Expr:
    """``op`` over ``args`` as an atom, without simplification."""
    operands = tuple(args)
    key = ("apply", op, operands)
    found = _interned.get(key)
    if not isinstance(found, Apply):
        found = Apply()
        found.op, found.args, found.serial = op, operands, next(_serial)
        found.written = min(_MAX_SIZE, 1 + sum(argument.written for argument in operands))
        inner_size = 0 if op == "whole" else sum(argument.size for argument in operands)
        found.size = min(_MAX_SIZE, 1 + inner_size)
        found.nonnegative = None
        inner = (a.depth for e in operands for a in e.atoms() if isinstance(a, Apply))
        found.depth = 1 + max(inner, default=0)
        found.symbols = frozenset().union(*(argument.symbols() for argument in operands))
        _interned.put(key, found)
    return from_atom(found)


def apply(op: str, *args: Expr | Number) -> Expr:
    """An operation of ``operations.OPERATIONS``, folded and simplified where that is exact."""
    operands = tuple(map(wrap, args))
    if _simplified is None:
        _import_rules()
    assert _simplified is not None
    return _simplified(op, operands) or make_apply(op, operands)


_simplified: Callable[[str, tuple[Expr, ...]], Expr | None] | None = None


def _import_rules() -> None:
    """Late: products ask the rules, and the rules build expressions."""
    global _simplified  # noqa: PLW0603 - bound once
    from roofline_core.algebra.simplify import simplified  # noqa: PLC0415

    _simplified = simplified
