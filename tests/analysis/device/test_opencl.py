"""OpenCL kernels: indices, memory and built-in functions, counted by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.device.costs.expansions import function_cost, operator_cost
from roofline_analysis.device.functions.opencl.functions import OPENCL_FUNCTIONS
from roofline_analysis.device.summary import summarise
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.launch.binding import bind
from roofline_analysis.regions.kernel_summary import KernelSummary, MemorySpace, Work
from roofline_parsers.reading.load import load_program

Count = Callable[..., Any]
PATH = Path("/src/k.cl")


def body(
    statements: str,
    params: str = "__global float *a, __global float *b, int n",
    before: str = "",
) -> str:
    """A kernel of one statement list, ``i`` its work-item's index."""
    return f"""{before}
__kernel void k({params}) {{
  int i = get_global_id(0);
  {statements}
}}"""


def summary_of(source: str) -> KernelSummary:
    program = load_program([PATH], {PATH: source.encode()}.get)
    types = TypeSystem(Symbols(program))
    (kernel,) = (f for found in types.symbols.functions.values() for f in found if f.is_kernel)
    return summarise(kernel, types)


def offsets(source: str) -> list[str]:
    """The offsets of a kernel's accesses, in bytes."""
    return [str(a.offset) for r in summary_of(source).root.walk() for a in r.accesses]


# -- indices

SAXPY = """
__kernel void saxpy(int n, float a, __global const float *x, __global float *y) {
  int i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}"""
CUDA_SAXPY = """
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}"""


def test_saxpy_counts_as_in_cuda(count: Count) -> None:
    found = count(SAXPY, 4, 256, suffix=".cl", n=1000)
    same = count(CUDA_SAXPY, 4, 256, n=1000)
    assert found.flops == same.flops == {"sp": 2000}
    assert found.accesses == same.accesses
    assert found.integers == same.integers + 1  # the offset that a launch adds


def test_a_global_id_is_coalesced() -> None:
    (read, written) = offsets(body("a[i] = b[i];"))
    assert read == written == "4*blockIdx.x*blockDim.x + 4*threadIdx.x"


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("get_local_id(1)", "4*threadIdx.y"),
        ("get_group_id(0)", "4*blockIdx.x"),
        ("get_num_groups(2)", "4*gridDim.z"),
        ("get_local_size(0)", "4*blockDim.x"),
        ("get_enqueued_local_size(0)", "4*blockDim.x"),
        ("get_global_size(0)", "4*gridDim.x*blockDim.x"),
        ("get_global_offset(0)", "0"),
        ("get_global_id(3)", "0"),
        ("get_local_size(3)", "4"),
        ("get_sub_group_size()", "128"),
        ("get_global_linear_id()", "4*gridDim.x*blockDim.x*blockIdx.y*blockDim.y"),
    ],
)
def test_work_item_functions(index: str, expected: str) -> None:
    (offset,) = offsets(f"__kernel void k(__global float *a) {{ a[{index}] = 1.0f; }}")
    if "linear" in index:
        terms = offset.split(" + ")
        assert "4*threadIdx.x" in terms
        assert len(terms) == 6
    else:
        assert sorted(offset.split("*")) == sorted(expected.split("*"))


def test_an_index_costs_the_same_as_a_long_or_an_int(count: Count) -> None:
    narrow = count(body("a[i] = 1.0f;"), 1, 32, suffix=".cl")
    source = "__kernel void k(__global float *a) { size_t i = get_global_id(0); a[i] = 1.0f; }"
    wide = count(source, 1, 32, suffix=".cl")
    assert narrow.integers == wide.integers == 3


def test_the_demanded_block_is_a_constant_and_the_launch_s() -> None:
    source = """
    __kernel __attribute__((reqd_work_group_size(16, 8, 1)))
    void k(__global float *a) { a[get_global_id(0)] = get_local_size(1); }"""
    summary = summary_of(source)
    assert summary.required_block == (16, 8, 1)
    assert offsets(source) == ["64*blockIdx.x + 4*threadIdx.x"]
    assert bind(summary, None).block == (16, 8, 1)
    assert bind(summary, None, block=(8, 8, 1)).block == (8, 8, 1)


def test_a_launch_that_is_not_known_has_the_dimensions_of_the_indices() -> None:
    flat = bind(summary_of(body("a[i] = 1.0f;")), None)
    assert (flat.grid, flat.block) == ((4096, 1, 1), (256, 1, 1))
    source = "__kernel void k(__global float *a) { a[get_global_id(1)] = 1.0f; }"
    square = bind(summary_of(source), None)
    assert (square.grid, square.block) == ((64, 64, 1), (16, 16, 1))


# -- memory


def test_local_memory_is_not_global(count: Count) -> None:
    source = """
    __kernel void k(__global float *a, __local float *s) {
      __local float tile[64];
      int t = get_local_id(0);
      s[t] = a[get_global_id(0)];
      tile[t] = s[t];
      barrier(CLK_LOCAL_MEM_FENCE);
      a[get_global_id(0)] = s[t ^ 1] + tile[t ^ 1];
    }"""
    found = count(source, 1, 64, suffix=".cl")
    spaces = {array.name.split("@")[0]: array.space for array in found.summary.arrays}
    assert spaces == {
        "a": MemorySpace.GLOBAL,
        "s": MemorySpace.SHARED,
        "tile": MemorySpace.SHARED,
    }
    assert found.summary.shared_bytes == 256
    assert found.summary.barriers == 1
    assert found.flops == {"sp": 64}


def test_a_pointer_to_local_memory_is_no_array(count: Count) -> None:
    source = body("__local float s[32]; __local float *p = s + 1; p[0] = 1.0f; a[i] = p[0];")
    found = count(source, 1, 32, suffix=".cl")
    assert found.summary.shared_bytes == 128


def test_constant_memory() -> None:
    source = """
    __constant float scale = 2.0f;
    __constant float table[] = { 1.0f, 2.0f, 3.0f };
    __kernel void k(__global float *a, __constant float *c) {
      int i = get_global_id(0);
      a[i] = scale * c[i] * table[i];
    }"""
    arrays = {array.name: array for array in summary_of(source).arrays}
    assert {name: array.space for name, array in arrays.items()} == {
        "a": MemorySpace.GLOBAL,
        "c": MemorySpace.CONSTANT,
        "table": MemorySpace.CONSTANT,
    }
    assert arrays["c"].read_only


def test_vector_loads_and_stores_of_memory(count: Count) -> None:
    found = count(body("vstore4(vload4(i, a) * 2.0f, i, b);"), 1, 32, suffix=".cl")
    assert found.accesses == {("a", "read", 4): 128, ("b", "write", 4): 128}
    assert found.flops == {"sp": 128}
    assert offsets(body("vstore2(vload2(i, a), 0, b);"))[1] == (
        "8*blockIdx.x*blockDim.x + 8*threadIdx.x + 4"
    )


def test_half_precision_in_memory(count: Count) -> None:
    source = body("vstore_half(vload_half(i, a) + 1.0f, i, a);", "__global half *a")
    found = count(source, 1, 32, suffix=".cl")
    assert found.accesses == {("a", "read", 2): 32, ("a", "write", 2): 32}
    assert found.flops == {"sp": 32}
    assert found.work(Work.CONVERSION) == 64


def test_a_copy_by_the_work_group(count: Count) -> None:
    source = """
    __kernel void k(__global const float *a, __local float *s) {
      event_t e = async_work_group_copy(s, a + get_group_id(0) * 100, 100, 0);
      wait_group_events(1, &e);
    }"""
    found = count(source, 2, 64, suffix=".cl")
    assert found.accesses == {("a", "read", 4): 200, ("s", "write", 4): 200}


@pytest.mark.parametrize(
    "call",
    [
        "atomic_add(a, 1)",
        "atom_add(a, 1)",
        "atomic_inc(a)",
        "atomic_cmpxchg(a, 0, 1)",
        "atomic_fetch_add((volatile __global atomic_int *)a, 1)",
        "atomic_fetch_max_explicit((__global atomic_int *)a, i, memory_order_relaxed)",
    ],
)
def test_atomics(count: Count, call: str) -> None:
    found = count(body(f"{call};", "__global int *a"), 1, 32, suffix=".cl")
    assert found.accesses == {("a", "atomic", 4): 32}


def test_images() -> None:
    source = """
    __constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
    __kernel void k(__read_only image2d_t in, __write_only image2d_t out) {
      int2 at = (int2)(get_global_id(0), get_global_id(1));
      write_imagef(out, at, read_imagef(in, s, at) * 0.5f);
    }"""
    summary = summary_of(source)
    (read, written) = summary.root.accesses
    assert (read.array.name, read.mode.value, read.size_bytes) == ("in", "read", 16)
    assert (written.array.name, written.mode.value, written.size_bytes) == ("out", "write", 16)
    assert {str(s) for s in read.offset.symbols()} >= {"in.width", "threadIdx.x", "blockIdx.y"}


def test_an_image_of_which_one_channel_is_taken() -> None:
    source = """
    __kernel void k(__read_only image2d_t in, sampler_t s, __global float *a) {
      a[get_global_id(0)] = read_imagef(in, s, (int2)(get_global_id(0), 0)).x;
    }"""
    read = summary_of(source).root.accesses[0]
    assert (read.array.name, read.size_bytes) == ("in", 4)


# -- functions


@pytest.mark.parametrize(
    ("call", "flops"),
    [
        ("mad(x, x, y)", {"sp": 2}),
        ("fma(x, x, y)", {"sp": 2}),
        ("mix(x, y, 0.25f)", {"sp": 3}),
        ("clamp(x, 0.0f, 1.0f)", {}),
        ("fmin(x, y)", {}),
        ("fabs(x)", {"sp": 1}),  # to be stored
        ("fabs(x) * y", {"sp": 1}),
        ("degrees(x)", {"sp": 1}),
        ("dot((float4)(x), (float4)(y))", {"sp": 7}),  # a product, three sums with it
        ("dot((float2)(x, y), (float2)(y, 3.0f))", {"sp": 3}),
        ("native_recip(x)", {}),
        ("native_sin(x)", {"sp": 1}),
        ("half_divide(x, y)", {"sp": 1}),
    ],
)
def test_functions_of_floats(count: Count, call: str, flops: dict[str, float]) -> None:
    found = count(body(f"float x = a[i], y = b[i]; a[i] = {call};"), 1, 1, suffix=".cl")
    assert found.flops == flops


def test_smoothstep(count: Count) -> None:
    division = operator_cost("float /")
    assert division is not None
    source = body("float x = a[i], y = b[i]; a[i] = smoothstep(x, y, 0.5f);")
    assert count(source, suffix=".cl").flops == {"sp": 6 + division.sp_flops}


@pytest.mark.parametrize("name", ["sqrt", "exp", "log", "sin", "pow", "sincos"])
def test_a_function_has_the_precision_of_its_argument(count: Count, name: str) -> None:
    more = {"pow": ", x", "sincos": ", &y"}.get(name, "")
    for type_, cost in (("float", function_cost(f"{name}f")), ("double", function_cost(name))):
        source = body(
            f"{type_} x = a[i], y; a[i] = {name}(x{more});", f"__global {type_} *a, int n"
        )
        found = count(source, 1, 1, suffix=".cl")
        assert cost is not None
        wanted = {"sp": cost.sp_flops, "dp": cost.dp_flops}
        assert found.flops == {kind: value for kind, value in wanted.items() if value}


def test_double_literals_make_double_arithmetic(count: Count) -> None:
    assert count(body("a[i] = b[i] * 0.1;"), 1, 1, suffix=".cl").flops == {"dp": 1}
    assert count(body("a[i] = b[i] * 0.5f;"), 1, 1, suffix=".cl").flops == {"sp": 1}


def test_geometry_of_vectors(count: Count) -> None:
    params = "__global float4 *a, __global float4 *b"
    root, inverse = function_cost("sqrtf"), function_cost("rsqrtf")
    assert root is not None
    assert inverse is not None
    for call, flops in (
        ("a[i].x = dot(a[i], b[i])", 7),
        ("a[i] = cross(a[i], b[i])", 9),
        ("a[i].x = length(a[i])", 7 + root.sp_flops),
        ("a[i].x = distance(a[i], b[i])", 11 + root.sp_flops),
        ("a[i] = normalize(a[i])", 11 + inverse.sp_flops),
    ):
        assert count(body(f"{call};", params), 1, 1, suffix=".cl").flops == {"sp": flops}


@pytest.mark.parametrize(
    ("call", "operations"),
    [
        ("rotate(x, 7u)", 1),
        ("rotate(x, y)", 2),
        ("popcount(x)", 1),
        ("mul24(x, y)", 1),
        ("mad24(x, y, x)", 1),
        ("mul_hi(x, y)", 1),
        ("max(x, y)", 1),
        ("hadd(x, y)", 3),
        ("abs_diff(x, y)", 2),
        ("bitselect(x, y, 3u)", 1),
    ],
)
def test_functions_of_integers(count: Count, call: str, operations: float) -> None:
    params = "__global uint *a, __global uint *b"
    plain = count(body("uint x = a[i], y = b[i]; a[i] = x; b[i] = y;", params), suffix=".cl")
    found = count(body(f"uint x = a[i], y = b[i]; a[i] = {call}; b[i] = y;", params), suffix=".cl")
    assert found.integers - plain.integers == operations


def test_reinterpretation_and_conversion(count: Count) -> None:
    params = "__global float4 *a, __global int4 *b"
    free = count(body("b[i] = as_int4(a[i]);", params), 1, 1, suffix=".cl")
    assert free.work(Work.CONVERSION) == 0
    found = count(body("b[i] = convert_int4_sat_rte(a[i]);", params), 1, 1, suffix=".cl")
    assert found.work(Work.CONVERSION) == 4
    assert found.accesses == {("a", "read", 16): 1, ("b", "write", 16): 1}


def test_the_program_s_own_functions_come_first(count: Count) -> None:
    own = "float mix(float x, float y, float t) { return x + y; }\n"
    found = count(body("a[i] = mix(a[i], b[i], 0.5f);", before=own), 1, 1, suffix=".cl")
    assert found.flops == {"sp": 1}


def test_a_function_takes_a_pointer_to_local_memory(count: Count) -> None:
    own = "float first(__local const float *p) { return p[0] + p[1]; }\n"
    source = body("__local float s[32]; s[i] = a[i]; a[i] = first(s);", before=own)
    found = count(source, 1, 32, suffix=".cl")
    assert found.accesses["s", "read", 4] == 64
    assert found.flops == {"sp": 32}


def test_reductions_of_a_work_group(count: Count) -> None:
    found = count(body("a[i] = work_group_reduce_add(b[i]);"), 1, 64, suffix=".cl")
    assert found.flops == {"sp": 640}
    assert found.summary.barriers == 2
    found = count(body("a[i] = sub_group_reduce_add(b[i]);"), 1, 64, suffix=".cl")
    assert found.flops == {"sp": 320}
    assert found.summary.barriers == 0


@pytest.mark.parametrize(
    "name",
    (
        "get_global_id barrier vload16 vstore3 vloada_half3 vstore_half4_rtz convert_uchar16_sat"
        " convert_half as_ulong atom_cmpxchg atomic_compare_exchange_strong_explicit native_powr"
        " half_rsqrt lgamma_r remquo sincos fract modf frexp ldexp select isordered bitselect"
        " read_imageui write_imagef get_image_dim work_group_scan_inclusive_max"
        " sub_group_broadcast async_work_group_strided_copy prefetch shuffle2 upsample ctz"
    ).split(),
)
def test_functions_are_known(name: str) -> None:
    assert name in OPENCL_FUNCTIONS


def test_nothing_is_unknown_in_ordinary_kernels() -> None:
    source = """
    __kernel void k(__global float4 *a, __global const uint *b, __local float *s, int n) {
      const uint g = get_global_id(0), l = get_local_id(0), w = get_local_size(0);
      float4 v = a[g];
      float c;
      float t = sincos(v.x, &c) + ldexp(v.y, 2) + fract(v.z, &c) + isnan(v.w);
      s[l] = t;
      for (uint k = w / 2; k > 0; k >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < k) s[l] += s[l + k];
      }
      if (any(v > 0.5f) || all(isless(v, (float4)(0.0f)))) a[g] = select(v, v.wzyx, v < v.yxwz);
      a[n] = as_float4(rotate(as_uint4(v), (uint4)(b[g])));
    }"""
    assert summary_of(source).problems == ()


# -- types that only the build says


def test_a_type_that_no_source_defines_is_a_float_and_named() -> None:
    found = summary_of(body("T x = b[i]; a[i] = x * x;", "__global T *a, __global const T *b"))
    assert found.unknown_sizes == {"T": 4}
    assert [str(a.offset) for r in found.root.walk() for a in r.accesses] == offsets(
        body("float x = b[i]; a[i] = x * x;", "__global float *a, __global const float *b")
    )


def test_a_type_of_a_header_that_was_not_found_stays_unknown() -> None:
    found = summary_of(body("a[i].x = 0;", "__global Particle *a", before='#include "particle.h"'))
    assert any(r.unseen for r in found.root.walk())


def test_a_class_without_a_definition_stays_unknown() -> None:
    found = summary_of(body("a[i].x = 0;", "__global struct particle *a"))
    assert any(r.unseen for r in found.root.walk())


def test_images_and_defined_types_are_what_they_are() -> None:
    found = summary_of(
        body(
            "a[i] = read_imagef(b, (int2)(i, 0)).x;",
            "__global real *a, read_only image2d_t b",
            before="typedef double real;",
        )
    )
    assert found.unknown_sizes == {}


def test_a_kernel_that_another_calls_is_walked() -> None:
    source = """
      __kernel void clear(__global int *a, int n) {
        int i = get_global_id(0);
        if (i < n) a[i] = 0; }
      __kernel void both(__global int *a, int n, __global int *b, int m) {
        clear(a, n);
        clear(b, m); }"""
    program = load_program([PATH], {PATH: source.encode()}.get)
    types = TypeSystem(Symbols(program))
    (kernel,) = types.symbols.functions["both"]
    found = summarise(kernel, types)
    stored = [a.array.name for r in found.root.walk() for a in r.accesses]
    assert stored == ["a", "b"]
    assert not any(r.unseen for r in found.root.walk())


# -- what the host's build defines


def test_a_macro_that_nothing_defines_is_one_number() -> None:
    source = body(
        "for (int j = get_local_id(0); j < COUNT; j += GROUP) a[get_group_id(0) * COUNT + j] = 1;"
    )
    (offset,) = offsets(source)
    assert {frozenset(term.split("*")) for term in offset.split(" + ")} == {
        frozenset(("4", "threadIdx.x")),
        frozenset(("4", "trip#1", "GROUP")),
        frozenset(("4", "blockIdx.x", "COUNT")),
    }


@pytest.mark.parametrize(
    ("shape", "block"), [("64, 1, 1", (64, 1, 1)), ("GROUP, 1, 1", None), ("0, 1, 1", None)]
)
def test_a_work_group_of_unknown_size_is_none(
    shape: str, block: tuple[int, int, int] | None
) -> None:
    source = f"""__kernel __attribute__((reqd_work_group_size({shape})))
      void k(__global float *x) {{ x[get_global_id(0)] = 1; }}"""
    assert summary_of(source).required_block == block
