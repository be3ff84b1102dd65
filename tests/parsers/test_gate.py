"""Files with kernels are told from plain ones by their bytes."""

from __future__ import annotations

import pytest

from roofline_parsers.reading.gate import has_kernels


@pytest.mark.parametrize(
    "source",
    [
        b"__global__ void k();",
        b"RAFT_KERNEL k();",
        b"CUTLASS_GLOBAL void k();",
        b"k<<<1, 2>>>();",
        b"k<< <1, 2>> >();",
        b"k <<\n <1, 2>> >();",
        b"cudaLaunchKernel(f, g, b, a);",
        b"cudaLaunchCooperativeKernel(f, g, b, a);",
        b"cudaLaunchKernelEx(&config, k, a);",
        b"cuLaunchKernel(f);",
        b"cudaGraphAddKernelNode(&node, graph, 0, 0, &p);",
        b"hipLaunchKernelGGL(k, g, b, 0, 0);",
        b"hipModuleLaunchKernel(f);",
        b"cub::DeviceReduce::Sum(t, n, in, out, count);",
        b"hipcub::DeviceScan::InclusiveSum(t, n, in, out, count);",
        b"thrust::sort(a, b);",
        b"#pragma omp target teams distribute parallel for",
        b"#  pragma omp teams\n#pragma omp parallel\n# pragma omp \\\n  target update to(a)",
        b'#define OFFLOAD _Pragma("omp target teams loop")',
        b"__kernel void k(__global float *a) {}",
        b"kernel void k(global float *a) {}",
        b"kernel\n__attribute__((reqd_work_group_size(64, 1, 1))) void k() {}",
        b"clEnqueueNDRangeKernel(q, k, 1, 0, &g, &l, 0, 0, 0);",
        b'k = clCreateKernel(p, "k", &e);',
        b"queue.enqueueNDRangeKernel(k, cl::NullRange, g, l);",
        b'cl::Kernel k(program, "k");',
        b"import pyopencl as cl",
        b'R"(__kernel void k() {})"',
    ],
)
def test_signs_of_kernels(source: bytes) -> None:
    assert has_kernels(source)
    assert has_kernels(b"int main() {}\n" * 50 + source)


@pytest.mark.parametrize(
    "source",
    [
        b"int main() { std::cout << 1 << 2; }",
        b"__device__ int f();",
        b"#pragma omp parallel for\nint target;",
        b"#pragma omp simd // not for a device\n",
        b"int omp, target;",
        b"struct Kernel { int kernel; }; // the kernel of a matrix",
        b"__kernelspace int a;",
        b"",
    ],
)
def test_plain_code_has_none(source: bytes) -> None:
    assert not has_kernels(source)
