"""No bytes make the preprocessor or a front end raise."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roofline_core.program.units import Dialect
from roofline_parsers.cuda import parse_unit
from roofline_parsers.openmp.directives import read_directive
from roofline_parsers.preprocess import PreprocessOptions, preprocess
from roofline_parsers.reading.extensions import EXTENSIONS
from roofline_parsers.reading.load import load_program

from .reading import functions_of, kernels_of, nodes

SOURCES = {
    Dialect.CUDA: "reduce.cu",
    Dialect.HIP: "stencil.hip",
    Dialect.OPENCL: "blur.cl",
    Dialect.OPENMP: "jacobi.cpp",
}
TEXTS = {
    dialect: (Path(__file__).parent / "sources" / name).read_bytes()
    for dialect, name in SOURCES.items()
}
HOSTS = {
    "host.cpp": b"""#include <CL/cl.h>
#define STR(x) #x
static const char *source = "__kernel void add(__global const float *a, int n) {\\n"
  "  int i = get_global_id(0); if (i < n) { a[i] += 1.0f; }\\n" "}\\n";
const char *other = STR(__kernel void scale(__global float *a) { a[get_global_id(0)] *= 2; });
const char *raw = R"(
kernel void copy(global int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0)]; }
)";
int main() {
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  cl_kernel kernel = clCreateKernel(program, "add", &status);
  size_t global[1] = {1024}, local[1] = {64};
  clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, local, 0, NULL, NULL);
}
""",
    "host.py": b"""import numpy as np
import pyopencl as cl
N = 1 << 20
SOURCE = f\'\'\'
#define N {N}
__kernel void add(__global const float *a, __global float *b) {{
  int i = get_global_id(0);
  b[i] += a[i];
}}
\'\'\'
def main(n=N):
    program = cl.Program(context, SOURCE).build("-DX=1")
    a = np.zeros((n, 4), dtype=np.float32)
    for step in range(10):
        program.add(queue, (n,), (64,), cl.Buffer(context, flags, hostbuf=a), None)
    if n > 3: program.add(queue, a.shape, None, a.data)
main()
""",
}
LENIENT = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
PIECES = st.one_of(
    st.binary(max_size=12),
    st.sampled_from(
        b'{ } ( ) [ ] ; , < > <<< >>> :: \\\n # ## #if #endif #else #define /* */ // " \' R"( '
        b"template __global__ __kernel kernel __local struct operator return case".split(b" ")
    ),
    st.sampled_from(
        [
            b"\n#pragma omp target teams distribute parallel for\n",
            b"\n#pragma omp parallel for reduction(+ : ",
            b"\n#pragma omp target map(to : a[0 :\n",
            b"\n#pragma omp end declare target\n",
            b'_Pragma("omp target")',
            b"__attribute__((reqd_work_group_size(",
            b"(float4)(",
            b"\n#define AT(x) x\nAT(",
            b"hipLaunchKernelGGL(",
        ]
    ),
)
WORDS = st.sampled_from(
    [
        *("target", "teams", "distribute", "parallel", "for", "simd", "loop", "declare", "data"),
        *("enter", "map", "reduction", "schedule", "collapse", "num_teams", "if", "private"),
        *("(", ")", "[", "]", ":", ",", "+", "a", "a[0:n]", "2", "static", "max", "to", "é", '"'),
        *("metadirective", "when", "device", "=", "{", "}", "omp", "#pragma", "\\", "&&", "<"),
    ]
)


def read_all(dialect: Dialect, text: bytes) -> int:
    """Reads everything there is in a text; the number of nodes."""
    options = PreprocessOptions(dialect=dialect)
    pre = preprocess(Path(SOURCES[dialect]), text, options, lambda path: None)
    assert pre.text.count(b"\n") == text.count(b"\n")
    unit = parse_unit(pre, extensions=EXTENSIONS)
    return sum(1 for function in functions_of(unit) for _ in nodes((function, function.body)))


def spliced(text: bytes, splices: Sequence[tuple[float, int, bytes]]) -> bytes:
    """The text with pieces put in: each at a share of its length, in the place of some bytes."""
    for place, length, piece in splices:
        start = int(place * len(text))
        text = text[:start] + piece + text[start + length :]
    return text


@pytest.mark.parametrize("dialect", SOURCES)
def test_the_sources_themselves(dialect: Dialect) -> None:
    assert read_all(dialect, TEXTS[dialect]) > 300


@pytest.mark.parametrize("dialect", SOURCES)
@LENIENT
@given(splices=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 60), PIECES), max_size=5))
def test_splices(dialect: Dialect, splices: list[tuple[float, int, bytes]]) -> None:
    read_all(dialect, spliced(TEXTS[dialect], splices))


def kernels_in(name: str, text: bytes) -> set[str]:
    program = load_program([Path(name)], lambda path: text if path == Path(name) else None)
    return {name for name, _ in kernels_of(program, Path(name))}


def test_the_hosts_themselves() -> None:
    assert kernels_in("host.cpp", HOSTS["host.cpp"]) == {"add", "scale", "copy"}
    assert kernels_in("host.py", HOSTS["host.py"]) == {"add"}


@pytest.mark.parametrize("name", HOSTS)
@LENIENT
@given(splices=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 30), PIECES), max_size=4))
def test_splices_in_hosts(name: str, splices: list[tuple[float, int, bytes]]) -> None:
    kernels_in(name, spliced(HOSTS[name], splices))


@pytest.mark.parametrize("dialect", SOURCES)
@LENIENT
@given(start=st.floats(0, 1), length=st.floats(0, 1), again=st.floats(0, 1))
def test_parts_in_other_places(dialect: Dialect, start: float, length: float, again: float) -> None:
    text = TEXTS[dialect]
    begin = int(start * len(text))
    part = text[begin : begin + int(length * 600)]
    place = int(again * len(text))
    read_all(dialect, text[:place] + part + text[place:])


@pytest.mark.parametrize("dialect", SOURCES)
@LENIENT
@given(pieces=st.lists(PIECES, max_size=40))
def test_pieces_alone(dialect: Dialect, pieces: list[bytes]) -> None:
    read_all(dialect, b" ".join(pieces))
    read_all(dialect, b"void f() { " + b" ".join(pieces))


@settings(max_examples=300, deadline=None)
@given(words=st.lists(WORDS, max_size=16), joined=st.booleans())
def test_directives(words: list[str], joined: bool) -> None:
    directive = read_directive("#pragma omp " + ("" if joined else " ").join(words), 3)
    assert directive is None or directive.line == 3


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=60))
def test_directives_of_any_text(text: str) -> None:
    read_directive("#pragma omp target " + text, 1)
    read_directive(text, 1)
