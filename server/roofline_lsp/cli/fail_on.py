"""``--fail-on``: the classes, severities and rules that fail a check, and who is to blame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from roofline_analysis.report.report import KernelReport, Verdict
from roofline_analysis.rules.registry import RULES
from roofline_analysis.rules.selection import UnknownRuleError, expanded
from roofline_core.program.records import record
from roofline_core.settings import SettingsError, suggestion
from roofline_lsp.formats.changes import change_words
from roofline_lsp.formats.issue_lines import issue_place
from roofline_lsp.ratchet.comparison import KernelChange
from roofline_lsp.ratchet.issues import CONTRACT, PROBLEM, Issue, IssueSeverity
from roofline_lsp.ratchet.result import CheckResult, Culprit

_CLASSES: Final[Mapping[str, Verdict | None]] = {
    "cb": Verdict.COMPUTE_BOUND,
    "bb": Verdict.BANDWIDTH_BOUND,
    "undecided": None,
}
_SEVERITIES: Final = {severity.value: severity for severity in IssueSeverity}
_KINDS: Final[Mapping[str, Callable[[Issue], bool]]] = {
    "finding": lambda issue: issue.code not in (PROBLEM, CONTRACT),
    "problem": lambda issue: issue.code == PROBLEM,
}
_CHANGES: Final[Mapping[str, Callable[[KernelChange], bool]]] = {
    "slower": lambda change: change.slower,
    "class": lambda change: change.crossed,
}
WORDS: Final = (*_CLASSES, *_SEVERITIES, *_KINDS, *_CHANGES)
HELD_TO_BASELINE: Final = ("finding", "slower")
"""What fails a check that is held to a baseline and was not told otherwise."""


@record(frozen=True, slots=True)
class FailOn:
    """The words of ``--fail-on``, each known."""

    words: tuple[str, ...]
    rules: Mapping[str, frozenset[str]]
    """By word: the codes of the rules that it stands for."""

    @classmethod
    def of(cls, given: Sequence[str] | None, *, baseline: bool) -> FailOn:
        """The words of the command line, with commas between them. Raises SettingsError."""
        words = [word.strip() for each in given or () for word in each.split(",")]
        told = tuple(dict.fromkeys(word for word in words if word))
        if given is None and baseline:
            told = HELD_TO_BASELINE
        rules = {word: _rules(word) for word in told if word.lower() not in WORDS}
        lonely = [word for word in told if word.lower() in _CHANGES]
        if lonely and not baseline:
            raise SettingsError(
                f"--fail-on {lonely[0]}: tells what changed, so it needs --baseline or"
                " --baseline-commit"
            )
        return cls(told, rules)


def _rules(word: str) -> frozenset[str]:
    try:
        return expanded((word,), "--fail-on")
    except UnknownRuleError:
        names = (*WORDS, *RULES, *(rule.name for rule in RULES.values()))
        hint = suggestion(word, names) or f"; the words are {', '.join(WORDS)} and those of rules"
        message = f"--fail-on: there is no class, severity or rule '{word}'{hint}"
        raise SettingsError(message) from None


def blamed(result: CheckResult, fail_on: FailOn) -> CheckResult:
    """The result with its culprits: contracts that are not kept, and what ``fail_on`` names.

    Where there is a baseline, only what is new or changed since is to blame.
    """
    return replace(result, culprits=tuple(_culprits(result, fail_on)))


def _culprits(result: CheckResult, fail_on: FailOn) -> Iterator[Culprit]:
    """An issue is to blame once, whichever words name it."""
    for issue in result.issues:
        words = [word for word in fail_on.words if _fits(issue, word, fail_on)]
        if issue.is_new and (words or issue.code == CONTRACT):
            yield _issue(issue, words)
    for word in fail_on.words:
        folded = word.lower()
        if folded in _CLASSES:
            yield from _of_class(result, word)
        elif folded in _CHANGES and result.comparison is not None:
            changes = (each for each in result.comparison.changes if _CHANGES[folded](each))
            yield from (_change(change, word) for change in changes)


def _fits(issue: Issue, word: str, fail_on: FailOn) -> bool:
    folded = word.lower()
    if folded in _KINDS:
        return _KINDS[folded](issue)
    if folded in _SEVERITIES:
        order = list(IssueSeverity)
        return order.index(issue.severity) <= order.index(_SEVERITIES[folded])
    return issue.code in fail_on.rules.get(word, ())


def _of_class(result: CheckResult, word: str) -> Iterator[Culprit]:
    """Kernels of a class; with a baseline those that were not of it."""
    wanted = _CLASSES[word.lower()]
    changed = None
    if result.comparison is not None:
        changed = {
            (each.after.name, each.after.line)
            for each in result.comparison.changes
            if each.after is not None and (each.before is None or each.crossed)
        }
    for file in result.report.files:
        for kernel in file.kernels:
            place = (kernel.name, kernel.name_span.line)
            if kernel.verdict is wanted and (changed is None or place in changed):
                shown = "undecided" if wanted is None else wanted.value
                yield _kernel(kernel, f"{kernel.title} is {shown} (--fail-on {word})")


def _kernel(kernel: KernelReport, message: str) -> Culprit:
    where = f"{kernel.path}:{kernel.name_span.line}"
    return Culprit(where, message, kernel.qualified_name, str(kernel.path))


def _change(change: KernelChange, word: str) -> Culprit:
    kernel = change.shown
    line = f":{kernel.line}" if kernel.line is not None else ""
    message = f"{kernel.qualified_name}: {change_words(change)} (--fail-on {word})"
    path = kernel.report_path or kernel.path
    return Culprit(f"{path}{line}", message, kernel.qualified_name, path)


def _issue(issue: Issue, words: Sequence[str]) -> Culprit:
    asked = f" (--fail-on {','.join(words)})" if words else ""
    message = f"{issue.label}: {issue.message}{asked}"
    return Culprit(issue_place(issue), message, issue.kernel, str(issue.path), issue)
