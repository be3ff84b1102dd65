"""The variables that a loop's body changes, and how, from its syntax alone."""

from __future__ import annotations

import dataclasses
import re
from itertools import chain
from typing import Final

from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.by_node import ByNode
from roofline_core.program.records import record


@record(frozen=True, slots=True)
class Assignment:
    """One assignment to a plain variable."""

    name: str
    op: str
    """``=``, ``+=`` ..., ``++`` or ``--``; ``&`` where its address is passed to a call.

    ``?`` where the variable itself is passed to a call, perhaps by reference, or a method of it is
    called; ``value`` is then the call.
    """
    value: ex.Expression | None
    conditional: bool
    """The assignment is inside a branch or an inner loop."""
    whole: bool = True
    """False if only a field or an element of the variable changes."""
    target: ex.Expression | None = None
    """What is assigned to; None where the variable is passed to a call."""
    guard: ex.Expression | None = None
    """The condition of the only branch around a conditional assignment, which is taken where it
    holds; None where there are several, or an inner loop."""


@record(frozen=True, slots=True)
class BodyFacts:
    """What the statements of a loop body do, without evaluating anything."""

    changes: tuple[Assignment, ...]
    declared: frozenset[str]
    """Names that the body itself declares: they have no value before it."""
    stores: frozenset[str]
    """Names subscripted or dereferenced as the target of an assignment."""
    has_loop: bool
    has_call: bool
    size: int
    """Number of syntax-tree nodes, with those of inner loops for each trip where that is a
    literal: compilers unroll these first."""

    def of(self, name: str) -> list[Assignment]:
        """The changes to one variable."""
        return [change for change in self.changes if change.name == name]


def body_facts(node: st.Statement) -> BodyFacts:
    """The facts of a statement, remembered while its program is analysed."""
    found = _FACTS.get(id(node))
    if found is not None and found[0] is node:
        return found[1]
    collector = _AssignmentCollector()
    collector.visit(node, conditional=False)
    facts = BodyFacts(
        tuple(collector.changes),
        frozenset(collector.declared),
        frozenset(collector.stores),
        collector.has_loop,
        collector.has_call,
        collector.size,
    )
    if len(_FACTS) > 4096:
        _FACTS.clear()
    _FACTS[id(node)] = (node, facts)
    return facts


def jumps(node: object) -> bool:
    """Whether a loop's body has a ``break`` or ``continue`` of that loop."""
    if isinstance(node, (st.Break, st.Continue)):
        return True
    if isinstance(node, (st.For, st.While, st.ForRange, ex.Expression)):
        return False
    return any(jumps(child) for child in children(node))


def skips(node: object, *, inside: bool = False) -> bool:
    """Whether a trip of a loop can leave out a part of its body: ``continue``, ``goto``.

    ``inside`` another loop of the body, ``continue`` leaves out a part of that one.
    """
    if isinstance(node, st.Goto) or (isinstance(node, st.Continue) and not inside):
        return True
    if isinstance(node, ex.Expression):
        return False
    inside = inside or isinstance(node, (st.For, st.While, st.ForRange))
    return any(skips(child, inside=inside) for child in children(node))


def only_reads(node: ex.Expression) -> bool:
    """Whether evaluating an expression changes no variable: nothing is assigned or called."""
    found = _READS.get(id(node))
    if found is not None and found[0] is node:
        return found[1]
    plain = isinstance(node, _READING) and all(
        only_reads(child) for child in children(node) if isinstance(child, ex.Expression)
    )
    if len(_READS) > 65536:
        _READS.clear()
    _READS[id(node)] = (node, plain)
    return plain


_READING = (ex.Name, ex.Literal, ex.Member, ex.Index, ex.Binary, ex.Unary, ex.Cast)
_READS: ByNode[bool] = ByNode()
_FACTS: ByNode[BodyFacts] = ByNode()
_NOTED = frozenset(
    (
        *(ex.Assign, ex.Update, ex.Call, ex.Conditional, ex.Assembly),
        *(st.Variable, st.For, st.While, st.ForRange, st.If, st.Switch),
    )
)
"""The classes of nodes from which facts are collected."""


_MOST_WRITTEN_TRIPS = 128
"""A loop of more trips is not unrolled whole, and counts once."""


def written_trips(node: st.For) -> int:
    """The trips of a loop to a literal, taken to begin at 0 and to go by 1; 1 for others."""
    test = node.condition
    bound = test.right if isinstance(test, ex.Binary) else None
    known = bound.value if isinstance(bound, ex.Literal) else None
    return known if isinstance(known, int) and 0 < known <= _MOST_WRITTEN_TRIPS else 1


class _AssignmentCollector:
    def __init__(self) -> None:
        self.changes: list[Assignment] = []
        self.stores: set[str] = set()
        self.declared: set[str] = set()
        self.has_loop = False
        self.has_call = False
        self.size = 0
        self._guard: ex.Expression | None = None

    def visit(self, node: object, *, conditional: bool) -> None:
        """Note what a node and its parts assign, store to and declare, and add up its size.

        ``conditional`` says that the node may not be executed. The size counts nodes, the body of a
        loop as often as its written bounds say.
        """
        self.size += 1
        if node.__class__ not in _NOTED:
            pass
        elif isinstance(node, (ex.Assign, ex.Update)):
            self._assignment(node, conditional=conditional)
        elif isinstance(node, ex.Call):
            self._call(node, conditional=conditional)
        elif isinstance(node, ex.Assembly):
            self._outputs(node, conditional=conditional)
        elif isinstance(node, st.Variable):
            self.declared.add(node.name)
        elif isinstance(node, (st.For, st.While, st.ForRange)):
            self.has_loop = True
            conditional = True
        elif isinstance(node, (st.If, st.Switch, ex.Conditional)):
            self._branches(node, conditional=conditional)
            return
        before, guard = self.size, self._guard
        if isinstance(node, (st.For, st.While, st.ForRange)):
            self._guard = None
        for child in children(node):
            self.visit(child, conditional=conditional)
        self._guard = guard
        if isinstance(node, st.For):
            self.size += (written_trips(node) - 1) * (self.size - before)

    def _branches(self, node: st.If | st.Switch | ex.Conditional, *, conditional: bool) -> None:
        head = node.value if isinstance(node, st.Switch) else node.condition
        self.visit(head, conditional=conditional)
        guard = self._guard
        alone = node.then if isinstance(node, st.If) and not conditional else None
        for child in children(node):
            if child is not head:
                self._guard = head if child is alone else None
                self.visit(child, conditional=True)
        self._guard = guard

    def _assignment(self, node: ex.Assign | ex.Update, *, conditional: bool) -> None:
        target, whole = _root(node.target)
        if target is None:
            return
        if isinstance(node, ex.Update):
            value = None
        else:
            value = node.value
        self.changes.append(
            Assignment(target, node.op, value, conditional, whole, node.target, self._guard)
        )
        if not whole:
            self.stores.add(target)

    def _outputs(self, node: ex.Assembly, *, conditional: bool) -> None:
        for output in node.outputs:
            target, whole = _root(output)
            if target is not None:
                change = Assignment(target, "=", None, conditional, whole, target=output)
                self.changes.append(change)
                if not whole:
                    self.stores.add(target)

    def _call(self, node: ex.Call, *, conditional: bool) -> None:
        self.has_call = True
        for arg in node.args:
            if isinstance(arg, ex.Unary) and arg.op == "&":
                target, whole = _root(arg.operand)
                if target is not None:
                    self.changes.append(Assignment(target, "&", None, conditional, whole))
                    self.stores.add(target)
            elif isinstance(arg, ex.Name):
                # The parameter may be a reference.
                self.changes.append(Assignment(arg.name, "?", node, conditional))
        if isinstance(node.callee, ex.Member) and isinstance(node.callee.base, ex.Name):
            self.changes.append(Assignment(node.callee.base.name, "?", node, conditional))
        elif isinstance(node.callee, ex.Name):
            # It may name an object whose ``operator()`` is called.
            self.changes.append(Assignment(node.callee.name, "?", node, conditional))


def _root(node: ex.Expression) -> tuple[str | None, bool]:
    """The variable behind an assignment's target, and whether it is assigned whole."""
    whole = True
    while True:
        if isinstance(node, ex.Name):
            return node.name, whole
        if isinstance(node, (ex.Index, ex.Member)):
            node, whole = node.base, False
        elif isinstance(node, ex.Unary) and node.op == "*":
            node, whole = node.operand, False
        elif isinstance(node, ex.Cast):
            node = node.operand
        elif isinstance(node, (ex.Update, ex.Assign)):
            node = node.target
        elif isinstance(node, ex.Binary):
            node, whole = node.left, False
        else:
            return None, False


def _with_subclasses(cls: type) -> list[type]:
    below: list[type] = cls.__subclasses__()
    return [cls, *chain.from_iterable(map(_with_subclasses, below))]


_NODES: Final = frozenset(
    chain.from_iterable(map(_with_subclasses, (ex.Expression, st.Statement, st.Variable, st.Case)))
)
"""All classes of nodes."""
_PLAIN: Final = frozenset(("str", "int", "float", "bool", "None"))
_WORD: Final = re.compile(r"\w+")
_PARTS: Final[dict[type, tuple[str, ...]]] = {}
"""The fields of each class of nodes that may hold nodes, found when the first one is met."""


def _parts_of(cls: type) -> tuple[str, ...]:
    fields = (f for f in dataclasses.fields(cls) if f.name not in ("line", "type"))
    found = tuple(f.name for f in fields if not _PLAIN.issuperset(_WORD.findall(str(f.type))))
    _PARTS[cls] = found
    return found


def children(node: object) -> list[object]:
    """The expressions, statements and variables directly inside a node."""
    cls = node.__class__
    names = _PARTS.get(cls)
    if names is None:
        names = _parts_of(cls)
    found: list[object] = []
    for name in names:
        value = getattr(node, name)
        if value is None:
            continue
        if value.__class__ is tuple:
            for item in value:
                if item.__class__ in _NODES:
                    found.append(item)
        elif value.__class__ in _NODES:
            found.append(value)
    return found
