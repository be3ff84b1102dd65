"""Launches through tables of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_core.program.types import Type

Run = Callable[..., Any]
"""A fixture that runs source text."""

KERNELS = "".join(
    f"""__global__ void k{i}(float *p, int n) {{}}
    void run{i}(float *p, int n, int times) {{ k{i}<<<n / 64, 64>>>(p, times); }}
    """
    for i in range(4)
)
TABLE = "void (*table[])(float *, int, int) = {run0, run1, run2, run3};"
CALLS = [
    "table[2 * (i - 1) + j - 7](p, 640 * i, i);",
    "auto f = table[2 * (i - 1) + j - 7]; f(p, 640 * i, i);",
    (
        "fn *held = (fn *)malloc(sizeof(fn)); held[0] = table[2 * (i - 1) + j - 7];"
        " held[0](p, 640 * i, i);"
    ),
    "one(table[2 * (i - 1) + j - 7], p, i);",
]


def test_launches_that_main_reached_are_not_met_again_for_want_of_others(run: Run) -> None:
    source = f"""{KERNELS}
    {TABLE}
    __global__ void other(float *p) {{}}
    void apart(float *p, int n) {{ other<<<n, 32>>>(p); }}
    void outer(float *p, int n) {{ apart(p, n); run1(p, n, 5); }}
    int main() {{ float *p; for (int i = 0; i < 4; ++i) table[i](p, 640, 3); }}"""
    launches = run(source).launches
    found = [(a.kernel.name, a.certain) for a in launches]
    assert found == [(f"k{i}", True) for i in range(4)] + [("other", False), ("k1", False)]


@pytest.mark.parametrize("call", CALLS)
def test_every_function_of_a_table_is_called_with_its_own_numbers(run: Run, call: str) -> None:
    source = f"""{KERNELS}
    typedef void (*fn)(float *, int, int);
    {TABLE}
    void one(fn f, float *p, int i) {{ f(p, 640 * i, i); }}
    int main() {{
      float *p;
      for (int i = 1; i <= 2; ++i)
        for (int j = 7; j <= 8; ++j)
          for (int t = 0; t < 9; ++t) {{ {call} }}
    }}"""
    launches = run(source).launches
    found = [(a.kernel.name, a.grid[0].constant, a.args[1].value.constant) for a in launches]
    assert found == [("k0", 10, 1), ("k1", 10, 1), ("k2", 20, 2), ("k3", 20, 2)]
    assert all(launch.certain for launch in launches)


SHAPES = """
typedef void (*fn)(float *, int);
template <class T> __global__ void k(T *p, int n) {}
template <class T> void run(float *p, int n) { k<<<n, sizeof(T) * 32>>>((T *)p, n); }
int kind_of(const float *p);
"""


@pytest.mark.parametrize(
    "call",
    [
        "table[kind_of(p)][0](p, 4);",
        "table[kind_of(p)][kind_of(p) - 1](p, 4);",
        "fn f = table[kind_of(p)][0]; if (f) f(p, 4);",
    ],
)
def test_each_function_of_a_table_is_tried_where_none_is_known(run: Run, call: str) -> None:
    source = f"""{SHAPES}
    void judge(float *p) {{
      static const fn table[2][2] = {{{{run<char>, run<short>}}, {{0, run<double>}}}};
      {call}
    }}"""
    launches = run(source).launches
    found = [(str(a.template_bindings["T"].name), a.block[0].constant) for a in launches]
    assert found == [("char", 32), ("short", 64), ("double", 256)]
    assert not any(launch.certain for launch in launches)


def test_a_table_that_a_known_number_indexes_has_one_function(run: Run) -> None:
    source = f"""{SHAPES}
    void judge(float *p) {{
      static const fn table[2] = {{run<char>, run<short>}};
      table[1](p, 4); }}"""
    (launch,) = run(source).launches
    assert launch.template_bindings["T"].name == "short"


HANDED_ON = """
typedef void (*read_t)(const int *x, long i, float2 &v);
__device__ void twice(const int *x, long i, float2 &v) { v.x = x[i] * 2.0f; v.y = x[i] * 3.0f; }
__device__ void more(const int *x, long i, float2 &v) { v.x = x[i] * 2.0f + 1; v.y = 0; }
template <int N, read_t read, typename T> __global__ void k(const int *x, T *y, long n) {
  long i = blockDim.x * (long)blockIdx.x + threadIdx.x;
  float2 v;
  if (i < n) { read(x, i, v); y[i] = v.x + v.y; }
}
template <int N, read_t read, typename T> void launch(const int *x, T *y, long n) {
  k<N, read><<<(n + N - 1) / N, N>>>(x, y, n);
}
typedef void (*launch_t)(const int *x, float *y, long n);
launch_t chosen(int type) {
  switch (type) {
    case 0: return launch<128, twice>;
    case 1: return launch<256, more, float>;
    case 2: return launch<256, more, float>;
    default: return nullptr;
  }
}
"""


def test_instances_that_a_function_hands_on_are_launched(run: Run) -> None:
    """A type that is left to the pointer is open; each instance is executed once."""
    launches = run(HANDED_ON).launches
    found = [(each.block, each.template_bindings["read"], each.open_types) for each in launches]
    assert found == [
        ((128, 1, 1), Type("twice"), ("T",)),
        ((256, 1, 1), Type("more"), ()),
    ]
