"""``roofline-lsp study llmperf``: OpenCL kernels timed at sampled sizes, and times learnt."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from roofline_core.settings import CLOCKS, Settings, merge
from roofline_core.text.units import counted
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.options import add_compiler_option, positive_int
from roofline_lsp.cli.output import write

if TYPE_CHECKING:
    from roofline_study.llmperf.kernels import Samples
    from roofline_study.llmperf.records import Results
    from roofline_study.llmperf.study import Study

_MIB = 1024**2
_GIB = 1024**3
_GPU = "RTX 3080"
"""Whose counts and times the static model gives."""
_PARTS = ("source", "arguments", "sizes")
"""The parts of a prompt: the values of ``roofline_study.llmperf.prompts.Part``."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the commands of the study."""
    steps = made.add_subparsers(dest="step", required=True, metavar="STEP")
    run_ = steps.add_parser(
        "run",
        help="sample launches of the kernels of folder trees, and time them",
        description="Plan launches of each OpenCL kernel of folder trees, run them on an OpenCL"
        " device, and keep their times. The kernels run on this machine: name only those you"
        " trust. It can be stopped and started again: a launch that has a time is not run again.",
        allow_abbrev=False,
    )
    _add_run_options(run_)
    show = steps.add_parser(
        "show",
        help="learn times from what was run, and print the tables",
        description="Learn times from the launches of other kernels, and say how far the times of"
        " held-out kernels are off: by regime and class, and for the paper's open experiments.",
        allow_abbrev=False,
    )
    _add_results(show)
    show.add_argument("--format", choices=("text", "markdown"), default="text")
    show.add_argument("--output", type=Path, metavar="FILE", help="write the tables here")
    show.add_argument("--csv", type=Path, metavar="FILE", help="also write a row for each launch")
    show.add_argument(
        "--no-experiments", action="store_true", help="only the errors, which takes a tenth"
    )
    prompts = steps.add_parser(
        "prompts",
        help="write the launches that were timed as prompts for a model, as JSON lines",
        description="Write the study's structured prompt, with the time as its completion, for"
        " each launch that was timed.",
        allow_abbrev=False,
    )
    _add_results(prompts)
    prompts.add_argument("--output", type=Path, required=True, metavar="JSONL")
    prompts.add_argument(
        "--without", action="append", default=[], choices=_PARTS,
        help="leave this part of the prompt out; may be repeated",
    )  # fmt: skip
    prompts.add_argument(
        "--most-tokens", type=positive_int, default=2048, metavar="N",
        help="leave out longer prompts, by estimate; default: 2048, the paper's",
    )  # fmt: skip
    times = steps.add_parser(
        "gpu-times",
        help="learn measured GPU times, for kernels and GPUs that were not seen",
        description="Learn the times of data sets of measured kernels, and say how far the times of"
        " held-out programs and GPUs are off, beside the static model's own.",
        allow_abbrev=False,
    )
    _add_gpu_options(times)


def _add_gpu_options(made: argparse.ArgumentParser) -> None:
    add = made.add_argument
    add(
        "--dataset", type=Path, action="append", required=True, metavar="CSV",
        help="measured kernels, as for `evaluate`; may be repeated",
    )  # fmt: skip
    add("--sources", type=Path, required=True, metavar="DIR", help="has a folder for each program")
    add(
        "--kept", type=Path, required=True, metavar="FILE",
        help="where what the model says is kept: another run computes what is missing",
    )  # fmt: skip
    add("--gpu", metavar="NAME", default=_GPU, help=f"of rows without one; default: {_GPU}")
    # What profilers lock a GPU to, and the compiler that built the study's kernels, as `evaluate`.
    add(
        "--clock", choices=CLOCKS, default="base",
        help="the clock that the GPUs ran at; default: base, which profilers lock them to",
    )  # fmt: skip
    add_compiler_option(made, "clang")
    add("--jobs", type=positive_int, default=1, metavar="N", help="programs at a time; default: 1")
    add(
        "--time-limit", type=positive_int, default=300, metavar="S",
        help="seconds that one program may take; default: 300",
    )  # fmt: skip
    add("--format", choices=("text", "markdown"), default="text")
    add("--output", type=Path, metavar="FILE", help="write the tables here")


def _add_results(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--results", type=Path, required=True, metavar="DIR", help="where plan and times are kept"
    )


def _add_run_options(made: argparse.ArgumentParser) -> None:
    add = made.add_argument
    add("trees", type=Path, nargs="+", metavar="DIR", help="folders with OpenCL files")
    _add_results(made)
    add("--file", action="append", default=[], metavar="GLOB", help="only these; repeatable")
    add("--variants", type=Path, metavar="TOML", help="macros and header folders, by file")
    add("--device", metavar="NAME", help="the first with this in its name; default: the first")
    add("--again", action="store_true", help="try what failed again")
    add("--no-run", action="store_true", help="plan only, and say what would be run")
    for name, default, what in (
        ("--iqr", 12, "launches of a kernel that are balanced over regimes and quartiles"),
        ("--uniform", 4, "launches of uniformly drawn numbers of work-groups"),
        ("--importance", 4, "launches of numbers drawn by importance"),
        ("--simple", 4, "launches with arguments of simple sizes"),
    ):
        add(name, type=_count, default=default, metavar="N", help=f"{what}; default: {default}")
    for name, default, what in (
        ("--items-per-unit", 2048, "work-items that a unit holds at a time"),
        ("--most-items", 1 << 16, "work-items of a launch"),
        ("--most-mib", 64, "MiB of all buffers of a launch"),
        ("--time-limit", 60, "seconds that all launches of a kernel may take"),
        ("--memory-limit", 6, "GiB of address space that the process may take"),
        ("--jobs", 1, "files that are analysed at a time; kernels run one at a time"),
    ):
        told = f"{what}; default: {default}"
        add(name, type=positive_int, default=default, metavar="N", help=told)
    add(
        "--units", type=positive_int, metavar="N",
        help="compute units to lay launches out for; default: the device's",
    )  # fmt: skip
    add("--seed", type=int, default=0, metavar="N", help="another one draws other launches")


def _count(text: str) -> int:
    """A number of launches, which may be none."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("must be 0 or more")
    return number


def run(options: argparse.Namespace) -> int:
    """Do one step of the study, and return the exit code.

    Raises CorpusError, RunError, ResultsError, RegressionError and UnknownGpuError.
    """
    from roofline_study.llmperf.records import Results  # noqa: PLC0415 - brings the analysis

    if options.step == "gpu-times":
        _gpu_times(options)
        return OK
    results = Results(options.results.absolute())
    steps = {"run": _run, "show": _show, "prompts": _prompts}
    steps[options.step](options, results)
    return OK


def _run(options: argparse.Namespace, results: Results) -> None:
    from roofline_study.llmperf.corpus import read_variants  # noqa: PLC0415 - as above
    from roofline_study.llmperf.running import (  # noqa: PLC0415
        KernelLimits,
        check_installed,
        device_facts,
        find_opencl,
    )
    from roofline_study.llmperf.study import Corpus, make_plan, run_study  # noqa: PLC0415
    from roofline_study.llmperf.text import head_lines  # noqa: PLC0415

    variants = read_variants(options.variants) if options.variants is not None else ()
    find = partial(find_opencl, options.device)
    if options.units is None or not options.no_run:
        check_installed()
    units = options.units if options.units is not None else device_facts(find).units
    corpus = Corpus(tuple(options.trees), variants, tuple(options.file))
    make_plan(corpus, results, _settings(), _samples(options, units), options.jobs, _told("plan"))
    facts = None
    if not options.no_run:
        limits = KernelLimits(float(options.time_limit), options.memory_limit * _GIB)
        facts, tally = run_study(results, find, limits, _told("run"), again=options.again)
        known = counted(tally.known, "outcome")
        _tell(f"{counted(tally.timed, 'launch', 'launches')} timed; {known} known before")
    write("\n".join(head_lines(_study(results), facts)) + "\n")


def _samples(options: argparse.Namespace, units: int) -> Samples:
    from roofline_study.llmperf.kernels import Samples  # noqa: PLC0415 - as above
    from roofline_study.llmperf.regimes import LaidOutFor  # noqa: PLC0415
    from roofline_study.llmperf.sampling import Strategy  # noqa: PLC0415

    return Samples(
        machine=LaidOutFor(units, options.items_per_unit),
        by_strategy={
            Strategy.IQR: options.iqr,
            Strategy.UNIFORM: options.uniform,
            Strategy.IMPORTANCE: options.importance,
        },
        simple=options.simple,
        most_items=options.most_items,
        most_bytes=options.most_mib * _MIB,
        seed=options.seed,
    )


def _settings() -> Settings:
    return replace(merge(), gpu=_GPU)


def _study(results: Results) -> Study:
    from roofline_study.llmperf.study import read_study  # noqa: PLC0415 - as above

    return read_study(results)


def _show(options: argparse.Namespace, results: Results) -> None:
    from roofline_study.llmperf.analysis import analyse  # noqa: PLC0415 - as above
    from roofline_study.llmperf.records import read_device  # noqa: PLC0415
    from roofline_study.llmperf.text import (  # noqa: PLC0415
        rows_csv,
        study_markdown,
        study_text,
    )

    study = _study(results)
    found = analyse(study, experiments=not options.no_experiments)
    made = study_markdown if options.format == "markdown" else study_text
    if options.csv is not None:
        write(rows_csv(found), options.csv)
    write(made(study, found, read_device(results.device)), options.output)


def _prompts(options: argparse.Namespace, results: Results) -> None:
    from roofline_study.llmperf.prompts import Part, prompt_lines  # noqa: PLC0415 - as above

    study = _study(results)
    without = [Part(each) for each in options.without]
    lines = list(prompt_lines(study.kernels, study.timed, without, options.most_tokens))
    kept = [line for line in lines if line is not None]
    write("".join(f"{line}\n" for line in kept), options.output, data=True)
    left = len(lines) - len(kept)
    write(f"{counted(len(kept), 'prompt')} in {options.output}; {left} left out as too long\n")


def _gpu_times(options: argparse.Namespace) -> None:
    from roofline_study.dataset import read_dataset  # noqa: PLC0415 - as above
    from roofline_study.llmperf.gpu_features import model_kernels  # noqa: PLC0415
    from roofline_study.llmperf.gpu_times import gpu_points, gpu_tables  # noqa: PLC0415
    from roofline_study.llmperf.text import tables_lines, tables_markdown  # noqa: PLC0415

    rows = [row for path in options.dataset for row in read_dataset(path)]
    settings = replace(
        merge(),
        gpu=options.gpu,
        clock=options.clock,
        rule="study",
        compiler=options.compiler or "clang",
    )
    modelled = model_kernels(
        rows, options.sources, settings, options.kept,
        jobs=options.jobs, limit_s=float(options.time_limit), tell=_told("model"),
    )  # fmt: skip
    points = gpu_points(rows, modelled, options.gpu)
    found = gpu_tables(rows, points)
    head = (
        f"{counted(found.points, 'row')} of {len(rows)};"
        f" {found.without_model} the model says nothing of, {found.without_time} without a time"
    )
    if options.format == "markdown":
        text = f"{head}\n\n{tables_markdown(found.tables)}"
    else:
        text = "\n".join((head, *tables_lines(found.tables), ""))
    write(text, options.output)


def _told(what: str) -> Callable[[int, int, str], None]:
    return lambda done, total, name: _tell(f"{what} {done}/{total} {name}")


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
