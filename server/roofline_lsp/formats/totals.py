"""The closing line of reports for people."""

from __future__ import annotations

from roofline_analysis.report.report import Verdict
from roofline_core.program.units import Severity
from roofline_core.text.units import counted
from roofline_lsp.ratchet.contracts.checking import ContractState
from roofline_lsp.ratchet.result import CheckResult


def totals(result: CheckResult) -> str:
    """``2 files, 3 kernels: 1 CB, 2 BB, 0 undecided; 2 library calls; 1 problem, 1 note``.

    Reports list calls of libraries beside kernels; classes are counted of kernels alone.
    """
    report = result.report
    verdicts = [kernel.prediction.verdict for file in report.files for kernel in file.kernels]
    told = [problem.severity for file in report.files for problem in file.problems]
    notes = told.count(Severity.NOTE)
    noted = f", {counted(notes, 'note')}" if notes else ""
    findings = sum(len(file.all_findings()) for file in report.files)
    found = f"{counted(findings, 'finding')}, " if findings else ""
    calls = sum(len(file.library_calls) for file in report.files)
    called = f"{counted(calls, 'library call')}; " if calls else ""
    kept = sum(each.state is ContractState.KEPT for each in result.contracts)
    stated = counted(len(result.contracts), "contract")
    of = f", {kept} of {stated} kept" if result.contracts else ""
    profile = f", settings profile {report.settings_profile}" if report.settings_profile else ""
    return (
        f"{counted(len(report.files), 'file')}, {counted(len(verdicts), 'kernel')}: "
        f"{verdicts.count(Verdict.COMPUTE_BOUND)} CB, "
        f"{verdicts.count(Verdict.BANDWIDTH_BOUND)} BB, "
        f"{verdicts.count(None)} undecided; "
        f"{called}{found}{counted(len(told) - notes, 'problem')}{noted}{of}{profile}"
    )
