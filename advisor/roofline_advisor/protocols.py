"""How a class is asked for: which questions, and what their answers come to.

- zero-shot: hardware, launch and source; the class is asked for.
- few-shot: the same after examples of both classes with their answers.
- decomposition: operations and bytes are asked for apart; arithmetic decides.
- evidence: zero-shot with what the static analysis counted and what it had to assume.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from roofline_advisor import prompts
from roofline_advisor.bench import Reading
from roofline_advisor.request import Request, Turn
from roofline_advisor.schema import Schema, obj
from roofline_advisor.words import one_line
from roofline_analysis.report.report import GpuUsed, KernelReport, Verdict
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings
from roofline_core.text.units import scaled

_REASON: Schema = {"type": "string", "maxLength": 2000}
_AMOUNT: Schema = {"type": "number", "minimum": 0, "maximum": 1e24}

CLASS: Schema = obj(**{"reason": _REASON, "class": {"enum": ["CB", "BB"]}})
OPERATIONS: Schema = obj(reason=_REASON, sp_flops=_AMOUNT, dp_flops=_AMOUNT, int_ops=_AMOUNT)
BYTES: Schema = obj(reason=_REASON, read_bytes=_AMOUNT, written_bytes=_AMOUNT)


@dataclass(frozen=True, slots=True)
class ClassificationCase:
    """A kernel to be classified."""

    reading: Reading
    kernel: KernelReport
    gpu: GpuUsed
    settings: Settings


@dataclass(frozen=True, slots=True)
class Vote:
    """One answer to the question for the class."""

    verdict: Verdict | None
    """None where the answers do not decide, as for no bytes at all."""
    reason: str


def questions(case: ClassificationCase, sample: int = 0) -> tuple[Request, ...]:
    """The requests of one vote, by the protocol of the settings."""
    protocol = case.settings.advisor.protocol
    if protocol == "decomposition":
        return (
            _request(case, prompts.constant("operations"), OPERATIONS, sample),
            _request(case, prompts.constant("bytes"), BYTES, sample),
        )
    system = prompts.constant("classify")
    if protocol == "few-shot":
        system = prompts.joined((system, prompts.constant("examples")))
    return (_request(case, system, CLASS, sample),)


def vote(case: ClassificationCase, answers: Sequence[dict[str, Any]]) -> Vote:
    """What the answers to ``questions``, in their order, come to."""
    if len(answers) == 1:
        return Vote(Verdict(answers[0]["class"]), one_line(answers[0]["reason"]))
    operations, moved = answers
    total = moved["read_bytes"] + moved["written_bytes"]
    verdict = decided(
        {
            Precision.SP: operations["sp_flops"],
            Precision.DP: operations["dp_flops"],
            Precision.INT: operations["int_ops"],
        },
        total,
        case.gpu,
    )
    counted = ", ".join(
        f"{name} {scaled(operations[key])}"
        for name, key in (("SP", "sp_flops"), ("DP", "dp_flops"), ("INT", "int_ops"))
    )
    return Vote(verdict, f"{counted} operations, {scaled(total, 'B')} of DRAM traffic")


def decided(operations: dict[Precision, float], total: float, gpu: GpuUsed) -> Verdict | None:
    """The class by the roofline rule; None where nothing moves or nothing is known of the GPU."""
    ridges = {each: gpu.ridges[each] for each in operations if each in gpu.ridges}
    if not ridges or (total == 0 and not any(operations.values())):
        return None
    above = any(operations[each] > ridge * total for each, ridge in ridges.items())
    return Verdict.COMPUTE_BOUND if above else Verdict.BANDWIDTH_BOUND


def _request(case: ClassificationCase, system: str, schema: Schema, sample: int) -> Request:
    advisor = case.settings.advisor
    sections = [prompts.hardware(case.gpu), prompts.launch(case.kernel, case.settings)]
    if advisor.protocol == "evidence":
        sections.append(prompts.evidence(case.kernel, case.gpu))
    sections.append(prompts.source(case.reading, advisor.max_source_chars))
    return Request.of(advisor, system, (Turn("user", prompts.joined(sections)),), schema, sample)
