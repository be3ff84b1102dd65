"""What would be sent for a kernel, in full, before anything is."""

from __future__ import annotations

from typing import Any

from roofline_advisor.protocols import ClassificationCase, questions
from roofline_advisor.request import endpoint
from roofline_advisor.suggest import SuggestionTask


def shown(task: SuggestionTask, case: ClassificationCase) -> str:
    """Every request about a kernel, each under a heading; later rounds add the checks' findings."""
    advisor = case.settings.advisor
    where = endpoint(advisor) or "the public API"
    state = "on" if advisor.enabled else "off: nothing is sent"
    parts = [
        f"The advisor is {state}. Requests go to {where}. The key is not shown here.\n",
        _heading(f"class of {task.kernel.title}, {advisor.protocol}, votes: {advisor.votes}"),
        *(request.shown() for request in questions(case)),
        _heading(f"suggestions for {task.kernel.title}, rounds: {advisor.rounds}"),
        task.request().shown(),
    ]
    return "\n".join(parts)


def bodies(task: SuggestionTask, case: ClassificationCase) -> list[dict[str, Any]]:
    """The same requests as the endpoint gets them, but for ``stream``."""
    asked = [("class", each) for each in questions(case)]
    return [
        {"about": about, "body": request.parameters()}
        for about, request in (*asked, ("suggestions", task.request()))
    ]


def _heading(text: str) -> str:
    return f"======== {text} ========\n"
