"""An edit inside a body gives what reading the whole file gives, and the rest as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofline_core.program.units import TranslationUnit
from roofline_parsers.reading.edits import read_edit
from roofline_parsers.reading.load import LoadCache, load_program

PATH = Path("/p/a.cu")
SOURCE = """\
#define BLOCK 128
#define TWICE(x) ((x) + (x))
namespace one {
__device__ float helper(float x) {
  return x * 2.0f;
}
}
template <typename T>
__global__ void k(
    T *p, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  #pragma unroll 4
  for (int j = 0; j < 8; j++) {
    float s = one::helper(p[i]);
    p[i] += TWICE(s) * j;
  }
  if (i < n) p[i] = __LINE__;
}
extern "C" __global__ void plain(float *p) {
  p[threadIdx.x] = 1;
}
int main() {
  float *p = nullptr;
  k<float><<<2, BLOCK>>>(p, 7);
}
"""
BODY_LINES = (5, 11, 13, 14, 15, 17, 20, 23, 24)
"""Lines of bodies without directives, 1-based."""


def read(cache: LoadCache, text: str) -> TranslationUnit:
    (unit,) = load_program([PATH], {PATH: text.encode()}.get, cache=cache).units
    return unit


def changed(line: int, old: str, new: str) -> str:
    lines = str(SOURCE).split("\n")
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new)
    return "\n".join(lines)


def shown(unit: TranslationUnit) -> list[object]:
    return [
        (f.qualified_name, f.span, f.name_span, f.launches, f.fingerprint, repr(f.body), f.words)
        for f in unit.functions
    ]


def differing(one: TranslationUnit, other: TranslationUnit) -> list[str]:
    pairs = zip(one.functions, other.functions, strict=True)
    return [f.name for f, g in pairs if f is not g]


@pytest.mark.parametrize(
    ("line", "old", "new", "name"),
    [
        (5, "2.0f", "2.0f + x", "helper"),
        (11, "threadIdx.x", "threadIdx.x + BLOCK", "k"),
        (15, "TWICE(s)", "TWICE(TWICE(s))", "k"),
        (17, "__LINE__", "__LINE__ + 1", "k"),
        (20, "1", "k<float><<<1, 1>>>(p, 3), 1", "plain"),
        (24, "7", "77", "main"),
    ],
)
def test_one_function_is_read_anew(line: int, old: str, new: str, name: str) -> None:
    cache = LoadCache(keep_trees=True)
    before = read(cache, SOURCE)
    text = changed(line, old, new)
    after = read(cache, text)
    assert differing(before, after) == [name]
    assert after.structs is before.structs
    assert after.macros is before.macros
    assert shown(after) == shown(read(LoadCache(), text))


@pytest.mark.parametrize(
    ("line", "old", "new"),
    [
        (1, "128", "256"),
        (9, "k(", "kk("),
        (10, "T *p", "T *q"),
        (4, "float x", "double x"),
        (5, "2.0f", "2.0f /* half"),
        (5, "x * 2.0f;", 'x * "2.0f";'),
        (5, "x * 2.0f;", "x * \\"),
        (12, "4", "8"),
        (18, "}", "} int z;"),
        (20, "1;", "1;\n"),
        (20, "1;", "({ 1; });}"),
        (20, "p[threadIdx.x] = 1;", "struct S { int x; };"),
    ],
)
def test_anything_else_is_read_in_full(line: int, old: str, new: str) -> None:
    cache = LoadCache(keep_trees=True)
    before = read(cache, SOURCE)
    text = changed(line, old, new)
    after = read(cache, text)
    assert len(differing(before, after)) == len(before.functions) or len(before.functions) != len(
        after.functions
    )
    assert shown(after) == shown(read(LoadCache(), text))


def test_macros_defined_behind_the_function_are_minded() -> None:
    cache = LoadCache(keep_trees=True)
    source = SOURCE + "#undef BLOCK\n#define BLOCK 64\n"
    read(cache, source)
    text = source.replace("= blockIdx.x", "= 1 + blockIdx.x")
    assert shown(read(cache, text)) == shown(read(LoadCache(), text))


def test_a_broken_line_is_a_problem_until_it_is_mended() -> None:
    cache = LoadCache(keep_trees=True)
    before = read(cache, SOURCE)
    broken = read(cache, changed(15, "TWICE(s) * j", "TWICE(s) * ) j"))
    assert differing(before, broken) == ["k"]
    assert [problem.line for problem in broken.problems] == [15]
    mended = read(cache, changed(15, "TWICE(s) * j", "TWICE(s) * 3"))
    assert not mended.problems
    assert shown(mended) == shown(read(LoadCache(), changed(15, "TWICE(s) * j", "TWICE(s) * 3")))


@pytest.mark.parametrize(
    ("old", "broken"),
    [("j < 8; j++) {", "j < 8; j++) {}"), ("x * 2.0f;", "x {{{{{{ * 2.0f;"), ("= 1;", "= 1; }")],
)
def test_what_was_broken_and_is_mended_is_as_it_was(old: str, broken: str) -> None:
    cache = LoadCache(keep_trees=True)
    read(cache, SOURCE)
    text = SOURCE.replace(old, broken)
    assert read(LoadCache(), text).problems
    # Opened anew, so that nothing is known of a text without errors.
    cache = LoadCache(keep_trees=True)
    read(cache, text)
    mended = read(cache, SOURCE)
    assert not mended.problems
    assert shown(mended) == shown(read(LoadCache(), SOURCE))


def test_a_changed_header_makes_everything_new() -> None:
    cache = LoadCache(keep_trees=True)
    before = read(cache, SOURCE)
    cache.invalidate(Path("/p/other.h"))
    after = read(cache, SOURCE)
    assert len(differing(before, after)) == len(before.functions)


TOKENS = ("x", "1", "+", "*", ";", "(", ")", "{", "}", "BLOCK", "TWICE(2)", "int", "<", " ", "p[0]")


@given(
    edits=st.lists(
        st.tuples(
            st.sampled_from(BODY_LINES),
            st.integers(0, 30),
            st.integers(0, 3),
            st.lists(st.sampled_from(TOKENS), max_size=4).map("".join),
        ),
        min_size=1,
        max_size=6,
    )
)
@settings(max_examples=60, deadline=None)
def test_any_typing_gives_what_a_full_reading_gives(
    edits: list[tuple[int, int, int, str]],
) -> None:
    cache = LoadCache(keep_trees=True)
    read(cache, SOURCE)
    text = str(SOURCE)
    lines = text.split("\n")
    for line, column, deleted, typed in edits:
        old = lines[line - 1]
        lines[line - 1] = old[:column] + typed + old[column + deleted :]
        text = "\n".join(lines)
        made = read(cache, text)
        full = read(LoadCache(), text)
        if not full.problems:
            assert shown(made) == shown(full)
            assert not made.problems
        else:
            assert made.problems
    same = read_edit(cache.last[next(iter(cache.last))], text.encode()) if cache.last else None
    assert same is None or same.source == text.encode()
