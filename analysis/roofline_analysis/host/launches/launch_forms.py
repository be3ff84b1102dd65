"""Launches through runtime functions: packed arguments, launch objects, graphs."""

from __future__ import annotations

from roofline_analysis.host.objects.construction import data_fields
from roofline_analysis.host.objects.initialisers import initialise
from roofline_analysis.host.state.access import deref, load, pointed_object
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import AUTO, Cell, HostPlace, Storage
from roofline_analysis.host.state.operators import merge_origin
from roofline_analysis.host.state.packs import argument_places
from roofline_analysis.host.values import Aggregate, Origin, Pointer, Scalar, Value
from roofline_core.algebra.symbolic import ONE, ZERO, Expr
from roofline_core.program import expressions as ex
from roofline_core.program.records import record
from roofline_core.program.types import Type

Extents = tuple[Expr, Expr, Expr]


@record(frozen=True, slots=True)
class Shape:
    """The launch configuration: grid, block, shared memory."""

    grid: Extents | None
    block: Extents | None
    shared_bytes: Expr | None
    """Dynamic shared memory of a block, in bytes; None if unknown."""
    grid_origin: Origin | None = None
    block_origin: Origin | None = None


_SHARED = ("dynamicSmemBytes", "sharedMemBytes")


def shape_of(interpreter: HostInterpreter, node: ex.Launch) -> Shape:
    """The dimensions of a launch, written out or held by an object."""
    if node.config is not None:
        return _configured(interpreter, node.config)
    shared: Expr | None = ZERO
    if node.shared_bytes is not None:
        number = interpreter.number(interpreter.eval(node.shared_bytes), "unsigned long")
        shared = number.value if number is not None else None
    grid, block = _given(interpreter, node.grid), _given(interpreter, node.block)
    return Shape(
        _extents_of(interpreter, grid),
        _extents_of(interpreter, block),
        shared,
        _origin_of(grid),
        _origin_of(block),
    )


def _given(interpreter: HostInterpreter, node: ex.Expression | None) -> Value | None:
    """A grid or block argument."""
    if node is None:
        return None
    if isinstance(node, ex.InitList):
        return initialise(interpreter, Type("dim3"), node, "")
    return load(interpreter, interpreter.place(node))


def _origin_of(value: Value | None) -> Origin | None:
    """Where a number came from, or the extents of a ``dim3``: what says most of them."""
    if not isinstance(value, Aggregate):
        return getattr(value, "origin", None)
    found: Origin | None = None
    for name in "xyz":
        found = merge_origin(found, getattr(value.fields.get(name), "origin", None))
    return found


def _extents_of(interpreter: HostInterpreter, value: Value | None) -> Extents | None:
    """A ``dim3`` or a number as three extents; None if it is unknown."""
    if value is None:
        return None
    if isinstance(value, Scalar):
        return value.value, ONE, ONE
    if not isinstance(value, Aggregate):
        number = interpreter.number(value, "unsigned int")
        return (number.value, ONE, ONE) if number is not None else None
    found: list[Expr] = []
    for name in "xyz":
        number = interpreter.number(value.fields.get(name), "unsigned int")
        if number is None:
            if name == "x":
                return None
            found.append(ONE)
        else:
            found.append(number.value)
    return found[0], found[1], found[2]


def _configured(interpreter: HostInterpreter, node: ex.Expression) -> Shape:
    held = pointed_object(interpreter, interpreter.eval(node))
    if not isinstance(held, Aggregate):
        return Shape(None, None, None)
    shared = next((held.fields[name] for name in _SHARED if name in held.fields), None)
    number = interpreter.number(shared, "unsigned long")
    return Shape(
        _held_extents(interpreter, held, "gridDim"),
        _held_extents(interpreter, held, "blockDim"),
        number.value if number is not None else ZERO,
        _origin_of(held.fields.get("gridDim")),
        _origin_of(held.fields.get("blockDim")),
    )


def _held_extents(interpreter: HostInterpreter, held: Aggregate, name: str) -> Extents | None:
    if f"{name}X" not in held.fields:
        value = held.fields.get(name)
        return _extents_of(interpreter, value) if value is not None else None
    found = {axis: held.fields.get(name + axis.upper()) for axis in "xyz"}
    known = {axis: value for axis, value in found.items() if value is not None}
    return _extents_of(interpreter, Aggregate(Type("dim3"), known))


def arguments_of(interpreter: HostInterpreter, node: ex.Launch) -> list[HostPlace]:
    """The places of a launch's arguments, given directly or as an array of addresses."""
    if node.args is not None:
        return argument_places(interpreter, node.args)
    if node.packed_args is None:
        return []
    packed = interpreter.eval(node.packed_args)
    storage = packed.buffer if isinstance(packed, Pointer) else packed
    if not isinstance(storage, Storage):
        return []
    elements = storage.elements
    known = [deref(interpreter, elements[position]) for position in sorted(elements)]
    return _from_buffer(interpreter, storage) or known


def _from_buffer(interpreter: HostInterpreter, storage: Storage) -> list[HostPlace]:
    """The members of an argument object: ``{HIP_LAUNCH_PARAM_BUFFER_POINTER, &object, ...}``."""
    marker, held = storage.elements.get(0), storage.elements.get(1)
    if "PARAM_BUFFER_POINTER" not in getattr(marker, "name", "") or held is None:
        return []
    value = pointed_object(interpreter, held)
    struct = (
        interpreter.symbols.find_struct(value.type.name) if isinstance(value, Aggregate) else None
    )
    if not isinstance(value, Aggregate) or struct is None:
        return []
    return [Cell(f.name, AUTO, value.fields.get(f.name)) for f in data_fields(interpreter, struct)]
