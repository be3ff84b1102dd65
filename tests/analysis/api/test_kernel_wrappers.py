"""Kernels that run a class which they are instantiated with, and launches that helpers make."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_core.settings import Settings

N = 1 << 24
COPY = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = a[i];"
KERNEL = f"template <class T> __global__ void copy(const T *a, T *b, int n) {{ {COPY} }}"
PARAMS = "struct Params { const float *a; float *b; int n; };"
RUN = "const float *a = p.a; float *b = p.b; int n = p.n; " + COPY


@pytest.mark.parametrize(
    ("before", "launch"),
    [
        (
            f"""struct Op {{ {PARAMS} __device__ void operator()(Params const &p) {{ {RUN} }} }};
            template <class K> __global__ void run(typename K::Params p) {{ K op; op(p); }}""",
            f"Op::Params p{{a, b, n}}; run<Op><<<{N} / 256, 256>>>(p);",
        ),
        (
            f"""struct Base {{ {PARAMS} }};
            struct Op : Base {{ __device__ static void go(Params p) {{ {RUN} }} }};
            template <class K> __global__ void run(typename K::Params p) {{ K::go(p); }}""",
            f"Base::Params p{{a, b, n}}; run<Op><<<{N} / 256, 256>>>(p);",
        ),
        (
            f"""template <class T> struct Outer {{ {PARAMS} }};
            struct Op {{ typedef Outer<int> Held;
              __device__ static void go(Held::Params p) {{ {RUN} }} }};
            template <class K> __global__ void run(typename K::Held::Params p) {{ K::go(p); }}""",
            f"Outer<int>::Params p{{a, b, n}}; run<Op><<<{N} / 256, 256>>>(p);",
        ),
        (
            f"""{KERNEL} template <class... P, class... A>
            void start(void (*kernel)(P...), dim3 grid, dim3 block, A... args)
            {{ kernel<<<grid, block>>>(args...); }}""",
            f"start(copy<float>, dim3({N} / 256), dim3(256), (const float *)a, b, n);",
        ),
        (
            f"""{KERNEL} template <class K, class... A> void start(K kernel, int n, A &&...args)
            {{ cudaLaunchConfig_t c = {{0}}; c.gridDim = n / 256; c.blockDim = 256;
               cudaLaunchKernelEx(&c, kernel, std::forward<A>(args)..., n); }}""",
            "start(copy<float>, n, (const float *)a, b);",
        ),
        (
            f"""{KERNEL}
            #define START(K, ...) do {{ K<<<{N} / 256, 256>>>(__VA_ARGS__); }} while (0)""",
            "auto go = [&] { START(copy<float>, a, b, n); }; go();",
        ),
        (
            KERNEL,
            f"""void *args[] = {{&a, &b, &n}};
            cudaLaunchCooperativeKernel((void *)copy<float>, {N} / 256, 256, args);""",
        ),
    ],
)
def test_copies_as_one_kernel_does(before: str, launch: str) -> None:
    source = f"""{before}
      int main() {{ int n = {N}; float *a, *b; cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);
        {launch} }}"""
    path = Path("/src/kernel.cu")
    report = analyze(source.encode(), path, Settings(gpu="A100"), reader=lambda _: None)
    (kernel,) = report.kernels
    (made,) = kernel.launches
    assert (made.grid, made.block) == ((N // 256, 1, 1), (256, 1, 1))
    assert kernel.prediction.unknowns == ()
    assert kernel.prediction.dram_read_bytes == pytest.approx(4 * N, rel=0.01)
    assert kernel.prediction.dram_write_bytes == pytest.approx(4 * N, rel=0.01)
