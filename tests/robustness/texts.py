"""Texts that were written to hang a reader, exhaust its memory or make it raise.

Each is made when it is asked for, so that none is stored. ``KERNEL`` stands in most of them: what
is hostile must not cost the kernel beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

KERNEL: Final = """
__global__ void plain(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * 2.0f + 1.0f;
}
"""
LAUNCH: Final = "plain<<<4096, 256>>>(p, 1 << 20);"

Made = Callable[[], str]


def in_kernel(body: str, before: str = "") -> str:
    """A kernel of its own with ``body`` in it, beside the plain one and its launch."""
    return (
        f"{before}\n{KERNEL}\n__global__ void odd(float *x, int a, int b, int n) {{\n{body}\n}}\n"
        f"int main() {{ float *p; cudaMalloc(&p, 4 << 20); {LAUNCH}"
        " odd<<<64, 64>>>(p, 1, 2, 3); }\n"
    )


def in_main(body: str, before: str = "") -> str:
    """Host code before the plain kernel's launch."""
    return (
        f"#include <cmath>\n{before}\n{KERNEL}\nint main() {{ float *p; cudaMalloc(&p, 4 << 20);\n"
        f"{body}\n{LAUNCH} }}\n"
    )


def launched(grid: str, block: str, before: str = "") -> str:
    """The plain kernel launched in this way."""
    return (
        f"{KERNEL}\nint main() {{ float *p; cudaMalloc(&p, 4 << 20);\n{before}\n"
        f"plain<<<{grid}, {block}>>>(p, 1 << 20); }}\n"
    )


def runs(length: int) -> dict[str, Made]:
    """Runs of operators and brackets: ``length`` of each in a row."""
    n = length
    nested_if = "#if 1\n" * n + "x[0] = 1;\n" + "#endif\n" * n
    calls = "fmaxf(1.0f, " * n + "2.0f" + ")" * n
    return {
        "minus": lambda: in_kernel(f"x[0] = {'-' * n}a;"),
        "spaced minus": lambda: in_kernel(f"x[0] = {'- ' * n}a;"),
        "spaced plus": lambda: in_kernel(f"x[0] = a {'+ ' * n}b;"),
        "plus": lambda: in_kernel(f"x[0] = {'+' * n}a;"),
        "minus plus": lambda: in_kernel(f"x[0] = {'-+' * n}a;"),
        "minus lines": lambda: in_kernel(f"x[0] = {('-' + chr(10)) * n}a;"),
        "minus comments": lambda: in_kernel(f"x[0] = {'-/**/' * n}a;"),
        "minus macro": lambda: in_kernel(f"x[0] = {'M ' * n}a;", "#define M -"),
        "bang": lambda: in_kernel(f"x[0] = {'!' * n}a;"),
        "tilde": lambda: in_kernel(f"x[0] = {'~' * n}a;"),
        "star": lambda: in_kernel(f"x[0] = {'*' * n}x;"),
        "spaced star": lambda: in_kernel(f"x[0] = {'* ' * n}x;"),
        "ampersand": lambda: in_kernel(f"x[0] = a {'& ' * n}b;"),
        "not words": lambda: in_kernel(f"x[0] = {'not ' * n}a;"),
        "open parens": lambda: in_kernel(f"x[0] = {'(' * n}a;"),
        "parens": lambda: in_kernel(f"x[0] = {'(' * n}a{')' * n};"),
        "minus parens": lambda: in_kernel(f"x[0] = {'-(' * n}a{')' * n};"),
        "brackets": lambda: in_kernel(f"x[0] = {'x[' * n}a{']' * n};"),
        "open brackets": lambda: in_kernel(f"x[0] = {'[' * n}a;"),
        "subscripts": lambda: in_kernel(f"x[0] = x{'[a]' * n};"),
        "braces": lambda: in_kernel("{" * n + "x[0] = 1;" + "}" * n),
        "open braces": lambda: in_kernel("{" * n),
        "list braces": lambda: in_kernel(f"int v[] = {'{' * n}1{'}' * n};"),
        "angles": lambda: in_kernel(f"x[0] = a {'< ' * n}b;"),
        "tight angles": lambda: in_kernel(f"x[0] = a{'<' * n}b;"),
        "name angles": lambda: in_kernel(f"x[0] = {'a<' * n}b;"),
        "launch angles": lambda: in_kernel("f" + "<<<" * n + "1;"),
        "templates": lambda: in_kernel(f"{'V<' * n}int{'>' * n} v; x[0] = 1;"),
        "spaced templates": lambda: in_kernel(f"{'V<' * n}int{' >' * n} v; x[0] = 1;"),
        "casts": lambda: in_kernel(f"x[0] = {'(float)' * n}a;"),
        "name casts": lambda: in_kernel(f"x[0] = {'(a)' * n}a;"),
        "call casts": lambda: in_kernel(f"x[0] = {'float(' * n}a{')' * n};"),
        "ternaries": lambda: in_kernel(f"x[0] = {'a ? b : ' * n}a;"),
        "inner ternaries": lambda: in_kernel(f"x[0] = {'a ? ' * n}b{' : a' * n};"),
        "members": lambda: in_kernel(f"x[0] = a{'.b' * n};"),
        "arrows": lambda: in_kernel(f"x[0] = a{'->b' * n};"),
        "scopes": lambda: in_kernel(f"x[0] = {'a::' * n}b;"),
        "sums": lambda: in_kernel(f"x[0] = a{' + b' * n};"),
        "products": lambda: in_kernel(f"x[0] = a{' * b' * n};"),
        "shifts": lambda: in_kernel(f"x[0] = a{' << b' * n};"),
        "comparisons": lambda: in_kernel(f"x[0] = a{' < b' * n};"),
        "greater": lambda: in_kernel(f"x[0] = a{' > b' * n};"),
        "ands": lambda: in_kernel(f"x[0] = a{' && b' * n};"),
        "assignments": lambda: in_kernel(f"{'x[0] = ' * n}1;"),
        "commas": lambda: in_kernel(f"x[0] = (a{', b' * n});"),
        "calls": lambda: in_kernel(f"x[0] = {calls};"),
        "call chain": lambda: in_kernel(f"x[0] = f{'(a)' * n};"),
        "strings": lambda: in_main("const char *s = " + '"a" ' * n + ";"),
        "sizeofs": lambda: in_kernel(f"x[0] = {'sizeof ' * n}a;"),
        "news": lambda: in_main(f"auto q = {'new ' * n}int;"),
        "deletes": lambda: in_main(f"{'delete ' * n}p;"),
        "returns": lambda: in_kernel("return " * n + ";"),
        "ifs": lambda: in_kernel("if (a) " * n + "x[0] = 1;"),
        "else ifs": lambda: in_kernel("if (a) x[0] = 1; else " * n + "x[0] = 2;"),
        "fors": lambda: in_kernel("for (int i = 0; i < 2; i++) " * n + "x[0] += 1;"),
        "whiles": lambda: in_kernel("while (a) " * n + "x[0] += 1;"),
        "dos": lambda: in_kernel("do " * n + "x[0] += 1;" + " while (a);" * n),
        "switches": lambda: in_kernel("switch (a) case 1: " * n + "x[0] = 1;"),
        "labels": lambda: in_kernel("".join(f"l{i}: " for i in range(n)) + "x[0] = 1;"),
        "lambdas": lambda: in_kernel(f"x[0] = {'[&]{ return ' * n}1{';}()' * n};"),
        "namespaces": lambda: f"{'namespace a {' * n}{KERNEL}{'}' * n}",
        "classes": lambda: in_kernel("x[0] = 1;", "struct A {" * n + "int v;" + "};" * n),
        "extern c": lambda: 'extern "C" {' * n + KERNEL + "}" * n,
        "template lists": lambda: in_kernel("x[0] = 1;", "template <class T> " * n + "struct A;"),
        "template template": lambda: in_kernel(
            "x[0] = 1;", "template <" * n + "class T" + "> class X" * n + " struct A;"
        ),
        "pointers": lambda: in_kernel(f"int {'*' * n}q; x[0] = 1;"),
        "declarators": lambda: in_kernel(f"int {'(' * n}q{')' * n}; x[0] = 1;"),
        "functions of functions": lambda: in_kernel(f"int {'(*' * n}q{')(int)' * n}; x[0] = 1;"),
        "parameters": lambda: in_kernel("x[0] = 1;", f"void f({'int (*)(' * n}int{')' * n});"),
        "arrays": lambda: in_kernel(f"int q{'[2]' * n}; x[0] = 1;"),
        "consts": lambda: in_kernel(f"{'const ' * n}int q = 1; x[0] = q;"),
        "longs": lambda: in_kernel(f"{'long ' * n}q = 1; x[0] = q;"),
        "attributes": lambda: in_kernel(f"{'[[a]] ' * n} x[0] = 1;"),
        "decltypes": lambda: in_kernel(f"{'decltype(' * n}a{')' * n} q = 1; x[0] = q;"),
        "backslashes": lambda: in_kernel("\\\n" * n + "x[0] = 1;"),
        "hashes": lambda: in_kernel("x[0] = 1;", "#" * n),
        "quotes": lambda: in_kernel(f"x[0] = {chr(39) * n}a;"),
        "double quotes": lambda: in_kernel("x[0] = " + '"' * n + "a;"),
        "open comments": lambda: in_kernel("/*" * n + "*/ x[0] = 1;"),
        "semicolons": lambda: in_kernel(";" * n + "x[0] = 1;"),
        "#if": lambda: in_kernel(nested_if),
        "open #if": lambda: in_kernel("x[0] = 1;", KERNEL) + "#if 1\n" * n,
        "#if minus": lambda: in_kernel("x[0] = 1;", f"#if {'-' * n}1\n#endif"),
        "#if parens": lambda: in_kernel("x[0] = 1;", f"#if {'(' * n}1{')' * n}\n#endif"),
        "#if ternaries": lambda: in_kernel("x[0] = 1;", f"#if {'1 ? 1 : ' * n}1\n#endif"),
        "#if sums": lambda: in_kernel("x[0] = 1;", f"#if 1{' + 1' * n}\n#endif"),
        "macro arguments": lambda: in_kernel(f"x[0] = {'M(' * n}1{')' * n};", "#define M(a) a"),
        "pragmas": lambda: in_kernel(
            "#pragma unroll\n" * n + "for (int i = 0; i < 4; i++) x[i]=1;"
        ),
        "pragma parens": lambda: in_kernel(
            f"#pragma unroll {'(' * n}4{')' * n}\nfor (int i = 0; i < 4; i++) x[i]=1;"
        ),
        "pragma minus": lambda: in_kernel(
            f"#pragma unroll {'-' * n}4\nfor (int i = 0; i < 4; i++) x[i]=1;"
        ),
        "pragma operators": lambda: in_kernel('_Pragma("unroll") ' * n + "x[0] = 1;"),
        "statement expressions": lambda: in_kernel(f"x[0] = {'({ ' * n}1{'; })' * n};"),
        "openmp minus": lambda: (
            "void f(float *x, int n) {\n#pragma omp target teams distribute parallel for num_teams("
            + "-" * n
            + "4)\nfor (int i = 0; i < n; i++) x[i] += 1;\n}\n"
        ),
        "openmp parens": lambda: (
            "void f(float *x, int n) {\n#pragma omp target teams distribute parallel for num_teams("
            + "(" * n
            + "4"
            + ")" * n
            + ")\nfor (int i = 0; i < n; i++) x[i] += 1;\n}\n"
        ),
    }


CLASSES: Final = """
#include <utility>
#include <algorithm>
struct S { int m; S *v; __host__ __device__ S(int a = 0) : m(a) {} __host__ __device__ int n() { return m; } __host__ __device__ S& n2(int a) { m += a; return *this; } __host__ __device__ S& operator++() { m++; return *this; } __host__ __device__ S operator++(int) { S o = *this; m++; return o; }
__host__ __device__ S& operator=(int a) { m = a; return *this; } __host__ __device__ S& operator+=(int a) { m += a; return *this; } __host__ __device__ S& operator[](int i) { return v[i]; } __host__ __device__ S& operator*() { return *this; } __host__ __device__ S* operator->() { return this; } __host__ __device__ S operator()(int a) { return S(a + m); } __host__ __device__ operator int() const { return m; } };
__host__ __device__ inline S operator+(S a, S b) { return S(a.m + b.m); }
__host__ __device__ inline S operator-(S a) { return S(-a.m); }
__host__ __device__ inline S& operator<<(S &a, int b) { a.m += b; return a; }
__host__ __device__ inline int f(int a) { return a + 1; }
__host__ __device__ inline int g(int a, int b) { return a + b; }
__host__ __device__ inline int& r(int &a) { a++; return a; }
__host__ __device__ inline S& rs(S &a) { a.m++; return a; }
template <class T> __host__ __device__ T t(T a) { return a + 1; }
__host__ __device__ inline int cr(const int &a) { return a + 1; }
template <class T> __host__ __device__ T tr(const T &a) { return a; }
"""
"""A class with every operator, and functions that take values and references."""
FORMS: Final = {
    "pre": "++({e})",
    "post": "({e})++",
    "assign": "(({e}) = 1)",
    "plusassign": "(({e}) += 1)",
    "deref": "*({e})",
    "addr": "&({e})",
    "addrderef": "&*({e})",
    "derefaddr": "*&({e})",
    "index0": "({e})[0]",
    "indexof": "x[({e})]",
    "sindex": "s[({e})]",
    "member": "({e}).m",
    "arrow": "({e})->m",
    "call": "f({e})",
    "ref": "r({e})",
    "refs": "rs({e})",
    "method": "({e}).n()",
    "methodarg": "s.n2({e})",
    "cast": "(int)({e})",
    "fcast": "float({e})",
    "refcast": "(int&)({e})",
    "comma1": "(0, {e})",
    "comma2": "({e}, 0)",
    "cond1": "(a ? {e} : b)",
    "cond2": "(({e}) ? a : b)",
    "condu": "(n ? ({e}) : 2)",
    "not": "!({e})",
    "neg": "-({e})",
    "tilde": "~({e})",
    "add": "(({e}) + b)",
    "addr2": "(b + ({e}))",
    "mul": "(({e})*({e2}))",
    "construct": "S({e})",
    "brace": "S{{{e}}}",
    "lambda": "[&]{{ return {e}; }}()",
    "atomic": "atomicAdd((int*)&x[0], {e})",
    "atomic2": "atomicAdd(&x[(int)({e})], 1.0f)",
    "sizeof": "sizeof({e})",
    "max": "max({e}, 1)",
    "fmax": "fmaxf({e}, 1.0f)",
    "and1": "(({e}) && a)",
    "and2": "(a && ({e}))",
    "or": "(({e}) || n)",
    "shift": "(({e}) << 1)",
    "static": "static_cast<int>({e})",
    "reint": "reinterpret_cast<int&>({e})",
    "stdmax": "std::max({e}, 1)",
    "move": "std::move({e})",
    "tmpl": "t<int>({e})",
    "tmpl2": "t({e})",
    "eq": "(a == ({e}))",
    "mod": "(({e}) % 3)",
    "idx2": "v[({e})].m",
    "idx3": "v[0].v[({e})]",
    "assignr": "(a = ({e}))",
    "assignx": "(x[0] = ({e}))",
    "plusr": "(a += ({e}))",
    "stream": "(s << ({e}))",
    "new": "new int({e})",
    "noexc": "noexcept({e})",
    "ternlv": "((a ? s : s2) = ({e}))",
    "opadd": "(s + ({e}))",
    "opadd2": "(({e}) + s)",
    "opcall": "s({e})",
    "opcall2": "({e})(1)",
    "conv": "(S)({e})",
    "stmt": "({{ {e}; }})",
    "init": "int{{{e}}}",
    "ldg": "__ldg(&x[(int)({e})])",
    "min3": "min(min({e}, 1), 2)",
    "swap": "g({e}, {e3})",
    "const reference": "cr({e})",
    "template reference": "tr({e})",
}
"""Expressions around an expression ``e``."""


def nested(form: str, base: str, depth: int) -> str:
    """A kernel that has a form of expression within itself, ``depth`` times."""
    text = base
    for _ in range(depth):
        text = form.format(e=text, e2="b", e3="b")
    return (
        f"{CLASSES}{KERNEL}\n__global__ void odd(float *x, int a, int b, int n, S s, S s2, S *v) {{\n"
        f"{text}; x[threadIdx.x] = a;\n}}\nint main() {{ float *p; cudaMalloc(&p, 4 << 20); {LAUNCH}"
        " odd<<<1, 64>>>(p, 1, 2, 3, S(), S(), 0); }\n"
    )


def nested_on_host(form: str, base: str, depth: int) -> str:
    """Host code that has a form of expression within itself, before a launch."""
    text = base
    for _ in range(depth):
        text = form.format(e=text, e2="b", e3="b")
    return (
        f"{CLASSES}{KERNEL}\nint main(int argc, char **argv) {{ float *p; cudaMalloc(&p, 4 << 20);\n"
        f"int a = argc, b = 2, n = argc; float x[8]; S s(argc), s2; S v[4];\n{text};\n{LAUNCH} }}\n"
    )


def numbers() -> dict[str, Made]:
    """Arithmetic and dimensions that no machine has."""
    hex_digits = "0x" + "f" * 300
    digits = "9" * 300
    found: dict[str, Made] = {
        "squares": lambda: in_main("double y = 3.0; " + "y = y * y; " * 64),
        "squares in a loop": lambda: in_main(
            "double y = 3.0; for (int i = 0; i < 64; i++) y = y * y; int n = (int) y; (void) n;"
        ),
        "integer squares": lambda: in_main("long long y = 3; " + "y = y * y; " * 64),
        "integer squares in a loop": lambda: in_main(
            "unsigned y = 3; for (int i = 0; i < 64; i++) y = y * y;"
        ),
        "unknown squares": lambda: in_kernel("float y = x[0];" + "y = y * y + a;" * 200),
        "unknown integer squares": lambda: in_kernel(
            "int y = n; " + "y = y * y + a; " * 60 + "x[y] = 1;"
        ),
        "host unknown squares": lambda: in_main(
            'int y = atoi(getenv("X")); ' + "y = y * y + 1; " * 60
        ),
        "doubling": lambda: in_main("unsigned y = 1; for (int i = 0; i < 1000; i++) y += y;"),
        "factorial": lambda: in_main("long y = 1; for (int i = 1; i < 1000; i++) y *= i;"),
        "powers": lambda: in_main("double y = pow(10.0, 400.0); y = pow(y, y); int n = y;"),
        "power tower": lambda: in_main("double y = pow(2.0, pow(2.0, pow(2.0, 10.0)));"),
        "exponential": lambda: in_main("double y = exp(1e10); double z = log(0.0); int n = z;"),
        "roots": lambda: in_main("double y = sqrt(-1.0); int n = (int) y; float f = y / 0.0;"),
        "shifts": lambda: in_main("int y = 1 << 1000000000; long z = 1L << 99999999999; y >>= -1;"),
        "shift of a shift": lambda: in_main("long y = 1; for (int i=0;i<60;i++) y = y << 60;"),
        "unknown shift": lambda: in_kernel("x[a << 1000000000] = 1 >> -5;"),
        "long hex": lambda: in_main(f"double y = {hex_digits}; unsigned n = {hex_digits};"),
        "long hex in a kernel": lambda: in_kernel(f"x[{hex_digits}] = {hex_digits};"),
        "long decimal": lambda: in_kernel(f"x[{digits}] = {digits};"),
        "million digits": lambda: in_kernel(f"x[0] = {'9' * 1_000_000};"),
        "million hex digits": lambda: in_kernel(f"x[0] = 0x{'f' * 1_000_000};"),
        "million fraction digits": lambda: in_kernel(f"x[0] = 0.{'9' * 1_000_000};"),
        "long float": lambda: in_kernel("x[0] = 1e400 + 0x1p99999 + 1e-400 + 1e999999999;"),
        "float index": lambda: in_kernel("x[(int) 1e400] = x[(long) 0x1p99999]; x[(int) NAN] = 1;"),
        "nan index": lambda: in_kernel("x[(int) (0.0 / 0.0)] = x[(int) (1.0 / 0.0)];"),
        "host floats": lambda: in_main("double y = 1e400, z = 0x1p99999, w = y - y; int n = w;"),
        "nan size": lambda: launched("n", "256", "double z = NAN; int n = (int) z;"),
        "infinite size": lambda: launched("n", "256", "double z = 1e400; long n = (long) ceil(z);"),
        "division by zero": lambda: in_main(
            "int z = 0; int y = 1 / z; y = 1 % z; double w = 1 / 0;"
        ),
        "division by zero in a kernel": lambda: in_kernel(
            "x[a / 0] = x[a % 0] + 1 / 0 + 1.0f / 0;"
        ),
        "least by minus one": lambda: in_main("int y = -2147483647 - 1; y = y / -1; y = y % -1;"),
        "array bound": lambda: in_kernel(f"__shared__ float s[{digits}]; s[0] = 1; x[0] = s[0];"),
        "negative bound": lambda: in_kernel(
            "__shared__ float s[-5]; float t[0]; x[0] = s[0] + t[1];"
        ),
        "huge bounds": lambda: in_kernel("float s[1 << 30][1 << 30][1 << 30]; x[0] = s[0][0][a];"),
        "huge class": lambda: in_kernel(
            "x[0] = q[1].v[0];",
            "struct S0 { char v[1 << 30]; };"
            + "".join(f"struct S{i} {{ S{i - 1} v[1 << 30]; }};" for i in range(1, 20))
            + "__device__ S19 *q;",
        ),
        "huge trips": lambda: in_kernel("for (long i = 0; i < 1L << 62; i++) x[i] = 1;"),
        "huge unroll": lambda: in_kernel(
            "#pragma unroll 1000000000\nfor (int i = 0; i < 1000000000; i++) x[i] = 1;"
        ),
        "long unroll": lambda: in_kernel(
            f"#pragma unroll {digits}\nfor (int i = 0; i < n; i++) x[i] = 1;"
        ),
        "huge step": lambda: in_kernel(f"for (int i = 0; i < n; i += {digits}) x[i] = 1;"),
        "zero step": lambda: in_kernel("for (int i = 0; i < n; i += 0) x[i] = 1;"),
        "huge malloc": lambda: in_main(f"float *q; cudaMalloc(&q, {digits}); cudaMalloc(&q, -1);"),
        "huge vector": lambda: in_main("std::vector<int> v(1L << 62); v[1L << 61] = 3;"),
        "huge array": lambda: in_main(
            "static int v[1L << 62]; v[1L << 61] = 3; memset(v, 0, 1L<<62);"
        ),
        "huge string": lambda: in_main("std::string s(1L << 62, 'x'); int n = s.size();"),
        "doubled string": lambda: in_main(
            'std::string s = "x"; for (int i = 0; i < 60; i++) s += s; int n = s.size();'
        ),
        "printf width": lambda: in_main(
            'char b[9]; sprintf(b, "%999999999d", 1); int n = atoi(b);'
        ),
        "atoi digits": lambda: in_main(f'int n = atoi("{digits}"); double d = atof("1e999");'),
        "strtol digits": lambda: in_main(
            f'long n = strtol("{digits}", 0, 36); n = stoi("{digits}");'
        ),
        "enum": lambda: in_main(f"enum E {{ A = {digits}, B = A * A, C = 1 << 99999999 }};"),
        "template number": lambda: in_main(
            f"f<{digits}>();", "template <int N> void f() { int v[N]; f<N - 1>(); }"
        ),
        "constant recursion": lambda: in_main(
            "constexpr long z = f(100000);",
            "constexpr long f(long n) { return n < 2 ? n : f(n - 1) + f(n - 2); }",
        ),
        "constant loop": lambda: in_kernel(
            "x[f()] = 1;",
            "constexpr long f() { long s = 1; for (long i = 0; i < 1L << 40; i++) s *= 3; return s; }",
        ),
        "host recursion": lambda: in_main(
            "f(100000);", "long f(long n) { return f(n - 1) + f(n - 2); }"
        ),
        "#if numbers": lambda: in_kernel(
            "x[0] = 1;",
            f"#if {digits} << 99999999 || 1 / 0 || {hex_digits} * {digits} || 1 % 0\n#endif",
        ),
        "#if shifts": lambda: in_kernel("x[0] = 1;", "#if 1 << 100000000000 > 0\n#endif"),
        "argument of infinity": lambda: in_main(
            "plain<<<64, 64>>>(p, 1e400); plain<<<64, 64>>>(p, NAN);"
        ),
        "memory of infinity": lambda: in_main(
            "float *q; cudaMalloc(&q, 1e300 * 1e300); plain<<<64, 64>>>(q, 7);"
        ),
        "dim3": lambda: launched("dim3(99999999999999999999)", "256"),
        "dim3 block": lambda: launched("4096", "dim3(99999999999999999999, 8)"),
        "dim3 of floats": lambda: launched("dim3(1e400, 0.0 / 0.0)", "dim3(NAN, 1e30)"),
    }
    extremes = (
        "0",
        "-1",
        "1025",
        "590000000000000000000",
        "1 << 31",
        "1e400",
        digits,
        "0x7fffffffffffffff",
    )
    for value in extremes:
        found[f"grid {value[:24]}"] = partial(launched, value, "256")
        found[f"block {value[:24]}"] = partial(launched, "4096", value)
    for name, body in _ODD_BODIES.items():
        found[name] = partial(in_kernel, body)
    return found


_ODD_BODIES: Final = {
    "infinite array": "float v[1e400]; v[a] = b; x[a] = v[b];",
    "array of 1e308": "float v[1e308]; v[a] = b; x[a] = v[b];",
    "negative shared array": "__shared__ float s[-1000]; s[a] = b; __syncthreads(); x[a] = s[b];",
    "shared array of no memory": "__shared__ int s[4294967295][4294967295]; s[a][b] = n; x[a] = s[b][n];",
    "array of many dimensions": f"float v{'[4294967295]' * 40}; x[sizeof(v)] = 1;",
    "index of infinity": "float4 v[4]; x[1e400] = 1; v[1e400].x = a; x[a] = v[0 * 1e400].x;",
    "index beyond 64 bits": "x[18446744073709551615ull * 18446744073709551615ull * a] = 1; x[a * 1e300 * 1e300] = 2;",
    "shift by much": "for (int i = 1; i < n; i <<= 2147483647) x[i] = 1; for (int i = n; i; i >>= -5) x[i] = 2;",
    "copy of much": "memcpy(x, x + a, 1e18); memset(x, 0, 1e400); memcpy(x, x, -1);",
    "alignment of infinity": "struct alignas(1e400) A { int m; }; A v; v.m = a; x[sizeof(A)] = v.m;",
    "unroll of infinity": "#pragma unroll 1e400\nfor (int i = 0; i < n; i++) x[i] = 1;",
    "infinite trips with an exit": "for (double d = 0; d < 1e400; d += 1e300) { if (x[a] > 3) break; x[a] = d; }",
    "NaN in an index": "x[(int)(0.0 * 1e400) + a] = 1; x[0.0 * 1e400] = 2;",
    "trips of infinity": "for (double d = 0; d < 1e400; d += 1e308) x[a] = d; for (int i = 0; i < 1e400; i++) x[i] = 1;",
}


def sizes() -> dict[str, Made]:
    """Texts of many megabytes, and small ones that ask for as much."""
    doubling = "".join(f"#define A{i} A{i + 1} A{i + 1}\n" for i in range(40)) + "#define A40 1 +\n"
    arguments = (
        "".join(f"#define B{i}(x) B{i + 1}(x x)\n" for i in range(40)) + "#define B40(x) x\n"
    )
    return {
        "520,000 functions": lambda: (
            KERNEL + "".join(f"int f{i}(int a){{return a;}}\n" for i in range(520_000))
        ),
        "10 MB line": lambda: KERNEL + "int v[] = {" + "1," * 5_000_000 + "1};\n",
        "10 MB blank line": lambda: KERNEL + " " * 10_000_000 + "\n",
        "10 MB comment": lambda: KERNEL + "/*" + "*" * 10_000_000 + "*/\n",
        "10 MB string": lambda: KERNEL + 'const char *s = "' + "a" * 10_000_000 + '";\n',
        "10 MB word": lambda: KERNEL + "int " + "a" * 10_000_000 + ";\n",
        "10 MB body": lambda: in_kernel("x[0] = x[1] * 2 + a;\n" * 500_000),
        "10 MB main": lambda: in_main("p = p + 1;\n" * 900_000),
        "10 MB of newlines": lambda: KERNEL + "\n" * 10_000_000,
        "10 MB of #if": lambda: KERNEL + "#if 1\n#endif\n" * 750_000,
        "10 MB of #define": lambda: KERNEL + "".join(f"#define M{i} {i}\n" for i in range(550_000)),
        "10 MB of pragmas": lambda: KERNEL + "#pragma omp target\n" * 500_000,
        "10 MB of includes": lambda: '#include "none.h"\n' * 550_000 + KERNEL,
        "10 MB of quotes": lambda: KERNEL + "'\"" * 5_000_000,
        "10 MB of launches": lambda: KERNEL + "void g(float *p) {\n" + LAUNCH * 280_000 + "}\n",
        "10 MB of classes": lambda: (
            KERNEL + "".join(f"struct S{i} {{ int a; }};\n" for i in range(450_000))
        ),
        "10 MB of parens": lambda: KERNEL + "(" * 10_000_000,
        "10 MB of braces": lambda: KERNEL + "{" * 10_000_000,
        "10 MB of angles": lambda: KERNEL + "<" * 10_000_000,
        "10 MB of minus": lambda: KERNEL + "int x = " + "-" * 10_000_000 + "1;\n",
        "10 MB of backslashes": lambda: KERNEL + "\\\n" * 5_000_000,
        "10 MB of errors": lambda: KERNEL + ") } ] ; @ $ ` int int " * 400_000,
        "10 MB of globals": lambda: KERNEL + "".join(f"int g{i};\n" for i in range(800_000)),
        "10 MB of templates": lambda: KERNEL + "template <class T> T f(T);\n" * 370_000,
        "2,000,000 initialisers": lambda: (
            KERNEL + "int v[] = {\n" + "1, 2, 3, 4, 5, 6, 7, 8,\n" * 250_000 + "};\n"
        ),
        "2,000,000 local initialisers": lambda: in_main(
            "int v[] = {\n" + "1,2,3,4,\n" * 500_000 + "};"
        ),
        "100,000 kernels": lambda: "".join(
            f"__global__ void k{i}(float *x) {{ x[threadIdx.x] = {i}; }}\n" for i in range(100_000)
        ),
        "2,000 kernels launched": lambda: (
            "".join(
                f"__global__ void k{i}(float *x) {{ x[threadIdx.x] = {i}; }}\n"
                for i in range(2_000)
            )
            + "int main() { float *p;\n"
            + "".join(f"k{i}<<<64, 64>>>(p);\n" for i in range(2_000))
            + "}\n"
        ),
        "50,000 target regions": lambda: (
            "void f(float *x, int n) {\n" + "#pragma omp target teams distribute parallel for\n"
            "for (int i = 0; i < n; i++) x[i] += 1;\n" * 50_000 + "}\n"
        ),
        "30,000 kernels in strings": lambda: (
            "#include <CL/cl.h>\nconst char *s[] = {\n"
            + "".join(
                f'"__kernel void k{i}(__global float *a) {{ a[get_global_id(0)] = {i}; }}",\n'
                for i in range(30_000)
            )
            + "};\nvoid f() { clCreateProgramWithSource(c, 1, s, 0, 0); }\n"
        ),
        "doubling macros": lambda: in_kernel("x[0] = A0 1;", doubling),
        "doubling arguments": lambda: in_kernel("x[0] = B0(1 +) 1;", arguments),
        "doubling macros in #if": lambda: in_kernel("x[0] = 1;", doubling + "#if A0 1\n#endif"),
        "doubling macros in #include": lambda: in_kernel("x[0] = 1;", doubling + "#include A0"),
        "doubling macros in a pragma": lambda: in_kernel(
            "#pragma unroll A0\nfor (int i = 0; i < 4; i++) x[i] = 1;", doubling
        ),
        "doubling templates": lambda: in_kernel(
            "x[0] = f<40>();",
            "template <int N> __device__ int f() { return f<N - 1>() + f<N - 1>(); }",
        ),
        "doubling calls": lambda: in_kernel(
            "x[0] = f0(a);",
            "__device__ int f40(int v) { return v; }\n"
            + "".join(
                f"__device__ int f{i}(int v) {{ return f{i + 1}(v) + f{i + 1}(v + 1); }}\n"
                for i in reversed(range(40))
            ),
        ),
        "doubling host calls": lambda: in_main(
            "f0(1);",
            "int f40(int v) { return v; }\n"
            + "".join(
                f"int f{i}(int v) {{ return f{i + 1}(v) + f{i + 1}(v + 1); }}\n"
                for i in reversed(range(40))
            ),
        ),
        "doubling aliases": lambda: in_kernel(
            "T40 v; x[0] = sizeof(T40);",
            "template <class A, class B> struct P { A a; B b; };\ntypedef int T0;\n"
            + "".join(f"typedef P<T{i}, T{i}> T{i + 1};\n" for i in range(40)),
        ),
        "doubling classes": lambda: in_kernel(
            "x[0] = sizeof(T40);",
            "struct T0 { int a; };\n"
            + "".join(f"struct T{i + 1} {{ T{i} a, b; }};\n" for i in range(40)),
        ),
        "doubling bases": lambda: in_kernel(
            "x[0] = sizeof(T40); T40 v; x[1] = v.a;",
            "struct T0 { int a; };\n"
            + "".join(
                f"struct L{i + 1} : T{i} {{}}; struct R{i + 1} : T{i} {{}};"
                f"struct T{i + 1} : L{i + 1}, R{i + 1} {{}};\n"
                for i in range(40)
            ),
        ),
        "doubling expressions": lambda: in_kernel(
            "int y = a;" + "y = (y + b) * (y - n);" * 60 + "x[y] = y;"
        ),
        "doubling conditions": lambda: in_kernel(
            "".join(f"int c{i} = x[{i}] > a; if (c{i}) b += x[{i}];" for i in range(300))
            + "x[b] = 1;"
        ),
        "nested loops": lambda: in_kernel(
            "".join(f"for (int i{i} = 0; i{i} < n; i{i}++) " for i in range(30))
            + "x[i0 + i29] += 1;"
        ),
        "doubling loops": lambda: in_kernel(
            "".join(
                f"for (int i{i} = 0; i{i} < i{i - 1} + 1; i{i}++) "
                if i
                else "for (int i0 = 0; i0 < n; i0++) "
                for i in range(20)
            )
            + "x["
            + " + ".join(f"i{i} * {i + 1}" for i in range(20))
            + "] += 1;"
        ),
        "many variables": lambda: in_kernel(
            "".join(f"float v{i} = x[{i}];" for i in range(5_000))
            + "x[0] = "
            + " + ".join(f"v{i}" for i in range(5_000))
            + ";"
        ),
        "many parameters": lambda: (
            "__global__ void k("
            + ", ".join(f"float *p{i}" for i in range(5_000))
            + ") {"
            + "".join(f"p{i}[threadIdx.x] = 1;" for i in range(5_000))
            + "}\n"
        ),
        "many branches": lambda: in_kernel(
            "".join(f"if (a == {i}) x[{i}] = {i};" for i in range(5_000))
        ),
        "many cases": lambda: in_kernel(
            "switch (a) {" + "".join(f"case {i}: x[{i}] = {i}; break;" for i in range(5_000)) + "}"
        ),
        "mutual headers": lambda: "#include __FILE__\n#include __FILE__\n" + KERNEL,
        "itself": lambda: '#include "text.cu"\n#include "text.cu"\n' + KERNEL,
    }


def encodings() -> dict[str, Made]:
    """Characters that are no letters."""
    return {
        "zero width": lambda: KERNEL + "\u200b" * 100_000,
        "not UTF-8": lambda: KERNEL + "\udcff" * 100_000,
        "line separators": lambda: KERNEL + "\u2028" * 10_000 + "\f" * 10_000 + "\v" * 10_000,
        "combining": lambda: KERNEL + "int a" + "\u0301" * 100_000 + ";",
        "carriage returns": lambda: KERNEL.replace("\n", "\r") + "\r" * 100_000,
    }


def all_texts() -> dict[str, Made]:
    """Every text by its name."""
    return {
        **{f"40 {name}": text for name, text in runs(40).items()},
        **{f"20,000 {name}": text for name, text in runs(20_000).items()},
        **{f"numbers: {name}": text for name, text in numbers().items()},
        **{f"sizes: {name}": text for name, text in sizes().items()},
        **{f"encodings: {name}": text for name, text in encodings().items()},
    }
