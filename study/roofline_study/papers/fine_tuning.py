"""RQ4: kernels parted into training and validation by program, and written for fine-tuning."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from roofline_core.settings import AdvisorSettings
from roofline_core.text.units import counted
from roofline_study.papers.class_table import class_table, published_tuning_row
from roofline_study.papers.class_words import word_of
from roofline_study.papers.classification import (
    FEW_SHOT,
    KernelMaterial,
    class_questions,
    class_request,
)
from roofline_study.papers.defaults import SEED
from roofline_study.papers.errors import StudyError
from roofline_study.papers.interview import StudyQuestion
from roofline_study.papers.published import published
from roofline_study.papers.scores import ClassAnswers, Subject, family, scores
from roofline_study.papers.selection import Kind, Sized
from roofline_study.papers.table import ResultTable

STUDY = "rq4"
VALIDATION_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class TuningParts:
    """Kernels to learn from and kernels held back; no program has some in both."""

    training: tuple[Sized, ...]
    validation: tuple[Sized, ...]

    def text(self) -> str:
        """In one line: the sizes of the parts, and how the kinds stand in the one held back."""
        kinds = Counter(kernel.kind for kernel in self.validation)
        told = ", ".join(
            f"{language} {verdict.value} {count}"
            for (language, verdict), count in sorted(kinds.items(), key=str)
        )
        return (
            f"{len(self.training)} kernels to train with and {len(self.validation)} held back"
            f" ({told}); a program's versions in two languages are in one part"
        )


def parted(kernels: Sequence[Sized], *, seed: int = SEED) -> TuningParts:
    """Hold back a fifth of each language and class, by program.

    Programs are taken in random order as long as none of their kinds has its fifth yet. Where
    programs have several kinds that may leave one short, which ``TuningParts.text`` tells. Raises
    StudyError where nothing would be held back.
    """
    wanted = {
        kind: round(VALIDATION_SHARE * count)
        for kind, count in Counter(kernel.kind for kernel in kernels).items()
    }
    groups: dict[str, list[Sized]] = {}
    for kernel in kernels:
        groups.setdefault(family(kernel.row), []).append(kernel)
    names = sorted(groups)
    random.Random(f"{seed} validation").shuffle(names)
    held: Counter[Kind] = Counter()
    back: set[str] = set()
    for name in names:
        more = Counter(kernel.kind for kernel in groups[name])
        if all(held[kind] + count <= wanted[kind] for kind, count in more.items()):
            held += more
            back.add(name)
    if not back:
        raise StudyError(
            f"of {counted(len(kernels), 'kernel')} none can be held back: a fifth of each language"
            " and class takes at least three of each, and a program that has no more than that"
        )
    return TuningParts(
        tuple(kernel for kernel in kernels if family(kernel.row) not in back),
        tuple(kernel for kernel in kernels if family(kernel.row) in back),
    )


def as_jsonl(materials: Sequence[KernelMaterial], settings: AdvisorSettings) -> str:
    """Conversations with RQ3's prompt and the right word, one a line.

    Each has ``messages`` of the roles ``system``, ``user`` and ``assistant``, the form that
    fine-tuning services take. Raises StudyError for a kernel without class.
    """
    lines = []
    for material in materials:
        request = class_request(FEW_SHOT, material, settings)
        messages = [
            {"role": "system", "content": request.system},
            *({"role": turn.role, "content": turn.text} for turn in request.turns),
            {"role": "assistant", "content": word_of(Subject.of(material.row).label)},
        ]
        lines.append(json.dumps({"messages": messages}, ensure_ascii=False) + "\n")
    return "".join(lines)


def tuned_questions(
    materials: Sequence[KernelMaterial], settings: AdvisorSettings, trials: int
) -> Iterator[StudyQuestion]:
    """RQ3's questions, put to a fine-tuned model."""
    for question in class_questions(FEW_SHOT, materials, settings, trials):
        yield replace(question, study=STUDY)


def answer_sheet(kernels: Sequence[Sized]) -> str:
    """The kernels held back as CSV with an empty column for a model's answers."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("program", "kernel", "answer"))
    writer.writerows((kernel.row.program, kernel.row.kernel, "") for kernel in kernels)
    return out.getvalue()


def tuning_table(answers: Sequence[ClassAnswers], notes: Sequence[str] = ()) -> ResultTable:
    """The published fine-tuning, then ours."""
    rows = [published_tuning_row(each) for each in published().fine_tuned]
    title = "RQ4: fine-tuned models on the kernels that were held back"
    return class_table(title, rows, [scores(each) for each in answers], notes)
