"""What CUDA itself provides to device code: mathematics, atomics, warp and group functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from roofline_lsp.analysis.device.arithmetic import binary, charge_cost, convert
from roofline_lsp.analysis.device.memory import load, need_value
from roofline_lsp.analysis.device.regions import Work
from roofline_lsp.analysis.device.values import (
    LAUNCH,
    THREAD,
    DeviceValue,
    MemoryPlace,
    PlacePointer,
    PointerValue,
    StructValue,
    Value,
    number,
)
from roofline_lsp.analysis.device.walker import Walker
from roofline_lsp.analysis.expansions import function_cost
from roofline_lsp.analysis.layout import common_type, is_float, is_integer, vector_parts
from roofline_lsp.kernel.expressions import Call
from roofline_lsp.kernel.symbolic import Expr, apply, from_atom
from roofline_lsp.kernel.types import Type

_Handler = Callable[[Walker, str, list[DeviceValue], Call], DeviceValue | None]

_DOUBLE_MATH: Final = frozenset(
    "sqrt rsqrt cbrt rcbrt exp exp2 exp10 expm1 log log2 log10 log1p pow sin cos tan asin acos atan"
    " atan2 sinh cosh tanh asinh acosh atanh erf erfc erfinv lgamma tgamma hypot rhypot fmod fabs"
    " floor ceil round trunc rint nearbyint fmin fmax fma fdim copysign ldexp normcdf normcdfinv"
    " sinpi cospi remainder j0 j1 y0 y1 abs logb nextafter scalbn".split()
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
_FREE: Final = frozenset(("fabs", "copysign", "fmin", "fmax", "abs", "isnan", "isinf"))


def builtin_call(
    walker: Walker, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """The result of a built-in function, or None if these arguments are not for it."""
    return BUILTINS[name](walker, name, args, node)


# -- mathematics


def _math(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    values = [arg for arg in args if isinstance(arg, Value)]
    if not values:
        return None
    base, type_ = _math_type(name, values)
    operands = [convert(walker, value, type_) if is_integer(value.type) else value for value in values]
    varies = 0
    for operand in operands:
        varies |= operand.varies
    expr = _math_number(base, operands)
    if expr is not None and expr.constant is not None:
        return number(expr.constant, type_)
    key = ("call", name, tuple(operand.key() for operand in operands))
    home = walker.machine.home(varies)
    found = walker.machine.find(key, home)
    if isinstance(found, Value):
        return found
    single = base + "f" if type_ == "float" else base
    cost = function_cost(name if name.startswith("__") else single) or function_cost(name)
    if cost is not None:
        charge_cost(walker, cost, varies)
    _write_results(walker, args, type_)
    result = Value(type_, expr, varies)
    home.available[key] = result
    return result


def _math_type(name: str, values: list[Value]) -> tuple[str, str]:
    """The function's name without suffix, and the type it computes in."""
    if name.startswith("__"):
        return name, "double" if name.startswith("__d") else "float"
    if name in _DOUBLE_MATH:
        widest = values[0].type
        for value in values[1:]:
            widest = common_type(widest, value.type)
        return name, widest if is_float(widest) else "double"
    return name.removesuffix("f"), "float"


def _math_number(base: str, operands: list[Value]) -> Expr | None:
    op = _NUMERIC.get(base)
    if op is None or any(o.expr is None or len(o.expr.terms) > 8 for o in operands):
        return None
    return apply(op, *(o.expr for o in operands if o.expr is not None))


def _write_results(walker: Walker, args: list[DeviceValue], type_: str) -> None:
    """``sincos(x, &s, &c)`` and the like store through their pointers."""
    for arg in args:
        if isinstance(arg, PlacePointer):
            walker.write(arg.place, Value(type_, None, walker.machine.loop_bits()))
        elif isinstance(arg, PointerValue):
            walker.write(MemoryPlace(arg), Value(type_, None, walker.machine.loop_bits()))


def _fma(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    if len(args) != 3 or not all(isinstance(arg, Value) for arg in args):
        return None
    a, b, c = (arg for arg in args if isinstance(arg, Value))
    return binary(walker, "+", binary(walker, "*", a, b), c)


def _extreme(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    if len(args) != 2 or not all(isinstance(arg, Value) for arg in args):
        return None
    left, right = (arg for arg in args if isinstance(arg, Value))
    op = "min" if "min" in name else "max"
    type_ = common_type(left.type, right.type)
    left, right = convert(walker, left, type_), convert(walker, right, type_)
    expr = None
    if left.expr is not None and right.expr is not None:
        expr = apply(op, left.expr, right.expr)
    elif is_integer(type_):
        expr = walker.fresh(op, "data")
    varies = left.varies | right.varies
    if is_float(type_):
        return Value(type_, expr, varies)
    return Value(type_, expr, varies, (op, (left, right)))


def _absolute(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    value = args[0] if args else None
    if not isinstance(value, Value):
        return None
    expr = apply("abs", value.expr) if value.expr is not None else None
    if is_float(value.type):
        return Value(value.type, expr, value.varies)
    return Value(value.type, expr, value.varies, ("abs", (value,)))


def _predicate(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    return Value("bool", None, _variation(args))


def _bits(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    """Integer intrinsics: their cost is in the table, their number is not followed."""
    for arg in args:
        need_value(walker, arg)
    cost = function_cost(name)
    varies = _variation(args)
    if cost is not None:
        charge_cost(walker, cost, varies)
    else:
        walker.machine.charge(Work.INT, 1.0, varies)
    return Value("int", walker.fresh(name, "data"), varies)


def _umul24(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    if len(args) != 2 or not all(isinstance(arg, Value) for arg in args):
        return None
    left, right = (arg for arg in args if isinstance(arg, Value))
    return binary(walker, "*", left, right)


def _reinterpret(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
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
    walker.machine.need(value)
    expr = walker.fresh(name, "data") if is_integer(type_) else None
    return Value(type_, expr, value.varies)


def _variation(args: list[DeviceValue]) -> int:
    varies = 0
    for arg in args:
        if isinstance(arg, Value):
            varies |= arg.varies
    return varies


# -- memory


def _load_through(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    pointer = args[0] if args else None
    if isinstance(pointer, PointerValue):
        return load(walker, pointer)
    if isinstance(pointer, PlacePointer):
        return walker.read(pointer.place)
    return None


def _atomic(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    if not args:
        return None
    for arg in args[1:]:
        need_value(walker, arg)
    target = args[0]
    if isinstance(target, PointerValue):
        type_ = walker.types.resolve(target.pointee)
        walker.machine.touch(target, walker.types.size(type_) or 4, "atomic")
        walker.epochs[target.array] = walker.epochs.get(target.array, 0) + 1
        return walker.opaque(type_, walker.machine.loop_bits(), target.array.name, "data")
    return walker.opaque(Type("int"), walker.machine.loop_bits(), name, "data")


def _barrier(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    walker.barriers += 1
    walker.epochs["shared"] = walker.epochs.get("shared", 0) + 1
    walker.epochs["global"] = walker.epochs.get("global", 0) + 1
    return number(0, "int")


def _nothing(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    return number(0, "int")


def _shuffle(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    values = [arg for arg in args if isinstance(arg, Value)]
    carried = values[1] if name.endswith("_sync") and len(values) > 1 else (values or [None])[0]
    for arg in args:
        need_value(walker, arg)
    type_ = carried.type if carried is not None else "int"
    return walker.opaque(Type(type_), walker.machine.loop_bits(), name, "data")


def _vote(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    for arg in args:
        need_value(walker, arg)
    return Value("unsigned int", walker.fresh(name, "data"), walker.machine.loop_bits())


def _texture(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    """A texture fetch: coordinates are needed, the texture's bytes are read."""
    for arg in args:
        need_value(walker, arg)
    element = Type("float")
    if isinstance(node.callee, object) and getattr(node.callee, "template_args", None):
        (element, *_) = node.callee.template_args  # type: ignore[union-attr]
        if not isinstance(element, Type):
            element = Type("float")
    array = walker.array(f"texture@{node.line}", element, "global")
    offset = walker.fresh("texture", "data")
    pointer = PointerValue(array, Value("long", offset, walker.machine.loop_bits()), element)
    walker.machine.touch(pointer, walker.types.size(element) or 4, "read")
    return walker.opaque(element, walker.machine.loop_bits(), "texture", "data")


# -- vectors


def _make_vector(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    type_ = Type(name.removeprefix("make_"))
    aliases = {"cuComplex": "float2", "cuFloatComplex": "float2", "cuDoubleComplex": "double2"}
    type_ = Type(aliases.get(type_.name, type_.name))
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
        axis: convert(walker, value, element) if isinstance(value, Value) else value
        for axis, value in zip("xyzw", values, strict=False)
    }
    return StructValue(type_, fields)


# -- half precision


def _half(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
    values = [arg for arg in args if isinstance(arg, Value)]
    type_ = values[0].type if values else "half"
    pair = 2.0 if name.endswith("2") else 1.0
    amount = {"__hfma": 2.0, "__hfma2": 2.0}.get(name, 1.0) * pair
    if name in ("__hadd", "__hsub", "__hmul", "__hadd2", "__hsub2", "__hmul2", "__hfma", "__hfma2"):
        walker.machine.charge(Work.HP, amount, _variation(args))
    return Value(type_, None, _variation(args))


def _conversion(type_: str) -> _Handler:
    def handler(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
        value = args[0] if args else None
        if not isinstance(value, Value):
            return Value(type_, None, 0)
        if is_integer(type_) or is_float(type_):
            return convert(walker, value, type_)
        walker.machine.charge(Work.CONVERSION, 1.0, value.varies)
        return Value(type_, None, value.varies)

    return handler


# -- thread groups


def _linear_thread() -> Expr:
    x, y, z = (from_atom(THREAD[f"threadIdx.{axis}"]) for axis in "xyz")
    dx, dy = (from_atom(LAUNCH[f"blockDim.{axis}"]) for axis in "xy")
    return x + dx * (y + dy * z)


def _block_size() -> Expr:
    dx, dy, dz = (from_atom(LAUNCH[f"blockDim.{axis}"]) for axis in "xyz")
    return dx * dy * dz


def _linear_block() -> Expr:
    x, y, z = (from_atom(THREAD[f"blockIdx.{axis}"]) for axis in "xyz")
    dx, dy = (from_atom(LAUNCH[f"gridDim.{axis}"]) for axis in "xy")
    return x + dx * (y + dy * z)


def _group(kind: str) -> _Handler:
    def handler(walker: Walker, name: str, args: list[DeviceValue], node: Call) -> DeviceValue | None:
        size = 32
        template_args = getattr(node.callee, "template_args", None)
        if template_args:
            (first, *_) = template_args
            if not isinstance(first, Type):
                known = walker.evaluate(first)
                if isinstance(known, Value) and known.constant is not None:
                    size = int(known.constant)
            else:
                held = walker.constants.get(first.name)
                if isinstance(held, Value) and held.constant is not None:
                    size = int(held.constant)
        elif len(args) > 1 and isinstance(args[1], Value) and args[1].constant is not None:
            size = int(args[1].constant)
        return StructValue(Type(f"group {kind}"), {"size": number(size, "int")})

    return handler


def builtin_method(
    walker: Walker, name: str, owner: Type, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A method of a cooperative group, or of a library's class; None if it is not known."""
    kind = owner.name.removeprefix("group ") if owner.name.startswith("group ") else None
    if kind is None:
        return None
    if name in ("sync", "barrier_arrive", "barrier_wait"):
        return _barrier(walker, name, args, node)
    if name in ("thread_rank", "thread_index"):
        rank = _linear_thread()
        if kind == "grid":
            rank = rank + _linear_block() * _block_size()
        elif kind == "tile":
            rank = apply("mod", rank, 32)
        return Value("unsigned int", rank, 0, ("+", (number(0, "int"), number(0, "int"))))
    if name in ("size", "num_threads"):
        return _group_size(kind)
    if name in ("group_index", "block_rank"):
        return Value("unsigned int", _linear_block(), 0)
    if name in ("meta_group_rank",):
        return Value("unsigned int", apply("div", _linear_thread(), 32), 0)
    if name.startswith("shfl") or name in ("any", "all", "ballot", "match_any"):
        return _shuffle(walker, name, args, node)
    return None


def _group_size(kind: str) -> Value:
    if kind == "tile":
        return number(32, "unsigned int")
    size = _block_size()
    if kind == "grid":
        for axis in "xyz":
            size = size * from_atom(LAUNCH[f"gridDim.{axis}"])
    return Value("unsigned int", size, 0)


def _table() -> dict[str, _Handler]:
    table: dict[str, _Handler] = {}
    for name in _DOUBLE_MATH:
        table[name] = _math
        table[name + "f"] = _math
    for name in (
        "__expf __exp10f __logf __log2f __log10f __sinf __cosf __tanf __powf __fdividef __frcp_rn __fsqrt_rn"
        " __frsqrt_rn __saturatef __fdiv_rn __ddiv_rn __dsqrt_rn __drcp_rn __sincosf sincos sincosf"
        " sincospi sincospif modf modff frexp frexpf __tanhf __fadd_rn __fmul_rn __fsub_rn"
        " __dadd_rn __dmul_rn __fadd_rz __fmul_rz hexp hlog hsqrt hrsqrt hrcp hsin hcos h2exp h2sqrt"
    ).split():
        table[name] = _math
    for name in "fma fmaf __fmaf_rn __fma_rn __fmaf_rz".split():
        table[name] = _fma
    for name in "min max umin umax llmin llmax ullmin ullmax fminf fmaxf fmin fmax".split():
        table[name] = _extreme
    for name in "abs labs llabs fabs fabsf".split():
        table[name] = _absolute
    for name in "isnan isinf isfinite signbit __isnan __isinf".split():
        table[name] = _predicate
    for name in (
        "__popc __popcll __clz __clzll __ffs __ffsll __brev __brevll __mulhi __umulhi __mul64hi"
        " __umul64hi __byte_perm __funnelshift_l __funnelshift_r __sad __usad __hadd __rhadd"
        " __dp4a __dp2a_lo __vabsdiff4 __vadd4 __vsub4 __vadd2 __fns clock clock64 __nv_popc"
        " __vcmpeq4 __vmaxs2 __viaddmax_s32 __funnelshift_lc __funnelshift_rc"
    ).split():
        table[name] = _bits
    for name in "__mul24 __umul24".split():
        table[name] = _umul24
    for name in (
        "__float_as_int __float_as_uint __int_as_float __uint_as_float __double_as_longlong"
        " __longlong_as_double"
    ).split():
        table[name] = _reinterpret
    for name in "__ldg __ldcg __ldca __ldcs __ldlu __ldcv".split():
        table[name] = _load_through
    for op in "Add Sub Exch Min Max Inc Dec CAS And Or Xor".split():
        for suffix in ("", "_block", "_system"):
            table[f"atomic{op}{suffix}"] = _atomic
    for name in (
        "__syncthreads __syncthreads_count __syncthreads_or __syncthreads_and __syncwarp"
    ).split():
        table[name] = _barrier
    for name in "__threadfence __threadfence_block __threadfence_system printf assert __trap __nanosleep __assume __prof_trigger".split():
        table[name] = _nothing
    for name in "__shfl __shfl_up __shfl_down __shfl_xor".split():
        table[name] = table[name + "_sync"] = _shuffle
    for name in "__any __all __ballot __activemask __match_any __match_all".split():
        table[name] = table[name + "_sync"] = _vote
    for name in (
        "tex1D tex2D tex3D tex1Dfetch tex2DLayered tex1DLayered texCubemap tex2DLod tex3DLod"
        " surf2Dread surf1Dread surf3Dread"
    ).split():
        table[name] = _texture
    for element in "char uchar short ushort int uint long ulong longlong ulonglong float double".split():
        for width in "1234":
            table[f"make_{element}{width}"] = _make_vector
    for name in "make_cuComplex make_cuFloatComplex make_cuDoubleComplex".split():
        table[name] = _make_vector
    for name in (
        "__hadd __hsub __hmul __hfma __hadd2 __hsub2 __hmul2 __hfma2 __hneg __hneg2 __hmax __hmin"
        " __hmax2 __hmin2 __habs __habs2 __hdiv __h2div"
    ).split():
        table[name] = _half
    for name in "__half2float __low2float __high2float __bfloat162float".split():
        table[name] = _conversion("float")
    for name in "__float2half __float2half_rn __double2half __int2half_rn __low2half __high2half".split():
        table[name] = _conversion("half")
    for name in "__float2bfloat16 __float2bfloat16_rn".split():
        table[name] = _conversion("bfloat16")
    for name in "__floats2half2_rn __float2half2_rn __halves2half2 __half2half2".split():
        table[name] = _conversion("half2")
    for mode in ("rn", "rz", "ru", "rd"):
        table[f"__float2int_{mode}"] = table[f"__double2int_{mode}"] = _conversion("int")
        table[f"__float2uint_{mode}"] = table[f"__double2uint_{mode}"] = _conversion("unsigned int")
        table[f"__int2float_{mode}"] = table[f"__uint2float_{mode}"] = _conversion("float")
        table[f"__double2float_{mode}"] = table[f"__ll2float_{mode}"] = _conversion("float")
        table[f"__float2ll_{mode}"] = table[f"__double2ll_{mode}"] = _conversion("long long")
    table["__int2double_rn"] = table["__ll2double_rn"] = _conversion("double")
    for name in "lrint lround llrint llround lrintf lroundf".split():
        table[name] = _conversion("long")
    table["this_thread_block"] = _group("block")
    table["this_grid"] = _group("grid")
    table["tiled_partition"] = _group("tile")
    table["coalesced_threads"] = _group("tile")
    return table


BUILTINS: Final[Mapping[str, _Handler]] = _table()
"""Every built-in function by name."""
