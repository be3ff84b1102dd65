"""Features of a library that keep kernels from being read are taken as defined."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_core.program.units import Dialect
from roofline_parsers.preprocess import PreprocessOptions, preprocess
from roofline_parsers.preprocess.result import PreprocessedFile

KERNEL = "__global__ void {0}(float *x) {{ x[0] = 1; }}\n"
A = KERNEL.format("a")


def read(source: str, files: dict[str, str] | None = None) -> PreprocessedFile:
    texts = {Path("/p", name): text.encode() for name, text in (files or {}).items()}
    return preprocess(Path("/p/k.cu"), source.encode(), PreprocessOptions(), texts.get)


def told(found: PreprocessedFile) -> list[str]:
    return [each.message for each in found.problems]


@pytest.mark.parametrize(
    "macro",
    ["ENABLE_MPI", "HAVE_NCCL", "WITH_X", "LIB_WITH_FP8", "LIB_FP8_ENABLED", "BUILD_SPARSE"],
)
def test_a_feature_is_taken_as_defined(macro: str) -> None:
    found = read(f"#ifdef {macro}\n{A}#endif\n")
    assert b"void a(" in found.text
    assert told(found) == [f"kernels need {macro}, which nothing defines: taken as defined"]


@pytest.mark.parametrize(
    "macro", ["FAST", "USE_SHARED", "ENABLE_HIP", "WITH_ROCM", "ENABLE_DEBUG", "enable_mpi"]
)
def test_other_macros_stay_what_they_are_beside_a_kernel(macro: str) -> None:
    found = read(f"{KERNEL.format('b')}#ifdef {macro}\n{A}#endif\n")
    assert b"void a(" not in found.text
    assert told(found) == [f"kernel 'a' needs {macro}, which nothing defines"]


def test_what_all_kernels_of_a_file_need_is_taken_as_defined() -> None:
    found = read(f"#define HYDRO 1\n#if defined(GRAVITY) && ( MODEL == HYDRO )\n{A}#endif\n")
    assert b"void a(" in found.text
    assert told(found) == [
        "kernels need GRAVITY, which nothing defines: taken as defined",
        "kernels need MODEL=HYDRO, which nothing defines: taken as defined",
    ]


@pytest.mark.parametrize("macro", ["USE_HIP", "TEST_IT", "OLD_WAY", "NO_FUSION", "lower", "X"])
def test_code_of_other_builds_stays_out(macro: str) -> None:
    assert b"void a(" not in read(f"#ifdef {macro}\n{A}#endif\n").text


def test_of_several_values_the_first_is_taken() -> None:
    b = KERNEL.format("b")
    found = read(f"#if MODEL == 1\n{A}#endif\n#if MODEL == 2\n{b}#endif\n")
    assert b"void a(" in found.text
    assert b"void b(" not in found.text


def test_kernels_of_headers_are_no_reason_to_change_a_file_that_has_its_own() -> None:
    header = f"#ifdef GRAVITY\n{KERNEL.format('b')}#endif\n"
    found = read(f'#include "h.cuh"\n{A}', {"h.cuh": header})
    assert b"void b(" not in found.includes[0].text


def test_a_kernel_that_would_be_lost_is_kept() -> None:
    header = f"#ifndef GRAVITY\n{KERNEL.format('b')}#endif\n"
    found = read(f'#include "h.cuh"\n#ifdef GRAVITY\n{A}#endif\n', {"h.cuh": header})
    assert b"void a(" not in found.text
    assert b"void b(" in found.includes[0].text


def test_an_error_in_a_header_may_want_a_further_macro() -> None:
    header = "#ifdef GRAVITY\n#ifndef SCHEME\n#error which scheme?\n#endif\n#endif\n"
    found = read(f'#include "h.cuh"\n#ifdef GRAVITY\n{A}#endif\n', {"h.cuh": header})
    assert b"void a(" in found.text


def test_a_program_is_built_in_one_way() -> None:
    found = read(f"#ifdef ENABLE_MPI\n{A}#endif\nint main() {{ return 0; }}\n")
    assert told(found) == ["kernel 'a' needs ENABLE_MPI, which nothing defines"]


@pytest.mark.parametrize("line", ["// #define ENABLE_MPI", "#undef ENABLE_MPI"])
def test_what_the_file_turns_off_stays_off(line: str) -> None:
    assert b"void a(" not in read(f"{line}\n#ifdef ENABLE_MPI\n{A}#endif\n").text


def test_of_alternatives_the_other_stays() -> None:
    found = read(f"#ifdef HAVE_FAST\n{A}#else\n{KERNEL.format('a')}#endif\n")
    assert found.text.count(b"void a(") == 1
    assert told(found) == ["kernel 'a' needs HAVE_FAST, which nothing defines"]


def test_a_feature_that_ends_in_an_error_is_not_taken() -> None:
    source = f'#ifdef WITH_X\n#error "no X here"\n{A}#endif\n'
    assert told(read(source)) == ["kernel 'a' needs WITH_X, which nothing defines"]


def test_features_within_features_and_in_headers() -> None:
    header = f"#ifdef WITH_INNER\n{KERNEL.format('b')}#endif\n"
    source = f'#ifdef WITH_OUTER\n#include "inner.cuh"\n{A}#endif\n'
    found = read(source, {"inner.cuh": header})
    assert b"void a(" in found.text
    assert b"void b(" in found.includes[0].text
    assert told(found) == [
        "kernels need WITH_OUTER, which nothing defines: taken as defined",
        "kernels need WITH_INNER, which nothing defines: taken as defined",
    ]


def test_code_before_the_kernel_agrees() -> None:
    source = f"#ifdef WITH_X\nstruct S {{ int x; }};\n#endif\nint y;\n#ifdef WITH_X\n{A}#endif\n"
    assert b"struct S" in read(source).text


def test_kernels_of_opencl_are_left_to_their_hosts() -> None:
    source = b"#ifdef WITH_X\n__kernel void a(__global float *x) { x[0] = 1; }\n#endif\n"
    options = PreprocessOptions(dialect=Dialect.OPENCL)
    found = preprocess(Path("/p/k.cl"), source, options, lambda path: None)
    assert b"void a(" not in found.text
