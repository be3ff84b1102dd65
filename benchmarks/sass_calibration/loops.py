"""Whole kernels and loops to measure: what surrounds the operations of a source line.

A loop's cost is that of one iteration: the same kernel run with two trip counts, the difference
divided by the difference of the trips. Iterations that the compiler unrolls are thus averaged, and
``branches`` is the inverse of the unroll factor. A kernel's cost is that of one active thread.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import toolchain
from .classify import FIELDS
from .elf import read_constants
from .machine import Machine, parameter_bytes
from .measure import UNITS, Cost, count, encode

SHORT_TRIP, LONG_TRIP = 64, 192
_WIDTH = 64
_POINTERS = (0x1000_0000, 0x2000_0000, 0x3000_0000)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A kernel body over ``a``, ``b``, ``c`` (pointers to T), ``n`` (the trip count) and ``m``."""

    section: str
    """``loops``: cost per iteration; ``kernels``: cost of a thread."""
    key: str
    body: str
    element: str = "float"
    qualifier: str = ""
    """``__restrict__`` for pointers that promise not to overlap."""


_SUM = "T s = 0; for (int i = 0; i < n; i++) s += {}; *c = s;"
_ROW_COLUMN = """int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;"""
_GEMM = """T s = 0;
  {} for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * m + col];
  c[row * m + col] = s;"""
_THREAD = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
_STENCIL = """int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x > 0 && x < n - 1 && y > 0 && y < m - 1)
    c[y * n + x] = 0.2f * (a[y * n + x] + a[y * n + x - 1] + a[y * n + x + 1]
                           + a[(y - 1) * n + x] + a[(y + 1) * n + x]);"""

SNIPPETS: tuple[Snippet, ...] = (
    Snippet("loops", "s += a[i]", _SUM.format("a[i]")),
    Snippet("loops", "s += a[i], unroll 1", "#pragma unroll 1\n".join(
        ("T s = 0;\n", _SUM.format("a[i]").removeprefix("T s = 0; ")))),
    Snippet("loops", "s += a[i] (double)", _SUM.format("a[i]"), "double"),
    Snippet("loops", "s += a[i], i unsigned", _SUM.format("a[i]").replace("int i", "unsigned i")),
    Snippet("loops", "s += a[i], i size_t", _SUM.format("a[i]").replace("int i", "size_t i")),
    Snippet("loops", "s += a[i * m]", _SUM.format("a[i * m]")),
    Snippet("loops", "s += a[i] * b[i]", _SUM.format("a[i] * b[i]")),
    Snippet("loops", "s += a[b[i]]", _SUM.format("a[(int)b[i]]")),
    Snippet("loops", "s += expf(a[i])", _SUM.format("expf(a[i])")),
    Snippet("loops", "s += a[i] / b[i]", _SUM.format("a[i] / b[i]")),
    Snippet("loops", "c[i] = a[i] + 1", "for (int i = 0; i < n; i++) c[i] = a[i] + 1;"),
    Snippet("loops", "c[i] = a[i] + 1 (restrict)", "for (int i = 0; i < n; i++) c[i] = a[i] + 1;",
            qualifier="__restrict__"),
    Snippet("loops", "grid stride c[i] = a[i]",
            "for (int i = threadIdx.x; i < n * 64; i += m) c[i] = a[i];"),
    Snippet("loops", "s = s * m + i (int)",
            "int s = m; for (int i = 0; i < n; i++) s = s * m + i; *(int *)c = s;"),
    Snippet("loops", "gemm: s += a[row * n + k] * b[k * m + col]",
            _ROW_COLUMN + _GEMM.format("")),
    Snippet("loops", "gemm, unroll 1", _ROW_COLUMN + _GEMM.format("\n#pragma unroll 1\n")),
    Snippet("loops", "gemm (double)", _ROW_COLUMN + _GEMM.format(""), "double"),
    Snippet("kernels", "copy", _THREAD + "if (i < n) c[i] = a[i];"),
    Snippet("kernels", "saxpy", _THREAD + "if (i < n) c[i] = 2.5f * a[i] + c[i];"),
    Snippet("kernels", "saxpy (double)", _THREAD + "if (i < n) c[i] = 2.5 * a[i] + c[i];",
            "double"),
    Snippet("kernels", "vector add", _THREAD + "if (i < n) c[i] = a[i] + b[i];"),
    Snippet("kernels", "saxpy (size_t index)", "size_t i = blockIdx.x * (size_t)blockDim.x + "
            "threadIdx.x; if (i < (size_t)n) c[i] = 2.5f * a[i] + c[i];"),
    Snippet("kernels", "stencil of 3 points", _THREAD + "if (i > 0 && i < n - 1) "
            "c[i] = 0.3f * (a[i - 1] + a[i] + a[i + 1]);"),
    Snippet("kernels", "stencil of 5 points", _STENCIL),
)  # fmt: skip
"""Bodies whose pointers' element type is ``T``."""


def measure_snippets(nvcc: str, cuobjdump: str) -> list[tuple[Snippet, Cost]]:
    """Return each snippet's cost."""
    with tempfile.TemporaryDirectory() as name:
        source = "\n".join(_kernel(f"snippet{i}", s) for i, s in enumerate(SNIPPETS))
        cubin = toolchain.compile_source(nvcc, source, Path(name), "snippets")
        kernels, constants = toolchain.disassemble(cuobjdump, cubin), read_constants(cubin)

    def totals(number: int, trip: int) -> dict[str, int]:
        """The operations of one run of a snippet whose loop has ``trip`` trips."""
        machine = Machine(f"snippet{number}", constants, _parameters(trip))
        one = encode(SNIPPETS[number].element, 1.0)
        size = 8 if SNIPPETS[number].element == "double" else 4
        for at in range(0, LONG_TRIP * size, size):  # so that no quotient is special
            for pointer in _POINTERS:
                machine.store(pointer + at, one, size)
        machine.run(kernels[f"snippet{number}"], UNITS)
        return count(machine).totals()

    results: list[tuple[Snippet, Cost]] = []
    for number, snippet in enumerate(SNIPPETS):
        cost: Cost = {k: float(v) for k, v in totals(number, LONG_TRIP).items()}
        if snippet.section == "loops":
            short = totals(number, SHORT_TRIP)
            cost = {f: (cost[f] - short[f]) / (LONG_TRIP - SHORT_TRIP) for f in FIELDS}
        results.append((snippet, cost))
    return results


def _kernel(name: str, snippet: Snippet) -> str:
    pointer = f"{snippet.element} *{snippet.qualifier}"
    body = snippet.body.replace("T s", f"{snippet.element} s")
    return (f'extern "C" __global__ void {name}(const {pointer} a, const {pointer} b, '
            f"{pointer} c, int n, int m) {{\n  {body}\n}}")  # fmt: skip


def _parameters(trip: int) -> bytes:
    return parameter_bytes(*_POINTERS, trip | _WIDTH << 32)
