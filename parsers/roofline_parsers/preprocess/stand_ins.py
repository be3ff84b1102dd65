"""Texts of our own that stand for headers of libraries that are not on this machine.

Each declares the classes that programs pass to kernels, as the real header lays them out, and the
macros that programs launch kernels by. One is read in the place of an ``#include`` that was not
found, where the file that has the ``#include`` names something it declares.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from roofline_core.program.records import record
from roofline_core.program.units import STAND_INS
from roofline_parsers.preprocess.predefined import KNOWN_HEADERS
from roofline_parsers.preprocess.structure import SourceFile, divide

_TEXTS: Final = Path(__file__).parent / "data" / "stand_ins"


@record(frozen=True, slots=True)
class StandIn:
    """What may be read for the headers of one library."""

    name: str
    """Of the text in ``data/stand_ins``, without its suffix."""
    headers: re.Pattern[bytes]
    """Matches the name of every header that brings the library's classes."""
    words: frozenset[bytes]
    """What the text is read for: it is left out where a file has none of them."""
    telling: bool = True
    """Whether the words are the library's alone, so that any missing header may bring them."""


def _words(text: str) -> frozenset[bytes]:
    return frozenset(text.encode().split())


_LIBRARIES: Final = (
    StandIn(
        "opencv",
        re.compile(rb"opencv2?/"),
        _words(
            "PtrStep PtrStepSz PtrSz DevPtr PtrStepb PtrStepus PtrStepf PtrStepi PtrStepSzb "
            "PtrStepSzus PtrStepSzf PtrStepSzi DevMem2D_ DevMem2D DevMem2Df DevMem2Di PtrStep_"
        ),
    ),
    StandIn(
        "torch",
        re.compile(rb"torch/|ATen/|c10/|THC/"),
        _words(
            "PackedTensorAccessor PackedTensorAccessor32 PackedTensorAccessor64 TensorAccessor "
            "GenericPackedTensorAccessor AT_DISPATCH_FLOATING_TYPES AT_DISPATCH_ALL_TYPES "
            "AT_DISPATCH_FLOATING_TYPES_AND_HALF AT_DISPATCH_FLOATING_TYPES_AND "
            "AT_DISPATCH_FLOATING_TYPES_AND2 AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES "
            "AT_DISPATCH_REDUCED_FLOATING_TYPES AT_DISPATCH_ALL_TYPES_AND "
            "AT_DISPATCH_ALL_TYPES_AND2 AT_DISPATCH_ALL_TYPES_AND3 "
            "AT_DISPATCH_ALL_TYPES_AND_COMPLEX AT_DISPATCH_INTEGRAL_TYPES "
            "AT_DISPATCH_INTEGRAL_TYPES_AND AT_DISPATCH_INDEX_TYPES "
            "AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND "
            "WARP_SHFL WARP_SHFL_XOR WARP_SHFL_UP WARP_SHFL_DOWN gpuAtomicAdd "
            "gpuAtomicAddNoReturn gpuAtomicMax gpuAtomicMin CUDA_KERNEL_LOOP "
            "CUDA_KERNEL_LOOP_TYPE getCurrentDeviceProperties ATenCeilDiv acc_type opmath_type "
            "AccumulateType OpMathType Half BFloat16 C10_WARP_SIZE PhiloxCudaState "
            "C10_HOST_DEVICE C10_DEVICE C10_LAUNCH_BOUNDS_1 C10_LAUNCH_BOUNDS_2"
        ),
    ),
    StandIn(
        "mdspan",
        re.compile(rb"(cuda/std/|experimental/)?(__p0009_bits/)?mdspan(\.hpp)?$"),
        _words("mdspan"),
        telling=False,
    ),
    StandIn(
        "walberla",
        re.compile(rb"(walberla/)?gpu/(FieldAccessor|FieldIndexing|Kernel|GPUField)"),
        _words("FieldAccessor"),
        telling=False,
    ),
    StandIn("span", re.compile(rb"(cuda/std/)?span$"), _words("span"), telling=False),
    StandIn(
        "cub_iterators",
        re.compile(rb"cub/"),
        _words("CacheModifiedInputIterator CacheModifiedOutputIterator"),
    ),
    StandIn(
        "iterators",
        re.compile(rb"(thrust|cub)/"),
        _words(
            "counting_iterator constant_iterator transform_iterator permutation_iterator "
            "zip_iterator make_counting_iterator make_constant_iterator make_transform_iterator "
            "make_permutation_iterator CountingInputIterator "
            "ConstantInputIterator TransformInputIterator"
        ),
    ),
    StandIn(
        "device_algorithms",
        re.compile(rb"thrust/|cuda/std/|iterator$"),
        _words("seq distance"),
        telling=False,
    ),
    StandIn(
        "complex",
        re.compile(rb"thrust/complex\.h$|cuda/std/complex$|c10/util/complex\.h$"),
        _words("complex"),
        telling=False,
    ),
    StandIn(
        "cuda_atomic",
        re.compile(rb"cuda/(std/)?atomic$"),
        _words("atomic_ref atomic"),
        telling=False,
    ),
    StandIn(
        "cuda_pipeline",
        re.compile(rb"cuda/(pipeline|barrier)$|cuda_pipeline(_primitives|_helpers)?\.h$"),
        _words("pipeline pipeline_shared_state make_pipeline barrier __pipeline_memcpy_async"),
        telling=False,
    ),
    StandIn(
        "cuda_std",
        re.compile(rb"cuda/std/|algorithm$"),
        _words("clamp optional"),
        telling=False,
    ),
    StandIn(
        "eigen",
        re.compile(rb"(unsupported/)?Eigen/"),
        _words("Eigen"),
    ),
    StandIn(
        "glm",
        re.compile(rb"glm/|tiny-cuda-nn/"),
        _words(
            "vec2 vec3 vec4 dvec2 dvec3 dvec4 ivec2 ivec3 ivec4 uvec2 uvec3 uvec4 mat2 mat3 mat4 "
            "mat2x2 mat3x3 mat4x4"
        ),
        telling=False,
    ),
    StandIn(
        "cute",
        re.compile(rb"cute/"),
        _words("make_gmem_ptr make_smem_ptr"),
    ),
    StandIn(
        "cutlass",
        re.compile(rb"(cutlass|cute)/"),
        _words(
            "CUTLASS_DEVICE CUTLASS_HOST_DEVICE CUTLASS_GLOBAL CUTLASS_PRAGMA_UNROLL "
            "CUTLASS_PRAGMA_NO_UNROLL CUTLASS_GEMM_LOOP CUTE_DEVICE CUTE_HOST CUTE_HOST_DEVICE "
            "CUTE_UNROLL CUTE_NO_UNROLL CUTE_INLINE_CONSTANT CUTE_STATIC_ASSERT"
        ),
    ),
    StandIn(
        "curand",
        re.compile(rb"curand_kernel\.h$"),
        _words("curand_init curandState curandState_t curandStatePhilox4_32_10_t"),
    ),
    StandIn(
        "aligned_storage",
        # Most headers of C++'s library, those without extension, bring <type_traits>.
        re.compile(rb"[a-z_]+$|(ATen|torch|c10|cub|thrust)/"),
        _words("aligned_storage aligned_storage_t"),
    ),
    StandIn(
        "raft_macros",
        re.compile(rb"raft/"),
        _words(
            "DI HDI HD _RAFT_HOST_DEVICE _RAFT_DEVICE _RAFT_HOST _RAFT_FORCEINLINE "
            "RAFT_INLINE_FUNCTION RAFT_DEVICE_INLINE_FUNCTION RAFT_KERNEL"
        ),
        telling=False,
    ),
    StandIn(
        "raft",
        re.compile(rb"raft/"),
        _words(
            "device_span device_vector_view device_matrix_view make_device_vector_view "
            "make_device_matrix_view warp_size warp_full_mask warpReduce blockReduce laneId "
            "device_scalar_view device_mdspan make_device_vector make_device_matrix"
        ),
    ),
    StandIn(
        "raft_numbers",
        re.compile(rb"raft/"),
        _words(
            "KeyValuePair Pow2 WarpSize alignTo alignDown div_rounding_up_safe round_up_safe "
            "div_rounding_up_unsafe upper_bound lower_bound shfl_xor shfl_up shfl_down ballot ldg"
        ),
        telling=False,
    ),
)


@cache
def _by_word() -> dict[bytes, StandIn]:
    return {word: library for library in _LIBRARIES for word in library.words}


def named_by(words: Collection[bytes]) -> tuple[StandIn, ...]:
    """The libraries of which a file with these words names something."""
    by_word = _by_word()
    found = by_word.keys() & words
    return tuple(dict.fromkeys(by_word[word] for word in sorted(found)))


def bring(library: StandIn, missing: Sequence[bytes]) -> bool:
    """Whether one of the headers that were not found may bring a library's declarations."""
    return any(library.headers.match(name) for name in missing) or (
        library.telling and any(_is_unknown(name) for name in missing)
    )


def marks_of(header: bytes) -> list[bytes]:
    """What notes, among the macros, that a header was not found: a name for each of its libraries.

    No identifier begins with a space.
    """
    return [mark_of(library) for library in _LIBRARIES if library.headers.match(header)]


def mark_of(library: StandIn) -> bytes:
    """The name that notes that a header of a library was not found."""
    return b" missing " + library.name.encode()


def _is_unknown(header: bytes) -> bool:
    """Whether a header is of no library that is known here."""
    return header not in KNOWN_HEADERS and not any(
        library.headers.match(header) for library in _LIBRARIES
    )


@cache
def text_of(library: StandIn) -> SourceFile:
    """The text that stands for a library's headers."""
    name = f"{library.name}.cuh"
    return divide(STAND_INS / name, (_TEXTS / name).read_bytes())
