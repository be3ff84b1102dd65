"""A report with its issues and contracts: what is then held to a baseline, and shown."""

from __future__ import annotations

from roofline_analysis.report.report import Report
from roofline_core.settings import Settings
from roofline_lsp.cli.contracts import ContractGpus, checked_contracts
from roofline_lsp.cli.files import read_regular
from roofline_lsp.ratchet.contracts.checking import contract_issues
from roofline_lsp.ratchet.issues import issues_of
from roofline_lsp.ratchet.result import CheckResult
from roofline_lsp.ratchet.source_lines import Reader, SourceLines


def judged(
    report: Report, settings: Settings, gpus: ContractGpus, reader: Reader = read_regular
) -> CheckResult:
    """A report with its issues and what came of contracts. ``gpus``: those that contracts name."""
    contracts = checked_contracts(report, settings, gpus, reader)
    issues = (*issues_of(report.files, SourceLines(reader)), *contract_issues(contracts))
    return CheckResult(report, issues, contracts=contracts, sources=SourceLines(reader))
