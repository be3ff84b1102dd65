"""RQ2 and RQ3: the class of a kernel asked from its sources, without and with solved examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_advisor.pricing import estimated_tokens
from roofline_advisor.request import Request, Turn
from roofline_advisor.schema import Schema, obj
from roofline_analysis.report.report import GpuUsed
from roofline_core.settings import AdvisorSettings
from roofline_study.dataset import MeasuredKernel
from roofline_study.papers.answer_reading import ANSWER
from roofline_study.papers.class_table import class_table, published_accuracy_row
from roofline_study.papers.interview import StudyQuestion
from roofline_study.papers.material import AskedLaunch, kernel_text, source_texts
from roofline_study.papers.published import published
from roofline_study.papers.scores import ClassAnswers, scores
from roofline_study.papers.selection import Sized
from roofline_study.papers.shown_examples import solved_examples
from roofline_study.papers.table import ResultTable
from roofline_study.papers.texts import constant_text, paragraphs

ZERO_SHOT, FEW_SHOT = "rq2", "rq3"
TITLES = {
    ZERO_SHOT: "RQ2: classes from sources, zero-shot",
    FEW_SHOT: "RQ3: classes from sources, one example of each class",
}
ONE_WORD: Schema = obj(**{ANSWER: {"type": "string", "maxLength": 400}})


@dataclass(frozen=True, slots=True)
class KernelMaterial:
    """A kernel with what questions tell of it."""

    row: MeasuredKernel
    text: str
    gpu: GpuUsed


def material_of(row: MeasuredKernel, sources: Path, gpu: GpuUsed) -> KernelMaterial:
    """What is told of a kernel. Raises StudyError for a program without sources."""
    files = source_texts(row.program, sources)
    return KernelMaterial(row, kernel_text(AskedLaunch.of(row), gpu, files), gpu)


def sized(material: KernelMaterial, settings: AdvisorSettings) -> Sized:
    """A kernel with the estimated tokens of its zero-shot prompt."""
    return Sized(material.row, estimated_tokens(class_request(ZERO_SHOT, material, settings)))


def system_text(study: str, language: str, gpu: GpuUsed) -> str:
    """The constant part of a prompt."""
    parts = [constant_text("classify"), constant_text("word")]
    if study == FEW_SHOT:
        parts.append(solved_examples(language, gpu))
    return paragraphs(*parts)


def class_request(
    study: str, material: KernelMaterial, settings: AdvisorSettings, trial: int = 0
) -> Request:
    """The question about a kernel."""
    system = system_text(study, material.row.language, material.gpu)
    return Request.of(settings, system, (Turn("user", material.text),), ONE_WORD, trial)


def class_questions(
    study: str, materials: Sequence[KernelMaterial], settings: AdvisorSettings, trials: int
) -> Iterator[StudyQuestion]:
    """The questions about kernels, every trial of one after the other."""
    for material in materials:
        for trial in range(trials):
            request = class_request(study, material, settings, trial)
            yield StudyQuestion(study, material.row.name, trial, request)


def classification_table(
    study: str, answers: Sequence[ClassAnswers], notes: Sequence[str] = ()
) -> ResultTable:
    """The published accuracies, then ours."""
    count = published().kernels
    rows = [
        published_accuracy_row(model, accuracy, count=count)
        for model in published().models
        if (accuracy := model.rq2 if study == ZERO_SHOT else model.rq3) is not None
    ]
    return class_table(TITLES[study], rows, [scores(each) for each in answers], notes)
