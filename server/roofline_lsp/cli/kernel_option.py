"""Options of commands that are about one kernel of one file."""

from __future__ import annotations

import argparse
from pathlib import Path

from roofline_advisor.advice import KernelName
from roofline_advisor.bench import Bench
from roofline_advisor.errors import AdvisorError, Fault
from roofline_advisor.suggest import SuggestionTask
from roofline_core.settings import Layer, Settings
from roofline_lsp.cli.files import read_regular
from roofline_lsp.cli.options import (
    add_judging_options,
    analysis_layer,
    resolved,
)


def add_kernel_options(made: argparse.ArgumentParser) -> None:
    """The file, the kernel, and what to judge it for."""
    made.add_argument("file", type=Path, metavar="FILE", help="the file that defines the kernel")
    made.add_argument(
        "--kernel", metavar="NAME", help="the kernel; needed where the file has several"
    )
    add_judging_options(made)


def settings_of(options: argparse.Namespace, *stronger: Layer) -> Settings:
    """The settings for the file. Raises SettingsError."""
    return resolved(options.file.parent, analysis_layer(options), *stronger, file=options.config)


def task_of(options: argparse.Namespace, settings: Settings) -> SuggestionTask:
    """The kernel read. Raises AdvisorError naming the choices where there is none such."""
    source = read_regular(options.file)
    if source is None:
        raise AdvisorError(Fault.MATERIAL, f"{options.file}: cannot be read")
    bench = Bench(options.file, settings)
    name = options.kernel
    if name is None:
        kernels = bench.read(source).report.kernels
        if len(kernels) != 1:
            names = ", ".join(kernel.qualified_name for kernel in kernels)
            hint = f"; name one with --kernel: {names}" if names else ""
            count = "has no kernel" if not kernels else f"has {len(kernels)} kernels"
            raise AdvisorError(Fault.MATERIAL, f"{options.file}: {count}{hint}")
        name = kernels[0].qualified_name
    return SuggestionTask.of(bench, source.decode("utf-8", "replace"), KernelName(name))
