"""The rules that the settings turn on, for each file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from roofline_analysis.rules.registry import RULES
from roofline_analysis.rules.rule import Rule
from roofline_core.program.errors import RooflineError
from roofline_core.program.records import record
from roofline_core.settings import Settings, fits, nearest

ALL = "ALL"


class UnknownRuleError(RooflineError):
    """A word of the settings that is no rule's code, prefix or name."""


@record(frozen=True, slots=True)
class Selection:
    """The codes of the rules that are on."""

    codes: frozenset[str]
    per_file: tuple[tuple[str, frozenset[str]], ...] = ()
    """By glob pattern: the codes of the rules that are off in matching files."""

    @classmethod
    def of(cls, settings: Settings) -> Selection:
        """The rules that the settings select. Raises UnknownRuleError."""
        chosen = expanded(settings.select, "select") if settings.select else frozenset(RULES)
        chosen -= expanded(settings.ignore, "ignore")
        per_file = tuple(
            (pattern, expanded(codes, f"per-file-ignores: {pattern}"))
            for pattern, codes in settings.per_file_ignores
        )
        return cls(chosen, per_file)

    def rules(self) -> list[Rule]:
        """The rules that are on in at least some file."""
        return [rule for code, rule in RULES.items() if code in self.codes]

    def holds(self, code: str, path: Path) -> bool:
        """Whether a rule is on in a file."""
        if code not in self.codes:
            return False
        return not any(code in codes and fits(path, pattern) for pattern, codes in self.per_file)


def expanded(words: Iterable[str], where: str) -> frozenset[str]:
    """The rule codes that words select. A word is a code, its prefix, a rule's name, or ``ALL``."""
    found: set[str] = set()
    for word in words:
        codes = _meant(word)
        if not codes:
            raise UnknownRuleError(f"'{where}': there is no rule '{word}'{_hint(word)}")
        found.update(codes)
    return frozenset(found)


def _meant(word: str) -> Sequence[str]:
    if word.upper() == ALL:
        return list(RULES)
    by_name = [code for code, rule in RULES.items() if rule.name == word]
    return by_name or [code for code in RULES if word and code.startswith(word.upper())]


def _hint(word: str) -> str:
    close = nearest(word, [*RULES, *(rule.name for rule in RULES.values())])
    return f"; did you mean '{close}'?" if close else "; roofline-lsp rules lists them"
