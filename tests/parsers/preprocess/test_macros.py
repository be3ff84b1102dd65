"""Macro expansion: exact output, line by line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_parsers.preprocess import MacroOrigin, PreprocessedFile

Run = Callable[..., PreprocessedFile]

# Definitions, a line that uses them, what it becomes.
CASES = {
    "object": ("#define N 4", "int a[N];", "int a[4];"),
    "object, empty": ("#define API", "API int f();", " int f();"),
    "no part of a word": ("#define N 4", "int NN = xN + N1;", "int NN = xN + N1;"),
    "no part of a number": (
        "#define e5 1\n#define f 2",
        "x = 1.e5 + 1.f + .e5;",
        "x = 1.e5 + 1.f + . 1;",
    ),
    "member": ("#define x 3", "p.x = q->x;", "p. 3 = q->3;"),
    "string untouched": ("#define N 4", 'f("N", "\\"N", N);', 'f("N", "\\"N", 4);'),
    "character untouched": ("#define a 4", "f('a', '\\'', a);", "f('a', '\\'', 4);"),
    "comment untouched": ("#define N 4", "N /* N */ N // N", "4 /* N */ 4 // N"),
    "raw string untouched": ("#define N 4", 'N R"(N)" N', '4 R"(N)" 4'),
    "prefixed raw string": ("#define N 4", 'u8R"x(N)N)x" N', 'u8R"x(N)N)x" 4'),
    "digit separator": (
        "#define N 1'000",
        "x = N + 2'000'000 + N;",
        "x = 1'000 + 2'000'000 + 1'000;",
    ),
    "prefixed literal": (
        "#define L 3\n#define u8 4",
        "L'\"' L u8'N' L\"L\" u8",
        "L'\"' 3 u8'N' L\"L\" 4",
    ),
    "chain": ("#define A B\n#define B C\n#define C 7", "A", "7"),
    "chain, defined later": ("#define A B\n#define B 7\n#undef B\n#define B 8", "A", "8"),
    "self": ("#define x x + 1", "x", "x + 1"),
    "mutual": ("#define a b\n#define b a", "a b", "a b"),
    "redefinition": ("#define N 1\n#define N 2", "N", "2"),
    "undef": ("#define N 1\n#undef N", "N", "N"),
    "comment in body": ("#define N 1 /* one */ + 2 // three", "N", "1 + 2"),
    "function": ("#define SQ(x) ((x) * (x))", "SQ(a + 1)", "((a + 1) * (a + 1))"),
    "function, no arguments": ("#define F() 3", "F() F( ) F", "3 3 F"),
    "function, one empty argument": ("#define F(x) [x]", "F() F( )", "[] []"),
    "space before the parenthesis": ("#define F(x) [x]", "F (1) F /* c */ (2)", "[1] [2]"),
    "space in the definition": ("#define F (x)", "F", "(x)"),
    "name without arguments": ("#define F(x) [x]", "p = F; F", "p = F; F"),
    "nested parentheses": ("#define F(x, y) y|x", "F((1, 2), g(3, 4))", "g(3, 4)|(1, 2)"),
    "brackets do not nest": ("#define F(x, y) y|x", "F(a[1, 2])", "2]|a[1"),
    "strings in arguments": ("#define F(x, y) y|x", "F(\",)\", '(')", "'('|\",)\""),
    "nested calls": ("#define F(x) <x>", "F(F(F(1)))", "< < <1> > >"),
    "arguments expand first": ("#define N 4\n#define F(x) x+x", "F(N)", "4+4"),
    "result expands again": ("#define F(x) G(x)\n#define G(x) {x}", "F(1)", "{1}"),
    "name from argument": ("#define F(x) {x}\n#define CALL(f, a) f(a)", "CALL(F, 2)", "{2}"),
    "parenthesis after expansion": ("#define F(x) {x}\n#define A F", "A(1) A", "{1} F"),
    "reaches beyond its expansion": ("#define f(a) a*g\n#define g(a) f(a)", "f(2)(9)", "2*9*g"),
    "painted in argument": ("#define f(x) x f", "f(f)(1)", "f f(1)"),
    "stringize": ("#define S(x) #x", "S( a  +\tb )", '"a + b"'),
    "stringize quotes": (
        "#define S(x) #x",
        """S("a\\n" + '"')""",
        r'''"\"a\\n\" + '\"'"''',
    ),
    "stringize does not expand": ("#define N 4\n#define S(x) #x", "S(N)", '"N"'),
    "stringize twice": ("#define N 4\n#define S(x) #x\n#define X(x) S(x)", "X(N)", '"4"'),
    "stringize nothing": ("#define S(x) #x", "S()", '""'),
    "hash in object": ("#define H # x", "H", "# x"),
    "paste": ("#define P(a, b) a ## b", "P(x, 1) P(1, e5) P(<, <)", "x1 1e5 <<"),
    "paste expands the result": ("#define P(a, b) a##b\n#define xy 9", "P(x, y)", "9"),
    "paste does not expand operands": ("#define N 4\n#define P(a) a##1", "P(N)", "N1"),
    "paste empty": ("#define P(a, b) [a##b]", "P(,x) P(x,) P(,)", "[x] [x] []"),
    "paste three": ("#define P(a, b, c) a##b##c", "P(1,2,3) P(1,,3)", "123 13"),
    "paste in object": ("#define P x ## y", "P", "xy"),
    "paste several tokens": ("#define P(a, b) a##b", "P(1 + x, y + 2)", "1 + xy + 2"),
    "paste what does not fit": ("#define P(a, b) a##b", "P(x, +)", "x+"),
    "variadic": ("#define F(...) g(__VA_ARGS__)", "F(1, 2) F()", "g(1, 2) g()"),
    "variadic after": (
        "#define F(a, ...) g(a; __VA_ARGS__)",
        "F(1, 2, 3) F(1)",
        "g(1; 2, 3) g(1; )",
    ),
    "variadic with a name": ("#define F(a...) g(a)", "F(1, 2)", "g(1, 2)"),
    "GNU comma": ("#define F(a, ...) g(a, ##__VA_ARGS__)", "F(1, 2) F(1)", "g(1,2) g(1)"),
    "GNU comma, empty argument": ("#define F(a, ...) g(a, ##__VA_ARGS__)", "F(1,)", "g(1,)"),
    "GNU comma alone": ("#define F(...) g(0, ##__VA_ARGS__)", "F() F(1)", "g(0) g(0,1)"),
    "__VA_OPT__": (
        "#define F(a, ...) g(a __VA_OPT__(,) __VA_ARGS__)",
        "F(1) F(1, 2)",
        "g(1  ) g(1 , 2)",
    ),
    "__VA_OPT__ with parameters": (
        "#define F(a, ...) __VA_OPT__(a(__VA_ARGS__))",
        "F(x, 1)F(x)",
        "x(1)",
    ),
    "stringized variadic": ("#define F(...) #__VA_ARGS__", "F(a,  b)", '"a, b"'),
    "no accidental token": (
        "#define M -1\n#define NEG(x) -x",
        "-M NEG(-1) NEG(x)-",
        "- -1 - -1 -x-",
    ),
    "no accidental comment": ("#define D /", "a D/ b", "a / / b"),
    "no accidental word": ("#define E", "+E+", "+ +"),
    "too few arguments": ("#define F(a, b) a+b", "F(1)", "F(1)"),
    "too many arguments": ("#define F(a) a", "F(1, 2)", "F(1, 2)"),
    "not closed": ("#define F(a) a", "F(1", "F(1"),
    "__LINE__ and __FILE__": ("", "__LINE__ __FILE__", '1 "/src/main.cu"'),
    "__COUNTER__": ("#define C __COUNTER__", "C C __COUNTER__", "0 1 2"),
}


@pytest.mark.parametrize("case", CASES)
def test_expansion(run: Run, case: str) -> None:
    definitions, use, expected = CASES[case]
    lines = definitions.splitlines()
    result = run("\n".join([*lines, use]))
    if not definitions:
        assert result.text.decode() == expected
        return
    assert result.text.decode() == "\n" * len(lines) + expected


@pytest.mark.parametrize(
    ("source", "expected", "changed"),
    [
        ("#define F(a, b) a + b\nx = F(1,\n  2\n) + y;\nz", "\nx = 1 + 2\n\n + y;\nz", {2, 3, 4}),
        ("#define F(a) a\nF\n(\n1)z", "\n1\n\nz", {2, 3, 4}),
        ("#define F(a) a\nF(1 // one\n+ 2 /* two\n */) z", "\n1 + 2\n\n z", {2, 3, 4}),
        ("#define S(x) #x\nS(a\nb)", '\n"a b"\n', {2, 3}),
        ("#define F(a) [a]\nF(F(\n1))F(2)", "\n[[1]]\n[2]", {2, 3}),
    ],
)
def test_invocation_over_several_lines(
    run: Run, source: str, expected: str, changed: set[int]
) -> None:
    result = run(source)
    assert result.text.decode() == expected
    assert result.changed_lines == changed


def test_invocation_around_directives(run: Run) -> None:
    source = """\
#define F(a, b) {a; b}
F(1,
#ifdef NOT
  2
#else
  3
#endif
) x
"""
    assert run(source).text.decode() == "\n{1; 3}\n\n\n\n\n\n x\n"


def test_invocation_left_open_swallows_nothing(run: Run) -> None:
    source = "#define F(a) [a]\nF(1\n#define N 2\nint x = N;\n#ifdef N\nF(3)\n#endif\n"
    result = run(source)
    assert result.text.decode() == "\nF(1\n\nint x = 2;\n\n[3]\n\n"
    assert [(p.line, p.message) for p in result.problems] == [
        (2, "macro 'F' is used without a closing parenthesis")
    ]


def test_wrong_number_of_arguments_is_reported(run: Run) -> None:
    problems = run("#define F(a, b) a\n\nF(1)\n").problems
    assert [(p.line, p.message) for p in problems] == [(3, "macro 'F' takes 2 arguments, not 1")]


def test_table_at_the_end(run: Run) -> None:
    result = run("#define N 4\n#define G(x) x\n#undef M\n", defines=(("M", "1"), ("K", "2")))
    macros = result.macros
    assert (macros[b"N"].body, macros[b"N"].line, macros[b"N"].origin) == (
        b"4",
        1,
        MacroOrigin.PROGRAM,
    )
    assert b"M" not in macros
    assert macros[b"K"].origin is MacroOrigin.COMMAND_LINE
    assert macros[b"G"].params == (b"x",)
    assert macros[b"NULL"].origin is MacroOrigin.PREDEFINED
    assert macros.program_objects() == {"N": "4", "K": "2"}


def test_defines_of_the_command_line(run: Run) -> None:
    options = {"defines": (("N", "4"), ("SQ(x)", "((x)*(x))"), ("ON", "")), "undefines": ("NULL",)}
    result = run("N SQ(2) ON| NULL\n", **options)
    assert result.text == b"4 ((2)*(2)) | NULL\n"


def test_unchanged_lines_are_not_listed(run: Run) -> None:
    result = run("#define N 4\nint a;\nint b[N];\nint c;\n")
    assert result.changed_lines == {3}


def test_expansion_is_bounded(run: Run) -> None:
    doubling = "".join(f"#define A{i} A{i + 1} A{i + 1}\n" for i in range(40))
    result = run(doubling + "A0\nint x;\n")
    assert len(result.text) < 1000
    assert result.text.endswith(b"A0\nint x;\n")
    assert [p.line for p in result.problems] == [41]


def test_pasting_is_bounded(run: Run) -> None:
    doubling = "".join(f"#define A{i}(x) A{i + 1}(x##x)\n" for i in range(60))
    result = run(doubling + "A0(ab)\n")
    assert len(result.text) < 1000
    assert len(result.problems) == 1


def test_deep_nesting_is_left(run: Run) -> None:
    result = run("#define F(x) x\n" + "F(" * 500 + "1" + ")" * 500 + "\n")
    assert b"1" in result.text
    assert "nest deeper" in result.problems[0].message
