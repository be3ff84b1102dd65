"""Functions that return references: a written element is a store, a read one a load."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Count = Callable[..., Any]

VIEW = """
template <typename T> struct View {
  T *p; int n;
  __device__ T &operator[](int i) { return p[i]; }
  __device__ T &at(int i) { if (i < 0) return p[0]; return p[i]; }
  __device__ T &operator()(int row, int column) { return p[row * n + column]; }
  __device__ T &front() { return *p; }
};
"""
INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
EACH = {("a.p", "read", 4): 64, ("b.p", "write", 4): 64}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("b[i] = a[i] * 2.f;", EACH),
        ("b.at(i) = a.at(i) * 2.f;", EACH),
        ("b(i, 0) = a(i, 0) * 2.f;", EACH),
        ("float &e = b[i]; e = a[i] * 2.f;", EACH),
        ("b[i] += a[i] * 2.f;", {**EACH, ("b.p", "read", 4): 64}),
        ("b.at(i) = (&a[i])[0] * 2.f;", EACH),
        ("b.at(i); a.at(i) = 6.f;", {("a.p", "write", 4): 64}),
        ("b.front() = a[i] * 2.f;", EACH),
    ],
)
def test_accessors(count: Count, statement: str, expected: dict[Any, float]) -> None:
    source = f"""{VIEW}
    __global__ void k(View<float> a, View<float> b) {{ {INDEX} {statement} }}"""
    assert count(source, 1, 64, a__n=1, b__n=1).accesses == expected


def test_an_operator_that_returns_a_value_reads(count: Count) -> None:
    source = f"""
    struct Twice {{ const float *p; __device__ float operator[](int i) const
                   {{ return 2.f * p[i]; }} }};
    __global__ void k(Twice a, float *b) {{ {INDEX} b[i] = a[i]; }}"""
    found = count(source, 1, 64)
    assert found.accesses == {("a.p", "read", 4): 64, ("b", "write", 4): 64}
    assert found.flops == {"sp": 64}


def test_an_iterator(count: Count) -> None:
    source = f"""
    struct It {{ float *p; __device__ float &operator*() {{ return *p; }}
      __device__ It &operator++() {{ p += 1; return *this; }}
      __device__ It operator++(int) {{ It before = *this; p += 1; return before; }} }};
    __global__ void k(float *x) {{ {INDEX} It it{{x + 4 * i}};
      *it = 1.f; ++it; *it = 2.f; it++; *it = *it + 1.f; }}"""
    found = count(source, 1, 64)
    assert found.accesses == {("x", "write", 4): 3 * 64, ("x", "read", 4): 64}
    offsets = [str(a.offset) for r in found.summary.root.walk() for a in r.accesses]
    assert len(set(offsets)) == 3


def test_what_a_smart_pointer_points_to(count: Count) -> None:
    source = f"""
    struct Cell {{ float a, b; }};
    struct Ptr {{ Cell *c; __device__ Cell *operator->() {{ return c; }}
                 __device__ Cell &operator*() {{ return *c; }} }};
    __global__ void k(Cell *x) {{ {INDEX} Ptr p{{x + i}}; p->b = (*p).a; }}"""
    assert count(source, 1, 64).accesses == {("x", "read", 4): 64, ("x", "write", 4): 64}


def test_a_reference_to_a_variable_stays_in_registers(count: Count) -> None:
    source = f"""
    struct Acc {{ float v[4]; __device__ float &operator[](int i) {{ return v[i]; }} }};
    __global__ void k(float *x) {{ {INDEX} Acc acc;
      for (int j = 0; j < 4; ++j) acc[j] = x[i] * j;
      x[i] = acc[0] + acc[1] + acc[2] + acc[3]; }}"""
    found = count(source, 1, 64)
    assert found.accesses == {("x", "read", 4): 64, ("x", "write", 4): 64}


OBJECTS = """struct Four { double at[4]; }; struct Pair { double x, y; };
struct Mixed { double first; Pair pair; double last[2]; };"""


@pytest.mark.parametrize(("type_", "numbers"), [("Four", 4), ("Mixed", 5), ("double4", 4)])
@pytest.mark.parametrize(
    "changes",
    [
        "for (int k = 0; k < {n}; k++) p[k] *= 3;",
        "p[{n} - 1] *= 3; for (int k = 0; k < {n} - 1; k++) p[k] += k + 5;",
    ],
)
def test_an_object_read_as_an_array_has_each_number_in_its_place(
    count: Count, type_: str, numbers: int, changes: str
) -> None:
    source = f"""{OBJECTS} __global__ void f({type_} *x) {{ {type_} v = x[threadIdx.x];
        double *p = (double *)&v; {changes.format(n=numbers)} x[threadIdx.x] = v; }}"""
    assert count(source, 1, 32).flops == {"dp": 32 * numbers}


def test_a_static_member_is_the_classes(count: Count) -> None:
    source = """template <class T> struct Pack {
          static constexpr int size = 16 / sizeof(T); T v[size]; };
        struct Wide : Pack<double> {};
        __global__ void f(double *x, Wide *w) {
          Pack<float> a; Wide b; const Wide *c = w; double s = 0;
          for (int k = 0; k < a.size; k++) s += x[k * 7];
          for (int k = 0; k < b.size; k++) s += x[k];
          for (int k = 0; k < c->size; k++) s += x[k * 99]; x[threadIdx.x] = s; }"""
    found = count(source, 1, 32)
    assert found.flops == {"dp": 32 * (4 + 2 + 2)}
    assert found.execution.assumed_trips == []


PROXY = """
template <class T> struct Ref {
  T *p;
  __device__ operator T() const { return *p; }
  __device__ Ref &operator=(T v) { *p = v; return *this; }
  __device__ Ref &operator+=(T v) { *p += v; return *this; }
};
template <class T> struct Vector {
  T *p;
  __device__ Ref<T> operator[](int i) { return Ref<T>{p + i}; }
};
"""


@pytest.mark.parametrize(
    ("statement", "reads", "writes", "flops"),
    [
        ("b[i] = a[i];", 1, 1, 0),
        ("b[i] = 3 * a[i];", 1, 1, 1),
        ("b[i] = 3 * float(a[i]);", 1, 1, 1),
        ("float s = a[i]; b[i] = s * a[i + 1];", 2, 1, 1),
        ("Ref<float> r = b[i]; r = a[i] + a[i + 1];", 2, 1, 1),
        ("b[i] = 7.f;", 0, 1, 0),
        ("if (a[i] > 7.f) b[0] = 5.f;", 1, 0.5, 0),
        ("b[i] += 2.f;", 1, 1, 1),
    ],
)
def test_an_object_that_stands_for_an_element_reads_and_writes_it(
    count: Count, statement: str, reads: float, writes: float, flops: int
) -> None:
    source = f"""{PROXY} __global__ void f(Vector<float> a, Vector<float> b) {{
        int i = threadIdx.x; {statement} }}"""
    found = count(source, 1, 32)
    made = {"read": 0.0, "write": 0.0}
    for (_, mode, _), times in found.accesses.items():
        made[mode] += times / 32
    assert made == {"read": reads, "write": writes}
    assert found.flops == ({"sp": 32 * flops} if flops else {})


@pytest.mark.parametrize(
    ("condition", "writes"),
    [
        ("p != nullptr", 1),
        ("p != NULL && i < 32", 1),
        ("0 != p", 1),
        ("p == nullptr", 0),
        ("!p", 0),
        ("p && q[i] != 0", 1),
        ("q[i] == NULL || q == nullptr", 0),
    ],
)
def test_no_pointer_is_taken_for_null(count: Count, condition: str, writes: int) -> None:
    source = f"""__global__ void f(float *p, float **q, float *o) {{
        int i = threadIdx.x; if ({condition}) o[i] = 1; }}"""
    found = count(source, 1, 32)
    assert found.accesses.get(("o", "write", 4), 0) == 32 * writes


def test_a_pointer_to_itself_is_followed_once(count: Count) -> None:
    counted = count(
        """__global__ void self(float *out, int n) {
          void *p; p = (void *)&p;
          for (int k = 0; k < n; ++k) { *(int *)p = k; out[threadIdx.x] += 1.0f; } }""",
        1,
        32,
        n=100,
    )
    assert counted.flops == {"sp": 3200}


def test_braces_returned_as_a_class_without_a_definition_are_one_object(count: Count) -> None:
    """They are no array, whose address a sum with a number would move."""
    counted = count(
        """__device__ vec3 start(int i) { return {1.0f * i, 2.0f, 3.0f}; }
        __global__ void walk(vec3 *out, int n) {
          vec3 pos = start(threadIdx.x);
          pos = pos + 2.0f * pos;
          for (int k = 0; k < n; ++k) { pos += 0.5f; out[threadIdx.x] = pos; } }""",
        1,
        32,
        n=100,
    )
    assert {key[:2]: runs for key, runs in counted.accesses.items()} == {("out", "write"): 3200}
    assert counted.unseen


@pytest.mark.parametrize(
    "base", ["Held<T>::data", "Base::data", "this->data", "Held<T>::Held::data"]
)
def test_a_member_of_a_base_by_the_name_of_the_base(count: Count, base: str) -> None:
    source = f"""
    template <class T> struct Held {{ T *data; }};
    template <class T> struct Rows : Held<T> {{
      typedef Held<T> Base; int step;
      __device__ T *row(int y) const {{ return (T *)((char *){base} + y * step); }} }};
    __global__ void k(Rows<float> a, Rows<float> b) {{
      b.row(0)[threadIdx.x] = a.row(0)[threadIdx.x]; }}
    """
    assert count(source, 1, 64, a__step=256, b__step=256).accesses == {
        ("a.data", "read", 4): 64, ("b.data", "write", 4): 64
    }  # fmt: skip


def test_a_member_of_a_base_that_another_hides_is_unknown(count: Count) -> None:
    source = """
    struct Base { float *data; };
    struct Own : Base { float *data; __device__ float first() const { return Base::data[0]; } };
    __global__ void k(Own a, float *b) { b[threadIdx.x] = a.first(); }
    """
    found = count(source, 1, 64)
    assert ("a.data", "read", 4) not in found.accesses
    assert found.accesses["b", "write", 4] == 64
