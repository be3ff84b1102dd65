"""What a loop leaves behind that is not executed to its end: counts, closed forms, unknowns."""

from __future__ import annotations

from dataclasses import dataclass

from roofline_lsp.analysis.host.access import load
from roofline_lsp.analysis.host.containers import set_size, size_of, storage_of
from roofline_lsp.analysis.host.havoc import forget_call, forget_reachable, forget_value
from roofline_lsp.analysis.host.index import last_component
from roofline_lsp.analysis.host.machine import SCALARS, Machine
from roofline_lsp.analysis.host.memory import AUTO, Cell, ElementPlace, Place, Storage
from roofline_lsp.analysis.host.names import find_variable
from roofline_lsp.analysis.host.operators import to_scalar_type
from roofline_lsp.analysis.host.reach import Effects, root_name, runs_on_host, walk
from roofline_lsp.analysis.host.values import Aggregate, Scalar, Value
from roofline_lsp.kernel import expressions as ex
from roofline_lsp.kernel import statements as st
from roofline_lsp.kernel.symbolic import Expr, apply

_MAX_GEOMETRIC = 4096
_PURE = frozenset("atoi atol min max ceil floor sqrt log2 pow abs strlen int size_t long".split())
"""Functions that give the same result each time a loop's condition asks them."""


@dataclass(frozen=True, slots=True)
class Induction:
    """A counted loop's variable, how often the loop runs and what the variable ends as."""

    name: str
    trips: Expr | None
    final: Expr | None


def trip_count(m: Machine, node: st.For) -> Induction | None:
    """The count of a loop whose variable its step alone moves; None for any other loop."""
    condition = node.condition
    steps = _steps(node.step)
    if not isinstance(condition, ex.Binary) or not steps:
        return None
    effects = m.reach.effects(node.body)
    for step in steps:
        target = step.target
        if not isinstance(target, ex.Name) or target.name in effects.names:
            continue
        name, op = target.name, condition.op
        if isinstance(condition.left, ex.Name) and condition.left.name == name:
            bound = condition.right
        elif isinstance(condition.right, ex.Name) and condition.right.name == name:
            bound = condition.left
            op = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op)
        else:
            continue
        if _varies(bound, effects):
            return Induction(name, None, None)
        return _counted(m, name, op, bound, step)
    return None


def _steps(step: ex.Expression | None) -> list[ex.Update | ex.Assign]:
    if isinstance(step, (ex.Update, ex.Assign)):
        return [step]
    if isinstance(step, ex.Binary) and step.op == ",":
        return _steps(step.left) + _steps(step.right)
    return []


def _varies(bound: ex.Expression, effects: Effects) -> bool:
    for part in walk(bound):
        if isinstance(part, ex.Name) and part.name in effects.names:
            return True
        if isinstance(part, ex.Call) and not isinstance(part.callee, ex.Member):
            called = part.callee.name if isinstance(part.callee, ex.Name) else ""
            if last_component(called) not in _PURE:
                return True
    return False


def _counted(
    m: Machine, name: str, op: str, bound: ex.Expression, step: ex.Update | ex.Assign
) -> Induction:
    place = find_variable(m, name)
    start = m.number(place.get()) if place is not None else None
    limit = m.number(m.eval(bound))
    if start is None or limit is None:
        return Induction(name, None, None)
    increment = _increment(m, step)
    if increment is not None:
        return _linear(name, op, start.value, limit.value, increment)
    return _geometric(m, name, op, start.value, limit.value, step)


def _increment(m: Machine, step: ex.Update | ex.Assign) -> Expr | None:
    if isinstance(step, ex.Update):
        return Expr({(): 1 if step.op == "++" else -1})
    value = step.value
    if step.op in ("+=", "-="):
        amount = m.number(m.eval(value))
        if amount is None:
            return None
        return amount.value if step.op == "+=" else -amount.value
    if step.op == "=" and isinstance(value, ex.Binary) and value.op in ("+", "-"):
        if isinstance(value.left, ex.Name) and isinstance(step.target, ex.Name):
            if value.left.name == step.target.name:
                amount = m.number(m.eval(value.right))
                if amount is not None:
                    return amount.value if value.op == "+" else -amount.value
    return None


def _linear(name: str, op: str, start: Expr, limit: Expr, by: Expr) -> Induction:
    distance = limit - start
    down = by.constant is not None and by.constant < 0
    if down:
        distance, by = -distance, -by
    if (op in ("<", "<=") and down) or (op in (">", ">=") and not down):
        return Induction(name, None, None)
    whole = all(isinstance(e.constant, int | None) for e in (distance, by))
    if not whole:
        quotient = apply("fdiv", distance, by)
        trips = apply("floor", quotient) + 1 if op in ("<=", ">=") else apply("ceil", quotient)
    else:
        if op in ("<=", ">="):
            distance = distance + 1
        trips = distance if by == 1 else apply("div", distance + by - 1, by)
    number = trips.constant
    if number is not None and number <= 0:
        return Induction(name, Expr({}), start)
    moved = trips * by
    return Induction(name, trips, start - moved if down else start + moved)


def _geometric(
    m: Machine, name: str, op: str, start: Expr, limit: Expr, step: ex.Update | ex.Assign
) -> Induction:
    unknown = Induction(name, None, None)
    factor = m.number(m.eval(step.value)) if isinstance(step, ex.Assign) else None
    value, end = start.constant, limit.constant
    by = factor.value.constant if factor is not None else None
    if not isinstance(step, ex.Assign) or value is None or end is None or by is None:
        return unknown
    compare = {
        "<": lambda v: v < end, "<=": lambda v: v <= end, ">": lambda v: v > end,
        ">=": lambda v: v >= end, "!=": lambda v: v != end,
    }.get(op)  # fmt: skip
    if compare is None:
        return unknown
    trips = 0
    while compare(value) and trips < _MAX_GEOMETRIC:
        moved = _moved(value, step.op, by)
        if moved is None or moved == value:
            return unknown
        value, trips = moved, trips + 1
    return Induction(name, Expr({(): trips} if trips else {}), Expr({(): value} if value else {}))


def _moved(value: float, op: str, by: float) -> float | None:
    if op == "*=":
        return value * by
    if op == "/=" and by:
        return int(value / by)
    if op == "<<=" and by < 64:
        return int(value) << int(by)
    if op == ">>=":
        return int(value) >> int(by)
    return None


def summarise(
    m: Machine,
    node: st.For | st.While | st.ForRange,
    induction: Induction | None,
    executed: int,
) -> None:
    """Leave memory as after the loop, as far as that is known, ``executed`` trips done."""
    effects = m.reach.effects(node)
    if effects.returns and m.quiet:
        m.frame.alternatives.append(None)
    remaining = None
    if induction is not None and induction.trips is not None:
        remaining = induction.trips - executed
    top = _top_level(node.body)
    for name in effects.names:
        place = find_variable(m, name)
        if place is None or name in effects.declared:
            continue
        if induction is not None and name == induction.name and induction.final is not None:
            _set_number(m, place, induction.final)
            continue
        closed = _closed_form(m, name, place, top, effects, remaining)
        if closed is not None:
            _set_number(m, place, closed)
        else:
            forget_value(m, place, "a loop that was not followed to its end assigns it")
    _forget_stores(m, effects)
    _forget_calls(m, effects, top, remaining)


def _top_level(body: st.Statement) -> list[ex.Expression]:
    statements = body.body if isinstance(body, st.Block) else (body,)
    found: list[ex.Expression] = []
    for statement in statements:
        if isinstance(statement, st.Block):
            found.extend(_top_level(statement))
        elif isinstance(statement, st.Evaluate):
            found.append(statement.expression)
    return found


def _set_number(m: Machine, place: Place, value: Expr) -> None:
    kind = place.type.name if place.type.name in SCALARS else "int"
    m.store(place, to_scalar_type(Scalar(value, "long long"), kind))


def _closed_form(
    m: Machine,
    name: str,
    place: Place,
    top: list[ex.Expression],
    effects: Effects,
    remaining: Expr | None,
) -> Expr | None:
    """The final value of ``x += c`` done once per trip, None for any other assignment."""
    writers = [
        e
        for e in top
        if isinstance(e, (ex.Update, ex.Assign))
        and isinstance(e.target, ex.Name)
        and e.target.name == name
    ]
    value = place.get()
    if len(writers) != 1 or remaining is None or not isinstance(value, Scalar):
        return None
    inside = [
        part
        for e in top
        for part in walk(e)
        if isinstance(part, (ex.Update, ex.Assign)) and root_name(part.target) == name
    ]
    writer = writers[0]
    if len(inside) != 1 or (isinstance(writer, ex.Assign) and _varies(writer.value, effects)):
        return None
    if isinstance(writer, ex.Assign) and any(
        isinstance(part, ex.Name) and part.name in effects.declared for part in walk(writer.value)
    ):
        return None
    by = _increment(m, writer)
    return value.value + by * remaining if by is not None else None


def _forget_stores(m: Machine, effects: Effects) -> None:
    for store in effects.stores:
        name = root_name(store)
        if name is None or name in effects.declared:
            continue
        if name == "this":
            place = None
        else:
            place = find_variable(m, name)
        if place is None:
            continue
        value = place.get()
        if isinstance(value, Aggregate) and isinstance(store, ex.Member):
            _forget_member(m, store)
        elif not _forget_element(m, value, store):
            forget_reachable(m, value, 1)


def _forget_element(m: Machine, value: Value | None, store: ex.Expression) -> bool:
    """Forget the one element of an array that a store with a literal index changes, if it is one.

    Sizes of launches are often kept so, one dimension being set in a loop.
    """
    index = store.index if isinstance(store, ex.Index) and isinstance(store.base, ex.Name) else None
    if not isinstance(value, Storage) or not isinstance(index, ex.Literal):
        return False
    if value.fill is not None or value.place is not None or not isinstance(index.value, int):
        return False
    m.store(ElementPlace(value, index.value, value.element or AUTO), None)
    return True


def _forget_member(m: Machine, store: ex.Member) -> None:
    base = store.base
    if isinstance(base, ex.Name):
        place = find_variable(m, base.name)
        value = load(m, place) if place is not None else None
        if isinstance(value, Aggregate) and isinstance(value.fields.get(store.name), Scalar):
            forget_value(m, m.place(store), "a loop that was not followed to its end assigns it")


def _forget_calls(
    m: Machine, effects: Effects, top: list[ex.Expression], remaining: Expr | None
) -> None:
    for call in effects.calls:
        callee = call.callee
        if isinstance(callee, ex.Member) and isinstance(callee.base, ex.Name):
            if callee.base.name not in effects.declared:
                _forget_method(m, callee, call in top, remaining)
            continue
        if not isinstance(callee, ex.Name):
            continue
        for function in m.index.functions.get(callee.name, ())[:1]:
            if runs_on_host(function):
                args = [_argument(m, argument, effects) for argument in call.args]
                known = [
                    (f, a) for f, a in zip(function.params, args, strict=False) if a is not None
                ]
                if len(known) == len(args):
                    forget_call(m, function, [a for _, a in known], m.frame.this)


def _argument(m: Machine, node: ex.Expression, effects: Effects) -> Place | None:
    name = root_name(node)
    if name is None:
        return Cell("", AUTO, None)
    return None if name in effects.declared else find_variable(m, name)


def _forget_method(
    m: Machine, callee: ex.Member, unconditional: bool, remaining: Expr | None
) -> None:
    place = m.place(callee.base)
    value = place.get()
    if not isinstance(value, Aggregate):
        return
    storage = storage_of(value)
    if storage is None:
        return
    if callee.name in ("push_back", "emplace_back", "insert", "push", "resize", "emplace"):
        m.forget_contents(storage)
        if unconditional and remaining is not None and callee.name != "resize":
            set_size(m, value, size_of(value) + remaining)
        else:
            name = f"size of {place.name or 'a container'}"
            assumed = m.assumed_value(size_of(value)) or m.options.default_size
            grown = m.unknown(
                name, "a loop that was not followed to its end grows it", "unsigned long",
                assumed=max(assumed, m.options.default_size),
            )  # fmt: skip
            set_size(m, value, grown.value)
