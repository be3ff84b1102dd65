"""The possible effects of host code, from its syntax alone: launches, assignments, exits.

The execution skips code without effect on launches. Functions and variables are looked up by simple
name, so the answers err towards "can launch" and "is assigned".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from pathlib import Path
from typing import Final

from roofline_analysis.host.effects.gathering import gathered
from roofline_analysis.host.effects.launch_words import called_by, first_word, may_launch, suspects
from roofline_analysis.host.effects.node_effects import (
    Effects,
    effects_of,
    function_effects,
    handed_over,
    root_name,
)
from roofline_analysis.host.effects.traversal import Node, walk
from roofline_analysis.language.symbols import Symbols, last_component
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.units import Function

_HOST_ONLY_SKIP: Final = frozenset(("__global__", "__device__"))


def runs_on_host(function: Function) -> bool:
    """Whether the host may call a function."""
    return "__host__" in function.qualifiers or not (function.qualifiers & _HOST_ONLY_SKIP)


class Reach:
    """Effects of functions and statements, each computed once, and which code can launch."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._effects: dict[Node, Effects] = {}
        self._launching: set[str] | None = None
        self._launching_words: frozenset[str] = frozenset()
        self._can_launch: dict[Function, bool] = {}
        self._word_sets: dict[int, frozenset[str]] = {}
        self._globals: dict[int, frozenset[str]] = {}
        self._ending: dict[str, bool] = {}
        self._reading: dict[Node, bool] = {}
        self._gathered: dict[st.Statement, tuple[str, ...]] = {}
        self._handed_on: dict[str, list[tuple[ex.Name, Path]]] = {}

    def effects(self, node: Node) -> Effects:
        """The effects of a statement or expression."""
        found = self._effects.get(node)
        if found is None:
            found = self._effects[node] = effects_of(node)
        return found

    @property
    def launching(self) -> set[str]:
        """Simple names of host functions and classes that lead to a launch."""
        if self._launching is None:
            self._launching = self._propagate()
        return self._launching

    def _propagate(self) -> set[str]:
        return self.leading_to(lambda _: True)

    def leading_to(self, wanted: Callable[[ex.Expression | st.Offload], bool]) -> set[str]:
        """Simple names of host functions and classes that lead to a launch that is wanted."""
        return self._spread(
            [
                name
                for function in self._suspects()
                if any(map(wanted, self.sites(function)))
                for name in called_by(function)
            ]
        )

    def launching_on_device(self, words: Set[str]) -> set[str]:
        """These words, and the names of device functions with launches that lead to them."""
        found = set(words)
        launching = [
            (f, used)
            for f in self._symbols.all_functions
            if not runs_on_host(f) and f.has_body
            if (used := self._words(f)) is not None and may_launch(used)
        ]
        while more := {f.name for f, used in launching if not used.isdisjoint(found)} - found:
            found |= more
        return found

    def leading_to_words(self, words: Set[str], files: Set[Path]) -> set[str] | None:
        """Simple names of host functions and classes that lead to a use of one of the words.

        Host functions of ``files`` lead to all of them, and words of texts in quotes are used, too.
        None where one of the words is used nowhere, so that nobody can say what leads to it.
        """
        work: list[str] = []
        left = set(words)
        for function in self._host_functions:
            used: Set[str] | None = self._words(function)
            if used is None:
                used = function_effects(function).mentions
            if function.path in files or not used.isdisjoint(words):
                work += called_by(function)
                left -= used
        for name, entries in self._symbols.globals.items():
            for entry in entries:
                if entry.variable.init is None:
                    continue
                mentions = self.effects(entry.variable.init).mentions
                if not mentions.isdisjoint(words):
                    work.append(name)
                    left -= mentions
        return None if left else self._spread(work)

    def _spread(self, work: list[str]) -> set[str]:
        """These names, and those of all that lead to them."""
        reached: set[str] = set()
        while work:
            name = work.pop()
            if name not in reached:
                reached.add(name)
                work.extend(self._mentioned_by.get(name, ()))
        return reached

    @cached_property
    def _mentioned_by(self) -> dict[str, list[str]]:
        """The names of the functions and tables that mention a name, of those that may launch."""
        found: dict[str, list[str]] = {}
        for function in self._suspects():
            if function.body is not None:
                for name in called_by(function):
                    for mention in function_effects(function).mentions:
                        found.setdefault(mention, []).append(name)
        for table, held in self._tables.items():
            for name in held:
                found.setdefault(name, []).append(table)
        return found

    @cached_property
    def _tables(self) -> dict[str, set[str]]:
        """Variables outside functions that hold host functions, with the functions' names."""
        tables: dict[str, set[str]] = {}
        for name, entries in self._symbols.globals.items():
            for entry in entries:
                if entry.variable.init is None:
                    continue
                for mention in effects_of(entry.variable.init).mentions:
                    if any(map(runs_on_host, self._symbols.functions.get(mention, ()))):
                        tables.setdefault(name, set()).add(mention)
        return tables

    def gathered(self, body: st.Statement) -> tuple[str, ...]:
        """What a loop's body counts up to the dimensions of a launch, which not each trip makes."""
        found = self._gathered.get(body)
        if found is None:
            found = self._gathered[body] = tuple(sorted(gathered(body, self.effects(body))))
        return found

    @cached_property
    def instances_held(self) -> Mapping[str, Sequence[tuple[ex.Name, Path]]]:
        """What variables outside functions name with template arguments, by simple name."""
        found: dict[str, list[tuple[ex.Name, Path]]] = {}
        for entries in self._symbols.globals.values():
            for entry in entries:
                for node in walk(entry.variable.init):
                    if isinstance(node, ex.Name) and node.template_args:
                        simple = node.name.rpartition("::")[2]
                        found.setdefault(simple, []).append((node, entry.path))
        return found

    def instances_handed_on(self, name: str) -> list[tuple[ex.Name, Path]]:
        """Where host functions name a template with arguments, not calling it: ``return f<4>``."""
        if name not in self._handed_on:
            self._handed_on[name] = self._found_handed_on(name)
        return self._handed_on[name]

    def _found_handed_on(self, name: str) -> list[tuple[ex.Name, Path]]:
        found: list[tuple[ex.Name, Path]] = []
        for function in self._host_functions:
            words = self._words(function)
            if words is not None and name not in words:
                continue
            nodes = list(walk(function.body))
            called = {id(node.callee) for node in nodes if isinstance(node, ex.Call)}
            called |= {id(node.kernel) for node in nodes if isinstance(node, ex.Launch)}
            found += [
                (node, function.path)
                for node in nodes
                if isinstance(node, ex.Name) and node.template_args and id(node) not in called
                if node.name.rpartition("::")[2] == name
            ]
        return sorted(found, key=lambda each: (each[1], each[0].line))

    def _suspects(self) -> list[Function]:
        """The host functions that may lead to a launch, judged by the words of their texts."""
        return suspects(self._host_functions, self._words, self._tables)

    @cached_property
    def _host_functions(self) -> list[Function]:
        """The functions that the host may call and whose bodies the program has."""
        return [f for f in self._symbols.all_functions if runs_on_host(f) and f.has_body]

    def _words(self, function: Function) -> frozenset[str] | None:
        """The words of a function's body and initialisers; None if the body must be parsed."""
        found = self._word_sets.get(id(function))
        if found is None and (words := function.words) is not None:
            given = [a for _, args in function.initializers for a in args]
            found = words.union(*(effects_of(a).mentions for a in given)) if given else words
            self._word_sets[id(function)] = found
        return found

    def sites(self, function: Function) -> Sequence[ex.Expression | st.Offload]:
        """The launches in a function's body."""
        words = self._words(function)
        if words is not None and not may_launch(words):
            return ()
        return function_effects(function).launches

    def called(self, names: set[str]) -> set[str]:
        """All names mentioned in host functions that mention any of ``names``; not their own.

        What is only handed to a method, as to a module that Python imports, is not called there.
        """
        keys = {first_word(name) for name in names}
        found: set[str] = set()
        for function in self._host_functions:
            words = self._words(function)
            if words is None or not words.isdisjoint(keys):
                effects = function_effects(function)
                found |= effects.mentions - {function.name} - handed_over(effects)
        return found

    def all_sites(self, node: Node) -> Iterator[ex.Expression | st.Offload]:
        """The launches that executing a node may reach, including those in called functions."""
        effects = self.effects(node)
        yield from effects.launches
        names = effects.mentions & self.launching
        seen: set[str] = set()
        while names:
            seen |= names
            further: set[str] = set()
            for name in sorted(names):
                for function in self._symbols.functions.get(name, ()):
                    yield from self.sites(function)
                    further |= function_effects(function).mentions
            names = (further & self.launching) - seen

    def can_launch(self, node: Node) -> bool:
        """Whether executing a node may launch a kernel."""
        effects = self.effects(node)
        return bool(effects.launches) or not effects.mentions.isdisjoint(self.launching)

    def function_can_launch(self, function: Function) -> bool:
        """Whether calling a function may launch a kernel."""
        found = self._can_launch.get(function)
        if found is None:
            found = self._can_launch[function] = self._may_lead_on(function)
        return found

    def _may_lead_on(self, function: Function) -> bool:
        """Whether a function launches, or mentions what leads to a launch."""
        words = self._words(function)
        if words is not None and not may_launch(words):
            launching = self.launching
            if launching and not self._launching_words:
                self._launching_words = frozenset(map(first_word, launching))
            if words.isdisjoint(self._launching_words):
                return False
        effects = function_effects(function)
        return bool(effects.launches) or not effects.mentions.isdisjoint(self.launching)

    def may_read(self, node: Node | None) -> bool:
        """Whether executing a node may read from a file or move within one."""
        if node is None:
            return False
        found = self._reading.get(node)
        if found is None:
            self._reading[node] = False  # while its own calls of itself are followed
            mentions = self.effects(node).mentions
            found = self._reading[node] = (
                not mentions.isdisjoint(READING_CALLS)
                or any(map(_extracts, walk(node)))
                or any(
                    runs_on_host(function) and self.may_read(function.body)
                    for name in sorted(mentions)
                    for function in self._symbols.functions.get(name, ())
                )
            )
        return found

    def assigned_globals(self, function: Function, depth: int = 0) -> frozenset[str]:
        """Names that a function or its callees assign without declaring them."""
        found = self._globals.get(id(function))
        if found is not None:
            return found
        self._globals[id(function)] = frozenset()
        effects = function_effects(function)
        names = set(effects.names)
        for store in effects.stores:
            root = root_name(store)
            if root is not None:
                names.add(root)
        names -= effects.declared
        names -= {parameter.name for parameter in function.params}
        if depth < 8:
            for call in effects.calls:
                if isinstance(call.callee, ex.Name):
                    simple = last_component(call.callee.name)
                    for callee in self._symbols.functions.get(simple, ())[:4]:
                        if runs_on_host(callee):
                            names |= self.assigned_globals(callee, depth + 1)
        result = frozenset(names)
        self._globals[id(function)] = result
        return result

    def leaves(self, statement: st.Statement | None, *, program: bool = False) -> bool:
        """Whether a branch surely ends the function or loop around it (or the ``program``)."""
        if isinstance(statement, st.Block):
            return any(self.leaves(part, program=program) for part in statement.body)
        if isinstance(statement, (st.Return, st.Break, st.Continue, st.Goto)):
            return not program
        if isinstance(statement, st.Evaluate):
            return self._ends_program(statement.expression)
        if isinstance(statement, st.Opaque):
            return statement.text.lstrip().startswith("throw")
        if isinstance(statement, st.If) and statement.otherwise is not None:
            return self.leaves(statement.then, program=program) and self.leaves(
                statement.otherwise, program=program
            )
        return False

    def _ends_program(self, expression: ex.Expression) -> bool:
        if isinstance(expression, ex.Unknown):
            return expression.text.lstrip().startswith("throw")
        if not (isinstance(expression, ex.Call) and isinstance(expression.callee, ex.Name)):
            return False
        name = last_component(expression.callee.name)
        if name in _ENDS:
            return True
        known = self._ending.get(name)
        if known is None:
            self._ending[name] = False
            functions = [f for f in self._symbols.functions.get(name, ()) if runs_on_host(f)]
            known = any(self.leaves(f.body, program=True) for f in functions) or (
                _ENDS_BY_NAME.search(name) is not None and not any(f.has_body for f in functions)
            )
            self._ending[name] = known
        return known


def _extracts(node: Node) -> bool:
    """Whether a node may be a stream's ``>>``: a shift by a number that is written out is not."""
    return (
        isinstance(node, ex.Binary) and node.op == ">>" and not isinstance(node.right, ex.Literal)
    )


READING_CALLS: Final = frozenset(
    (
        "fscanf scanf fgets gets fgetc getc getchar getline fread read get ignore peek ungetc "
        "fseek fseeko rewind seekg gzread pread istream_iterator istreambuf_iterator rdbuf"
    ).split()
)
"""Simple names of functions and methods that read from a file or move within it."""
_ENDS: Final = frozenset(
    ("exit", "_exit", "abort", "quick_exit", "terminate", "_Exit", "__assert_fail", "errx", "err")
)
_ENDS_BY_NAME: Final = re.compile(r"(?:^|_)(?:abort|fatal|panic|die)(?:_|$)|(?:Abort|Fatal|Panic)$")
"""Functions without a body of which the name says that they do not return: ``lib_abort``."""
