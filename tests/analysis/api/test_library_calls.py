"""Library calls in host code: what each moves and computes, and its class."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api.entry import analyze
from roofline_analysis.report.report import LibraryCallReport, Verdict
from roofline_analysis.timing.launch_time import launch_overhead_ns
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings
from roofline_hardware_db import ClockKind, find_gpu

SETTINGS = Settings(gpu="RTX 3080", clock="base", args=())
GPU = find_gpu("RTX 3080")
N = 1 << 20
MB = 4 * N
"""Bytes of N floats."""


def calls(body: str, before: str = "") -> list[LibraryCallReport]:
    text = f"""
    #include <thrust/device_vector.h>
    #include <cub/cub.cuh>
    struct Square {{ __device__ float operator()(float x) const {{ return x * x + 1.0f; }} }};
    struct Loop {{ __device__ float operator()(float x) const
      {{ for (int i = 0; i < 9; i++) x *= 2.0f; return x; }} }};
    struct Pair {{ int a, b; }};
    {before}
    int main() {{
      int n = 1 << 20;
      thrust::device_vector<unsigned int> keys(n);
      thrust::device_vector<float> vals(n);
      thrust::device_vector<Pair> pairs(n);
      thrust::host_vector<float> hv(n);
      float *d; double *dd; int *flags;
      cudaMalloc(&d, n * sizeof(float)); cudaMalloc(&dd, n * 8); cudaMalloc(&flags, n * 4);
      void *tmp = (void *)d; size_t bytes = 4;
      float alpha = 1, beta = 0, one = 1;
      {body}
    }}
    """
    report = analyze(text.encode(), Path("/p/main.cu"), SETTINGS, reader=lambda _: None)
    assert not [p for p in report.problems if p.message.startswith("internal")]
    return list(report.library_calls)


Figures = tuple[float | None, float | None, dict[str, float]]


def figures(call: LibraryCallReport) -> Figures:
    prediction = call.prediction
    operations = {p.value: prediction.operations(p) for p in Precision}
    known = {name: amount for name, amount in operations.items() if amount}
    return prediction.dram_read_bytes, prediction.dram_write_bytes, known


@pytest.mark.parametrize(
    ("code", "what", "read", "written", "operations"),
    [
        ("thrust::sort(keys.begin(), keys.end())",
         "radix sort in 4 passes of 1048576 x unsigned int", 5 * MB, 4 * MB, {"int": 4 * 32 * N}),
        ("thrust::sort(thrust::device, keys.begin(), keys.end(), thrust::greater<unsigned int>())",
         "radix sort in 4 passes of 1048576 x unsigned int", 5 * MB, 4 * MB, {"int": 4 * 32 * N}),
        ("thrust::sort_by_key(keys.begin(), keys.end(), vals.begin())",
         "radix sort in 4 passes of 1048576 x unsigned int", 9 * MB, 8 * MB, {"int": 4 * 32 * N}),
        ("thrust::stable_sort(pairs.begin(), pairs.end(), Square())",
         "merge sort of 1048576 x Pair", 9 * 2 * MB, 9 * 2 * MB, {"int": 20 * 4 * N}),
        ("thrust::reduce(vals.begin(), vals.end(), 0.f, thrust::plus<float>())",
         "reduction of 1048576 x float", MB, 0, {"sp": N}),
        ("thrust::reduce(d, d + n)", "reduction of 1048576 x float", MB, 0, {"sp": N}),
        ("thrust::transform(vals.begin(), vals.end(), vals.begin(), Square())",
         "transform of 1048576 x float", MB, MB, {"sp": 2 * N}),
        (("thrust::transform(vals.begin(), vals.end(), vals.begin(), vals.begin(),"
         " [=] __device__(float a, float b) { return a * b + sqrtf(a); })"),
         "transform of 1048576 x float", 2 * MB, MB, {"sp": 10 * N}),
        ("thrust::transform_reduce(vals.begin(), vals.end(), Square(), 0.f, thrust::plus<float>())",
         "transformation and reduction of 1048576 x float", MB, 0, {"sp": 3 * N}),
        ("thrust::exclusive_scan(thrust::cuda::par.on(0), vals.begin(), vals.end(), vals.begin())",
         "prefix sum of 1048576 x float", MB, MB, {"sp": N}),
        ("thrust::inclusive_scan(dd, dd + n, dd)", "prefix sum of 1048576 x double",
         2 * MB, 2 * MB, {"dp": N}),
        ("thrust::device_ptr<float> p(d); thrust::fill(p, p + n, 0.f)",
         "fill of 1048576 x float", 0, MB, {}),
        ("auto p = thrust::device_pointer_cast(d); thrust::copy(p, p + n / 2, vals.begin())",
         "copy of 524288 x float", MB / 2, MB / 2, {}),
        ("thrust::sequence(thrust::device, flags, flags + n)", "fill of 1048576 x int", 0, MB, {}),
        ("thrust::gather(keys.begin(), keys.end(), vals.begin(), vals.begin())",
         "indexed copy of 1048576 x unsigned int", 2 * MB, MB, {}),
        ("thrust::inner_product(vals.begin(), vals.end(), vals.begin(), 0.f)",
         "inner product of 1048576 x float", 2 * MB, 0, {"sp": 2 * N}),
        (("thrust::transform(thrust::make_counting_iterator(0), thrust::make_counting_iterator(n),"
         " d, Square())"), "transform of 1048576 x float", 0, MB, {"sp": 2 * N}),
        (("auto z = thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), dd));"
         " thrust::sort(z, z + 1024, Square())"), "merge sort of 1024 x tuple",
         1024 * 12, 1024 * 12, {"int": 1024 * 10 * 4}),
        ("cub::DeviceReduce::Sum(tmp, bytes, d, d, n)", "reduction of 1048576 x float", MB, 0,
         {"sp": N}),
        ("hipcub::DeviceReduce::Max(tmp, bytes, flags, flags, n)", "reduction of 1048576 x int",
         MB, 0, {"int": N}),
        ("cub::DeviceScan::InclusiveSum(tmp, bytes, flags, flags, n, 0)",
         "prefix sum of 1048576 x int", MB, MB, {"int": N}),
        ("cub::DeviceRadixSort::SortPairs(tmp, bytes, flags, flags, d, d, n)",
         "radix sort in 4 passes of 1048576 x int", 9 * MB, 8 * MB, {"int": 4 * 32 * N}),
        (("cub::DoubleBuffer<int> k(flags, flags);"
         " cub::DeviceRadixSort::SortKeys(tmp, bytes, k, n, 0, 16)"),
         "radix sort in 2 passes of 1048576 x int", 3 * MB, 2 * MB, {"int": 2 * 32 * N}),
        ("cub::DeviceHistogram::HistogramEven(tmp, bytes, d, flags, 257, 0.f, 1.f, n)",
         "histogram of 1048576 x float", MB, 0, {"int": 4 * N}),
        ("rocprim::radix_sort_keys(tmp, bytes, flags, flags, n)",
         "radix sort in 4 passes of 1048576 x int", 5 * MB, 4 * MB, {"int": 4 * 32 * N}),
        (("cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 1024, 512, 256, &alpha, d, 1024, d, 256, &beta,"
         " d, 1024)"), "matrix product of 524288 x float",
         4 * (1024 * 256 + 256 * 512), 4 * 1024 * 512, {"sp": 2 * 1024 * 512 * 256}),
        (("cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 1024, 512, 256, &alpha, d, 1024, d, 256, &one,"
         " d, 1024)"), "matrix product of 524288 x float",
         4 * (1024 * 256 + 256 * 512 + 1024 * 512), 4 * 1024 * 512, {"sp": 2 * 1024 * 512 * 256}),
        ("hipblasZgemm(h, 0, 0, 8, 8, 8, 0, dd, 8, dd, 8, &beta, dd, 8)",
         "matrix product of 64 x complex<double>", 16 * 128, 16 * 64, {"dp": 8 * 512}),
        ("rocblas_hgemm(h, 0, 0, 64, 64, 64, 0, d, 64, d, 64, &beta, d, 64)",
         "matrix product of 4096 x half", 2 * 8192, 2 * 4096, {"tensor": 2 * 64**3}),
        (("cublasSgemmStridedBatched(h, 0, 0, 8, 8, 8, &alpha, d, 8, 64, d, 8, 64, &beta, d, 8, 64,"
         " 100)"), "batch of matrix products of 6400 x float", 4 * 12800, 4 * 6400, {"sp": 102400}),
        (("cublasGemmEx(h, 0, 0, 64, 64, 64, &alpha, d, CUDA_R_64F, 64, d, CUDA_R_64F, 64,"
         " &beta, d, CUDA_R_64F, 64, CUDA_R_64F, 0)"), "matrix product of 4096 x double",
         8 * 8192, 8 * 4096, {"dp": 2 * 64**3}),
        ("cublasDgemv(h, 0, 1024, 1024, &alpha, dd, 1024, dd, 1, &beta, dd, 1)",
         "matrix-vector product of 1048576 x double", 8 * (N + 2048), 8 * 1024, {"dp": 2 * N}),
        ("cublasSaxpy(h, n, &alpha, d, 1, d, 1)", "scaled addition of 1048576 x float",
         2 * MB, MB, {"sp": 2 * N}),
        ("cublasSaxpy(n, 2.f, d, 1, d, 1)", "scaled addition of 1048576 x float", 2 * MB, MB,
         {"sp": 2 * N}),
        ("cublasDdot(h, n, dd, 1, dd, 1, dd)", "dot product of 1048576 x double", 4 * MB, 0,
         {"dp": 2 * N}),
        ("float s = cublasSdot(n, d, 1, d, 1)", "dot product of 1048576 x float", 2 * MB, 0,
         {"sp": 2 * N}),
        ("cublasSnrm2_v2(h, n, d, 1, &alpha)", "norm of 1048576 x float", MB, 0, {"sp": 2 * N}),
        ("cublasIsamax(h, n, d, 1, flags)", "index of the largest of 1048576 x float", MB, 0,
         {"sp": N}),
        ("cufftHandle p; cufftPlan1d(&p, 1024, CUFFT_C2C, 512); cufftExecC2C(p, 0, 0, 1)",
         "Fourier transform of 524288 x complex<float>", MB, MB, {"sp": 5 * 10 * 524288}),
        (("cufftHandle p; int s[] = {64, 128}; cufftPlanMany(&p, 2, s, 0, 1, 0, 0, 1, 0, CUFFT_D2Z,"
         " 10); cufftExecD2Z(p, 0, 0)"), "Fourier transform of 81920 x complex<double>",
         8 * 2 * 81920, 8 * 2 * 81920, {"dp": 2.5 * 13 * 81920}),
        ("curandGenerateUniform(g, d, n)", "random numbers (uniform) of 1048576 x float", 0, MB,
         {"sp": 2 * N, "int": 14 * N}),
        ("cudaMemcpyAsync(d, flags, n * 4, cudaMemcpyDeviceToDevice, 0)", "copy of 4194304 x byte",
         MB, MB, {}),
        ("hipMemset(d, 0, n)", "fill of 1048576 x byte", 0, N, {}),
    ],
)  # fmt: skip
def test_what_a_call_does(
    code: str, what: str, read: float, written: float, operations: dict[str, float]
) -> None:
    (call,) = calls(f"{code};")
    assert call.what == what
    seen_read, seen_written, seen = figures(call)
    assert seen_read == pytest.approx(read)
    assert seen_written == pytest.approx(written)
    assert seen == pytest.approx(operations)
    assert call.certain
    assert call.prediction.verdict is not None


def test_the_class_is_that_of_the_roofline() -> None:
    body = "thrust::reduce(d, d + n); cublasSgemm(h, 0, 0, 1024, 1024, 1024, &alpha, d, 0, d, 0,"
    reduced, product = calls(f"{body} &beta, d, 0);")[::-1]
    assert reduced.prediction.verdict is Verdict.BANDWIDTH_BOUND
    assert product.prediction.verdict is Verdict.COMPUTE_BOUND
    # 2 * 1024^3 operations over 12 MiB against a ridge of 33 operations per byte.
    assert product.prediction.intensity(Precision.SP) == pytest.approx(2 * 1024**3 / (12 * 2**20))
    launching = launch_overhead_ns(GPU, GPU.roofline(ClockKind.BASE))
    assert product.prediction.time_ns == pytest.approx(2 * 1024**3 / 25067.52 + launching)


@pytest.mark.parametrize(
    "code",
    [
        "thrust::sort(hv.begin(), hv.end())",
        "thrust::sort(thrust::host, d, d + n)",
        "std::sort(d, d + n)",
        "float *x = thrust::raw_pointer_cast(vals.data())",
        "cudaMemcpy(d, &alpha, 4, cudaMemcpyHostToDevice)",
        "cublasCreate(&h)",
        "cublasSetStream(h, 0)",
        "rocblas_create_handle(&h)",
        "cufftHandle p; cufftPlan1d(&p, 1024, CUFFT_C2C, 512)",
        "cusparseCreateCsr(&h)",
        "cub::DeviceReduce::Sum(nullptr, bytes, d, d, n)",
    ],
)
def test_what_is_no_call_of_a_gpu_library(code: str) -> None:
    assert calls(f"{code};") == []


def test_asking_for_temporary_storage_and_the_call_are_one() -> None:
    (call,) = calls(
        """void *t = NULL; size_t size = 0;
        cub::DeviceReduce::Sum(t, size, d, d, n);
        cudaMalloc(&t, size);
        cub::DeviceReduce::Sum(t, size, d, d, n);"""
    )
    assert call.line == 22


def test_an_unknown_size_is_assumed_and_named() -> None:
    (call,) = calls('int m; scanf("%d", &m); thrust::sort(d, d + m);')
    assert call.count is None
    assert call.what == "radix sort in 4 passes of an unknown number x float"
    assert [unknown.name for unknown in call.prediction.unknowns] == ["m"]
    assert call.prediction.verdict is Verdict.BANDWIDTH_BOUND


def test_what_is_kept_and_what_a_loop_does_are_assumed() -> None:
    kept, loop = calls(
        """thrust::copy_if(vals.begin(), vals.end(), d, Square());
        thrust::transform(vals.begin(), vals.end(), vals.begin(), Loop());"""
    )
    assert figures(kept)[1] == MB / 2
    assert [u.name for u in kept.prediction.unknowns] == ["share of elements kept"]
    (unknown,) = loop.prediction.unknowns
    assert unknown.name == "operations of the function object per element"
    assert unknown.assumed == 2


@pytest.mark.parametrize(
    "code",
    [
        "cusparseSpMV(h, 0, 0, 0, 0, 0, 0, 0, 0)",
        "cublasLtMatmul(h, 0, 0, 0, 0, 0, 0, 0)",
        "cufftExecC2C(plan, 0, 0, 1)",
        (
            "thrust::for_each(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n),"
            " Square())"
        ),
        "thrust::sort(unknown_begin, unknown_end)",
    ],
)
def test_a_call_of_unknown_traffic_is_undecided(code: str) -> None:
    (call,) = calls(f"{code};")
    assert call.prediction.verdict is None
    assert call.prediction.dram_bytes is None
    assert [unknown.name for unknown in call.prediction.unknowns] == ["traffic"]


def test_calls_in_loops_functions_and_branches() -> None:
    looped, doubtful = calls(
        """for (int i = 0; i < 10; i++) step(d, n);
        int c; scanf("%d", &c);
        if (c) thrust::fill(d, d + n, 0.f);""",
        "void step(float *x, int m) { thrust::reduce(thrust::device, x, x + m); }",
    )
    assert (looped.name, looped.repeat, looped.certain) == ("thrust::reduce", 10, True)
    assert (doubtful.name, doubtful.certain) == ("thrust::fill", False)


def test_a_function_that_nothing_calls() -> None:
    text = b"#include <thrust/sort.h>\nvoid f(int *x, int m) { thrust::sort(x, x + m); }\n"
    report = analyze(text, Path("/p/lib.cu"), SETTINGS, reader=lambda _: None)
    (call,) = report.library_calls
    assert (call.line, call.certain, call.count) == (2, False, None)
    assert call.prediction.verdict is Verdict.BANDWIDTH_BOUND
