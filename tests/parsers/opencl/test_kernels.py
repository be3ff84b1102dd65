"""OpenCL C files to the kernel model."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.types import Type
from roofline_core.program.units import Dialect, Function, TranslationUnit
from roofline_parsers.reading.load import load_program

PATH = Path("/src/kernels.cl")


def read(source: str, **headers: str) -> TranslationUnit:
    files = {PATH: source.encode()}
    files.update({PATH.with_name(f"{name}.h"): text.encode() for name, text in headers.items()})
    (unit,) = load_program([PATH], files.get).units
    return unit


def only(source: str) -> Function:
    (function,) = read(source).functions
    return function


def declared(source: str) -> st.Variable:
    """The first variable that a function's body declares."""
    body = only(f"void f() {{ {source} }}").body
    assert body is not None
    assert isinstance(body.body[0], st.Declare)
    return body.body[0].variables[0]


@pytest.mark.parametrize(
    "head",
    [
        "__kernel void k",
        "kernel void k",
        "void __kernel k",
        "__kernel __attribute__((vec_type_hint(float4))) void k",
        "__attribute__((work_group_size_hint(64, 1, 1))) __kernel void k",
        "static inline __kernel void k",
    ],
)
def test_kernels(head: str) -> None:
    function = only(f"{head}(__global float *a) {{ }}")
    assert function.is_kernel
    assert function.name == "k"
    assert function.dialect is Dialect.OPENCL
    assert read(f"{head}(__global float *a) {{ }}").problems == ()


def test_a_kernel_by_a_macro_keeps_the_place_of_its_name() -> None:
    function = only("#define KERNEL __kernel\n\nKERNEL void scale(__global float *scale_by) { }")
    assert function.is_kernel
    span = function.name_span
    assert (span.line, span.column, span.end_column) == (3, 12, 17)


def test_other_functions_are_device_code() -> None:
    function = only("inline float f(float x) { return x; }")
    assert not function.is_kernel
    assert "__device__" in function.qualifiers


def test_address_spaces_of_parameters() -> None:
    function = only(
        "__kernel void k(__global float *a, __local float4 *b, __constant int *c, uint d,"
        " const __global float *restrict e) { }"
    )
    qualifiers = [sorted(p.qualifiers) for p in function.params]
    assert qualifiers == [[], ["__shared__"], ["__constant__"], [], []]
    types = [(p.type.name, p.type.pointers, p.type.const) for p in function.params]
    assert types == [
        ("float", 1, False),
        ("float4", 1, False),
        ("int", 1, False),
        ("uint", 0, False),
        ("float", 1, True),
    ]
    assert function.params[4].type.restrict


def test_the_block_that_a_kernel_demands() -> None:
    function = only("__kernel __attribute__((reqd_work_group_size(16, 8, 1))) void k() { }")
    assert [e.value for e in function.block_shape if isinstance(e, ex.Literal)] == [16, 8, 1]
    assert function.launch_bounds == ()


def test_vector_literals_are_constructions() -> None:
    init = declared("float4 v = (float4)(1.0f, (float2)(2.0f), 3.0f);").init
    assert isinstance(init, ex.Construct)
    assert init.type == Type("float4")
    assert len(init.args) == 3
    assert isinstance(init.args[1], ex.Construct)


def test_components_stay_members() -> None:
    init = declared("float2 v = w.s01.yx;").init
    assert isinstance(init, ex.Member)
    assert init.name == "yx"
    assert isinstance(init.base, ex.Member)
    assert init.base.name == "s01"


def test_casts_to_types_of_opencl_alone() -> None:
    init = declared("uint8 x = (uint8) -y;").init
    assert isinstance(init, ex.Cast)
    assert isinstance(init.operand, ex.Unary)


def test_half_literals() -> None:
    init = declared("half x = 0.5h;").init
    assert isinstance(init, ex.Literal)
    assert init.type_name == "half"


def test_local_variables() -> None:
    assert declared("__local float tile[16][17];").qualifiers == {"__shared__"}
    assert declared("__private float x;").qualifiers == frozenset()


def test_program_scope_constants() -> None:
    unit = read("__constant float table[] = { 1.0f, 2.0f };\nconstant sampler_t s = 0;")
    assert [v.qualifiers for v in unit.globals] == [{"__constant__"}, {"__constant__"}]
    assert isinstance(unit.globals[0].init, ex.InitList)


def test_unrolling() -> None:
    source = "void f() { __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 8; i++) ; }"
    body = only(source).body
    assert body is not None
    assert isinstance(body.body[0], st.For)
    assert body.body[0].unroll == 4


def test_pragmas_and_predefined_macros() -> None:
    unit = read(
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
        "#if defined(__OPENCL_VERSION__) && __OPENCL_C_VERSION__ >= 120\n"
        "float f(void) { return M_PI_F * CLK_LOCAL_MEM_FENCE; }\n#endif\n"
    )
    assert [function.name for function in unit.functions] == ["f"]
    assert unit.problems == ()


def test_kernels_of_included_headers() -> None:
    unit = read('#include "common.h"\n__kernel void b() { }', common="__kernel void a() { }")
    (header,) = unit.includes
    assert header.functions[0].is_kernel
    assert header.functions[0].dialect is Dialect.OPENCL


def test_names_that_are_keywords_of_cpp() -> None:
    unit = read("__kernel void k(__global int *new) { int this = 1; new[0] = this; }")
    (function,) = unit.functions
    body = function.body
    assert body is not None
    assert unit.problems == ()
    assert function.body_problems == []


@pytest.mark.parametrize(
    "source",
    ["__kernel", "__kernel void k(__local", "(float4)((((", "__attribute__((reqd_work_group_size("],
)
def test_broken_code_is_no_exception(source: str) -> None:
    unit = read(source)
    assert unit.path == PATH
    assert all(function.body is None for function in unit.functions if not function.has_body)
