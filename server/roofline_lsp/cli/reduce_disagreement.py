"""``roofline-lsp study reduce-disagreement``: the smallest program that still shows one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from roofline_core.text.units import counted, significant
from roofline_lsp.cli.compare_emulated import add_counts, study_settings, tell
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.options import add_analysis_options
from roofline_lsp.cli.output import write
from roofline_study.quantities import OPERATIONS

if TYPE_CHECKING:
    from roofline_profiling.differential.compared import Compared
    from roofline_profiling.differential.reduction.reduce import Reduced

_QUANTITIES = {precision.name.lower(): name for precision, name in OPERATIONS.items()}


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = made.add_argument
    add("tree", type=Path, metavar="DIR", help="the folder tree that the program is in")
    add("--program", required=True, metavar="NAME", help="as compare-emulated names it")
    add("--kernel", metavar="NAME", help="a part of the kernel's name; default: any")
    add(
        "--quantity",
        choices=sorted(_QUANTITIES),
        help="whose disagreement is reduced; default: the first there is",
    )
    add(
        "--into", type=Path, required=True, metavar="DIR",
        help="the folder that the smaller program is written to",
    )  # fmt: skip
    add("--arguments", type=Path, metavar="TOML", help="command lines and compiler flags")
    add("--output", type=Path, metavar="FILE", help="write the summary here")
    add_analysis_options(made)
    add_counts(
        made,
        ("--seconds", 3600, "seconds after which no smaller program is tried"),
        ("--time-limit", 20, "seconds that each run of a program may take"),
    )


def run(options: argparse.Namespace) -> int:
    """Reduce, say what came of it, and return the exit code.

    Raises ProfilerError, SettingsError and UnknownGpuError.
    """
    from roofline_profiling.differential.plan import DifferentialPlan, read_rules  # noqa: PLC0415 - brings the analysis
    from roofline_profiling.differential.reduction.reduce import (  # noqa: PLC0415
        ReductionTask,
        reduce_disagreement,
    )

    plan = DifferentialPlan(
        trees=(options.tree,),
        results=options.into.absolute(),
        settings=study_settings(options),
        rules=read_rules(options.arguments) if options.arguments is not None else (),
        limit_s=float(options.time_limit),
    )
    task = ReductionTask(
        program=options.program,
        kernel=options.kernel,
        quantity=_QUANTITIES.get(options.quantity),
        into=options.into.absolute(),
        seconds=float(options.seconds),
    )
    write(_as_text(reduce_disagreement(task, plan, tell), options.into), options.output)
    return OK


def _as_text(reduced: Reduced, into: Path) -> str:
    sought = reduced.sought
    lines = [
        f"{sought.kernel}: {sought.quantity} {sought.direction}, nothing assumed",
        f"  before: {_figures(reduced.first, sought.quantity, reduced.lines_before)}",
        f"  after:  {_figures(reduced.last, sought.quantity, reduced.lines_after)}",
        f"  {reduced.tried} smaller programs were tried"
        + ("" if reduced.ended else "; time was up before the search had ended"),
        f"  {into}",
    ]
    return "\n".join(lines) + "\n"


def _figures(launch: Compared, quantity: str, lines: int) -> str:
    ratio = launch.ratio(quantity)
    there, here = launch.emulated[quantity], launch.predicted.get(quantity) or 0.0
    told = f"{here:.10g} predicted, {there:.10g} emulated"
    factor = "" if ratio is None else f" ({significant(ratio, 3)}x)"
    return f"{told}{factor}, {counted(lines, 'line')}"
