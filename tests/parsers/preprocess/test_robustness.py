"""Nothing raises, and line counts hold, on random and on spoiled input."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofline_parsers.preprocess import PreprocessedFile, PreprocessOptions, preprocess
from roofline_parsers.preprocess.tokens import OPAQUE, TOKEN

HEADERS = {
    Path("/src/a.h"): b"#pragma once\n#define FROM_A(x) x + \\\n x\nint a;\n",
    Path("/src/b.h"): b'#include "main.cu"\n#include "b.h"\n{ "b /* b */\n',
}
PIECES = [
    "#define ", "#define F(x) ", "#define G(...) ", "#undef ", "#if ", "#ifdef ", "#ifndef ",
    "#elif ", "#else", "#endif", '#include "a.h"', '#include "b.h"', "#pragma unroll ",
    "#pragma omp for", "#error", "#", "##", "\\", "\n", "\n", "\n", "\r\n", "\r", " ", "\t", "F",
    "G", "F(", "G(", "(", ")", ",", "{", "}", ";", "x", "N", "defined", "__VA_ARGS__",
    "__VA_OPT__(", "1", "0x1F", "1.e5", "1'0", "'a'", "'", '"', '"N"', 'R"(', ')"', "/*", "*/",
    "//", "+", "-", "?", ":", "<", ">", "&&", "__LINE__", "_Pragma(", '_Pragma("unroll")', "({",
    "})", "__attribute__((", "__align__(8)", "[] __device__ (", "new T*[", "__restrict", "NULL",
    "assert(", "\0", "\xff", "é",
]  # fmt: skip
SOUP = st.lists(st.sampled_from(PIECES), max_size=80).map("".join)
CODE = """\
#include "a.h"
#ifndef BLOCK
#define BLOCK 256
#endif
#define IDX(i, j) ((i) * N + (j)) /* row
major */
#define CHECK(call) \\
  do { if ((call) != cudaSuccess) printf("%s:%d\\n", __FILE__, __LINE__); } while (0)
template <typename T, int N>
__global__ void __launch_bounds__(BLOCK) k(T *__restrict__ a, const T *b, int n) {
  __shared__ __align__(16) T tile[BLOCK][N];
  int i = blockIdx.x * blockDim.x + threadIdx.x; // don't
  if (i < n)
#pragma unroll
    for (int j = 0; j < N; j++) a[IDX(i, j)] += b[IDX(j,
      i)] * 1'000.f;
#if __CUDA_ARCH__ >= 800 && defined(BLOCK)
  auto f = [=] __device__ (int x) { return FROM_A(x); };
#else
  #include "b.h"
#endif
}
int main() { CHECK(cudaMalloc(&p, sizeof(float) * BLOCK)); k<float, 4><<<1, BLOCK>>>(p, NULL, 3); }
"""


def process(source: bytes) -> PreprocessedFile:
    """Preprocesses with the headers above."""
    return preprocess(Path("/src/main.cu"), source, PreprocessOptions(), HEADERS.get)


def check(result: PreprocessedFile) -> None:
    """Everything that holds of any result."""
    source, text = result.source, result.text
    assert text.count(b"\n") == source.count(b"\n")
    before, after = source.split(b"\n"), text.split(b"\n")
    for number, (old, new) in enumerate(zip(before, after, strict=True), 1):
        if number not in result.changed_lines and new.strip():
            assert len(new) == len(old)
    assert all(1 <= line <= len(before) for line in result.changed_lines)
    assert all(p.line is None or 1 <= p.line <= len(before) for p in result.problems)
    for unit in result.includes:
        check(unit)


@settings(max_examples=150, deadline=None)
@given(SOUP)
def test_token_soup(text: str) -> None:
    check(process(text.encode()))


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=300))
def test_bytes(source: bytes) -> None:
    check(process(source))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(CODE)), st.integers(0, 40), st.sampled_from(["", *PIECES])),
        min_size=1,
        max_size=5,
    )
)
def test_spoiled_code(edits: list[tuple[int, int, str]]) -> None:
    text = CODE
    for start, length, insert in edits:
        text = text[:start] + insert + text[start + length :]
    check(process(text.encode()))


@settings(max_examples=80, deadline=None)
@given(st.integers(0, len(CODE)))
def test_code_typed_so_far(length: int) -> None:
    check(process(CODE[:length].encode()))


@settings(max_examples=80, deadline=None)
@given(SOUP)
def test_text_without_directives_and_macros_is_left(text: str) -> None:
    for special in ("#", "\\", "\0", "NULL", "assert", "__", "_Pragma", "({", "new", "[] _"):
        text = text.replace(special, "")
    text = re.sub(r">{3,}", ">>", text)  # Outside of launches they are told apart.
    source = (text + "\n*/").encode()  # A comment without an end would be ended with its line.
    result = process(source)
    assert result.text == source
    assert result.changed_lines == frozenset()


@settings(max_examples=80, deadline=None)
@given(SOUP)
def test_tokens_cover_the_text(text: str) -> None:
    source = text.encode()
    assert b"".join(found[0] for found in TOKEN.finditer(source)) == source
    assert all(found.end() > found.start() for found in OPAQUE.finditer(b"\n" + source))


HOSTILE = {
    "open calls": b"#define F(x) x\n" + b"F(" * 3000 + b"\n",
    "open groups": b"#if 1\n" * 3000,
    "parentheses": b"#if " + b"(" * 3000 + b"\nx\n#endif\n",
    "operators": b"#if " + b"1 ? " * 3000 + b"1\n#endif\n",
    "quotes": b'"' * 9999 + b"\n",
    "apostrophes": b"'" * 9999 + b"\n",
    "comments": b"/*" * 9999,
    "stars": b"/*" + b"*" * 9999,
    "raw strings": b'R"(' * 9999,
    "raw string marks": b'R"x(' + b")y" * 9999,
    "continuations": b"\\\n" * 9999,
    "continued comments": b"//\\\n" * 9999,
    "attributes": b"__attribute__((a(" * 3000,
    "braces": b"({" * 9999,
    "closed braces": b"({;" * 3000 + b"})" * 3000,
    "lambdas": b"] __device__ " * 9999,
    "news": b"new " * 9999 + b"*[",
    "pragmas": b"f(x)\n#pragma unroll\n" * 3000,
    "pragma operators": b'_Pragma("unroll") ' * 3000,
    "parameters": b"#define F(" + b"a," * 3000 + b"b) a\nF(" + b"1," * 3000 + b"2)\n",
    "splices": b"{\n" + b'#include "a.h"\n#include "b.h"\n' * 300,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(name: str) -> None:
    result = process(HOSTILE[name])
    check(result)
    assert len(result.problems) <= 200
