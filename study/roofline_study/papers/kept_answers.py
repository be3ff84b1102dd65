"""Every answer of a study on disk, one file each, so that no question is asked twice.

A file is written whole or not at all: under another name first, then renamed. Its name is the hash
of the question, so that another prompt, model, endpoint or trial is another question.
"""

from __future__ import annotations

import csv
import io
import json
import os
import secrets
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from roofline_advisor.request import Request
from roofline_advisor.usage import Usage
from roofline_study.papers.errors import StudyError

_FOLDER = "answers"
CSV_COLUMNS = (
    *("program", "kernel", "answer", "model", "trial", "fault"),
    *("input_tokens", "output_tokens"),
)
"""What was asked about stands in the first two, also where it is no kernel."""


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """What came back to one question."""

    study: str
    """``rq2``, for example."""
    item: str
    """What was asked about, such as ``program:kernel``."""
    trial: int
    model: str
    value: dict[str, Any] | None
    """The reply, which conforms to the question's schema; None where there was none such."""
    fault: str | None
    """What was wrong with the reply, in a word of ``advisor.errors.Fault``; None if nothing was."""
    said: str | None
    """The text of such a reply."""
    usage: Usage
    batch: bool
    """Whether it was asked in a batch, at half the price."""


def answers_csv(answers: Iterable[KeptAnswer]) -> str:
    """Raw answers as CSV, in the columns that ``imported`` reads, and more."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for each in answers:
        program, _, kernel = each.item.partition(":")
        writer.writerow(
            (
                *(program, kernel.strip(), _raw(each), each.model, each.trial, each.fault or ""),
                *(each.usage.total_input, each.usage.output_tokens),
            )
        )
    return out.getvalue()


def _raw(answer: KeptAnswer) -> str:
    """The reply: the one text that it consists of, else as JSON."""
    if answer.value is None:
        return answer.said or ""
    texts = list(answer.value.values())
    if len(texts) == 1 and isinstance(texts[0], str):
        return texts[0]
    return json.dumps(answer.value, ensure_ascii=False)


class AnswerStore:
    """The answers kept in a folder, for one study or several."""

    def __init__(self, folder: Path) -> None:
        """Makes the folder when the first answer is kept."""
        self.folder = folder / _FOLDER

    def get(self, request: Request) -> KeptAnswer | None:
        """The answer to a question; None if it was not asked. Raises StudyError."""
        path = self._path(request)
        try:
            return _read(path)
        except FileNotFoundError:
            return None

    def of_study(self, study: str, requests: Collection[Request]) -> list[KeptAnswer]:
        """Every answer that was kept for a study, and those to ``requests``. Raises StudyError."""
        wanted = {self._path(request).name for request in requests}
        found = [(path.name, _read(path)) for path in self.folder.glob("*.json")]
        held = [answer for name, answer in found if answer.study == study or name in wanted]
        return sorted(held, key=lambda each: (each.model, each.item, each.trial))

    def put(self, request: Request, answer: KeptAnswer) -> None:
        """Keep an answer. Raises StudyError where it cannot be written."""
        path = self._path(request)
        part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with part.open("w", encoding="utf-8") as file:
                json.dump(asdict(answer), file, ensure_ascii=False, indent=1)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except OSError as error:
            raise StudyError(
                f"{path}: an answer cannot be kept: {error.strerror}; see '--results'"
            ) from None

    def _path(self, request: Request) -> Path:
        return self.folder / f"{request.key()[:40]}.json"


def _read(path: Path) -> KeptAnswer:
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return KeptAnswer(**{**held, "usage": Usage(**held["usage"])})
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StudyError(f"{path}: cannot be read: {error.strerror}; see '--results'") from None
    except (ValueError, TypeError, KeyError) as error:
        raise StudyError(
            f"{path}: this kept answer cannot be read ({error}); delete it to have the question"
            " asked again"
        ) from None
