"""Which kernels of several files are variants of one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from roofline_analysis.api.kernel_choice import NoSuchKernelError, chosen_kernels, listed
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.names.signature import signature
from roofline_core.program.records import record
from roofline_core.program.units import Function


@record(frozen=True, slots=True)
class Side:
    """A file of a program, and the kernel of it that is meant."""

    label: str
    """What messages and tables call it."""
    analysis: ProgramAnalysis
    path: Path
    kernel: str | None = None
    """A name as ``chosen_kernels`` takes it; None for the only one, or for all."""
    revision: str | None = None
    line: int | None = None
    """A line in the kernel that is meant, where no name is given."""


Group = tuple[Function, ...]
"""A kernel of each side."""


def matched(sides: Sequence[Side]) -> tuple[list[Group], list[tuple[Side, Function]]]:
    """The groups of kernels to compare, and the kernels that not all sides have.

    A side with one kernel takes part with that, whatever its name. Where a side has several, they
    are paired by name. Raises NoSuchKernelError where a name fits none or several, naming the
    candidates.
    """
    kernels = [chosen_kernels(each.analysis, each.path, each.kernel, each.line) for each in sides]
    single = [found for found in kernels if len(found) == 1]
    if len(single) == len(kernels):
        return [tuple(found[0] for found in kernels)], []
    if single:
        return [_like(single[0][0], sides, kernels)], []
    groups = [group for kernel in kernels[0] if (group := _by_name(kernel, kernels)) is not None]
    if not groups:
        has = "; ".join(
            f"{side.label} has {listed(found)}" for side, found in zip(sides, kernels, strict=True)
        )
        raise NoSuchKernelError(
            f"no kernel has the same name on all sides; name them with FILE:KERNEL: {has}"
        )
    taken = {id(kernel) for group in groups for kernel in group}
    alone = [
        (side, kernel)
        for side, found in zip(sides, kernels, strict=True)
        for kernel in found
        if id(kernel) not in taken
    ]
    return groups, alone


def _like(kernel: Function, sides: Sequence[Side], kernels: Sequence[Sequence[Function]]) -> Group:
    """Of each side its only kernel, or the one with the name of ``kernel``."""
    group = []
    for side, found in zip(sides, kernels, strict=True):
        chosen = found[0] if len(found) == 1 else _named_like(kernel, found)
        if chosen is None:
            raise NoSuchKernelError(
                f"{side.label}: which of its {len(found)} kernels is meant? None is the only one"
                f" called '{kernel.name}'; name it with FILE:KERNEL: {listed(found)}"
            )
        group.append(chosen)
    return tuple(group)


def _by_name(kernel: Function, kernels: Sequence[Sequence[Function]]) -> Group | None:
    """The kernels of all sides with the name of one of the first side's; None if one has none."""
    found = [_named_like(kernel, each, kernels[0]) for each in kernels[1:]]
    others = [each for each in found if each is not None]
    return (kernel, *others) if len(others) == len(found) else None


def _named_like(
    kernel: Function, among: Sequence[Function], own: Sequence[Function] = ()
) -> Function | None:
    """The kernel with the same signature, or else the only one with the same name.

    ``own`` are the kernels beside the one that is looked for: it, too, is to be the only one.
    """
    ways: Sequence[Callable[[Function], str]] = (
        lambda each: f"{each.qualified_name} {signature(each)}",
        lambda each: each.qualified_name,
        lambda each: each.name,
    )
    for name_of in ways:
        found, here = (
            [each for each in kernels if name_of(each) == name_of(kernel)]
            for kernels in (among, own or (kernel,))
        )
        if len(found) == len(here) == 1:
            return found[0]
    return None
