"""``--statistics``: what a run cost by stage, for people, on standard error."""

from __future__ import annotations

from roofline_core.program.stages import Stage, StageClock

_REST = "the rest"
_COUNTS = (
    "files read",
    "bytes read",
    "files checked",
    "reports known before",
    "programs",
    "files parsed",
    "files known before",
    "headers preprocessed",
    "headers known before",
    "functions lowered",
    "kernels",
    "kernels walked",
    "walks known before",
    "launches judged",
    "findings",
)
"""In the order they are shown in; what never happened is left out."""


def statistics(clock: StageClock) -> str:
    """Seconds, share and calls of each stage, then what was counted."""
    total = clock.total_s
    rows = [
        (stage.value, clock.seconds[stage], str(clock.calls[stage]))
        for stage in Stage
        if clock.calls[stage]
    ]
    rows.append((_REST, max(0.0, total - sum(clock.seconds.values())), ""))
    lines = ["stage             seconds   share     calls"]
    for name, seconds, calls in (*rows, ("total", total, "")):
        share = seconds / total if total else 0.0
        lines.append(f"{name:16}{seconds:9.3f}{share:8.1%}{calls:>10}".rstrip())
    lines.append("")
    for what in _COUNTS:
        if clock.counts[what]:
            lines.append(f"{what:24}{clock.counts[what]:>12}")
    return "\n".join(lines) + "\n"
