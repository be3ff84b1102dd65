"""Models of random numbers: C's, those of ``<random>``, and a library's that fills arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.host.objects.construction import LIBRARY_CLASSES
from roofline_analysis.host.state.access import rvalue
from roofline_analysis.host.state.arguments import SUCCESS, Arguments, by_name
from roofline_analysis.host.state.array_samples import DRAWN, normal_draws
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import HostPlace
from roofline_analysis.host.state.operators import to_scalar_type
from roofline_analysis.host.values import Aggregate, Scalar, Spread, Value
from roofline_core.algebra.symbolic import constant
from roofline_core.program.types import Type

_WHY: Final = "it is random"
_INTEGERS: Final = Spread(0, 2**31, whole=True)
_SINGLE: Final = Spread(0.0, 1.0, whole=False)
_ENGINES: Final = (
    "mt19937", "mt19937_64", "default_random_engine", "minstd_rand", "minstd_rand0",
    "random_device", "ranlux24", "ranlux48", "knuth_b",
)  # fmt: skip
_DISTRIBUTIONS: Final = {
    "uniform_real_distribution": (0.0, 1.0),
    "uniform_int_distribution": (0, 2**31 - 1),
    "normal_distribution": (0.0, 1.0),
}
"""Their two parameters where none are given: the bounds, or mean and standard deviation."""
_TERMS: Final = 4
"""Even numbers that are added up: their sum is nearly normal."""


def _random(args: Arguments) -> Value:
    return args.interpreter.spread(f"result of {args.name}()", _WHY, "int", _INTEGERS)


def _random_real(args: Arguments) -> Value:
    return args.interpreter.spread(f"result of {args.name}()", _WHY, "double", _SINGLE)


def _fill_uniformly(args: Arguments) -> Value:
    storage = args.storage(1)
    if storage is not None:
        args.interpreter.fill_with(storage, tuple((at + 0.5) / DRAWN for at in range(DRAWN)))
    return SUCCESS


def _fill_normally(args: Arguments) -> Value:
    storage, mean, deviation = args.storage(1), args.constant(3), args.constant(4)
    if storage is not None:
        known = mean is not None and deviation is not None
        args.interpreter.fill_with(
            storage, normal_draws(mean or 0.0, deviation or 0.0) if known else None
        )
    return SUCCESS


def _distribution(
    interpreter: HostInterpreter, type: Type, args: Sequence[HostPlace], name: str
) -> Value:
    numbers = [rvalue(interpreter, argument) for argument in args[:2]]
    fields = dict(zip("ab", numbers, strict=False))
    return Aggregate(type, fields)


def _engine(
    interpreter: HostInterpreter, type: Type, args: Sequence[HostPlace], name: str
) -> Value:
    return Aggregate(type)


def random_number(interpreter: HostInterpreter, value: Value) -> Scalar | None:
    """A call of a distribution or an engine of ``<random>``; None for anything else."""
    if not isinstance(value, Aggregate):
        return None
    short = value.type.name.rpartition("::")[2]
    if short in _ENGINES:
        return interpreter.spread(f"{short}()", _WHY, "unsigned int", Spread(0, 2**32, whole=True))
    if short not in _DISTRIBUTIONS:
        return None
    whole = short.startswith("uniform_int")
    kind = _result_type(value.type, "int" if whole else "double")
    given = zip("ab", _DISTRIBUTIONS[short], strict=True)
    first, second = (_parameter(value, name, default) for name, default in given)
    if first is None or second is None:
        return interpreter.unknown(short, _WHY, kind)
    if short.startswith("uniform"):
        return interpreter.spread(short, _WHY, kind, Spread(first, second + whole, whole=whole))
    even = Spread(-1.0, 1.0, whole=False)
    terms = [interpreter.spread(short, _WHY, "double", even) for _ in range(_TERMS)]
    total = sum((each.value for each in terms), constant(0.0))
    scaled = total * (second * (3.0 / _TERMS) ** 0.5) + first
    return to_scalar_type(Scalar(scaled, "double"), kind)


def _result_type(type: Type, default: str) -> str:
    given = type.args[0] if type.args else None
    return given.name if isinstance(given, Type) and given.name in SCALARS else default


def _parameter(value: Aggregate, name: str, default: float) -> float | None:
    held = value.fields.get(name)
    return default if held is None else held.value.constant if isinstance(held, Scalar) else None


for _name in _DISTRIBUTIONS:
    LIBRARY_CLASSES[_name] = _distribution
for _name in _ENGINES:
    LIBRARY_CLASSES[_name] = _engine


MODELS: Final = by_name(
    {
        _random: "rand random lrand48 rand_r".split(),
        _random_real: ("drand48",),
        _fill_uniformly: (
            "curandGenerateUniform curandGenerateUniformDouble hiprandGenerateUniform "
            "hiprandGenerateUniformDouble"
        ).split(),
        _fill_normally: (
            "curandGenerateNormal curandGenerateNormalDouble hiprandGenerateNormal "
            "hiprandGenerateNormalDouble"
        ).split(),
    }
)
