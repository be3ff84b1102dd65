"""Argument sizes, each computed by hand from the kernel's text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.api import ProgramAnalysis, ProgramPlace
from roofline_analysis.regions.kernel_summary import KernelSummary
from roofline_core.program.units import Dialect
from roofline_core.settings import merge
from roofline_study.llmperf.arguments import (
    CONTENT_END,
    ArgumentError,
    BufferArgument,
    KernelParameter,
    LaunchArguments,
    LocalArgument,
    NumberArgument,
    analysed,
    argument_of,
    argument_record,
    parameters_of,
    simple,
)
from roofline_study.llmperf.sampling import Configuration

LINE = Configuration((16, 1, 1), (64, 1, 1))
"""1,024 work-items."""
PLANE = Configuration((4, 8, 1), (16, 4, 1))
"""64 x 32 work-items."""


def given_to(
    tmp_path: Path, text: str, configuration: Configuration, *, open_size: int = 32
) -> LaunchArguments:
    summary, parameters = walked(tmp_path, text)
    return analysed(summary, parameters, configuration, open_size)


def walked(tmp_path: Path, text: str) -> tuple[KernelSummary, tuple[KernelParameter, ...]]:
    path = tmp_path / "kernel.cl"
    path.write_text(text)
    program = ProgramAnalysis.load(
        [path], replace(merge(), gpu="RTX 3080"), place=ProgramPlace(root=tmp_path)
    )
    (kernel,) = program.functions
    summary = program.summary(kernel)
    return summary, parameters_of(summary, program.types.in_dialect(Dialect.OPENCL))


def simple_of(tmp_path: Path, text: str) -> LaunchArguments | None:
    summary, parameters = walked(tmp_path, text)
    return simple(summary, parameters, LINE)


def sizes(given: LaunchArguments) -> dict[str, int]:
    return {
        each.name: each.size_bytes
        for each in given.values
        if isinstance(each, BufferArgument | LocalArgument)
    }


def numbers(given: LaunchArguments) -> dict[str, int | float]:
    return {each.name: each.value for each in given.values if isinstance(each, NumberArgument)}


def test_one_element_each(tmp_path: Path) -> None:
    given = given_to(
        tmp_path,
        "__kernel void k(__global float *x, __global double *y, int n)"
        "{ int i = get_global_id(0); if (i < n) y[i] = x[i]; }",
        LINE,
    )
    assert sizes(given) == {"x": 4096, "y": 8192}
    assert numbers(given) == {"n": 1024}
    assert not given.apart


def test_strides_offsets_and_vectors(tmp_path: Path) -> None:
    given = given_to(
        tmp_path,
        "__kernel void k(__global float *x, __global float4 *v, __global char *c)"
        "{ int i = get_global_id(0); v[i] = x[3 * i + 2]; c[i / 2 + 5] = 1; }",
        LINE,
    )
    # 3 * 1023 + 2 is the last of 3,072 elements; 1023 / 2 + 5 the last of 517.
    assert sizes(given) == {"x": 4 * 3072, "v": 16 * 1024, "c": 517}


def test_a_matrix_product(tmp_path: Path) -> None:
    given = given_to(
        tmp_path,
        "__kernel void k(__global float *a, __global float *b, __global float *c, int n, int m,"
        " int depth) { int j = get_global_id(0), i = get_global_id(1);"
        " if (i < n && j < m) { float s = 0; for (int k = 0; k < depth; k++)"
        " s += a[i * depth + k] * b[k * m + j]; c[i * m + j] = s; } }",
        PLANE,
        open_size=48,
    )
    assert numbers(given) == {"n": 32, "m": 64, "depth": 48}
    assert sizes(given) == {"a": 4 * 32 * 48, "b": 4 * 48 * 64, "c": 4 * 32 * 64}
    assert given.apart  # the depth is not the launch's


def test_guards_cut_and_stencils_reach_to_their_neighbours(tmp_path: Path) -> None:
    given = given_to(
        tmp_path,
        "__kernel void k(__global float *x, __global float *y)"
        "{ int i = get_global_id(0); if (i > 0 && i < 100) y[i] = x[i - 1] + x[i + 1]; }",
        LINE,
    )
    assert sizes(given) == {"x": 4 * 101, "y": 4 * 100}


def test_local_memory_and_group_ids(tmp_path: Path) -> None:
    given = given_to(
        tmp_path,
        "__kernel void k(__global int *x, __global int *out, __local int *t)"
        "{ int l = get_local_id(0); t[l] = x[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);"
        " if (l == 0) out[get_group_id(0)] = t[0] + t[63]; }",
        LINE,
    )
    assert sizes(given) == {"x": 4096, "out": 4 * 16, "t": 4 * 64}


def test_an_index_from_memory_lies_below_the_numbers_that_are_filled_in(tmp_path: Path) -> None:
    given = given_to(
        tmp_path,
        "__kernel void k(__global float *x, __global int *where, __global float *y)"
        "{ int i = get_global_id(0); y[i] = x[where[i]]; }",
        LINE,
    )
    assert sizes(given)["x"] == 4 * CONTENT_END
    assert not any(isinstance(e, BufferArgument) and e.unbounded for e in given.values)


def test_what_has_no_bound_is_said(tmp_path: Path) -> None:
    given = given_to(
        tmp_path,
        "__kernel void k(__global float *x, __global int *where)"
        "{ int i = get_global_id(0); where[i] = i; x[where[i + 1]] = 1; }",
        LINE,
    )
    assert [e.name for e in given.values if isinstance(e, BufferArgument) and e.unbounded] == ["x"]


def test_arguments_of_simple_sizes(tmp_path: Path) -> None:
    text = "__kernel void k(__global float *x, int n) { x[get_global_id(0)] = n; }"
    found = simple_of(tmp_path, text)
    assert found is not None
    assert (sizes(found), numbers(found)) == ({"x": 4096}, {"n": 1024})


def test_simple_numbers_become_one_where_the_launchs_size_would_leave_the_arrays(
    tmp_path: Path,
) -> None:
    text = (
        "__kernel void k(__global float *x, int n)"
        "{ int i = get_global_id(0); for (int k = 0; k < n; k++) x[i * n + k] = k; }"
    )
    found = simple_of(tmp_path, text)
    assert found is not None
    assert (sizes(found), numbers(found)) == ({"x": 4096}, {"n": 1})


def test_no_simple_sizes_fit_where_neighbours_are_read(tmp_path: Path) -> None:
    text = (
        "__kernel void k(__global float *x, __global float *y)"
        "{ int i = get_global_id(0); y[i] = x[i + 1]; }"
    )
    assert simple_of(tmp_path, text) is None


@pytest.mark.parametrize("parameter", ["__global float **x", "image2d_t x", "struct nobody x"])
def test_what_cannot_be_given_is_refused_by_name(tmp_path: Path, parameter: str) -> None:
    with pytest.raises(ArgumentError, match="parameter 'x'"):
        walked(tmp_path, f"__kernel void k({parameter}, __global int *y) {{ y[0] = 1; }}")


def test_arguments_come_back_from_their_records() -> None:
    for each in (
        BufferArgument("x", "float", 64, unbounded=True),
        LocalArgument("t", 32),
        NumberArgument("n", "int", 7, 4),
    ):
        assert argument_of(argument_record(each)) == each
    with pytest.raises(ArgumentError, match="not an argument"):
        argument_of({"kind": "buffer", "name": "x"})
