"""The same tokens as GNU cpp gives, on code that is hard on a preprocessor."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from roofline_parsers.preprocess import MacroTable, PreprocessOptions, preprocess

SNIPPETS = {
    "rescanning": """\
#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
char c[2][6] = { str(hello), str() };
""",
    "strings and pasting": """\
#define str(s) # s
#define xstr(s) str(s)
#define debug(s, t) printf("x" # s "= %d, x" # t "= %s", x ## s, x ## t)
#define INCFILE(n) vers ## n
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW "hello"
#define LOW LOW ", world"
debug(1, 2);
fputs(str(strncmp("abc\\0d", "abc", '\\4') == 0) str(: @\\n), s);
xstr(INCFILE(2).h)
glue(HIGH, LOW);
xglue(HIGH, LOW)
""",
    "hash hash": """\
#define hash_hash # ## #
#define mkstr(a) # a
#define in_between(a) mkstr(a)
#define join(c, d) in_between(c hash_hash d)
char p[] = join(x, y);
""",
    "placemarkers": """\
#define t(x,y,z) x ## y ## z
int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };
""",
    "variadic": """\
#define debug(...) fprintf(stderr, __VA_ARGS__)
#define showlist(...) puts(#__VA_ARGS__)
#define report(test, ...) ((test)?puts(#test): printf(__VA_ARGS__))
#define gnu(f, a...) f(0, ## a)
debug("Flag"); debug("X = %d\\n", x);
showlist(The first, second, and third items.);
report(x>y, "x is %d but y is %d", x, y);
gnu(g) gnu(g, 1) gnu(g, 1, 2) gnu(g,)
""",
    "indirection": """\
#define EMPTY()
#define DEFER(id) id EMPTY()
#define OBSTRUCT(...) __VA_ARGS__ DEFER(EMPTY)()
#define EXPAND(...) __VA_ARGS__
#define A() 123
DEFER(A)()
EXPAND(DEFER(A)())
#define EVAL(...) EVAL1(EVAL1(EVAL1(__VA_ARGS__)))
#define EVAL1(...) __VA_ARGS__
#define REPEAT(n) n DEFER(REPEAT_)()(n)
#define REPEAT_() REPEAT
EVAL(REPEAT(x))
#define CAT(a, ...) a ## __VA_ARGS__
#define CHECK_N(x, n, ...) n
#define CHECK(...) CHECK_N(__VA_ARGS__, 0,)
#define PROBE(x) x, 1,
#define NOT(x) CHECK(CAT(NOT_, x))
#define NOT_0 PROBE(~)
NOT(0) NOT(1) NOT(x)
#define IIF(c) CAT(IIF_, c)
#define IIF_0(t, ...) __VA_ARGS__
#define IIF_1(t, ...) t
IIF(NOT(0))(yes, no, never) IIF(NOT(4))(yes, no, never)
""",
    "loops of macros": """\
#define FE_1(W, X) W(X)
#define FE_2(W, X, ...) W(X)FE_1(W, __VA_ARGS__)
#define FE_3(W, X, ...) W(X)FE_2(W, __VA_ARGS__)
#define GET(_1, _2, _3, NAME, ...) NAME
#define FOR_EACH(action, ...) GET(__VA_ARGS__, FE_3, FE_2, FE_1)(action, __VA_ARGS__)
#define DECL(x) int x;
#define KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); \\
    i += blockDim.x * gridDim.x)
FOR_EACH(DECL, a, b, c) FOR_EACH(DECL, a)
KERNEL_LOOP(i, n) { y[i] += a * x[i]; }
""",
    "kernels made by macros": """\
#define DEFINE(name, type, op) \\
  __global__ void name##_##type(type *a, const type *b, int n) { \\
    int i = blockIdx.x * blockDim.x + threadIdx.x; \\
    if (i < n) a[i] = a[i] op b[i]; /* one */ \\
  }
#define ALL(op, name) DEFINE(name, float, op) DEFINE(name, double, op)
ALL(+, add)
ALL(*, mul) // two
#define COMMA ,
#define CALL(f, ...) f<<<grid, block>>>(__VA_ARGS__)
CALL(add_float, a COMMA b, n); CALL(k,);
""",
    "conditionals": """\
#define N 16
#define IS(x) (N == x)
#if IS(16) && !defined M && (N >> 2) % 3 == 1 ? 1 : 0
one
#elif 1
two
#endif
#if 0
never #define N 17
#elif N > 20 || -1 > 0u
three
#else
four
#endif
#ifdef N
#ifndef N
five
#else
six N
#endif
#endif
#if 'a' == 97 && 0x1F == 31 && 010 == 8 && 0b11 == 3 && 1'000 == 1000 && (2 || 1/0)
seven
#endif
#if UNKNOWN + 1 == 1 && -7 / 2 == -3 && -7 % 2 == -1 && ~0 == -1 && (1, 2) == 2
eight
#endif
""",
    "avoid accidental tokens": """\
#define PLUS +
#define EMPTY
#define f(x) =x=
+PLUS -EMPTY- PLUS+ f(=)
#define NEG(x) -x
NEG(-1) - NEG(NEG(2)) NEG(x)NEG(y)
#define DOT .
1 DOT 5 x DOT DOT DOT
""",
    "comments and splices": """\
#define A /* a
 b */ 1 // c
#def\\
ine B A + \\
A
int x = A; /* A
#define A 2
*/ int y = B; // A \\
A
int z = A \\
 + A;
""",
    "arguments over directives": """\
#define F(a, b) <a|b>
F(1,
#if 1
  2
#else
  3
#endif
) F((
#undef NOTHING
 4), 5)
""",
}


def tokens(text: bytes) -> list[bytes]:
    """Tokens without white space and comments."""
    found = re.findall(
        rb"/\*[\s\S]*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[\w.]+|\S", text
    )
    return [token for token in found if not token.startswith((b"//", b"/*"))]


@pytest.mark.parametrize("name", SNIPPETS)
def test_same_tokens_as_gcc(name: str) -> None:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("no gcc")
    source = SNIPPETS[name].encode()
    command = [compiler, "-E", "-P", "-w", "-undef", "-std=gnu++17", "-x", "c++", "-"]
    expected = subprocess.run(command, input=source, capture_output=True, check=True).stdout
    options = PreprocessOptions(base=MacroTable())
    result = preprocess(Path("main.cu"), source, options, lambda _: None)
    assert tokens(result.text) == tokens(expected)


# The same without a compiler: what gcc 12 gives.
FIXED = {
    "rescanning": (
        "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);"
        "f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);"
        'int i[] = { 1, 23, 4, 5,  }; char c[2][6] = { "hello", "" };'
    ),
    "strings and pasting": (
        'printf("x" "1" "= %d, x" "2" "= %s", x1, x2);'
        'fputs("strncmp(\\"abc\\\\0d\\", \\"abc\\", \'\\\\4\') == 0" ": @\\n", s);'
        '"vers2.h" "hello"; "hello" ", world"'
    ),
    "hash hash": 'char p[] = "x ## y";',
    "placemarkers": "int j[] = { 123, 45, 67, 89, 10, 11, 12,  };",
    "variadic": (
        'fprintf(stderr, "Flag"); fprintf(stderr, "X = %d\\n", x);'
        'puts("The first, second, and third items.");'
        '((x>y)?puts("x>y"): printf("x is %d but y is %d", x, y));'
        "g(0) g(0,1) g(0,1, 2) g(0,)"
    ),
    "conditionals": "one three six 16 seven eight",
}


@pytest.mark.parametrize("name", FIXED)
def test_fixed_tokens(name: str) -> None:
    options = PreprocessOptions(base=MacroTable())
    result = preprocess(Path("main.cu"), SNIPPETS[name].encode(), options, lambda _: None)
    assert tokens(result.text)[: len(tokens(FIXED[name].encode()))] == tokens(FIXED[name].encode())
