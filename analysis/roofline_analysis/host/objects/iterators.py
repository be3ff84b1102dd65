"""Models of the iterators that the libraries' calls are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.state.access import rvalue
from roofline_analysis.host.state.arguments import Arguments, by_name
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import Cell, HostPlace, Storage
from roofline_analysis.host.state.types import resolve, sizeof
from roofline_analysis.host.values import Aggregate, Pointer, Scalar, Value
from roofline_core.algebra.symbolic import ZERO, Expr, constant
from roofline_core.program.expressions import Literal
from roofline_core.program.types import Type

_GENERATORS = frozenset(
    (
        "counting_iterator constant_iterator discard_iterator CountingInputIterator"
        " ConstantInputIterator DiscardOutputIterator"
    ).split()
)
_PASSED_ON = frozenset(
    (
        "transform_iterator TransformInputIterator reverse_iterator permutation_iterator"
        " CacheModifiedInputIterator tabulate_output_iterator transform_output_iterator"
    ).split()
)


def iterator(interpreter: HostInterpreter, type: Type, args: Sequence[HostPlace]) -> Value | None:
    """An iterator of a library made by its constructor; None for any other type."""
    short = type.name.rpartition("::")[2]
    if short in _GENERATORS:
        given = type.args[0] if type.args else None
        element = resolve(interpreter, given) if isinstance(given, Type) else None
        return _generated(interpreter, [rvalue(interpreter, place) for place in args], element)
    if short in _PASSED_ON and args:
        value = rvalue(interpreter, args[0])
        return value if isinstance(value, Pointer) else None
    if short == "zip_iterator" and args:
        return _zipped(interpreter, [rvalue(interpreter, place) for place in args])
    return None


def for_library(interpreter: HostInterpreter, place: HostPlace) -> HostPlace:
    """An argument of a library's function: objects of the iterators' classes as the model has them.

    Kernels are given such objects whole; a library's function is told where they lead.
    """
    value = place.get()
    made = _led_to(interpreter, value) if isinstance(value, Aggregate) else None
    return place if made is None else Cell("", place.type, made)


def _led_to(interpreter: HostInterpreter, value: Value) -> Value | None:
    if not isinstance(value, Aggregate):
        return value
    short = value.type.name.rpartition("::")[2]
    parts = list(value.fields.values())
    if short in _GENERATORS:
        given = value.type.args[0] if value.type.args else None
        return _generated(interpreter, parts, given if isinstance(given, Type) else None)
    if short in _PASSED_ON and parts:
        return _led_to(interpreter, parts[0])
    if short == "zip_iterator":
        led = [_led_to(interpreter, part) for part in parts]
        return _zipped(interpreter, [each for each in led if each is not None])
    return None


def _generated(interpreter: HostInterpreter, values: list[Value], element: Type | None) -> Value:
    start = values[0] if values else None
    if element is None:
        element = Type(start.type_name) if isinstance(start, Scalar) else Type("int")
    size = sizeof(interpreter, element)
    offset = ZERO
    if isinstance(start, Scalar) and size is not None:
        offset = start.value * size
    # One memory for all: the distance between two such iterators is that of their numbers.
    storage = interpreter.parsed_options.setdefault(
        "library generator", Storage("", BufferSpace.GENERATED, None)
    )
    return Pointer(storage, offset, element)


def _make_generator(args: Arguments) -> Value:
    values = [args.value(position) for position in range(len(args))]
    if args.name == "make_constant_iterator":
        values = values[1:]
    given = args.template_args[0] if args.template_args else None
    element = resolve(args.interpreter, given) if isinstance(given, Type) else None
    return _generated(args.interpreter, values, element)


def _make_adaptor(args: Arguments) -> Value:
    return args.value(0)


def _make_zip(args: Arguments) -> Value:
    found = _zipped(args.interpreter, [args.value(position) for position in range(len(args))])
    return found if found is not None else args.opaque("what it is made of is not known")


def _same_pointer(args: Arguments) -> Value:
    return args.value(0)


def _zipped(interpreter: HostInterpreter, values: list[Value]) -> Value | None:
    """Several sequences read as one, whose element is as long as theirs together."""
    if len(values) == 1 and isinstance(values[0], Aggregate):
        values = list(values[0].fields.values())
    width, start = 0, None
    for value in values:
        if not isinstance(value, Pointer) or value.buffer is None or value.pointee is None:
            return None
        size = sizeof(interpreter, value.pointee)
        each = size.constant if size is not None else None
        if not each:
            return None
        if start is None:
            start = _elements(value.offset_bytes, int(each))
        if value.buffer.space is not BufferSpace.GENERATED:
            width += int(each)
    if start is None:
        return None
    element = Type("char", dims=(Literal(0, max(width, 1), "int"),))
    spaces = {v.buffer.space for v in values if isinstance(v, Pointer) and v.buffer is not None}
    host = spaces - {BufferSpace.GENERATED} <= {BufferSpace.HOST, BufferSpace.PINNED}
    first = values[0]
    assert isinstance(first, Pointer)
    key = f"library zip {id(first.buffer)}"
    made = Storage("", BufferSpace.HOST if host else BufferSpace.ZIPPED, None, element)
    storage = interpreter.parsed_options.setdefault(key, made)
    return Pointer(storage, start * max(width, 1), element)


def _elements(offset: Expr, width: int) -> Expr:
    known = offset.constant
    if known is not None:
        return constant(int(known) // width)
    return Expr({atoms: number / width for atoms, number in offset.terms.items()})


MODELS: Final = by_name(
    {
        _make_generator: (
            "make_counting_iterator make_constant_iterator make_discard_iterator"
        ).split(),
        _make_adaptor: (
            "make_transform_iterator make_permutation_iterator make_reverse_iterator"
        ).split(),
        _make_zip: ("make_zip_iterator",),
        _same_pointer: "device_pointer_cast get_pointer".split(),
    }
)
