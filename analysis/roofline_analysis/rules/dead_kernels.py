"""Kernels that a program has and never launches.

Nothing fixes their sizes, and what they could save, no run of the program saves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from roofline_analysis.host.values import LaunchContext
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.rules.node_index import names_in
from roofline_core.program.units import Dialect, Function

_LAUNCHED_BY_NAME: Final = (Dialect.CUDA, Dialect.HIP)
_UNITS: Final = frozenset((".c", ".cc", ".cpp", ".cu", ".cxx", ".hip"))
"""Suffixes of files that are compiled on their own, so that they have their kernels' launches."""


def is_never_launched(
    kernel: Function, symbols: Symbols, launches: Sequence[LaunchContext]
) -> bool:
    """Whether no code of a program names a kernel that it would have to name for a launch.

    Code counts that ``main`` may come to, by the names of functions. ``launches`` are the
    program's. False where that code may lie elsewhere: the program has no
    ``main``, and the kernel's file is a header or launches nothing itself.
    """
    if kernel.dialect not in _LAUNCHED_BY_NAME or not launches:
        return False
    has_main = any(each.has_body for each in symbols.functions.get("main", ()))
    is_source = kernel.path.suffix.lower() in _UNITS
    if not has_main and not (is_source and any(each.path == kernel.path for each in launches)):
        return False
    for function in _called(symbols) if has_main else symbols.all_functions:
        if function.has_body and not _is_version_of(kernel, function):
            if function.words is None or kernel.name in function.words:
                return False
    return not any(
        kernel.name in names_in(entry.variable)
        for entries in symbols.globals.values()
        for entry in entries
    )


def _called(symbols: Symbols) -> Iterable[Function]:
    """The functions that ``main`` may come to: those that are named from there, and all methods."""
    by_name: dict[str, list[Function]] = {}
    for each in symbols.all_functions:
        by_name.setdefault(each.name, []).append(each)
    waiting = [each for each in symbols.all_functions if each.name == "main" or each.owner]
    waiting += [
        function
        for entries in symbols.globals.values()
        for entry in entries
        for name in names_in(entry.variable)
        for function in by_name.get(name, ())
    ]
    found = dict.fromkeys(waiting)
    while waiting:
        words = waiting.pop().words
        if words is None:
            return symbols.all_functions
        for name in words & by_name.keys():
            more = [each for each in by_name[name] if each not in found]
            found |= dict.fromkeys(more)
            waiting += more
    return found


def _is_version_of(kernel: Function, function: Function) -> bool:
    return function.name == kernel.name and function.is_kernel
