"""Answers that were made elsewhere, read from CSV."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from roofline_analysis.report.report import Verdict
from roofline_study.papers.answer_reading import class_said
from roofline_study.papers.errors import StudyError
from roofline_study.papers.scores import ClassAnswers, RowKind, Subject

COLUMNS = ("program", "kernel", "answer")


def imported_answers(
    path: Path, subjects: Sequence[Subject]
) -> tuple[tuple[ClassAnswers, ...], int]:
    """One row of answers for each value of the column ``model``, or one by the file's name.

    Several lines about a kernel are several trials. A line without answer is none, but for a model
    that failed to give one (a column ``fault``). Also the number of lines about other kernels,
    which are left out. Raises StudyError: the file cannot be read or lacks a column.
    """
    known = {subject.name: subject for subject in subjects}
    made: dict[str, dict[Subject, list[Verdict | None]]] = {}
    others = 0
    for record in _records(path):
        subject = known.get(f"{record['program'].strip()}:{record['kernel'].strip()}")
        given = made.setdefault(record.get("model") or path.stem, {})
        answer, fault = record["answer"].strip(), record.get("fault") or None
        if subject is None:
            others += 1
        elif answer or fault:
            given.setdefault(subject, []).append(class_said(answer, fault))
    return tuple(ClassAnswers(n, RowKind.IMPORTED, held) for n, held in made.items()), others


def _records(path: Path) -> list[Mapping[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True, restval="")
            missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise StudyError(
                    f"{path}:1: the header lacks the column '{missing[0]}'; answers are in the"
                    f" columns {', '.join(COLUMNS)}"
                )
            return list(reader)
    except OSError as error:
        raise StudyError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"{path}: not valid CSV: {error}") from None
