"""Which launch of a run a measured kernel is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from roofline_profiling.emulate.records import LaunchRecord
from roofline_study.dataset import MeasuredKernel

from .names import KernelName, read_name


@dataclass(frozen=True, slots=True)
class Match:
    """A measured kernel's launch, or why there is none."""

    launch: LaunchRecord | None
    cause: str = ""
    """Empty where there is one."""


def find_launch(
    row: MeasuredKernel, launches: Sequence[LaunchRecord], names: Mapping[str, KernelName]
) -> Match:
    """The first launch of the row's kernel with the row's grid and block.

    ``names`` are the kernels' names by the mangled ones.
    """
    wanted = read_name(row.kernel)
    same_base = [each for each in launches if names[each.kernel].base == wanted.base]
    if not same_base:
        return Match(None, "kernel not launched")
    kernels = _kernels(wanted, same_base, names)
    if not kernels:
        return Match(None, "only other instances of the template launched")
    shaped = [
        each
        for each in same_base
        if each.kernel in kernels and (each.grid, each.block) == (row.grid, row.block)
    ]
    if not shaped:
        return Match(None, "not launched with this grid and block")
    return Match(min(shaped, key=lambda each: each.launch))


def _kernels(
    wanted: KernelName, launches: Sequence[LaunchRecord], names: Mapping[str, KernelName]
) -> set[str]:
    """The mangled names that are the wanted kernel: overloads are told apart where they can be."""
    found = {each.kernel for each in launches}
    found = {each for each in found if wanted.same_arguments(names[each])}
    return _narrow(found, lambda each: wanted.same_parameters(names[each]))


def _narrow(found: set[str], test: Callable[[str], bool]) -> set[str]:
    """Those that pass; all where none does: a type is spelt in more ways than are known here."""
    return {each for each in found if test(each)} or found
