"""What of settings and names may be handed to a compiler, which runs its steps through a shell."""

from __future__ import annotations

import re
import string
from typing import Final

PLAIN: Final = frozenset(string.ascii_letters + string.digits + "_./:=+-,")
"""Characters that mean nothing to any shell, quoted or not."""

_DEFINE: Final = re.compile(r"([A-Za-z_]\w*(?:\([\w ,.]*\))?)(?:=(.*))?", re.ASCII | re.DOTALL)
_NOT_IN_VALUES: Final = re.compile(r"[^\w .,:+*/%<>=!&|^~?()\[\]{}-]", re.ASCII)
"""What the value of a macro must not hold to be handed to a compiler."""
_SPECIAL: Final = re.compile(r"[$`\"'\\!;&|<>*?\x00-\x1f\x7f]")
"""What a shell may obey even where a word stands in double quotes, and more."""


def definition(define: str) -> tuple[str, str] | None:
    """A macro's name, with its parameters, and its value; None if it is not for compilers.

    What quotes, ends commands or starts others has no place in a value.
    """
    found = _DEFINE.fullmatch(define)
    if found is None or refused_character(define) is not None:
        return None
    return found[1], "1" if found[2] is None else found[2]


def refused_character(define: str) -> str | None:
    """The first character of a macro's value for which it is refused, as ``repr`` shows it."""
    found = _NOT_IN_VALUES.search(define.partition("=")[2])
    return None if found is None else repr(found[0])


def special_character(word: str) -> str | None:
    """The first character of a word that a shell may obey, as ``repr`` shows it."""
    found = _SPECIAL.search(word)
    return None if found is None else repr(found[0])
