"""RQ4: parts by program, and what is written of them."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.api import gpu_used
from roofline_core.settings import AdvisorSettings, Settings
from roofline_study.papers.classification import FEW_SHOT, KernelMaterial, class_request
from roofline_study.papers.errors import StudyError
from roofline_study.papers.fine_tuning import (
    answer_sheet,
    as_jsonl,
    parted,
    tuned_questions,
)
from roofline_study.papers.scores import family

from .conftest import BB, CB, made_row, made_sized

GPU = gpu_used(Settings(gpu="RTX 3080", clock="base"))


def test_a_fifth_of_each_kind_is_held_back() -> None:
    kernels = [
        made_sized(f"{label.value}{language}{at}-{language}", label, language=language)
        for label in (CB, BB)
        for language in ("cuda", "omp")
        for at in range(85)
    ]
    parts = parted(kernels)
    assert (len(parts.training), len(parts.validation)) == (272, 68)
    assert set(Counter(kernel.kind for kernel in parts.validation).values()) == {17}
    assert parts == parted(kernels)
    assert parts.validation != parted(kernels, seed=3).validation
    assert parts.text() == (
        "272 kernels to train with and 68 held back (cuda BB 17, cuda CB 17, omp BB 17, omp CB 17);"
        " a program's versions in two languages are in one part"
    )


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans(), st.booleans()), unique=True))
def test_no_program_is_in_both_parts(found: list[tuple[int, bool, bool]]) -> None:
    kernels = [
        made_sized(f"p{at}-{'omp' if omp else 'cuda'}", CB if compute else BB,
                   language="omp" if omp else "cuda")
        for at, omp, compute in found
    ]  # fmt: skip
    there = Counter(kernel.kind for kernel in kernels)
    fifths = {kind: round(0.2 * count) for kind, count in there.items()}
    try:
        parts = parted(kernels)
    except StudyError:
        of_programs = Counter((family(kernel.row), kernel.kind) for kernel in kernels)
        too_large = {name for (name, kind), count in of_programs.items() if count > fifths[kind]}
        assert too_large == {name for name, _ in of_programs}
        return
    sides = [{family(kernel.row) for kernel in part} for part in (parts.training, parts.validation)]
    assert sides[0].isdisjoint(sides[1])
    assert Counter([*parts.training, *parts.validation]) == Counter(kernels)
    held = Counter(kernel.kind for kernel in parts.validation)
    assert all(held[kind] <= fifth for kind, fifth in fifths.items())


def test_a_line_is_a_conversation_that_ends_with_the_word() -> None:
    materials = [
        KernelMaterial(made_row("a-cuda", CB), "Kernel: k\nü", GPU),
        KernelMaterial(made_row("b-cuda", BB), "Kernel: l", GPU),
    ]
    lines = [json.loads(line) for line in as_jsonl(materials, AdvisorSettings()).splitlines()]
    system = class_request(FEW_SHOT, materials[0], AdvisorSettings()).system
    assert lines == [
        {
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": material.text},
                {"role": "assistant", "content": word},
            ]
        }
        for material, word in zip(materials, ("Compute", "Bandwidth"), strict=True)
    ]


def test_tuned_models_are_asked_as_in_rq3() -> None:
    material = KernelMaterial(made_row(), "Kernel: k", GPU)
    (question,) = tuned_questions([material], AdvisorSettings(), 1)
    assert question.study == "rq4"
    assert question.request == class_request(FEW_SHOT, material, AdvisorSettings())


def test_the_sheet_names_what_was_held_back(tmp_path: Path) -> None:
    sheet = answer_sheet([made_sized("a-cuda", CB)])
    assert list(csv.reader(io.StringIO(sheet))) == [
        ["program", "kernel", "answer"],
        ["a-cuda", "k(float *)", ""],
    ]
