"""Classes, enumerations, typedefs and variables at file scope."""

from __future__ import annotations

import pytest

from roofline_core.program.statements import Declare

from .conftest import Reading


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "struct S { int x, *p[3] = {}, y : 3; static constexpr int N = 4; };",
            ["int x", "int*[3] p = {}", "int y", "constexpr static const int N = 4"],
        ),
        (
            "struct S { union { int a; float b; }; struct { int c; }; };",
            ["int a", "float b", "int c"],
        ),
        ("class S { public: float4 v; private: int n = 2; };", ["float4 v", "int n = 2"]),
        ("struct S { struct In { int q; }; In in; };", ["In in"]),
        ("struct S { struct { int q; } in; };", ["S::anonymous_1_11 in"]),
        ("struct S { float data[N][M]; T* next; };", ["float[N][M] data", "T* next"]),
        ("struct S { int (*f)(int); };", ["function<int, int>* f"]),
        ("struct S { int x{3}; };", ["int x(3)"]),
        ("struct S { int x[2]{3, 4}; };", ["int[2] x = {3, 4}"]),
        (
            "struct S { int T::*p, q, ::n::T::*r[2]; float (n::B<int>::*f)(int) const; };",
            [
                "pointer to member<int> p",
                "int q",
                "pointer to member<int>[2] r",
                "pointer to member<function<float, int>> f",
            ],
        ),
        (
            "struct S { V<int T::*> v; int T::**p; };",
            ["V<pointer to member<int>> v", "pointer to member<int>* p"],
        ),
        ("struct S { int a; /* int T::*/ int b; // T::*c\n int d; };", ["int a", "int b", "int d"]),
    ],
)
def test_fields(reading: Reading, source: str, expected: list[str]) -> None:
    structs = {struct.name: struct for struct in reading.unit(source).structs}
    assert [reading.variable(field) for field in structs["S"].fields] == expected


@pytest.mark.parametrize(
    "head",
    [
        "class SOME_EXPORT S",
        "struct SOME_API S : public B",
        "class SOME_ALIGNED(16) S final : B",
        "template <typename T> class SOME_API S",
        "template <> struct SOME_API S<int>",
    ],
)
def test_a_macro_that_nothing_defines_is_not_the_name_of_a_class(
    reading: Reading, head: str
) -> None:
    unit = reading.unit(f"struct B {{}}; {head} {{ int min() {{ return m; }} int m; }};")
    structs = {struct.name.partition("<")[0]: struct for struct in unit.structs}
    assert structs.keys() == {"B", "S"}
    assert [reading.variable(field) for field in structs["S"].fields] == ["int m"]
    assert [method.name for method in structs["S"].methods] == ["min"]
    assert not unit.functions


def test_a_class_in_capitals_keeps_its_name(reading: Reading) -> None:
    unit = reading.unit("struct POINT { int x; }; struct POINT made(int x) { POINT p; return p; }")
    assert [struct.name for struct in unit.structs] == ["POINT"]
    assert reading.type(unit.functions[0].return_type) == "POINT"


def test_pointers_to_members_stay_in_strings_and_in_parts_of_broken_files(reading: Reading) -> None:
    source = """
    const char* text = "T::*p";
    __global__ void lost( { int x
    __global__ void k(int T::*p) { int y = 2; }
    """
    unit = reading.unit(source)
    (variable,) = unit.globals
    assert reading.variable(variable) == "const char* text = 'T::*p'"
    found = {function.name: function for function in unit.functions}
    assert reading.type(found["k"].params[0].type) == "pointer to member<int>"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("typedef float F __attribute__((aligned(16)));", "16"),
        ("typedef alignas(16) float F;", "16"),
        ("typedef float alignas(16) F;", "16"),
        ("typedef float F __attribute__((aligned));", "16"),
        ("using F = float alignas(16);", "16"),
        ("using F [[gnu::aligned(16)]] = float;", "16"),
        ("struct S { typedef float F __attribute__((aligned(16))); };", "16"),
        ("struct S { typedef alignas(16) float F; };", "16"),
        ("struct S { using F = float alignas(N * 4); };", "(N * 4)"),
        ("typedef float F __attribute__((may_alias));", "-"),
        ("typedef float F;", "-"),
    ],
)
def test_alignments_of_typedefs(reading: Reading, source: str, expected: str) -> None:
    ((_, target),) = reading.unit(source).aliases.items()
    assert reading.type(target) == "float"
    assert reading.expression(target.align) == expected


def test_alignment_of_a_typedef_in_a_body(reading: Reading) -> None:
    source = "void f() { typedef float F __attribute__((aligned(16))); F x; }"
    (function,) = reading.unit(source).functions
    assert function.body is not None
    (declare,) = function.body.body
    assert isinstance(declare, Declare)
    (variable,) = declare.variables
    assert (reading.type(variable.type), reading.expression(variable.type.align)) == ("float", "16")


def test_names_of_using_declarations(reading: Reading) -> None:
    source = "using a::f; namespace n { using ::b::T; } using namespace m; void f() { using c::g; }"
    unit = reading.unit(source)
    assert unit.used_names == {"f": "a::f", "n::T": "b::T"}
    assert "m" in unit.imports


def test_struct_properties(reading: Reading) -> None:
    source = """
    template <class T, int N>
    struct alignas(16) S : public B<T>, private ns::C {
      using value_type = T;
      typedef float F;
      __device__ void f() { g(); }
      template <class U> void h(U u) { i(u); }
      void later();
    };
    union U { int a; };
    template <> struct S<int, 4> { };
    """
    primary, union, special = reading.unit(source).structs
    assert [reading.type(base) for base in primary.bases] == ["B<T>", "ns::C"]
    assert [p.name for p in primary.template_params] == ["T", "N"]
    assert {name: reading.type(t) for name, t in primary.aliases.items()} == {
        "value_type": "T",
        "F": "float",
    }
    assert reading.expression(primary.align) == "16"
    assert [m.qualified_name for m in primary.methods] == ["S::f", "S::h", "S::later"]
    assert [reading.statement(m.body) for m in primary.methods] == ["{g()}", "{i(u)}", ""]
    assert [p.name for p in primary.methods[1].template_params] == ["U"]
    assert (union.name, union.union, primary.union) == ("U", True, False)
    assert primary.template_args is None
    assert special.template_args is not None
    assert reading.argument(special.template_args[0]) == "int"


def test_nested_classes_are_qualified(reading: Reading) -> None:
    source = "namespace n { struct A { struct B { enum class C { X }; int q; }; }; }"
    unit = reading.unit(source)
    assert sorted(struct.qualified_name for struct in unit.structs) == ["n::A", "n::A::B"]
    assert unit.enumerators == {"n::A::B::C::X": 0}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("typedef struct { int a; } P;", "P"),
        ("typedef struct P_ { int a; } P, *PP;", "P_"),
        ("struct { int a; } p;", "anonymous_1_0"),
        ("struct P { int a; } p, q[2];", "P"),
        ("typedef union { int a; } P;", "P"),
    ],
)
def test_struct_names(reading: Reading, source: str, name: str) -> None:
    (struct,) = reading.unit(source).structs
    assert struct.qualified_name == name
    assert [reading.variable(field) for field in struct.fields] == ["int a"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "enum E { A, B = 5, C };",
            {"E::A": "0", "A": "0", "E::B": "5", "B": "5", "E::C": "6", "C": "6"},
        ),
        ("enum class E : int { A = -1, B };", {"E::A": "-1", "E::B": "0"}),
        ("enum { A = N * 2, B, C };", {"A": "(N * 2)", "B": "((N * 2) + 1)", "C": "((N * 2) + 2)"}),
        ("struct S { enum { A = 3 }; };", {"S::A": "3"}),
        ("namespace n { enum E { A }; }", {"n::E::A": "0", "n::A": "0"}),
        ("typedef enum { A } E;", {"E::A": "0", "A": "0"}),
        ("enum E { A } e;", {"E::A": "0", "A": "0"}),
    ],
)
def test_enumerators(reading: Reading, source: str, expected: dict[str, str]) -> None:
    found = reading.unit(source).enumerators
    spelled = {
        name: str(value) if isinstance(value, int) else reading.expression(value)
        for name, value in found.items()
    }
    assert spelled == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("typedef float real;", {"real": "float"}),
        ("typedef struct Q_ { int a; } Q, *QP;", {"Q": "Q_", "QP": "Q_*"}),
        ("typedef struct S { int a; } S;", {}),
        ("typedef float v4[4];", {"v4": "float[4]"}),
        ("typedef void (*fp)(int, float);", {"fp": "function<void, int, float>*"}),
        ("using V = std::vector<float>;", {"V": "std::vector<float>"}),
        ("template <class T> using W = Foo<T*>;", {"W": "Foo<T*>"}),
        ("namespace n { using U = unsigned; }", {"n::U": "unsigned int"}),
        ("struct S { using T = int; };", {"S::T": "int"}),
        ("using R = typename Traits<float>::type;", {"R": "Traits::type@<float>"}),
    ],
)
def test_aliases(reading: Reading, source: str, expected: dict[str, str]) -> None:
    found = reading.unit(source).aliases
    assert {name: reading.type(meaning) for name, meaning in found.items()} == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("__constant__ float c[4] = {1, 2};", ["__constant__ float[4] c = {1, 2}"]),
        ("__device__ __managed__ int m;", ["__device__ __managed__ int m"]),
        ("static const int q = 4, *r;", ["static const int q = 4", "static const int* r"]),
        ("extern int x;", ["extern int x"]),
        ('extern "C" const int x;', ["extern const int x"]),
        ('extern "C" const int x = 4;', ["extern const int x = 4"]),
        ('extern "C" { int x; }', ["int x"]),
        ("extern __shared__ alignas(16) char s[];", ["__shared__ extern char[] s"]),
        ("constexpr float pi = 3.0f;", ["constexpr const float pi = 3.0:float"]),
        ("namespace n { int x = 1; }", ["int n::x = 1"]),
        ("int S::count = 0;", ["int S::count = 0"]),
        ("dim3 grid(4, 4);", ["dim3 grid(4, 4)"]),
        ("const int N = 4; dim3 grid(N);", ["const int N = 4", "dim3 grid(N)"]),
        ("texture<float, 2> t;", ["texture<float, 2> t"]),
        ("template <class T> constexpr T pi = T(3);", ["constexpr const T pi = T(3)"]),
        ("auto f = [](int x) { return x; };", ["auto f = [](int x) {return x}"]),
        ("void (*table[3])(int);", ["function<void, int>*[3] table"]),
        ("__device__ const float t[] = {1};", ["__device__ const float[] t = {1}"]),
        ("static __const__ float x = 1;", ["static const float x = 1"]),
    ],
)
def test_variables(reading: Reading, source: str, expected: list[str]) -> None:
    assert [reading.variable(v) for v in reading.unit(source).globals] == expected


def test_prototype_with_unknown_parameter_types_at_file_scope(reading: Reading) -> None:
    unit = reading.unit("void f(T); T g(U u, V);")
    assert [f.name for f in unit.functions] == ["f", "g"]
    assert unit.globals == ()


def test_directives_left_in_the_text_are_read_through(reading: Reading) -> None:
    source = "#ifdef A\nint a;\n#else\n__global__ void k() {}\n#endif\n#define X 1\n"
    unit = reading.unit(source)
    assert [v.name for v in unit.globals] == ["a"]
    assert [f.name for f in unit.functions] == ["k"]
