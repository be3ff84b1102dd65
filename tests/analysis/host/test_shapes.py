"""Grid, block, shared memory and arguments of a launch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.values import Aggregate, Pointer, Scalar
from roofline_core.algebra.symbolic import apply

Run = Callable[..., Any]
"""A fixture that runs source text."""


@pytest.mark.parametrize(
    ("setup", "launch", "grid", "block"),
    [
        ("", "<<<4, 256>>>", (4, 1, 1), (256, 1, 1)),
        ("dim3 g(2, 3); dim3 b(8, 8, 4);", "<<<g, b>>>", (2, 3, 1), (8, 8, 4)),
        ("dim3 g = {5, 6}; dim3 b{7};", "<<<g, b>>>", (5, 6, 1), (7, 1, 1)),
        ("dim3 g; g.y = 9; g.x += 1;", "<<<g, dim3(1, 2)>>>", (2, 9, 1), (1, 2, 1)),
        ("int n = 1000;", "<<<(n + 255) / 256, 256>>>", (4, 1, 1), (256, 1, 1)),
        ("int n = 1000;", "<<<ceil(n / 256.0f), 256>>>", (4, 1, 1), (256, 1, 1)),
        ("dim3 a(3, 4); dim3 g = a; a.x = 8;", "<<<g, a>>>", (3, 4, 1), (8, 4, 1)),
        ("int s[2] = {16, 32};", "<<<s[0], s[1]>>>", (16, 1, 1), (32, 1, 1)),
    ],
)
def test_grid_and_block(
    main: Run, setup: str, launch: str, grid: tuple[int, ...], block: tuple[int, ...]
) -> None:
    (found,) = main(f"{setup} k{launch}(d, 0);")
    assert tuple(e.constant for e in found.grid) == grid
    assert tuple(e.constant for e in found.block) == block


def test_shared_bytes(main: Run) -> None:
    plain, dynamic = main("k<<<1, 64>>>(d, 1); k<<<1, 64, 64 * sizeof(float)>>>(d, 1);")
    assert plain.shared_bytes == 0
    assert dynamic.shared_bytes == 256


def test_arguments_carry_values_sizes_and_spaces(main: Run) -> None:
    (found,) = main(
        "int n = atoi(argv[1]); cudaMalloc((void**)&d, n * sizeof(float)); k<<<1, 1>>>(d, n);", "77"
    )
    pointer, count = found.args
    assert isinstance(pointer, Pointer)
    assert pointer.buffer is not None
    assert (pointer.buffer.name, pointer.buffer.space) == ("d", BufferSpace.DEVICE)
    assert pointer.buffer.size_bytes == 4 * 77
    assert isinstance(count, Scalar)
    assert count.value == 77
    assert count.origin is not None
    assert count.origin.text == "argv[1]"


def test_two_pointers_into_one_buffer_share_it(run: Run) -> None:
    result = run(
        """
        __global__ void k(float *a, float *b, float *c) {}
        int main() {
          float *d, *e;
          cudaMalloc(&d, 400); cudaMalloc(&e, 400);
          k<<<1, 1>>>(d, d + 50, e);
        }
        """
    )
    a, b, c = result.launches[0].args
    assert a.buffer is b.buffer
    assert a.buffer is not c.buffer
    assert b.offset_bytes == 200


def test_default_arguments_are_filled_in(run: Run) -> None:
    result = run("__global__ void k(int a, int b = 5) {} int main() { k<<<1, 1>>>(2); return 0; }")
    assert [a.value.constant for a in result.launches[0].args] == [2, 5]


def test_structs_are_passed_by_value(run: Run) -> None:
    result = run(
        """
        struct P { int n; float w[3]; };
        __global__ void k(P p) {}
        int main() { P p; p.n = 3; k<<<1, 1>>>(p); p.n = 4; k<<<2, 1>>>(p); }
        """
    )
    first, second = (launch.args[0] for launch in result.launches)
    assert isinstance(first, Aggregate)
    assert isinstance(first.fields["n"], Scalar)
    assert first.fields["n"].value == 3
    assert second.fields["n"].value == 4


def test_packed_arguments(run: Run) -> None:
    result = run(
        """
        __global__ void k(float *p, int n) {}
        int main() {
          float *d; int n = 12; cudaMalloc(&d, 48);
          void *args[] = {&d, &n};
          cudaLaunchKernel((void*)k, dim3(3), dim3(32), args, 128, 0);
        }
        """
    )
    (launch,) = result.launches
    assert [e.constant for e in launch.grid] == [3, 1, 1]
    assert launch.shared_bytes == 128
    assert launch.args[0].buffer.size_bytes == 48
    assert launch.args[1].value == 12


@pytest.mark.parametrize("equals", ["", " = "])
def test_packed_arguments_of_a_pack(run: Run, equals: str) -> None:
    """The array is made of the addresses of a template's arguments, with ``=`` or without."""
    result = run(
        f"""
        __global__ void k(float *p, int n) {{}}
        template <class... Each> void start(void (*kernel)(float *, int), const Each &... args) {{
          constexpr size_t count = sizeof...(Each);
          void *packed[count]{equals}{{(void *)&args...}};
          cudaLaunchKernel(reinterpret_cast<const void *>(kernel), 3, 32, packed, 0, 0);
        }}
        int main() {{ float *d; cudaMalloc(&d, 48); start(k, d, 12); }}
        """
    )
    (launch,) = result.launches
    assert launch.args[0].buffer.size_bytes == 48
    assert launch.args[1].value == 12


def test_kernel_defined_in_another_file(run: Run) -> None:
    result = run(
        "__global__ void far(int n); int main() { far<<<7, 8>>>(1); }",
        "__global__ void far(int n) { int i = n; }",
    )
    (launch,) = result.launches
    assert launch.kernel.body is not None
    assert launch.kernel.path.name == "file1.cu"


def test_launches_come_in_order_and_once_for_each_shape(main: Run) -> None:
    found = main("k<<<2, 1>>>(d, 0); for (int i = 0; i < 3; i++) k<<<1, 1>>>(d, i);")
    assert [launch.order for launch in found] == [0, 1]
    assert [launch.grid[0].constant for launch in found] == [2, 1]
    assert found[1].repeat == 3


def test_kernel_through_a_pointer(run: Run) -> None:
    result = run(
        """
        __global__ void a(int n) {}
        __global__ void b(int n) {}
        typedef void (*fn)(int);
        void go(void (*f)(int), int g) { f<<<g, 1>>>(0); }
        int main() { go(a, 2); go(b, 3); }
        """
    )
    assert [(x.kernel.name, x.grid[0].constant) for x in result.launches] == [("a", 2), ("b", 3)]


def test_a_number_that_only_has_a_name_is_the_same_in_grid_and_argument(main: Run) -> None:
    (launch,) = main(
        "std::vector<std::string> s = load(); int n = s[0].size(); k<<<n / 64, 64>>>(d, n);"
    )
    assert launch.args[1].value.symbols() == launch.grid[0].symbols()
    assert set(launch.unknowns) == launch.grid[0].symbols()


def test_members_that_only_have_a_name_reach_the_kernel_as_the_same_numbers(run: Run) -> None:
    source = """
    struct Size { int width, height; };
    Size load(const char *path);
    __global__ void k(Size size) {}
    int main(int argc, char **argv) {
      Size size = load(argv[1]);
      k<<<dim3(size.width / 16, size.height / 16), dim3(16, 16)>>>(size);
    }
    """
    (launch,) = run(source, argv=["x"]).launches
    width, height = launch.args[0].fields["width"].value, launch.args[0].fields["height"].value
    assert launch.grid[0] == apply("div", width, 16)
    assert launch.grid[1] == apply("div", height, 16)


def test_elements_of_an_array_that_is_not_known_have_names_of_their_own(main: Run) -> None:
    (launch,) = main("std::vector<int *> v = load(); int *a = v[0]; k<<<a[3], a[4]>>>(d, a[3]);")
    assert launch.grid[0] == launch.args[1].value
    assert launch.grid[0] != launch.block[0]


def origins(value: Scalar) -> list[tuple[str, int | None]]:
    """What a number was computed from, and on which lines."""
    assert value.origin is not None
    return [(o.text, o.line) for o in (value.origin, *value.origin.also)]


def test_a_number_computed_from_several_names_each_once(run: Run) -> None:
    source = """
    __global__ void k(int n, int m, int s) {}
    template <int W> int scaled(int x) { return W * x; }
    struct Box { int w, h; int area() const { return w * h; } };
    int main(int argc, char **argv) {
      int a = atoi(argv[1]);
      int b = atoi(argv[2]);
      Box box = {a, b + a};
      int s = 0;
      for (int i = 0; i < 90000; i++) s += 2;
      k<<<1, 1>>>(scaled<3>(box.area()) + 1, 4 * b, s);
    }
    """
    (launch,) = run(source, argv=["5", "6"]).launches
    n, m, s = launch.args
    assert (n.value.constant, m.value.constant, s.value.constant) == (166, 24, 180000)
    assert origins(n) == [("W", 3), ("argv[1]", 6), ("argv[2]", 7)]
    assert origins(m) == [("argv[2]", 7)]
    assert origins(s) == [("a loop", 10)]
