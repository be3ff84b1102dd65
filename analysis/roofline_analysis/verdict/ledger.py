"""A launch's counts by source line: the ledger, and the lines that contribute most."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from roofline_analysis.counting.execution import Execution
from roofline_analysis.regions.kernel_summary import (
    KernelSummary,
    RegionForm,
    Role,
    Site,
    Work,
)
from roofline_analysis.traffic.dram import ArrayTraffic, Traffic, access_shares
from roofline_analysis.verdict.prediction import (
    Evidence,
    LedgerLine,
)
from roofline_analysis.verdict.register_moves import moves_share
from roofline_core.text.units import scaled

_EVIDENCE: Final = 6
"""The most lines that are named as evidence: a limit on the report's length."""


def work_totals(summary: KernelSummary, execution: Execution) -> dict[Work, float]:
    """Work of each kind over the whole launch."""
    totals = dict.fromkeys(Work, 0.0)
    for region in summary.root.walk():
        runs = execution.regions.get(region)
        if runs is None or not runs.runs:
            continue
        for row in region.work.values():
            for kind in Work:
                totals[kind] += row[kind] * runs.runs
    totals[Work.INT] *= 1.0 + moves_share(summary, execution)
    return totals


def ledger_of(
    summary: KernelSummary, execution: Execution, traffic: Traffic
) -> tuple[LedgerLine, ...]:
    """Operations, bytes and executions of each source line, ordered by path and line."""
    rows: dict[Site, list[float]] = {}
    executions: dict[Site, float] = {}
    notes: dict[Site, list[str]] = {}
    for region in summary.root.walk():
        runs = execution.regions.get(region)
        if runs is None:
            continue
        if region.role is Role.SLOW:
            if runs.share:
                noted = notes.setdefault(region.site, [])
                noted.append(f"division: of 0 in {_threads(runs.share)}")
        elif region.role is not Role.ENTERS:  # The loop's own note says as much.
            _note_region(region.form, region.site, runs.trips, runs.share, runs.assumed, notes)
        copies = region.walked_runs
        if copies > 1:
            notes.setdefault(region.site, []).append(f"loop: {copies} trips, unrolled")
        for site, row in region.work.items():
            total = rows.setdefault(site, [0.0] * len(Work))
            for kind in Work:
                total[kind] += row[kind] * runs.runs
            executions[site] = max(executions.get(site, 0.0), runs.runs * copies)
        for access in region.accesses:
            rows.setdefault(access.site, [0.0] * len(Work))
            executions[access.site] = max(executions.get(access.site, 0.0), runs.runs * copies)
    for site in (*traffic.by_site, *notes):
        rows.setdefault(site, [0.0] * len(Work))
    with_moves = 1.0 + moves_share(summary, execution)
    lines = []
    for site in sorted(rows, key=lambda s: (str(s[0]), s[1])):
        row = rows[site]
        read, written = traffic.by_site.get(site, (0.0, 0.0))
        lines.append(
            LedgerLine(
                path=site[0],
                line=site[1],
                sp_flops=row[Work.SP],
                dp_flops=row[Work.DP],
                hp_flops=row[Work.HP],
                int_ops=row[Work.INT] * with_moves,
                tensor_flops=row[Work.TENSOR],
                dram_read_bytes=read,
                dram_write_bytes=written,
                executions=executions.get(site, 0.0),
                notes=tuple(dict.fromkeys(notes.get(site, ()))),
            )
        )
    return tuple(lines)


def _note_region(
    form: RegionForm,
    site: Site,
    trips: float,
    share: float,
    assumed: bool,
    notes: dict[Site, list[str]],
) -> None:
    guess = " (assumed)" if assumed else ""
    if form is RegionForm.LOOP:
        notes.setdefault(site, []).append(f"loop: {_trips(trips)} trips{guess}")
    elif form is RegionForm.GUARD and share < 1.0:
        notes.setdefault(site, []).append(f"branch: taken by {_threads(share)}{guess}")


def _trips(number: float) -> str:
    """``16,384``, ``2.5``, ``100 M``."""
    whole = number.is_integer() and number < 1e6
    return f"{number:,.0f}" if whole else scaled(number)


def _threads(share: float) -> str:
    """``12.5% of threads``, ``<0.1% of threads``, ``no thread``."""
    if share == 0.0:
        return "no thread"
    shown = "<0.1%" if share < 0.001 else ">99.9%" if share > 0.999 else f"{share:.1%}"
    return f"{shown} of threads"


def evidence_of(
    summary: KernelSummary, execution: Execution, traffic: Traffic
) -> tuple[Evidence, ...]:
    """The source lines that contribute most operations and most bytes."""
    found: list[tuple[float, Evidence]] = []
    names = {
        Work.SP: "single-precision operations",
        Work.DP: "double-precision operations",
        Work.HP: "half-precision operations",
        Work.INT: "integer operations",
        Work.TENSOR: "tensor-core operations",
    }
    totals = work_totals(summary, execution)
    per_line: dict[tuple[Site, Work], float] = {}
    for region in summary.root.walk():
        runs = execution.regions.get(region)
        if runs is None:
            continue
        for site, row in region.work.items():
            for kind in names:
                if row[kind]:
                    per_line[site, kind] = per_line.get((site, kind), 0.0) + row[kind] * runs.runs
    with_moves = 1.0 + moves_share(summary, execution)
    for (site, kind), work in per_line.items():
        amount = work * with_moves if kind is Work.INT else work
        if totals[kind]:
            found.append((amount / totals[kind], Evidence(site[0], site[1], names[kind], amount)))
    found += _moved(traffic)
    found.sort(key=lambda pair: -pair[0])
    return tuple(evidence for _, evidence in found[:_EVIDENCE])


def _moved(traffic: Traffic) -> Iterator[tuple[float, Evidence]]:
    """The bytes of each array that a line moves, with their share of all."""
    moved = traffic.read_bytes + traffic.write_bytes
    crossing = traffic.bus_read_bytes + traffic.bus_write_bytes
    for where, whole, arrays in (("DRAM", moved, traffic.arrays), ("bus", crossing, traffic.bus)):
        for item in arrays:
            for site, amounts in _line_bytes(item).items():
                for what, amount in zip(("read", "written"), amounts, strict=True):
                    if amount:
                        text = f"{where} bytes {what} of '{item.array.name}'"
                        yield amount / whole, Evidence(site[0], site[1], text, amount)


def _line_bytes(item: ArrayTraffic) -> dict[Site, tuple[float, float]]:
    """``(bytes read, bytes written)`` of an array by the lines that access it, as ledgers do."""
    lines: dict[Site, tuple[float, float]] = {}
    for access, (read, written) in access_shares(item).items():
        before = lines.get(access.site, (0.0, 0.0))
        lines[access.site] = before[0] + read, before[1] + written
    return lines
