from __future__ import annotations

import pytest

from .conftest import Reading


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("k<<<g, b>>>(x);", "launch k <<<g, b, -, ->>> (x)"),
        ("k<<<g, b, n * 4, s>>>(x, y);", "launch k <<<g, b, (n * 4), s>>> (x, y)"),
        ("k<<<1, 256>>>();", "launch k <<<1, 256, -, ->>> ()"),
        (
            "k<<<(n + 255) / 256, dim3(16, 16)>>>(x);",
            "launch k <<<((n + 255) / 256), dim3(16, 16), -, ->>> (x)",
        ),
        ("k<<<n >> 3, b>>>(x);", "launch k <<<(n >> 3), b, -, ->>> (x)"),
        ("k<float, 256><<<g, b>>>(x);", "launch k<float, 256> <<<g, b, -, ->>> (x)"),
        ("k<A<B>><<<g, b>>>(x);", "launch k<A<B>> <<<g, b, -, ->>> (x)"),
        ("k<A<B<int>>><<<g, b>>>(x);", "launch k<A<B<int>>> <<<g, b, -, ->>> (x)"),
        ("ns::k<int><<<g, b>>>(x);", "launch ns::k<int> <<<g, b, -, ->>> (x)"),
        ("k << <g, b>> >(x);", "launch k <<<g, b, -, ->>> (x)"),
        ("k << < g, b >> > (x);", "launch k <<<g, b, -, ->>> (x)"),
        ("k<T> << <g, b>> >(x);", "launch k<T> <<<g, b, -, ->>> (x)"),
        ("k <<<\n  g,\n  b\n>>> (x);", "launch k <<<g, b, -, ->>> (x)"),
        ("(*fp)<<<g, b>>>(x);", "launch (*fp) <<<g, b, -, ->>> (x)"),
        ("obj.kernel<<<g, b>>>(x);", "launch obj.kernel <<<g, b, -, ->>> (x)"),
        ("p->k<3><<<g, b>>>(x);", "launch p->k<3> <<<g, b, -, ->>> (x)"),
        ("table[i]<<<g, b>>>(x);", "launch table[i] <<<g, b, -, ->>> (x)"),
        (
            "cudaLaunchKernel((void*)k<float>, g, b, args, 0, s);",
            "launch k<float> <<<g, b, 0, s>>> (-) packed args",
        ),
        (
            "cudaLaunchKernel(reinterpret_cast<const void*>(&k), g, b, args);",
            "launch k <<<g, b, -, ->>> (-) packed args",
        ),
        (
            "CHECK(cudaLaunchCooperativeKernel((void*)k, g, b, args, n, s));",
            "CHECK(launch k <<<g, b, n, s>>> (-) packed args)",
        ),
        (
            "cudaLaunchKernelEx(&config, k<T>, x, y);",
            "launch k<T> <<<-, -, -, ->>> (x, y) config (&config)",
        ),
        (
            "cudaLaunchKernelExC(&config, (void*)k, args);",
            "launch k <<<-, -, -, ->>> (-) packed args config (&config)",
        ),
        (
            "hipLaunchKernelGGL(k, dim3(g), b, 0, 0, x, y);",
            "launch k <<<dim3(g), b, 0, 0>>> (x, y)",
        ),
        (
            "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<float, 3>), g, b, 0, s, x);",
            "launch k<float, 3> <<<g, b, 0, s>>> (x)",
        ),
        (
            "hipLaunchKernelGGL((k<float, 3>), g, b, 0, 0);",
            "launch k<float, 3> <<<g, b, 0, 0>>> ()",
        ),
        (
            "cuLaunchKernel(f, 1, 2, 3, 4, 5, 6, 7, s, args, 0);",
            "launch f <<<dim3{1, 2, 3}, dim3{4, 5, 6}, 7, s>>> (-) packed args",
        ),
        ("cudaLaunchKernel();", "cudaLaunchKernel()"),
        ("auto r = k<<<g, b>>>(x);", "auto r = launch k <<<g, b, -, ->>> (x)"),
        ("if (a) k<<<g, b>>>(x); else f();", "if (a) launch k <<<g, b, -, ->>> (x) else f()"),
    ],
)
def test_launch(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(source) == expected
