"""Baselines: the figures and issues of a run in a file, which later runs are held to."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from roofline_analysis.report.report import GpuUsed, Report, Verdict
from roofline_core.program.errors import RooflineError
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.program.regular_files import read_regular_file
from roofline_lsp.ratchet.comparison import (
    KEPT_DIGITS,
    BaselineIssue,
    SinceBaseline,
    baseline_issue,
    compared_issues,
    compared_kernels,
)
from roofline_lsp.ratchet.figures import KernelFigures, figures_of
from roofline_lsp.ratchet.result import CheckResult

VERSION: Final = 1
"""Grows where a file of another version could not be compared."""
MOST_BYTES: Final = 256_000_000


class BaselineError(RooflineError):
    """A baseline that cannot be read or compared with, named with the remedy."""


@record(frozen=True, slots=True)
class Baseline:
    """What a run found, to hold later runs to."""

    judged_by: tuple[str, str, str]
    """GPU, clock and rule, by which the figures are."""
    kernels: tuple[KernelFigures, ...]
    issues: tuple[BaselineIssue, ...]


def baseline_of(result: CheckResult, folder: Path) -> Baseline:
    """The baseline that a result makes; ``folder`` is the project's."""
    issues = tuple(baseline_issue(issue, folder) for issue in result.issues)
    return Baseline(_judged_by(result.report), figures_of(result.report, folder), issues)


def held_to(result: CheckResult, baseline: Baseline, since: str, folder: Path) -> CheckResult:
    """A result with what changed since a baseline, its issues marked as new or known.

    Raises BaselineError where the baseline was judged by another GPU, clock or rule.
    """
    now = _judged_by(result.report)
    if now != baseline.judged_by:
        was, present = ", ".join(baseline.judged_by), ", ".join(now)
        raise BaselineError(
            f"{since}: its figures are for {was}, this run's for {present}; give the same --gpu,"
            " --clock and --rule, or write the baseline anew"
        )
    changes, unchanged = compared_kernels(baseline.kernels, figures_of(result.report, folder))
    issues, fixed = compared_issues(baseline.issues, result.issues, folder)
    return replace(
        result, issues=issues, comparison=SinceBaseline(since, changes, unchanged, fixed)
    )


def _judged_by(report: Report) -> tuple[str, str, str]:
    gpu: GpuUsed = report.gpu
    return gpu.name, gpu.clock, gpu.rule


def baseline_text(baseline: Baseline) -> str:
    """The file's text: JSON with a line for each kernel and issue, in an order of its own."""
    gpu, clock, rule = baseline.judged_by
    kernels = sorted((_kernel(each) for each in baseline.kernels), key=json.dumps)
    issues = sorted((_issue(each) for each in baseline.issues), key=json.dumps)
    head = {"roofline_baseline": VERSION, "gpu": gpu, "clock": clock, "rule": rule}
    start = json.dumps(head, ensure_ascii=True)[1:-1]
    return f'{{{start},\n "kernels": {_listed(kernels)},\n "issues": {_listed(issues)}\n}}\n'


def _listed(items: list[dict[str, object]]) -> str:
    if not items:
        return "[]"
    return "[\n" + ",\n".join(f"  {json.dumps(item)}" for item in items) + "\n ]"


def _kernel(kernel: KernelFigures) -> dict[str, object]:
    return {
        "path": kernel.path,
        "name": kernel.name,
        "qualified_name": kernel.qualified_name,
        "body": kernel.body,
        "class": None if kernel.verdict is None else kernel.verdict.value,
        "precision": None if kernel.precision is None else kernel.precision.value,
        "intensity": _kept(kernel.intensity),
        "operations": {each.value: _kept(count) for each, count in kernel.operations.items()},
        "dram_bytes": _kept(kernel.dram_bytes),
        "time_ns": _kept(kernel.time_ns),
    }


def _issue(issue: BaselineIssue) -> dict[str, object]:
    return {
        "path": issue.path,
        "kernel": issue.kernel,
        "code": issue.code,
        "name": issue.name,
        "fingerprint": issue.fingerprint,
        "line_key": issue.line_key,
    }


def _kept(value: float | None) -> float | None:
    kept = None if value is None else float(f"{value:.{KEPT_DIGITS}g}")
    return kept if kept is not None and math.isfinite(kept) else None


def read_baseline(path: Path) -> Baseline:
    """The baseline that a file holds. Raises BaselineError naming the file and the remedy."""
    try:
        content = json.loads(read_regular_file(path, MOST_BYTES))
    except OSError as error:
        why = error.strerror or str(error)
        remedy = "make it with --write-baseline"
        raise BaselineError(f"{path}: cannot be read: {why}; {remedy}") from None
    except (ValueError, RecursionError):
        raise BaselineError(f"{path}: no baseline: not JSON; {_ANEW}") from None
    if not isinstance(content, dict) or "roofline_baseline" not in content:
        raise BaselineError(f"{path}: no baseline; {_ANEW}")
    if content["roofline_baseline"] != VERSION:
        version = content["roofline_baseline"]
        raise BaselineError(f"{path}: a baseline of version {version}, not {VERSION}; {_ANEW}")
    try:
        judged_by = (str(content["gpu"]), str(content["clock"]), str(content["rule"]))
        kernels = tuple(_read_kernel(each) for each in content["kernels"])
        issues = tuple(_read_issue(each) for each in content["issues"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BaselineError(f"{path}: a damaged baseline ({error!r}); {_ANEW}") from None
    return Baseline(judged_by, kernels, issues)


_ANEW: Final = "write it anew with --write-baseline"


def _read_kernel(item: Mapping[str, Any]) -> KernelFigures:
    verdict, precision = item["class"], item["precision"]
    return KernelFigures(
        str(item["path"]),
        None,
        str(item["name"]),
        str(item["qualified_name"]),
        str(item["body"]),
        None if verdict is None else Verdict(verdict),
        None if precision is None else Precision(precision),
        _number(item["intensity"]),
        {Precision(name): _number(count) for name, count in item["operations"].items()},
        _number(item["dram_bytes"]),
        _number(item["time_ns"]),
    )


def _read_issue(item: Mapping[str, Any]) -> BaselineIssue:
    names = ("path", "kernel", "code", "name", "fingerprint", "line_key")
    return BaselineIssue(*(str(item[name]) for name in names))


def _number(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(value)
    if not abs(value) <= sys.float_info.max:
        message = "a number that no double holds"
        raise ValueError(message)
    return float(value)
