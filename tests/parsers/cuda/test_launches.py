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
        (
            "cuLaunchKernelEx(&config, f, args, 0);",
            "launch f <<<-, -, -, ->>> (-) packed args config (&config)",
        ),
        (
            "cudaGraphAddKernelNode(&node, graph, deps, 2, &p);",
            "launch (&p)->func <<<-, -, -, ->>> (-) packed (&p)->kernelParams config (&p)",
        ),
        (
            "hipGraphExecKernelNodeSetParams(exec, node, &p);",
            "launch (&p)->func <<<-, -, -, ->>> (-) packed (&p)->kernelParams config (&p)",
        ),
        (
            "cudaGraphAddNode(&node, graph, deps, 2, &p);",
            (
                "launch (&(&p)->kernel)->func <<<-, -, -, ->>> (-)"
                " packed (&(&p)->kernel)->kernelParams config (&(&p)->kernel)"
            ),
        ),
        ("cudaLaunchKernel();", "cudaLaunchKernel()"),
        ("auto r = k<<<g, b>>>(x);", "auto r = launch k <<<g, b, -, ->>> (x)"),
        ("if (a) k<<<g, b>>>(x); else f();", "if (a) launch k <<<g, b, -, ->>> (x) else f()"),
    ],
)
def test_launch(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(source) == expected


def test_a_device_function_that_launches_is_marked(reading: Reading) -> None:
    unit = reading.unit(
        "__global__ void p(int *x) { k<<<1, 2>>>(x); } __device__ void q() { f(); }"
        " void host() { k<<<1, 2>>>(0); }"
    )
    assert [function.launches for function in unit.functions] == [True, False, False]


def test_explicit_instantiations_are_kept_apart(reading: Reading) -> None:
    unit = reading.unit(
        "template <typename T> __global__ void k(T *x) {}"
        " namespace n { template __global__ void k<float>(float *); template struct S<int>; }"
        " template void k(int *);"
    )
    assert [function.name for function in unit.functions] == ["k"]
    first, second = unit.instantiations
    assert (first.qualified_name, first.is_kernel, first.has_body) == ("n::k", True, False)
    assert first.template_args is not None
    assert len(first.template_args) == 1
    assert second.template_args is None
    assert second.params[0].type.name == "int"


def test_a_kernel_that_is_a_method_is_read_once(reading: Reading) -> None:
    unit = reading.unit("struct C { static __global__ void k(float *x) { x[0] = 1; } };")
    assert unit.functions == ()
    assert [m.qualified_name for s in unit.structs for m in s.methods] == ["C::k"]
