"""Loads, atomics, textures, barriers and what passes between the threads of a warp."""

from __future__ import annotations

from roofline_analysis.device.functions.atomic_retries import charge_retries
from roofline_analysis.device.state.memory import load, need_value
from roofline_analysis.device.state.walker import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, PlacePointer, PointerValue, Value, number
from roofline_analysis.regions.kernel_summary import AccessMode
from roofline_core.program.expressions import Call, Name
from roofline_core.program.types import Type


def load_through(
    walker: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A load with a cache hint."""
    pointer = args[0] if args else None
    if isinstance(pointer, PointerValue):
        return load(walker, pointer)
    if isinstance(pointer, PlacePointer):
        return walker.read(pointer.place)
    return None


def atomic(
    walker: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A read-modify-write of memory."""
    if not args:
        return None
    for arg in args[1:]:
        need_value(walker, arg)
    target = args[0]
    if isinstance(target, PointerValue):
        type_ = walker.types.resolve(target.pointee)
        walker.machine.touch(target, walker.bytes_of(type_), AccessMode.ATOMIC)
        if name.startswith("atomicAdd"):
            charge_retries(walker, target, type_)
        walker.epochs[target.array] = walker.epochs.get(target.array, 0) + 1
        return walker.opaque(type_, walker.machine.loop_bits(), target.array.name, "data")
    return walker.opaque(Type("int"), walker.machine.loop_bits(), name, "data")


def barrier(
    walker: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A barrier: what other threads stored may be seen behind it."""
    walker.barriers += 1
    walker.machine.region.barriers += 1
    walker.epochs["shared"] = walker.epochs.get("shared", 0) + 1
    walker.epochs["global"] = walker.epochs.get("global", 0) + 1
    return number(0, "int")


def nothing(
    walker: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A call without work of its own."""
    return number(0, "int")


def shuffle(
    walker: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A value from another lane of the warp: of the same type, else unknown."""
    values = [arg for arg in args if isinstance(arg, Value)]
    masked = name.endswith("_sync") and len(values) > 1
    carried = values[int(masked)] if values else None
    for arg in args:
        need_value(walker, arg)
    type_ = carried.type if carried is not None else "int"
    return walker.opaque(Type(type_), walker.machine.loop_bits(), name, "data")


def vote(
    walker: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A mask or truth value over the lanes of the warp."""
    for arg in args:
        need_value(walker, arg)
    return Value("unsigned int", walker.fresh(name, "data"), walker.machine.loop_bits())


def texture(
    walker: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A texture fetch: coordinates are needed, the texture's bytes are read."""
    for arg in args:
        need_value(walker, arg)
    element = Type("float")
    if isinstance(node.callee, Name) and node.callee.template_args:
        first = node.callee.template_args[0]
        element = first if isinstance(first, Type) else element
    array = walker.array(f"texture@{node.line}", element, "global")
    offset = walker.fresh("texture", "data")
    pointer = PointerValue(array, Value("long", offset, walker.machine.loop_bits()), element)
    walker.machine.touch(pointer, walker.bytes_of(element), AccessMode.READ)
    return walker.opaque(element, walker.machine.loop_bits(), "texture", "data")
