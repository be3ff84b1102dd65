"""Which functions of host code are calls of a GPU library, told from their names alone."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import Final


class Library(Enum):
    """A family of libraries whose calls are read alike."""

    THRUST = "thrust"
    CUB = "cub"
    """CUB and hipCUB: classes ``Device...`` with static functions."""
    ROCPRIM = "rocprim"
    BLAS = "blas"
    FFT = "fft"
    RANDOM = "random"
    SPARSE = "sparse"
    """Sparse and dense solvers, whose sizes are in descriptors."""
    COPY = "copy"
    """The runtime's copies and fills."""


THRUST_ALGORITHMS: Final = frozenset(
    (
        "sort stable_sort sort_by_key stable_sort_by_key reduce reduce_by_key inclusive_scan"
        " exclusive_scan inclusive_scan_by_key exclusive_scan_by_key transform transform_if"
        " transform_reduce transform_inclusive_scan transform_exclusive_scan copy copy_n copy_if"
        " fill fill_n sequence generate generate_n tabulate for_each for_each_n count count_if"
        " unique unique_copy unique_by_key remove remove_if remove_copy remove_copy_if partition"
        " stable_partition partition_copy replace replace_if replace_copy gather gather_if scatter"
        " scatter_if inner_product min_element max_element minmax_element find find_if find_if_not"
        " any_of all_of none_of equal mismatch is_sorted is_sorted_until is_partitioned reverse"
        " reverse_copy swap_ranges merge merge_by_key set_union set_intersection set_difference"
        " lower_bound upper_bound binary_search adjacent_difference shuffle shuffle_copy"
        " uninitialized_copy uninitialized_fill"
    ).split()
)
_ROCPRIM: Final = frozenset(
    (
        "reduce inclusive_scan exclusive_scan radix_sort_keys radix_sort_keys_desc"
        " radix_sort_pairs radix_sort_pairs_desc merge_sort select unique transform"
        " histogram_even run_length_encode reduce_by_key segmented_reduce merge partition"
    ).split()
)
_CUB: Final = re.compile(
    r"(?:^|::)Device(?:Reduce|Scan|RadixSort|MergeSort|Select|Partition|Histogram|RunLengthEncode"
    r"|SegmentedReduce|SegmentedSort|SegmentedRadixSort|Merge|For|Transform|AdjacentDifference"
    r"|Spmv|Copy|Memcpy)::\w+$"
)
_BLAS: Final = re.compile(
    r"(?:cublas|hipblas|rocblas_)(?:(?:I?[SDCZHsdczh]|Lt)[a-z]\w*|[sd]?(?:gemm|dot|axpy|nrm2|scal)"
    r"_?\w*|(?:Gemm|Dot|Axpy|Nrm2|Scal)\w*Ex\w*|LtMatmul)$"
)
_BLAS_OTHER: Final = re.compile(
    r"Create|Destroy|Set|Get|Init|Heuristic|Status|Desc|Check|_(?:create|destroy|set|get|init)"
)
_FFT: Final = re.compile(r"(?:cufft|hipfft)(?:Xt)?Exec\w*$")
_RANDOM: Final = re.compile(r"(?:curand|hiprand|rocrand_)[gG]enerate(?!Seeds)_?\w*$")
_SPARSE: Final = re.compile(
    r"(?:cusparse|hipsparse)(?:Sp(?:MV|MM|SV|SM|GEMM)(?:_compute|_solve)?|SDDMM|[SDCZ]\w+|Gather"
    r"|Scatter|Axpby)$|(?:cusolver(?:Dn|Sp|Rf)|hipsolver(?:Dn)?)[SDCZX]\w+$"
)
_SPARSE_OTHER: Final = re.compile(r"[bB]uffer|Descr|[cC]reate|[dD]estroy|Set|Get")
_COPY: Final = re.compile(r"(?:cuda|hip)(?:Memcpy|Memset)(?:2D)?(?:Async)?$")


@lru_cache(maxsize=4096)
def library_of(name: str) -> Library | None:
    """The library that a possibly qualified function belongs to; None for any other function.

    Functions that set a library up are none of its calls.
    """
    name = name.removeprefix("::")
    root, _, rest = name.partition("::")
    if rest:
        return _qualified(name, root, name.rpartition("::")[2])
    if name.startswith(("cublas", "hipblas", "rocblas_")):
        return Library.BLAS if _BLAS.match(name) and not _BLAS_OTHER.search(name) else None
    if not name.startswith(("cu", "hip", "rocrand")):
        return None
    for library, pattern in (
        (Library.COPY, _COPY),
        (Library.FFT, _FFT),
        (Library.RANDOM, _RANDOM),
    ):
        if pattern.match(name):
            return library
    if _SPARSE.match(name) and not _SPARSE_OTHER.search(name):
        return Library.SPARSE
    return None


def _qualified(name: str, root: str, short: str) -> Library | None:
    if root == "thrust":
        return Library.THRUST if short in THRUST_ALGORITHMS else None
    if root == "rocprim":
        return Library.ROCPRIM if short in _ROCPRIM else None
    return Library.CUB if _CUB.search(name) else None


def runs_kernels(name: str) -> bool:
    """Whether a call launches kernels of a library, so that host code is followed to it."""
    return library_of(name) not in (None, Library.COPY)
