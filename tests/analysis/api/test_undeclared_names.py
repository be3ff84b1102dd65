"""Types and functions of which no declaration is found are taken for what their names say."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.language.open_types import function_named, number_named, type_not_given
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

THREADS = 4096 * 256
"""Of the launch that is taken for a kernel without one."""


def the_kernel(text: str, name: str = "k.cu") -> KernelReport:
    settings = Settings(gpu="A100", clock="base")
    report = analyze(text.encode(), Path("/p") / name, settings, reader=lambda _: None)
    (kernel,) = report.kernels
    return kernel


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("El::Int", "int"),
        ("index_t", "int"),
        ("IdxType", "int"),
        ("real", "float"),
        ("real4", "float4"),
        ("mixed2", "float2"),
        ("DATA_TYPE", "float"),
        ("scalar_t", "float"),
        ("Real3", "float3"),
        *(
            (name, None)
            for name in (
                "T",
                "Vertex",
                "Key",
                "value",
                "offset",
                "float8",
                "Matrix4",
                "S::value_type",
            )
        ),
    ],
)
def test_names_of_numbers(name: str, taken: str | None) -> None:
    found = number_named(name)
    assert (found.name if found is not None else None) == taken


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("T", "float"),
        ("ElementType", "float"),
        ("IndptrType", "int"),
        ("IndicesType", "int"),
        ("ColType", "int"),
        ("KeyT", "int"),
    ],
)
def test_parameters_of_templates_that_nothing_instantiates(name: str, taken: str) -> None:
    assert type_not_given(name).name == taken


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("make_real4", "make_float4"),
        ("SQRT", "sqrtf"),
        ("LIB_KERNEL_ASSERT", "assert"),
        ("ASSERTION", None),
        ("lib_assert", None),
        ("make_pair", None),
        ("make_Vertex", None),
        ("Sqrt", None),
        ("LOAD", None),
    ],
)
def test_names_of_functions(name: str, taken: str | None) -> None:
    assert function_named(name) == taken


def test_a_kernel_of_undeclared_numbers_is_judged() -> None:
    kernel = the_kernel("""
      __global__ void k(El::Int n, const real4 *x, real4 *y) {
        const El::Int i = blockIdx.x * blockDim.x + threadIdx.x;
        const auto& size = n;
        if (i < size) { real4 v = x[i]; y[i] = make_real4(SQRT(v.x), v.y + v.z, 0, 2 * v.w); } }""")
    found = kernel.prediction
    assert found.dram_read_bytes == found.dram_write_bytes == 16 * THREADS
    assert found.sp_flops is not None
    assert found.sp_flops >= 2 * THREADS
    assert found.verdict is not None
    assert found.sight is not None
    assert found.sight.share == pytest.approx(1)
    taken = {each.name: each.assumed for each in found.unknowns}
    assert taken["sizeof(real4)"] == 16
    assert taken["sizeof(El::Int)"] == 4


def test_a_declaration_goes_before_the_name() -> None:
    kernel = the_kernel("""
      struct real4 { double x, y, z, w; };
      namespace El { using Int = long long; }
      __device__ float SQRT(float x) { return x; }
      __global__ void k(El::Int n, const real4 *x, real4 *y) {
        El::Int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) { y[i] = x[i]; y[i].x = SQRT(y[i].y); } }""")
    found = kernel.prediction
    assert found.dram_write_bytes == 32 * THREADS
    assert not {"sizeof(real4)", "sizeof(El::Int)"} & {each.name for each in found.unknowns}
    assert found.sp_flops == 0
