"""Kernels of other files that a file without any launches or includes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.report.report import KernelElsewhere
from roofline_core.program.units import Function, Program, is_stand_in


def kernels_elsewhere(analysis: ProgramAnalysis, path: Path) -> tuple[KernelElsewhere, ...]:
    """The kernels that a file's host code launches; where there are none, those that it includes.

    ``path`` is a file of the program that defines no kernel itself. Each kernel comes once.
    """
    launched = (each.kernel for each in analysis.host.launches if each.path == path)
    if found := _places(launched, path, is_launched=True):
        return found
    files = _included_by(path, analysis.program)
    included = (each for each in analysis.functions if each.path in files)
    return _places(included, path, is_launched=False)


def _places(
    kernels: Iterable[Function], path: Path, *, is_launched: bool
) -> tuple[KernelElsewhere, ...]:
    found = {
        KernelElsewhere(each.name, each.path, each.name_span.line, is_launched): None
        for each in kernels
        if each.path != path and not is_stand_in(each.path)
    }
    return tuple(found)


def _included_by(path: Path, program: Program) -> set[Path]:
    """The files that a file of a program includes, by way of others too."""
    roots = tuple(unit for unit in program.all_units() if unit.path == path)
    return {unit.path for unit in Program(roots).all_units()} - {path}
