"""Texts that stand for headers which are not there."""

from __future__ import annotations

from collections.abc import Callable

from roofline_core.program.units import is_stand_in
from roofline_parsers.preprocess import PreprocessedFile

Run = Callable[..., PreprocessedFile]
USE = "__global__ void k(cv::cuda::PtrStepSz<float> a) {}\n"


def stand_ins(result: PreprocessedFile) -> list[str]:
    found = [unit.path.name for unit in result.includes if is_stand_in(unit.path)]
    return found + [name for unit in result.includes for name in stand_ins(unit)]


def test_one_is_read_for_a_header_of_its_library(run: Run) -> None:
    result = run(f"#include <opencv2/core/cuda_types.hpp>\n{USE}")
    assert stand_ins(result) == ["opencv.cuh"]
    assert result.unresolved_includes == ("<opencv2/core/cuda_types.hpp>",)
    assert result.include_lines == (1,)


def test_none_where_the_header_is_there(run: Run) -> None:
    files = {"/src/opencv2/core/cuda_types.hpp": "struct A;\n"}
    assert stand_ins(run(f'#include "opencv2/core/cuda_types.hpp"\n{USE}', files)) == []


def test_none_where_nothing_of_it_is_named(run: Run) -> None:
    assert stand_ins(run("#include <opencv2/core/cuda_types.hpp>\nint a;\n")) == []


def test_none_without_a_missing_header(run: Run) -> None:
    assert stand_ins(run(USE)) == []
    assert stand_ins(run(f"#include <cuda_runtime.h>\n#include <cstdio>\n{USE}")) == []


def test_a_header_of_no_known_library_may_bring_it(run: Run) -> None:
    assert stand_ins(run(f'#include "common.hpp"\n{USE}')) == ["opencv.cuh"]
    assert stand_ins(run(f"#include <torch/extension.h>\n{USE}")) == []


def test_a_header_that_was_not_found_by_another_header(run: Run) -> None:
    files = {"/src/common.hpp": "#pragma once\n#include <opencv2/core.hpp>\n"}
    assert stand_ins(run(f'#include "common.hpp"\n{USE}', files)) == ["opencv.cuh"]


def test_each_is_read_once(run: Run) -> None:
    text = f"#include <opencv2/core.hpp>\n#include <opencv2/cudev.hpp>\n{USE}"
    assert stand_ins(run(text)) == ["opencv.cuh"]


def test_its_macros_hold_after_the_include(run: Run) -> None:
    text = '#include <torch/extension.h>\nAT_DISPATCH_ALL_TYPES(x.type(), "f", [&] { g(); });\n'
    assert b"using scalar_t = float" in run(text).text


def test_one_that_an_earlier_header_had_no_use_for(run: Run) -> None:
    """A header that is left out the second time is asked for what it did not find the first."""
    files = {
        "/src/common.hpp": '#pragma once\n#include "cute/tensor.hpp"\n',
        "/src/plain.hpp": '#pragma once\n#include "common.hpp"\nint a;\n',
        "/src/device.hpp": '#include "common.hpp"\nCUTE_HOST_DEVICE int f();\n',
    }
    source = '#include "plain.hpp"\n#include "device.hpp"\nCUTE_DEVICE int g();\n'
    result = run(source, files)
    assert stand_ins(result) == ["cutlass.cuh"]
    assert result.text.splitlines()[2] == b"__forceinline__ __device__ int g();"
    (header,) = (unit for unit in result.includes if unit.path.name == "device.hpp")
    assert header.text.splitlines()[1] == b"__forceinline__ __host__ __device__ int f();"
    found = {**files, "/src/cute/tensor.hpp": "#define CUTE_DEVICE __device__\n"}
    assert stand_ins(run(source, found)) == []


def test_what_a_library_calls_the_qualifiers_of_kernels(run: Run) -> None:
    text = (
        "#include <raft/core/operators.hpp>\n"
        "RAFT_INLINE_FUNCTION constexpr int f(int n) { return n; }\n"
        "RAFT_KERNEL k(float *a) { a[f(0)] = 1; }\n"
    )
    lines = run(text).text.splitlines()
    assert lines[1] == b"__host__ __device__ __forceinline__ constexpr int f(int n) { return n; }"
    assert lines[2] == b"static __global__ void k(float *a) { a[f(0)] = 1; }"
