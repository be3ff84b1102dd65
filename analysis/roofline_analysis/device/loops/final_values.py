"""What a loop leaves in a variable that each run sets anew: the value of its last run.

``done = false; if (i < n) done = true;`` in a loop, then ``if (done)`` behind it. Only the counting
knows the last run's number, so operations stay those of a number that compilers do not know.
"""

from __future__ import annotations

from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, Value
from roofline_analysis.regions.conditions import single_apply
from roofline_analysis.regions.kernel_summary import Region
from roofline_core.algebra.symbol_scopes import DATA_SCOPES
from roofline_core.algebra.symbolic import Expr, apply, from_atom


def know_last(
    interpreter: DeviceInterpreter,
    slot: int,
    before: DeviceValue,
    inside: DeviceValue,
    after: Value,
    loop: Region,
) -> None:
    """Note what an integer is after a loop, of which ``after`` is made for the unknown.

    ``inside`` is it at the end of a run, ``before`` before the loop.
    """
    made = after.expr
    if loop.trips is None or loop.counter is None or made is None or len(made.symbols()) != 1:
        return
    (symbol,) = made.symbols()
    runs = _without_bound(loop.trips)
    values = [inside]
    if loop.exits:
        if not _ends_in_last_run(loop, runs):
            return
        values = interpreter.loop_notes.at_exits.get(slot, [])
    found = {_in_last_run(value, loop, runs) for value in values}
    last = found.pop() if len(found) == 1 else None
    if last is None or made != from_atom(symbol):
        return
    first = before.expr if isinstance(before, Value) else None
    if first is not None and runs.constant is None:
        last = apply("select", apply("lt", -runs), last, first)
    interpreter.handed.know(made, last)


def _without_bound(trips: Expr) -> Expr:
    """``n`` of ``max(n, 0)``."""
    single = single_apply(trips)
    if single is not None and single.op == "max" and single.args[1].constant == 0:
        return single.args[0]
    return trips


def _ends_in_last_run(loop: Region, runs: Expr) -> bool:
    """Whether a loop is left in the last of its runs, and in no other."""
    assert loop.counter is not None
    number = from_atom(loop.counter) - runs + 1
    ends = {apply("eq", number), apply("eq", -number)}
    return all(
        len(each.conditions) == 1 and each.conditions[0] in ends and not each.at_start
        for each in loop.exits
    )


def _in_last_run(value: DeviceValue, loop: Region, runs: Expr) -> Expr | None:
    """An integer in the last run; None if data or earlier runs decide it, too."""
    number = value.expr if isinstance(value, Value) else None
    assert loop.counter is not None
    if number is None or any(symbol.scope in DATA_SCOPES for symbol in number.symbols()):
        return None
    return number.substitute({loop.counter: runs - 1})
