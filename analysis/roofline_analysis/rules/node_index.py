"""The statements and expressions of a function, each with the loops and branches around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

from roofline_analysis.device.assigned import children
from roofline_analysis.language.symbols import Symbols, last_component
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.records import record
from roofline_core.program.units import Function

Loop = st.For | st.While | st.ForRange
Node = ex.Expression | st.Statement | st.Variable
Wanted = TypeVar("Wanted", bound=Node)

_MAX_FUNCTIONS = 60
"""The most device functions that are searched for one kernel."""


@record(frozen=True, slots=True, eq=False)
class Located:
    """A node with its function and the loops and branches around it."""

    node: Node
    function: Function
    loops: tuple[Loop, ...]
    """The loops around it in its function, outermost first."""
    branches: tuple[st.If, ...]
    """The ``if`` statements around it, outermost first."""
    parent: object


class FunctionNodes:
    """All nodes of one function by type, in the order of the source."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.by_type: dict[type, list[Located]] = {}
        if function.body is not None:
            self._visit(function.body, (), (), None)

    def _visit(
        self, node: object, loops: tuple[Loop, ...], branches: tuple[st.If, ...], parent: object
    ) -> None:
        cls = node.__class__
        if cls is not st.Case:
            found = Located(node, self.function, loops, branches, parent)  # type: ignore[arg-type]
            known = self.by_type.get(cls)
            if known is None:
                self.by_type[cls] = [found]
            else:
                known.append(found)
        if cls is ex.Literal or (isinstance(node, ex.Name) and _is_plain(node)):
            return  # Most nodes have none in them.
        first: object = None
        if isinstance(node, (st.For, st.While, st.ForRange)) and not _runs_once(node):
            first = node.init if isinstance(node, st.For) else None
            if first is not None:
                self._visit(first, loops, branches, node)
            loops = (*loops, node)
        if isinstance(node, st.If):
            branches = (*branches, node)
        for child in children(node):
            if child is not first:
                self._visit(child, loops, branches, node)


def _runs_once(loop: Loop) -> bool:
    """Whether it is ``do { ... } while (0)``, by which macros are one statement."""
    if not isinstance(loop, st.While) or not loop.do_first:
        return False
    return isinstance(loop.condition, ex.Literal) and not loop.condition.value


def _is_plain(name: ex.Name) -> bool:
    return name.template_args is None and not name.scope_args


def all_of(functions: tuple[FunctionNodes, ...], *types: type[Wanted]) -> Iterator[Located]:
    """The nodes of the given types in the given functions."""
    for function in functions:
        for type_ in types:
            yield from function.by_type.get(type_, ())


class NodeIndex:
    """The nodes of the functions of a program; each function is searched once."""

    def __init__(self, table: Symbols) -> None:
        self._table = table
        self._known: dict[Function, FunctionNodes] = {}
        self._calls: dict[str, list[Located]] | None = None

    def keep(self, before: NodeIndex, functions: Iterable[Function]) -> None:
        """Reuse another index's nodes of the functions that still exist."""
        for function in functions:
            found = before._known.get(function)
            if found is not None:
                self._known[function] = found

    def of(self, function: Function) -> FunctionNodes:
        """The nodes of one function."""
        found = self._known.get(function)
        if found is None:
            found = self._known[function] = FunctionNodes(function)
        return found

    def host_calls(self, name: str) -> Sequence[Located]:
        """The calls in host code of functions and methods of a name, without qualification."""
        if self._calls is None:
            self._calls = {}
            for function in self._table.all_functions:
                if not function.has_body or function.is_kernel:
                    continue
                for located in self.of(function).by_type.get(ex.Call, ()):
                    callee = located.node.callee if isinstance(located.node, ex.Call) else None
                    if isinstance(callee, (ex.Name, ex.Member)):
                        self._calls.setdefault(last_component(callee.name), []).append(located)
        return self._calls.get(name, ())

    def reached_from(self, kernel: Function) -> tuple[FunctionNodes, ...]:
        """The kernel's nodes, then those of the device functions that it calls, operators too."""
        reached: dict[Function, FunctionNodes] = {kernel: self.of(kernel)}
        waiting = [kernel]
        while waiting and len(reached) < _MAX_FUNCTIONS:
            nodes = self.of(waiting.pop()).by_type
            calls = (each.node for each in nodes.get(ex.Call, ()))
            called = [f for call in calls if isinstance(call, ex.Call) for f in self._callees(call)]
            for callee in (*called, *self._operators(nodes)):
                if callee not in reached:
                    reached[callee] = self.of(callee)
                    waiting.append(callee)
        return tuple(reached.values())

    def _operators(self, nodes: dict[type, list[Located]]) -> Iterator[Function]:
        """The operators that classes of the program may have for those in some nodes."""
        used = {
            each.node.op
            for kind in (ex.Binary, ex.Assign)
            for each in nodes.get(kind, ())
            if isinstance(each.node, (ex.Binary, ex.Assign))
        }
        for op in sorted(used):
            for function in self._table.functions.get(f"operator{op}", ()):
                if function.has_body and "__device__" in function.qualifiers:
                    yield function

    def _callees(self, call: ex.Call) -> Iterator[Function]:
        name = call.callee
        if isinstance(name, ex.Member):
            found = self._table.functions.get(name.name, ())
        elif isinstance(name, ex.Name):
            found = self._table.functions.get(last_component(name.name), ())
        else:
            return
        for function in found:
            if (
                function.has_body
                and "__device__" in function.qualifiers
                and len(function.params) >= len(call.args)
            ):
                yield function


def called_name(call: ex.Call) -> str | None:
    """The name that a call spells, without qualification; None for a computed callee."""
    return last_component(call.callee.name) if isinstance(call.callee, ex.Name) else None


def within(node: object) -> Iterator[object]:
    """A node and all inside it."""
    yield node
    for child in children(node):
        yield from within(child)


def names_in(node: object) -> set[str]:
    """The plain names that an expression or statement mentions."""
    return {each.name for each in within(node) if isinstance(each, ex.Name)}


def same(one: object, other: object) -> bool:
    """Whether two expressions have the same syntax tree."""
    if type(one) is not type(other):
        return False
    if isinstance(one, ex.Name) and isinstance(other, ex.Name):
        return one.name == other.name
    if isinstance(one, ex.Literal) and isinstance(other, ex.Literal):
        return one.value == other.value and one.type_name == other.type_name
    for attribute in ("op", "name"):
        if getattr(one, attribute, None) != getattr(other, attribute, None):
            return False
    mine, theirs = list(children(one)), list(children(other))
    return len(mine) == len(theirs) and all(map(same, mine, theirs))


_IMPURE: Final = (ex.Call, ex.Assign, ex.Update, ex.Lambda, ex.Assembly, ex.Unknown, ex.New)


def is_pure(node: object) -> bool:
    """Whether evaluating an expression twice is the same as once: no call, no assignment."""
    return not any(isinstance(each, _IMPURE) for each in within(node))
