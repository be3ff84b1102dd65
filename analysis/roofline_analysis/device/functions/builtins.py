"""CUDA's built-in device functions, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from roofline_analysis.device.functions import mathematics as maths
from roofline_analysis.device.functions import memory
from roofline_analysis.device.functions.complex import COMPLEX_FUNCTIONS
from roofline_analysis.device.functions.half_precision import HALF_FUNCTIONS
from roofline_analysis.device.functions.hip import HIP_FUNCTIONS
from roofline_analysis.device.functions.mathematics import DOUBLE_MATH, Handler, conversion_to
from roofline_analysis.device.functions.matrix_fragments import FRAGMENT_FUNCTIONS
from roofline_analysis.device.functions.opencl.functions import OPENCL_FUNCTIONS
from roofline_analysis.device.functions.openmp import OPENMP_FUNCTIONS
from roofline_analysis.device.functions.textures import TEXTURE_FUNCTIONS
from roofline_analysis.device.functions.thread_groups import GROUP_FUNCTIONS, group_of
from roofline_core.program.units import Dialect

_ELEMENTS: Final = (
    "char uchar short ushort int uint long ulong longlong ulonglong float double".split()
)
_ROUNDINGS: Final = ("rn", "rz", "ru", "rd")

_CONVERSIONS: Final = (
    ("float double", "int", "int"),
    ("float double", "uint", "unsigned int"),
    ("float double", "ll", "long long"),
    ("float double", "ull", "unsigned long long"),
    ("int uint ll ull double", "float", "float"),
    ("int uint ll ull", "double", "double"),
)
_OWN: Final = frozenset(("fma", "fmin", "fmax", "fabs", "abs"))
"""Mathematical functions with handlers of their own below."""

_GROUPS: Final[tuple[tuple[Handler, str], ...]] = (
    (
        maths.math_call,
        (
            "__expf __exp10f __logf __log2f __log10f __sinf __cosf __tanf __powf __fdividef"
            " fdividef __frsqrt_rn __saturatef __sincosf sincos sincosf sincospi sincospif modf"
            " modff frexp frexpf __tanhf"
        ),
    ),
    (maths.fused_multiply_add, "fma fmaf"),
    (maths.extreme, "min max umin umax llmin llmax ullmin ullmax fminf fmaxf fmin fmax"),
    (maths.absolute, "abs labs llabs fabs fabsf"),
    (maths.predicate, "isnan isinf isfinite signbit __isnan __isinf"),
    (
        maths.bit_function,
        (
            "__popc __popcll __clz __clzll __ffs __ffsll __brev __brevll __mulhi __umulhi __mul64hi"
            " __umul64hi __byte_perm __funnelshift_l __funnelshift_r __funnelshift_lc"
            " __funnelshift_rc __sad __usad __uhadd __rhadd __urhadd __dp4a"
            " __dp2a_lo __dp2a_hi __fns clock clock64 __double2hiint __double2loint"
        ),
    ),
    (maths.multiply_24, "__mul24 __umul24"),
    (
        maths.reinterpret,
        (
            "__float_as_int __float_as_uint __int_as_float __uint_as_float __double_as_longlong"
            " __longlong_as_double"
        ),
    ),
    (maths.make_vector, "make_cuComplex make_cuFloatComplex make_cuDoubleComplex"),
    (conversion_to("double"), "__hiloint2double nan __builtin_nan"),
    (conversion_to("float"), "nanf __builtin_nanf __float_to_tf32"),
    (maths.rounded_to_long, "lrint lround llrint llround lrintf lroundf llrintf llroundf"),
    (
        memory.same_pointer,
        (
            "raw_pointer_cast device_pointer_cast __cvta_generic_to_shared __cvta_generic_to_global"
            " __cvta_generic_to_local __cvta_generic_to_constant __cvta_shared_to_generic"
            " __cvta_global_to_generic"
        ),
    ),
    (memory.load_through, "__ldg __ldcg __ldca __ldcs __ldlu __ldcv"),
    (memory.store_through, "__stcg __stcs __stwb __stwt"),
    (memory.copy_bytes, "memcpy memmove __builtin_memcpy"),
    (memory.fill_bytes, "memset __builtin_memset"),
    (
        memory.barrier,
        "__syncthreads __syncthreads_count __syncthreads_or __syncthreads_and __syncwarp",
    ),
    (
        memory.nothing,
        (
            "__threadfence __threadfence_block __threadfence_system assert __trap __assert_fail"
            " __nanosleep __assume __prof_trigger __builtin_assume __builtin_unreachable"
        ),
    ),
    (
        memory.nothing,  # the runtime's functions for kernels that launch others
        (
            "cudaDeviceSynchronize cudaGetLastError cudaPeekAtLastError cudaFree cudaGetDevice"
            " cudaStreamCreateWithFlags cudaStreamDestroy cudaStreamWaitEvent cudaEventDestroy"
            " cudaEventCreateWithFlags cudaEventRecord cudaGraphLaunch cudaGraphSetConditional"
            " cudaGridDependencySynchronize cudaTriggerProgrammaticLaunchCompletion"
        ),
    ),
    (memory.first, "__builtin_expect __builtin_expect_with_probability"),
    (memory.print_text, "printf"),
    (group_of("block"), "this_thread_block"),
    (group_of("grid"), "this_grid"),
    (group_of("tile"), "tiled_partition coalesced_threads"),
)


def _entries() -> Iterator[tuple[str, Handler]]:
    for handler, names in (*_GROUPS, *_families()):
        for name in names.split():
            yield name, handler


def _families() -> Iterator[tuple[Handler, str]]:
    """Names that are built by a rule: suffixes, element types, rounding modes."""
    yield maths.math_call, " ".join(f"{name} {name}f" for name in DOUBLE_MATH - _OWN)
    atomics = (f"atomic{op}" for op in "Add Sub Exch Min Max Inc Dec CAS And Or Xor".split())
    yield memory.atomic, " ".join(f"{name} {name}_block {name}_system" for name in atomics)
    rounded = (f"__{width}{op}" for width in "fd" for op in "add sub mul div rcp sqrt".split())
    yield maths.math_call, " ".join(f"{name}_{mode}" for name in rounded for mode in _ROUNDINGS)
    fused = ("__fmaf", "__fma", "__fmaf_ieee")
    yield maths.fused_multiply_add, " ".join(f"{n}_{mode}" for n in fused for mode in _ROUNDINGS)
    shuffles = ("__shfl", "__shfl_up", "__shfl_down", "__shfl_xor")
    yield memory.shuffle, " ".join(f"{name} {name}_sync" for name in shuffles)
    reductions = "add min max and or xor".split()
    yield memory.shuffle, " ".join(f"__reduce_{name}_sync" for name in reductions)
    votes = ("__any", "__all", "__ballot", "__activemask", "__match_any", "__match_all")
    yield memory.vote, " ".join(f"{name} {name}_sync" for name in votes)
    vectors = (f"make_{element}{width}" for element in _ELEMENTS for width in "1234")
    yield maths.make_vector, " ".join(vectors)
    yield maths.bit_function, " ".join(_packed_integer_names())
    for sources, target, type_ in _CONVERSIONS:
        names = (f"__{s}2{target}_{mode}" for s in sources.split() for mode in _ROUNDINGS)
        yield conversion_to(type_), " ".join(names)


def _packed_integer_names() -> Iterator[str]:
    """``__vadd4`` and its kin on words of two or four integers, and DPX's of three at once."""
    plain = "abs absss neg negss add addss addus sub subss subus haddu cmpeq cmpne seteq setne"
    signed = "absdiff avg max min sad cmpge cmpgt cmple cmplt setge setgt setle setlt"
    stems = plain.split() + [stem + sign for stem in signed.split() for sign in "su"]
    yield from (f"__v{stem}{width}" for stem in stems for width in "24")
    for word in ("viaddmax", "viaddmin", "vimax3", "vimin3", "vimax", "vimin", "vibmax", "vibmin"):
        for form in ("s32", "u32", "s16x2", "u16x2"):
            yield from (f"__{word}_{form}", f"__{word}_{form}_relu")


BUILTINS: Final[Mapping[str, Handler]] = {
    **dict(_entries()),
    **COMPLEX_FUNCTIONS,
    **HALF_FUNCTIONS,
    **GROUP_FUNCTIONS,
    **FRAGMENT_FUNCTIONS,
    **TEXTURE_FUNCTIONS,
}
"""CUDA's built-in functions by name."""
_BY_DIALECT: Final[Mapping[Dialect, Mapping[str, Handler]]] = {
    Dialect.CUDA: BUILTINS,
    Dialect.HIP: {**BUILTINS, **HIP_FUNCTIONS},
    Dialect.OPENMP: {**BUILTINS, **OPENMP_FUNCTIONS},
    Dialect.OPENCL: {**BUILTINS, **OPENCL_FUNCTIONS},
}


PASSING_ON: Final = frozenset(
    (maths.math_call, maths.fused_multiply_add, maths.extreme, maths.absolute, maths.make_vector)
)
"""Handlers whose arguments count as used only if the results are used."""


def builtins_of(dialect: Dialect) -> Mapping[str, Handler]:
    """Every built-in function by name that kernels of a dialect may call.

    The dialect's own names win over CUDA's, which front ends may leave in place in any dialect.
    """
    return _BY_DIALECT[dialect]
