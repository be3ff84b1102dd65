"""Loops whose iterations are shared out over teams, threads or both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import reduce
from typing import Final

from roofline_core.program.directives import Directive
from roofline_core.program.expressions import Binary, Expression, Name
from roofline_core.program.records import record
from roofline_core.program.statements import Block, Declare, Statement
from roofline_core.program.types import Type
from roofline_parsers.openmp.build import (
    INT,
    LONG,
    builtin,
    call,
    counted,
    declare,
    known,
    literal,
    plus,
    times,
)
from roofline_parsers.openmp.loops import Loop, Variables, counter_type, nest
from roofline_parsers.openmp.rewrite import free_names

_NARROW_LIMIT: Final = 2**31


class Share(Enum):
    """Who takes the iterations of a loop."""

    GRID = "grid"
    """Every thread of every team: ``distribute parallel for``."""
    TEAMS = "teams"
    """Each team as a whole: ``distribute``."""
    THREADS = "threads"
    """The threads of a team, each team all iterations: ``for``."""


@record(frozen=True, slots=True)
class SharedLoopNest:
    """A loop nest to share out."""

    directive: Directive
    share: Share
    loops: Sequence[Loop]
    number: int
    """Tells the counters of a kernel's loops apart."""
    threads: Expression | None = None
    """``num_threads``, where fewer threads than the team has may take part."""

    @property
    def counter(self) -> str:
        """The name of the variable that counts iterations."""
        return f"omp_iv_{self.number}"


def read_nest(directive: Directive, body: Statement, scope: Variables) -> list[Loop]:
    """The loops that a directive collapses to one: those whose bounds do not depend on others."""
    clause = directive.clause("collapse")
    depth = known(clause.items[0]) if clause is not None and clause.items else None
    loops = nest(body, depth or 1, scope)
    for index in range(1, len(loops)):
        loop = loops[index]
        outer = {before.name for before in loops[:index]}
        if outer & set(free_names(loop.first, loop.step, loop.trips)):
            return loops[:index]
    return loops


def iterations(loops: Sequence[Loop]) -> Expression:
    """How many iterations the loops have together."""
    return reduce(times, (loop.trips for loop in loops))


def share_out(
    work: SharedLoopNest, body: Callable[[Sequence[Declare]], list[Statement]]
) -> list[Statement]:
    """The loop nest for one thread.

    ``body`` gives the innermost body after the declarations of the loops' variables.
    """
    line = work.directive.line
    loops = work.loops
    type_ = _counter(loops)
    trips: list[Expression] = []
    made: list[Statement] = []
    for index, loop in enumerate(loops):
        if known(loop.trips) is not None:
            trips.append(loop.trips)
            continue
        name = f"omp_trips_{work.number}" + (f"_{index}" if len(loops) > 1 else "")
        made.append(declare(line, name, type_, loop.trips))
        trips.append(Name(line, name))
    recovered = _recovered(work, trips, type_)
    inside = Block(line, tuple(body(recovered)))
    made.append(_loop(work, reduce(times, trips), type_, inside))
    return made


def _counter(loops: Sequence[Loop]) -> Type:
    """Collapsed loops are counted in 64 bits unless the compiler knows that 32 are enough."""
    if len(loops) == 1:
        return counter_type(loops[0])
    total = known(iterations(loops))
    return INT if total is not None and total < _NARROW_LIMIT else LONG


def _recovered(work: SharedLoopNest, trips: Sequence[Expression], type_: Type) -> list[Declare]:
    """The loops' variables from the common counter, outermost first."""
    line = work.directive.line
    rest: Expression = Name(line, work.counter)
    found: list[Declare] = []
    for index, loop in enumerate(work.loops):
        if index == len(work.loops) - 1:
            found.append(loop.variable(rest))
            break
        inner = reduce(times, trips[index + 1 :])
        found.append(loop.variable(Binary(line, "/", rest, inner)))
        name = f"omp_rest_{work.number}_{index}"
        found.append(declare(line, name, type_, Binary(line, "%", rest, inner)))
        rest = Name(line, name)
    return found


def _loop(work: SharedLoopNest, trips: Expression, type_: Type, body: Statement) -> Statement:
    line = work.directive.line
    thread, team = builtin(line, "threadIdx"), builtin(line, "blockIdx")
    threads, teams = builtin(line, "blockDim"), builtin(line, "gridDim")
    counter = (work.counter, type_)
    team_chunk = _chunk(work.directive, "dist_schedule")
    if work.share is Share.TEAMS:
        return _chunked(work, counter, (team, trips, teams), team_chunk, body)
    if work.share is Share.THREADS:
        width: Expression = threads
        if work.threads is not None:
            width = call(line, "min", threads, work.threads)
        chunk = _chunk(work.directive, "schedule")
        return _chunked(work, counter, (thread, trips, width), chunk, body)
    if team_chunk is not None:
        base = Name(line, f"omp_chunk_{work.number}")
        end = call(line, "min", plus(base, team_chunk), trips)
        inner = counted(line, counter, (plus(base, thread), end, threads), body)
        outer = (times(team, team_chunk), trips, times(teams, team_chunk))
        return counted(line, (base.name, type_), outer, inner)
    first = plus(times(team, threads), thread)
    return counted(line, counter, (first, trips, times(teams, threads)), body)


def _chunked(
    work: SharedLoopNest,
    counter: tuple[str, Type],
    range_: tuple[Expression, Expression, Expression],
    chunk: Expression | None,
    body: Statement,
) -> Statement:
    """One iteration after the other to each, or ``chunk`` at a time."""
    line = work.directive.line
    if chunk is None:
        return counted(line, counter, range_, body)
    index, trips, width = range_
    base = Name(line, f"omp_chunk_{work.number}")
    end = call(line, "min", plus(base, chunk), trips)
    inner = counted(line, counter, (base, end, literal(line, 1)), body)
    outer = (times(index, chunk), trips, times(width, chunk))
    return counted(line, (base.name, counter[1]), outer, inner)


def _chunk(directive: Directive, name: str) -> Expression | None:
    """The chunk of a schedule clause; None where it is one iteration."""
    clause = directive.clause(name)
    if clause is None or not clause.items or known(clause.items[0]) == 1:
        return None
    return clause.items[0]
