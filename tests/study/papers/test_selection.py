"""Balanced selections: as many of each language and class, within tokens, by a seed alone."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.report.report import Verdict
from roofline_study.papers.errors import StudyError
from roofline_study.papers.selection import Sized, balanced, one_each

from .conftest import BB, CB, made_row, made_sized


def some(counts: dict[tuple[str, Verdict], int], tokens: int = 100) -> list[Sized]:
    return [
        made_sized(f"p{at}{label.value}-{language}", label, tokens=tokens, language=language)
        for (language, label), count in counts.items()
        for at in range(count)
    ]


COUNTS = {("cuda", CB): 3, ("cuda", BB): 9, ("omp", CB): 5, ("omp", BB): 4}


def test_as_many_of_each_language_and_class() -> None:
    drawn = balanced(some(COUNTS))
    assert Counter(kernel.kind for kernel in drawn.kernels) == dict.fromkeys(COUNTS, 3)
    assert (drawn.per_kind, drawn.programs, drawn.too_long) == (3, 21, 0)
    assert drawn.candidates == COUNTS
    assert drawn.text() == (
        "12 kernels, 3 of each language and class; of 21 programs 0 were over the token limit, and"
        " within it were cuda BB 9, cuda CB 3, omp BB 4, omp CB 5"
    )


def test_fewer_are_drawn_if_asked_for() -> None:
    drawn = balanced(some(COUNTS), per_kind=2)
    assert Counter(kernel.kind for kernel in drawn.kernels) == dict.fromkeys(COUNTS, 2)


def test_more_than_there_are_is_an_error() -> None:
    with pytest.raises(StudyError, match=r"at most 3 kernels .* fewer than the 4 asked for"):
        balanced(some(COUNTS), per_kind=4)


def test_a_kind_that_is_missing_is_an_error() -> None:
    with pytest.raises(StudyError, match=r"at most 0 kernels of each"):
        balanced(some({("cuda", CB): 3, ("omp", BB): 4}))


def test_long_prompts_are_left_out() -> None:
    long = [made_sized(f"long{at}-cuda", CB, tokens=8001) for at in range(5)]
    edge = [made_sized("edge-cuda", CB, tokens=8000)]
    drawn = balanced([*some({("cuda", BB): 4}), *long, *edge])
    assert drawn.too_long == 5
    assert {k.row.program for k in drawn.kernels if k.kind == ("cuda", CB)} == {"edge-cuda"}


def test_the_seed_alone_decides() -> None:
    kernels = some({("cuda", CB): 6, ("cuda", BB): 40})
    names = [[k.row.name for k in balanced(held).kernels] for held in (kernels, kernels[::-1])]
    assert names[0] == names[1][::-1]
    others = balanced(kernels, seed=1).kernels
    assert [k.row.name for k in others] != names[0]


def test_each_band_of_tokens_has_as_many() -> None:
    short = some({("cuda", CB): 2, ("cuda", BB): 7}, tokens=10)
    long = [made_sized(f"l{at}-cuda", CB, tokens=7000) for at in range(6)]
    long += [made_sized(f"m{at}-cuda", BB, tokens=8000) for at in range(3)]
    drawn = balanced([*short, *long], bands=2)
    bands = Counter((kernel.kind, kernel.tokens > 4000) for kernel in drawn.kernels)
    assert bands == {
        (("cuda", CB), False): 2,
        (("cuda", BB), False): 2,
        (("cuda", CB), True): 3,
        (("cuda", BB), True): 3,
    }
    assert drawn.per_kind == 5
    fewer = balanced([*short, *long], bands=2, per_kind=3).kernels
    assert Counter((k.kind[1], k.tokens > 4000) for k in fewer) == {
        (CB, False): 1,
        (BB, False): 1,
        (CB, True): 2,
        (BB, True): 2,
    }


@given(
    st.lists(st.tuples(st.sampled_from([CB, BB]), st.integers(0, 9000)), min_size=1),
    st.integers(1, 5),
)
def test_classes_are_even_in_every_band(kinds: list[tuple[Verdict, int]], bands: int) -> None:
    kernels = [
        made_sized(f"p{at}-cuda", label, tokens=tokens) for at, (label, tokens) in enumerate(kinds)
    ]
    try:
        drawn = balanced(kernels, bands=bands).kernels
    except StudyError:
        drawn = ()
    found = Counter(
        (min(kernel.tokens * bands // 8000, bands - 1), kernel.kind[1]) for kernel in drawn
    )
    there = Counter(
        (min(kernel.tokens * bands // 8000, bands - 1), kernel.kind[1])
        for kernel in kernels
        if kernel.tokens <= 8000
    )
    for band in range(bands):
        least = min(there[band, CB], there[band, BB])
        assert found[band, CB] == found[band, BB] == least


def test_one_kernel_of_each_program() -> None:
    rows = [made_row("a-cuda", line=2), made_row("b-cuda", line=3), made_row("a-cuda", BB, line=4)]
    assert [row.line for row in one_each(rows)] == [2, 3]


def test_a_row_without_class_is_named() -> None:
    with pytest.raises(StudyError, match=r"a-cuda:k\(float \*\): the data set has no class"):
        balanced([Sized(made_row(label=None), 3)])
