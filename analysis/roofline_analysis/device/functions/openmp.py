"""What OpenMP itself provides to device code: queries, and the reductions of target regions.

Kernels of target regions are written for one GPU thread: a team is a block, its threads the
block's. Reductions are what LLVM's device runtime makes of a ``reduction`` clause.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from roofline_analysis.device.functions import memory
from roofline_analysis.device.functions.mathematics import Handler
from roofline_analysis.device.state.arithmetic import binary
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import need_value
from roofline_analysis.device.values import LAUNCH, THREAD, DeviceValue, Value, number
from roofline_analysis.regions.kernel_summary import Region, RegionForm, Work
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import ZERO, Expr, apply, from_atom, make_symbol
from roofline_core.program.expressions import Call
from roofline_core.program.units import Dialect

SHARED_LOOP_INT: Final = 22.0
SHARED_LOOP_START_INT: Final = 12.0
"""Integer instructions that LLVM's runtime adds to a loop shared out over teams and threads, for
each iteration and once for each thread. Its two nested loops, over chunks of a team's size and over
the iterations of a chunk, keep bounds and strides of their own.

Fitted to counters: medians of the difference between measured and counted instructions, of 60
development kernels that are otherwise counted exactly (19 to 37 for an iteration, 20 to 47 for a
thread of one)."""
QUERY_INT: Final = 6.0
"""Integer instructions of asking for a thread's number or the threads of its team: the runtime
looks first whether the thread is in a parallel region, and in which.

Fitted to counters: half the median difference, 13, between measured and counted instructions of 18
development programs that ask for both."""
REDUCTION_STEP_INT: Final = 4.0
"""Integer instructions of one step between lanes, beside the operation and the shuffle: which
lanes take part, and whether the value is copied. Assumed, chosen without measurement."""

_ALL_THREADS: Final = {LAUNCH["gridDim.x"], LAUNCH["blockDim.x"]}
_THREAD_INDEX: Final = from_atom(THREAD["threadIdx.x"])


def charge_sharing(interpreter: DeviceInterpreter, loop: Region, stride: Expr) -> None:
    """Charge a loop whose iterations are shared out with the runtime's part in that.

    Such a loop is known by its stride, all threads of the grid.
    """
    if interpreter.kernel.dialect is not Dialect.OPENMP or loop.parent is None:
        return
    if _ALL_THREADS.issubset(stride.symbols()):
        loop.copies = 1
        loop.charge(interpreter.costs.site, Work.INT, SHARED_LOOP_INT)
        loop.parent.charge(interpreter.costs.site, Work.INT, SHARED_LOOP_START_INT)


def _query(expr: Expr, instructions: float = 0.0) -> Handler:
    """A handler for a function that reads an index or a dimension."""

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The index or dimension, at the cost of its instructions."""
        interpreter.costs.charge(Work.INT, instructions, 0)
        return Value("int", expr)

    return handler


def _constant(value: int) -> Handler:
    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The constant; asking for it costs nothing."""
        return number(value, "int")

    return handler


def _clock(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    return Value("double", None, interpreter.costs.loop_bits())


def _reduce(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A reduction over the threads of a team, and over all teams if there is a target.

    The lanes of a warp exchange values in as many steps as halve it to one, five of 32 lanes; the
    warps pass theirs through shared memory to the first warp, all lanes of which take as many steps
    as halve the number of warps to one. Each team's value goes to a buffer, and the team that comes
    last reduces those.

    Where iterations are shared out over all teams, a team takes as many at a time as it has
    threads, and reduces each time: the parallel region, which has the clause, is within the loop
    over these. Seen in measured counts and in those of machine code of Clang 19. Where LLVM makes
    its runtime a part of the kernel, all threads also do the step in which the warps' values meet:
    one operation more, seen in six reductions of four programs, and in none of the five of two
    others.
    """
    accumulator = args[-1] if args else None
    if not isinstance(accumulator, Value):
        return number(0, "int")
    need_value(interpreter, accumulator)
    times = _rounds(interpreter.costs.region) if name == "__kmpc_reduce" else None
    rounds = None if times is None else _open_loop(interpreter, "round", times)
    warp = interpreter.warp_size
    _reduce_lanes(interpreter, accumulator, int(math.log2(warp)))
    memory.barrier(interpreter, name, args, node)
    costs = interpreter.costs
    first_warp = costs.open_guard((apply("lt", _THREAD_INDEX - warp),))
    warps = apply("div", from_atom(LAUNCH["blockDim.x"]) + (warp - 1), warp)
    steps = _open_loop(interpreter, "step", apply("ceil", apply("log2", warps)))
    _reduce_lanes(interpreter, accumulator, 1)
    costs.close(steps)
    costs.close(first_warp)
    if "specialised" in interpreter.kernel.qualifiers:
        _join(interpreter, accumulator)
    memory.barrier(interpreter, name, args, node)
    if rounds is not None:
        costs.close(rounds)
    if name == "__kmpc_reduce":
        interpreter.costs.region.grid_reductions += 1
    return Value(accumulator.type, None if accumulator.expr is None else accumulator.expr)


def _rounds(region: Region) -> Expr | None:
    """How often a team takes iterations of the loop before, which all teams share; None without."""
    loop = region.children[-1] if region.children else None
    if loop is None or loop.form is not RegionForm.LOOP or loop.trips is None:
        return None
    if LAUNCH["gridDim.x"] not in loop.trips.symbols():
        return None
    return loop.trips.substitute({THREAD["threadIdx.x"]: ZERO})


def _open_loop(interpreter: DeviceInterpreter, name: str, trips: Expr) -> Region:
    loop = interpreter.costs.open_loop()
    interpreter.next_fresh += 1
    counter = f"{name}#{interpreter.next_fresh}"
    loop.counter = make_symbol(counter, SymbolScope.LOOP, nonnegative=True)
    loop.trips = trips
    return loop


def _reduce_lanes(interpreter: DeviceInterpreter, accumulator: Value, steps: int) -> None:
    words = 2 if interpreter.bytes_of(interpreter.type_of(accumulator)) > 4 else 1
    interpreter.costs.charge(Work.INT, steps * REDUCTION_STEP_INT * words)
    interpreter.costs.region.exchanges += steps * words
    for _ in range(steps):
        _join(interpreter, accumulator)


def _join(interpreter: DeviceInterpreter, accumulator: Value) -> None:
    """Join a value with another lane's."""
    other = interpreter.opaque(
        interpreter.type_of(accumulator), interpreter.costs.loop_bits(), "lane"
    )
    if isinstance(other, Value):
        need_value(interpreter, binary(interpreter, "+", accumulator, other))


_HANDLERS: Final[tuple[tuple[Handler, str], ...]] = (
    (_query(_THREAD_INDEX, QUERY_INT), "omp_get_thread_num"),
    (_query(from_atom(THREAD["blockIdx.x"])), "omp_get_team_num"),
    (
        _query(from_atom(LAUNCH["blockDim.x"]), QUERY_INT),
        "omp_get_num_threads omp_get_max_threads omp_get_thread_limit omp_get_num_procs",
    ),
    (_query(from_atom(LAUNCH["gridDim.x"])), "omp_get_num_teams"),
    (
        _constant(0),
        (
            "omp_is_initial_device omp_get_default_device omp_get_device_num"
            " omp_get_ancestor_thread_num omp_get_dynamic omp_get_nested"
        ),
    ),
    (_constant(1), "omp_in_parallel omp_get_level omp_get_active_level omp_get_num_devices"),
    (_clock, "omp_get_wtime omp_get_wtick"),
    (memory.nothing, "omp_set_num_threads omp_set_lock omp_unset_lock omp_init_lock"),
    (_reduce, "__kmpc_reduce __kmpc_reduce_block"),
)


def _entries() -> Iterator[tuple[str, Handler]]:
    for handler, names in _HANDLERS:
        for name in names.split():
            yield name, handler


OPENMP_FUNCTIONS: Final[Mapping[str, Handler]] = dict(_entries())
"""Every built-in function of OpenMP by name."""
