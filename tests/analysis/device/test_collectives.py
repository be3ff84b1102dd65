"""Cooperative groups, CUB's block primitives and matrix fragments in kernels."""

from __future__ import annotations

import re
from typing import Any

import pytest

from roofline_analysis.regions.kernel_summary import Work

BLOCK, BLOCKS = 64, 4
THREADS = BLOCK * BLOCKS
GROUPS = "namespace cg = cooperative_groups;\n"


def kernel(body: str, params: str = "float *x, int n", before: str = "") -> str:
    return f"{GROUPS}{before}__global__ void k({params}) {{ {body} }}"


@pytest.mark.parametrize(
    ("made", "trips"),
    [
        ("auto g = cg::tiled_partition<16>(cg::this_thread_block()); int m = g.size();", 16),
        ("cg::thread_block_tile<8> g = cg::tiled_partition<8>(b); int m = g.num_threads();", 8),
        ("auto g = cg::tiled_partition(b, 4); int m = g.size();", 4),
        ("auto g = cg::coalesced_threads(); int m = g.size();", 32),
        ("auto g = cg::tiled_partition<16>(b); int m = g.meta_group_size();", 4),
        ("int m = b.group_dim().x;", 64),
        ("int m = cg::this_grid().num_blocks();", 4),
        ("auto g = cg::this_grid(); int m = g.size();", THREADS),
    ],
)
def test_extents_of_groups(count: Any, made: str, trips: int) -> None:
    body = f"cg::thread_block b = cg::this_thread_block(); {made}"
    found = count(
        kernel(f"{body} float s = x[0]; for (int i = 0; i < m; i++) s = s * s + 1.0f; x[1] = s;"),
        BLOCKS,
        BLOCK,
        n=1,
    )
    assert found.flops == {"sp": 2 * trips * THREADS}


@pytest.mark.parametrize(
    ("index", "stores"),
    [
        ("cg::tiled_partition<16>(b).thread_rank()", THREADS // 16),
        ("cg::tiled_partition<16>(b).meta_group_rank()", 16 * BLOCKS),
        ("b.thread_rank()", BLOCKS),
        ("b.thread_index().x", BLOCKS),
        ("b.group_index().x", BLOCK),
        ("cg::this_grid().thread_rank()", 1),
    ],
)
def test_ranks_in_groups(count: Any, index: str, stores: int) -> None:
    body = f"cg::thread_block b = cg::this_thread_block(); if ({index} == 0) x[threadIdx.x] = 1.0f;"
    found = count(kernel(body), BLOCKS, BLOCK, n=1)
    assert found.accesses == {("x", "write", 4): pytest.approx(stores)}


@pytest.mark.parametrize(
    ("tile", "type", "work"),
    [
        (32, "float", {"sp": 5 * THREADS}),
        (16, "float", {"sp": 4 * THREADS}),
        (32, "double", {"dp": 5 * THREADS}),
    ],
)
def test_reductions_over_a_group(count: Any, tile: int, type: str, work: dict[str, float]) -> None:
    body = f"""auto g = cg::tiled_partition<{tile}>(cg::this_thread_block());
    {type} s = cg::reduce(g, x[threadIdx.x], cg::plus<{type}>());
    cg::sync(g);
    if (g.thread_rank() == 0) x[0] = s;"""
    found = count(kernel(body, f"{type} *x, int n"), BLOCKS, BLOCK, n=1)
    assert found.flops == work
    assert found.summary.problems == ()


def test_a_program_s_own_function_of_such_a_name_is_followed(count: Any) -> None:
    before = "__device__ float reduce(float a, float b) { return a * b; }\n"
    found = count(kernel("x[0] = reduce(x[1], x[2]);", before=before), BLOCKS, BLOCK, n=1)
    assert found.flops == {"sp": THREADS}


def test_a_copy_shared_by_a_block(count: Any) -> None:
    body = """__shared__ float s[64];
    auto b = cg::this_thread_block();
    cg::memcpy_async(b, s, x + blockIdx.x * 64, sizeof(float) * b.size());
    cg::wait(b);
    x[threadIdx.x] = s[threadIdx.x];"""
    found = count(kernel(body), BLOCKS, BLOCK, n=1)
    assert found.accesses["x", "read", 4] == THREADS
    assert found.accesses["s", "write", 4] == THREADS


@pytest.mark.parametrize(
    ("vote", "condition"),
    [
        ("__any_sync(~0u, v)", "v"),
        ("__all_sync(~0u, v)", "v"),
        ("__any_sync(~0u, v > 3)", "v > 3"),
        ("__all(v > 3 && v < 9)", "v > 3 && v < 9"),
        ("cg::tiled_partition<32>(cg::this_thread_block()).any(v > 3)", "v > 3"),
    ],
)
def test_a_vote_costs_the_comparison_that_it_is_by(count: Any, vote: str, condition: str) -> None:
    """Voting is no integer operation, and its result is a predicate as that of a comparison is."""

    def integers(tested: str) -> float:
        body = f"int v = in[blockIdx.x]; if ({tested}) x[0] = 1;"
        params = "const int *in, int *x"
        return float(count(kernel(body, params), BLOCKS, BLOCK).work(Work.INT))

    assert integers(vote) == integers(condition) > integers("true")


@pytest.mark.parametrize("vote", ["__ballot_sync(~0u, v)", "__syncthreads_count(v)"])
def test_a_count_of_votes_costs_one_comparison(count: Any, vote: str) -> None:
    def integers(stored: str) -> float:
        body = f"int v = in[blockIdx.x]; x[0] = {stored};"
        params = "const int *in, int *x"
        return float(count(kernel(body, params), BLOCKS, BLOCK).work(Work.INT))

    assert integers(vote) == integers("v") + THREADS


IN_WARP = (31 + 30 + 28 + 24 + 16) / 32
SPELLINGS = [
    (
        "typedef cub::BlockReduce<float, 64> R; __shared__ typename R::TempStorage t;"
        " float s = R(t).Sum(x[threadIdx.x]);"
    ),
    (
        "using R = hipcub::BlockReduce<float, 64>; __shared__ R::TempStorage t; R r(t);"
        " float s = r.Reduce(x[threadIdx.x], cub::Max());"
    ),
    (
        "__shared__ cub::BlockReduce<float, 64>::TempStorage t;"
        " float s = cub::BlockReduce<float, 64>(t).Sum(x[threadIdx.x]);"
    ),
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_block_s_reduction(count: Any, spelling: str) -> None:
    found = count(kernel(f"{spelling} if (threadIdx.x == 0) x[0] = s;"), BLOCKS, BLOCK, n=1)
    # Five steps within a warp, in each of which 1, 2, 4 .. lanes have no partner, and one addition
    # for the second warp by one of 64 threads.
    assert found.flops == {"sp": pytest.approx((IN_WARP + 1 / 64) * THREADS)}
    assert found.summary.problems == ()


OPERATORS = """
struct Pair { float a, b; };
template <int N> __device__ Pair merged(const Pair &x, const Pair &y) {
  Pair r = x; for (int i = 0; i < N; i++) { r.a = r.a * y.a + y.b; r.b += x.b; } return r;
}
struct Merge { __device__ Pair operator()(const Pair &x, const Pair &y) const {
  return merged<4>(x, y); } };
"""


@pytest.mark.parametrize(
    "given",
    [
        "merged<4>",
        "Merge()",
        "m",
        "[](const Pair &x, const Pair &y) { return merged<4>(x, y); }",
    ],
)
@pytest.mark.parametrize(("threads", "times"), [(32, IN_WARP), (64, IN_WARP + 1 / 64)])
def test_an_operator_of_the_program_is_run_in_each_step(
    count: Any, given: str, threads: int, times: float
) -> None:
    """Four times a fused multiply-add and an addition, which no step knows the numbers of."""
    body = f"""typedef cub::BlockReduce<Pair, {threads}> R; __shared__ typename R::TempStorage t;
      Merge m; Pair p = {{x[threadIdx.x], x[threadIdx.x + 64]}};
      Pair s = R(t).Reduce(p, {given}); if (threadIdx.x == 0) x[0] = s.a + s.b;"""
    found = count(kernel(body, before=OPERATORS), 1, threads, n=1)
    assert found.flops == {"sp": pytest.approx(times * threads * 4 * 3 + 1)}
    assert found.summary.problems == ()


def test_an_operator_of_the_program_is_run_in_a_scan(count: Any) -> None:
    body = """typedef cub::BlockScan<float, 32> S; __shared__ typename S::TempStorage t;
      float y; S(t).InclusiveScan(x[threadIdx.x], y,
        [](float a, float b) { return a * b * 0.5f; }); x[threadIdx.x] = y;"""
    found = count(kernel(body), 1, 32, n=1)
    assert found.flops == {"sp": 2 * (5 + 1) * 32}


def test_a_warp_s_reduction_of_template_size(count: Any) -> None:
    source = kernel(
        "typedef cub::WarpReduce<double, W> R; __shared__ typename R::TempStorage t;"
        " double s = R(t).Sum(x[threadIdx.x]); if (threadIdx.x == 0) x[0] = s;",
        "double *x",
        "template <int W> ",
    )
    found = count(source, BLOCKS, BLOCK, {"W": 8})
    assert found.flops == {"dp": (7 + 6 + 4) / 8 * THREADS}


def test_a_scan_writes_its_outputs(count: Any) -> None:
    body = """typedef cub::BlockScan<float, 64> S; __shared__ typename S::TempStorage t;
    float v = x[threadIdx.x], total;
    S(t).ExclusiveSum(v, v, total);
    x[threadIdx.x] = v * total;"""
    found = count(kernel(body), BLOCKS, BLOCK, n=1)
    # One warp adds two numbers in each lane, scans the sums, and adds these to the two; and one
    # multiplication.
    assert found.flops == {"sp": pytest.approx(((1 + IN_WARP + 2) / 2 + 1) * THREADS)}


COUNTED = [
    ("BlockReduce<float, 128>", "Sum(v)", (1.09, 4.05)),
    ("BlockReduce<float, 1024>", "Sum(v)", (1.09, 4.06)),
    ("BlockReduce<float, 256>", "Reduce(v, cub::Max())", (8.09, None)),
    ("BlockReduce<float, 256>", "Reduce(v, cub::Max(), n)", (10.09, None)),
    ("WarpReduce<float>", "Sum(v)", (0.94, 3.56)),
    ("BlockScan<float, 128>", "ExclusiveSum(v, s)", (7.0, 2.76)),
    ("BlockScan<float, 256>", "InclusiveSum(v, s)", (4.38, 2.38)),
    ("BlockScan<float, 1024>", "InclusiveSum(v, s)", (4.06, 2.09)),
]


@pytest.mark.parametrize(("primitive", "call", "counted"), COUNTED)
def test_operations_of_primitives_as_machine_code_has_them(
    count: Any, primitive: str, call: str, counted: tuple[float, float | None]
) -> None:
    """Operations of a thread, INT and SP, that nvcc 13.0's code of CUB's executes, emulated."""
    threads = int(primitive.partition(", ")[2].rstrip(">") or 256)
    stored = "float s" + ("" if "Scan" in primitive else f" = P(t).{call}") + ";"
    body = f"typedef cub::{primitive} P; __shared__ typename P::TempStorage t; float v = x[0];"
    called = f" {stored} {'P(t).' + call + ';' if 'Scan' in primitive else ''} x[threadIdx.x] = s;"
    found = count(kernel(f"{body} {called}"), 1, threads, n=threads)
    plain = count(kernel("x[threadIdx.x] = x[0];"), 1, threads, n=threads)
    integers = (found.work(Work.INT) - plain.work(Work.INT)) / threads
    assert integers == pytest.approx(counted[0], rel=0.3)
    if counted[1] is not None:
        assert found.flops["sp"] / threads == pytest.approx(counted[1], rel=0.15)


@pytest.mark.parametrize("algorithm", ["", ", cub::BLOCK_LOAD_STRIPED"])
def test_loads_and_stores_through_primitives(count: Any, algorithm: str) -> None:
    body = f"""using L = cub::BlockLoad<float, 64, 4{algorithm}>;
    using S = cub::BlockStore<float, 64, 4>;
    __shared__ typename L::TempStorage lt; __shared__ typename S::TempStorage st;
    float items[4];
    L(lt).Load(x + blockIdx.x * 256, items);
    for (int i = 0; i < 4; i++) items[i] = items[i] * 2.0f;
    S(st).Store(y + blockIdx.x * 256, items);"""
    found = count(kernel(body, "const float *x, float *y"), BLOCKS, BLOCK)
    assert found.accesses == {("x", "read", 4): 4 * THREADS, ("y", "write", 4): 4 * THREADS}
    assert found.flops == {"sp": 4 * THREADS}


@pytest.mark.parametrize(("type", "passes"), [("int", 8), ("unsigned long long", 16)])
def test_a_block_s_radix_sort_goes_over_the_key_s_digits(
    count: Any, type: str, passes: int
) -> None:
    body = f"""using R = cub::BlockRadixSort<{type}, 64, 2>; __shared__ typename R::TempStorage t;
    {type} keys[2];
    R(t).Sort(keys);"""
    found = count(kernel(body), BLOCKS, BLOCK, n=1)
    assert found.work(Work.INT) == pytest.approx(20 * 2 * passes * THREADS)


MATRIX = """using namespace nvcuda;
wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
wmma::fill_fragment(c, 0.0f);
for (int i = 0; i < 8; i++) {
  wmma::load_matrix_sync(a, x + 16 * i, 128);
  wmma::load_matrix_sync(b, y + 16 * i, 128);
  wmma::mma_sync(c, a, b, c);
}
for (int i = 0; i < c.num_elements; i++) c.x[i] = c.x[i] * 2.0f;
wmma::store_matrix_sync(z, c, 16, wmma::mem_row_major);
"""


@pytest.mark.parametrize("declared", [r"\g<0>", r"auto \2 = \1()"])
def test_matrix_fragments(count: Any, declared: str) -> None:
    body = re.sub(r"(wmma::fragment<[^>]*>) (\w)", declared, MATRIX)
    found = count(kernel(body, "const half *x, const half *y, float *z"), 1, 32)
    assert found.work(Work.TENSOR) == 8 * 2 * 16**3
    assert found.flops == {"sp": 16 * 16}
    # A thread's share: 8 halves of a row at a time, 8 floats of the result.
    assert found.accesses == {
        ("x", "read", 16): 8 * 32,
        ("y", "read", 16): 8 * 32,
        ("z", "write", 32): 32,
    }
    assert found.summary.problems == ()


def test_fragments_in_arrays_have_their_elements(count: Any) -> None:
    body = """using namespace nvcuda;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++)
      wmma::load_matrix_sync(c[i][j], z + 16 * i, 64, wmma::mem_row_major);
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++)
      for (int t = 0; t < c[i][j].num_elements; t++) c[i][j].x[t] *= alpha;
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(z + 16 * i, c[i][j], 64, wmma::mem_row_major);
    """
    found = count(kernel(body, "float *z, float alpha"), 1, 32)
    assert found.flops == {"sp": 4 * 16 * 16}
    assert found.unseen == []


def test_fragments_of_tf32_lie_in_memory_as_floats(count: Any) -> None:
    body = """using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
    wmma::load_matrix_sync(a, x, 8);
    for (int t = 0; t < a.num_elements; t++) a.x[t] = wmma::__float_to_tf32(a.x[t]);
    z[threadIdx.x] = a.x[0];
    """
    found = count(kernel(body, "const float *x, float *z"), 1, 32)
    assert found.accesses[("x", "read", 16)] == 32
    assert found.unseen == []


def test_functions_of_the_runtime_in_kernels_do_no_work_of_their_own(count: Any) -> None:
    body = """if (threadIdx.x == 0) cudaGraphSetConditional(handle, 1);
    cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); cudaStreamDestroy(s);
    x[threadIdx.x] = 1;"""
    params = "float *x, cudaGraphConditionalHandle handle"
    found = count(kernel(body, params), BLOCKS, BLOCK)
    assert found.unseen == []
    assert found.flops == {}
