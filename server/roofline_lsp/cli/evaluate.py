"""``roofline-lsp evaluate``: predictions against measured kernels."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from roofline_core.settings import Settings, merge
from roofline_core.text.units import counted
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.options import (
    DATA_SET,
    add_analysis_options,
    add_compiler_option,
    add_process_options,
    add_rule_option,
    analysis_layer,
)
from roofline_lsp.cli.output import write
from roofline_lsp.cli.progress import ProgressBar

if TYPE_CHECKING:
    from roofline_study.dataset import MeasuredKernel
    from roofline_study.evaluate import Evaluation
    from roofline_study.predictions import Predicted


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp evaluate",
        description="Predict the kernels of a data set from their sources, and say how often the"
        " class is right and how far the numbers are off.",
        allow_abbrev=False,
    )
    _add_data_options(made)
    add_analysis_options(made)
    add_rule_option(made, "study")
    add_compiler_option(made, "clang")
    _add_output_options(made)
    return made


def _add_data_options(made: argparse.ArgumentParser) -> None:
    add = made.add_argument
    add(
        "--dataset",
        type=Path,
        action="append",
        required=True,
        metavar="CSV",
        help="the measured kernels; may be repeated. Rows with a column gpu are judged for that"
        " GPU, and reported by GPU",
    )
    add(
        "--group",
        metavar="COLUMN",
        help="also report the rows of each value of this column by themselves; 'dataset' stands"
        " for the file",
    )
    add(
        "--sources",
        type=Path,
        required=True,
        metavar="DIR",
        help="holds a folder of sources for each program",
    )
    add(
        "--source-only",
        action="store_true",
        help="withhold the command line, the grid and the block",
    )
    add(
        "--background-gbs",
        type=float,
        metavar="RATE",
        help="GB/s that the measuring machine reads besides the kernels, such as a display's"
        " refresh; default: 0",
    )
    add(
        "--background-period-ms",
        type=float,
        metavar="MS",
        help="how far apart these reads come in bursts; default: 0, steady",
    )
    add("--language", choices=("cuda", "omp", "all"), default="all", help="default: all")
    add(
        "--program",
        action="append",
        default=[],
        metavar="P",
        help="only this program; may be repeated",
    )


def _add_output_options(made: argparse.ArgumentParser) -> None:
    add = made.add_argument
    add("--format", choices=("text", "json"), default="text", help="default: text")
    add("--predictions", type=Path, metavar="CSV", help="also write each kernel's prediction here")
    add(
        "--compare",
        type=Path,
        metavar="CSV",
        help="also tell what changed against predictions that were written earlier",
    )
    add(
        "--explain",
        nargs="?",
        const="",
        metavar="KERNEL",
        help="instead of the summary, show prediction and measurement side by side"
        " for the kernels with this in their program:kernel",
    )
    add("--wrong", action="store_true", help="with --explain: only the kernels judged wrongly")
    add_process_options(made)


def run(argv: Sequence[str]) -> int:
    """Evaluate, print, and return the exit code."""
    options = parser().parse_args(argv)
    # No settings file is read.
    settings = merge(DATA_SET, analysis_layer(options))
    if options.clock is None:
        # What profilers lock a GPU to, and so what measured labels are computed with.
        settings = replace(settings, clock="base")
    return _evaluate(options, settings)


def _evaluate(options: argparse.Namespace, settings: Settings) -> int:
    # Imported late: the analyser brings the parsers with it.
    from roofline_lsp.cli.side_by_side.kernels import matching  # noqa: PLC0415
    from roofline_study import evaluate  # noqa: PLC0415
    from roofline_study.dataset import read_dataset  # noqa: PLC0415
    from roofline_study.predictions import as_csv, read_predictions  # noqa: PLC0415

    rows = evaluate.select(
        [row for path in options.dataset for row in read_dataset(path, options.group)],
        language=options.language,
        programs=options.program,
    )
    if options.explain is not None:
        rows = matching(rows, options.explain)
    # Read before the work, so that a wrong file is told at once, and before it may be overwritten.
    earlier = read_predictions(options.compare) if options.compare is not None else None
    outcomes = _outcomes(options, settings, rows)
    if options.predictions is not None:
        held = tuple(item for outcome in outcomes for item in outcome.judgements)
        write(as_csv(held), options.predictions)
    if options.explain is not None:
        write("\n".join(_explanations(options, outcome) for outcome in outcomes))
    else:
        write(_report(outcomes, earlier, options.format), data=options.format == "json")
    return OK


def _outcomes(
    options: argparse.Namespace, settings: Settings, rows: Sequence[MeasuredKernel]
) -> list[Evaluation]:
    """An evaluation for each GPU that the rows name, in their order; one where they name none."""
    from roofline_analysis.api import gpu_used  # noqa: PLC0415
    from roofline_study import evaluate  # noqa: PLC0415
    from roofline_study.judge import Inputs  # noqa: PLC0415

    parts = evaluate.by_gpu(rows, settings)
    used = [gpu_used(own) for own, _ in parts]  # A GPU that is not known is told before the work.
    total = sum(len({row.program for row in held}) for _, held in parts)
    found: list[Evaluation] = []
    done = 0
    with ProgressBar(sys.stderr, enabled=not options.no_progress) as bar:
        for gpu, (own, held) in zip(used, parts, strict=True):
            inputs = Inputs(
                options.sources, own, options.source_only, details=options.explain is not None
            )
            judgements = evaluate.evaluate(
                held,
                inputs,
                jobs=options.jobs,
                limit_s=options.time_limit,
                progress=partial(_show, bar, done, total),
            )
            done += len({row.program for row in held})
            found.append(evaluate.Evaluation(gpu, options.source_only, judgements))
    return found


def _show(bar: ProgressBar, before: int, total: int, done: int, _: int, name: str) -> None:
    """The progress of one GPU's programs among those of all."""
    bar.show(before + done, total, name)


def _explanations(options: argparse.Namespace, outcome: Evaluation) -> str:
    from roofline_lsp.cli.side_by_side.kernels import explain  # noqa: PLC0415

    judgements = outcome.judgements
    shown = [item for item in judgements if not (options.wrong and item.correct)]
    right = sum(item.correct for item in judgements)
    closing = f"{right} of {counted(len(judgements), 'kernel')} right\n"
    texts = [explain(item, outcome.gpu, sources=options.sources) for item in shown]
    return "\n".join((*texts, closing))


def _report(
    outcomes: Sequence[Evaluation], earlier: Mapping[str, Predicted] | None, output_format: str
) -> str:
    from roofline_study.compare import compare  # noqa: PLC0415
    from roofline_study.compare_text import comparison_text  # noqa: PLC0415
    from roofline_study.json_report import as_json, several_as_json  # noqa: PLC0415
    from roofline_study.text_report import as_text  # noqa: PLC0415

    compared = [compare(each, earlier) if earlier is not None else None for each in outcomes]
    if output_format == "json":
        return (
            as_json(outcomes[0], compared[0])
            if len(outcomes) == 1
            else several_as_json(outcomes, compared)
        )
    texts = []
    for outcome, comparison in zip(outcomes, compared, strict=True):
        text = as_text(outcome)
        texts.append(text if comparison is None else f"{text}\n{comparison_text(comparison)}")
    return "\n".join(texts)
