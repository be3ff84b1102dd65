"""Bytes read and written through textures and surfaces, from host code to DRAM traffic."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_core.settings import Settings
from roofline_lsp import analyze

WIDTH, HEIGHT, DEPTH = 4096, 2048, 64
COUNT = WIDTH * HEIGHT
_1D = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
_2D = "int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;"
_LAUNCH_1D = f"<<<{COUNT // 256}, 256>>>"
_LAUNCH_2D = f"<<<dim3({WIDTH // 16}, {HEIGHT // 16}), dim3(16, 16)>>>"


def _moved(source: str, gpu: str = "A100", suffix: str = ".cu") -> tuple[float, float]:
    """Megabytes read and written by the one kernel of a source, the output ``o`` left out."""
    report = analyze(source.encode(), Path("/src/a").with_suffix(suffix), Settings(gpu=gpu))
    prediction = report.kernels[0].prediction
    assert prediction.dram_read_bytes is not None
    assert prediction.dram_write_bytes is not None
    return prediction.dram_read_bytes / 1e6, prediction.dram_write_bytes / 1e6


def _program(globals_: str, kernel: str, host: str) -> str:
    return f"""
{globals_}
{kernel}
int main() {{
  int n = {COUNT}, w = {WIDTH}, h = {HEIGHT};
  float *a, *o; cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&o, n * sizeof(float));
  {host}
}}
"""


@pytest.mark.parametrize(
    ("declaration", "binding", "per_texel"),
    [
        ("texture<float> tr;", "cudaBindTexture(0, tr, a, n * 4);", 4),
        ("texture<short, cudaTextureType1D> tr;", "cudaBindTexture(NULL, &tr, a, n * 2);", 2),
        ("texture<float4, 1, cudaReadModeElementType> tr;", "", 16),
        ("texture<unsigned char, 1, cudaReadModeNormalizedFloat> tr;", "", 1),
    ],
)
def test_references_read_their_own_elements(declaration: str, binding: str, per_texel: int) -> None:
    lane = ".x" if "float4" in declaration else ""
    kernel = f"__global__ void k(float *o) {{ {_1D} o[i] = tex1Dfetch(tr, i){lane}; }}"
    source = _program(declaration, kernel, f"{binding} k{_LAUNCH_1D}(o);")
    assert _moved(source)[0] == pytest.approx(COUNT * per_texel / 1e6, rel=0.01)


def test_a_strided_fetch_reads_what_a_strided_load_reads() -> None:
    host = f"k{_LAUNCH_1D}({{}}, o);"
    loop = "float s = 0; for (int j = 0; j < 3; j++) s += {}; o[i] = s;"
    parameters = "(cudaTextureObject_t t, float *o)", "(const float *t, float *o)"
    fetch, plain = (
        _program("", f"__global__ void k{given} {{ {_1D} {loop.format(read)} }}", call)
        for given, read, call in (
            (parameters[0], "tex1Dfetch<float>(t, 5 * i + j)", host.format("t")),
            (parameters[1], "t[5 * i + j]", host.format("t")),
        )
    )
    made = "cudaTextureObject_t t; cudaResourceDesc r = {}; r.res.linear.devPtr = b;"
    made += "cudaCreateTextureObject(&t, &r, nullptr, nullptr);"
    room = f"float *b; cudaMalloc(&b, 5L * {COUNT} * 4);"
    fetch = fetch.replace("int main() {", f"int main() {{ {room} {made}")
    plain = plain.replace("int main() {", f"int main() {{ {room} float *t = b;")
    assert _moved(fetch) == pytest.approx(_moved(plain), rel=1e-3)


@pytest.mark.parametrize("prefix", ["cuda", "hip"])
@pytest.mark.parametrize(
    ("read", "texel"),
    [
        ("tex2D<float>(t, x + 0.5f, y + 0.5f)", 4),
        ("tex2D<float>(t, (float)x, (float)y)", 4),
        ("tex2D<float2>(t, (x + 0.5f) / w, (y + 0.5f) / h).y", 8),
        ("tex2D<float>(t, (x + 0.5f) * iw, (y + 0.5f) * ih)", 4),
        ("tex2D<float>(t, (x + 0.5f) / 4096.f, y * (1 / 2048.f))", 4),
        ("tex2D<float>(t, x * (1.0f / w), y * (1.0f / h))", 4),
        ("tex2D<float>(t, x * iw - y * ih, x * ih + y * iw)", 4),
        ("tex2DLod<float>(t, x, y, 0.f)", 4),
        ("tex2DLayered<float>(t, x, y, 0)", 4),
        ("tex2Dgather<float4>(t, x, y).w", 4),
        ("at(t, x, y)", 4),
    ],
)
def test_objects_read_arrays_by_rows(prefix: str, read: str, texel: int) -> None:
    helper = "__device__ float at(TEX u, int a, int b) { return tex2D<float>(u, a, b); }"
    kernel = "__global__ void k(float *o, TEX t, int w, int h, float iw, float ih)"
    kernel += f" {{ {_2D} o[y * w + x] = {read}; }}"
    element = "float2" if texel == 8 else "float"
    host = f"""
      cudaArray_t rows; cudaChannelFormatDesc f = cudaCreateChannelDesc<{element}>();
      cudaMallocArray(&rows, &f, w, h);
      struct cudaResourceDesc r; memset(&r, 0, sizeof(r));
      r.resType = cudaResourceTypeArray; r.res.array.array = rows;
      TEX t = 0; cudaCreateTextureObject(&t, &r, NULL, NULL);
      k{_LAUNCH_2D}(o, t, w, h, 1.0f / w, 1.0f / h);"""
    source = _program("", f"{helper}\n{kernel}", host).replace("TEX", "cudaTextureObject_t")
    gpu = "A100" if prefix == "cuda" else "MI250X"
    read_mb, _ = _moved(source.replace("cuda", prefix), gpu, ".cu" if gpu == "A100" else ".hip")
    assert read_mb == pytest.approx(COUNT * texel / 1e6, rel=0.01)


def test_a_column_of_an_array_reads_a_sector_of_each_row() -> None:
    kernel = "__global__ void k(cudaTextureObject_t t, float *o) {"
    kernel += f"{_1D} o[i] = tex2D<float>(t, 7, i); }}"
    host = """cudaResourceDesc r; r.res.pitch2D.devPtr = a; r.res.pitch2D.pitchInBytes = 4 * w;
      r.res.pitch2D.width = w; r.res.pitch2D.height = h;
      cudaTextureObject_t t; cudaCreateTextureObject(&t, &r, 0, 0); k<<<h / 256, 256>>>(t, o);"""
    assert _moved(_program("", kernel, host))[0] == pytest.approx(HEIGHT * 32 / 1e6, rel=0.1)


def test_a_solid_has_slices_of_rows() -> None:
    kernel = "__global__ void k(cudaTextureObject_t t, float *o) {"
    kernel += "int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;"
    kernel += "o[x + 256 * (y + 128 * z)] = tex3D<float>(t, x, y, z) * 2.f; }"
    host = f"""cudaArray_t v;
      auto f = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
      cudaMalloc3DArray(&v, &f, make_cudaExtent(256, 128, {DEPTH}));
      cudaResourceDesc r; r.res.array.array = v;
      cudaTextureObject_t t; cudaCreateTextureObject(&t, &r, 0, 0);
      k<<<dim3(128, {DEPTH}), 256>>>(t, o);"""
    moved = 256 * 128 * DEPTH * 4 / 1e6
    assert _moved(_program("", kernel, host))[0] == pytest.approx(moved, rel=0.01)


def test_surfaces_count_columns_in_bytes() -> None:
    kernel = "__global__ void k(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {"
    kernel += f"{_2D} float v; surf2Dread(&v, from, x * 4, y);"
    kernel += "surf2Dwrite(make_float2(v, v), to, x * 8, y); }"
    read, written = _moved(_program("", kernel, f"k{_LAUNCH_2D}(1, 2);"))
    assert read == pytest.approx(COUNT * 4 / 1e6, rel=0.01)
    assert written == pytest.approx(COUNT * 8 / 1e6, rel=0.1)


def test_rows_of_an_unknown_texture_do_not_overlap() -> None:
    kernel = f"__global__ void k(cudaTextureObject_t t, float *o) {{ {_2D}"
    kernel += f"o[y * {WIDTH} + x] = tex2D<float>(t, x, y); }}"
    source = _program(
        "cudaTextureObject_t open_image();", kernel, f"k{_LAUNCH_2D}(open_image(), o);"
    )
    assert _moved(source)[0] == pytest.approx(COUNT * 4 / 1e6, rel=0.01)


@pytest.mark.parametrize("second", ["p.images[1]", "p.other"])
def test_members_are_textures_of_their_own(second: str) -> None:
    kernel = "struct P { cudaTextureObject_t images[2], other; };"
    kernel += f"__global__ void k(P p, float *o) {{ {_1D}"
    kernel += f"o[i] = tex1Dfetch<float>(p.images[0], i) + tex1Dfetch<float>({second}, i); }}"
    source = _program("", kernel, f"P p; k{_LAUNCH_1D}(p, o);")
    assert _moved(source)[0] == pytest.approx(2 * COUNT * 4 / 1e6, rel=0.01)


def test_a_fetch_that_no_loop_changes_is_read_once() -> None:
    kernel = f"__global__ void k(cudaTextureObject_t t, float *o) {{ {_1D} float s = 0;"
    kernel += "for (int j = 0; j < 100; j++) s += tex1Dfetch<float>(t, i) * j; o[i] = s; }"
    source = _program("", kernel, f"k{_LAUNCH_1D}(0, o);")
    report = analyze(source.encode(), Path("/src/a.cu"), Settings(gpu="A100"))
    prediction = report.kernels[0].prediction
    assert prediction.limiting is not None
    assert prediction.limiting.value != "latency"
    assert _moved(source)[0] == pytest.approx(COUNT * 4 / 1e6, rel=0.01)


RAYS = """
__global__ void rays(TEX(t), float *o, float3 step, float length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float at = 0, sum = 0;
  while (at < length * sum) {
    sum += FETCH;
    at += step.x;
  }
  o[i] = sum;
}
int main() {
  float *o; cudaMalloc(&o, 4 << 20);
  cudaArray_t v;
  auto f = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaMalloc3DArray(&v, &f, make_cudaExtent(128, 128, 128));
  cudaResourceDesc r; r.res.array.array = v;
  cudaTextureObject_t t; cudaCreateTextureObject(&t, &r, 0, 0);
  rays<<<(1 << 20) / 256, 256>>>(t, o, make_float3(1, 1, 1), 5);
}
"""


@pytest.mark.parametrize(
    ("fetch", "trips"),
    [("tex3D<float>(t, step.x * at, step.y * at, step.z * at)", 128), ("o[i] * 0.5f", 8)],
)
def test_a_ray_goes_through_the_whole_texture(fetch: str, trips: float) -> None:
    source = RAYS.replace("TEX(t)", "cudaTextureObject_t t").replace("FETCH", fetch)
    report = analyze(source.encode(), Path("/src/a.cu"), Settings(gpu="A100"))
    unknowns = report.kernels[0].prediction.unknowns
    (found,) = (each for each in unknowns if each.name.startswith("trips of the loop"))
    assert found.assumed == pytest.approx(trips)
