"""Teams and threads that an OpenMP runtime gives to a target region: its grid and block.

The rules are those of LLVM's offload runtime (``libomptarget``, plug-in for CUDA, as of LLVM 17 to
19), which decides when a region is launched:

- threads of a team: ``thread_limit`` or the ``num_threads`` of a combined construct, the smaller
  where both are given; without either 128. At most 1024. ``num_threads`` of a parallel region
  inside ``teams distribute`` does not count.
- teams: ``num_teams`` where it is given. Else one thread for each iteration of the loop that is
  shared out, at most 3200 teams; beyond that threads take several iterations.
- Where neither ``thread_limit`` nor ``num_threads`` is given and the loop is too short to give
  3200 teams 128 threads, teams get smaller, down to 32 threads.
- Where a team's threads do not share the loop out (``teams distribute`` alone), an iteration for
  each team, at most 3200 teams.

A generic region with a ``thread_limit`` gets another warp, for the thread that runs its sequential
part, unless the compiler turns it into an SPMD one. That it does in all regions of the development
data, so the warp is not modelled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from roofline_core.algebra.operations import Number
from roofline_core.algebra.symbolic import Expr, apply, constant
from roofline_core.program.records import record
from roofline_core.program.statements import OffloadMode

DEFAULT_THREADS: Final = 128
"""Threads of a team without a clause."""
MAX_THREADS: Final = 1024
"""The most threads of a team: those of a CUDA block."""
DEFAULT_TEAMS: Final = 3200
"""Teams without ``num_teams``; more iterations than they have threads are shared out."""
LOW_TRIP_THREADS: Final = 32
"""Threads of a team in a loop that is too short for all teams."""


@record(frozen=True, slots=True)
class OffloadRequest:
    """What the clauses and the loop of a target region ask for."""

    mode: OffloadMode
    teams: Expr | None = None
    """``num_teams``; None without the clause."""
    thread_limit: Expr | None = None
    threads: Expr | None = None
    """``num_threads`` of the construct that is launched."""
    trips: Expr | None = None
    """Iterations of the loop that is shared out over the teams; None without one."""


Assume = Callable[[Expr], Number | None]
"""The number an expression takes when each unknown takes its assumed value."""


def offload_geometry(request: OffloadRequest, assume: Assume) -> tuple[Expr, Expr]:
    """Teams and threads of a team, that is the extents of grid and block in x.

    They stay symbolic where the request is; a case that an unknown number decides is decided by
    the number assumed for it.
    """
    limit = _user_threads(request, assume)
    threads = constant(DEFAULT_THREADS) if limit is None else apply("min", limit, MAX_THREADS)
    if request.teams is not None and _positive(request.teams, assume):
        return request.teams, threads
    trips = request.trips
    if trips is None or not _positive(trips, assume):
        return constant(DEFAULT_TEAMS), threads
    if request.mode is OffloadMode.GENERIC:
        return apply("min", trips, DEFAULT_TEAMS), threads
    if limit is None:
        threads = constant(_lowered(assume(trips)))
    teams = apply("div", trips + threads - 1, threads)
    return apply("min", teams, DEFAULT_TEAMS), threads


def _user_threads(request: OffloadRequest, assume: Assume) -> Expr | None:
    """The smaller of ``thread_limit`` and ``num_threads``; numbers below 1 count as not given."""
    given = [
        clause
        for clause in (request.thread_limit, request.threads)
        if clause is not None and _positive(clause, assume)
    ]
    if len(given) == 2:
        return apply("min", *given)
    return given[0] if given else None


def _positive(expr: Expr, assume: Assume) -> bool:
    """Whether a number is above 0; one of which nothing is known is taken to be."""
    known = assume(expr)
    return known is None or known > 0


def _lowered(trips: Number | None) -> int:
    """Threads of a team for a loop of so many iterations, where no clause says."""
    if trips is None or trips >= DEFAULT_TEAMS * DEFAULT_THREADS:
        return DEFAULT_THREADS
    threads = LOW_TRIP_THREADS
    while threads * DEFAULT_TEAMS < trips:
        threads *= 2
    return min(threads, DEFAULT_THREADS)
