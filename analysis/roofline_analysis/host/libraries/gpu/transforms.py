"""Fourier transforms and random numbers: cuFFT, hipFFT, cuRAND, hipRAND, rocRAND."""

from __future__ import annotations

import re
from typing import Final

from roofline_analysis.host.library_call import LibraryWork
from roofline_analysis.host.state.access import deref
from roofline_analysis.host.state.arguments import SUCCESS, Arguments, by_name
from roofline_analysis.host.state.memory import Storage
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.values import Aggregate, OpaqueValue, Pointer, Scalar, Value
from roofline_core.algebra.symbolic import ONE, Expr, apply, constant
from roofline_core.program.precision import Precision
from roofline_core.program.types import Type

_PLAN: Final = Type("library plan")
_POINTS: Final = "points"
_BATCH: Final = "batch"
_KIND: Final = re.compile(r"(?:Exec)(C2C|R2C|C2R|Z2Z|D2Z|Z2D)?")
_PASS_LEVELS: Final = 12
"""Radix-2 levels that one kernel does in shared memory; longer transforms go through DRAM once
more for each so many (an estimate: cuFFT does not publish its plans)."""
RANDOM_INT_OPS: Final = 14.0
"""Integer instructions of one XORWOW number, cuRAND's default: 3 shifts, 4 exclusive ors, 2
additions and 5 moves (Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003)."""
_DISTRIBUTION_FLOPS: Final = {"uniform": 2.0, "lognormal": 32.0, "normal": 20.0, "poisson": 20.0}
"""Operations that make a number of a distribution: a multiply-add; half of a Box-Muller pair
(logarithm, square root, sine and cosine); estimates."""


def _both(*names: str) -> list[str]:
    return [prefix + name for name in names for prefix in ("cufft", "hipfft")]


def _keep(args: Arguments, position: int, points: Expr, batch: Expr) -> Value:
    """Store what a plan is for in its handle."""
    held: dict[str, Value] = {
        _POINTS: Scalar(points, "unsigned long"),
        _BATCH: Scalar(batch, "unsigned long"),
    }
    value = args.value(position)
    if isinstance(value, Pointer):
        args.interpreter.store(args.target(position), Aggregate(_PLAN, held))
    elif args.places[position].name:
        args.interpreter.store(args.places[position], Aggregate(_PLAN, held))
    return SUCCESS


def _plan_1d(args: Arguments) -> Value:
    batch = args.expr(3) if len(args) > 3 else ONE
    return _keep(args, 0, args.expr(1), batch)


def _plan_2d(args: Arguments) -> Value:
    return _keep(args, 0, args.expr(1) * args.expr(2), ONE)


def _plan_3d(args: Arguments) -> Value:
    return _keep(args, 0, args.expr(1) * args.expr(2) * args.expr(3), ONE)


def _plan_many(args: Arguments) -> Value:
    rank = args.constant(1)
    points = ONE
    for position in range(int(rank or 1)):
        place = deref(args.interpreter, args.value(2), integer(position))
        number = args.interpreter.number(place.get(), "int")
        points = points * (number.value if number is not None else args.expr(2))
    return _keep(args, 0, points, args.expr(10) if len(args) > 10 else ONE)


def fft_work(args: Arguments, name: str) -> LibraryWork:
    """5 n log2 n operations for n complex points, half as many for real ones.

    The count is the convention of the FFTW benchmark (benchFFT), which is that of radix 2.
    """
    match = _KIND.search(name)
    kind = (match.group(1) if match is not None else None) or "C2C"
    double = "Z" in kind or "D" in kind
    element = "complex<double>" if double else "complex<float>"
    plan = args.value(0)
    if isinstance(plan, Storage):
        plan = plan.elements.get(0, OpaqueValue("a plan", "it is not known"))
    if not isinstance(plan, Aggregate) or _POINTS not in plan.fields:
        return LibraryWork("Fourier transform", element, missing="the plan's size is not known")
    points, batch = (args.interpreter.number(plan.fields[key]) for key in (_POINTS, _BATCH))
    assert points is not None
    assert batch is not None
    real = kind in ("R2C", "C2R", "D2Z", "Z2D")
    n = points.value
    bytes_each = (16 if double else 8) // (2 if real else 1)
    levels = apply("log2", apply("max", n, constant(2)))
    rounds = apply("max", apply("ceil", apply("fdiv", levels, constant(_PASS_LEVELS))), ONE)
    operations = n * batch.value * levels * (2.5 if real else 5)
    moved = n * batch.value * rounds * bytes_each
    known = {Precision.DP if double else Precision.SP: operations}
    return LibraryWork("Fourier transform", element, n * batch.value, moved, moved, known)


def random_work(args: Arguments, name: str) -> LibraryWork:
    """Numbers of a generator written to memory."""
    lowered = name.lower()
    found = next((key for key in _DISTRIBUTION_FLOPS if key in lowered), None)
    double = lowered.endswith("double")
    long = lowered.endswith("longlong")
    element = "double" if double else "float" if found else "unsigned int"
    if found == "poisson":
        element = "unsigned int"
    width = 8 if double or long else 4
    # The size stands behind the generator and the output.
    count = args.expr(2)
    operations = {Precision.INT: count * RANDOM_INT_OPS}
    if found is not None:
        flops = count * _DISTRIBUTION_FLOPS[found]
        operations[Precision.DP if double else Precision.SP] = flops
    what = f"random numbers ({found})" if found else "random numbers"
    return LibraryWork(what, element, count, Expr({}), count * width, operations)


MODELS: Final = by_name(
    {
        _plan_1d: _both("Plan1d", "MakePlan1d"),
        _plan_2d: _both("Plan2d", "MakePlan2d"),
        _plan_3d: _both("Plan3d", "MakePlan3d"),
        _plan_many: _both("PlanMany", "MakePlanMany"),
    }
)
