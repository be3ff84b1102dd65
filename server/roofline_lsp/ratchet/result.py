"""The result of a check, with what it is held to: what every format is given."""

from __future__ import annotations

from roofline_analysis.report.report import Report
from roofline_core.program.records import record
from roofline_lsp.ratchet.comparison import SinceBaseline
from roofline_lsp.ratchet.contracts.checking import ContractOutcome
from roofline_lsp.ratchet.issues import Issue
from roofline_lsp.ratchet.source_lines import SourceLines


@record(frozen=True, slots=True)
class CheckResult:
    """A report, and what a check makes of it."""

    report: Report
    issues: tuple[Issue, ...] = ()
    """Findings, problems and contracts, file by file."""
    culprits: tuple[Culprit, ...] = ()
    """Why the check fails; empty where it does not."""
    contracts: tuple[ContractOutcome, ...] = ()
    """What came of each contract, file by file."""
    comparison: SinceBaseline | None = None
    """What changed since a baseline; None without one."""
    sources: SourceLines | None = None
    """Reads the lines of sources that a format shows; None where there are none to show."""


@record(frozen=True, slots=True)
class Culprit:
    """One reason why a check fails."""

    where: str
    """``src/a.cu:12``, as problems are named."""
    message: str
    """``saxpy is BB (--fail-on bb)``."""
    kernel: str = ""
    """The qualified name of the kernel that is to blame; empty for anything else."""
    path: str = ""
    """Its file, as the report has it."""
    issue: Issue | None = None
    """The issue that is the reason; None for a class or a change."""
