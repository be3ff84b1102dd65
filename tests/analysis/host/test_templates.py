"""Template parameters of kernels and of the functions that launch them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from roofline_core.program.types import Type

Run = Callable[..., Any]
"""A fixture that runs source text."""


def _bindings(launch: Any) -> dict[str, object]:
    return {
        name: value.name + "*" * value.pointers if isinstance(value, Type) else value.constant
        for name, value in launch.template_bindings.items()
    }


KERNEL = "template <typename T, int N = 4> __global__ void k(T *p, int n) {}\n"


def test_explicit_arguments(run: Run) -> None:
    result = run(KERNEL + "int main() { float *d; k<float, 8><<<1, 1>>>(d, 1); }")
    assert _bindings(result.launches[0]) == {"T": "float", "N": 8}


def test_deduction_and_default(run: Run) -> None:
    result = run(KERNEL + "int main() { double *d; k<<<1, 1>>>(d, 1); }")
    assert _bindings(result.launches[0]) == {"T": "double", "N": 4}


def test_through_nested_templates(run: Run) -> None:
    result = run(
        KERNEL
        + """
        template <typename T, int N> void inner(T *p) { k<T, N * 2><<<N, 1>>>(p, 1); }
        template <typename T> void outer() { T *p; cudaMalloc(&p, 8 * sizeof(T)); inner<T, 3>(p); }
        int main() { outer<float>(); outer<double>(); }
        """
    )
    assert [_bindings(launch) for launch in result.launches] == [
        {"T": "float", "N": 6},
        {"T": "double", "N": 6},
    ]
    assert [launch.args[0].buffer.size_bytes.constant for launch in result.launches] == [32, 64]


def test_class_templates(run: Run) -> None:
    result = run(
        KERNEL
        + """
        template <typename T> struct Runner {
          int n;
          Runner(int v) : n(v) {}
          void go(T *p) { k<T><<<n, sizeof(T)>>>(p, n); }
        };
        int main() { Runner<short> r(5); short *d; r.go(d); }
        """
    )
    (launch,) = result.launches
    assert _bindings(launch)["T"] == "short"
    assert (launch.grid[0].constant, launch.block[0].constant) == (5, 2)


def test_constants_and_aliases_as_arguments(run: Run) -> None:
    result = run(
        KERNEL
        + """
        constexpr int WIDTH = 16;
        using real = float;
        int main() { real *d; k<real, WIDTH><<<1, WIDTH>>>(d, 1); }
        """
    )
    assert _bindings(result.launches[0]) == {"T": "float", "N": 16}


def test_a_specialisation_is_chosen(run: Run) -> None:
    result = run(
        """
        template <int N> __global__ void k(int n) {}
        template <typename T> int width() { return 1; }
        template <> int width<double>() { return 2; }
        int main() { k<1><<<width<float>(), width<double>()>>>(0); }
        """
    )
    (launch,) = result.launches
    assert (launch.grid[0].constant, launch.block[0].constant) == (1, 2)
