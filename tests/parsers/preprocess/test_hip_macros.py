"""Macros of ``hipcc``, with those of the GPU that it compiles for."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_core.program.units import Dialect
from roofline_parsers.preprocess import PreprocessOptions, preprocess


def read(source: str, arch: str | None = "gfx90a") -> str:
    options = PreprocessOptions(dialect=Dialect.HIP, hip_arch=arch)
    found = preprocess(Path("/p/a.hip"), source.encode(), options, lambda path: None)
    return " ".join(found.text.decode().split())


@pytest.mark.parametrize(
    "name",
    ["__HIPCC__", "__HIP_PLATFORM_AMD__", "__HIP_DEVICE_COMPILE__", "__AMDGCN__", "HIP_VERSION"],
)
def test_hip_is_told_from_cuda(name: str) -> None:
    assert read(f"#if defined({name}) && !defined(__CUDACC__)\nint hip;\n#endif\n") == "int hip;"


@pytest.mark.parametrize(
    ("arch", "expected"),
    [("gfx90a", "64"), ("gfx942", "64"), ("gfx1030", "32"), ("gfx1100", "32"), (None, "32")],
)
def test_wavefronts_are_those_of_the_gpu(arch: str | None, expected: str) -> None:
    assert read("int n = __AMDGCN_WAVEFRONT_SIZE;", arch) == f"int n = {expected};"


def test_the_gpu_has_macros_of_its_name_and_family() -> None:
    source = "#if defined(__gfx942__) && defined(__GFX9__) && !defined(__gfx90a__)\nint x;\n#endif"
    assert read(source, "gfx942") == "int x;"
    assert read(source, "gfx90a") == ""
    assert read("#ifdef __GFX11__\nint x;\n#endif", "gfx1100") == "int x;"


def test_older_names_of_indices_and_of_dynamic_shared_memory() -> None:
    assert read("int i = hipThreadIdx_x + hipBlockIdx_y * hipBlockDim_z;") == (
        "int i = threadIdx.x + blockIdx.y * blockDim.z;"
    )
    assert read("HIP_DYNAMIC_SHARED(float, tile)") == "extern __shared__ float tile[];"


def test_headers_of_rocm_are_there() -> None:
    asked = "__has_include(<hipcub/hipcub.hpp>) && __has_include(<rocblas/rocblas.h>)"
    assert read(f"#if {asked}\nint x;\n#endif\n") == "int x;"
