"""A language model's opinion in a hover; it stands beside the verdict, never replaces it."""

from __future__ import annotations

from roofline_analysis.report.report import ModelOpinion, Verdict
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.text.ridges import sureness

_WORDS = {Verdict.COMPUTE_BOUND: "compute-bound", Verdict.BANDWIDTH_BOUND: "bandwidth-bound"}
_LONGEST_REASON = 400


def opinion_text(
    opinion: ModelOpinion | None, static: Verdict | None, style: MarkupStyle
) -> str | None:
    """The model's class with its votes, what both make together, and the model's reason."""
    if opinion is None:
        return None
    if opinion.verdict is None:
        said = "is undecided"
    else:
        agrees = "agrees" if opinion.verdict is static else "disagrees"
        said = f"{agrees if static is not None else 'says'}: {_WORDS[opinion.verdict]}"
    votes = f", {opinion.votes} of {opinion.of_votes} votes" if opinion.of_votes > 1 else ""
    text = f"{style.bold('Model')} ({style.prose(opinion.model)}) {said}{votes}"
    if opinion.joined is not None and opinion.verdict is not None:
        sure = sureness(opinion.joined_confidence)
        text += f". Both together: {_WORDS[opinion.joined]}, {sure}"
    reason = opinion.reason[:_LONGEST_REASON]
    return f"{text}.\n{style.prose(reason)}" if reason else f"{text}."
