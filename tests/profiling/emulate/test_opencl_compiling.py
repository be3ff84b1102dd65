"""How programs of OpenCL C are prepared: lines, options, kernels, and the text for libNVVM."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_profiling.emulate.building import compiler_of, sources_of
from roofline_profiling.emulate.opencl.build_options import build_options
from roofline_profiling.emulate.opencl.kernels import (
    described_kernels,
    missing_functions,
    with_required_sizes,
)
from roofline_profiling.emulate.opencl.nvvm import find_nvvm, older
from roofline_profiling.emulate.opencl.source_lines import with_lines

pytestmark = pytest.mark.fast

KERNEL = "__kernel void k(__global int *p) {\n  p[0] = 1;\n}\n"
EMBEDDED = """\
#include <CL/cl.h>
static const char *text =
    "__kernel void k(__global int *p) {\\n"
    "  p[0] = 1;\\n"
    "}\\n";
"""
MODULE = """\
define spir_kernel void @scale(float addrspace(1)* noundef %0, i32 %1) #0 \
!kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_type_qual !9 \
!kernel_arg_name !10 !reqd_work_group_size !11 {
declare i32 @printf(i8 addrspace(4)*, ...)
declare i32 @_Z11absent_namePU3AS1i(i32 addrspace(1)*)
declare void @llvm.nvvm.barrier0()
declare float @__nv_sinf(float)
!6 = !{i32 1, i32 0}
!7 = !{!"none", !"none"}
!8 = !{!"float*", !"int"}
!9 = !{!"const restrict", !""}
!10 = !{!"values", !"n"}
!11 = !{i32 64, i32 2, i32 1}
"""


def test_the_lines_of_a_file_that_the_host_reads(tmp_path: Path) -> None:
    path = tmp_path / "kernels" / "k.cl"
    path.parent.mkdir()
    path.write_text(KERNEL)
    assert with_lines(KERNEL, (tmp_path,), tmp_path).startswith(f'#line 1 "{path}"\n__kernel')
    # A program that puts text of its own before the file's.
    text = "#define N 4\n" + KERNEL
    lines = with_lines(text, (tmp_path,), tmp_path).splitlines()
    assert lines[lines.index(KERNEL.splitlines()[0]) - 1] == f'#line 1 "{path}"'


def test_the_lines_of_a_text_in_the_hosts_strings(tmp_path: Path) -> None:
    path = tmp_path / "host.c"
    path.write_text(EMBEDDED)
    assert with_lines(KERNEL, (tmp_path,), tmp_path).startswith(f'#line 3 "{path}"\n__kernel')


def test_lines_that_are_nowhere_are_those_of_a_copy(tmp_path: Path) -> None:
    first, *rest = with_lines(KERNEL, (tmp_path,), tmp_path).split("\n")
    (copy,) = tmp_path.glob("source-*.cl")
    assert (first, copy.read_text()) == (f'#line 1 "{copy}"', KERNEL)
    assert "\n".join(rest) == KERNEL


def test_build_options() -> None:
    given = build_options("-D N=4 -I inc -cl-std=CL2.0 -cl-nv-maxrregcount=32 -cl-nv-verbose")
    assert given.clang == ("-cl-std=CL2.0", "-D", "N=4", "-I", "inc")
    assert given.ptxas == ("--maxrregcount", "32")
    assert given.nvvm == ("-prec-div=0", "-prec-sqrt=0", "-ftz=0")
    assert given.unknown == ()
    exact = build_options("-cl-fp32-correctly-rounded-divide-sqrt -cl-denorms-are-zero")
    assert exact.nvvm == ("-prec-div=1", "-prec-sqrt=1", "-ftz=1")
    assert build_options("-fast -w").unknown == ("-fast",)


def test_kernels_and_their_arguments() -> None:
    (kernel,) = described_kernels(MODULE)
    assert list(kernel.lines) == [
        "kernel\tscale\t64\t2\t1",
        "argument\t1\tnone\tfloat*\tconst restrict\tvalues",
        "argument\t0\tnone\tint\t\tn",
    ]
    ptx = ".visible .entry scale(\n\t.param .u64 scale_param_0\n)\n{\n"
    assert ")\n.reqntid 64, 2, 1\n{" in with_required_sizes(ptx, (kernel,))


def test_functions_that_no_library_has_are_named_as_in_opencl() -> None:
    assert missing_functions(MODULE) == ("printf", "absent_name")


def test_the_text_for_libnvvm() -> None:
    text = older(
        "target datalayout = \"e-i64:64\"\n"
        "define dso_local spir_kernel void @k(i32 noundef %n) #0 {\n"
        "  %a = fneg contract <2 x float> %v\n"
        "  %b = shufflevector <2 x float> %a, <2 x float> poison, <2 x i32> zeroinitializer\n"
        "  %c = phi contract float [ 1.0, %x ]\n"
        "}\n"
        "attributes #0 = { convergent mustprogress nounwind \"frame-pointer\"=\"all\" }\n"
        "!5 = !DILocation(line: 3, scope: !4)\n"
        '!6 = distinct !{!6, !5, !7}\n'
    )  # fmt: skip
    assert "define void @k(i32 %n) #0 {" in text
    assert "%a = fsub contract <2 x float> <float -0.0, float -0.0>, %v" in text
    assert "<2 x float> undef" in text
    assert "%c = phi float [" in text
    assert "attributes #0 = { convergent nounwind }" in text
    # Loops keep what is asked of them, and lose their lines.
    assert "!6 = distinct !{!6, !7}" in text


def test_libnvvm_is_taken_where_it_reads_what_clang_writes(tmp_path: Path) -> None:
    library = tmp_path / "lib" / "libnvvm.so.4"
    library.parent.mkdir()
    library.touch()
    assert find_nvvm(tmp_path, 86, "Debian clang version 14.0.6") == library
    assert find_nvvm(tmp_path, 86, "clang version 19.1.7") is None
    assert find_nvvm(tmp_path, 100, "Debian clang version 14.0.6") is None


def test_sources_that_use_opencl_are_compiled_for_the_host(tmp_path: Path) -> None:
    (tmp_path / "host.c").write_text(EMBEDDED)
    (tmp_path / "calls.cpp").write_text("void f() { clBuildProgram(p, 1, &d, 0, 0, 0); }\n")
    (tmp_path / "plain.c").write_text("int main() {}\n")
    assert sources_of(("host.c", "plain.c", "7"), tmp_path) == ("host.c", "plain.c")
    assert sources_of(("plain.c", "7"), tmp_path) == ()
    assert compiler_of([tmp_path / "host.c", tmp_path / "plain.c"]) == ["gcc"]
    assert compiler_of([tmp_path / "host.c", tmp_path / "calls.cpp"]) == ["g++"]
