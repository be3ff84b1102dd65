"""Whether the steps of a loop need one another, or can be shared out over threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from roofline_analysis.device.assigned import Assignment, body_facts
from roofline_analysis.regions.kernel_summary import Access, AccessMode, MemorySpace, Region
from roofline_analysis.rules.node_index import Loop, called_name, names_in, within
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.units import Function

_EXTREMES: Final = frozenset("min max fmin fmax fminf fmaxf".split())
_SUMS: Final = frozenset(("+=", "-=", "*=", "&=", "|=", "^=", "++", "--"))


def can_be_shared_out(kernel: KernelSubject, loop: Region) -> bool:
    """Whether the steps of a loop are independent but for sums, products and extremes.

    Elements of which each is the one before plus something are a scan, which can be shared, too.
    False of a loop that is not found in the source.
    """
    carried = any(
        symbol.scope is SymbolScope.CARRIED
        for access in global_accesses(loop)
        for symbol in access.offset.symbols()
    )
    found = _statement(kernel, loop)
    if carried or found is None:
        return False
    function, written = found
    facts = body_facts(written.body)
    own = facts.declared | _counted(written)
    made_of = _made_of(written)
    return all(
        _is_sum(kernel, function, each, made_of) for each in facts.changes if each.name not in own
    ) and all(_is_sum_of_the_one_before(kernel, array) for array in _recurring(loop))


def global_accesses(loop: Region) -> Iterator[Access]:
    """The accesses to device memory of a loop."""
    return (
        access
        for region in loop.walk()
        for access in region.accesses
        if access.array.space is MemorySpace.GLOBAL
    )


def _statement(kernel: KernelSubject, loop: Region) -> tuple[Function, Loop] | None:
    for located in kernel.nodes(st.For, st.While, st.ForRange):
        node = located.node
        if isinstance(node, (st.For, st.While, st.ForRange)):
            if (located.function.path, node.line) == loop.site:
                return located.function, node
    return None


def _counted(loop: Loop) -> set[str]:
    return names_in(loop.step) if isinstance(loop, st.For) and loop.step is not None else set()


def _made_of(loop: Loop) -> Mapping[str, set[str]]:
    """By variable that a loop's body declares: the names in what it is given there."""
    found: dict[str, set[str]] = {}
    for node in within(loop.body):
        if isinstance(node, st.Variable):
            given = (*(node.ctor_args or ()), *([node.init] if node.init is not None else ()))
            found.setdefault(node.name, set()).update(*map(names_in, given))
        elif isinstance(node, ex.Assign) and isinstance(node.target, ex.Name):
            if node.target.name in found:
                found[node.target.name] |= names_in(node.value)
    return found


def _behind(names: set[str], made_of: Mapping[str, set[str]]) -> set[str]:
    """Some names, and those in what the variables of a loop's body among them are given."""
    seen = set(names)
    waiting = list(names)
    while waiting:
        more = made_of.get(waiting.pop(), set()) - seen
        seen |= more
        waiting += more
    return seen


def _is_sum(
    kernel: KernelSubject, function: Function, change: Assignment, made_of: Mapping[str, set[str]]
) -> bool:
    """Whether the changes of a variable can be made in any order."""
    if change.op in ("?", "&"):
        return _is_left_alone(kernel, change)
    if not change.whole:
        # What elements of memory depend on is looked at by their addresses.
        return _is_pointer(kernel, function, change.name)
    value = change.value
    if change.op in _SUMS:
        return value is None or change.name not in _behind(names_in(value), made_of)
    if change.op != "=" or value is None:
        return False
    if change.name not in names_in(value):
        return change.name not in _behind(names_in(value), made_of)
    if isinstance(value, ex.Call):
        return called_name(value) in _EXTREMES
    if not isinstance(value, ex.Binary) or value.op not in ("+", "*", "|", "&", "^"):
        return False
    # `s = s + x` and no more of `s`: `s = s + w * (x - s)` needs the s before.
    sides = value.left, value.right
    alone = [side for side in sides if isinstance(side, ex.Name) and side.name == change.name]
    behind = [change.name in _behind(names_in(side), made_of) for side in sides]
    return len(alone) == 1 and sum(behind) == 1


def _is_left_alone(kernel: KernelSubject, change: Assignment) -> bool:
    """Whether a call that a variable is passed to takes it by value: one of the language's own."""
    call = change.value
    name = called_name(call) if isinstance(call, ex.Call) else None
    if change.op == "&" or name is None or name.startswith("atomic"):
        return False
    return not kernel.type_system.symbols.functions.get(name)


def _is_pointer(kernel: KernelSubject, function: Function, name: str) -> bool:
    """Whether a name is that of a pointer, or of nothing that the function declares."""
    declared = [
        *function.params,
        *(
            each.node
            for each in kernel.nodes_of(function).by_type.get(st.Variable, ())
            if isinstance(each.node, st.Variable)
        ),
    ]
    types = [each.type for each in declared if each.name == name]
    return all(type_.pointers > 0 and not type_.dims for type_ in types)


def _recurring(loop: Region) -> set[str]:
    """The arrays that a loop writes at one place and reads at another that it moves over."""
    moving = [access for access in global_accesses(loop) if access.varies & loop.bit]
    written = {a.array: a.offset for a in moving if a.mode is AccessMode.WRITE}
    return {
        access.array.name
        for access in moving
        if access.mode is AccessMode.READ
        and access.array in written
        and access.offset != written[access.array]
    }


def _is_sum_of_the_one_before(kernel: KernelSubject, array: str) -> bool:
    """Whether each element is the one before plus something: a scan computes it in few steps."""
    stores = [
        located.node
        for located in kernel.nodes(ex.Assign)
        if isinstance(located.node, ex.Assign) and _base(located.node.target) == array
    ]
    return bool(stores) and all(_adds_one(each, array) for each in stores)


def _adds_one(store: ex.Assign, array: str) -> bool:
    value = store.value
    if array not in names_in(value):
        return True
    if store.op == "+=":
        return _base(value) == array
    if store.op != "=" or not isinstance(value, ex.Binary) or value.op != "+":
        return False
    sides = value.left, value.right
    mentioned = sum(array in names_in(side) for side in sides)
    return mentioned == 1 and sum(_base(side) == array for side in sides) == 1


def _base(node: ex.Expression) -> str | None:
    inner = node.base if isinstance(node, ex.Index) else None
    return inner.name if isinstance(inner, ex.Name) else None
