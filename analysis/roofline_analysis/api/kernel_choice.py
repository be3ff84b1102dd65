"""The kernels of a file that a person means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.api.entry import kernels_of_file
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.names.signature import signature
from roofline_core.program.errors import RooflineError
from roofline_core.program.units import Function
from roofline_core.settings import suggestion

_MOST_NAMED: Final = 20
"""The most kernels that a message names."""


class NoSuchKernelError(RooflineError):
    """A name or line that means no kernel of the file, or several."""


def chosen_kernels(
    analysis: ProgramAnalysis, path: Path, name: str | None, line: int | None
) -> list[Function]:
    """The kernel of this name, or all of the file for None; ``line`` is looked at without a name.

    A name is an identifier, a qualified name, a part of either or of the signature, or what a
    profiler prints. Raises NoSuchKernelError where there is no kernel, or several fit.
    """
    kernels = kernels_of_file(analysis, path)
    if not kernels:
        raise NoSuchKernelError(
            f"{path}: no kernel is defined in this file; name the file that defines it"
        )
    if name is not None:
        return [_named(analysis, path, kernels, name)]
    if line is None:
        return kernels
    around = [each for each in kernels if each.span.line <= line <= each.span.end_line]
    return around or kernels


def _named(
    analysis: ProgramAnalysis, path: Path, kernels: Sequence[Function], name: str
) -> Function:
    for fits in _ways_to_fit(name):
        found = [kernel for kernel in kernels if fits(kernel)]
        if len(found) > 1:
            raise NoSuchKernelError(
                f"{path}: '{name}' fits {len(found)} kernels; give more of the name of one, or"
                f" FILE:LINE with a line of it: {listed(found)}"
            )
        if found:
            return found[0]
    profiled = analysis.kernel_of(name)
    if profiled is not None and profiled.path == path:
        return profiled
    raise NoSuchKernelError(
        f"{path}: no kernel has '{name}' in its name"
        f"{suggestion(name, [each.name for each in kernels])}; the file has {listed(kernels)}"
    )


def _ways_to_fit(name: str) -> Sequence[Callable[[Function], bool]]:
    """The closest way first."""
    return (
        lambda kernel: name in (kernel.qualified_name, signature(kernel)),
        lambda kernel: name == kernel.name,
        lambda kernel: name in kernel.qualified_name,
        lambda kernel: name in signature(kernel),
    )


def listed(kernels: Sequence[Function]) -> str:
    """``saxpy(int, float *) at line 12, axpy(int) at line 20``."""
    names = [f"{signature(each)} at line {each.name_span.line}" for each in kernels]
    left = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {left} more" if left > 0 else "")
