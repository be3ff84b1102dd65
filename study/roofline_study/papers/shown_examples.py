"""RQ3's solved examples: one kernel of each class, in the language of the question."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

from roofline_analysis.report.report import GpuUsed, Verdict
from roofline_study.papers.class_words import word_of
from roofline_study.papers.material import AskedLaunch, NamedText, kernel_text
from roofline_study.papers.texts import paragraphs

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND
_GRID, _BLOCK = (4096, 1, 1), (256, 1, 1)


@dataclass(frozen=True, slots=True)
class SolvedExample:
    """A program of our own whose class is clear; a test holds it to the static analysis."""

    launch: AskedLaunch
    file: str
    """In the folder ``text``."""
    verdict: Verdict

    def source(self) -> str:
        """The program."""
        path = resources.files("roofline_study.papers") / "text" / self.file
        return path.read_text(encoding="utf-8")


EXAMPLES = (
    SolvedExample(
        AskedLaunch("cuda", "iterate(int, int, float *)", _GRID, _BLOCK, ("1048576", "2000")),
        "example_compute.cu",
        CB,
    ),
    SolvedExample(
        AskedLaunch(
            "cuda", "blend(int, float, const float *, const float *, float *)",
            _GRID, _BLOCK, ("1048576",),
        ),
        "example_bandwidth.cu",
        BB,
    ),
    SolvedExample(
        AskedLaunch(
            "omp", "__omp_offloading_35_2b7a1c_iterate_l4", _GRID, _BLOCK, ("1048576", "2000")
        ),
        "example_compute.cpp",
        CB,
    ),
    SolvedExample(
        AskedLaunch("omp", "__omp_offloading_35_2b7a1d_blend_l4", _GRID, _BLOCK, ("1048576",)),
        "example_bandwidth.cpp",
        BB,
    ),
)  # fmt: skip


def solved_examples(language: str, gpu: GpuUsed) -> str:
    """The examples of a language with their answers, in the form of a question."""
    return paragraphs(
        *(
            f"Example {number}\n\n{_material(each, gpu)}\n\nAnswer: {word_of(each.verdict)}"
            for number, each in enumerate(
                (each for each in EXAMPLES if each.launch.language == language), 1
            )
        )
    )


def _material(example: SolvedExample, gpu: GpuUsed) -> str:
    name = f"main.{example.file.rpartition('.')[2]}"
    return kernel_text(example.launch, gpu, (NamedText(name, example.source()),))
