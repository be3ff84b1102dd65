"""What a statement or expression may change, calls not followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from roofline_analysis.host.effects.gpu_library_names import runs_kernels
from roofline_analysis.host.effects.traversal import Node, walk
from roofline_analysis.language.opencl_headers import ENQUEUE_ARGS, LAUNCH_CALLS, READ_POINTERS
from roofline_analysis.language.symbols import last_component
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.by_function import by_function
from roofline_core.program.by_node import ByNode
from roofline_core.program.directives import Section
from roofline_core.program.units import Function


@dataclass(slots=True, eq=False)
class Effects:
    """What executing a node may change."""

    names: set[str] = field(default_factory=set)
    """Variables assigned, updated or handed out by address."""
    stores: list[ex.Expression] = field(default_factory=list)
    """Bases of subscripts, dereferences and members that are assigned."""
    calls: list[ex.Call] = field(default_factory=list)
    declared: set[str] = field(default_factory=set)
    """Variables declared within."""
    mentions: set[str] = field(default_factory=set)
    """Simple names of functions, methods and types that may be called."""
    launches: list[ex.Expression | st.Offload] = field(default_factory=list)
    only_read: set[ex.Expression] = field(default_factory=set)
    """Addresses that are handed to library functions that do not write there."""
    allocates: bool = False
    returns: bool = False
    """Whether a value may be returned."""
    left: bool = False
    """Whether the function may be left, with a value or without."""
    jumps: bool = False
    """Whether a loop around it may be left: ``break``, ``continue``, ``goto``, a return."""
    loops: int = 0
    """``for`` and ``while`` loops in it, without those over a range."""
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
    """The variable that an lvalue is a part of."""
    while True:
        if isinstance(expression, ex.Name):
            return expression.name
        if isinstance(expression, (ex.Index, ex.Member, Section)):
            expression = expression.base
        elif isinstance(expression, (ex.Unary, ex.Cast)):
            expression = expression.operand
        else:
            return None


def handed_over(effects: Effects) -> set[str]:
    """Simple names that are arguments of method calls, ``m.def("f", &f)``, and never called."""
    handed: set[str] = set()
    called: set[str] = set()
    for call in effects.calls:
        if isinstance(call.callee, ex.Name):
            called.add(last_component(call.callee.name))
        elif isinstance(call.callee, ex.Member):
            called.add(call.callee.name)
            for given in call.args:
                name = given.operand if isinstance(given, ex.Unary) else given
                if isinstance(name, ex.Name):
                    handed.add(last_component(name.name))
    return handed - called


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


@by_function
def function_effects(function: Function) -> Effects:
    """The effects of a function's body and initialisers."""
    effects = effects_of(function.body)
    for _, args in function.initializers:
        for argument in args:
            effects.mentions |= effects_of(argument).mentions
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
    """A launch, and what its kernel writes: memory, and the scalars that are mapped back."""
    effects.statements += 1
    effects.launches.append(node)
    names, stores = _written_by_target(node)
    effects.names |= names
    effects.stores += stores


_Written = tuple[set[str], list[ex.Expression]]
_WRITTEN: ByNode[_Written] = ByNode()
_MOST_WRITTEN: Final = 32


def _written_by_target(node: st.Offload) -> _Written:
    """The scalars that a target region maps back, and what it may write through.

    Remembered, since regions are large and every statement around one asks.
    """
    found = _WRITTEN.get(id(node))
    if found is None:
        if len(_WRITTEN) >= _MOST_WRITTEN:
            _WRITTEN.clear()
        found = _WRITTEN[id(node)] = node, _looked_for(node)
    return found[1]


def _looked_for(node: st.Offload) -> _Written:
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
    elif isinstance(target, (ex.Index, ex.Member, ex.Call)) or (
        isinstance(target, ex.Unary) and target.op == "*"
    ):
        effects.stores.append(target)
    elif isinstance(target, (ex.Unary, ex.Update, ex.Cast)):
        name = root_name(target.operand if not isinstance(target, ex.Update) else target.target)
        if name is not None:
            effects.names.add(name)
