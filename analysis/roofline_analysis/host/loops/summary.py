"""The state after a loop that is not executed to its end: counts, closed forms, unknowns."""

from __future__ import annotations

from roofline_analysis.host.effects.node_effects import Effects, root_name
from roofline_analysis.host.effects.reach import runs_on_host
from roofline_analysis.host.effects.traversal import walk
from roofline_analysis.host.loops.final_values import final_value
from roofline_analysis.host.loops.loop_probe import leave_contents, leave_growth, try_out
from roofline_analysis.host.loops.reading import forget_position, forget_what_is_read, why_assigned
from roofline_analysis.host.loops.scalar_evolution import Induction, expressions_of
from roofline_analysis.host.objects.containers import set_size, size_of, storage_of
from roofline_analysis.host.state.access import load
from roofline_analysis.host.state.array_members import (
    forget_member,
    member_at,
    numbers_in,
)
from roofline_analysis.host.state.havoc import (
    forget_call,
    forget_reachable,
    forget_value,
    number_type,
)
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import (
    AUTO,
    Cell,
    ElementPlace,
    HostFieldPlace,
    HostPlace,
    Storage,
)
from roofline_analysis.host.state.names import find_variable
from roofline_analysis.host.state.operators import to_scalar_type
from roofline_analysis.host.state.types import field_type
from roofline_analysis.host.values import Aggregate, OpaqueValue, Pointer, Scalar, Value
from roofline_core.algebra.symbolic import Expr
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st


def summarise(
    interpreter: HostInterpreter,
    node: st.For | st.While | st.ForRange,
    induction: Induction | None,
    executed: int,
) -> None:
    """Set memory to its known state after the loop, of which ``executed`` trips were executed."""
    effects = interpreter.reach.effects(node)
    trial = try_out(interpreter, node, effects, induction)
    forget_position(interpreter, node)
    forget_what_is_read(interpreter, effects)
    if effects.left:
        interpreter.frame.may_be_left = True
    if effects.returns and interpreter.quiet:
        interpreter.frame.alternatives.append(None)
    remaining = None
    if induction is not None and induction.trips is not None:
        remaining = induction.trips - executed
    top = expressions_of(node.body)
    for name in sorted(effects.names):
        place = find_variable(interpreter, name)
        if place is None or name in effects.declared:
            continue
        if induction is not None and name == induction.name and induction.final is not None:
            _set_number(interpreter, place, induction.final, node.line)
            continue
        closed = final_value(interpreter, name, place, node.body, effects, remaining)
        if closed is not None:
            _set_number(interpreter, place, closed, node.line)
        elif not leave_growth(interpreter, trial, name, place, remaining):
            forget_value(interpreter, place, why_assigned(interpreter, node))
    _forget_stores(interpreter, effects)
    _forget_calls(interpreter, effects, top, remaining)
    leave_contents(interpreter, trial)


def _set_number(interpreter: HostInterpreter, place: HostPlace, value: Expr, line: int) -> None:
    kind = place.type.name if place.type.name in SCALARS else "int"
    made = Scalar(value, "long long", interpreter.origin("a loop", line))
    interpreter.store(place, to_scalar_type(made, kind))


def _forget_stores(interpreter: HostInterpreter, effects: Effects) -> None:
    for store in effects.stores:
        if isinstance(store, ex.Call):
            _forget_result(interpreter, store, effects)
            continue
        name = root_name(store)
        if name is None or name in effects.declared:
            continue
        if name == "this":
            place = None
        else:
            place = find_variable(interpreter, name)
        if place is None:
            continue
        value = place.get()
        if isinstance(value, Aggregate) and isinstance(store, ex.Member):
            _forget_member(interpreter, store)
        elif not (
            _forget_element(interpreter, value, store) or _forget_numbers(interpreter, value, store)
        ):
            forget_reachable(interpreter, _array_stored_to(interpreter, store, effects) or value, 1)


def _forget_result(interpreter: HostInterpreter, store: ex.Call, effects: Effects) -> None:
    """Forget what the reference names that a call returns: ``a.at(i) = x``, ``domain.v(i) = x``."""
    callee = store.callee
    owner = root_name(callee.base) if isinstance(callee, ex.Member) else None
    if owner in effects.declared:
        return
    place = interpreter.place(store)
    if isinstance(place, ElementPlace) and place.storage.place is None:
        forget_reachable(interpreter, place.storage, 1)
    elif isinstance(place, HostFieldPlace):
        forget_value(interpreter, place, "a loop that was not followed to its end assigns it")


def _array_stored_to(
    interpreter: HostInterpreter, store: ex.Expression, effects: Effects
) -> Value | None:
    """Of ``p->a[i] = x`` the array that ``p->a`` is; None where that is not known."""
    base = store.base if isinstance(store, ex.Index) else None
    if not isinstance(base, ex.Member):
        return None
    for part in walk(base):
        if isinstance(part, ex.Name) and part.name in effects.names | effects.declared:
            return None
        if not isinstance(part, (ex.Name, ex.Member)):
            return None
    found = interpreter.eval(base)
    return found if isinstance(found, (Aggregate, Pointer, Storage)) else None


def _forget_element(
    interpreter: HostInterpreter, value: Value | None, store: ex.Expression
) -> bool:
    """Forget the one element of an array that a store with a literal index changes, if it is one.

    Sizes of launches are often kept so, one dimension being set in a loop.
    """
    index = store.index if isinstance(store, ex.Index) and isinstance(store.base, ex.Name) else None
    if not isinstance(value, Storage) or not isinstance(index, ex.Literal):
        return False
    if value.fill is not None or value.place is not None or not isinstance(index.value, int):
        return False
    interpreter.store(ElementPlace(value, index.value, value.element or AUTO), None)
    return True


def _forget_numbers(
    interpreter: HostInterpreter, value: Value | None, store: ex.Expression
) -> bool:
    """Forget a member of every object in an array of which a store changes some.

    False where it is neither a number nor an object of numbers.
    """
    array = value.buffer if isinstance(value, Pointer) else value
    path: list[str] = []
    base = store
    while isinstance(base, ex.Member):
        path.insert(0, base.name)
        base = base.base
    if not path or not isinstance(base, (ex.Index, ex.Name)):
        return False
    if not isinstance(array, Storage) or array.place is not None:
        return False
    kind = member_at(interpreter, array, path)
    if kind is None or kind.pointers or kind.dims:
        return False
    if kind.name not in SCALARS and not numbers_in(interpreter, kind):
        return False
    forget_member(interpreter, array, path)
    return True


def _forget_member(interpreter: HostInterpreter, store: ex.Member) -> None:
    base = store.base
    if isinstance(base, ex.Name):
        place = find_variable(interpreter, base.name)
        value = load(interpreter, place) if place is not None else None
        held = value.fields.get(store.name) if isinstance(value, Aggregate) else None
        why = "a loop that was not followed to its end assigns it"
        if isinstance(held, Scalar):
            forget_value(interpreter, interpreter.place(store), why)
        elif isinstance(held, OpaqueValue) and isinstance(value, Aggregate):
            kind = number_type(field_type(interpreter, value.type, store.name))
            if kind is not None:
                other = OpaqueValue(f"{base.name}.{store.name}", why, kind)
                interpreter.store(interpreter.place(store), other)


def _forget_calls(
    interpreter: HostInterpreter, effects: Effects, top: list[ex.Expression], remaining: Expr | None
) -> None:
    for call in effects.calls:
        callee = call.callee
        if isinstance(callee, ex.Member) and isinstance(callee.base, ex.Name):
            if callee.base.name not in effects.declared:
                _forget_method(interpreter, callee, call in top, remaining)
            continue
        if not isinstance(callee, ex.Name):
            continue
        for function in interpreter.symbols.functions.get(callee.name, ())[:1]:
            if runs_on_host(function):
                args = [_argument(interpreter, argument, effects) for argument in call.args]
                known = [
                    (f, a) for f, a in zip(function.params, args, strict=False) if a is not None
                ]
                if len(known) == len(args):
                    forget_call(
                        interpreter, function, [a for _, a in known], interpreter.frame.this
                    )


def _argument(
    interpreter: HostInterpreter, node: ex.Expression, effects: Effects
) -> HostPlace | None:
    name = root_name(node)
    if name is None:
        return Cell("", AUTO, None)
    return None if name in effects.declared else find_variable(interpreter, name)


def _forget_method(
    interpreter: HostInterpreter, callee: ex.Member, unconditional: bool, remaining: Expr | None
) -> None:
    place = interpreter.place(callee.base)
    value = place.get()
    if not isinstance(value, Aggregate):
        return
    storage = storage_of(value)
    if storage is None:
        return
    if callee.name in ("push_back", "emplace_back", "insert", "push", "resize", "emplace"):
        interpreter.forget_contents(storage)
        if unconditional and remaining is not None and callee.name != "resize":
            set_size(interpreter, value, size_of(value) + remaining)
        else:
            name = f"size of {place.name or 'a container'}"
            assumed = interpreter.assumed_value(size_of(value)) or interpreter.options.default_size
            grown = interpreter.unknown(
                name, "a loop that was not followed to its end grows it", "unsigned long",
                assumed=max(assumed, interpreter.options.default_size),
            )  # fmt: skip
            set_size(interpreter, value, grown.value)
