"""Functions of ``cuda_fp16.h`` and ``cuda_bf16.h``, scalar and on pairs, by what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from roofline_analysis.device.costs.compilers import CompilerProfile
from roofline_analysis.device.costs.expansions import OperationCost
from roofline_analysis.device.functions.mathematics import Handler, conversion_to, variation
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import need_value
from roofline_analysis.device.state.recorded_operations import charge_cost
from roofline_analysis.device.values import DeviceValue, StructValue, Value
from roofline_analysis.regions.kernel_summary import Work
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program.expressions import Call
from roofline_core.program.types import Type

_FLOPS: Final = {"__hadd": 1.0, "__hsub": 1.0, "__hmul": 1.0, "__hfma": 2.0, "__hcmadd": 8.0}
"""Operations on one lane; of the complex multiply-add on its pair, two fused ones on both lanes."""
_FREE: Final = tuple("__hneg __habs __hmax __hmin __hmax_nan __hmin_nan".split())
"""Operand modifiers and selections, which no profiler counts as operations."""
_VARIANTS: Final = ("", "_rn", "_sat", "_relu")
_COMPARED: Final = tuple("eq ne le ge lt gt".split())
_TABLE_NAMES: Final = {
    "half": "__half",
    "half2": "__half2",
    "bfloat16": "__nv_bfloat16",
    "bfloat162": "__nv_bfloat162",
}
_ALIKE: Final = {"exp2": "exp", "exp10": "exp", "log2": "log", "log10": "log"}
"""Functions by the measured one that they are costed as: the same steps with another constant."""
_ROUNDED: Final = frozenset("ceil floor rint trunc".split())
"""Functions of one conversion instruction."""
_MEASURED: Final = frozenset("exp log sqrt rsqrt rcp sin cos".split())
_FUNCTIONS: Final = (*sorted(_MEASURED), *_ALIKE, *sorted(_ROUNDED), "tanh", "tanh_approx")
_TANH: Final = OperationCost(mufu=1.0, conversions=2.0)
"""One instruction of the special function unit between conversions (sm_75 and newer)."""
_ROUNDINGS: Final = ("rd", "rn", "ru", "rz")
_INTEGERS: Final[Mapping[str, str]] = {
    "char": "signed char",
    "uchar": "unsigned char",
    "short": "short",
    "ushort": "unsigned short",
    "int": "int",
    "uint": "unsigned int",
    "ll": "long long",
    "ull": "unsigned long long",
}
_BITS: Final = {
    "__half_as_short": "short",
    "__half_as_ushort": "unsigned short",
    "__short_as_half": "half",
    "__ushort_as_half": "half",
    "__bfloat16_as_short": "short",
    "__bfloat16_as_ushort": "unsigned short",
    "__short_as_bfloat16": "bfloat16",
    "__ushort_as_bfloat16": "bfloat16",
}


def _type_of(args: list[DeviceValue]) -> str:
    return next((arg.type for arg in args if isinstance(arg, Value)), "half")


def _lanes(type_: str) -> float:
    return 2.0 if type_ in ("half2", "bfloat162") else 1.0


def _arithmetic(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """Additions, products and what modifies operands: both lanes of a pair count."""
    type_ = _type_of(args)
    stem = next((s for s in _FLOPS if name.startswith(s)), "")
    if stem:
        pair = 2.0 if name.removeprefix(stem).startswith("2") else 1.0
        interpreter.costs.charge(Work.HP, _FLOPS[stem] * pair, variation(args))
    return Value(type_, None, variation(args))


def _quotient(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    type_ = _type_of(args)
    varies = variation(args)
    cost = interpreter.costs.compiler.operator_cost(f"{_TABLE_NAMES.get(type_, '__half')} /")
    if cost is not None:
        charge_cost(interpreter, cost, varies)
    return Value(type_, None, varies)


def _comparison(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """The outcome of a comparison, unknown; of a pair as a pair, as a mask, or of both lanes."""
    for arg in args:
        need_value(interpreter, arg)
    varies = variation(args)
    if name.endswith("_mask"):
        return Value("unsigned int", interpreter.fresh(name, SymbolScope.DATA), varies)
    if name.endswith("2") and not name.startswith("__hb"):
        return Value(_type_of(args), None, varies)
    return Value("bool", interpreter.fresh(name, SymbolScope.DATA), varies)


def _function(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``hexp`` and the like, and ``h2exp`` on both lanes."""
    type_ = _type_of(args)
    prefix = "h2" if name.startswith("h2") else "h"
    base = name.removeprefix(prefix)
    varies = variation(args)
    for arg in args:
        need_value(interpreter, arg)
    cost = _function_cost(interpreter.costs.compiler, prefix, base, type_)
    charge_cost(interpreter, cost, varies)
    return Value(type_, None, varies)


def _function_cost(compiler: CompilerProfile, prefix: str, base: str, type_: str) -> OperationCost:
    lanes = _lanes(type_)
    if base in _ROUNDED:
        return OperationCost(conversions=lanes)
    if base in _MEASURED or base in _ALIKE:
        name = f"{prefix}{_ALIKE.get(base, base)}"
        own = compiler.function_cost(f"{name} ({_TABLE_NAMES.get(type_, '')})")
        found = own or compiler.function_cost(name)
        if found is not None:
            return found
    return OperationCost(mufu=_TANH.mufu * lanes, conversions=_TANH.conversions * lanes)


def _pieces_of(type_: str) -> Handler:
    """A handler of functions that only move halves into another place: no operation counts."""

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """Mark the arguments as used; the result is of unknown value and costs nothing."""
        for arg in args:
            need_value(interpreter, arg)
        return Value(type_, None, variation(args))

    return handler


def _bits(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """The same bits as another type."""
    for arg in args:
        need_value(interpreter, arg)
    type_ = _BITS[name]
    known = type_ in ("half", "bfloat16")
    number = None if known else interpreter.fresh(name, SymbolScope.DATA)
    return Value(type_, number, variation(args))


def _widen_pair(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``__half22float2``: two conversions."""
    varies = variation(args)
    interpreter.costs.charge(Work.CONVERSION, 2.0, varies)
    fields: dict[str, DeviceValue] = {axis: Value("float", None, varies) for axis in "xy"}
    return StructValue(Type("float2"), fields)


def _pack_pair(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``__float22half2_rn``: one instruction packs both."""
    for arg in args:
        need_value(interpreter, arg)
    parts = [v for a in args for v in (a.fields.values() if isinstance(a, StructValue) else (a,))]
    varies = variation(parts)
    interpreter.costs.charge(Work.CONVERSION, 1.0, varies)
    return Value("bfloat162" if "bfloat" in name else "half2", None, varies)


def _entries() -> Iterator[tuple[Handler, Sequence[str]]]:
    stems = ("__hadd", "__hsub", "__hmul", "__hfma")
    yield _arithmetic, [f"{s}{two}{v}" for s in stems for two in ("", "2") for v in _VARIANTS]
    yield _arithmetic, [*_FREE, *(_paired(name) for name in _FREE), "__hcmadd"]
    yield _quotient, ["__hdiv", "__h2div"]
    yield _comparison, list(_comparisons())
    yield _function, [f"{prefix}{name}" for name in _FUNCTIONS for prefix in ("h", "h2")]
    yield _bits, list(_BITS)
    yield _widen_pair, ["__half22float2", "__bfloat1622float2"]
    yield _pack_pair, ["__float22half2_rn", "__float22bfloat162_rn", "__floats2bfloat162_rn"]
    yield from _conversions()


def _paired(name: str) -> str:
    stem, _, suffix = name.removeprefix("__").partition("_")
    return f"__{stem}2_{suffix}" if suffix else f"__{stem}2"


def _comparisons() -> Iterator[str]:
    for word in (f"{compared}{u}" for compared in _COMPARED for u in ("", "u")):
        yield from (f"__h{word}", f"__h{word}2", f"__hb{word}2", f"__h{word}2_mask")
    yield from ("__hisnan", "__hisnan2", "__hisinf")


def _conversions() -> Iterator[tuple[Handler, Sequence[str]]]:
    """Conversions by a rule: of a type, its pair, and each integer in each rounding mode."""
    half_names = "__float2half __double2half __low2half __high2half".split()
    yield conversion_to("half"), half_names
    bf16_names = "__float2bfloat16 __double2bfloat16 __low2bfloat16 __high2bfloat16".split()
    yield conversion_to("bfloat16"), bf16_names
    yield (
        conversion_to("half2"),
        "__floats2half2_rn __float2half2_rn __halves2half2 __half2half2".split(),
    )
    yield conversion_to("bfloat162"), ["__float2bfloat162_rn"]
    yield conversion_to("float"), "__half2float __low2float __high2float __bfloat162float".split()
    moves = "__high2{0} __low2{0} __highs2{0} __lows2{0}"
    own = "make_half2 __lowhigh2highlow"
    yield _pieces_of("half2"), f"{moves.format('half2')} {own}".split()
    own = "make_bfloat162 __halves2bfloat162 __bfloat162bfloat162"
    yield _pieces_of("bfloat162"), f"{moves.format('bfloat162')} {own}".split()
    for type_ in ("half", "bfloat16"):
        yield conversion_to(type_), [f"__float2{type_}_{mode}" for mode in _ROUNDINGS]
        for integer, full in _INTEGERS.items():
            yield conversion_to(full), [f"__{type_}2{integer}_{mode}" for mode in _ROUNDINGS]
            yield conversion_to(type_), [f"__{integer}2{type_}_{mode}" for mode in _ROUNDINGS]


HALF_FUNCTIONS: Final[Mapping[str, Handler]] = {
    name: handler for handler, names in _entries() for name in names
}
"""The functions of both headers by name."""
