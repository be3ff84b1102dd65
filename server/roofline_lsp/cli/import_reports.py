"""``roofline-lsp import REPORT...``: measurements made elsewhere, kept beside the project."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from roofline_core.text.units import counted
from roofline_lsp.cli.exit_codes import FINDINGS, OK
from roofline_lsp.cli.options import add_analysis_options, analysis_layer, resolved
from roofline_lsp.cli.output import write


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp import",
        description="Keep what profilers measured beside the project, in"
        " .roofline/measurements.jsonl, so that it stands beside what is predicted. Reports are"
        " .ncu-rep files, what `ncu --csv` prints, CSV files of rocprofv3 and rocprof-compute, and"
        " data sets.",
        allow_abbrev=False,
    )
    add = made.add_argument
    add("reports", nargs="+", type=Path, metavar="REPORT", help="a profiler's report")
    add("--sources", type=Path, default=Path(), metavar="DIR", help="the project; default: here")
    add_analysis_options(made)
    add("--args", metavar="ARGV", help="the command line that was profiled, quoted")
    return made


def run(argv: Sequence[str]) -> int:
    """Import, and return the exit code: 1 if something could not be read.

    Raises ReportError, StoreError, SettingsError and UnknownGpuError.
    """
    options = parser().parse_args(argv)
    from roofline_analysis.api import gpu_used, project_root  # noqa: PLC0415 - brings the parsers along
    from roofline_profiling.import_store import keep  # noqa: PLC0415
    from roofline_profiling.importing import read_reports  # noqa: PLC0415

    settings = resolved(options.sources, analysis_layer(options))
    gpu_used(settings)  # to refuse an unknown one
    found = read_reports(options.reports)
    kept = keep(found.measurements, project_root(options.sources), settings)
    for problem in found.problems:
        print(f"roofline-lsp: {problem}", file=sys.stderr)
    lines = [f"{counted(len(kept.records), 'launch', 'launches')} kept in {kept.path}"]
    if kept.not_found:
        lines.append(f"of no kernel in this project: {', '.join(kept.not_found[:5])}")
        if len(kept.not_found) > 5:
            lines[-1] += f" and {len(kept.not_found) - 5} more"
    write("\n".join(lines) + "\n")
    return FINDINGS if found.problems else OK
