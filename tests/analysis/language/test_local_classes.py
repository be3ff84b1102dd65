"""Classes in the bodies of templates are made of the templates' parameters."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

THREADS = 1 << 20


def judged(source: str) -> tuple[KernelReport, ...]:
    path = Path("/src/k.cu")
    return analyze(source.encode(), path, Settings(gpu="A100"), reader=lambda _: None).kernels


VECTORS = """
template <typename T, int V, int N> __global__ void k(T *out, const T *in) {
  struct alignas(V * sizeof(T)) U { T data[V]; };
  U held[N / V];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = i;
  for (int j = 0; j < N / V; j++) {
    held[j] = *reinterpret_cast<const U *>(&in[(i * N / V + j) * V]);
    for (int q = 0; q < V; q++) sum *= held[j].data[q];
  }
  U all;
  for (int q = 0; q < V; q++) all.data[q] = sum * held[0].data[q];
  *reinterpret_cast<U *>(&out[i * V]) = all;
}
"""


@pytest.mark.parametrize(("element", "vector", "count"), [("float", 4, 16), ("double", 2, 8)])
def test_a_class_of_a_kernel_template(element: str, vector: int, count: int) -> None:
    (kernel,) = judged(f"""{VECTORS}
    int main() {{ {element} *a, *b; cudaMalloc(&a, 1 << 28); cudaMalloc(&b, 1 << 28);
      k<{element}, {vector}, {count}><<<{THREADS // 256}, 256>>>(a, b); }}""")
    found = kernel.prediction
    assert found.sight is not None
    assert found.sight.share == 1.0
    flops = found.dp_flops if element == "double" else found.sp_flops
    assert flops == (count + vector) * THREADS
    size = 8 if element == "double" else 4
    assert found.dram_read_bytes == pytest.approx(count * size * THREADS, rel=0.01)
    assert found.dram_write_bytes == pytest.approx(vector * size * THREADS, rel=0.01)


def test_two_instances_have_classes_of_their_own() -> None:
    (kernel,) = judged(f"""{VECTORS}
    template <typename T, int V> void run(T *a, T *b) {{ k<T, V, 8><<<4096, 256>>>(a, b); }}
    int main() {{ float *a, *b; double *c, *d; cudaMalloc(&a, 1 << 28); cudaMalloc(&b, 1 << 28);
      cudaMalloc(&c, 1 << 28); cudaMalloc(&d, 1 << 28);
      run<float, 4>(a, b); run<double, 2>(c, d); }}""")
    read = {each.template_args[0]: each.prediction.dram_read_bytes for each in kernel.launches}
    assert read == {
        "float": pytest.approx(32 * THREADS, rel=0.01),
        "double": pytest.approx(64 * THREADS, rel=0.01),
    }


def test_a_class_of_a_method_in_a_class_template() -> None:
    (kernel,) = judged("""
    template <typename T> struct Box {
      template <int N> __device__ static void put(T *o, int i) {
        struct V { T d[N]; __device__ T product() const
          { T s = d[0]; for (int q = 1; q < N; q++) s *= d[q]; return s; } };
        V v = *(V *)&o[i * N];
        o[i * N] = v.product();
      }
    };
    template <typename T> __global__ void k(T *o) {
      Box<T>::template put<4>(o, blockIdx.x * blockDim.x + threadIdx.x); }
    int main() { float *a; cudaMalloc(&a, 1 << 28); k<float><<<4096, 256>>>(a); }""")
    assert kernel.prediction.sp_flops == 3 * THREADS
    assert kernel.prediction.dram_read_bytes == pytest.approx(16 * THREADS, rel=0.01)


def test_a_class_of_a_host_template_holds_launch_dimensions() -> None:
    (kernel,) = judged("""
    template <typename T> __global__ void k(T *o) { o[threadIdx.x] = 1; }
    template <typename T, int B> void run(int n, T *o) {
      struct Config { T scale; int blocks, threads; };
      Config c; c.blocks = n / B; c.threads = B;
      k<T><<<c.blocks, c.threads>>>(o);
    }
    int main() { float *a; cudaMalloc(&a, 1 << 20); run<float, 128>(1 << 20, a); }""")
    assert (kernel.launches[0].grid, kernel.launches[0].block) == ((8192, 1, 1), (128, 1, 1))
