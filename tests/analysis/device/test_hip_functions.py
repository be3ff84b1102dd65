"""What HIP gives device code, and how wavefronts of the GPU show in a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.counting.execution import Execution, execute
from roofline_analysis.device.functions.amd_matrix import flops_of_mfma
from roofline_analysis.device.summary import summarise
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.regions.kernel_summary import AccessMode, KernelSummary, Work
from roofline_analysis.verdict.ledger import work_totals
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import make_symbol
from roofline_parsers.reading.load import load_program

PATH = Path("/src/kernel.hip")


def walked(source: str, warp_size: int = 64) -> KernelSummary:
    """The one kernel of a HIP source."""
    program = load_program([PATH], lambda path: source.encode() if path == PATH else None)
    types = TypeSystem(Symbols(program))
    (kernel,) = (f for found in types.symbols.functions.values() for f in found if f.is_kernel)
    return summarise(kernel, types, None, warp_size)


def work(source: str, warp_size: int = 64, block: int = 256, **values: int) -> dict[Work, float]:
    """Work of each kind of one thread of a full block."""
    summary = walked(source, warp_size)
    assert summary.problems == ()
    totals = work_totals(summary, run(summary, warp_size, block, **values))
    return {kind: total / block for kind, total in totals.items() if total}


def run(summary: KernelSummary, warp_size: int, block: int, **values: int) -> Execution:
    bound = {make_symbol(name, SymbolScope.PARAM): value for name, value in values.items()}
    return execute(summary.root, (1, 1, 1), (block, 1, 1), bound, warp_size)


def reads(source: str) -> list[str]:
    """The addresses that a kernel reads."""
    return [str(a.offset) for r in walked(source).root.walk() for a in r.accesses
            if a.mode is AccessMode.READ]  # fmt: skip


# -- where a thread is


@pytest.mark.parametrize(
    "index",
    [
        "hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x",
        (
            "__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x()"
            " + __builtin_amdgcn_workitem_id_x()"
        ),
        "__ockl_get_group_id(0) * __ockl_get_local_size(0) + __ockl_get_local_id(0)",
        "__ockl_get_global_id(0)",
    ],
)
def test_indices_by_all_their_names(index: str) -> None:
    plain = "__global__ void k(float *a, float *b) { int i = $; b[i] = a[i]; }"
    usual = plain.replace("$", "blockIdx.x * blockDim.x + threadIdx.x")
    assert reads(plain.replace("$", index)) == reads(usual)


@pytest.mark.parametrize(("warp_size", "steps"), [(32, 5), (64, 6)])
def test_a_reduction_over_a_wavefront_takes_its_logarithm(warp_size: int, steps: int) -> None:
    source = """
      __global__ void k(float *a) {
        float s = a[threadIdx.x];
        for (int d = warpSize / 2; d > 0; d >>= 1) s += __shfl_down(s, d);
        a[threadIdx.x] = s;
      }"""
    assert work(source, warp_size)[Work.SP] == steps


@pytest.mark.parametrize(
    "lane",
    [
        "__lane_id()",
        "__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u))",
        "threadIdx.x % __builtin_amdgcn_wavefrontsize()",
    ],
)
@pytest.mark.parametrize("warp_size", [32, 64])
def test_one_lane_of_each_wavefront(lane: str, warp_size: int) -> None:
    source = f"__global__ void k(float *a) {{ if ({lane} == 0) a[threadIdx.x] += 1.0f; }}"
    assert work(source, warp_size)[Work.SP] == 1 / warp_size


def test_a_tile_keeps_the_size_it_was_given() -> None:
    source = """
      namespace cg = cooperative_groups;
      __global__ void k(float *a) {
        auto t = cg::tiled_partition<16>(cg::this_thread_block());
        if (t.thread_rank() == 0) a[threadIdx.x] += 1.0f;
      }"""
    assert work(source)[Work.SP] == 1 / 16


@pytest.mark.parametrize("block", [100, 1000])
@pytest.mark.parametrize("warp_size", [32, 64])
def test_a_partial_wavefront_counts_for_its_threads(block: int, warp_size: int) -> None:
    summary = walked("__global__ void k(float *a) { a[threadIdx.x] += 1.0f; }")
    execution = execute(summary.root, (500, 1, 1), (block, 1, 1), {}, warp_size)
    assert work_totals(summary, execution)[Work.SP] == pytest.approx(500 * block)


# -- what passes between lanes


@pytest.mark.parametrize(
    "call",
    [
        "__builtin_amdgcn_ds_bpermute(4, v)",
        "__builtin_amdgcn_readlane(v, 3)",
        "__builtin_amdgcn_update_dpp(0, v, 0x111, 0xf, 0xf, true)",
        "__builtin_amdgcn_mov_dpp(v, 0x111, 0xf, 0xf, true)",
        "__shfl_xor(v, 1)",
        "__shfl(v, 0, 16)",
    ],
)
def test_a_value_of_another_lane_is_an_integer_that_is_not_known(call: str) -> None:
    source = f"__global__ void k(int *a) {{ int v = a[0]; if ({call} > 0) a[1] = 2; }}"
    summary = walked(source)
    assert summary.problems == ()
    (guard,) = summary.root.children
    assert any(
        s.scope is SymbolScope.DATA for c in guard.conditions if c is not None for s in c.symbols()
    )


def test_what_is_the_same_in_all_lanes_stays_known() -> None:
    source = """
      __global__ void k(float *a) {
        int wave = __builtin_amdgcn_readfirstlane(threadIdx.x / 64);
        for (int i = 0; i < wave; i++) a[threadIdx.x] += 1.0f;
      }"""
    assert work(source)[Work.SP] == (0 + 1 + 2 + 3) / 4


def test_a_ballot_has_a_bit_for_each_lane_of_64() -> None:
    def integers(call: str) -> float:
        source = f"auto m = {call}(a[0] > 0); a[1] = (m >> 3) ^ (m >> 5);"
        return work(f"__global__ void k(long *a) {{ {source} }}")[Work.INT]

    # Two shifts and the exclusive or of two registers, against those of one and its sign.
    assert integers("__ballot") - integers("__any") == 6 - (3 + 1)


# -- arithmetic


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("__builtin_amdgcn_rcpf(x)", {Work.SP: 1}),
        ("__builtin_amdgcn_sqrtf(x) + 1.0f", {Work.SP: 2}),
        ("(float)__builtin_amdgcn_rsq((double)x)", {Work.DP: 1, Work.CONVERSION: 2}),
        ("__builtin_amdgcn_fmed3f(x, 0.0f, 1.0f)", {Work.SP: 1}),
        ("__ocml_fma_f32(x, x, 1.0f)", {Work.SP: 2}),
        ("fdividef(x, 3.0f)", {Work.SP: 1}),
    ],
)
def test_instructions_of_one_precision(expression: str, expected: dict[Work, float]) -> None:
    source = f"__global__ void k(float *a) {{ float x = a[threadIdx.x]; a[0] = {expression}; }}"
    found = work(source)
    assert {kind: found.get(kind, 0) for kind in (Work.SP, Work.DP)} == {
        Work.SP: expected.get(Work.SP, 0),
        Work.DP: expected.get(Work.DP, 0),
    }


@pytest.mark.parametrize(
    ("call", "kind", "amount"),
    [
        ("__builtin_amdgcn_fdot2(h, h, 1.0f, false)", Work.HP, 4),
        ("__builtin_amdgcn_sdot4(i, i, 0, false)", Work.INT, 1),
        ("__builtin_amdgcn_ubfe(i, 3, 5)", Work.INT, 1),
    ],
)
def test_dot_products_and_bits(call: str, kind: Work, amount: float) -> None:
    plain = "__global__ void k(float *a, __half2 h, unsigned i) { a[threadIdx.x] = $; }"
    without = work(plain.replace("$", "1.0f")).get(kind, 0)
    assert work(plain.replace("$", call))[kind] - without == amount


@pytest.mark.parametrize(
    ("name", "per_wavefront"),
    [
        ("f32_32x32x1f32", 2 * 32 * 32 * 1 * 2),  # two blocks
        ("f32_4x4x4f16", 2 * 4 * 4 * 4 * 16),  # sixteen blocks
        ("f32_32x32x8f16", 2 * 32 * 32 * 8),
        ("f32_16x16x16bf16_1k", 2 * 16 * 16 * 16),
        ("f32_32x32x4bf16", 2 * 32 * 32 * 4),
        ("f64_16x16x4f64", 2 * 16 * 16 * 4),
        ("i32_16x16x32_i8", 2 * 16 * 16 * 32),
        ("f32_16x16x8_xf32", 2 * 16 * 16 * 8),
        ("f32_32x32x16_fp8_bf8", 2 * 32 * 32 * 16),
    ],
)
def test_matrix_instructions_do_what_their_names_say(name: str, per_wavefront: int) -> None:
    found = flops_of_mfma(name)
    assert found is not None
    assert found[1] * 64 == per_wavefront


def test_other_names_are_no_matrix_instructions() -> None:
    assert flops_of_mfma("f32_something") is None


@pytest.mark.parametrize(
    ("call", "kind"),
    [("mfma_f64_16x16x4f64(x, x, c, 0, 0, 0)", Work.DP),
     ("mfma_f32_16x16x4f32(f, f, c, 0, 0, 0)", Work.SP)],
)  # fmt: skip
def test_matrix_instructions_count_in_each_run_of_a_loop(call: str, kind: Work) -> None:
    source = f"""
      __global__ void k(double *a, int n) {{
        double x = a[0]; float f = 1; double c = a[1];
        for (int i = 0; i < n; i++) c = __builtin_amdgcn_{call};
        a[2] = c;
      }}"""
    assert work(source, n=10)[kind] == 10 * 2 * 16 * 16 * 4 / 64


# -- memory


@pytest.mark.parametrize(
    ("statement", "kinds"),
    [
        ("unsafeAtomicAdd(&a[i], 1.0f);", ["atomic"]),
        ("__hip_atomic_fetch_add(&a[i], 1.0f, 0, 4);", ["atomic"]),
        ("__builtin_amdgcn_global_atomic_fadd_f32(&a[i], 1.0f);", ["atomic"]),
        ("__builtin_nontemporal_store(1.0f, &a[i]);", ["write"]),
        ("a[i] = __builtin_nontemporal_load(&b[i]);", ["read", "write"]),
        ("__hip_atomic_store(&a[i], 1.0f, 0, 4);", ["write"]),
        ("a[i] = __hip_atomic_load(&b[i], 0, 4);", ["read", "write"]),
    ],
)
def test_memory_functions_touch_what_they_point_to(statement: str, kinds: list[str]) -> None:
    source = f"__global__ void k(float *a, float *b) {{ int i = threadIdx.x; {statement} }}"
    summary = walked(source)
    assert summary.problems == ()
    assert [a.mode.value for a in summary.root.accesses] == kinds
    assert {a.size_bytes for a in summary.root.accesses} == {4}


def test_a_barrier_of_the_compiler_is_a_barrier() -> None:
    assert walked("__global__ void k() { __builtin_amdgcn_s_barrier(); }").barriers == 1


def test_complex_arithmetic_by_hips_names() -> None:
    source = """
      __global__ void k(hipFloatComplex *a) {
        hipFloatComplex z = hipCmulf(a[0], a[1]);
        z = hipCaddf(z, make_hipFloatComplex(1.0f, 2.0f));
        a[2] = hipConjf(z);
      }"""
    # Two multiplications and two fused ones, then two additions.
    assert work(source)[Work.SP] == 2 + 4 + 2
