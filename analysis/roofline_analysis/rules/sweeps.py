"""One finding for launches that differ in template arguments alone.

A program that tries its kernel for many template arguments has one launch for each, and a rule
about launches finds the same in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofline_analysis.regions.kernel_summary import Site
from roofline_analysis.rules.model import Match, Related
from roofline_analysis.verdict.launch import BoundLaunch

_MOST_RELATED = 8
"""The most further launches that a finding names."""


def without_sweeps(matches: Sequence[Match], launches: Sequence[BoundLaunch]) -> list[Match]:
    """The matches of one rule in a kernel, those of a sweep as one: that which saves most time.

    A sweep are launches of which no two lines have the same template arguments. Matches elsewhere
    than at launches stay as they are.
    """
    at = _bindings_by_site(launches)
    swept = [match for match in matches if (match.path, match.span.line) in at]
    sites = list(dict.fromkeys((match.path, match.span.line) for match in swept))
    every = [bindings for site in sites for bindings in at[site]]
    if len(swept) < 2 or len(set(every)) < max(2, len(every)):
        return list(matches)
    best = max(swept, key=_saved_ns)
    others = [site for site in sites if site != (best.path, best.span.line)]
    rest = len(swept) - 1
    more = "another instantiation" if rest == 1 else f"{rest} other instantiations"
    told = f"{best.message.rstrip('.')}; the same in {more} of the kernel"
    related = tuple(Related(path, line, "here too") for path, line in others[:_MOST_RELATED])
    merged = replace(best, message=told, related=(*best.related, *related))
    return [
        merged if match is best else match
        for match in matches
        if match not in swept or match is best
    ]


def _bindings_by_site(launches: Sequence[BoundLaunch]) -> dict[Site, set[str]]:
    """The template arguments that a kernel is launched with on each line."""
    found: dict[Site, set[str]] = {}
    for launch in launches:
        if launch.context is not None:
            site = (launch.context.path, launch.context.line)
            found.setdefault(site, set()).add(repr(sorted(launch.bindings.items())))
    return found


def _saved_ns(match: Match) -> float:
    effect = match.effect
    return effect.time_ns - effect.new_time_ns if effect is not None else 0.0
