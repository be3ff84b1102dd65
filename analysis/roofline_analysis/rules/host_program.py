"""The host code of one file as rules see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from roofline_analysis.host.values import LaunchContext
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.rules.model import Effect, Fix, Match, Related
from roofline_analysis.rules.node_index import (
    FunctionNodes,
    Located,
    Node,
    NodeIndex,
    all_of,
    called_name,
)
from roofline_analysis.rules.source_text import SourceText
from roofline_analysis.verdict.analyse import Target
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.program import expressions as ex
from roofline_core.program.units import Function, Span

_MOST_ALIKE: Final = 6
"""Methods of one name in different classes that are taken for one operation. Chosen."""


def _may_call(located: Located, function: Function) -> bool:
    """Whether a call of a function's name can be of that function."""
    call = located.node
    assert isinstance(call, ex.Call)
    needed = sum(1 for parameter in function.params if parameter.init is None)
    if not needed <= len(call.args) <= len(function.params):
        return False
    if isinstance(call.callee, ex.Member):
        return function.owner is not None
    if not isinstance(call.callee, ex.Name):
        return False
    if function.owner is not None and located.function.owner != function.owner:
        return False
    qualified = f"::{function.qualified_name}"
    return qualified.endswith(f"::{call.callee.name.removeprefix('::')}")


class HostLaunch:
    """A launch that is judged when a rule first needs it; many launches are never needed."""

    def __init__(self, context: LaunchContext, judge: Callable[[], BoundLaunch | None]) -> None:
        self.context = context
        self._judge = judge

    @cached_property
    def judged(self) -> BoundLaunch | None:
        """The launch as the model judges it; None where judging it would be too much work."""
        return self._judge()

    @property
    def known_time_ns(self) -> float | None:
        """The time of one run if it rests on nothing unknown; None if not, or if not judged."""
        return None if self.judged is None else self.judged.prediction.known_time_ns


class HostProgram:
    """The functions of a file that run on the host, and the launches of its program."""

    def __init__(
        self,
        path: Path,
        functions: Sequence[Function],
        launches: Callable[[], Sequence[HostLaunch]],
        table: Symbols,
        target: Target,
        index: NodeIndex,
        text: SourceText,
    ) -> None:
        self.path = path
        self.table = table
        self.target = target
        self.text = text
        self._functions = functions
        self._launches = launches
        self._index = index

    @cached_property
    def launches(self) -> Sequence[HostLaunch]:
        """All launches of the program, also those in other files."""
        return self._launches()

    @cached_property
    def functions(self) -> tuple[FunctionNodes, ...]:
        """The nodes of the host functions, by function."""
        return tuple(self._index.of(function) for function in self._functions)

    def nodes(self, *types: type[Node]) -> Iterator[Located]:
        """All expressions and statements of some types."""
        return all_of(self.functions, *types)

    def calls(self, *names: str) -> Iterator[tuple[Located, ex.Call]]:
        """Calls of functions by name."""
        for located in self.nodes(ex.Call):
            assert isinstance(located.node, ex.Call)
            if called_name(located.node) in names:
                yield located, located.node

    def nodes_of(self, function: Function) -> FunctionNodes:
        """All expressions and statements of one function."""
        return self._index.of(function)

    def calls_everywhere(self, function: Function) -> Sequence[Located]:
        """The calls of a host function in all files.

        None where it is not sure that it is meant: where functions of its name take other numbers
        of arguments. Methods of several classes that have the same ones are one operation.
        """
        named = [each for each in self.table.functions.get(function.name, ()) if each.has_body]
        alike = all(len(each.params) == len(function.params) for each in named)
        if named != [function] and not (alike and len(named) <= _MOST_ALIKE and function.owner):
            return ()
        calls = self._index.host_calls(function.name)
        return [call for call in calls if _may_call(call, function)]

    def found(
        self,
        message: str,
        line: int,
        effect: Effect | None = None,
        fix: Fix | None = None,
        related: tuple[Related, ...] = (),
        span: Span | None = None,
    ) -> Match:
        """A finding on a line of the file."""
        return Match(message, self.path, span or self.text.line_span(line), effect, fix, related)
