"""Question decomposition: operations and bytes asked apart, held against what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from roofline_advisor.protocols import BYTES, OPERATIONS, decided
from roofline_advisor.request import Request, Turn
from roofline_analysis.report.report import GpuUsed, Verdict
from roofline_core.program.precision import Precision
from roofline_core.settings import AdvisorSettings
from roofline_study.dataset import MeasuredKernel
from roofline_study.judge import Judgement
from roofline_study.papers.classification import KernelMaterial
from roofline_study.papers.interview import StudyQuestion
from roofline_study.papers.kept_answers import KeptAnswer
from roofline_study.papers.scores import RowKind
from roofline_study.papers.texts import constant_text

STUDY = "decompose"
QUANTITIES: Mapping[str, str] = MappingProxyType(
    {
        "flops": "floating-point operations",
        "int_ops": "integer operations",
        "dram_bytes": "DRAM bytes",
    }
)
"""What is asked for, by name; the floating-point operations are of single and double precision."""


@dataclass(frozen=True, slots=True)
class KernelCounts:
    """What is said of one launch, None where nothing is."""

    flops: float | None
    int_ops: float | None
    dram_bytes: float | None
    verdict: Verdict | None
    """The class that arithmetic makes of the counts."""


@dataclass(frozen=True, slots=True)
class CountAnswers:
    """The counts that one answerer gives."""

    name: str
    kind: RowKind
    given: Mapping[MeasuredKernel, Sequence[KernelCounts]]
    """One for each trial; a kernel without any was not answered."""
    cost_dollars: float | None = None


def count_questions(
    materials: Sequence[KernelMaterial], settings: AdvisorSettings, trials: int
) -> Iterator[StudyQuestion]:
    """Two questions for each kernel and trial: its operations, then its bytes."""
    for material in materials:
        for trial in range(trials):
            for name, schema in (("operations", OPERATIONS), ("bytes", BYTES)):
                turns = (Turn("user", material.text),)
                request = Request.of(settings, constant_text(name), turns, schema, trial)
                yield StudyQuestion(STUDY, f"{material.row.name}: {name}", trial, request)


def counts_given(
    name: str,
    materials: Sequence[KernelMaterial],
    answers: Sequence[KeptAnswer | None],
    trials: int,
    cost_dollars: float | None,
) -> CountAnswers:
    """What a model says; ``answers`` are in the order of ``count_questions``."""
    given: dict[MeasuredKernel, list[KernelCounts]] = {}
    pairs = iter(zip(answers[::2], answers[1::2], strict=True))
    for material in materials:
        for _ in range(trials):
            operations, moved = next(pairs)
            if operations is not None and moved is not None:
                counts = _counts(operations.value, moved.value, material.gpu)
                given.setdefault(material.row, []).append(counts)
    return CountAnswers(name, RowKind.MODEL, given, cost_dollars)


def static_counts(judgements: Sequence[Judgement]) -> CountAnswers:
    """What the static analysis counts."""
    given = {}
    for each in judgements:
        found = each.prediction
        flops = _sum(found.sp_flops, found.dp_flops) if found is not None else None
        given[each.row] = (
            KernelCounts(
                flops,
                found.int_ops if found is not None else None,
                found.dram_bytes if found is not None else None,
                each.verdict,
            ),
        )
    return CountAnswers("static analysis", RowKind.STATIC, given)


def about(answers: CountAnswers, rows: Sequence[MeasuredKernel]) -> CountAnswers:
    """The answers about some of the kernels."""
    wanted = set(rows)
    given = {row: counts for row, counts in answers.given.items() if row in wanted}
    return replace(answers, given=given)


def measured_counts(row: MeasuredKernel) -> KernelCounts:
    """What was measured."""
    flops = _sum(row.sp_flops, row.dp_flops)
    return KernelCounts(flops, row.int_ops, row.dram_bytes, row.label)


def _counts(
    operations: Mapping[str, float] | None, moved: Mapping[str, float] | None, gpu: GpuUsed
) -> KernelCounts:
    """Of two replies; None for one that could not be read."""
    total = moved["read_bytes"] + moved["written_bytes"] if moved is not None else None
    if operations is None:
        return KernelCounts(None, None, total, None)
    sp, dp, integer = (float(operations[name]) for name in ("sp_flops", "dp_flops", "int_ops"))
    counted = {Precision.SP: sp, Precision.DP: dp, Precision.INT: integer}
    verdict = decided(counted, total, gpu) if total is not None else None
    return KernelCounts(sp + dp, integer, total, verdict)


def _sum(*amounts: float | None) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None
