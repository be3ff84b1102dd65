"""Macros that exist before the first line is read.

The tables: those of a GNU C++17 compiler on 64-bit Linux (``g++ -std=c++17 -dM -E``), those that
``nvcc``, ``hipcc`` and OpenCL compilers add, and macros of system headers, which are never read.
Only what programs test or use is listed. A program's own ``#define`` of any takes its place.
"""

from __future__ import annotations

import re
from functools import lru_cache

from roofline_core.program.units import Dialect
from roofline_parsers.preprocess.macros import Macro, MacroOrigin, MacroTable, parse_definition
from roofline_parsers.preprocess.opencl_names import OPENCL

DEFAULT_CUDA_ARCH = 860
"""Compute capability 8.6, that of the GeForce RTX 30 series."""

GPU_WORDS = frozenset(
    b"__global__ __device__ __host__ __shared__ __constant__ __managed__ __launch_bounds__".split()
)
"""Words of CUDA and HIP that stay what they are to a compiler of these: headers, the toolkits' own
and copies of them, define them as attributes, or as nothing for other compilers."""
GPU_COMPILERS = (b"__CUDACC__", b"__HIPCC__")
"""Macros by one of which code knows such a compiler."""

DYNAMIC_NAMES = ("__LINE__", "__FILE__", "__COUNTER__")

COMPILER = """\
__cplusplus 201703L
__STDC__ 1
__STDC_HOSTED__ 1
__DATE__ "Jan  1 1970"
__TIME__ "00:00:00"
__INCLUDE_LEVEL__ 0
__GNUC__ 12
__GNUC_MINOR__ 2
__GNUC_PATCHLEVEL__ 0
__GNUG__ 12
__VERSION__ "12.2.0"
__OPTIMIZE__ 1
__EXCEPTIONS 1
__GXX_RTTI 1
__GXX_EXPERIMENTAL_CXX0X__ 1
_GNU_SOURCE 1
__STRICT_ANSI__ 1
__linux__ 1
__linux 1
__gnu_linux__ 1
__unix__ 1
__unix 1
__ELF__ 1
__x86_64__ 1
__x86_64 1
__amd64__ 1
__amd64 1
__LP64__ 1
_LP64 1
__SSE__ 1
__SSE2__ 1
__BYTE_ORDER__ 1234
__ORDER_LITTLE_ENDIAN__ 1234
__ORDER_BIG_ENDIAN__ 4321
__CHAR_BIT__ 8
__SCHAR_MAX__ 127
__SHRT_MAX__ 32767
__INT_MAX__ 2147483647
__LONG_MAX__ 9223372036854775807L
__LONG_LONG_MAX__ 9223372036854775807LL
__SIZE_MAX__ 18446744073709551615UL
__SIZEOF_SHORT__ 2
__SIZEOF_INT__ 4
__SIZEOF_LONG__ 8
__SIZEOF_LONG_LONG__ 8
__SIZEOF_INT128__ 16
__SIZEOF_FLOAT__ 4
__SIZEOF_DOUBLE__ 8
__SIZEOF_POINTER__ 8
__SIZEOF_SIZE_T__ 8
__SIZE_TYPE__ unsigned long
__PTRDIFF_TYPE__ long
__INT32_TYPE__ int
__INT64_TYPE__ long
__UINT32_TYPE__ unsigned int
__UINT64_TYPE__ unsigned long
__FLT_MAX__ 3.402823466e+38f
__FLT_MIN__ 1.175494351e-38f
__FLT_EPSILON__ 1.192092896e-07f
__DBL_MAX__ 1.7976931348623157e+308
__DBL_MIN__ 2.2250738585072014e-308
__DBL_EPSILON__ 2.2204460492503131e-16
__cpp_constexpr 201603L
__cpp_if_constexpr 201606L
__cpp_exceptions 199711L
__cpp_inline_variables 201606L
__cpp_lambdas 200907L
__cpp_static_assert 201411L
__cpp_structured_bindings 201606L
__cpp_variadic_templates 200704L
"""
"""GCC 12.2 on x86-64 Linux, ``-O3 -std=c++17``."""

CUDA = """\
__CUDACC__ 1
__NVCC__ 1
__CUDACC_VER_MAJOR__ 12
__CUDACC_VER_MINOR__ 4
__CUDACC_VER_BUILD__ 131
__CUDA_API_VER_MAJOR__ 12
__CUDA_API_VER_MINOR__ 4
__CUDACC_EXTENDED_LAMBDA__ 1
CUDART_VERSION 12040
CUDA_VERSION 12040
CUDART_CB
CUDARTAPI
"""
"""CUDA 12.4, as ``nvcc`` and ``cuda_runtime_api.h`` define them."""

HIP = """\
__HIP__ 1
__HIPCC__ 1
__HIP_PLATFORM_AMD__ 1
__HIP_PLATFORM_HCC__ 1
__HIP_DEVICE_COMPILE__ 1
__AMDGCN__ 1
__AMDGPU__ 1
__AMD__ 1
__clang__ 1
__clang_major__ 18
__clang_minor__ 0
HIP_VERSION_MAJOR 6
HIP_VERSION_MINOR 2
HIP_VERSION_PATCH 41133
HIP_VERSION 60241133
HIP_DYNAMIC_SHARED(type, var) extern __shared__ type var[];
HIP_DYNAMIC_SHARED_ATTRIBUTE
HIP_SYMBOL(x) x
HIPRT_CB
hipThreadIdx_x threadIdx.x
hipThreadIdx_y threadIdx.y
hipThreadIdx_z threadIdx.z
hipBlockIdx_x blockIdx.x
hipBlockIdx_y blockIdx.y
hipBlockIdx_z blockIdx.z
hipBlockDim_x blockDim.x
hipBlockDim_y blockDim.y
hipBlockDim_z blockDim.z
hipGridDim_x gridDim.x
hipGridDim_y gridDim.y
hipGridDim_z gridDim.z
"""
"""ROCm 6.2, as ``hipcc``, ``hip_version.h`` and ``amd_hip_runtime.h`` define them in a device pass.

``HIP_KERNEL_NAME`` is left to the parser, which knows that a kernel stands in it.
"""

SYSTEM = """\
NULL nullptr
EXIT_SUCCESS 0
EXIT_FAILURE 1
assert(x) ((void)0)
RAND_MAX 2147483647
CHAR_BIT 8
SCHAR_MIN (-128)
SCHAR_MAX 127
CHAR_MIN (-128)
CHAR_MAX 127
UCHAR_MAX 255
SHRT_MIN (-32768)
SHRT_MAX 32767
USHRT_MAX 65535
INT_MIN (-2147483647 - 1)
INT_MAX 2147483647
UINT_MAX 4294967295U
LONG_MIN (-9223372036854775807L - 1L)
LONG_MAX 9223372036854775807L
ULONG_MAX 18446744073709551615UL
LLONG_MIN (-9223372036854775807LL - 1LL)
LLONG_MAX 9223372036854775807LL
ULLONG_MAX 18446744073709551615ULL
INT8_MIN (-128)
INT8_MAX 127
UINT8_MAX 255
INT16_MIN (-32768)
INT16_MAX 32767
UINT16_MAX 65535
INT32_MIN (-2147483647 - 1)
INT32_MAX 2147483647
UINT32_MAX 4294967295U
INT64_MIN (-9223372036854775807L - 1L)
INT64_MAX 9223372036854775807L
UINT64_MAX 18446744073709551615UL
SIZE_MAX 18446744073709551615UL
PTRDIFF_MAX 9223372036854775807L
INT8_C(x) x
UINT8_C(x) x
INT16_C(x) x
UINT16_C(x) x
INT32_C(x) x
UINT32_C(x) x ## U
INT64_C(x) x ## L
UINT64_C(x) x ## UL
PATH_MAX 4096
FLT_MAX 3.402823466e+38f
FLT_MIN 1.175494351e-38f
FLT_EPSILON 1.192092896e-07f
FLT_DIG 6
FLT_MANT_DIG 24
FLT_RADIX 2
DBL_MAX 1.7976931348623157e+308
DBL_MIN 2.2250738585072014e-308
DBL_EPSILON 2.2204460492503131e-16
DBL_DIG 15
DBL_MANT_DIG 53
INFINITY 1e+999f
HUGE_VALF 1e+999f
HUGE_VAL 1e+999
NAN __builtin_nanf("")
M_E 2.7182818284590452354
M_LOG2E 1.4426950408889634074
M_LOG10E 0.43429448190325182765
M_LN2 0.69314718055994530942
M_LN10 2.30258509299404568402
M_PI 3.14159265358979323846
M_PI_2 1.57079632679489661923
M_PI_4 0.78539816339744830962
M_1_PI 0.31830988618379067154
M_2_PI 0.63661977236758134308
M_2_SQRTPI 1.12837916709551257390
M_SQRT2 1.41421356237309504880
M_SQRT1_2 0.70710678118654752440
PRId8 "d"
PRIi32 "i"
PRId32 "d"
PRIu32 "u"
PRIx32 "x"
PRIX32 "X"
PRId64 "ld"
PRIi64 "li"
PRIu64 "lu"
PRIx64 "lx"
PRIX64 "lX"
PRIuPTR "lu"
PRIdPTR "ld"
PRIdMAX "ld"
PRIuMAX "lu"
"""
"""ISO C, POSIX and glibc headers on 64-bit Linux; numbers as literals of the right type.

``assert`` does nothing: what it checks is no part of a kernel's work worth counting.
"""

CUDA_CONSTANTS = """\
CUDART_INF_F 1e+999f
CUDART_NAN_F __builtin_nanf("")
CUDART_MIN_DENORM_F 1.401298464e-45f
CUDART_MAX_NORMAL_F 3.402823466e+38f
CUDART_NEG_ZERO_F -0.0f
CUDART_ZERO_F 0.0f
CUDART_ONE_F 1.0f
CUDART_SQRT_HALF_F 0.707106781f
CUDART_SQRT_TWO_F 1.414213562f
CUDART_THIRD_F 0.333333333f
CUDART_PIO4_F 0.785398163f
CUDART_PIO2_F 1.570796327f
CUDART_3PIO4_F 2.356194490f
CUDART_2_OVER_PI_F 0.636619772f
CUDART_SQRT_2_OVER_PI_F 0.797884561f
CUDART_PI_F 3.141592654f
CUDART_L2E_F 1.442695041f
CUDART_L2T_F 3.321928094f
CUDART_LG2_F 0.301029996f
CUDART_LGE_F 0.434294482f
CUDART_LN2_F 0.693147181f
CUDART_LNT_F 2.302585093f
CUDART_INF 1e+999
CUDART_NAN __builtin_nan("")
CUDART_NEG_ZERO -0.0
CUDART_ZERO 0.0
CUDART_ONE 1.0
CUDART_SQRT_TWO 1.4142135623730951e+0
CUDART_SQRT_HALF 7.0710678118654757e-1
CUDART_THIRD 3.3333333333333333e-1
CUDART_PIO4 7.8539816339744828e-1
CUDART_PIO2 1.5707963267948966e+0
CUDART_2_OVER_PI 6.3661977236758138e-1
CUDART_PI 3.1415926535897931e+0
CUDART_L2E 1.4426950408889634e+0
CUDART_LN2 6.9314718055994529e-1
CUDART_LNT 2.3025850929940459e+0
"""
"""``math_constants.h`` of the CUDA toolkit, infinities written as literals that overflow."""

KNOWN_HEADERS = frozenset(
    b"algorithm any array atomic bitset cassert cctype cerrno cfloat charconv chrono cinttypes "
    b"climits cmath complex condition_variable cstddef cstdint cstdio cstdlib cstring ctime deque "
    b"exception execution filesystem fstream functional future initializer_list iomanip ios iosfwd "
    b"iostream istream iterator limits list locale map memory mutex new numeric optional ostream "
    b"queue random ratio regex set shared_mutex sstream stack stdexcept streambuf string "
    b"string_view system_error thread tuple type_traits typeindex typeinfo unordered_map "
    b"unordered_set utility valarray variant vector assert.h ctype.h errno.h float.h inttypes.h "
    b"limits.h math.h pthread.h signal.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h "
    b"string.h strings.h sys/stat.h sys/time.h sys/types.h time.h unistd.h "
    b"cooperative_groups.h cub/cub.cuh cublas_v2.h cuda.h cuda_bf16.h cuda_fp16.h cuda_fp8.h "
    b"cuda_runtime.h cuda_runtime_api.h cufft.h curand.h curand_kernel.h cusolverDn.h cusparse.h "
    b"hip/hip_runtime.h hip/hip_runtime_api.h hip/hip_fp16.h hip/hip_bfloat16.h hip/hip_bf16.h "
    b"hip/hip_fp8.h hip/hip_complex.h hip/hip_cooperative_groups.h hip/hip_ext.h "
    b"hip/hip_vector_types.h hip/hip_version.h hip/hiprtc.h hip/math_functions.h "
    b"hip/device_functions.h hip/amd_detail/amd_hip_runtime.h hipblas/hipblas.h hipblas.h "
    b"hipblaslt/hipblaslt.h hipcub/hipcub.hpp hipfft/hipfft.h hipfft.h hiprand/hiprand.h "
    b"hiprand/hiprand_kernel.h hiprand.h hiprand_kernel.h hipsolver/hipsolver.h "
    b"hipsparse/hipsparse.h hipsparse.h rocblas/rocblas.h rocblas.h rocprim/rocprim.hpp "
    b"rocrand/rocrand.h rocrand/rocrand_kernel.h rocsolver/rocsolver.h rocsparse/rocsparse.h "
    b"rocwmma/rocwmma.hpp miopen/miopen.h "
    b"device_launch_parameters.h math_constants.h mma.h nvToolsExt.h vector_types.h".split()
)
"""What ``__has_include`` finds beside the program's own headers: C++17, POSIX, CUDA 12, ROCm 6."""


def _read(table: str) -> list[Macro]:
    macros = [
        parse_definition(line.encode(), MacroOrigin.PREDEFINED) for line in table.splitlines()
    ]
    return [macro for macro in macros if macro is not None]


def _dynamic() -> list[Macro]:
    return [
        Macro(name.encode(), dynamic=True, origin=MacroOrigin.PREDEFINED) for name in DYNAMIC_NAMES
    ]


@lru_cache(maxsize=8)
def host_macros(openmp: bool = False) -> MacroTable:
    """The macros of a host compilation; ``openmp``: with ``-fopenmp`` (OpenMP 5.0)."""
    extra = "_OPENMP 201811\n" if openmp else ""
    return MacroTable([*_read(COMPILER), *_dynamic(), *_read(SYSTEM), *_read(extra)])


@lru_cache(maxsize=32)
def cuda_macros(cuda_arch: int | None = DEFAULT_CUDA_ARCH) -> MacroTable:
    """The macros of ``nvcc`` for an architecture such as 860; None: those of its host pass."""
    arch = "" if cuda_arch is None else f"__CUDA_ARCH__ {cuda_arch}\n__CUDA_ARCH_LIST__ {cuda_arch}"
    return host_macros().with_macros(_read(CUDA) + _read(CUDA_CONSTANTS) + _read(arch))


@lru_cache(maxsize=8)
def hip_macros(hip_arch: str | None = None) -> MacroTable:
    """The macros of ``hipcc`` in a device pass for an AMD GPU such as ``gfx90a``.

    GPUs of the GCN and CDNA line, ``gfx9`` and before, have wavefronts of 64 threads. None: a GPU
    of no particular name, with warps of 32.
    """
    if hip_arch is None:
        return host_macros().with_macros(_read(f"{HIP}__AMDGCN_WAVEFRONT_SIZE 32\n"))
    wavefront = 64 if re.fullmatch(r"gfx[6-9]\w\w", hip_arch) else 32
    family = hip_arch[3:-2]
    own = f"""\
__{hip_arch}__ 1
__GFX{family}__ 1
__amdgcn_target_id__ "{hip_arch}"
__AMDGCN_WAVEFRONT_SIZE {wavefront}
__AMDGCN_WAVEFRONT_SIZE__ {wavefront}
"""
    return host_macros().with_macros(_read(HIP + own))


@lru_cache(maxsize=8)
def opencl_macros() -> MacroTable:
    """The macros of an OpenCL C compiler."""
    return MacroTable([*_dynamic(), *_read(SYSTEM), *_read(OPENCL)])


def dialect_macros(
    dialect: Dialect, cuda_arch: int | None = DEFAULT_CUDA_ARCH, hip_arch: str | None = None
) -> MacroTable:
    """The macros that a compilation of a dialect for a GPU starts from."""
    if dialect is Dialect.HIP:
        return hip_macros(hip_arch)
    if dialect is Dialect.OPENMP:
        return host_macros(openmp=True)
    if dialect is Dialect.OPENCL:
        return opencl_macros()
    return cuda_macros(cuda_arch)
