"""What a finding says: what mending it gains, then the problem, then what else the model tells."""

from __future__ import annotations

from typing import Final

from roofline_analysis.rules.model import Effect, Finding
from roofline_analysis.rules.number_text import condition_text, effect_text
from roofline_core.text.units import duration, ratio_text

LEAST_SPEEDUP: Final = 1.005
"""The least gain that is told as one: below it a figure of three digits says 1.00."""
_EFFECT: Final = ". By the model"


def finding_message(problem: str, effect: Effect | None) -> str:
    """A problem in a sentence or two, with the effect of mending it.

    ``20.4x as fast (1.16 ms -> 57 µs): the literal 0.5 is double. By the model: stays CB``
    """
    problem = problem.rstrip(".")
    if effect is None:
        return problem
    gain = _gain(effect)
    rest = effect_text(effect, with_time=gain is None)
    told = f"{_EFFECT}{condition_text(effect.assumed)}: {rest}" if rest else ""
    return f"{problem}{told}" if gain is None else f"{gain}: {problem}{told}"


def problem_of(finding: Finding) -> str:
    """The problem alone, of a message that ``finding_message`` made."""
    message = finding.message
    if finding.effect is None:
        return message
    gain = _gain(finding.effect)
    if gain is not None:
        message = message.removeprefix(f"{gain}: ")
    return message.rpartition(_EFFECT)[0] or message


def _gain(effect: Effect) -> str | None:
    """None where mending gains no time."""
    if effect.speedup < LEAST_SPEEDUP:
        return None
    if effect.at_assumed_sizes:
        return f"{ratio_text(effect.speedup)}x as fast at the sizes assumed"
    if effect.at_assumed_trips:
        return f"{ratio_text(effect.speedup)}x as fast at the trips assumed"
    times = f"{duration(effect.time_ns)} -> {duration(effect.new_time_ns)}"
    return f"{ratio_text(effect.speedup)}x as fast ({times})"
