"""Textures and surfaces of CUDA and HIP: fetches, reads and writes by coordinates.

A texture is an array of texels, x fastest. The bytes from one row to the next, and the rows of a
slice, are numbers that only the host knows: ``t.pitch`` and ``t.height`` of a texture ``t``. The
texture units compute the addresses, so that a fetch costs no address arithmetic. Real arrays are
tiled, a filter reads neighbouring texels and levels of a mipmap are smaller: none is modelled.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from roofline_analysis.device.functions.mathematics import Handler
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import load, need_value, store
from roofline_analysis.device.values import (
    DeviceValue,
    PlacePointer,
    PointerValue,
    Value,
    number,
    param_symbol,
)
from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.types import is_float, vector_parts
from roofline_analysis.regions.kernel_summary import (
    TEXTURE_HEIGHT,
    TEXTURE_PITCH,
    Array,
    MemorySpace,
)
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import ZERO, Apply, Atom, Expr, Symbol, apply, constant
from roofline_core.program.expressions import Call, Expression, Index, Member, Name
from roofline_core.program.types import Type

_NORMALISED: Final = "cudaReadModeNormalizedFloat hipReadModeNormalizedFloat".split()
"""Read modes that turn integers into numbers between 0 and 1, or -1 and 1."""
_DIMENSIONS: Final = re.compile(r"(?:tex|surf)(?:([123])D|Cubemap)(Layered)?")
_GATHER: Final = "tex2Dgather"
_NORMALISED_STEP: Final = 1 / 16
"""The largest step of a coordinate that is taken to be normalised: a texture of 16 texels.

Assumed, chosen without measurement."""


def _texture(interpreter: DeviceInterpreter, value: DeviceValue, node: Call, at: int) -> str:
    """What a texture is called: the argument or global that it came in, else its line."""
    if isinstance(value, Value) and value.expr is not None:
        atoms = list(value.expr.atoms())
        if len(atoms) == 1 and isinstance(atoms[0], Symbol):
            atom = atoms[0]
            if atom.scope is SymbolScope.PARAM:
                return atom.name
    written = node.args[at] if at < len(node.args) else None
    local = isinstance(written, Name) and interpreter.scope.find(written.name) is not None
    name = _written(interpreter, written) if written is not None and not local else None
    return name or f"texture@{node.line}"


def _written(interpreter: DeviceInterpreter, node: Expression) -> str | None:
    """A variable, a member or an element as it is written: ``p.images[0]``; None for others."""
    if isinstance(node, Name):
        return last_component(node.name)
    if isinstance(node, Member):
        base = _written(interpreter, node.base)
        return f"{base}.{node.name}" if base is not None else None
    if isinstance(node, Index):
        base, index = _written(interpreter, node.base), interpreter.evaluate(node.index)
        known = index.constant if isinstance(index, Value) else None
        return f"{base}[{known if known is not None else ''}]" if base is not None else None
    return None


def _declared(interpreter: DeviceInterpreter, node: Call, at: int) -> Type | None:
    """The declared type of a global texture reference; None for a texture object."""
    written = node.args[at] if at < len(node.args) else None
    if not isinstance(written, Name) or interpreter.scope.find(written.name) is not None:
        return None
    entry = interpreter.symbols.find_global(written.name, interpreter.path)
    return interpreter.types.resolve(entry.variable.type) if entry is not None else None


def _element(interpreter: DeviceInterpreter, node: Call, reference: Type | None) -> Type | None:
    """The type of a texel: the template argument's, or the texture reference's."""
    given = node.callee.template_args if isinstance(node.callee, Name) else None
    if not given and reference is not None:
        given = reference.args
    first = given[0] if given else None
    if not isinstance(first, Type) or first.name == "void":
        return None
    return interpreter.types.resolve(first)


def _pointer(
    interpreter: DeviceInterpreter,
    name: str,
    element: Type,
    coordinates: Sequence[DeviceValue],
    in_bytes: bool,
    written: bool,
) -> PointerValue:
    """The address of the texel at some coordinates; ``in_bytes``: x counts bytes, not texels."""
    array = interpreter.arrays.get(name)
    if array is None:
        array = interpreter.arrays[name] = Array(
            name, MemorySpace.GLOBAL, element, read_only=not written, texels=True
        )
    for each in coordinates:
        need_value(interpreter, each)
    size = 1 if in_bytes else interpreter.bytes_of(element)
    offset = _offset(name, coordinates, size)
    varies = interpreter.costs.loop_bits()
    if offset is None:
        offset = interpreter.fresh("texel", SymbolScope.DATA)
    else:
        varies = 0
        for each in coordinates:
            varies |= each.varies if isinstance(each, Value) else 0
    return PointerValue(array, Value("long", offset, varies), element)


def _offset(name: str, coordinates: Sequence[DeviceValue], size: int) -> Expr | None:
    """Bytes from the start of a texture; None where a coordinate is not known."""
    found = [_coordinate(each) if isinstance(each, Value) else None for each in coordinates]
    offset = ZERO
    step = constant(size)
    for axis, at in enumerate(found):
        if at is None:
            return None
        if axis == 1:
            step = param_symbol(f"{name}.{TEXTURE_PITCH}", nonnegative=True)
        elif axis == 2:
            step = step * param_symbol(f"{name}.{TEXTURE_HEIGHT}", nonnegative=True)
        offset = offset + at * step
    return offset if found else None


def _coordinate(value: Value) -> Expr | None:
    """A coordinate in texels; None where it is not known.

    A coordinate that is normalised, as ``(x + 0.5f) / width``, is taken for ``x`` itself, for a
    texture is mostly as wide as what is computed from it.
    """
    expr = value.nearly
    if expr is None or not is_float(value.type):
        return expr
    expr = _scaled_up(_without_scale(expr))
    if any(_is_fraction(atom) for atom in expr.atoms()) or _has_fraction(expr):
        return None
    whole = expr - expr.offset
    if all(factor == int(factor) for factor in whole.terms.values()):
        return whole + math.floor(expr.offset)
    return apply("floor", expr)


def _is_fraction(atom: Atom) -> bool:
    """Whether this may be the inverse of a width: a floating-point argument or a quotient."""
    if isinstance(atom, Symbol):
        return atom.scope is SymbolScope.REAL
    return isinstance(atom, Apply) and atom.op == "fdiv"


def _has_fraction(expr: Expr) -> bool:
    return any(symbol.scope is SymbolScope.REAL for symbol in expr.symbols())


def _without_scale(expr: Expr) -> Expr:
    """The expression without the one fraction that all its terms are multiplied by."""
    monomials = list(expr.terms)
    shared = [
        atom
        for atom in dict.fromkeys(monomials[0] if monomials else ())
        if _is_fraction(atom) and all(monomial.count(atom) == 1 for monomial in monomials)
    ]
    if len(shared) != 1:
        return expr
    scale = shared[0]
    rest = Expr(
        {
            tuple(atom for atom in monomial if atom is not scale): factor
            for monomial, factor in expr.terms.items()
        }
    )
    return rest * scale.args[0] if isinstance(scale, Apply) else rest


def _scaled_up(expr: Expr) -> Expr:
    """The expression, with steps of one texel where it has steps of normalised coordinates."""
    steps = [abs(factor) for monomial, factor in expr.terms.items() if monomial]
    least = min(steps, default=1.0)
    return expr if least > _NORMALISED_STEP else expr * (1.0 / least)


def _coordinates(name: str, args: Sequence[DeviceValue]) -> Sequence[DeviceValue]:
    """The coordinates among the arguments behind the texture; none of a cube, which has faces."""
    form = _DIMENSIONS.match(name)
    if form is None or form[1] is None:
        return ()
    return args[: int(form[1]) + (form[2] is not None)]


def _fetch(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A fetch, or the older form that stores it where the first argument points."""
    into = args[0] if args and isinstance(args[0], (PlacePointer, PointerValue)) else None
    at = 1 if into is not None else 0
    if len(args) <= at + 1:
        return None
    reference = _declared(interpreter, node, at)
    element = _element(interpreter, node, reference)
    if element is None:
        element = interpreter.types.resolve(into.pointee) if into is not None else Type("float")
    result = element
    lanes = vector_parts(element.name) if name == _GATHER else None
    if lanes is not None:
        element = Type(lanes[0])
    texture = _texture(interpreter, args[at], node, at)
    pointer = _pointer(
        interpreter,
        texture,
        element,
        _coordinates(name, args[at + 1 :]),
        in_bytes=name.startswith("surf"),
        written=name.startswith("surf"),
    )
    value = load(interpreter, pointer)
    if reference is not None and _normalised(reference):
        result = _as_floats(result)
    if result is not element:
        bits = interpreter.costs.loop_bits()
        value = interpreter.opaque(result, bits, texture, SymbolScope.DATA)
    if isinstance(into, PlacePointer):
        interpreter.write(into.place, value)
    elif into is not None:
        store(interpreter, into, value)
    return value if into is None else number(0, "int")


def _normalised(reference: Type) -> bool:
    mode = reference.args[2] if len(reference.args) > 2 else None
    return getattr(mode, "name", None) in _NORMALISED


def _as_floats(element: Type) -> Type:
    lanes = vector_parts(element.name)
    return Type("float") if lanes is None else Type(f"float{lanes[1]}")


def _write(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A write to a surface: the value, the surface, and the coordinates with x in bytes."""
    if len(args) < 3:
        return None
    element = _element(interpreter, node, None) or interpreter.type_of(args[0])
    texture = _texture(interpreter, args[1], node, 1)
    coordinates = _coordinates(name, args[2:])
    pointer = _pointer(interpreter, texture, element, coordinates, in_bytes=True, written=True)
    store(interpreter, pointer, args[0])
    return number(0, "int")


def _entries() -> Iterator[tuple[str, Handler]]:
    for shape in ("1D", "2D", "3D", "Cubemap"):
        for layers in ("", "Layered") if shape != "3D" else ("",):
            for way in ("", "Lod", "Grad"):
                yield f"tex{shape}{layers}{way}", _fetch
            yield f"surf{shape}{layers}read", _fetch
            yield f"surf{shape}{layers}write", _write
    yield "tex1Dfetch", _fetch
    yield _GATHER, _fetch


TEXTURE_FUNCTIONS: Final[Mapping[str, Handler]] = dict(_entries())
"""CUDA C++ Programming Guide, texture and surface functions; HIP's have the same names."""
