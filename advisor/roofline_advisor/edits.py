"""The model's edits, applied to the text that they quote."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

from roofline_advisor.advice import LineEdit
from roofline_advisor.words import hidden_character
from roofline_core.program.errors import RooflineError

_NUMBER = re.compile(r" *\d+\| ?")
_SHOWN = 60


class RejectedError(RooflineError):
    """The reason for rejecting an edit, also sent to the model in the next round."""


def located(text: str, edits: Sequence[dict[str, Any]]) -> tuple[LineEdit, ...]:
    """The edits of one suggestion where the lines they quote stand, in order.

    Line numbers that are off are mended where the quoted lines stand at one place alone. Raises
    RejectedError for lines that are not there, for edits that overlap and for none at all.
    """
    lines = [_bare(line) for line in text.split("\n")]
    found = sorted((_located(lines, edit) for edit in edits), key=lambda edit: edit.first_line)
    for one, other in itertools.pairwise(found):
        if other.first_line <= one.last_line:
            raise RejectedError(f"two of its edits change line {other.first_line}")
    if applied(text, found) == text:
        raise RejectedError("it changes nothing")
    return tuple(found)


def applied(text: str, edits: Sequence[LineEdit]) -> str:
    """The text after the edits; new lines have the text's line ends."""
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.split("\n")
    for edit in reversed(edits):
        new = [] if edit.text is None else edit.text.split("\n")
        if end == "\r\n":
            last = edit.last_line == len(lines)
            new = [f"{line}\r" for line in new]
            if last and new:
                new[-1] = new[-1].removesuffix("\r")
        lines[edit.first_line - 1 : edit.last_line] = new
    return "\n".join(lines)


def _located(lines: Sequence[str], edit: dict[str, Any]) -> LineEdit:
    original = _unnumbered(_lines(edit["original"]))
    replacement = _unnumbered(_lines(edit["replacement"]))
    hidden = hidden_character(edit["replacement"])
    if hidden is not None:
        raise RejectedError(f"it brings in a character that cannot be seen ({hidden})")
    if not any(original):
        raise RejectedError("it does not quote the lines that it replaces")
    first = edit["first_line"]
    if not _stands(lines, original, first):
        places = [at for at in range(1, len(lines) + 1) if _stands(lines, original, at)]
        if len(places) != 1:
            quoted = next(line for line in original if line).strip()[:_SHOWN]
            why = "not in the file" if not places else f"in the file {len(places)} times"
            raise RejectedError(f"the lines that it quotes ('{quoted}') are {why}")
        first = places[0]
    text = "\n".join(replacement) if replacement != [""] else None
    return LineEdit(first, first + len(original) - 1, text)


def _stands(lines: Sequence[str], wanted: Sequence[str], first: int) -> bool:
    return first >= 1 and list(lines[first - 1 : first - 1 + len(wanted)]) == list(wanted)


def _lines(text: str) -> list[str]:
    lines = [_bare(line) for line in text.replace("\r\n", "\n").split("\n")]
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def _bare(line: str) -> str:
    return line.rstrip()


def _unnumbered(lines: list[str]) -> list[str]:
    """Without the line numbers of the prompt, where all lines were copied with them."""
    if lines != [""] and all(_NUMBER.match(line) for line in lines):
        return [_NUMBER.sub("", line, count=1) for line in lines]
    return lines
