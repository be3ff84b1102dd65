"""Launches that no GPU takes, as problems."""

from __future__ import annotations

from collections.abc import Iterable

from roofline_analysis.host.values import LaunchContext
from roofline_analysis.launch.impossible import launch_fault
from roofline_core.program.units import Problem, Severity


def launch_errors(name: str, contexts: Iterable[LaunchContext]) -> list[Problem]:
    """An error for each launch of a kernel whose grid or block is known and cannot be."""
    found = []
    for context in contexts:
        fault = launch_fault(context)
        if fault is not None:
            message = f"this launch of '{name}' fails: {fault}"
            found.append(Problem(Severity.ERROR, message, context.path, context.line))
    return found
