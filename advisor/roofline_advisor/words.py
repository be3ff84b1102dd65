"""The model's words before anyone sees them: no character that a terminal or an editor obeys."""

from __future__ import annotations

import unicodedata

_KEPT = frozenset("\t\n\r")


def one_line(text: str) -> str:
    """The words of a text on one line, without control and direction characters."""
    return " ".join("".join(" " if _obeyed(each) else each for each in text).split())


def hidden_character(text: str) -> str | None:
    """The name of the first control or direction character of a code; None if it has none."""
    found = next((each for each in text if each not in _KEPT and _obeyed(each)), None)
    return None if found is None else f"U+{ord(found):04X}"


def _obeyed(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
