"""Models of ``<utility>``, ``<memory>``, ``<algorithm>`` and ``<chrono>``."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.objects.construction import construct
from roofline_analysis.host.objects.container_methods import container_method
from roofline_analysis.host.state.access import address_of, load
from roofline_analysis.host.state.arguments import Arguments, by_name, loaded, nothing
from roofline_analysis.host.state.memory import AUTO, Cell, HostPlace, Storage
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.state.types import resolve, sizeof
from roofline_analysis.host.values import Aggregate, Pointer, Scalar, Text, Value
from roofline_analysis.language import constants
from roofline_analysis.language.types import vector_parts
from roofline_core.algebra.symbolic import ZERO, apply
from roofline_core.program.types import Type


def _swap(args: Arguments) -> Value:
    if len(args) == 2:
        first, second = args.places
        a, b = load(args.interpreter, first), load(args.interpreter, second)
        args.interpreter.store(first, b)
        args.interpreter.store(second, a)
    return nothing(args)


def _exchange(args: Arguments) -> Value:
    old = args.value(0)
    args.interpreter.store(args.places[0], args.value(1))
    return old


def _same(args: Arguments) -> Value | HostPlace:
    if len(args) != 1:
        return args.opaque()
    return args.places[0] if args.places[0].name else args.value(0)


def _expected(args: Arguments) -> Value:
    """A condition of which the compiler is told what it usually is."""
    return args.value(0)


def _address(args: Arguments) -> Value:
    return address_of(args.interpreter, args.places[0])


def _make(args: Arguments) -> Value:
    interpreter = args.interpreter
    given = args.template_args[0] if args.template_args else None
    if not isinstance(given, Type):
        return args.opaque()
    type = resolve(interpreter, given)
    origin = interpreter.origin(args.name, args.line)
    element = Type(type.name, type.args, type.pointers)
    storage = Storage("", BufferSpace.HOST, None, element, origin)
    if type.dims:
        size = sizeof(interpreter, element)
        if size is not None and len(args):
            storage.size_bytes = size * args.expr(0)
    else:
        storage.elements[0] = construct(interpreter, type, args.places)
    return Pointer(storage, ZERO, element, origin)


def _contents(args: Arguments) -> Value:
    for position in range(min(len(args), 2)):
        storage = args.storage(position)
        if storage is not None and storage.place is None:
            args.interpreter.forget_contents(storage)
            if args.name.startswith("fill") and isinstance(args.value(-1), Scalar):
                storage.fill = args.value(-1)
            break
    return nothing(args)


def _written(args: Arguments) -> Value:
    for place in args.places:
        held = place.get()
        if isinstance(held, Pointer) and isinstance(held.buffer, Storage):
            args.interpreter.forget_contents(held.buffer)
    return args.opaque()


def _tuple(args: Arguments) -> Value:
    names = ["first", "second"] + [f"_{i}" for i in range(2, len(args))]
    return Aggregate(
        Type("std::pair"), {n: args.value(i) for i, n in zip(range(len(args)), names, strict=False)}
    )


def _begin(args: Arguments) -> Value | HostPlace:
    value = loaded(args, 0)
    if isinstance(value, Aggregate):
        found = container_method(args.interpreter, value, args.name, [])
        return found if found is not None else args.opaque()
    return args.value(0)


def _size(args: Arguments) -> Value | HostPlace:
    value = loaded(args, 0)
    if isinstance(value, Aggregate):
        found = container_method(args.interpreter, value, "size", [])
        return found if found is not None else args.opaque()
    if isinstance(value, Storage) and value.size_bytes is not None and value.element is not None:
        width = sizeof(args.interpreter, value.element)
        if width is not None and width.constant:
            return Scalar(apply("div", value.size_bytes, width), "unsigned long")
    return args.opaque()


def _to_string(args: Arguments) -> Value:
    number = args.constant(0)
    return Text(str(number)) if number is not None else args.opaque()


def _time(args: Arguments) -> Value:
    return args.opaque("it depends on the time of the run")


def _trait(args: Arguments) -> Value:
    return args.opaque()


def make_vector(args: Arguments) -> Value | None:
    """``make_float4(x, y, z, w)`` and the like; None for any other function."""
    if not args.name.startswith("make_"):
        return None
    type = Type(args.name[len("make_") :])
    if vector_parts(type.name) is None:
        return None
    return construct(
        args.interpreter, type, [Cell("", AUTO, args.value(i)) for i in range(len(args))]
    )


def numeric_limit(type: Type, member: str) -> Value | None:
    """``std::numeric_limits<type>::max()`` and its kin."""
    known = constants.numeric_limit(type.name, member) if not type.pointers else None
    return None if known is None else integer(known, type.name)


MODELS: Final = by_name(
    {
        _swap: ("swap",),
        _exchange: ("exchange",),
        _same: "move forward ref cref as_const raw_pointer_cast to_address launder".split(),
        _expected: "__builtin_expect __builtin_expect_with_probability".split(),
        _address: ("addressof",),
        _make: "make_unique make_shared make_unique_for_overwrite".split(),
        _contents: "fill fill_n generate generate_n iota sort stable_sort shuffle".split(),
        _written: (
            "copy copy_n transform reverse replace partial_sum inclusive_scan exclusive_scan "
            "exclusive_scan_by_key sequence sort_by_key random_shuffle"
        ).split(),
        _tuple: "make_pair make_tuple tie".split(),
        _begin: "begin cbegin data".split(),
        _size: "size ssize".split(),
        _to_string: ("to_string",),
        _time: "now time_since_epoch duration_cast system_clock high_resolution_clock".split(),
        _trait: "is_same_v numeric_limits".split(),
    }
)
ALGORITHMS: Final = frozenset(
    name for name, model in MODELS.items() if model in (_swap, _exchange, _contents, _written)
)
"""Functions of namespaces: a program may declare functions of its own by these names."""
