"""Launches through pointers, wrappers, objects, graphs and names, seen through the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api.entry import analyze
from roofline_analysis.report.report import KernelReport, LaunchReport
from roofline_core.settings import Settings

SETTINGS = Settings(gpu="RTX 3080", clock="base", args=())
KERNELS = """
__global__ void a(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 2.0f;
}
__global__ void b(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * x[i] + 3.0f;
}
template <typename T, int N = 1> __global__ void t(T *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) for (int k = 0; k < N; k++) x[i] = x[i] * x[i] + T(3);
}
"""
Seen = tuple[str, object, object, tuple[str, ...]]


def kernels(before: str, body: str) -> dict[str, KernelReport]:
    text = f"""{KERNELS}{before}
    int main(int argc, char **argv) {{
      int n = 1 << 20;
      float *d;
      cudaMalloc(&d, n * sizeof(float));
      dim3 g(n / 256), bl(256);
      {body}
    }}
    """
    report = analyze(text.encode(), Path("/p/main.cu"), SETTINGS, reader=lambda _: None)
    assert not [p for p in report.problems if p.message.startswith("internal")]
    return {kernel.qualified_name: kernel for kernel in report.kernels}


def launches(before: str, body: str) -> list[Seen]:
    """Kernel, grid and block (x alone) and values of the arguments of each certain launch."""
    return [
        (
            name,
            launch.grid and launch.grid[0],
            launch.block and launch.block[0],
            tuple(argument.value.partition(" of ")[2] or argument.value for argument in arguments),
        )
        for name, kernel in kernels(before, body).items()
        for launch in kernel.launches
        if launch.certain
        for arguments in (launch.arguments,)
    ]


WHOLE = ("4194304 bytes", "1048576")
A, B = ("a", 4096, 256, WHOLE), ("b", 4096, 256, WHOLE)


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("", "void (*k)(float *, int) = argc > 5 ? a : b; k<<<g, bl>>>(d, n);", [B]),
        ("typedef void (*K)(float *, int);", ("K ks[] = {a, &b};"
         " for (int i = 0; i < 2; i++) ks[i]<<<g, bl>>>(d, n);"), [A, B]),
        ("struct E { const char *name; void (*k)(float *, int); }; E es[] = {{\"a\", a}};",
         "for (auto &e : es) e.k<<<g, bl>>>(d, n);", [A]),
        ("#include <functional>", ("std::function<void(float *, int)> f ="
         " [&](float *x, int m) { a<<<g, bl>>>(x, m); }; f(d, n);"), [A]),
        ("", "auto k = &t<float, 256>; k<<<g, bl>>>(d, n);", [("t", 4096, 256, WHOLE)]),
        ("", "auto l = [=](auto k) { k<<<g, bl>>>(d, n); }; l(a); l(b);", [A, B]),
        (("template <void (*K)(float *, int)> void run(float *d, int n)"
         " { K<<<n / 256, 256>>>(d, n); }"), "run<a>(d, n); run<b>(d, n);", [A, B]),
        (("template <typename K, typename... P> void launch(K k, dim3 g, dim3 b, P... p)"
         " { k<<<g, b>>>(p...); }"), "launch(a, g, bl, d, n); launch(b, g, bl, d, n);", [A, B]),
        (("template <typename... Q, typename... P> void launch(void (*k)(Q...), P &&...p)"
         " { k<<<4096, 256, 0, 0>>>(std::forward<P>(p)...); }"), "launch(&b, d, n);", [B]),
        (("template <typename K, typename... P> void inner(K k, P &&...p)"
         " { k<<<4096, 256>>>(std::forward<P>(p)...); }\n"
         "template <typename K, typename... P> void outer(K k, P &&...p)"
         " { inner(k, std::forward<P>(p)...); }"), "outer(a, d, n);", [A]),
        (("template <typename K, typename... P> void launch(K k, dim3 g, dim3 b, P &&...p)"
         " { void *v[] = {(void *)&p...}; cudaLaunchKernel((const void *)k, g, b, v, 0, 0); }"),
         "launch(a, g, bl, d, n);", [A]),
        ("#define GO(K, G, B, ...) do { K<<<G, B>>>(__VA_ARGS__); } while (0)",
         "GO(a, g, bl, d, n);", [A]),
        ("struct C { static __global__ void k(float *x) { x[0] = 1; } };",
         "C::k<<<3, 32>>>(d);", [("C::k", 3, 32, ("4194304 bytes",))]),
    ],
)  # fmt: skip
def test_through_pointers_and_wrappers(before: str, body: str, expected: list[Seen]) -> None:
    assert launches(before, body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("cudaLaunchConfig_t c{dim3(5), dim3(6), 7}; cudaLaunchKernelEx(&c, a, d, n);",
         [("a", 5, 6, WHOLE)]),
        (("cudaLaunchConfig_t c = {0}; c.gridDim = g; c.blockDim = bl;"
         " cudaLaunchAttribute at[1]; at[0].val.clusterDim.x = 2; c.attrs = at; c.numAttrs = 1;"
         " cudaLaunchKernelEx(&c, a, d, n);"), [A]),
        (("cudaLaunchConfig_t c = {}; c.gridDim = n / 256; c.blockDim = bl;"
         " void *v[] = {&d, &n}; cudaLaunchKernelExC(&c, (void *)b, v);"), [B]),
        (("void *v[2]; v[0] = &d; v[1] = (void *)&n;"
         " cudaLaunchCooperativeKernel((void *)b, g, bl, v, 0, 0);"), [B]),
        (("CUfunction f; CUmodule m; cuModuleGetFunction(&f, m, \"a\"); void *v[] = {&d, &n};"
         " cuLaunchKernel(f, n / 256, 1, 1, 256, 1, 1, 0, 0, v, 0);"), [A]),
        (("CUfunction f; CUmodule m; cuModuleGetFunction(&f, m, \"_Z1bPfi\"); void *v[] = {&d, &n};"
         " cuLaunchKernel(f, n / 256, 1, 1, 256, 1, 1, 0, 0, v, 0);"), [B]),
        (("cudaGraph_t gr; cudaGraphNode_t nd; cudaKernelNodeParams p = {0}; void *v[] = {&d, &n};"
         " p.func = (void *)a; p.gridDim = g; p.blockDim = bl; p.sharedMemBytes = 0;"
         " p.kernelParams = v; cudaGraphAddKernelNode(&nd, gr, NULL, 0, &p);"
         " p.func = (void *)b; p.gridDim = dim3(5); cudaGraphExec_t e;"
         " cudaGraphExecKernelNodeSetParams(e, nd, &p);"), [A, ("b", 5, 256, WHOLE)]),
        (("cudaGraph_t gr; cudaGraphNode_t nd; cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};"
         " void *v[] = {&d, &n}; p.kernel.func = (void *)b; p.kernel.gridDim = g;"
         " p.kernel.blockDim = dim3(32); p.kernel.kernelParams = v;"
         " cudaGraphAddNode(&nd, gr, NULL, 0, &p);"), [("b", 4096, 32, WHOLE)]),
        (("hipGraph_t gr; hipGraphNode_t nd; hipKernelNodeParams p{bl, nullptr, (void *)a, g};"
         " void *v[] = {&d, &n}; p.kernelParams = v;"
         " hipGraphAddKernelNode(&nd, gr, NULL, 0, &p);"), [A]),
        (("cudaStream_t s; cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);"
         " a<<<g, bl, 0, s>>>(d, n); cudaGraph_t gr; cudaStreamEndCapture(s, &gr);"), [A]),
        (("int least, block; cudaOccupancyMaxPotentialBlockSize(&least, &block, a, 0, 0);"
         " a<<<(n + block - 1) / block, block>>>(d, n);"), [("a", 1366, 768, WHOLE)]),
    ],
)  # fmt: skip
def test_through_objects_graphs_and_names(body: str, expected: list[Seen]) -> None:
    assert launches("", body) == expected


def test_a_node_of_another_kind_is_no_launch() -> None:
    body = """cudaGraph_t gr; cudaGraphNode_t nd;
    cudaGraphNodeParams p = {cudaGraphNodeTypeMemset};
    cudaGraphAddNode(&nd, gr, NULL, 0, &p);"""
    assert launches("", body) == []


def test_either_of_two_kernels_where_the_choice_depends_on_data() -> None:
    found = kernels(
        "", 'int c; scanf("%d", &c); void (*k)(float *, int) = c ? a : b; k<<<g, bl>>>(d, n);'
    )
    for name in "ab":
        (launch,) = found[name].launches
        assert launch.grid == (4096, 1, 1)
        assert not launch.certain


def test_a_kernel_assigned_in_one_of_two_branches() -> None:
    found = kernels(
        "",
        """int c; scanf("%d", &c); void (*k)(float *, int);
        if (c) k = a; else k = b;
        k<<<g, bl>>>(d, n);""",
    )
    assert [len(found[name].launches) for name in "ab"] == [1, 1]


def test_each_instantiation_has_a_prediction_of_its_own() -> None:
    body = "t<float><<<g, bl>>>(d, n); t<double><<<g, bl>>>((double *)d, n);"
    kernel = kernels("", body)["t"]
    single, double = kernel.launches
    assert (single.template_args, double.template_args) == (("float", "1"), ("double", "1"))
    assert single.prediction.sp_flops == double.prediction.dp_flops == pytest.approx(2 * 2**20)
    assert single.prediction.dp_flops == double.prediction.sp_flops == 0


def _instances(kernel: KernelReport) -> list[LaunchReport]:
    return [launch for launch in kernel.launches if launch.grid is None]


def test_an_explicit_instantiation_counts_as_a_launch_without_dimensions() -> None:
    before = """template __global__ void t<float, 77>(float *, int);
    template __global__ void t(double *, int);"""
    first, second = _instances(kernels(before, "")["t"])
    assert first.template_args == ("float", "77")
    assert second.template_args == ("double", "1")
    assert not first.certain
    assert first.block is None
    assert first.arguments == ()
    assert second.prediction.dp_flops
    assert second.prediction.sp_flops == 0


def test_an_explicit_instantiation_of_a_launched_kernel_adds_nothing() -> None:
    before = "template __global__ void t<float, 77>(float *, int);"
    assert len(kernels(before, "t<float, 4><<<g, bl>>>(d, n);")["t"].launches) == 1


def test_an_explicit_instantiation_of_a_host_function_gives_its_types() -> None:
    text = f"""{KERNELS}
    template <typename T> void run(T *x, int n) {{ t<T, sizeof(T)><<<7, 256>>>(x, n); }}
    template void run<float>(float *, int);
    template void run(double *, int);
    """
    report = analyze(text.encode(), Path("/p/lib.cu"), SETTINGS, reader=lambda _: None)
    (kernel,) = (k for k in report.kernels if k.base_name == "t")
    assert [launch.template_args for launch in kernel.launches] == [("float", "4"), ("double", "8")]
    assert [launch.grid for launch in kernel.launches] == [(7, 1, 1)] * 2
