"""What each heuristic is worth that guesses at data or at the compiler: a table.

    python benchmarks/ablation.py --dataset CSV --sources DIR --gpu NAME [--only NAME ...]

Each heuristic is switched off in turn, the measured programs are predicted without it, and the
difference is printed: what predictions are worth with it, less what they are worth without. Only
programs are predicted anew in which the heuristic was asked and made a difference; the rest keep
the predictions of the run with nothing switched off.

Intervals hold 95% of 2000 resamples of programs, a program's CUDA and OpenMP versions together.
"Cross-validated by program" means: programs are dealt out to ten folds, versions together; for each
fold it is decided on the other nine whether the heuristic is kept (it is if it raises balanced
accuracy there, or leaves it as it is and lowers the error of counts); the decision is then scored
on the fold. The column "held out" has the balanced accuracy of predictions decided on so, over all
folds, less that without the heuristic, and in how many folds it was kept.

``--output FILE`` keeps what is done; the same command goes on from there, or prints the table again
if all of it is.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ablations.model import BASELINE, CENSUS
from ablations.report import FORMATS
from ablations.results import Results, ResultsError, code_hash, opened
from ablations.running import judged, reached
from ablations.scoring import row_of
from ablations.table import SWITCHES, UNSWITCHED, chosen

from roofline_core.settings import Settings
from roofline_lsp.cli.progress import ProgressBar
from roofline_study.dataset import MeasuredKernel, read_dataset
from roofline_study.judge import Inputs


def main() -> None:
    """Judge what is not judged yet, and print the table."""
    options = _options()
    if options.list:
        print("\n".join(f"{switch.name:32} {switch.instead}" for switch in SWITCHES))
        print("\n".join(f"{each.name:32} not switchable: {each.why}" for each in UNSWITCHED))
        return
    rows = read_dataset(options.dataset)
    # The base clock is what profilers lock a GPU to, and so what labels are computed with.
    settings = Settings(gpu=options.gpu, clock="base", rule="study")
    inputs = Inputs(options.sources, settings, source_only=options.source_only)
    try:
        switches = chosen(options.only)
        results = opened(options.output, _setting(options))
    except (LookupError, ResultsError) as error:
        sys.exit(f"error: {error}")
    for mode in (BASELINE, CENSUS, *(switch.name for switch in switches)):
        if mode not in results.parts:
            _judge(results, mode, rows, inputs, options)
    found = [row_of(switch, results.parts, rows) for switch in switches]
    others = [each for each in UNSWITCHED if not options.only or each.name in options.only]
    print(FORMATS[options.format](found, others, results.parts[BASELINE], rows), end="")


def _judge(
    results: Results,
    mode: str,
    rows: tuple[MeasuredKernel, ...],
    inputs: Inputs,
    options: argparse.Namespace,
) -> None:
    if mode in (BASELINE, CENSUS):
        asked = rows
    else:
        (switch,) = (each for each in SWITCHES if each.name == mode)
        programs = reached(switch, results.parts[CENSUS])
        asked = tuple(row for row in rows if row.program in programs)
    outcomes = {}
    total = len({row.program for row in asked})
    with ProgressBar(sys.stderr, enabled=sys.stderr.isatty()) as bar:
        done = judged(asked, inputs, mode, jobs=options.jobs, limit_s=options.time_limit)
        for count, outcome in enumerate(done, 1):
            outcomes[outcome.program] = outcome
            bar.show(count, total, f"{mode}: {outcome.program}")
    results.add(mode, outcomes)


def _setting(options: argparse.Namespace) -> dict[str, object]:
    return {
        "dataset": options.dataset.name,
        "gpu": options.gpu,
        "source_only": options.source_only,
        "code": code_hash(),
    }


def _options() -> argparse.Namespace:
    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = made.add_argument
    add("--dataset", type=Path, metavar="CSV", help="the measured kernels")
    add("--sources", type=Path, metavar="DIR", help="holds a folder of sources for each program")
    add("--gpu", metavar="NAME", help="the GPU that was measured")
    add("--source-only", action="store_true", help="withhold command lines, grids and blocks")
    add("--only", nargs="+", default=[], metavar="NAME", help="only these switches or modules")
    add("--list", action="store_true", help="list the switches, and run nothing")
    add("--jobs", type=int, default=1, metavar="N", help="programs at a time; default: 1")
    add("--time-limit", type=float, default=300.0, metavar="S", help="of a program; default: 300")
    add("--format", choices=tuple(FORMATS), default="text", help="default: text")
    add("--output", type=Path, metavar="FILE", help="keep what is done, and go on from it")
    options = made.parse_args()
    if not options.list and None in (options.dataset, options.sources, options.gpu):
        made.error("--dataset, --sources and --gpu are needed, or --list")
    return options


if __name__ == "__main__":
    main()
