"""The dialect of a file is told from its name, its bytes, and the program around it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from roofline_core.program.units import Dialect
from roofline_parsers.reading.dialects import dialect_of, dialects_of
from roofline_parsers.reading.load import load_program

BOTH = """
#ifdef __HIPCC__
#include <hip/hip_runtime.h>
#define gpuMalloc hipMalloc
#else
#include <cuda_runtime.h>
#define gpuMalloc cudaMalloc
#endif
__global__ void k(float *p) { p[threadIdx.x] = 0; }
"""


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("a.hip", "__global__ void k() {}", Dialect.HIP),
        ("a.cu", '#include "hip/hip_runtime.h"\n__global__ void k() {}', Dialect.HIP),
        ("a.cpp", "#include <hip/hip_runtime.h>", Dialect.HIP),
        ("a.cc", "void f() { hipLaunchKernelGGL(k, g, b, 0, 0); }", Dialect.HIP),
        ("a.h", "__device__ int f() { return __builtin_amdgcn_workitem_id_x(); }", Dialect.HIP),
        ("a.hpp", "inline void check(hipError_t e) {}", Dialect.HIP),
        ("a.cpp", "rocblas_handle h;", Dialect.HIP),
        ("a.h", "// the relationshipMatrix of a chipFamily", None),
        ("a.cu", "// as hipMalloc\n__global__ void k() {}\nvoid f() { cudaMalloc(p, 1); }",
         Dialect.CUDA),
        ("a.cu", "#include <hip/hip_runtime.h>\n/* cudaMalloc cudaFree */ // cudaMemcpy",
         Dialect.HIP),
        ("a.cu", "#include <hip/hip_runtime.h>\nint cudaStat1, cudaStat2, cudaStat3, cudaStat4;",
         Dialect.HIP),
        ("a.cu", BOTH, Dialect.CUDA),
        ("a.cpp", BOTH, Dialect.CUDA),
        ("a.hip", BOTH, Dialect.HIP),
        ("a.cu", "int x;", Dialect.CUDA),
        ("a.h", "__global__ void k() {}", Dialect.CUDA),
        ("a.cpp", "#pragma omp target teams\n{}", Dialect.OPENMP),
        ("a.cpp", "#pragma omp target\n{}\n// was: cudaMalloc, k<<<1, 2>>>", Dialect.OPENMP),
        ("a.cu", "__global__ void k() {}\n#pragma omp target\n", Dialect.CUDA),
        ("a.cl", "cudaMalloc", Dialect.OPENCL),
        ("a.h", "#define N 3", None),
    ],
)  # fmt: skip
def test_what_a_file_shows(name: str, source: str, expected: Dialect | None) -> None:
    assert dialect_of(Path(name), source.encode()) is expected


def told(files: Mapping[str, str], *, headers: Mapping[str, str] | None = None) -> dict[str, str]:
    sources = {Path("/p", name): text.encode() for name, text in files.items()}
    known = {Path("/p", name): text.encode() for name, text in (headers or {}).items()}
    found = dialects_of(sources, {**sources, **known}.get, [Path("/p/include")])
    return {path.name: dialect.value for path, dialect in found.items()}


def test_helpers_of_a_hip_program_are_hip() -> None:
    files = {
        "main.cu": "#include <hip/hip_runtime.h>\nint main() { hipMalloc(&p, 4); }",
        "kernels.cuh": "__global__ void k() {}",
        "util.cpp": "int f() { return 1; }",
    }
    assert set(told(files).values()) == {"hip"}


def test_portable_sources_follow_the_program() -> None:
    hip = {"main.cpp": "int main() { hipFree(p); }", "both.h": BOTH}
    cuda = {"main.cpp": "int main() { cudaFree(p); }", "both.h": BOTH}
    assert told(hip)["both.h"] == "hip"
    assert told(cuda)["both.h"] == "cuda"


def test_kernels_in_an_openmp_program_are_no_openmp() -> None:
    files = {
        "a.cpp": "#pragma omp target\n{}",
        "b.cpp": "#pragma omp target\n{}",
        "k.cu": "__global__ void k() {}",
        "util.cpp": "int f();",
    }
    assert told(files) == {"a.cpp": "openmp", "b.cpp": "openmp", "k.cu": "cuda",
                           "util.cpp": "openmp"}  # fmt: skip


@pytest.mark.parametrize("line", ['#include "a.h"', "#include <far.h>", '#include "plain.h"'])
def test_a_source_is_of_the_dialect_of_its_own_headers(line: str) -> None:
    headers = {
        "a.h": "#include <hip/hip_runtime.h>",
        "plain.h": '#include "a.h"\nint x;',
        "include/far.h": "void f() { hipFree(0); }",
    }
    assert told({"main.cu": f"{line}\nint main() {{}}"}, headers=headers) == {"main.cu": "hip"}


def test_headers_that_include_each_other_are_looked_into_once() -> None:
    headers = {"a.h": '#include "b.h"', "b.h": '#include "a.h"'}
    assert told({"main.cu": '#include "a.h"'}, headers=headers) == {"main.cu": "cuda"}


def test_an_undecided_source_is_read_as_its_header_says() -> None:
    files = {
        Path("/p/main.cu"): b'#include "k.h"\nint main() { hipLaunchKernelGGL(k, 1, 64, 0, 0); }',
        Path("/p/k.h"): b"#include <hip/hip_runtime.h>\n__global__ void k() {}",
    }
    program = load_program([Path("/p/main.cu")], files.get)
    kernels = [f for unit in program.all_units() for f in unit.functions if f.is_kernel]
    assert [f.dialect for f in kernels] == [Dialect.HIP]
