"""What questions tell of a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import gpu_used
from roofline_core.settings import AdvisorSettings, Settings
from roofline_study.judge import Inputs, judge_program
from roofline_study.papers.classification import (
    FEW_SHOT,
    ZERO_SHOT,
    class_questions,
    class_request,
    material_of,
    sized,
)
from roofline_study.papers.errors import StudyError
from roofline_study.papers.material import source_texts
from roofline_study.papers.shown_examples import EXAMPLES, SolvedExample
from roofline_study.programs import ProgramAnalyser

from .conftest import CB, made_row

GPU = gpu_used(Settings(gpu="RTX 3080", clock="base"))
STUDY = Settings(gpu="RTX 3080", clock="base", rule="study", compiler="clang")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "src" / "a-cuda"
    (folder / "inner").mkdir(parents=True)
    (folder / "main.cu").write_text("int main() {}\n\n")
    (folder / "inner" / "k.h").write_text("#pragma once\n")
    (folder / "Makefile").write_text("all:\n")
    (folder / "notes.md").write_text("secret\n")
    return tmp_path / "src"


def test_the_inputs_of_the_paper_and_nothing_measured(sources: Path) -> None:
    text = material_of(made_row(), sources, GPU).text
    assert text == (
        "Language: CUDA\n"
        "Kernel: k(float *)\n"
        "GPU: GeForce RTX 3080 10GB\n"
        "Peak single-precision performance: 25067.5 GFLOP/s\n"
        "Peak double-precision performance: 391.68 GFLOP/s\n"
        "Peak integer performance: 12533.8 GOP/s\n"
        "Peak DRAM bandwidth: 760.3 GB/s\n"
        "Grid: (4, 1, 1)\n"
        "Block: (64, 1, 1)\n"
        "Arguments of the program's command line: 8\n"
        "\n"
        "Source files:\n"
        "\n"
        "-------- main.cu --------\n"
        "int main() {}\n"
        "\n"
        "-------- inner/k.h --------\n"
        "#pragma once"
    )


def test_what_is_not_known_is_said(sources: Path) -> None:
    row = made_row(args=None, grid=None, block=None)
    text = material_of(row, sources, GPU).text
    assert "Grid: not known\nBlock: not known\n" in text
    assert "command line: not known\n" in text


def test_files_outside_are_not_read(sources: Path) -> None:
    outside = sources.parent / "outside.h"
    outside.write_text("// private\n")
    (sources / "a-cuda" / "link.h").symlink_to(outside)
    assert [text.name for text in source_texts("a-cuda", sources)] == ["main.cu", "inner/k.h"]


def test_a_program_without_sources_is_named(sources: Path) -> None:
    with pytest.raises(StudyError, match=r"no source file in .*b-cuda; '--sources'"):
        source_texts("b-cuda", sources)


def test_zero_shot_and_few_shot_differ_by_the_examples_alone(sources: Path) -> None:
    material = material_of(made_row(), sources, GPU)
    zero = class_request(ZERO_SHOT, material, AdvisorSettings())
    few = class_request(FEW_SHOT, material, AdvisorSettings())
    assert zero.turns == few.turns
    assert few.system.startswith(zero.system + "\n\nExample 1\n\nLanguage: CUDA\n")
    assert few.system.count("\nAnswer: ") == 2
    assert few.system.endswith("\n\nAnswer: Bandwidth")
    assert "Answer with one word: Compute or Bandwidth." in zero.system
    assert "blend" not in zero.system
    omp = material_of(made_row(language="omp", program="a-cuda"), sources, GPU)
    assert "#pragma omp target" in class_request(FEW_SHOT, omp, AdvisorSettings()).system


def test_tokens_are_those_of_the_zero_shot_prompt(sources: Path) -> None:
    material = material_of(made_row(), sources, GPU)
    request = class_request(ZERO_SHOT, material, AdvisorSettings())
    length = len(request.system) + len(material.text)
    assert sized(material, AdvisorSettings()).tokens == length // 3


def test_trials_are_questions_of_their_own(sources: Path) -> None:
    material = material_of(made_row(), sources, GPU)
    questions = list(class_questions(ZERO_SHOT, [material], AdvisorSettings(), 3))
    assert [(each.study, each.item, each.trial) for each in questions] == [
        (ZERO_SHOT, "a-cuda:k(float *)", trial) for trial in range(3)
    ]
    assert len({each.request.key() for each in questions}) == 3
    assert len({str(each.request.parameters()) for each in questions}) == 1


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.file)
def test_examples_are_what_the_static_analysis_says(example: SolvedExample, tmp_path: Path) -> None:
    launch = example.launch
    program = f"x-{launch.language}"
    (tmp_path / program).mkdir()
    (tmp_path / program / f"main.{example.file.rpartition('.')[2]}").write_text(example.source())
    row = made_row(
        program, example.verdict, language=launch.language, kernel=launch.kernel,
        args=launch.args, grid=launch.grid, block=launch.block,
    )  # fmt: skip
    inputs = Inputs(tmp_path, STUDY)
    (found,) = judge_program([row], inputs=inputs, analyser=ProgramAnalyser.real())
    assert found.failure is None
    assert found.verdict is example.verdict
    assert found.prediction is not None
    assert found.prediction.confidence > 0.9


def test_each_language_has_one_example_of_each_class() -> None:
    kinds = sorted((each.launch.language, each.verdict is CB) for each in EXAMPLES)
    assert kinds == [("cuda", False), ("cuda", True), ("omp", False), ("omp", True)]
