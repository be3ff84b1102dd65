"""Kernels that a program has and never launches.

Nothing fixes their sizes, and what they could save, no run of the program saves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Final

from roofline_analysis.host.values import LaunchContext
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.rules.node_index import names_in
from roofline_core.program.units import Dialect, Function

_LAUNCHED_BY_NAME: Final = (Dialect.CUDA, Dialect.HIP)
_UNITS: Final = frozenset((".c", ".cc", ".cpp", ".cu", ".cxx", ".hip"))
"""Suffixes of files that are compiled on their own, so that they have their kernels' launches."""


class NamedKernels:
    """Which kernels the code of a program names, as far as ``main`` may come to it.

    The program is searched once, when a kernel is first asked for.
    """

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols

    def is_never_launched(self, kernel: Function, launches: Sequence[LaunchContext]) -> bool:
        """Whether no code of the program names a kernel that it would have to name for a launch.

        Code counts that ``main`` may come to, by the names of functions. ``launches`` are the
        program's. False where that code may lie elsewhere: the program has no
        ``main``, and the kernel's file is a header or launches nothing itself.
        """
        if kernel.dialect not in _LAUNCHED_BY_NAME or not launches:
            return False
        is_source = kernel.path.suffix.lower() in _UNITS
        launches_here = is_source and any(each.path == kernel.path for each in launches)
        if not self._has_main and not launches_here:
            return False
        naming = (*self._naming.get(kernel.name, ()), *self._naming.get(None, ()))
        if not all(_is_version_of(kernel, function) for function in naming):
            return False
        return kernel.name not in self._in_globals

    @cached_property
    def _has_main(self) -> bool:
        return any(each.has_body for each in self._symbols.functions.get("main", ()))

    @cached_property
    def _naming(self) -> Mapping[str | None, Sequence[Function]]:
        """The functions that name a kernel, by its name; by None those that may name any."""
        symbols = self._symbols
        kernels = {each.name for each in symbols.all_functions if each.is_kernel}
        found: dict[str | None, list[Function]] = {}
        for function in self._called() if self._has_main else symbols.all_functions:
            if function.has_body:
                words = function.words
                for name in (None,) if words is None else kernels & words:
                    found.setdefault(name, []).append(function)
        return found

    @cached_property
    def _in_globals(self) -> frozenset[str]:
        """The names in the variables outside functions."""
        entries = chain.from_iterable(self._symbols.globals.values())
        return frozenset(name for entry in entries for name in names_in(entry.variable))

    def _called(self) -> Iterable[Function]:
        """The functions that ``main`` may come to: those named from there, and all methods."""
        everything = self._symbols.all_functions
        by_name: dict[str, list[Function]] = {}
        for each in everything:
            by_name.setdefault(each.name, []).append(each)
        waiting = [each for each in everything if each.name == "main" or each.owner]
        for name in self._in_globals.intersection(by_name):
            waiting += by_name[name]
        found = dict.fromkeys(waiting)
        while waiting:
            words = waiting.pop().words
            if words is None:
                return everything
            for name in words.intersection(by_name):
                more = [each for each in by_name[name] if each not in found]
                found |= dict.fromkeys(more)
                waiting += more
        return found


def _is_version_of(kernel: Function, function: Function) -> bool:
    return function.name == kernel.name and function.is_kernel
