"""What would be sent for a kernel, in full, before anything is."""

from __future__ import annotations

from roofline_advisor.protocols import ClassificationCase, questions
from roofline_advisor.suggest import SuggestionTask


def shown(task: SuggestionTask, case: ClassificationCase) -> str:
    """Every request about a kernel, each under a heading; later rounds add the checks' findings."""
    advisor = case.settings.advisor
    where = advisor.base_url or "the public API, or what ANTHROPIC_BASE_URL names"
    state = "on" if advisor.enabled else "off: nothing is sent"
    parts = [
        f"The advisor is {state}. Requests go to {where}. The key is not shown here.\n",
        _heading(f"class of {task.kernel.title}, {advisor.protocol}, votes: {advisor.votes}"),
        *(request.shown() for request in questions(case)),
        _heading(f"suggestions for {task.kernel.title}, rounds: {advisor.rounds}"),
        task.request().shown(),
    ]
    return "\n".join(parts)


def _heading(text: str) -> str:
    return f"======== {text} ========\n"
