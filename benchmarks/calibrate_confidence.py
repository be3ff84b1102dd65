"""Fits the confidence of verdicts to measured kernels and says how well it holds.

    python benchmarks/calibrate_confidence.py --dataset CSV --sources DIR --gpu NAME [--write]

Every kernel is judged five times: with its command line and launch given and withheld, and, as a
tool meets it in a library, with the program's headers, host functions or device functions hidden.
The coefficients of ``confidence.toml`` are fitted to whether the verdicts are right; no verdict
changes by them.
Printed are the reliability of the shipped coefficients and that of new ones on programs that they
were not fitted to (twofold cross-validation by program, ten times over), and the new table.
``--write`` puts it in its place. ``--keep FILE`` saves the verdicts, and ``--from FILE`` fits to
those saved, without judging again.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from roofline_analysis.verdict.confidence import TABLE
from roofline_analysis.verdict.prediction import ConfidenceFeatures
from roofline_core.settings import Settings
from roofline_core.text.table import aligned
from roofline_lsp.cli.progress import ProgressBar
from roofline_study.calibration import CalibrationCheck, Sample, fit, samples, table_text, validate
from roofline_study.dataset import MeasuredKernel, read_dataset
from roofline_study.evaluate import evaluate
from roofline_study.hiding import Hidden, hide
from roofline_study.judge import Inputs
from roofline_study.text_report import reliability_line


def main() -> None:
    """Fit, validate, print, and write where asked to."""
    options = _options()
    held = _read(options.source) if options.source else _judge(options)
    if options.keep:
        options.keep.write_text(json.dumps([asdict(sample) for sample in held]), encoding="utf-8")
    for validation in validate(held):
        print("\n".join(_validation_lines(validation)), end="\n\n")
    table = table_text(fit(held), held)
    print(table, end="")
    if options.write:
        TABLE.write_text(table, encoding="utf-8")
        print(f"\nwritten: {TABLE}")


def _options() -> argparse.Namespace:
    made = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    made.add_argument("--dataset", type=Path, metavar="CSV")
    made.add_argument("--sources", type=Path, metavar="DIR")
    made.add_argument("--gpu", metavar="NAME")
    made.add_argument("--jobs", type=int, metavar="N")
    made.add_argument("--keep", type=Path, metavar="FILE", help="save the verdicts as JSON")
    made.add_argument("--from", type=Path, metavar="FILE", dest="source", help="use saved verdicts")
    made.add_argument("--write", action="store_true", help=f"write {TABLE.name}")
    options = made.parse_args()
    if options.source is None and None in (options.dataset, options.sources, options.gpu):
        made.error("--dataset, --sources and --gpu are needed, or --from")
    return options


def _judge(options: argparse.Namespace) -> list[Sample]:
    rows = read_dataset(options.dataset)
    # The base clock is what profilers lock a GPU to, and so what labels are computed with.
    inputs = Inputs(options.sources, Settings(gpu=options.gpu, clock="base", rule="study"))
    found = _samples(options, rows, inputs, "")
    found += _samples(options, rows, replace(inputs, source_only=True), ", source only")
    for hidden in Hidden:
        with tempfile.TemporaryDirectory() as folder:
            sources = Path(folder) / "src"
            for program in _programs(options.sources, rows):
                hide(options.sources / program, sources / program, hidden)
            given = replace(inputs, sources=sources, source_only=hidden is Hidden.HOSTS)
            found += _samples(options, rows, given, f", {hidden.value} hidden")
    return found


def _programs(sources: Path, rows: Sequence[MeasuredKernel]) -> list[str]:
    """The programs' folders, and that of the headers which they share."""
    names = ["include", *sorted({row.program for row in rows})]
    return [name for name in names if (sources / name).is_dir()]


def _samples(
    options: argparse.Namespace, rows: Sequence[MeasuredKernel], inputs: Inputs, suffix: str
) -> list[Sample]:
    with ProgressBar(sys.stderr, enabled=True) as bar:
        judgements = evaluate(rows, inputs, jobs=options.jobs, progress=bar.show)
    return samples(judgements, suffix)


def _read(path: Path) -> list[Sample]:
    return [
        Sample(**{**sample, "grounds": ConfidenceFeatures(**sample["grounds"])})
        for sample in json.loads(path.read_text(encoding="utf-8"))
    ]


def _validation_lines(validation: CalibrationCheck) -> list[str]:
    lines = [validation.setting]
    for name, held in (("shipped", validation.now), ("cross-validated", validation.refitted)):
        lines.append(f"  {name}: {reliability_line(held)}")
        rows = [["confidence", "verdicts", "mean", "right"]]
        for band in held.bands:
            span = f"{band.low:.1f} to {band.high:.1f}"
            shares = (f"{band.mean_confidence:.2f}", f"{band.accuracy:.2f}")
            rows.append([span, str(band.count), *shares])
        lines += aligned(rows, right=(1, 2, 3), indent="    ")
    return lines


if __name__ == "__main__":
    main()
