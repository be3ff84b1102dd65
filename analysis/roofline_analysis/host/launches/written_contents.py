"""What kernels leave in the memory that they write, as far as the host execution can tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from roofline_analysis.host.launches.sampled_contents import drawn_members
from roofline_analysis.host.state.array_members import MemberPath, numbers_in
from roofline_analysis.host.state.array_samples import draws_of
from roofline_analysis.host.state.havoc import forget_reachable
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import HostPlace, Storage
from roofline_analysis.host.values import (
    Aggregate,
    LaunchContext,
    Pointer,
    Samples,
    Value,
    WrittenByKernel,
)
from roofline_core.algebra.symbolic import ZERO

_DEEPEST: Final = 8
"""The most launches, each of which reads what the one before wrote, that are followed."""


def forget_written(
    interpreter: HostInterpreter, place: HostPlace, name: str, launch: LaunchContext | None
) -> None:
    """Make unknown the memory that a kernel may write through an argument.

    Samples of an array's numbers follow from what ``launch`` stores through the parameter ``name``.
    None: it stores what nobody can tell.
    """
    held = place.get()
    if not isinstance(held, (Pointer, Aggregate, Storage)):
        return
    array = _array_of(held)
    before = {} if array is None or launch is None else _samples_before(interpreter, array)
    forget_reachable(interpreter, held, 1)
    if array is None:
        return
    if not _holds_numbers(array):
        interpreter.mark_overwritten(array)
    for path, samples in before.items():
        assert launch is not None
        depth = 1 + max(map(_depth_of, (samples, *launch.draws.values())))
        part = array
        for member in path:
            part = part.member(member)
        if depth <= _DEEPEST:
            parameter = ".".join((name, *path))
            interpreter.fill_with(part, WrittenByKernel(launch, parameter, samples, depth))


def _samples_before(
    interpreter: HostInterpreter, array: Storage
) -> dict[MemberPath, Samples | None]:
    """The numbers of an array, or of its objects, and their samples; None where unknown."""
    if _holds_numbers(array):
        return {(): draws_of(interpreter, array)}
    known = drawn_members(interpreter, array)
    paths = numbers_in(interpreter, array.element) if array.element is not None else ()
    return {path: known.get(".".join(path)) for path in paths}


def _array_of(held: Value | Storage) -> Storage | None:
    """The array of numbers or objects that an argument points to, at its start; None for others."""
    storage = held
    if isinstance(held, Pointer):
        if held.offset_bytes != ZERO or not isinstance(held.buffer, Storage):
            return None
        storage = held.buffer
    if not isinstance(storage, Storage) or storage.place is not None:
        return None
    return None if storage.element is None or storage.element.pointers else storage


def _holds_numbers(array: Storage) -> bool:
    return array.element is not None and array.element.name in SCALARS


def _depth_of(samples: Samples | None) -> int:
    return samples.depth if isinstance(samples, WrittenByKernel) else 0


def writers_of(launch: LaunchContext) -> Iterator[LaunchContext]:
    """The launches that decide what another one loads, directly or not."""
    waiting, seen = list(launch.draws.values()), set[int]()
    while waiting:
        samples = waiting.pop()
        if not isinstance(samples, WrittenByKernel):
            continue
        if samples.before is not None:
            waiting.append(samples.before)
        if id(samples.launch) not in seen:
            seen.add(id(samples.launch))
            waiting += samples.launch.draws.values()
            yield samples.launch
