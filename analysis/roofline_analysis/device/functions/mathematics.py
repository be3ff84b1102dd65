"""Mathematical and bit functions of device code, costed by the table of measured expansions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from roofline_analysis.device.costs.expansions import OperationCost
from roofline_analysis.device.functions.whole_powers import whole_power
from roofline_analysis.device.state.arithmetic import MAX_SIZE, binary, convert
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.fast_division import note_high_word
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import need_value
from roofline_analysis.device.state.recorded_operations import charge_cost, note_cost
from roofline_analysis.device.values import (
    DeviceValue,
    MemoryPlace,
    PlacePointer,
    PointerValue,
    StructValue,
    Value,
    number,
)
from roofline_analysis.language.mathematics import computed
from roofline_analysis.language.types import common_type, is_float, is_integer, vector_parts
from roofline_analysis.regions.kernel_summary import Region, Work
from roofline_analysis.regions.unseen import UnseenKind
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import ONE, ZERO, Expr, apply
from roofline_core.program.expressions import Call
from roofline_core.program.types import Type
from roofline_core.program.units import Dialect

Handler = Callable[[DeviceInterpreter, str, list[DeviceValue], Call], DeviceValue | None]
"""Returns the result of a built-in function; None if the arguments do not fit the function."""

DOUBLE_MATH: Final = frozenset(
    "sqrt rsqrt cbrt rcbrt exp exp2 exp10 expm1 log log2 log10 log1p pow sin cos tan asin acos atan"
    " atan2 sinh cosh tanh asinh acosh atanh erf erfc erfinv lgamma tgamma hypot rhypot fmod fabs"
    " floor ceil round trunc rint nearbyint fmin fmax fma fdim copysign ldexp normcdf normcdfinv"
    " sinpi cospi remainder j0 j1 y0 y1 abs logb nextafter scalbn scalbln erfcinv erfcx norm3d"
    " norm4d rnorm3d rnorm4d cyl_bessel_i0 cyl_bessel_i1".split()
)
"""C's double functions; with an ``f`` behind, or called with a float as C++ does, single ones."""
_NUMERIC: Final[Mapping[str, str]] = {
    "sqrt": "sqrt",
    "floor": "floor",
    "ceil": "ceil",
    "fabs": "abs",
    "abs": "abs",
    "exp": "exp",
    "log": "log",
    "log2": "log2",
    "pow": "pow",
    "fmin": "min",
    "fmax": "max",
    "trunc": "trunc",
}
_ROUNDED: Final = re.compile(r"(?<=[a-z])_r[zud]$")
"""The end of an intrinsic's name that says how it rounds; all ways cost about the same."""
_MOST_TERMS: Final = 16
"""The longest sum of which a function is estimated: the squared distance in three dimensions has
nine terms. A limit on the work."""
_TRIGONOMETRIC: Final = frozenset(("sin", "cos", "tan"))
"""nvcc does not merge two calls with the same argument, because the functions contain branches; in
single precision it merges the reduction of the argument to a quarter turn.

Read off machine code of NVRTC 11.8, 12.2 and 12.4; 12.9 joins those in double precision.
"""
_REDUCING: Final = frozenset((*_TRIGONOMETRIC, "__sinf", "__cosf", "__tanf"))
_REDUCTION_FLOPS: Final = 7
"""One FMUL and three FFMA, and two conversions."""
_FAST_REDUCTION_FLOPS: Final = 1
"""The product with one over a turn, before the instruction that gives a sine (``__sinf``)."""
_UNROUNDED_ROOT: Final = OperationCost(mufu=1.0)
"""MUFU.SQRT alone, as Clang 18 has it."""
_LOGARITHM: Final = OperationCost(sp_flops=37.0, int_ops=3.0, conversions=1.0, others=4.0)
"""The part of ``powf`` that rests on the base alone: its logarithm, with more digits than a float.

It is computed once where calls share a base, and outside the loops in which the base stays. Read
off machine code of nvcc 13 and Clang 18: of 20 calls with one base 38 of 538 operations.
"""
_LOGARITHM_OF_CONSTANT: Final = replace(_LOGARITHM, sp_flops=26.0, int_ops=0.0)
"""The same where the base is a constant: its exponent and mantissa are known. Counted in emulated
code of nvcc 13, of ``powf(3.f, x)`` and ``powf(0.1f, x)`` beside ``powf(y, x)``."""
_FOLDED: Final = frozenset(
    "acos asin atan atan2 copysign exp2 fmod log10 rint round sinh tanh".split()
)
"""Functions of constants that the compiler folds, beyond those of the algebra: ``acos(-1.0)``.

Read off machine code of nvcc 13. It does so for ``sin``, ``cos`` and ``tan`` too. NVRTC 11.8 and
12.2 do where the argument is a literal, but leave those of a rotation by a computed constant to run
time, and the counters of the kernel that does that agree.
"""
_FORMULAS: Final[Mapping[str, tuple[int, Callable[..., Expr]]]] = {
    "sin": (1, lambda x: apply("sin", x)),
    "cos": (1, lambda x: apply("cos", x)),
    "tan": (1, lambda x: apply("fdiv", apply("sin", x), apply("cos", x))),
    "exp": (1, lambda x: apply("exp", x)),
    "exp2": (1, lambda x: apply("exp", x * math.log(2))),
    "exp10": (1, lambda x: apply("exp", x * math.log(10))),
    "expm1": (1, lambda x: apply("exp", x) - 1),
    "log": (1, lambda x: apply("log", x)),
    "log2": (1, lambda x: apply("log2", x)),
    "log10": (1, lambda x: apply("log2", x) * math.log10(2)),
    "log1p": (1, lambda x: apply("log", x + 1)),
    "sqrt": (1, lambda x: apply("sqrt", x)),
    "rsqrt": (1, lambda x: apply("fdiv", ONE, apply("sqrt", x))),
    "rcp": (1, lambda x: apply("fdiv", ONE, x)),
    "tanh": (1, lambda x: 1 - apply("fdiv", ONE * 2, apply("exp", x * 2) + 1)),
    "pow": (2, lambda x, y: apply("pow", x, y)),
    "hypot": (2, lambda x, y: apply("sqrt", x * x + y * y)),
    "fdim": (2, lambda x, y: apply("max", x - y, ZERO)),
    "add": (2, lambda x, y: x + y),
    "sub": (2, lambda x, y: x - y),
    "mul": (2, lambda x, y: x * y),
    "div": (2, lambda x, y: apply("fdiv", x, y)),
    "divide": (2, lambda x, y: apply("fdiv", x, y)),
    "fma": (3, lambda x, y, z: x * y + z),
}
"""What functions of loaded values give, where the odds of a branch rest on it: how many operands
they have, and the formula."""
_IN_ONE_BLOCK: Final = frozenset("sqrt rsqrt exp exp2 log log2 log10 fabs fmin fmax".split())
"""Single-precision functions without branches of their own, which compilers move as a whole."""


# -- mathematics


def math_call(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A function of the C mathematics library or its fast intrinsics."""
    values = [arg for arg in args if isinstance(arg, Value)]
    if not values:
        return None
    power = whole_power(interpreter, values) if name == "pow" else None
    if isinstance(power, Value):
        return power
    values = power or values
    base, type_ = _math_type(name, values)
    operands = [
        convert(interpreter, value, type_) if is_integer(value.type) else value for value in values
    ]
    varies = 0
    for operand in operands:
        varies |= operand.varies
    expr = _math_number(base, operands)
    if expr is not None and expr.constant is not None:
        return number(expr.constant, type_)
    folded = _folded(base, operands)
    if folded is not None:
        return number(folded, type_)
    key = ("call", name, tuple(operand.key() for operand in operands))
    home = interpreter.costs.home(varies)
    found = interpreter.costs.find(key, home)
    compiler = interpreter.costs.compiler
    branching = base in _TRIGONOMETRIC and not compiler.fast_functions
    if isinstance(found, Value) and not (branching and interpreter.contracts_all):
        return found
    cost = _measured(interpreter, name, base, type_)
    reduced = base in _REDUCING and type_ == "float" and operands[0].constant is None
    if reduced and cost is not None:
        fast = compiler.fast_functions or base.startswith("__")
        cost = _without_reduction(interpreter, cost, operands[0], home, fast=fast)
    inputs = operands
    if base == "pow" and type_ == "float" and cost is not None and len(operands) == 2:
        if operands[1].constant is not None:
            cost = compiler.function_cost("powf (exponent 2)") or cost
        if not compiler.fast_functions:
            cost, inputs = _after_logarithm(interpreter, cost, operands)
    made = note_cost(interpreter, cost, tuple(inputs), varies)
    made.may_sink = base in _IN_ONE_BLOCK and type_ == "float"
    if len(values) < len(args):
        interpreter.costs.operations.keep(made, interpreter.costs.region)
        keep(interpreter, *args)
    _write_results(interpreter, args, type_)
    result = Value(type_, expr, varies, None, made, _math_estimate(base, operands))
    home.available[key] = result
    return result


def _measured(
    interpreter: DeviceInterpreter, name: str, base: str, type_: str
) -> OperationCost | None:
    """What a call of a function costs in a type; None, and missing from the counts, if unknown."""
    if base == "sqrt" and type_ == "float" and not _rounds_roots(interpreter):
        return _UNROUNDED_ROOT
    rounded = _ROUNDED.sub("_rn", name)
    single = base + "f" if type_ == "float" else base
    cost_of = interpreter.costs.compiler.function_cost
    cost = cost_of(rounded if name.startswith("__") else single) or cost_of(rounded)
    if cost is None:
        interpreter.costs.lose(UnseenKind.CALL, name)
    return cost


def _math_type(name: str, values: list[Value]) -> tuple[str, str]:
    """The function's name without suffix, and the type it computes in."""
    if name.startswith("__"):
        return name, "double" if name.startswith("__d") else "float"
    if name in DOUBLE_MATH:
        widest = values[0].type
        for value in values[1:]:
            widest = common_type(widest, value.type)
        return name, widest if is_float(widest) else "double"
    return name.removesuffix("f"), "float"


def _numeric(base: str, operands: list[Value]) -> str | None:
    """The algebra's operation; None without one, and for a call with too few or many arguments."""
    op = _NUMERIC.get(base)
    wanted = 2 if op in ("pow", "min", "max") else 1
    return op if len(operands) == wanted else None


def _math_number(base: str, operands: list[Value]) -> Expr | None:
    op = _numeric(base, operands)
    if op is None or any(o.expr is None or len(o.expr.terms) > 8 for o in operands):
        return None
    return apply(op, *(o.expr for o in operands if o.expr is not None))


def _without_reduction(
    interpreter: DeviceInterpreter, cost: OperationCost, angle: Value, home: Region, *, fast: bool
) -> OperationCost:
    """The cost of a trigonometric function whose argument another call has already reduced."""
    key = ("turns" if fast else "reduced", angle.key())
    if interpreter.costs.find(key, home) is None:
        home.available[key] = True
        return cost
    if fast:
        return replace(cost, sp_flops=cost.sp_flops - _FAST_REDUCTION_FLOPS)
    flops, conversions = cost.sp_flops - _REDUCTION_FLOPS, cost.conversions - 2
    return replace(cost, sp_flops=flops, conversions=conversions)


def _rounds_roots(interpreter: DeviceInterpreter) -> bool:
    """Whether a root of floats is corrected; of AMD's compiler nothing else was measured."""
    is_amd = interpreter.kernel.dialect is Dialect.HIP
    return is_amd or interpreter.costs.compiler.rounds_roots


def _after_logarithm(
    interpreter: DeviceInterpreter, cost: OperationCost, operands: list[Value]
) -> tuple[OperationCost, list[Value]]:
    """What is left of a power once its base's logarithm is known, and the operands of that."""
    power_of = operands[0]
    home = interpreter.costs.home(power_of.varies)
    key = ("logarithm", power_of.key())
    logarithm = interpreter.costs.find(key, home)
    if not isinstance(logarithm, Value):
        known = power_of.constant is not None
        cost_of_it = _LOGARITHM_OF_CONSTANT if known else _LOGARITHM
        made = note_cost(interpreter, cost_of_it, (power_of,), power_of.varies)
        logarithm = Value("float", None, power_of.varies, None, made)
        home.available[key] = logarithm
    rest = replace(
        cost,
        sp_flops=cost.sp_flops - _LOGARITHM.sp_flops,
        int_ops=cost.int_ops - _LOGARITHM.int_ops,
        conversions=cost.conversions - _LOGARITHM.conversions,
        others=cost.others - _LOGARITHM.others,
    )
    return rest, [logarithm, *operands[1:]]


def _math_estimate(base: str, operands: list[Value]) -> Expr | None:
    numbers = [operand.nearly for operand in operands]
    known = [each for each in numbers if each is not None and len(each.terms) <= _MOST_TERMS]
    if len(known) < len(operands):
        return None
    op = _numeric(base, operands)
    if op is not None:
        return apply(op, *known)
    formula = next((_FORMULAS[name] for name in _plain_names(base) if name in _FORMULAS), None)
    found = formula[1](*known) if formula is not None and formula[0] == len(known) else None
    return found if found is not None and found.size < MAX_SIZE else None


def _plain_names(base: str) -> Iterator[str]:
    """What ``__fadd_rn``, ``__fdividef`` and ``__expf`` may be called without what is added."""
    yield base
    if base.startswith("__"):
        name = _ROUNDED.sub("", base[2:]).removesuffix("_rn")
        yield from (name, name.removesuffix("f"), name[1:], name[1:].removesuffix("f"))


def _folded(base: str, operands: list[Value]) -> float | None:
    """The value of a function of constants that the compiler folds; None if it does not."""
    if base not in _FOLDED:
        return None
    arguments = [operand.expr.constant if operand.expr else None for operand in operands]
    known = [each for each in arguments if each is not None]
    return computed(base, known) if len(known) == len(arguments) else None


def _write_results(interpreter: DeviceInterpreter, args: list[DeviceValue], type_: str) -> None:
    """``sincos(x, &s, &c)`` and the like store through their pointers."""
    for arg in args:
        if isinstance(arg, PlacePointer):
            interpreter.write(arg.place, Value(type_, None, interpreter.costs.loop_bits()))
        elif isinstance(arg, PointerValue):
            interpreter.write(MemoryPlace(arg), Value(type_, None, interpreter.costs.loop_bits()))


def fused_multiply_add(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``fma(a, b, c)``: a product and a sum."""
    if len(args) != 3 or not all(isinstance(arg, Value) for arg in args):
        return None
    a, b, c = (arg for arg in args if isinstance(arg, Value))
    return binary(interpreter, "+", binary(interpreter, "*", a, b), c)


def extreme(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """The smaller or larger of two, by the usual conversions."""
    if len(args) != 2 or not all(isinstance(arg, Value) for arg in args):
        return None
    left, right = (arg for arg in args if isinstance(arg, Value))
    op = "min" if "min" in name else "max"
    type_ = common_type(left.type, right.type)
    left, right = convert(interpreter, left, type_), convert(interpreter, right, type_)
    expr = None
    if left.expr is not None and right.expr is not None:
        expr = apply(op, left.expr, right.expr)
    elif is_integer(type_):
        expr = interpreter.fresh(op, SymbolScope.DATA)
    varies = left.varies | right.varies
    if is_float(type_):
        estimate = None
        if expr is None and left.nearly is not None and right.nearly is not None:
            estimate = apply(op, left.nearly, right.nearly)
        made = interpreter.costs.passed_on((left, right))
        return Value(type_, expr, varies, None, made, estimate)
    return Value(type_, expr, varies, (op, (left, right)))


def absolute(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """The magnitude; free for floating point as an operand, like a changed sign."""
    value = args[0] if args else None
    if not isinstance(value, Value):
        return None
    expr = apply("abs", value.expr) if value.expr is not None else None
    if is_float(value.type):
        if expr is None:
            expr = _magnitude(interpreter, value)
        made = interpreter.costs.passed_on((value,))
        result = Value(value.type, expr, value.varies, None, made)
        result.magnitude = True
        return result
    return Value(value.type, expr, value.varies, ("abs", (value,)))


def _magnitude(interpreter: DeviceInterpreter, value: Value) -> Expr:
    """The magnitude of an unknown number, as a non-negative unknown."""
    home = interpreter.costs.home(value.varies)
    found = interpreter.costs.find(("abs", value.key()), home)
    if not isinstance(found, Expr):
        inner = interpreter.fresh("abs", SymbolScope.DATA)
        interpreter.means(inner, value.estimate)
        found = apply("abs", inner)
        home.available["abs", value.key()] = found
    return found


def predicate(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``isnan`` and the like: the outcome is unknown, although numbers are taken to be finite."""
    outcome = interpreter.fresh(name, SymbolScope.DATA)
    if name != "signbit":
        interpreter.means(outcome, ONE if name == "isfinite" else ZERO)
    return Value("bool", outcome, variation(args))


def bit_function(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """Integer intrinsics: charged from the table; the result is an unknown value."""
    for arg in args:
        need_value(interpreter, arg)
    cost = interpreter.costs.compiler.function_cost(name)
    varies = variation(args)
    if cost is not None:
        charge_cost(interpreter, cost, varies)
    else:
        interpreter.costs.charge(Work.INT, 1.0, varies)
    word = interpreter.fresh(name, SymbolScope.DATA)
    if name == "__umulhi":
        note_high_word(interpreter, word, args)
    return Value("int", word, varies)


def multiply_24(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A 24-bit product, which today is an ordinary one."""
    if len(args) != 2 or not all(isinstance(arg, Value) for arg in args):
        return None
    left, right = (arg for arg in args if isinstance(arg, Value))
    return binary(interpreter, "*", left, right)


def reinterpret(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """The same bits as another type."""
    value = args[0] if args else None
    if not isinstance(value, Value):
        return None
    type_ = {
        "__float_as_int": "int",
        "__float_as_uint": "unsigned int",
        "__int_as_float": "float",
        "__uint_as_float": "float",
        "__double_as_longlong": "long long",
        "__longlong_as_double": "double",
    }[name]
    interpreter.costs.need(value)
    expr = interpreter.fresh(name, SymbolScope.DATA) if is_integer(type_) else None
    return Value(type_, expr, value.varies)


def variation(args: list[DeviceValue]) -> int:
    """The bit set of loops between whose trips any of the values can differ."""
    varies = 0
    for arg in args:
        if isinstance(arg, Value):
            varies |= arg.varies
    return varies


def make_vector(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``make_float4(x, y, z, w)`` and its kin."""
    type_ = Type(name.removeprefix("make_"))
    aliases = {"Complex": "float2", "FloatComplex": "float2", "DoubleComplex": "double2"}
    bare = type_.name.removeprefix("cu").removeprefix("hip")
    type_ = Type(aliases.get(bare, type_.name))
    parts = vector_parts(type_.name)
    if parts is None:
        return None
    element, width = parts
    values: list[DeviceValue] = []
    for arg in args:
        values.extend(arg.fields.values() if isinstance(arg, StructValue) else [arg])
    if len(values) == 1:
        values *= width
    fields = {
        axis: convert(interpreter, value, element) if isinstance(value, Value) else value
        for axis, value in zip("xyzw", values, strict=False)
    }
    return StructValue(type_, fields)


def conversion_to(type_: str) -> Handler:
    """A handler that converts its argument to a type."""

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The first argument converted; of unknown value where it is no number."""
        value = args[0] if args else None
        if not isinstance(value, Value):
            return Value(type_, None, 0)
        if is_integer(type_) or is_float(type_):
            result = convert(interpreter, value, type_)
            if result is not value:
                result.never_minus_zero = False  # Compilers do not know what intrinsics give.
            return result
        interpreter.costs.charge(Work.CONVERSION, 1.0, value.varies)
        return Value(type_, None, value.varies)

    return handler


def rounded_to_long(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``lround`` and ``lrint``: a conversion to an integer that rounds."""
    value = args[0] if args else None
    known = value.constant if isinstance(value, Value) else None
    if known is not None:
        rounded = computed("round" if "round" in name else "rint", (known,))
        return None if rounded is None else number(int(rounded), "long")
    return conversion_to("long")(interpreter, name, args, node)
