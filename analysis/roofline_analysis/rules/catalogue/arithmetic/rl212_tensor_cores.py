"""A matrix product in half precision without tensor cores.

A product of matrices of `half` or `bfloat16` can use tensor cores: their peak is
several times that of the ordinary units, and their fragments hold tiles in registers, so that fewer
requests go to memory. Use `wmma` or `mma.sync`, or a library that does: cuBLAS, CUTLASS.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.regions.kernel_summary import (
    AccessMode,
    MemorySpace,
    Region,
    RegionForm,
    Work,
)
from roofline_analysis.rules.accesses import depends_on_data, trips, warp_accesses
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program.precision import Precision

BAD = """\
#include <cuda_fp16.h>
__global__ void product(int n, const half *a, const half *b, float *c) {
    __shared__ half as[16][16], bs[16][16];
    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int t = 0; t < n; t += 16) {
        as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += __half2float(as[threadIdx.y][k]) * __half2float(bs[k][threadIdx.x]);
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main() {
    int n = 2048;
    half *a, *b;
    float *c;
    cudaMalloc(&a, n * n * sizeof(half));
    cudaMalloc(&b, n * n * sizeof(half));
    cudaMalloc(&c, n * n * sizeof(float));
    product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, a, b, c);
}
"""

GOOD = """\
#include <mma.h>
using namespace nvcuda;
__global__ void product(int n, const half *a, const half *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + row * n + k, n);
        wmma::load_matrix_sync(fb, b + k * n + column, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
}

int main() {
    int n = 2048;
    half *a, *b;
    float *c;
    cudaMalloc(&a, n * n * sizeof(half));
    cudaMalloc(&b, n * n * sizeof(half));
    cudaMalloc(&c, n * n * sizeof(float));
    product<<<dim3(n / 16, n / 16), 32>>>(n, a, b, c);
}
"""

_HALVES = frozenset(("half", "__half", "__nv_bfloat16", "nv_bfloat16"))
_LEAST_TRIPS = 32.0
"""Trips of the innermost loop: shorter ones fill hardly two fragments. Chosen, not measured."""
_LEAST_INTENSITY = 8.0
"""The least operations per element of the inputs; less is not a matrix product."""
_LEAST_GAIN = 0.2
"""The least share of the launch's time that a finding saves. Chosen, not measured."""
_FRAGMENT = 16.0
"""Rows that a fragment holds."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Sums of products of half-precision elements, each of which is used many times."""
    peaks = kernel.target.roofline.peaks_gops
    tensor, plain = peaks.get(Precision.TENSOR), peaks.get(Precision.SP)
    if not tensor or not plain or kernel.prediction.tensor_flops:
        return
    inputs = [
        item
        for item in warp_accesses(kernel, MemorySpace.GLOBAL, MemorySpace.SHARED)
        if item.access.mode is AccessMode.READ and item.array.element.name in _HALVES
    ]
    if any(depends_on_data(item.access) for item in inputs):
        return
    loaded = kernel.judged.traffic.arrays
    # What is made half-precision in the kernel is loaded as bytes, or halves of them.
    elements = sum(
        each.first_read_bytes / (2.0 if each.array.element.name in _HALVES else 1.0)
        for each in loaded
    )
    sums = (kernel.prediction.sp_flops or 0.0) + (kernel.prediction.hp_flops or 0.0)
    if len({item.array for item in inputs}) < 2 or sums < _LEAST_INTENSITY * max(1.0, elements):
        return
    change = Change()
    regions: dict[Region, float] = {}
    for region in kernel.judged.demanding:
        fused = sum(row[Work.FUSED] for row in region.work.values())
        loop = region.innermost_loop
        if fused and loop is not None and _loop_trips(kernel, loop) >= _LEAST_TRIPS:
            regions[region] = fused
    for region, fused in regions.items():
        for kind in (Work.SP, Work.HP):
            amount = sum(row[kind] for row in region.work.values())
            change.add(region, kind, -min(amount, 2.0 * fused))
        change.add(region, Work.FUSED, -fused)
        change.add(region, Work.TENSOR, 2.0 * fused)
        change.add(region, Work.CONVERSION, -sum(r[Work.CONVERSION] for r in region.work.values()))
    for item in inputs:
        if item.region in regions:
            change.requests[item.access] = None
    if not regions:
        return
    effect = kernel.effect(change)
    if matters(effect, _LEAST_GAIN):
        site = max(regions, key=lambda r: kernel.runs(r) * regions[r])
        lines = sorted(site.work, key=lambda s: -site.work[s][Work.FUSED])
        yield kernel.found(
            "a matrix product of half-precision inputs on ordinary units; tensor cores do"
            f" {tensor / plain:.0f} times as many multiply-adds a second",
            lines[:1],
            effect,
        )


def _loop_trips(kernel: KernelSubject, loop: Region) -> float:
    """The product of the trip counts of a loop and of those around it."""
    total = 1.0
    for region in loop.ancestors():
        if region.form is RegionForm.LOOP:
            total *= trips(kernel, region)
        total *= region.walked_runs
    return total


RULE = Rule("RL212", "tensor-cores", Level.INFORMATION, __doc__, BAD, GOOD, check=check)
