"""What is read from kernels in PTX: numbers that follow from constants alone, no others."""

from __future__ import annotations

import pytest

from .ptx import stored


def kernel(*instructions: str) -> str:
    body = "".join(f"\t{line};\n" for line in instructions)
    return f".visible .entry asked_4(\n\t.param .u64 p\n)\n{{\n{body}}}\n"


@pytest.mark.parametrize(
    ("instructions", "number"),
    [
        (["mov.u64 %rd2, 18446744073709551614"], -2),
        (["mov.f32 %f1, 0f42040000", "cvt.rzi.s32.f32 %r1, %f1", "cvt.s64.s32 %rd2, %r1"], 33),
        (["mov.f64 %fd1, 0dC004000000000000", "cvt.rzi.s32.f64 %rd2, %fd1"], -2),
        (["mov.u32 %r1, 2147483647", "add.s32 %r2, %r1, 1", "cvt.s64.s32 %rd2, %r2"], -(2**31)),
        (["cvt.rni.f64.f64 %fd2, 0d4004000000000000", "cvt.rzi.s64.f64 %rd2, %fd2"], 2),
    ],
)
def test_constants_are_followed(instructions: list[str], number: int) -> None:
    assert stored(kernel(*instructions, "st.global.u64 [%rd1], %rd2")) == {4: number}


@pytest.mark.parametrize(
    "instruction",
    ["ld.param.u64 %rd2, [p]", "sqrt.approx.f32 %rd2, 4", "mul.wide.s32 %rd2, 3, 5", "ex2 %rd2, 4"],
)
def test_what_is_not_known_has_no_number(instruction: str) -> None:
    assert stored(kernel(instruction, "st.global.u64 [%rd1], %rd2")) == {}


def test_a_kernel_with_a_branch_has_no_number() -> None:
    assert stored(kernel("setp.eq.s32 %p1, %r1, 0", "st.global.u64 [%rd1], 5")) == {}
    assert stored(kernel("st.global.u64 [%rd1], 5")) == {4: 5}
