"""The host's allocations behind a kernel's pointers."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.host.values import Aggregate, Buffer, LaunchContext, Pointer, Value
from roofline_analysis.regions.kernel_summary import Array
from roofline_analysis.rules.subject import KernelSubject


def is_for_this_kernel(kernel: KernelSubject, array: Array) -> bool:
    """Whether an array is an allocation of known size that the program gives no other kernel.

    Then its layout is nobody else's. False of what is not known, and of textures, whose layout is
    that of the image.
    """
    if array.texels:
        return False
    names = [parameter.name for parameter in kernel.kernel.params]
    if array.name not in names:
        return False
    place = names.index(array.name)
    given: set[int] = set()
    for launch in kernel.launches:
        context = launch.context
        value = context.args[place] if context and place < len(context.args) else None
        buffer = value.buffer if isinstance(value, Pointer) else None
        if buffer is None or buffer.size_bytes is None:
            return False
        given.add(id(buffer))
    others = (buffer for each in kernel.other_launches for buffer in buffers_of(each))
    return not any(id(buffer) in given for buffer in others)


def buffers_of(context: LaunchContext) -> Iterator[Buffer]:
    """The allocations that a launch is given, those in objects too."""
    for value in context.args:
        yield from _buffers(value)


def _buffers(value: Value) -> Iterator[Buffer]:
    if isinstance(value, Buffer):
        yield value
    elif isinstance(value, Pointer) and value.buffer is not None:
        yield value.buffer
    elif isinstance(value, Aggregate):
        for inner in value.fields.values():
            yield from _buffers(inner)
