"""What is wrong with someone's settings."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from roofline_core.program.errors import RooflineError


class SettingsError(RooflineError):
    """A settings file, an option or a value that cannot be used, named with the remedy."""


def nearest(given: str, choices: Iterable[str]) -> str | None:
    """The choice most like what was given, letter case ignored, or None if none is alike."""
    by_folded = {choice.casefold(): choice for choice in choices}
    close = difflib.get_close_matches(given.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else None


def suggestion(given: str, choices: Iterable[str]) -> str:
    """``; did you mean 'boost'?``, or nothing where no choice is near."""
    close = nearest(given, choices)
    return f"; did you mean '{close}'?" if close is not None else ""
