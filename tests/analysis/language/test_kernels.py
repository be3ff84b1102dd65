"""What the language means for whole kernels: bytes, operations and trips, nothing assumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

N = 1 << 20
LAUNCH = "k<<<N / 256, 256>>>"
INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def kernels(source: str) -> dict[str, KernelReport]:
    path = Path("/src/kernel.cu")
    text = f"#define N {N}\n{source}"
    report = analyze(text.encode(), path, Settings(gpu="A100"), reader=lambda _: None)
    return {kernel.base_name: kernel for kernel in report.kernels}


def the_kernel(source: str) -> KernelReport:
    (kernel,) = kernels(source).values()
    return kernel


def assumed(kernel: KernelReport) -> list[str]:
    return [unknown.name for unknown in kernel.prediction.unknowns]


@pytest.mark.parametrize(
    "element",
    [
        "template <class T, int M> struct V { T v[M]; }; typedef V<double, 4> E;",
        """template <class T> struct B { T x, y; };
        template <class T> struct D : B<T> { T z, w; }; using E = D<double>;""",
        """template <class T> struct V; template <> struct V<int> { char c; };
        template <class T> struct V<T *> { T v[4]; }; typedef V<double *> E;""",
        "struct __attribute__((packed)) E { char tag[31]; char last; };",
    ],
)
def test_a_copied_class_moves_all_its_bytes(element: str) -> None:
    kernel = the_kernel(f"""{element}
        __global__ void k(E *out, const E *in) {{ {INDEX} out[i] = in[i]; }}
        int main() {{ E *a, *b; cudaMalloc(&a, N * sizeof(E)); cudaMalloc(&b, N * sizeof(E));
          {LAUNCH}(a, b); }}""")
    assert kernel.prediction.dram_read_bytes == pytest.approx(32 * N, rel=0.001)
    assert assumed(kernel) == []


def test_parameters_of_one_name_in_a_class_and_a_kernel() -> None:
    kernel = the_kernel(f"""template <class T> struct P {{ T x; T y; }};
        template <class T> __global__ void k(T *o, const P<double> *in)
        {{ {INDEX} o[i] = in[i].x + in[i].y; }}
        int main() {{ float *o; P<double> *in; cudaMalloc(&o, 4 * N); cudaMalloc(&in, 16 * N);
          k<float><<<N / 256, 256>>>(o, in); }}""")
    assert kernel.prediction.dp_flops == pytest.approx(N)
    assert kernel.prediction.dram_read_bytes == pytest.approx(16 * N, rel=0.001)


def test_specialisations_of_a_function_template_by_number() -> None:
    found = kernels(f"""template <int D> __device__ float p(float x);
        template <> __device__ float p<1>(float x) {{ return x * 2.f; }}
        template <> __device__ float p<3>(float x) {{ return x * x * x * 2.f; }}
        template <int D> __device__ float via(float x) {{ return p<D>(x); }}
        __global__ void one(float *x) {{ {INDEX} x[i] = via<1>(x[i]); }}
        __global__ void three(float *x) {{ {INDEX} x[i] = via<3>(x[i]); }}
        int main() {{ float *x; cudaMalloc(&x, 4 * N); one<<<N / 256, 256>>>(x);
          three<<<N / 256, 256>>>(x); }}""")
    assert found["one"].prediction.sp_flops == pytest.approx(N)
    assert found["three"].prediction.sp_flops == pytest.approx(3 * N)


@pytest.mark.parametrize(
    "trips",
    [
        "P<float>::size",
        "PF::size",
        "R::size",
        "int(sizeof(int4) / sizeof(float))",
        "Inherits::size",
        "Enumerated<float>::size",
    ],
)
def test_trips_by_constants_of_classes(trips: str) -> None:
    kernel = the_kernel(f"""
        template <class T> struct P {{ static constexpr int size = 16 / sizeof(T); }};
        struct R {{ static constexpr int size = 4; }};
        template <class T> struct Enumerated {{ enum {{ size = 16 / sizeof(T) }}; }};
        struct Inherits : P<float> {{}};
        typedef P<float> PF;
        __global__ void k(const float *a, float *b) {{ {INDEX} float s = 0;
          for (int j = 0; j < {trips}; j++) s += a[i * 4 + j]; b[i] = s; }}
        int main() {{ float *a, *b; cudaMalloc(&a, 16 * N); cudaMalloc(&b, 4 * N);
          {LAUNCH}(a, b); }}""")
    assert kernel.prediction.sp_flops == pytest.approx(4 * N, rel=0.3)
    assert kernel.prediction.dram_read_bytes == pytest.approx(16 * N, rel=0.001)
    assert assumed(kernel) == []


def test_an_enumeration_as_argument_decides_a_branch() -> None:
    source = """typedef enum {{ FIRST, SECOND }} mode;
        __global__ void k(float *x, mode m) {{ int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (m == SECOND) x[i] = x[i] * 3.f; else x[i] = x[i] * x[i] * x[i] * x[i]; }}
        int main() {{ float *x; cudaMalloc(&x, 4 * N); mode m = {mode};
          k<<<N / 256, 256>>>(x, m); }}"""
    assert the_kernel(source.format(mode="SECOND")).prediction.sp_flops == pytest.approx(N)
    assert the_kernel(source.format(mode="FIRST")).prediction.sp_flops == pytest.approx(3 * N)


def test_the_size_of_a_table_without_a_bound() -> None:
    kernel = the_kernel(f"""__global__ void k(float *x) {{ {INDEX}
          static const float a[] = {{1, 2, 3, 4, 5, 6}};
          float s = x[i]; for (int j = 0; j < sizeof(a) / sizeof(float); j++) s *= a[j];
          x[i] = s; }}
        int main() {{ float *x; cudaMalloc(&x, 4 * N); {LAUNCH}(x); }}""")
    assert kernel.prediction.sp_flops == pytest.approx(6 * N)
    assert assumed(kernel) == []


def test_a_pointer_to_an_array_by_its_typedef() -> None:
    kernel = the_kernel("""typedef double plane[64][64];
        __global__ void k(double p[][64][64]) { p[blockIdx.x][threadIdx.y][threadIdx.x] = 1.0; }
        int main() { plane *d; cudaMalloc((void **)&d, 1000 * sizeof(plane));
          k<<<1000, dim3(64, 16)>>>(d); }""")
    # 16 rows of 64 numbers in each of 1,000 planes; what the L2 keeps may never reach DRAM.
    assert kernel.prediction.dram_write_bytes is not None
    assert 0 < kernel.prediction.dram_write_bytes <= 1000 * 16 * 64 * 8 * 1.01
    assert assumed(kernel) == []


def test_a_size_that_is_not_known_is_named() -> None:
    kernel = the_kernel(f"""struct Later;
        __global__ void k(Later *out, const Later *in) {{ {INDEX} out[i] = in[i]; }}
        int main() {{ Later *a, *b; {LAUNCH}(a, b); }}""")
    assert "sizeof(Later)" in assumed(kernel)
