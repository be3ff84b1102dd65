"""Objects that point to memory: what loops change of them, short arrays in arguments."""

from __future__ import annotations

import pytest

from tests.analysis.conftest import Count

VIEW = """
template <class T> struct Row {
  T *p; const int *s;
  __device__ Row(T *p_, const int *s_) : p(p_), s(s_) {}
  __device__ T &operator[](int i) { return p[s[0] * i]; }
};
template <class T> struct View {
  T *p; int n[2]; int s[2];
  __device__ int size(int i) const { return n[i]; }
  __device__ Row<T> operator[](int i) { return Row<T>(p + s[0] * i, s + 1); }
  __device__ Row<T> row(int i) { return Row<T>(p + s[0] * i, s + 1); }
};
"""
SIZES = {"a__n[1]": 64, "a__s[0]": 64, "a__s[1]": 1, "b__s[0]": 64, "b__s[1]": 1}


@pytest.mark.parametrize(
    "store",
    [
        "b[y][x] = a[y][x]",
        "b.row(y)[x] = a.row(y)[x]",
        "b.p[y * b.s[0] + x * b.s[1]] = a.p[y * a.s[0] + x * a.s[1]]",
        "*(b.p + y * b.s[0] + x * b.s[1]) = a.p[y * a.s[0] + x * a.s[1]]",
        "(b.p + y * b.s[0])[x] = a[y][x]",
        "auto r = b[y]; r[x] = a[y][x]",
    ],
)
def test_stores_through_an_object_leave_it_as_it_is(count: Count, store: str) -> None:
    found = count(
        f"""{VIEW} __global__ void k(View<float> a, View<float> b) {{ int y = blockIdx.x;
            for (int x = threadIdx.x; x < a.size(1); x += blockDim.x) {{ {store}; }} }}""",
        8,
        32,
        **SIZES,
    )
    assert found.accesses == {("a.p", "read", 4): 512, ("b.p", "write", 4): 512}
    offsets = [a.offset for r in found.summary.root.walk() for a in r.accesses]
    assert all(
        "#" not in symbol.name.replace("trip#", "") for o in offsets for symbol in o.symbols()
    )


@pytest.mark.parametrize("change", ["v.at = x", "v.in[0] = x", "v.step()", "v = other"])
def test_a_loop_that_changes_the_object_itself(count: Count, change: str) -> None:
    found = count(
        f"""struct V {{ float *p; int at; int in[1]; __device__ void step() {{ ++at; }} }};
            __global__ void k(V v, V other, int n) {{ for (int x = 0; x < n; ++x)
            {{ v.p[v.at + v.in[0]] = 1; {change}; }} }}""",
        1,
        32,
        n=7,
    )
    (offset,) = (a.offset for r in found.summary.root.walk() for a in r.accesses)
    assert any("#" in symbol.name.replace("trip#", "") for symbol in offset.symbols())


def test_elements_of_a_short_array_are_numbers(count: Count) -> None:
    found = count(
        """struct P { int n[2]; float c[3]; };
           __global__ void k(P p, float *y) {
             for (int i = 0; i < p.n[1]; ++i) y[threadIdx.x + p.n[0]] += p.c[2]; }""",
        1,
        32,
        **{"p__n[1]": 5, "p__n[0]": 3},
    )
    assert found.accesses == {("y", "read", 4): 160, ("y", "write", 4): 160}
    assert found.flops == {"sp": 160}
