from __future__ import annotations

import pytest

from .conftest import Reading


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "hipLaunchKernelGGLInternal((k<float>), g, b, 0, s, x);",
            "launch k<float> <<<g, b, 0, s>>> (x)",
        ),
        (
            "hipLaunchKernelGGL(HIP_KERNEL_NAME(ns::k<T, 4>), dim3(g), dim3(b), n * 4, 0, x, y);",
            "launch ns::k<T, 4> <<<dim3(g), dim3(b), (n * 4), 0>>> (x, y)",
        ),
        (
            "hipExtLaunchKernelGGL(k, g, b, 0, s, start, stop, 0, x, y);",
            "launch k <<<g, b, 0, s>>> (x, y)",
        ),
        (
            "hipLaunchKernel((const void*)k<float>, g, b, args, 0, s);",
            "launch k<float> <<<g, b, 0, s>>> (-) packed args",
        ),
        (
            "hipLaunchCooperativeKernel(reinterpret_cast<void*>(k), g, b, args, 0, s);",
            "launch k <<<g, b, 0, s>>> (-) packed args",
        ),
        (
            "hipModuleLaunchKernel(f, 1, 2, 3, 4, 5, 6, 7, s, args, 0);",
            "launch f <<<dim3{1, 2, 3}, dim3{4, 5, 6}, 7, s>>> (-) packed args",
        ),
        (
            "hipExtModuleLaunchKernel(f, 1024, 2, 1, 256, 1, 1, 7, s, args, 0, 0, 0, 0);",
            (
                "launch f <<<dim3{(1024 / 256), (2 / 1), (1 / 1)}, dim3{256, 1, 1}, 7, s>>>"
                " (-) packed args"
            ),
        ),
    ],
)
def test_launch(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(source) == expected
