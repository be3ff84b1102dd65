"""Kernels in the strings of C and C++ hosts: found, and placed where they are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from roofline_core.program.units import Dialect, Function, Program
from roofline_parsers.opencl.embedded import may_embed
from roofline_parsers.opencl.mentions import build_defines, kernel_files
from roofline_parsers.reading.load import load_program

HOST = Path("/src/host.cpp")


def load(source: str | bytes, **others: str) -> Program:
    """Read a host; ``others`` are headers beside it by name without suffix."""
    text = source.encode() if isinstance(source, str) else source
    files = {HOST: text} | {Path(f"/src/{n}.h"): t.encode() for n, t in others.items()}
    return load_program([HOST], files.get)


def kernels(program: Program) -> dict[str, Function]:
    """OpenCL kernels by name; each name once."""
    found = [
        f
        for unit in program.units
        for f in unit.functions
        if f.is_kernel and f.dialect is Dialect.OPENCL
    ]
    assert len({f.name for f in found}) == len(found)
    return {f.name: f for f in found}


def only_statement(function: Function) -> Any:
    """The one statement of a body."""
    assert function.body is not None
    (statement,) = function.body.body
    return statement


def spans(source: str) -> dict[str, tuple[int, int, int, int]]:
    """Where each kernel's name starts and where the kernel ends."""
    return {
        name: (f.name_span.line, f.name_span.column, f.span.end_line, f.span.end_column)
        for name, f in kernels(load(source)).items()
    }


class TestForms:
    """The ways in which sources hold kernels."""

    def test_quoted_lines(self) -> None:
        source = """#include <CL/cl.h>
const char *src =
  "__kernel void f(__global float *a)\\n"
  "{\\n"   // a comment
  "  a[get_global_id(0)] = 1.0f;\\n"
  "}\\n";
"""
        assert spans(source) == {"f": (3, 17, 6, 4)}
        statement = only_statement(kernels(load(source))["f"])
        assert statement.line == 5

    def test_raw_string_keeps_columns(self) -> None:
        source = """const char *src = R"CLC(
  __kernel void g(__global int *a) { // not "the end"
    a[0] = 2; }
)CLC";
"""
        assert spans(source) == {"g": (2, 16, 3, 15)}

    def test_continued_string(self) -> None:
        source = 'const char *s = "\\\n__kernel void h(int n) {\\n\\\n  int x = n;\\n\\\n}\\n";\n'
        assert spans(source) == {"h": (2, 14, 4, 1)}

    @pytest.mark.parametrize(
        "define",
        [
            "#define STR(...) #__VA_ARGS__",
            "#define STR(x...) #x",
            "#define STR_(x) #x\n#define STR(x) STR_(x)",
        ],
    )
    def test_macro_that_makes_a_string(self, define: str) -> None:
        source = f"""{define}
const char *s = STR(
__kernel void k(__global float *a) {{
  a[0] = 1;
}}
);
"""
        first = define.count("\n") + 3
        assert spans(source) == {"k": (first, 14, first + 2, 1)}

    def test_macro_with_a_name_first(self) -> None:
        source = """#define KERNEL(name, ...) const char *name = #__VA_ARGS__;
KERNEL(text, __kernel void k(int a, int b) { int c = a, d = b; })
"""
        assert spans(source) == {"k": (2, 27, 2, 64)}

    def test_number_of_the_host_between(self) -> None:
        source = """#define STR(x) #x
#define XSTR(x) STR(x)
#define N 16
const char *s = "__kernel void f(__global int *a) { a[0] = " XSTR(N) "; }";
"""
        kernel = kernels(load(source))["f"]
        statement = only_statement(kernel)
        assert statement.expression.value.value == 16

    def test_text_in_a_macro_counts_once(self) -> None:
        source = """#define SRC "__kernel void m(int n) { }"
const char *a = SRC, *b = SRC;
"""
        assert spans(source) == {"m": (1, 27, 1, 39)}

    def test_text_in_a_header(self) -> None:
        program = load('#include "k.h"\n', k='static const char *s = "__kernel void f() {}";\n')
        (kernel,) = kernels(program).values()
        assert kernel.path == Path("/src/k.h")
        assert (kernel.name_span.line, kernel.name_span.column) == (1, 38)

    def test_list_of_strings(self) -> None:
        source = """const char *s[] = {
  "__kernel void f(__global int *a, ",
  "int n)",
  "{",
  "  a[0] = n;",
  "}"
};
"""
        assert spans(source) == {"f": (2, 17, 6, 4)}


class TestText:
    """What the text of a string becomes."""

    def test_helpers_and_macros_of_another_string(self) -> None:
        source = r"""
const char *head = "#define TWO 2\n"
                   "float twice(float x) { return TWO * x; }\n";
const char *main_ = "__kernel void f(__global float *a) { a[0] = twice(a[0]); }\n";
"""
        program = load(source)
        (unit,) = [u for u in program.units if any(f.is_kernel for f in u.functions)]
        assert [(f.name, f.span.line) for f in unit.functions] == [("twice", 3), ("f", 4)]
        assert unit.macros["TWO"] == "2"

    def test_directives_that_share_a_line(self) -> None:
        source = """

const char *s = "#define A 3\\n#define B 4\\n__kernel void f(__global int *a) { a[A] = B; }";
"""
        program = load(source)
        kernel = kernels(program)["f"]
        assert kernel.name_span.line == 3
        statement = only_statement(kernel)
        assert statement.expression.value.value == 4
        assert statement.expression.target.index.value == 3

    def test_directives_without_a_line_to_stand_on(self) -> None:
        source = 'const char *s = "#define A 3\\n__kernel void f(__global int *a) { a[0] = A; }";'
        kernel = kernels(load(source))["f"]
        statement = only_statement(kernel)
        assert statement.expression.value.value == 3

    def test_directive_over_several_lines(self) -> None:
        source = """const char *s =
"#define MAD(a, b)      "
"   ((a) * (b))\\n"
"__kernel void f(__global int *a) { a[0] = MAD(a[1], 2); }";
"""
        statement = only_statement(kernels(load(source))["f"])
        assert statement.expression.value.op == "*"

    def test_comments_end_with_the_line_of_the_text(self) -> None:
        source = 'const char *s = "// a\\n__kernel void f(int n) { // b\\nint x = n; }";'
        kernel = kernels(load(source))["f"]
        statement = only_statement(kernel)
        assert statement.variables[0].name == "x"

    def test_escaped_quotes(self) -> None:
        source = r'const char *s = "__kernel void f(int n) { printf(\"%d\\n\", n); }";'
        kernel = kernels(load(source))["f"]
        statement = only_statement(kernel)
        assert statement.expression.args[0].value.replace(" ", "") == "%d\n"

    def test_host_macros_stay_out_of_quoted_text(self) -> None:
        source = '#define n 5\nconst char *s = "__kernel void f(int n) { int x = n; }";'
        assert kernels(load(source))["f"].params[0].name == "n"

    def test_options_of_the_build_are_defined(self) -> None:
        source = """const char *s = "__kernel void f(__global T *a) { a[0] = N; }";
void b() { clBuildProgram(p, 1, &d, "-cl-mad-enable -DN=7 -D T=float", 0, 0); }
"""
        kernel = kernels(load(source))["f"]
        assert kernel.params[0].type.name == "float"
        statement = only_statement(kernel)
        assert statement.expression.value.value == 7


class TestLeftOut:
    """What is no kernel."""

    @pytest.mark.parametrize(
        "source",
        [
            '// "__kernel void f() {}"\n',
            '#if 0\nconst char *s = "__kernel void f() {}";\n#endif\n',
            'void f() { puts("the kernel void of meaning"); }\n',
            "__kernel void f() {}\n",
        ],
    )
    def test_no_kernel(self, source: str) -> None:
        assert kernels(load(source)) == {}

    def test_messages_stay_out(self) -> None:
        source = """const char *s = "__kernel void f(int n) {}";
void g() { printf("usage: %s n\\n", "a"); }
"""
        program = load(source)
        assert list(kernels(program)) == ["f"]
        assert [p for unit in program.units for p in unit.problems] == []


@pytest.mark.parametrize(
    "source",
    [
        b'const char *s = "__kernel void f(',
        b'const char *s = R"(__kernel void f() {',
        b"#define S(x) #x\nconst char *s = S(__kernel void f() {",
        b'const char *s = "__kernel void \\x',
        b'"__kernel void f() {}\\',
        b'\xff"__kernel void \xff() {}"\x00',
    ],
)
def test_broken_text_gives_no_exception(source: bytes) -> None:
    kernels(load(source))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b'"__kernel void f() {}"', True),
        (b'"kernel\\n" "void f() {}"', True),
        (b"STR(kernel __attribute__((x)) void f)", True),
        (b"clSetKernelArg(kernel, 0, 4, (void *)&a);", False),
        (b"cl_kernel kernel; void f();", False),
    ],
)
def test_gate(source: bytes, expected: bool) -> None:
    assert may_embed(source) is expected


def test_kernel_files_in_strings() -> None:
    source = b'load("a.cl"); load("dir/b.cl"); load(\'a.cl\'); x("c.clx"); y(".cl"); z.cl'
    assert kernel_files(source) == ("a.cl", "dir/b.cl")


def test_build_options_in_strings() -> None:
    source = rb'f("-D A -DB=2 -Dno=%d", "-DB=3"); g("x-DC"); s += " -DE=1.5f"; h("-DF=" + n);'
    found = build_defines({Path("a.c"): source, Path("b.c"): None})
    assert found == (("A", "1"), ("B", "2"), ("E", "1.5f"))


def test_build_options_with_parameters() -> None:
    source = rb'f("-D XM2S(x)=#x "); f("-D M2S(x)=XM2S(x)"); f("-D PAIR(a,b)=a##b -DN()=1");'
    assert build_defines({Path("a.c"): source}) == (
        ("XM2S(x)", "#x"),
        ("M2S(x)", "XM2S(x)"),
        ("PAIR(a,b)", "a##b"),
        ("N()", "1"),
    )


def test_kernels_in_strings_have_the_options_of_other_files_of_their_program() -> None:
    files = {
        Path("/src/a.cpp"): b'auto o = "-DREAL=double";',
        Path("/src/b.cpp"): b'auto k = "__kernel void f(__global REAL *x) { x[0] = 1; }";',
    }
    program = load_program(list(files), files.get)
    (kernel,) = (f for unit in program.units for f in unit.functions if f.is_kernel)
    assert kernel.params[0].type.name == "double"


def test_build_options_for_16_bit_numbers_give_way_to_others() -> None:
    half = b'o = "-DREAL=half -DREAD=read_imageh -DHAS_FP16";'
    full = b'else o = "-DREAL=float -DREAD=read_imagef";'
    found = build_defines({Path("a.c"): half + full + b'p = "-DTILE=4 -DTILE=8";'})
    assert dict(found) == {"REAL": "float", "READ": "read_imagef", "TILE": "4"}
    assert dict(build_defines({Path("a.c"): half}))["REAL"] == "half"
