"""HIP's built-in device functions beyond those that it shares with CUDA.

The functions of ROCm's headers, and the compiler's built-ins for AMD GPUs (``__builtin_amdgcn_``).
A transcendental instruction counts as one operation, as ROCm Compute Profiler counts it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from roofline_analysis.device.functions import mathematics as maths
from roofline_analysis.device.functions import memory
from roofline_analysis.device.functions.amd_matrix import MATRIX_FUNCTIONS
from roofline_analysis.device.functions.hip_indices import (
    AMDGCN_INDICES,
    OF_AXIS,
    index_by_axis,
    index_value,
    lane_index,
    lanes_below,
    wavefront_size,
)
from roofline_analysis.device.functions.mathematics import DOUBLE_MATH, Handler, variation
from roofline_analysis.device.state.arithmetic import convert
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import load, need_value
from roofline_analysis.device.values import (
    DeviceValue,
    MemoryPlace,
    PlacePointer,
    PointerValue,
    Value,
    number,
)
from roofline_analysis.regions.kernel_summary import Work
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program.expressions import Call
from roofline_core.program.types import Type

# -- between the lanes of a wavefront


def _same(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``readfirstlane``: for values that are the same in all lanes, the value."""
    return args[0] if args else None


def _moved(position: int) -> Handler:
    """A handler of a value from another lane: the argument at ``position``, else unknown."""

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """An unknown value of the carried argument's type, ``int`` where that is not known."""
        for arg in args:
            need_value(interpreter, arg)
        carried = args[position] if position < len(args) else None
        type_ = carried.type if isinstance(carried, Value) else "int"
        return interpreter.opaque(
            Type(type_), interpreter.costs.loop_bits(), name, SymbolScope.DATA
        )

    return handler


def _wide_vote(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A mask over the lanes of a wavefront: 64 bits on every GPU."""
    for position, arg in enumerate(args):
        need = memory.need_truth if "ballot" in name and position == len(args) - 1 else need_value
        need(interpreter, arg)
    mask = interpreter.fresh(name, SymbolScope.DATA, nonnegative=True)
    return Value("unsigned long long", mask, interpreter.costs.loop_bits())


# -- arithmetic


def _one_instruction(kind: Work, type_: str, amount: float = 1.0) -> Handler:
    """A handler that charges one instruction and returns an unknown value."""

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """Charge the instruction; the value is unknown and varies as the arguments do."""
        for arg in args:
            need_value(interpreter, arg)
        varies = variation(args)
        interpreter.costs.charge(kind, amount, varies)
        if kind is Work.INT:
            return Value(type_, interpreter.fresh(name, SymbolScope.DATA), varies)
        return Value(type_, None, varies)

    return handler


def _named(handler: Handler, known: str) -> Handler:
    """A handler of a function under CUDA's or C's name for it."""

    def renamed(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """Call the handler under the known name."""
        return handler(interpreter, known, args, node)

    return renamed


def _matching(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A read-modify-write with the operand's type taken from what is pointed to."""
    pointer = args[0] if args else None
    if isinstance(pointer, PointerValue):
        type_ = interpreter.types.resolve(pointer.pointee)
        if len(args) > 1 and isinstance(args[1], Value) and not type_.pointers:
            args = [pointer, convert(interpreter, args[1], type_.name), *args[2:]]
    return memory.atomic(interpreter, name, args, node)


def _store(value_at: int, pointer_at: int) -> Handler:
    """A handler that stores an argument through a pointer argument."""

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """Store the value, converted to what the pointer points to; None without both."""
        if len(args) <= max(value_at, pointer_at):
            return None
        pointer, value = args[pointer_at], args[value_at]
        need_value(interpreter, value)
        if isinstance(pointer, PointerValue):
            interpreter.write(MemoryPlace(pointer), interpreter.coerce(value, pointer.pointee))
        elif isinstance(pointer, PlacePointer):
            interpreter.write(pointer.place, interpreter.coerce(value, pointer.pointee))
        return number(0, "int")

    return handler


def _load(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """An atomic load, which other threads' stores may have changed."""
    pointer = args[0] if args else None
    if not isinstance(pointer, PointerValue):
        return memory.load_through(interpreter, name, args, node)
    interpreter.may_change(pointer.array, others=False)
    return load(interpreter, pointer)


_NATIVE: Final = "rcp rsq sqrt sin cos exp2 log fract ldexp frexp_mant trig_preop div_fixup".split()
_SUFFIXES: Final = (("f", Work.SP, "float"), ("h", Work.HP, "half"), ("", Work.DP, "double"))

_AMDGCN: Final[tuple[tuple[Handler, str], ...]] = (
    (lanes_below, "mbcnt_lo mbcnt_hi"),
    (wavefront_size, "wavefrontsize"),
    (memory.barrier, "s_barrier s_barrier_signal s_barrier_wait"),
    (
        memory.nothing,
        (
            "fence wave_barrier sched_barrier sched_group_barrier s_waitcnt s_setprio s_sleep"
            " s_nop buffer_wbinvl1 s_dcache_inv iglp_opt s_sethalt"
        ),
    ),
    (_same, "readfirstlane"),
    (_moved(0), "readlane ds_swizzle mov_dpp mov_dpp8 permlane64 writelane"),
    (_moved(1), "ds_bpermute ds_permute update_dpp permlane16 permlanex16"),
    (_wide_vote, "ballot_w64 ballot_w32 uicmp uicmpl sicmp sicmpl fcmp fcmpf read_exec"),
    (
        maths.bit_function,
        (
            "ubfe sbfe alignbit alignbyte perm sad_u8 sad_u16 msad_u8 lerp mul_i24 mul_u24"
            " mulhi_i24 mulhi_u24 sffbh cvt_pk_u8_f32 frexp_exp frexp_expf class classf"
            " s_memtime s_memrealtime s_getreg"
        ),
    ),
    (_named(maths.bit_function, "__dp4a"), "sdot4 udot4 sudot4 sdot8 udot8 sudot8 sdot2 udot2"),
    (_one_instruction(Work.HP, "float", 4.0), "fdot2 fdot2_f32_bf16"),
    (_one_instruction(Work.HP, "half", 4.0), "fdot2_f16_f16 fdot2_bf16_bf16"),
    (_one_instruction(Work.SP, "float"), "fmed3f cubeid cubema cubesc cubetc"),
    (_one_instruction(Work.CONVERSION, "half2"), "cvt_pkrtz cvt_pknorm_i16 cvt_pknorm_u16"),
    (_one_instruction(Work.CONVERSION, "float"), "cvt_f32_fp8 cvt_f32_bf8"),
    (_one_instruction(Work.CONVERSION, "int"), "cvt_pk_fp8_f32 cvt_pk_bf8_f32"),
)

_GROUPS: Final[tuple[tuple[Handler, str], ...]] = (
    (lane_index, "__lane_id"),
    (_wide_vote, "__ballot __ballot64 __activemask __match_any __match_all"),
    (_moved(1), "__hip_ds_bpermute __hip_ds_bpermutef __hip_ds_permute __hip_ds_permutef"),
    (_moved(0), "__hip_ds_swizzle __hip_ds_swizzlef __hip_move_dpp __hip_move_dpp_N"),
    (
        maths.bit_function,
        (
            "__bitextract_u32 __bitextract_u64 __bitinsert_u32 __bitinsert_u64 __lastbit_u32_u32"
            " __lastbit_u32_u64 __fns32 __fns64 clock clock64 wall_clock64 __clock __clock64"
            " __builtin_readcyclecounter __amd_sad __sad"
        ),
    ),
    (_named(maths.bit_function, "__dp4a"), "amd_mixed_dot_i8 __sdot4 __udot4"),
    (_one_instruction(Work.HP, "float", 4.0), "amd_mixed_dot"),
    (_matching, "unsafeAtomicAdd safeAtomicAdd unsafeAtomicMin safeAtomicMin"),
    (_matching, "unsafeAtomicMax safeAtomicMax atomicAddNoRet"),
    (memory.load_through, "__builtin_nontemporal_load"),
    (_store(0, 1), "__builtin_nontemporal_store"),
    (_load, "__hip_atomic_load __atomic_load_n"),
    (_store(1, 0), "__hip_atomic_store __atomic_store_n"),
    (
        memory.nothing,
        "__hip_assert abort __builtin_assume __builtin_unreachable __atomic_work_item_fence",
    ),
    (_named(maths.math_call, "__fdividef"), "fdividef"),
    (maths.make_vector, "make_hipComplex make_hipFloatComplex make_hipDoubleComplex"),
)


def _indices() -> Iterator[tuple[str, Handler]]:
    """Where a thread is, by the compiler's names and by those of its device library."""
    for axis in "xyz":
        for name, value in AMDGCN_INDICES.items():
            yield f"__builtin_amdgcn_{name}_{axis}", index_value(OF_AXIS[value][axis])
    for name in OF_AXIS:
        yield f"__ockl_get_{name}", index_by_axis(name)


def _instructions() -> Iterator[tuple[str, Handler]]:
    for suffix, kind, type_ in _SUFFIXES:
        for name in _NATIVE:
            yield f"__builtin_amdgcn_{name}{suffix}", _one_instruction(kind, type_)
    for handler, names in _AMDGCN:
        for name in names.split():
            yield f"__builtin_amdgcn_{name}", handler
    for name in sorted(DOUBLE_MATH):
        for width, known in (("f32", f"{name}f"), ("f64", name)):
            handler = maths.fused_multiply_add if name == "fma" else maths.math_call
            yield f"__ocml_{name}_{width}", _named(handler, known)
            yield f"__ocml_native_{name}_{width}", _named(handler, known)


def _atomics() -> Iterator[tuple[str, Handler]]:
    for name in "fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_min fetch_max".split():
        yield f"__hip_atomic_{name}", _matching
        yield f"__atomic_{name}", _matching
    yield "__hip_atomic_exchange", _matching
    for strength in ("strong", "weak"):
        yield f"__hip_atomic_compare_exchange_{strength}", memory.atomic
    for space in ("global", "flat", "ds"):
        for name in "fadd fadd_f32 fadd_f64 fadd_v2f16 fadd_v2bf16 fmin fmax".split():
            yield f"__builtin_amdgcn_{space}_atomic_{name}", _matching


def _entries() -> Iterator[tuple[str, Handler]]:
    yield from _indices()
    yield from _instructions()
    yield from _atomics()
    yield from MATRIX_FUNCTIONS.items()
    for handler, names in _GROUPS:
        for name in names.split():
            yield name, handler


HIP_FUNCTIONS: Final[Mapping[str, Handler]] = dict(_entries())
"""Every function that only HIP has, by name."""
