"""Template parameters of kernels and of the functions that launch them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from roofline_core.algebra.symbolic import constant, from_atom
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


LAYER = """
template <class T> __global__ void k(T *p, int n) {}
template <class T> struct Layer { int width; void run(T *p, int n); };
template <class T> void Layer<T>::run(T *p, int n) { k<<<(n + 127) / 128, 128>>>(p, n); }
"""


def test_methods_that_are_instantiated_explicitly(run: Run) -> None:
    instances = "template void Layer<double>::run(double *, int);\ntemplate struct Layer<short>;\n"
    launches = run(LAYER + instances).launches
    assert [_bindings(launch) for launch in launches] == [{"T": "double"}, {"T": "short"}]
    assert all(not launch.open_types and not launch.certain for launch in launches)


def test_equal_instances_of_a_method_count_once(run: Run) -> None:
    both = "template void Layer<short>::run(short *, int);\ntemplate struct Layer<short>;\n"
    assert [_bindings(launch) for launch in run(LAYER + both).launches] == [{"T": "short"}]


def test_instances_in_a_namespace(run: Run) -> None:
    layer = f"namespace net {{ {LAYER} }}\ntemplate class net::Layer<char>;\n"
    assert [_bindings(launch) for launch in run(layer).launches] == [{"T": "char"}]


def test_numbers_of_a_class_that_is_instantiated(run: Run) -> None:
    layer = """
    template <int N> __global__ void k(float *p) {}
    template <class T, int N> struct Tile { void run(T *p) { k<2 * N><<<N, N>>>(p); } };
    template class Tile<float, 8 * 4>;
    """
    (launch,) = run(layer).launches
    assert _bindings(launch) == {"N": 64}
    assert launch.grid[0].constant == launch.block[0].constant == 32


def test_a_class_that_nothing_instantiates_is_taken_for_one_of_float(run: Run) -> None:
    (launch,) = run(LAYER).launches
    assert _bindings(launch) == {"T": "float"}
    assert launch.open_types == ("T",)


def test_a_function_that_nothing_instantiates(run: Run) -> None:
    result = run(
        "template <class T> __global__ void k(T *p, int n) {}\n"
        "template <class T, class U = int> void go(T *p, int n) {\n"
        "  k<T><<<n * sizeof(T), sizeof(U)>>>(p, n); }\n"
    )
    (launch,) = result.launches
    assert launch.open_types == ("T",)
    assert _bindings(launch) == {"T": "float"}
    (symbol,) = launch.grid[0].symbols()
    assert launch.grid[0] == from_atom(symbol) * constant(4)
    assert launch.block[0].constant == 4


def test_the_program_decides_before_instances_do(run: Run) -> None:
    use = "template struct Layer<short>;\nint main() { float *p; Layer<float> l; l.run(p, 9); }\n"
    (launch,) = run(LAYER + use).launches
    assert _bindings(launch) == {"T": "float"}
    assert launch.certain


def test_only_kernels_are_launched(run: Run) -> None:
    """Host functions of the same name are not meant, however well they fit the arguments."""
    result = run(
        """
        __global__ void sum(float *out, const float *in, int n) {}
        int main() {
          float *in, *out;
          sum<<<4, 128>>>(out, in, 512);
        }
        """,
        "template <class... Ts> int sum(Ts... ts) { return (ts + ...); }"
        " int twice(int a) { return sum(a, a); }",
    )
    (launch,) = result.launches
    assert launch.kernel.is_kernel
    assert len(launch.kernel.params) == 3


def test_types_named_alike_in_two_functions(run: Run) -> None:
    """What a type is resolved to is shared by functions, unless a variable of theirs decides it."""
    result = run(
        KERNEL
        + """
        template <int N> struct Box { float a[N]; };
        template <typename T> struct Pair { T a, b; int size() { T c[2]; return sizeof(c); } };
        int two() { constexpr int m = 2; Box<m> box; return sizeof(box); }
        int three() { constexpr int m = 3; Box<m> box; return sizeof(box); }
        template <typename T> int bytes(int n) { Pair<T> made; T t[3]; return sizeof(t); }
        int main() {
          float *d;
          k<float><<<two(), three()>>>(d, 1);
          k<float><<<bytes<float>(1), bytes<double>(1)>>>(d, 2);
          Pair<char> small; Pair<double> large;
          k<float><<<small.size(), large.size()>>>(d, 3);
        }
        """
    )
    found = [(each.grid[0].constant, each.block[0].constant) for each in result.launches]
    assert found == [(8, 12), (12, 24), (2, 16)]


def test_callers_say_what_a_template_is_though_nothing_is_known_to_call_them(run: Run) -> None:
    """A virtual method's callers do not name its class; no caller is needed to execute it."""
    source = """
    struct Base { virtual void judge(double *p, int n) = 0; };
    struct Own : Base { void judge(double *p, int n) override; };
    template <class T> __global__ void k(T *p) {}
    template <class T> void inner(T *p, int n) { k<<<n, sizeof(T) * 8>>>(p); }
    template <class T> void outer(T *p, int n) { inner(p, 3 * n); }
    void Own::judge(double *p, int n) { outer(p, 7); }
    void operate(Base *op, double *p) { op->judge(p, 2); }
    """
    (launch,) = run(source).launches
    assert launch.template_bindings["T"].name == "double"
    assert (launch.grid[0].constant, launch.block[0].constant) == (21, 64)


def test_a_switch_that_may_have_returned_is_no_exit_of_the_program(run: Run) -> None:
    source = """
    int width_of(int kind) {
      switch (kind) { case 1: return 32; case 2: return 64; case 3: break; }
      throw 1;
    }
    template <class T> __global__ void k(T *p) {}
    template <class T> void run(T *p) { k<<<5, 128>>>(p); }
    void judge(double *p, int kind) { int width = width_of(kind); run(p); }
    """
    (launch,) = run(source).launches
    assert launch.template_bindings["T"].name == "double"


def test_the_numbers_of_a_class_template_are_assumed_where_nothing_instantiates_it(
    run: Run,
) -> None:
    source = """
    template <class T, int TILE_SIZE, bool Fast> struct Runner {
      static void run(T *p) { k<<<TILE_SIZE, 64>>>(p); }
    };
    """
    found = run("__global__ void k(float *p) {}\n" + source)
    (launch,) = found.launches
    (unknown,) = [u for u in launch.unknowns.values() if u.name == "TILE_SIZE"]
    assert unknown.assumed == 16
