"""Hosts in Python: kernels in their strings, and the launches that PyOpenCL makes."""

from __future__ import annotations

import gc
import time
import warnings
from pathlib import Path

import pytest

from roofline_analysis.host import HostResult, execute_host
from roofline_analysis.host.values import Pointer, Scalar
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.units import Program
from roofline_parsers.opencl.pyopencl.host import is_host
from roofline_parsers.opencl.pyopencl.text import runs_of
from roofline_parsers.reading.load import load_program

HOST = Path("/src/host.py")
Dims = tuple[int | float | None, ...] | None
HEAD = '''import numpy as np
import pyopencl as cl
ctx = cl.create_some_context()
queue = cl.CommandQueue(ctx)
prg = cl.Program(ctx, """
__kernel void twice(__global float *a, int n) { a[get_global_id(0)] *= 2; }
__kernel void tile(__global float *a, __local float *t) { a[get_global_id(1)] = t[0]; }
""").build()
'''


def load(source: str | bytes, **others: str) -> Program:
    """Read a host; ``others`` are kernel files beside it by name without suffix."""
    text = source.encode() if isinstance(source, str) else source
    files = {HOST: text} | {Path(f"/src/{n}.cl"): t.encode() for n, t in others.items()}
    return load_program(list(files), files.get)


def run(body: str, **others: str) -> HostResult:
    """Execute the lines after ``HEAD``."""
    result = execute_host(load(HEAD + body, **others), ())
    assert not [p for p in result.problems if p.message.startswith("internal")]
    return result


def numbers(dims: tuple[Expr, Expr, Expr] | None) -> Dims:
    """Extents as plain numbers, None for one that is not known."""
    return None if dims is None else tuple(dim.constant for dim in dims)


def shapes(result: HostResult) -> list[tuple[str, int, Dims, Dims]]:
    """Kernel, line, grid and block of each launch."""
    return [(x.kernel.name, x.line, numbers(x.grid), numbers(x.block)) for x in result.launches]


def bytes_of(result: HostResult, position: int) -> int | float | None:
    """The size of the buffer behind an argument of the first launch."""
    value = result.launches[0].args[position]
    assert isinstance(value, Pointer)
    assert value.buffer is not None
    assert value.buffer.size_bytes is not None
    return value.buffer.size_bytes.constant


def test_kernels_stand_where_they_are_written() -> None:
    kernels = [f for unit in load(HEAD).units for f in unit.functions if f.is_kernel]
    places = [(f.name, f.name_span.line, f.name_span.column, f.span.end_column) for f in kernels]
    assert places == [("twice", 6, 14, 75), ("tile", 7, 14, 87)]
    assert {f.path for f in kernels} == {HOST}


def test_call_of_a_kernel() -> None:
    result = run("""
n = 4096
buf = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, size=n * 4)
prg.twice(queue, (n,), (64,), buf, np.int32(n))
""")
    assert shapes(result) == [("twice", 12, (64, 1, 1), (64, 1, 1))]
    assert bytes_of(result, 0) == 16384
    value = result.launches[0].args[1]
    assert isinstance(value, Scalar)
    assert (value.value.constant, value.type_name) == (4096, "int")
    assert result.launches[0].certain
    assert result.problems == ()


@pytest.mark.parametrize(
    ("array", "grid", "size"),
    [
        ("np.random.rand(5000).astype(np.float32)", (20, 1, 1), 20000),
        ("np.zeros((32, 64), dtype=np.float32)", (1, 8, 1), 8192),
        ("np.arange(512, dtype='int8')", (2, 1, 1), 512),
        ("np.empty_like(np.ones(256))", (1, 1, 1), 2048),
        ("np.float32(np.random.random(2560))", (10, 1, 1), 10240),
    ],
)
def test_shape_of_an_array(array: str, grid: Dims, size: int) -> None:
    result = run(f"""
a = {array}
buf = cl.Buffer(ctx, cl.mem_flags.COPY_HOST_PTR, hostbuf=a)
prg.twice(queue, a.shape, None, buf, 1)
""")
    assert numbers(result.launches[0].grid) == grid
    assert bytes_of(result, 0) == size


def test_array_of_the_device() -> None:
    result = run("""
import pyopencl.array as cl_array
a = cl_array.to_device(queue, np.zeros(1024, dtype=np.float32))
prg.twice(queue, (a.size,), None, a.data, a.shape[0])
""")
    assert shapes(result) == [("twice", 12, (4, 1, 1), (256, 1, 1))]
    assert bytes_of(result, 0) == 4096


@pytest.mark.parametrize("made", ["prg.tile", 'cl.Kernel(prg, "tile")'])
def test_kernel_object(made: str) -> None:
    result = run(f"""
knl = {made}
buf = cl.Buffer(ctx, 0, 1024)
knl.set_args(buf, cl.LocalMemory(4 * 16))
cl.enqueue_nd_range_kernel(queue, knl, (64, 32), (16, 1))
knl(queue, [128, 2 ** 4], None, buf, cl.LocalMemory(8))
""")
    assert shapes(result) == [
        ("tile", 13, (4, 32, 1), (16, 1, 1)),
        ("tile", 14, (1, 8, 1), (128, 2, 1)),
    ]
    shared = [launch.shared_bytes for launch in result.launches]
    assert [x.constant for x in shared if x is not None] == [64, 8]


def test_functions_classes_and_loops() -> None:
    result = run("""
class Solver:
    def __init__(self, size):
        self.size = size
        self.queue = cl.CommandQueue(ctx)
        self.buf = cl.Buffer(ctx, 0, size * 4)

    def step(self, times=1):
        for i in range(10):
            prg.twice(self.queue, (self.size // 2,), (32,), self.buf, i)

def main():
    solver = Solver(256)
    solver.step()

if __name__ == "__main__":
    main()
""")
    assert shapes(result) == [("twice", 18, (4, 1, 1), (32, 1, 1))]
    assert bytes_of(result, 0) == 1024
    repeat = result.launches[0].repeat
    assert repeat is not None
    assert repeat.constant == 10


def test_size_of_the_command_line() -> None:
    source = HEAD + "import sys\nn = int(sys.argv[1])\nprg.twice(queue, (n,), (16,), None, n)\n"
    result = execute_host(load(source), ("640",))
    assert shapes(result) == [("twice", 11, (40, 1, 1), (16, 1, 1))]


def test_kernel_file_beside() -> None:
    result = run(
        """
other = cl.Program(ctx, open("k.cl").read()).build()
other.third(queue, (96,), (32,), None)
""",
        k="__kernel void third(__global int *a) {}",
    )
    assert shapes(result) == [("third", 11, (3, 1, 1), (32, 1, 1))]


def test_unknown_sizes_are_named() -> None:
    result = run("prg.twice(queue, load().shape, (32,), None, 1)\n")
    assert shapes(result) == [("twice", 9, None, (32, 1, 1))]
    assert [p.message for p in result.problems] == ["the global size of 'twice' is not known"]


class TestStrings:
    """Kernels in strings that are put together."""

    def names(self, source: str) -> list[tuple[str, int]]:
        """Name and line of the kernels of a file."""
        units = load("import pyopencl\n" + source).units
        return [(f.name, f.span.line) for u in units for f in u.functions if f.is_kernel]

    def test_side_by_side(self) -> None:
        source = 's = ("__kernel void f(__global int *a) {"\n     "  a[0] = 1;"\n     "}")\n'
        assert self.names(source) == [("f", 2)]

    def test_formatted(self) -> None:
        source = (
            "N = 8\n"
            's = f"""\n__kernel void f(__global int *a) {{ a[0] = {N}; }}\n"""\n'
            't = """\n__kernel void g(__global int *a) { a[0] = %(M)d; }\n""" % {"M": 4}\n'
        )
        assert self.names(source) == [("f", 4), ("g", 7)]
        units = load("import pyopencl\n" + source).units
        values = [
            f.body.body[0].expression.value.value  # type: ignore[attr-defined]
            for u in units
            for f in u.functions
            if f.is_kernel and f.body is not None
        ]
        assert values == [8, 4]

    def test_escapes(self) -> None:
        source = r's = "#define A 1\n__kernel void f(__global int *a) { a[0] = A; }"'
        assert self.names(source) == [("f", 2)]

    def test_characters_outside_ascii(self) -> None:
        source = 'é = "µ"; s = "__kernel void f() {}"\n'
        units = load("import pyopencl\n" + source).units
        (kernel,) = [f for u in units for f in u.functions if f.is_kernel]
        assert kernel.name_span.column == source.encode().index(b"f()")


def test_what_is_generated_is_reported() -> None:
    source = "import pyopencl\nfrom pyopencl.elementwise import ElementwiseKernel\n"
    source += 'k = ElementwiseKernel(ctx, "float *x", "x[i] = 1")\n'
    (unit,) = load(source).units
    (problem,) = unit.problems
    assert problem.line == 3
    assert problem.message.startswith("ElementwiseKernel makes its kernel when the program runs")


@pytest.mark.parametrize(
    "source",
    [
        b"import pyopencl\ndef f(:\n",
        b'import pyopencl\ns = """__kernel void f() {',
        b"import pyopencl\n\xff\x00",
        b"import pyopencl\nx = " + b"(" * 400 + b")" * 400,
        b"import pyopencl\nprg.f(queue)\nprg.f()\nlambda: 0\n[x for x in y]\nx: int\ndel x\n",
    ],
)
def test_odd_sources_give_no_exception(source: bytes) -> None:
    execute_host(load(source), ())


def test_python_that_its_own_parser_gives_up() -> None:
    units = load("import pyopencl\nx = " + "-" * 300_000 + "1\n").units
    assert [p.message for u in units for p in u.problems] == ["this is not valid Python"]


def test_columns_in_long_lines_cost_as_much_as_the_lines() -> None:
    """Each string was looked for from its line's beginning: 40,000 of them took 4 s."""
    source = "x = [" + "'é', 'abc', " * 20_000 + "'__kernel void k() {}']"
    short = source[: len(source) // 4]
    seconds = []
    gc.disable()  # A collection takes as long as all that the process holds, whoever starts it.
    try:
        for text in (short, source):
            started = time.process_time()
            runs = runs_of(text, {})
            seconds.append(time.process_time() - started)
    finally:
        gc.enable()
    assert seconds[1] < 10 * seconds[0], "four times the text takes four times as long, not sixteen"
    assert len(runs) == 40_001
    assert runs[-1].chars[0].column == len(source[: source.index("__kernel")].encode())
    assert [char.column for char in runs[2].chars] == [len("x = ['é', 'abc', '".encode())] * 2


def test_broken_python_still_gives_its_kernels() -> None:
    units = load('import pyopencl\ns = "__kernel void f() {}"\ndef g(:\n').units
    assert [f.name for u in units for f in u.functions if f.is_kernel] == ["f"]
    assert [p.message for u in units for p in u.problems] == ["this is not valid Python"]


def test_only_files_that_use_pyopencl_are_hosts() -> None:
    assert is_host(b"import pyopencl as cl")
    assert is_host(b"from pyopencl.array import Array")
    assert not is_host(b"import numpy  # not_pyopencl_at_all")
    assert load("prg.f(queue, (1,), None)\n").units == ()


def test_methods_of_several_classes() -> None:
    result = run("""
class One:
    def __init__(self, n):
        self.n = n
    def __call__(self, buf):
        prg.twice(queue, (self.n,), (8,), buf, 1).wait()
    def run(self, buf):
        prg.twice(queue, (self.n * 2,), (8,), buf, 1)

class Two:
    def __init__(self):
        self.n = 800
    def run(self, buf):
        try:
            prg.twice(queue, (self.n,), (8,), buf, 1)
            raise ValueError
        except ValueError:
            pass

one, two = One(80), Two()
one(None)
two.run(None)
one.run(None)
""")
    assert [(line, grid) for _, line, grid, _ in shapes(result)] == [
        (14, (10, 1, 1)),
        (23, (100, 1, 1)),
        (16, (20, 1, 1)),
    ]


def test_python_does_not_warn_about_the_file() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ((kernel, *_),) = shapes(run("pattern = '\\d'\nprg.twice(queue, (64,), (32,), None, 3)\n"))
    assert kernel == "twice"
