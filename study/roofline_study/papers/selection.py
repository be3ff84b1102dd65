"""The kernels of a study: one a program, up to a number of tokens, as many of each kind.

A kind is a language and a measured class. Kernels are drawn by a seed alone, so that equal data
give equal studies.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roofline_analysis.report.report import Verdict
from roofline_core.text.units import counted
from roofline_study.dataset import MeasuredKernel
from roofline_study.papers.defaults import SEED, TOKEN_LIMIT
from roofline_study.papers.errors import StudyError
from roofline_study.papers.scores import Subject

Kind = tuple[str, Verdict]
"""Language and measured class."""


@dataclass(frozen=True, slots=True)
class Sized:
    """A kernel that may be asked about."""

    row: MeasuredKernel
    tokens: int
    """Of the zero-shot prompt, estimated."""

    @property
    def kind(self) -> Kind:
        """Its language and its measured class. Raises StudyError for a row without class."""
        return self.row.language, Subject.of(self.row).label


@dataclass(frozen=True, slots=True)
class BalancedKernels:
    """What was drawn, and from how many."""

    kernels: tuple[Sized, ...]
    """In the order of the data set."""
    programs: int
    """Of the data set: one kernel of each could have been drawn."""
    too_long: int
    """Kernels whose prompts have more tokens than the limit."""
    candidates: Mapping[Kind, int]
    """How many of each kind were within the limit."""
    per_kind: int

    def text(self) -> str:
        """In one line: what was drawn and what was left out."""
        kinds = ", ".join(
            f"{language} {verdict.value} {count}"
            for (language, verdict), count in sorted(self.candidates.items(), key=str)
        )
        return (
            f"{len(self.kernels)} kernels, {self.per_kind} of each language and class; of"
            f" {counted(self.programs, 'program')} {self.too_long} were over the token limit, and"
            f" within it were {kinds}"
        )


def one_each(rows: Sequence[MeasuredKernel]) -> tuple[MeasuredKernel, ...]:
    """The first row of each program."""
    first: dict[str, MeasuredKernel] = {}
    for row in rows:
        first.setdefault(row.program, row)
    return tuple(first.values())


def balanced(
    kernels: Sequence[Sized],
    *,
    limit: int = TOKEN_LIMIT,
    per_kind: int | None = None,
    bands: int = 1,
    seed: int = SEED,
) -> BalancedKernels:
    """Draw as many of each kind; with ``bands``, as many of each kind within each band of tokens.

    Bands share the token limit out evenly. ``per_kind`` None takes as many as there are. Raises
    StudyError where a kind has none, or fewer than ``per_kind``.
    """
    held = [kernel for kernel in kernels if kernel.tokens <= limit]
    languages = sorted({kernel.row.language for kernel in kernels})
    kinds = [(language, verdict) for language in languages for verdict in Verdict]
    groups: dict[tuple[Kind, int], list[Sized]] = {}
    for kernel in held:
        band = min(kernel.tokens * bands // limit, bands - 1)
        groups.setdefault((kernel.kind, band), []).append(kernel)
    most = [min(len(groups.get((kind, band), ())) for kind in kinds) for band in range(bands)]
    counts = _shared_out(per_kind, most)
    drawn: set[str] = set()
    for kind in kinds:
        for band, count in enumerate(counts):
            there = sorted(groups.get((kind, band), ()), key=lambda kernel: kernel.row.name)
            source = random.Random(f"{seed} {kind[0]} {kind[1].value} {band}")
            drawn.update(kernel.row.name for kernel in source.sample(there, count))
    return BalancedKernels(
        tuple(kernel for kernel in held if kernel.row.name in drawn),
        len(kernels),
        len(kernels) - len(held),
        {kind: sum(kernel.kind == kind for kernel in held) for kind in kinds},
        sum(counts),
    )


def _shared_out(total: int | None, most: Sequence[int]) -> list[int]:
    """How many to draw from each band, which has ``most`` of each kind.

    The bands' remainders round up, the largest first. Raises StudyError.
    """
    there = sum(most)
    if there == 0 or (total is not None and total > there):
        asked = "" if total is None else f", fewer than the {total} asked for"
        raise StudyError(
            f"a balanced selection has at most {counted(there, 'kernel')} of each language and"
            f" class{asked}; see '--language', '--token-limit', '--bands' and '--per-kind'"
        )
    if total is None:
        return list(most)
    exact = [total * each / there for each in most]
    found = [int(each) for each in exact]
    order = sorted(range(len(exact)), key=lambda band: (found[band] - exact[band], band))
    for band in order[: total - sum(found)]:
        found[band] += 1
    return found
