"""Step 2: the launch, and the launches of a kernel in short."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from roofline_analysis.api.explain.formula import informative
from roofline_analysis.api.explain.host_records import (
    BufferPassed,
    HostValue,
    HowKnown,
    LaunchFacts,
    LaunchOutline,
    TemplateArgument,
)
from roofline_analysis.api.explain.values import (
    HostNumbersUsed,
    host_numbers_used,
    places,
    value_of,
)
from roofline_analysis.host.values import Aggregate, LaunchContext, Origin, Pointer, Value
from roofline_analysis.launch.host_numbers import HostNumbers
from roofline_analysis.names.signature import type_text
from roofline_analysis.report.origins import open_values
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.types import Type
from roofline_core.program.units import Function

_MOST_LEVELS = 3
"""Objects within one another whose pointers are told."""


def launch_facts(launch: BoundLaunch, launches: int) -> LaunchFacts:
    """The launch; ``launches`` of the kernel were found."""
    context, bound, summary = launch.context, launch.bound, launch.judged.summary
    host = host_numbers_used(launch)
    shared = context.shared_bytes if context is not None else None
    return LaunchFacts(
        path=context.path if context is not None else None,
        line=context.line if context is not None else None,
        certain=context is not None and context.certain,
        launches=launches,
        grid=_dimensions("grid", bound.grid, context, host),
        block=_dimensions("block", bound.block, context, host),
        threads=math.prod(bound.grid) * math.prod(bound.block),
        dynamic_shared_bytes=value_of(
            "dynamic shared memory", float(bound.dynamic_shared_bytes), shared, None, host
        ),
        static_shared_bytes=summary.shared_bytes,
        template_arguments=template_arguments(summary.kernel, launch.bindings),
        buffers=tuple(_buffers(launch, host)),
        repeat=_repeat(context, host),
    )


def outline(number: int, kernel: Function, launch: BoundLaunch) -> LaunchOutline:
    """A launch in short; ``number`` is its place among the kernel's launches, from 1."""
    context, prediction = launch.context, launch.prediction
    assert context is not None
    return LaunchOutline(
        number=number,
        path=context.path,
        line=context.line,
        certain=context.certain,
        grid=launch.bound.grid,
        block=launch.bound.block,
        template_arguments=template_arguments(kernel, launch.bindings),
        verdict=prediction.verdict,
        confidence=prediction.confidence,
        time_ns=prediction.known_time_ns,
        repeat=_repeat(context, host_numbers_used(launch)).number,
    )


def template_arguments(
    kernel: Function, bindings: Mapping[str, Type | int]
) -> tuple[TemplateArgument, ...]:
    """What the kernel's template parameters stand for, as far as it is known."""
    found = ((p.name, bindings[p.name]) for p in kernel.template_params if p.name in bindings)
    return tuple(
        TemplateArgument(name, type_text(value) if isinstance(value, Type) else str(value))
        for name, value in found
    )


def _dimensions(
    what: str, used: Sequence[int], context: LaunchContext | None, host: HostNumbersUsed
) -> tuple[HostValue, ...]:
    dims: Sequence[Expr | None] | None = getattr(context, what, None)
    origin: Origin | None = getattr(context, f"{what}_origin", None)
    made = []
    for axis, number, expr in zip("xyz", used, dims or (None,) * 3, strict=True):
        value = value_of(f"{what}.{axis}", float(number), expr, origin, host)
        if expr is None:
            value = HostValue(value.name, value.number, None, HowKnown.ASSUMED, (), ())
        made.append(value)
    return tuple(made)


def _repeat(context: LaunchContext | None, host: HostNumbersUsed) -> HostValue:
    expr = context.repeat if context is not None else None
    number = HostNumbers(host.unknowns).number(expr)
    return value_of("launches", None if number is None else float(number), expr, None, host)


def _buffers(launch: BoundLaunch, host: HostNumbersUsed) -> Iterator[BufferPassed]:
    context = launch.context
    if context is None:
        return
    kernel = launch.judged.summary.kernel
    for parameter, value in zip(kernel.params, context.args, strict=False):
        shown = type_text(parameter.type)
        yield from _buffer(parameter.name, shown, value, launch.bound.sizes, host, 0)


def _buffer(
    name: str,
    shown: str,
    value: Value,
    sizes: Mapping[str, float],
    host: HostNumbersUsed,
    depth: int,
) -> Iterator[BufferPassed]:
    if isinstance(value, Aggregate) and depth < _MOST_LEVELS:
        for member, inner in value.fields.items():
            kind = _type_of(inner, shown)
            yield from _buffer(f"{name}.{member}", kind, inner, sizes, host, depth + 1)
    if not isinstance(value, Pointer):
        return
    buffer = value.buffer
    size = buffer.size_bytes if buffer is not None else None
    yield BufferPassed(
        name=name,
        type=shown,
        buffer=buffer.name if buffer is not None else None,
        space=buffer.space.value if buffer is not None else None,
        size_bytes=sizes.get(name),
        size_formula=informative(size, host.names),
        origins=places(value.origin),
        assumed=open_values([size], host.unknowns) if size is not None else (),
    )


def _type_of(value: Value, otherwise: str) -> str:
    """The type of a pointer that a member is, if it is one that points to something known."""
    if isinstance(value, Pointer) and value.pointee is not None:
        return f"{type_text(value.pointee)} *"
    return otherwise
