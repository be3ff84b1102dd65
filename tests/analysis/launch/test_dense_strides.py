"""Strides that no launch fixes are those of dense arrays."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.device.summary import summarise
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.launch.binding import Binding, bind
from roofline_parsers.reading.load import load_program

INDICES = """int x = blockIdx.x * blockDim.x + threadIdx.x;
             int y = blockIdx.y * blockDim.y + threadIdx.y;"""


def bound(source: str, grid: tuple[int, int, int], block: tuple[int, int, int]) -> Binding:
    path = Path("/src/kernel.cu")
    program = load_program([path], lambda _: source.encode())
    (kernel,) = (function for function in program.units[0].functions if function.is_kernel)
    return bind(summarise(kernel, TypeSystem(Symbols(program))), None, grid, block)


def numbers(binding: Binding) -> dict[str, float]:
    return {symbol.name: number for symbol, number in binding.values.items()}


@pytest.mark.parametrize(("element", "size"), [("float", 4), ("double", 8), ("uchar3", 3)])
def test_bytes_of_a_row(element: str, size: int) -> None:
    found = bound(
        f"""__global__ void k(const char *a, {element} *b, size_t step) {{ {INDICES}
            b[y * 640 + x] = *(const {element} *)(a + y * step + x * sizeof({element})); }}""",
        (20, 60, 1),
        (32, 8, 1),
    )
    assert numbers(found)["step"] == 640 * size
    assert [unknown.name for unknown in found.unknowns] == ["step"]


def test_the_stride_of_neighbouring_threads_is_the_inner_one() -> None:
    found = bound(
        f"__global__ void k(float *a, int s, int t) {{ {INDICES} a[y * s + x * t] = 1; }}",
        (8, 4, 1),
        (32, 8, 1),
    )
    assert numbers(found)["t"] == 1
    assert numbers(found)["s"] == 256


def test_later_dimensions_of_a_tensor_are_inner_ones() -> None:
    found = bound(
        """struct View { float *p; int s[3]; };
           __global__ void k(View v) { for (int c = 0; c < 5; ++c)
             v.p[threadIdx.x * v.s[0] + blockIdx.x * v.s[1] + c * v.s[2]] = 1; }""",
        (12, 1, 1),
        (64, 1, 1),
    )
    assert {name: numbers(found)[name] for name in ("v.s[0]", "v.s[1]", "v.s[2]")} == {
        "v.s[2]": 1,
        "v.s[1]": 5,
        "v.s[0]": 60,
    }


def test_a_size_is_no_stride() -> None:
    found = bound(
        f"""__global__ void k(float *a, int n) {{ {INDICES}
            if (x < n) a[y * n + x] = 1; }}""",
        (8, 4, 1),
        (32, 8, 1),
    )
    assert numbers(found)["n"] == 256
    (unknown,) = found.unknowns
    assert "covered" in unknown.why


def test_nothing_is_said_where_data_decides_the_address() -> None:
    found = bound(
        "__global__ void k(const int *at, float *a, int s) { a[at[threadIdx.x] + s] = 1; }",
        (1, 1, 1),
        (64, 1, 1),
    )
    assert numbers(found)["s"] == 1024


def test_a_gather_from_the_rows_hides_them_not() -> None:
    found = bound(
        f"""__global__ void k(const int *at, const float *a, float *b, int s) {{ {INDICES}
            b[y * 256 + x] = a[y * s + x] - a[y * s + at[y]]; }}""",
        (8, 4, 1),
        (32, 8, 1),
    )
    assert numbers(found)["s"] == 256


def test_strides_that_cannot_be_solved_for_lie_apart() -> None:
    """A division by a multiplier hides the planes; these and rows are not laid over one another."""
    found = bound(
        """__global__ void k(const float *a, float *b, long s, long t, unsigned m) {
            long plane = blockIdx.z - __umulhi(blockIdx.z, m);
            b[(blockIdx.z * 64 + blockIdx.y) * 256 + threadIdx.x] =
              a[plane * t + blockIdx.y * s + threadIdx.x]; }""",
        (1, 64, 8),
        (256, 1, 1),
    )
    assert (numbers(found)["s"], numbers(found)["t"]) == (1024, 1024 * 64)


def test_what_several_accesses_take_side_by_side_is_one_row() -> None:
    found = bound(
        """__global__ void k(float *a, int s) {
             for (int i = 0; i < 256; i += 64) a[blockIdx.x * s + i + threadIdx.x] = 1; }""",
        (12, 1, 1),
        (64, 1, 1),
    )
    assert numbers(found)["s"] == 256


def test_what_lies_apart_is_no_row() -> None:
    found = bound(
        """__global__ void k(float *a, int s) {
             a[blockIdx.x * s + threadIdx.x] = 1; a[blockIdx.x * s + threadIdx.x + 4096] = 1; }""",
        (12, 1, 1),
        (64, 1, 1),
    )
    assert numbers(found)["s"] == 64


def test_what_an_index_is_divided_by_is_an_extent() -> None:
    """The rows of an image have room for its channels side by side."""
    found = bound(
        """__global__ void k(float *a, int pitch, int width, int height) {
             int c = blockIdx.x * blockDim.x + threadIdx.x, w = blockIdx.y, bh = blockIdx.z;
             int b = bh / height, h = bh % height;
             a[(b * height + h) * pitch + c * width + w] = 1; }""",
        (2, 30, 8),
        (16, 1, 1),
    )
    assert numbers(found)["width"] == 30
    assert numbers(found)["pitch"] == 30 * 32
