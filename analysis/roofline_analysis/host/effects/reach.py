"""The possible effects of host code, from its syntax alone: launches, assignments, exits.

The execution skips code without effect on launches. Functions and variables are looked up by simple
name, so the answers err towards "can launch" and "is assigned".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from roofline_analysis.host.effects.gpu_library_names import runs_kernels
from roofline_analysis.host.effects.launch_words import called_by, first_word, may_launch, suspects
from roofline_analysis.language.opencl_headers import ENQUEUE_ARGS, LAUNCH_CALLS, READ_POINTERS
from roofline_analysis.language.symbols import Symbols, last_component
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.directives import Section
from roofline_core.program.units import Function

_CHILDREN: Final[dict[type, tuple[str, ...]]] = {
    ex.Unary: ("operand",),
    ex.Update: ("target",),
    ex.Binary: ("left", "right"),
    ex.Assign: ("target", "value"),
    ex.Conditional: ("condition", "then", "otherwise"),
    ex.Call: ("callee", "args"),
    ex.Index: ("base", "index"),
    ex.Member: ("base",),
    ex.Cast: ("operand",),
    ex.InitList: ("items",),
    ex.Construct: ("args",),
    ex.New: ("count", "args"),
    ex.Lambda: ("params", "body"),
    ex.Launch: (
        *("kernel", "grid", "block", "shared_bytes", "stream", "args", "packed_args", "config"),
    ),
    ex.Unknown: ("parts",),
    st.Variable: ("init", "ctor_args"),
    st.Block: ("body",),
    st.Declare: ("variables",),
    st.Evaluate: ("expression",),
    st.If: ("init", "condition", "then", "otherwise"),
    st.For: ("init", "condition", "step", "body"),
    st.ForRange: ("variable", "range", "body"),
    st.While: ("condition", "body"),
    st.Case: ("value", "body"),
    st.Switch: ("value", "cases"),
    st.Return: ("value",),
    st.Label: ("body",),
    st.Opaque: ("parts",),
    st.Directed: ("body",),
    st.Offload: ("args", "teams", "thread_limit", "threads", "trips"),
}

Node = ex.Expression | st.Statement | st.Variable | st.Case


def walk(root: Node | None) -> Iterator[Node]:
    """The node and all below it, in no particular order."""
    stack: list[Node] = [] if root is None else [root]
    children = _CHILDREN
    while stack:
        node = stack.pop()
        yield node
        names = children.get(type(node))
        if names is not None:
            for name in names:
                child = getattr(node, name)
                if child is None:
                    continue
                if type(child) is tuple:
                    stack.extend(child)
                else:
                    stack.append(child)


@dataclass(slots=True, eq=False)
class Effects:
    """The possible effects of executing a node."""

    names: set[str] = field(default_factory=set)
    """Variables that are assigned, updated or passed by address."""
    stores: list[ex.Expression] = field(default_factory=list)
    """Bases of subscripts, dereferences and members that are assigned."""
    calls: list[ex.Call] = field(default_factory=list)
    declared: set[str] = field(default_factory=set)
    """Variables declared within."""
    mentions: set[str] = field(default_factory=set)
    """Simple names of functions, methods and types that may be called."""
    launches: list[ex.Expression | st.Offload] = field(default_factory=list)
    only_read: set[ex.Expression] = field(default_factory=set)
    """Addresses passed to library functions that only read through them."""
    allocates: bool = False
    returns: bool = False
    """Whether a value may be returned."""
    left: bool = False
    """Whether control may leave the function, with or without a value."""
    jumps: bool = False
    """Whether control may leave the loop around: ``break``, ``continue``, ``goto``, a return."""
    loops: int = 0
    """The number of ``for`` and ``while`` loops inside; range loops do not count."""
    pointers: list[st.Variable] = field(default_factory=list)
    """Pointers declared within."""
    statements: int = 0


_ALLOCATORS: Final = frozenset(
    (
        "malloc calloc realloc aligned_alloc make_unique make_shared resize push_back "
        "emplace_back reserve fopen posix_memalign cudaMalloc open cudaMallocHost "
        "cudaMallocManaged cudaHostAlloc hipMalloc append insert clCreateBuffer "
        "clCreateKernel clSetKernelArg setArg clCreateImage clCreateImage2D clSVMAlloc"
    ).split()
)


def root_name(expression: ex.Expression) -> str | None:
    """The variable of which an lvalue is a part; None if there is none."""
    while True:
        if isinstance(expression, ex.Name):
            return expression.name
        if isinstance(expression, (ex.Index, ex.Member, Section)):
            expression = expression.base
        elif isinstance(expression, (ex.Unary, ex.Cast)):
            expression = expression.operand
        else:
            return None


def effects_of(root: Node | None) -> Effects:
    """The effects of a node, calls not followed."""
    effects = Effects()
    mentions = effects.mentions
    for node in walk(root):
        kind = type(node)
        if kind is ex.Name:
            mentions.add(node.name)  # type: ignore[union-attr]
        elif kind is not ex.Literal and kind is not ex.Index:
            note = _NOTES.get(kind)
            if note is not None:
                note(effects, node)
    effects.mentions = {name.rpartition("::")[2] for name in mentions}
    return effects


def _note_assignment(effects: Effects, node: ex.Assign | ex.Update) -> None:
    _note_target(effects, node.target)


def _note_unary(effects: Effects, node: ex.Unary) -> None:
    if node.op == "&" and node not in effects.only_read:
        _note_target(effects, node.operand)


def _note_binary(effects: Effects, node: ex.Binary) -> None:
    if node.op == ">>":
        _note_target(effects, node.right)


def _note_member(effects: Effects, node: ex.Member) -> None:
    effects.mentions.add(node.name)


def _note_call(effects: Effects, node: ex.Call) -> None:
    effects.calls.append(node)
    callee = node.callee
    name = callee.name if isinstance(callee, (ex.Name, ex.Member)) else ""
    simple = last_component(name)
    effects.allocates = effects.allocates or simple in _ALLOCATORS
    if simple in LAUNCH_CALLS or simple == ENQUEUE_ARGS or runs_kernels(name):
        effects.launches.append(node)
    for position in READ_POINTERS.get(simple, ()):
        if position < len(node.args):
            given = node.args[position]
            effects.only_read.add(given.operand if isinstance(given, ex.Cast) else given)


def _note_variable(effects: Effects, node: st.Variable) -> None:
    effects.declared.add(node.name)
    effects.mentions.add(node.type.name)
    if node.type.pointers:
        effects.pointers.append(node)


def _note_making(effects: Effects, node: ex.New | ex.Construct) -> None:
    effects.mentions.add(node.type.name)
    effects.allocates = True


def _note_launch(effects: Effects, node: ex.Launch) -> None:
    effects.launches.append(node)


def _note_offload(effects: Effects, node: st.Offload) -> None:
    """Record a target region's launch and writes: memory, and scalars mapped back."""
    effects.statements += 1
    effects.launches.append(node)
    names, stores = _written_by_target(node)
    effects.names |= names
    effects.stores += stores


@lru_cache(maxsize=32)
def _written_by_target(node: st.Offload) -> tuple[set[str], list[ex.Expression]]:
    """The scalars that a target region maps back, and the pointers it may write through.

    Cached, because regions are large and every statement around a region asks.
    """
    inner = effects_of(node.body)
    returned = {
        name
        for clause in node.directive.clauses
        if clause.name == "reduction"
        or (clause.name == "map" and not {"to", "alloc", "release"} & set(clause.modifiers))
        for item in clause.items
        if (name := root_name(item)) is not None
    }
    handed_on = {root_name(argument): argument for call in inner.calls for argument in call.args}
    for pointer in inner.pointers:
        names = (name for name in walk(pointer.init) if isinstance(name, ex.Name))
        handed_on.update((name.name, name) for name in names)
    stores = [s for s in (*inner.stores, *handed_on.values()) if root_name(s) not in inner.declared]
    return (inner.names - inner.declared) & returned, stores


def _note_return(effects: Effects, node: st.Return) -> None:
    effects.statements += 1
    effects.left = effects.jumps = True
    effects.returns = effects.returns or node.value is not None


def _note_statement(effects: Effects, node: st.Statement) -> None:
    effects.statements += 1


def _note_loop(effects: Effects, node: st.For | st.While) -> None:
    effects.statements += 1
    effects.loops += 1


def _note_jump(effects: Effects, node: st.Statement) -> None:
    effects.statements += 1
    effects.jumps = True


_NOTES: Final[dict[type, Callable[[Effects, Any], None]]] = {
    ex.Assign: _note_assignment,
    ex.Update: _note_assignment,
    ex.Unary: _note_unary,
    ex.Binary: _note_binary,
    ex.Member: _note_member,
    ex.Call: _note_call,
    st.Variable: _note_variable,
    ex.New: _note_making,
    ex.Construct: _note_making,
    ex.Launch: _note_launch,
    st.Offload: _note_offload,
    st.Return: _note_return,
    **dict.fromkeys(
        (st.Block, st.Declare, st.Evaluate, st.If, st.ForRange, st.Switch, st.Label),
        _note_statement,
    ),
    **dict.fromkeys((st.Opaque, st.Directed), _note_statement),
    **dict.fromkeys((st.For, st.While), _note_loop),
    **dict.fromkeys((st.Break, st.Continue, st.Goto), _note_jump),
}


def _note_target(effects: Effects, target: ex.Expression) -> None:
    if isinstance(target, ex.Name):
        effects.names.add(target.name)
    elif isinstance(target, (ex.Index, ex.Member)) or (
        isinstance(target, ex.Unary) and target.op == "*"
    ):
        effects.stores.append(target)
    elif isinstance(target, (ex.Unary, ex.Update, ex.Cast)):
        name = root_name(target.operand if not isinstance(target, ex.Update) else target.target)
        if name is not None:
            effects.names.add(name)


_HOST_ONLY_SKIP: Final = frozenset(("__global__", "__device__"))


def runs_on_host(function: Function) -> bool:
    """Whether the host may call a function."""
    return "__host__" in function.qualifiers or not (function.qualifiers & _HOST_ONLY_SKIP)


class Reach:
    """Effects of functions and statements, each computed once, and which code can launch."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._effects: dict[Node, Effects] = {}
        self._by_function: dict[int, Effects] = {}
        self._launching: set[str] | None = None
        self._launching_keys: dict[str, str] = {}
        self._word_sets: dict[int, frozenset[str]] = {}
        self._globals: dict[int, frozenset[str]] = {}
        self._ending: dict[str, bool] = {}

    def effects(self, node: Node) -> Effects:
        """The effects of a statement or expression."""
        found = self._effects.get(node)
        if found is None:
            found = self._effects[node] = effects_of(node)
        return found

    def function_effects(self, function: Function) -> Effects:
        """The effects of a function's body and initialisers."""
        found = self._by_function.get(id(function))
        if found is None:
            found = effects_of(function.body)
            for _, args in function.initializers:
                for argument in args:
                    found.mentions |= effects_of(argument).mentions
            self._by_function[id(function)] = found
        return found

    @property
    def launching(self) -> set[str]:
        """Simple names of host functions and classes that lead to a launch."""
        if self._launching is None:
            self._launching = self._propagate()
        return self._launching

    def _propagate(self) -> set[str]:
        mentioned_by: dict[str, list[str]] = {}
        work = []
        for function in self._suspects():
            if function.body is None:
                continue
            effects = self.function_effects(function)
            names = called_by(function)
            for name in names:
                for mention in effects.mentions:
                    mentioned_by.setdefault(mention, []).append(name)
            if effects.launches:
                work.extend(names)
        reached: set[str] = set()
        while work:
            name = work.pop()
            if name not in reached:
                reached.add(name)
                work.extend(mentioned_by.get(name, ()))
        return reached

    def _suspects(self) -> list[Function]:
        """The host functions that may lead to a launch, judged by the words of their texts."""
        functions = [f for f in self._symbols.all_functions if runs_on_host(f) and f.has_body]
        return suspects(functions, self._words)

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
        return self.function_effects(function).launches

    def called(self, names: set[str]) -> set[str]:
        """All names mentioned in host functions that mention any of ``names``; not their own."""
        keys = {first_word(name) for name in names}
        found: set[str] = set()
        for function in self._symbols.all_functions:
            if not runs_on_host(function) or not function.has_body:
                continue
            words = self._words(function)
            if words is None or not words.isdisjoint(keys):
                found |= self.function_effects(function).mentions - {function.name}
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
                    further |= self.function_effects(function).mentions
            names = (further & self.launching) - seen

    def can_launch(self, node: Node) -> bool:
        """Whether executing a node may launch a kernel."""
        effects = self.effects(node)
        return bool(effects.launches) or not effects.mentions.isdisjoint(self.launching)

    def function_can_launch(self, function: Function) -> bool:
        """Whether calling a function may launch a kernel."""
        words = self._words(function)
        if words is not None and not may_launch(words):
            launching = self.launching
            if len(launching) != len(self._launching_keys):
                self._launching_keys = {name: first_word(name) for name in launching}
            if words.isdisjoint(self._launching_keys.values()):
                return False
        effects = self.function_effects(function)
        return bool(effects.launches) or not effects.mentions.isdisjoint(self.launching)

    def assigned_globals(self, function: Function, depth: int = 0) -> frozenset[str]:
        """Names that a function or its callees assign without declaring them."""
        found = self._globals.get(id(function))
        if found is not None:
            return found
        self._globals[id(function)] = frozenset()
        effects = self.function_effects(function)
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
            known = any(
                runs_on_host(function) and self.leaves(function.body, program=True)
                for function in self._symbols.functions.get(name, ())
            )
            self._ending[name] = known
        return known


_ENDS: Final = frozenset(
    ("exit", "_exit", "abort", "quick_exit", "terminate", "_Exit", "__assert_fail", "errx", "err")
)
