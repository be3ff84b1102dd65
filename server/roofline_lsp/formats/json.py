"""The report that other programs read, as described by ``schema/report.schema.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from roofline_analysis.report.report import (
    BusUse,
    Crossover,
    Effect,
    FileReport,
    Finding,
    GpuUsed,
    KernelReport,
    LaunchReport,
    LibraryCallReport,
    Measured,
    ModelOpinion,
    Prediction,
    Report,
    Sight,
    TimeLimit,
    UnknownUsed,
    Utilisation,
    Verdict,
    WhatIf,
)
from roofline_core.program.precision import Precision
from roofline_core.program.units import Problem, Span
from roofline_lsp.formats.rounding import rounded
from roofline_lsp.formats.sight import undecided
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.formats.tool import TOOL_NAME, tool_version

if TYPE_CHECKING:
    from roofline_lsp.ratchet.result import CheckResult

SCHEMA_VERSION = "1.7"
"""Grows by 0.1 with a new key, by 1 where a key goes away or changes its meaning."""

Json = Mapping[str, object]


def render(result: CheckResult, _style: ColourStyle) -> str:
    """JSON with two blanks of indentation."""
    return json.dumps(check_json(result), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) that every report conforms to."""
    folder = resources.files("roofline_lsp.formats")
    return folder.joinpath("schema", "report.schema.json").read_text(encoding="utf-8")


def to_json(report: Report) -> Json:
    """The report as values that JSON can hold; an unknown number is None."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": TOOL_NAME, "version": tool_version()},
        "rule": report.gpu.rule,
        "settings_profile": report.settings_profile,
        "gpu": _gpu(report.gpu),
        "files": [file_json(file) for file in report.files],
        "contracts": [],
        "comparison": None,
        "fails": [],
    }


def check_json(result: CheckResult) -> Json:
    """The same with what a check adds: contracts, changes, and why it fails."""
    from roofline_lsp.formats.check_values import check_values  # noqa: PLC0415 - not for editors

    return {**to_json(result.report), **check_values(result)}


def _gpu(gpu: GpuUsed) -> Json:
    return {
        "name": gpu.name,
        "clock": gpu.clock,
        "clock_mhz": rounded(gpu.clock_mhz),
        "bandwidth_gbs": rounded(gpu.bandwidth_gbs),
        "l2_bandwidth_gbs": rounded(gpu.l2_bandwidth_gbs),
        "l1_bandwidth_gbs": rounded(gpu.l1_bandwidth_gbs),
        "peaks": {each.value: rounded(gpu.peaks_gops.get(each)) for each in Precision},
        "note": gpu.note,
        "ridge": {each.value: rounded(gpu.ridges.get(each)) for each in Precision},
    }


def file_json(file: FileReport) -> Json:
    """One of the files of the report."""
    return {
        "path": str(file.path),
        "problems": [_problem(problem, file.path) for problem in file.problems],
        "kernels": [_kernel(kernel) for kernel in file.kernels],
        "library_calls": [_library_call(call) for call in file.library_calls],
        "findings": [_finding(finding) for finding in file.findings],
    }


def _problem(problem: Problem, file: Path) -> Json:
    return {
        "severity": problem.severity.value,
        "message": problem.message,
        "path": str(problem.path or file),
        "line": problem.line,
    }


def _kernel(kernel: KernelReport) -> Json:
    return {
        "name": kernel.name,
        "base_name": kernel.base_name,
        "qualified_name": kernel.qualified_name,
        "dialect": kernel.dialect.value,
        "path": str(kernel.path),
        "range": _range(kernel.span),
        "name_range": _range(kernel.name_span),
        "launches": [_launch(launch) for launch in kernel.launches],
        "prediction": _prediction(kernel.prediction),
        "measured": _measured(kernel.measured),
        "findings": [_finding(finding) for finding in kernel.findings],
        "what_if": _what_if(kernel.what_if),
        "size_ranges": [
            {
                "name": each.name,
                "least": each.least,
                "most": each.most,
                "flip": _flip(each.crossover),
            }
            for each in kernel.size_ranges
        ],
        "opinion": None if kernel.opinion is None else _opinion(kernel.opinion),
    }


def _opinion(opinion: ModelOpinion) -> Json:
    return {
        "class": None if opinion.verdict is None else opinion.verdict.value,
        "votes": opinion.votes,
        "of_votes": opinion.of_votes,
        "reason": opinion.reason,
        "model": opinion.model,
        "protocol": opinion.protocol,
        "joined_class": None if opinion.joined is None else opinion.joined.value,
        "joined_confidence": rounded(opinion.joined_confidence),
        "joined_source": opinion.joined_source.value,
    }


def _measured(measured: Measured | None) -> Json | None:
    if measured is None:
        return None
    return {
        "class": _class(measured.verdict),
        "predicted_class": _class(measured.predicted.verdict),
        "gpu": measured.gpu,
        "sp_flops": rounded(measured.sp_flops),
        "dp_flops": rounded(measured.dp_flops),
        "hp_flops": rounded(measured.hp_flops),
        "int_ops": rounded(measured.int_ops),
        "tensor_flops": rounded(measured.tensor_flops),
        "dram_bytes": rounded(measured.dram_bytes),
        "time_ns": rounded(measured.time_ns),
        "grid": _dimensions(measured.grid),
        "block": _dimensions(measured.block),
        "args": None if measured.args is None else list(measured.args),
        "origin": measured.origin,
        "emulated": measured.emulated,
        "stale": measured.stale,
        "applies": measured.applies,
        "disagreement": measured.disagreement,
    }


def _launch(launch: LaunchReport) -> Json:
    prediction = launch.prediction
    return {
        "path": str(launch.path),
        "line": launch.line,
        "grid": _dimensions(launch.grid),
        "grid_origin": launch.grid_origin,
        "grid_assumed": [_unknown(unknown) for unknown in launch.grid_assumed],
        "block": _dimensions(launch.block),
        "block_origin": launch.block_origin,
        "block_assumed": [_unknown(unknown) for unknown in launch.block_assumed],
        "shared_bytes": launch.shared_bytes,
        "certain": launch.certain,
        "template_args": list(launch.template_args),
        "arguments": [
            {
                "name": argument.name,
                "value": argument.value,
                "origin": argument.origin,
                "used": rounded(argument.used),
                "buffer_bytes": rounded(argument.buffer_bytes),
                "assumed": [_unknown(unknown) for unknown in argument.assumed],
            }
            for argument in launch.arguments
        ],
        "class": _class(prediction.verdict),
        "confidence": rounded(prediction.confidence),
        "limiting": prediction.limiting.value if prediction.limiting else None,
        "time_ns": rounded(prediction.time_ns),
        "time_depends_on": list(prediction.time_depends_on),
        "prediction": _prediction(prediction),
        "what_if": _what_if(launch.what_if),
    }


def _what_if(what_if: WhatIf | None) -> Json | None:
    if what_if is None:
        return None
    return {
        "classes": [
            {
                "label": each.label,
                "gpu": each.gpu,
                "class": _class(each.verdict),
                "confidence": rounded(each.confidence),
            }
            for each in what_if.classes
        ],
        "flip": _flip(what_if.flip),
    }


def _flip(flip: Crossover | None) -> Json | None:
    if flip is None:
        return None
    return {"name": flip.name, "at_least": flip.value, "class": _class(flip.verdict)}


def _utilisation(used: Utilisation | None) -> Json | None:
    if used is None:
        return None
    return {
        "blocks": used.blocks,
        "blocks_per_sm": used.blocks_per_sm,
        "sm_count": used.sm_count,
        "limiter": used.limiter.value,
        "waves": rounded(used.waves),
        "tail_efficiency": rounded(used.tail_efficiency),
    }


def _prediction(prediction: Prediction) -> Json:
    return {
        "class": _class(prediction.verdict),
        "confidence": rounded(prediction.confidence),
        "source": prediction.source.value,
        "study_class": _class(prediction.study_verdict),
        "limiting": prediction.limiting.value if prediction.limiting else None,
        "time_limit": _time_limit(prediction.time_limit),
        "precision_classes": {
            each.value: _class(prediction.precision_verdicts.get(each)) for each in Precision
        },
        "sp_flops": rounded(prediction.sp_flops),
        "dp_flops": rounded(prediction.dp_flops),
        "hp_flops": rounded(prediction.hp_flops),
        "int_ops": rounded(prediction.int_ops),
        "tensor_flops": rounded(prediction.tensor_flops),
        "dram_bytes": rounded(prediction.dram_bytes),
        "dram_read_bytes": rounded(prediction.dram_read_bytes),
        "dram_write_bytes": rounded(prediction.dram_write_bytes),
        "kept_bytes": rounded(prediction.kept_bytes),
        **{f"{each.value}_ai": rounded(prediction.intensity(each)) for each in Precision},
        "bus": None if prediction.bus is None else _bus(prediction.bus),
        "time_ns": rounded(prediction.time_ns),
        "time_depends_on": list(prediction.time_depends_on),
        "regime": prediction.regime,
        "occupancy": rounded(prediction.occupancy),
        "utilisation": _utilisation(prediction.utilisation),
        "unknowns": [_unknown(unknown) for unknown in prediction.unknowns],
        "undecided": undecided(prediction.sight) if prediction.verdict is None else None,
        "sight": None if prediction.sight is None else _sight(prediction.sight),
        "evidence": [
            {
                "path": str(item.path),
                "line": item.line,
                "what": item.what,
                "amount": rounded(item.amount),
            }
            for item in prediction.evidence
        ],
    }


def _bus(use: BusUse) -> Json:
    return {
        "read_bytes": rounded(use.read_bytes),
        "write_bytes": rounded(use.write_bytes),
        "link": use.link,
        "bandwidth_gbs": rounded(use.bandwidth_gbs),
        "limits": use.limits,
        "dram_class": _class(use.dram_verdict),
    }


def _time_limit(limit: TimeLimit | None) -> Json | None:
    if limit is None:
        return None
    return {
        "resource": limit.resource.value,
        "time_ns": rounded(limit.time_ns),
        "amount": rounded(limit.amount),
        "unit": limit.unit or None,
        "per_second": rounded(limit.per_second),
    }


def _sight(sight: Sight) -> Json:
    return {
        "share": rounded(sight.share),
        "missing": [
            {
                "kind": item.kind.value,
                "name": item.name,
                "path": str(item.path),
                "line": item.line,
            }
            for item in sight.missing
        ],
    }


def _unknown(unknown: UnknownUsed) -> Json:
    return {
        "name": unknown.name,
        "why": unknown.why,
        "assumed": rounded(unknown.assumed),
        "path": str(unknown.path) if unknown.path is not None else None,
        "line": unknown.line,
    }


def _library_call(call: LibraryCallReport) -> Json:
    return {
        "name": call.name,
        "path": str(call.path),
        "line": call.line,
        "what": call.what,
        "element": call.element,
        "count": call.count,
        "repeat": call.repeat,
        "certain": call.certain,
        "prediction": _prediction(call.prediction),
        "what_if": _what_if(call.what_if),
    }


def _finding(finding: Finding) -> Json:
    return {
        "code": finding.code,
        "rule": finding.rule,
        "level": finding.level.value,
        "message": finding.message,
        "path": str(finding.path),
        "range": _range(finding.span),
        "effect": _effect(finding.effect),
        "fix": finding.fix.title if finding.fix is not None else None,
        "edits": [
            {"path": str(edit.path), "range": _range(edit.span), "text": edit.text}
            for edit in (finding.fix.edits if finding.fix is not None else ())
        ],
        "related": [
            {"path": str(item.path), "line": item.line, "message": item.message}
            for item in finding.related
        ],
    }


def _effect(effect: Effect | None) -> Json | None:
    if effect is None:
        return None
    return {
        "saved_bytes": rounded(effect.saved_bytes),
        "saved_operations": {
            each.value: rounded(effect.saved_operations.get(each, 0.0)) for each in Precision
        },
        "ai": {each.value: rounded(effect.intensity.get(each)) for each in Precision},
        "time_ns": rounded(effect.time_ns),
        "new_time_ns": rounded(effect.new_time_ns),
        "class": _class(effect.verdict),
        "new_class": _class(effect.new_verdict),
        "assumed": [_unknown(unknown) for unknown in effect.assumed],
    }


def _range(span: Span) -> Json:
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def _dimensions(size: Sequence[int | None] | None) -> list[int | None] | None:
    return None if size is None else list(size)


def _class(verdict: Verdict | None) -> str | None:
    return verdict.value if verdict is not None else None
