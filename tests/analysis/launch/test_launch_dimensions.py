"""Launches that were not found have the dimensions that the kernel makes use of."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.device.summary import summarise
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.launch.binding import bind
from roofline_core.program.dims import Dim3
from roofline_parsers.reading.load import load_program

INDICES = " ".join(
    f"int {axis} = blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis};" for axis in "xyz"
)


@pytest.mark.parametrize(
    ("body", "grid", "block"),
    [
        ("if (x < n) a[x] = 0;", (4096, 1, 1), (256, 1, 1)),
        ("if (x < n && y < n) a[y * n + x] = 0;", (64, 64, 1), (16, 16, 1)),
        ("if (x < n && y < n) a[y] = 0;", (1, 4096, 1), (1, 256, 1)),
        ("if (x < n && y < n && z < n) a[z * n + y] = 0;", (1, 64, 64), (1, 16, 16)),
        ("if (x < n && y < n && z < n) a[z * n + x] = 0;", (64, 1, 64), (16, 1, 16)),
        ("if (x < n && y < n && z < n) a[(z * n + y) * n + x] = 0;", (16, 16, 16), (8, 8, 4)),
        ("for (int i = x; i < n && y < n; i += 7) a[y] += i;", (64, 64, 1), (16, 16, 1)),
        ("if (x < n) a[0] = 0;", (4096, 1, 1), (256, 1, 1)),
        (
            "float r[4]; for (int i = 0; i < n; i++) r[i % 4] += a[x + i]; a[x] = r[n % 4];",
            (4096, 1, 1),
            (256, 1, 1),
        ),
    ],
)
def test_an_axis_that_conditions_alone_ask_for_has_one_thread(
    body: str, grid: Dim3, block: Dim3
) -> None:
    source = f"__global__ void k(float *a, int n) {{ {INDICES} {body} }}"
    program = load_program([Path("/src/kernel.cu")], lambda _: source.encode())
    (kernel,) = (function for function in program.units[0].functions if function.is_kernel)
    found = bind(summarise(kernel, TypeSystem(Symbols(program))), None)
    assert (found.grid, found.block) == (grid, block)
