"""Inline assembly of NVIDIA's GPUs: what its instructions load, store and compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.functions.inline_ptx import instructions
from roofline_analysis.regions.kernel_summary import Work
from roofline_analysis.regions.unseen import UnseenKind

Count = Callable[..., Any]


def kernel(statements: str, params: str = "float *a, const float *b, unsigned *c") -> str:
    return f"""
    __global__ void k({params}) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float x; double d; unsigned u; unsigned long long w; uint4 v;
      {statements}
    }}"""


LOAD_OF_FOUR = """asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
  : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(b + 4 * i));"""
STORE_BY_A_REGISTER = """asm volatile(
  "{ .reg .u64 p; cvta.to.global.u64 p, %0; st.global.f32 [p], %1; }" :: "l"(a + i), "f"(1.0f));"""
STORE_WITH_A_GUARD = r"""asm volatile("{\n\t.reg .pred p;\n\t"
  "setp.ne.b32 p, %0, 0;\n\t@p st.global.b32 [%1], %0;\n}" :: "r"(i), "l"(c));"""
SHARED = "__shared__ float s[128]; unsigned t = __cvta_generic_to_shared(s + threadIdx.x);"
COPY = (
    SHARED
    + """asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
  :: "r"(t), "l"(b + i));"""
)
COPY_BY_AN_OPERAND = (
    SHARED
    + """asm volatile("cp.async.cg.shared.global [%0], [%1], %2;"
  :: "r"(t), "l"(b), "n"(16));"""
)
SWAP = """asm("atom.global.cas.b64 %0, [%1], %2, %3;" : "=l"(w) : "l"(c), "l"(w), "l"(w));"""


@pytest.mark.parametrize(
    ("statement", "access"),
    [
        ('asm("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(b + i));', ("b", "read", 4)),
        (LOAD_OF_FOUR, ("b", "read", 16)),
        ('asm("ld.global.v2.f64 {%0, %0}, [%1+16];" : "=d"(d) : "l"(b));', ("b", "read", 16)),
        ('asm volatile("st.global.cs.u16 [%0], %1;" :: "l"(a + i), "h"(3));', ("a", "write", 2)),
        (STORE_BY_A_REGISTER, ("a", "write", 4)),
        (STORE_WITH_A_GUARD, ("c", "write", 4)),
        ('asm volatile("red.global.add.f32 [%0], %1;" :: "l"(a), "f"(1.0f));', ("a", "atomic", 4)),
        (SWAP, ("c", "atomic", 8)),
        (COPY, ("b", "read", 4)),
        (COPY_BY_AN_OPERAND, ("b", "read", 16)),
    ],
)
def test_accesses(statement: str, access: tuple[str, str, int], count: Count) -> None:
    found = count(kernel(statement), 2, 64)
    assert found.accesses[access] == 128
    assert not found.unseen


MATRICES = """asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1}, {%1}, {%0};"
  : "+f"(x) : "r"(u));"""
DOUBLE_MATRICES = """asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0}, {%1}, {%1}, {%0};"
  : "+d"(d) : "d"(1.0));"""
WARP_GROUP = """asm("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0}, %1, %1, p, 1, 1;"
  : "+f"(x) : "l"(w));"""


@pytest.mark.parametrize(
    ("statement", "kind", "each"),
    [
        ('asm("fma.rn.f32 %0, %1, %1, %1;" : "=f"(x) : "f"(b[i]));', Work.SP, 2),
        ('asm("add.rn.ftz.f32 %0, %1, %1;" : "=f"(x) : "f"(b[i]));', Work.SP, 1),
        ('asm("fma.rn.f64 %0, %1, %1, %1;" : "=d"(d) : "d"(1.0));', Work.DP, 2),
        ('asm("fma.rn.f16x2 %0, %1, %1, %1;" : "=r"(u) : "r"(1));', Work.HP, 4),
        ('asm("add.bf16x2 %0, %1, %1;" : "=r"(u) : "r"(1));', Work.HP, 2),
        ('asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(b[i]));', Work.SPECIAL, 1),
        ('asm("max.f32 %0, %1, %1;" : "=f"(x) : "f"(b[i]));', Work.SP, 0),
        (MATRICES, Work.TENSOR, 128),
        (DOUBLE_MATRICES, Work.DP, 16),
        (WARP_GROUP, Work.TENSOR, 2048),
    ],
)
def test_operations(statement: str, kind: Work, each: float, count: Count) -> None:
    found = count(kernel(statement), 2, 64)
    assert found.work(kind) == 128 * each
    assert not found.unseen


@pytest.mark.parametrize(
    ("instruction", "each"),
    [
        ("vabsdiff4.u32.u32.u32.add", 1),
        ("vavrg2.s32.s32.s32", 1),
        ("add.s32", 1),
        ("lop3.b32", 1),
        ("mad.wide.u64", 2),
        ("mov.u32", 0),
        ("prmt.b32", 0),
    ],
)
def test_integer_operations(instruction: str, each: float, count: Count) -> None:
    once, twice = (
        count(kernel(f'asm volatile("{text}" : "=r"(u) : "r"(1));'), 1, 32).work(Work.INT)
        for text in (f"{instruction} %0, %1, %1;", f"{instruction} %0, %1, %1; " * 2)
    )
    assert twice - once == 32 * each


def test_what_is_not_known_is_said(count: Count) -> None:
    found = count(kernel('asm volatile("frobnicate.b32 %0;" :: "r"(i));'), 1, 32)
    assert [(each.kind, each.name) for each in found.unseen] == [
        (UnseenKind.CODE, "the instruction 'frobnicate' of inline assembly")
    ]
    found = count(kernel('asm volatile("ld.global.b32 %0, [%1];" : "=r"(u) : "l"(w));'), 1, 32)
    assert [each.kind for each in found.unseen] == [UnseenKind.ACCESS]


def test_an_output_is_another_number_afterwards(count: Count) -> None:
    """Also in the trips of a loop."""
    loop = (
        'int n = 3; for (int k = 0; k < 5; k++) { %s asm("mov.b32 %%0, %%1;" : "=r"(n) : "r"(i)); }'
    )
    found = count(kernel(loop % "if (n == 3) atomicAdd(a, 1.0f);"), 1, 32)
    assert found.execution.assumed_conditions


def test_special_registers_are_thread_indices(count: Count) -> None:
    lane = 'asm("mov.u32 %0, %%laneid;" : "=r"(u)); if (u < 3) a[u] = 1.0f;'
    assert count(kernel(lane), 1, 128).accesses[("a", "write", 4)] == 12
    block = 'asm("mov.u32 %0, %%ctaid.x;" : "=r"(u)); if (u == 1) a[i] = 1.0f;'
    assert count(kernel(block), 4, 32).accesses[("a", "write", 4)] == 32


def test_barriers(count: Count) -> None:
    found = count(
        kernel('asm volatile("bar.sync 0;"); asm volatile("barrier.sync 1, 64;");'), 1, 32
    )
    assert sum(region.barriers for region in found.summary.root.walk()) == 2


def test_instructions_of_a_template() -> None:
    text = r"{ .reg .pred p; // a scope\n L1: setp.ne.b32 p, %0, 0; /* no; */ @!p bra L1;\n }"
    assert [each.name for each in instructions(text)] == ["setp", "bra"]
    (load,) = instructions(r"\tld.global.L2::128B.v4.f32 {%0,%1,%2,%3}, [%4 + 32];\n")
    assert load.modifiers == ("global", "L2", "128B", "v4", "f32")
    assert load.operands == "{%0,%1,%2,%3}, [%4 + 32]"
    assert instructions("") == ()
