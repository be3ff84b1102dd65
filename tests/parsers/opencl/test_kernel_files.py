"""Kernel files that C++ includes as strings, and those that hosts join to one text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_core.program.units import Function, Program
from roofline_parsers.opencl.joined_files import read_before
from roofline_parsers.preprocess.kernels_as_strings import is_string, run_time_source, unwrapped
from roofline_parsers.reading.load import load_program

KERNEL = "__kernel void set(__global float *x)\n{\n    x[get_global_id(0)] = VALUE;\n}\n"


def loaded(**files: str) -> Program:
    """The program of these files of ``/k``; ``_`` in a name stands for the suffix's dot."""
    texts = {Path("/k") / name.replace("_", "."): text.encode() for name, text in files.items()}
    return load_program(texts, texts.get)


def kernels(program: Program) -> list[tuple[Path, int, str]]:
    """Path, line and name of each kernel with a body."""
    found: list[Function] = [
        each for unit in program.units for each in unit.functions if each.is_kernel and each.body
    ]
    return [(each.path, each.name_span.line, each.name) for each in found]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('// for C++\nR"(\n', ')"\n'),
        ('/* for\n C++ */ R"==(', ')=="\n// the end\n'),
        ("STRINGIFY(\n", "\n)\n"),
        ("TEXT(", ") ; // the end\n"),
    ],
)
def test_what_wraps_a_kernel_file_is_blank(before: str, after: str) -> None:
    source = (before + KERNEL + after).encode()
    found = unwrapped(source)
    assert is_string(Path("a.cl"), source)
    assert not is_string(Path("a.h"), source)
    assert len(found) == len(source)
    assert found.count(b"\n") == source.count(b"\n")
    assert KERNEL.encode() in found
    rest = found.replace(KERNEL.encode(), b"")
    assert b"(" not in rest
    assert b")" not in rest


def test_a_long_string_in_several_literals_is_one_text() -> None:
    first, second = KERNEL[:40], KERNEL[40:]
    source = f'R"a({first})a"\nR"a({second})a"\n'.encode()
    found = unwrapped(source)
    assert found == f"    {first}   \n    {second}   \n".encode()


def test_line_ends_that_a_macro_s_argument_writes_are_blank() -> None:
    source = b'TEXT(\n\\n#define VALUE 2.0f\n\\n\n__kernel void f() { printf("a\\n"); }\n)'
    expected = b'     \n  #define VALUE 2.0f\n  \n__kernel void f() { printf("a\\n"); }\n '
    assert unwrapped(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        KERNEL,
        "__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void f() {}\n",
        "MACRO(a)\n" + KERNEL,
        "MACRO(a) MACRO(b)\n",
        "MACRO(a, b)\n",  # nothing that could hold a kernel
        'const char *s = R"(' + KERNEL + ')";\n',
    ],
)
def test_other_texts_stay(source: str) -> None:
    text = source.encode()
    assert unwrapped(text) is text


@given(st.binary(max_size=60))
def test_lines_and_length_stay_whatever_the_text(text: bytes) -> None:
    for source in (text, b'R"(' + text, b"M({" + text + b"})"):
        found = unwrapped(source)
        assert len(found) == len(source)
        assert [len(line) for line in found.split(b"\n")] == [
            len(line) for line in source.split(b"\n")
        ]


def test_a_file_that_a_host_includes_as_a_string_is_read_once_as_opencl() -> None:
    program = loaded(
        a_cl=f"TEXT(\n{KERNEL})\n",
        host_cpp='#define TEXT(...) #__VA_ARGS__\nstatic const char *all =\n#include "a.cl"\n;\n',
    )
    assert kernels(program) == [(Path("/k/a.cl"), 2, "set")]
    assert [each.message for unit in program.units for each in unit.problems] == []


def test_cuda_that_is_compiled_at_run_time_is_read_without_its_raw_string() -> None:
    text = "__global__ void set(float *x) { x[threadIdx.x] = 1.0f; }\n"
    wrapped = f'// generated\nR"===(\n{text})==="\n'
    host = 'const char *text =\n#include "set.h"\n;\nint main() {}\n'
    assert kernels(loaded(set_cu=wrapped, main_cu=host.replace("set.h", "set.cu"))) == [
        (Path("/k/set.cu"), 3, "set")
    ]
    assert kernels(loaded(set_h=wrapped)) == [(Path("/k/set.h"), 3, "set")]
    assert is_string(Path("/k/set.h"), wrapped.encode())


@pytest.mark.parametrize(
    "text", ['R"(no kernel)"', "__global__ void k() {}", 'char *t = R"(__global__ void k() {})";']
)
def test_other_cuda_texts_stay(text: str) -> None:
    assert run_time_source(text.encode()) == text.encode()
    assert not is_string(Path("/k/a.cu"), text.encode())


def test_a_file_of_shared_text_is_read_before_the_kernels_that_use_it() -> None:
    program = loaded(
        a_opencl=KERNEL,
        common_opencl='R"(\n#define VALUE scaled(2.0f)\ntypedef float real;\n)"\n',
        deep_opencl="float scaled(float x)\n{\n    return 2.0f * x;\n}\n",
        other_opencl="#define NOT_USED 1\n",
    )
    (unit,) = (each for each in program.units if each.path.name == "a.opencl")
    assert [each.path.name for each in unit.includes] == ["common.opencl", "deep.opencl"]
    assert kernels(program) == [(Path("/k/a.opencl"), 1, "set")]


def test_files_of_outer_folders_come_first() -> None:
    sources = {
        Path("/k/in/a.cl"): b"__kernel void f() { one(TWO); }",
        Path("/k/in/one.cl"): b"void one(int x) { }",
        Path("/k/two.cl"): b"#define TWO 2",
    }
    found = read_before(sources)[Path("/k/in/a.cl")]
    assert found == (Path("/k/two.cl"), Path("/k/in/one.cl"))


def test_a_file_that_is_included_or_has_kernels_is_not_read_before() -> None:
    own = KERNEL.encode()
    sources = {
        Path("/k/a.cl"): b'#include "inc/value.cl"\n' + own,
        Path("/k/inc/value.cl"): b"#define VALUE 1.0f",
        Path("/k/b.cl"): b"#define VALUE 2.0f\n__kernel void g() { }",
    }
    assert read_before(sources) == dict.fromkeys(sources, ())
