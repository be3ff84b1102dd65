"""Steps 6, 7 and 8 as text: time, verdict, and what assumptions are worth."""

from __future__ import annotations

import math
from collections.abc import Iterator

from roofline_analysis.api.explain.records import Assumption, LaunchExplanation, VerdictFacts
from roofline_analysis.report.report import UnknownKind, Verdict
from roofline_core.text.table import aligned
from roofline_core.text.units import (
    counted,
    duration,
    exact,
    percent,
    ratio_text,
    scaled,
    significant,
)
from roofline_lsp.formats.bus import bus_text
from roofline_lsp.formats.explanation.layout import INDENT, wrapped
from roofline_lsp.formats.explanation.other_class import other_class
from roofline_lsp.formats.what_if import flip_text

_TERMS = {
    "compute": "instructions, by the busiest pipe and the schedulers of the busiest SM",
    "l1": "requests to the first cache and shared memory",
    "l2": "sectors from L2",
    "dram": "bytes from and to DRAM",
    "bus": "bytes from and to the memory of the host",
    "latency": "the path of a warp through its loads and dependent instructions",
    "contention": "atomics and reductions that wait for one another",
    "launch": "starting",
}
_FEATURES = {
    "constant": "to begin with",
    "distance": "distance from the ridge",
    "off_ridge": "not at the ridge itself",
    "compute_bound": "compute-bound verdicts",
    "assumed_operations": "share of operations that rests on estimates",
    "uncertain_bytes": "share of bytes at addresses that could not be followed",
    "unknowns": "numbers that were assumed (log2 of 1 + how many)",
    "unseen": "share of the work that could not be followed",
    "reuse": "accesses that caches serve (ln of bytes asked for over DRAM bytes)",
    "guessed_sizes": "sizes that no host code fixes",
    "guessed_compute_bound": "compute-bound at such sizes",
    "for_other_sizes": "compute-bound at far smaller and larger sizes, too",
}
_BAR = 24
_MOST = 0.99
"""The largest confidence."""


def time_lines(explained: LaunchExplanation) -> Iterator[str]:
    """The terms with bars, and how the launch fills the GPU."""
    time = explained.time
    longest = max((term.time_ns for term in time.terms), default=0.0) or 1.0
    rows = []
    for term in time.terms:
        bar = "#" * round(_BAR * term.time_ns / longest)
        rows.append([term.name, duration(term.time_ns), bar, _TERMS[term.name]])
    yield from aligned(rows, right=(1,), indent=INDENT)
    sizes = ", with assumed sizes" if time.depends_on else ""
    yield from wrapped(
        f"together {duration(time.time_ns)}{sizes}: launch plus the norm of the others"
        f" with exponent {time.overlap_exponent:g}, for they overlap"
    )
    yield from wrapped(
        f"{time.regime}: {counted(time.blocks, 'block')}, {time.blocks_per_sm} on each of"
        f" {time.sm_count} SMs, {scaled(time.waves)} waves; occupancy"
        f" {percent(time.occupancy)}, limited by {time.occupancy_limiter}, with"
        f" {time.registers_per_thread} registers a thread assumed"
    )


def verdict_lines(explained: LaunchExplanation) -> Iterator[str]:
    """Each precision against its ridge, the bytes, the nearest other class, and the confidence."""
    facts = explained.verdict_facts
    rows = [["", "operations", "per byte", "ridge", "times ridge", "class"]]
    for each in facts.intensities:
        ridge = each.ridge_ops_per_byte
        shown = each.verdict.value if each.verdict is not None else ""
        rows.append(
            [
                each.precision.title,
                scaled(each.operations),
                scaled(each.ops_per_byte),
                significant(ridge),
                ratio_text(each.ops_per_byte / ridge) if ridge else "",
                shown if each.decides else f"({shown}, does not decide)",
            ]
        )
    yield from aligned(rows, right=(1, 2, 3, 4), indent=INDENT)
    other = scaled(facts.other_read_bytes, "B") if facts.other_read_bytes else ""
    yield from wrapped(
        f"DRAM {scaled(facts.dram_read_bytes + facts.dram_write_bytes, 'B')}:"
        f" {scaled(facts.dram_read_bytes, 'B')} read"
        f"{f', {other} of it code, arguments and the like' if other else ''};"
        f" {scaled(facts.dram_write_bytes, 'B')} written{_kept(facts)}"
    )
    if facts.bus is not None:
        yield from wrapped(bus_text(facts.bus))
    yield from wrapped(_rule(facts))
    if facts.crossover is not None:
        yield f"{INDENT}{flip_text(facts.crossover)}"
    yield from _confidence(facts)


def assumption_lines(explained: LaunchExplanation) -> Iterator[str]:
    """What was used, and what half and double would come to."""
    if not explained.assumptions:
        yield f"{INDENT}nothing was assumed"
        return
    verdict = explained.verdict_facts.verdict
    for each in explained.assumptions:
        value = percent(each.value) if each.kind is UnknownKind.BRANCH else exact(each.value)
        told = each.kind is not UnknownKind.HOST and each.path == explained.path
        where = f" ({each.path.name}:{each.line})" if each.path and each.line and not told else ""
        yield from wrapped(f"{each.name} = {value}{where}: {each.why}")
        rows = list(_alternatives(each, verdict)) or [["no other number was tried"]]
        yield from aligned(rows, indent=f"{INDENT}    ")


def _alternatives(assumption: Assumption, verdict: Verdict | None) -> Iterator[list[str]]:
    for each in assumption.alternatives:
        branch = assumption.kind is UnknownKind.BRANCH
        shown = each.verdict.value if each.verdict is not None else "undecided"
        yield [
            f"if {percent(each.value) if branch else exact(each.value)}:",
            f"{shown} {percent(each.confidence)}",
            duration(each.time_ns),
            f"DRAM {scaled(each.dram_bytes, 'B')}",
            "THE OTHER CLASS" if each.verdict is not verdict else "",
        ]


def _rule(facts: VerdictFacts) -> str:
    """What made the class, and how far the other one is."""
    if facts.bus is not None and facts.bus.limits and facts.verdict is not None:
        return f"{facts.verdict.value}: the bus takes longer than the operations and DRAM"
    times = {
        each.precision: each.ops_per_byte / each.ridge_ops_per_byte
        for each in facts.intensities
        if each.decides and each.ridge_ops_per_byte
    }
    above = [p.title for p, ratio in times.items() if ratio > 1.0]
    verb = "is" if len(above) == 1 else "are"
    made = (
        f"{' and '.join(above)} {verb} above the ridge"
        if above
        else "no precision that decides is above its ridge"
    )
    name = facts.verdict.value if facts.verdict is not None else "undecided"
    nearest = other_class(facts.verdict, times)
    return f"{name}: {made}; {nearest}" if nearest is not None else f"{name}: {made}"


def _kept(facts: VerdictFacts) -> str:
    """What the study's rule does not count, and its class if that is another."""
    text = ""
    if facts.kept_bytes:
        text = f", {scaled(facts.kept_bytes, 'B')} of it after the kernel ends"
    if facts.study_verdict not in (None, facts.verdict):
        text += f"; by the study's rule {facts.study_verdict.value}"
    return text


def _confidence(facts: VerdictFacts) -> Iterator[str]:
    if not facts.confidence_features:
        return
    total = math.fsum(each.log_odds for each in facts.confidence_features)
    sure = f"confidence {percent(facts.confidence)}: log-odds {total:+.2f}, made up of"
    yield f"{INDENT}{sure}"
    if facts.confidence + 0.005 < min(_MOST, 1.0 / (1.0 + math.exp(-total))):
        yield f"{INDENT}  limited, as many blocks move next to nothing at sizes that nothing fixes"
    rows = [
        [f"{each.log_odds:+.2f}", _FEATURES.get(each.name, each.name), significant(each.value)]
        for each in facts.confidence_features
        if each.log_odds
    ]
    yield from aligned(rows, right=(0,), indent=f"{INDENT}  ")
